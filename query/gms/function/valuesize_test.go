package function

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/stretchr/testify/require"
)

func TestJSONBytes(t *testing.T) {
	for _, text := range []string{`null`, `"a\"b\n"`, `[]`, `[1, [2, 3], "x"]`, `{"a": {"b": [null, true]}}`} {
		v := types.MustJSON(text)
		n, deep := jsonBytes(v, jsonWalkMax)
		require.False(t, deep)
		written, err := v.JSONString()
		require.NoError(t, err)
		// Numbers count as eight characters.
		require.InDelta(t, len(written), n, float64(8*strings.Count(text, ",")+8), text)
	}
	var nested any
	for range jsonDepthMax + 1 {
		nested = []any{nested}
	}
	_, deep := jsonBytes(types.JSONDocument{Val: nested}, jsonWalkMax)
	require.True(t, deep)

	// A document that holds itself twice at each level is small in memory and endless as text.
	var doubled any = "x"
	for range 60 {
		doubled = []any{doubled, doubled}
	}
	n, _ := jsonBytes(types.JSONDocument{Val: doubled}, 1000)
	require.Greater(t, n, int64(1000))
	require.Less(t, n, int64(2000), "counting ends at the limit")
}

func TestSizesOfFunctions(t *testing.T) {
	x := strings.Repeat("x", 100)
	for _, c := range []struct {
		size func(*sql.Context, sql.Expression, sql.Row) int64
		args sql.Row
		want int64
	}{
		{repeatBytes, sql.Row{x, int64(3)}, 300},
		{repeatBytes, sql.Row{x, int64(-3)}, 0},
		{repeatBytes, sql.Row{x, 1e30}, math.MaxInt64},
		{repeatBytes, sql.Row{"", 1e30}, 0},
		{repeatBytes, sql.Row{x, uint64(math.MaxUint64)}, math.MaxInt64},
		{spaceBytes, sql.Row{"12"}, 12},
		{concatBytes, sql.Row{x, []byte(x)}, 200},
		{concatWSBytes, sql.Row{",,", x, nil, x, x}, 304},
		{replaceBytes, sql.Row{"aXbXc", "X", x}, 203},
		{replaceBytes, sql.Row{x, "", x}, 100},
		{insertBytes, sql.Row{x, int64(91), int64(50), x}, 190},
		{insertBytes, sql.Row{x, int64(0), int64(50), x}, 100},
		{hexBytes, sql.Row{x}, 200},
		{hexBytes, sql.Row{int64(255)}, 32},
		{base64Bytes, sql.Row{""}, 1},
		{base64Bytes, sql.Row{x}, 136 + 1 + 1},
		{quoteBytes, sql.Row{`a'b\`}, 8},
		{exportSetBytes, sql.Row{int64(5), "on", "off", "--", int64(4)}, 4*3 + 3*2},
		{exportSetBytes, sql.Row{int64(0), "", x}, 6463},
		{uncompressBytes, sql.Row{"\x04\x01\x00\x00zzz"}, 260},
		{regexpReplaceBytes, sql.Row{x, "x", "yy"}, 100 + 101*2},
		{regexpReplaceBytes, sql.Row{x, "x", "$1"}, 100 + 101*2 + 100},
	} {
		require.Equal(t, c.want, c.size(sql.NewEmptyContext(), nil, c.args), fmt.Sprint(c.args))
	}
}

func TestRowBytesAllocatesNothing(t *testing.T) {
	row := sql.Row{int64(1), "text", []byte("bytes"), nil, 1.5}
	require.Positive(t, RowBytes(row))
	require.Zero(t, testing.AllocsPerRun(100, func() { _ = RowBytes(row) }))
}

package native

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/types"
)

// TestIntegerParameters has the types that MariaDB gives integers by the bytes in which a client sends them.
func TestIntegerParameters(t *testing.T) {
	for _, c := range []struct {
		v        result.Value
		kind     types.Kind
		length   uint32
		unsigned bool
	}{
		{result.Signed(-1).Narrow(1), types.Tinyint, 4, false}, {result.Unsigned(255).Narrow(1), types.Tinyint, 4, true},
		{result.Signed(-1).Narrow(2), types.Smallint, 6, false}, {result.Unsigned(1<<32 - 1).Narrow(4), types.Int, 11, true},
		{result.Signed(-1), types.Bigint, 21, false}, {result.Unsigned(1), types.Bigint, 21, true},
	} {
		v, got, ok := parameter(nil, c.v)
		require.True(t, ok)
		require.Equal(t, c.v.Int(), v.Int)
		require.Equal(t, c.kind, got.Kind)
		require.Equal(t, c.length, got.Length)
		require.Equal(t, c.unsigned, got.Unsigned)
	}
}

// TestTimeParameters has times that no clock and no calendar has, which are zero, with a warning.
func TestTimeParameters(t *testing.T) {
	for _, c := range []struct {
		v    result.Value
		want string // the warning
	}{
		{result.Datetime(result.Moment{Year: 2020, Month: 13, Day: 1, Hour: 1}, 0), "Truncated incorrect datetime value: '2020-13-01 01:00:00'"},
		{result.Date(result.Moment{Year: 2020, Month: 1, Day: 32}), "Truncated incorrect date value: '2020-01-32'"},
		{result.Time(result.Span{Hours: 1, Minute: 60}, 0), "Truncated incorrect time value: '01:60:00'"},
		{result.Date(result.Moment{Year: 2020, Month: 2, Day: 31}), ""},
		{result.Datetime(result.Moment{}, 0), ""},
	} {
		f := &eval.Frame{Diag: &types.Diagnostics{}}
		v, _, ok := parameter(f, c.v)
		require.True(t, ok)
		if c.want == "" {
			require.Empty(t, f.Diag.Conditions)
			continue
		}
		require.Len(t, f.Diag.Conditions, 1)
		require.Equal(t, c.want, f.Diag.Conditions[0].Message)
		require.Equal(t, types.Warning, f.Diag.Conditions[0].Level)
		require.Zero(t, v.Time)
	}
}

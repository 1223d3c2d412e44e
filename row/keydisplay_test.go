package row

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
)

func TestDisplayKey(t *testing.T) {
	cols := []Column{{Type: mysql.MYSQL_TYPE_LONGLONG}, {Type: mysql.MYSQL_TYPE_LONGLONG, Unsigned: true}}
	for _, desc := range []bool{false, true} {
		parts := []KeyPart{{Column: 0, Desc: desc}, {Column: 1, Desc: desc}}
		for _, c := range []struct {
			a, b any
			want string
		}{
			{int64(0), uint64(math.MaxUint64), "0, 18446744073709551615"},
			{int64(-1), uint64(255), "-1, 255"},
			{int64(-256), uint64(256), "-256, 256"},
			{int64(-257), nil, "-257, NULL"},
			{int64(math.MinInt64), uint64(1), "-9223372036854775808, 1"},
		} {
			key, err := AppendKeyValue(nil, cols[0], parts[0], c.a)
			require.NoError(t, err)
			key, err = AppendKeyValue(key, cols[1], parts[1], c.b)
			require.NoError(t, err)
			got, err := DisplayKey(cols, parts, key)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		}
	}
	_, err := DisplayKey(cols, []KeyPart{{Column: 0}}, nil)
	require.Error(t, err)
}

package native

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

func TestColumnType(t *testing.T) {
	utf8, _ := charset.ByName("utf8mb4_general_ci")
	binary, _ := charset.ByName("binary")
	text := func(length uint64) types.Type { return types.StringType(length, utf8, charset.Coercible, false) }
	bytes := func(length uint64) types.Type { return types.StringType(length, binary, charset.Coercible, false) }
	concat := text(0)
	concat.Kind, concat.Octets = types.Text, 1<<20
	for _, c := range []struct {
		of   types.Type
		want string
	}{
		{types.NullType(), "binary(0)"},
		{types.BoolType(), "int(1)"},
		{types.IntType(12, true), "bigint(12) unsigned"},
		{types.Type{Kind: types.Smallint, Length: 3}, "smallint(6)"},
		{types.DoubleType(), "double"},
		{types.FixedDoubleType(17, 0), "double(17,0)"},
		{types.DecimalType(decimal.Type{Precision: 5, Scale: 4}), "decimal(5,4)"},
		{types.TemporalType(types.Date, 0), "date"},
		{types.TemporalType(types.Time, 3), "time(3)"},
		{text(0), "char(0)"},
		{text(512), "varchar(512)"},
		{text(513), "text"},
		{text(20000), "mediumtext"},
		{bytes(0), "binary(0)"},
		{bytes(513), "blob"},
		{concat, "mediumtext"},
	} {
		got, err := columnType(c.of)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	_, err := madeOf("d", &eval.Expr{Type: types.DecimalType(decimal.Type{Precision: 65, Scale: 38})})
	require.ErrorIs(t, err, mysqlerr.New(mysqlerr.TooBigScale, "d", scaleMost), "which the fallback would not say")
}

func TestTakenOver(t *testing.T) {
	require.True(t, takenOver("(1 + 1)"))
	require.True(t, takenOver("concat('a', 'b')"))
	require.False(t, takenOver("(a + 1)"))
	require.False(t, takenOver("uuid()"))
	require.False(t, takenOver("not a text"))
}

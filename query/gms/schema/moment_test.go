package schema

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
)

// A literal default of a TIMESTAMP becomes a moment in the session's time zone, and stays that moment in others. One that was stored as a text stays
// that text.
func TestMoments(t *testing.T) {
	ctx := sql.NewEmptyContext()
	require.NoError(t, ctx.SetSessionVariable(ctx, "time_zone", "+02:00"))
	given, err := sql.NewColumnDefaultValue(expression.NewLiteral("2020-01-01 10:00:00", types.LongText), nil, true, false, false)
	require.NoError(t, err)
	typ, err := ParseType("timestamp(3)", mysql.Collation_binary)
	require.NoError(t, err)
	const moment = 1577865600_000_000
	def, err := ColumnToDef(ctx, &sql.Column{Name: "c", Type: typ, Default: given, Nullable: true}, nil, nil)
	require.NoError(t, err)
	require.EqualValues(t, moment, def.DefaultMoment)
	require.Equal(t, "'2020-01-01 08:00:00.000'", def.Default)

	require.NoError(t, ctx.SetSessionVariable(ctx, "time_zone", "-05:00"))
	stored := def
	stored.DefaultMoment, stored.Default = 0, "'2020-01-01 10:00:00'"
	for _, def := range []catalog.ColumnDef{def, stored} {
		sch, err := Schema(&catalog.TableDef{DB: "d", Name: "t", Columns: []catalog.ColumnDef{def}})
		require.NoError(t, err)
		again, err := ColumnToDef(ctx, sch.Schema[0], nil, &def)
		require.NoError(t, err)
		require.Equal(t, def, again)
	}
	col, err := defToColumn(&catalog.TableDef{}, &def)
	require.NoError(t, err)
	v, err := col.Default.Eval(ctx, nil)
	require.NoError(t, err)
	require.Equal(t, "2020-01-01 03:00:00 +0000 UTC", v.(interface{ String() string }).String())
}

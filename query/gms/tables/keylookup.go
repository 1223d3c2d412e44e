package tables

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// oneRow says of a lookup that it finds one row at most. It is only read.
var oneRow = sql.NewMax1RowFDs(sql.ColSet{}, sql.ColSet{})

// LookupForExpressions implements sql.IndexSearchableTable, for `id = 5` where the integer id is the whole primary key. The
// primary key is what go-mysql-server decides for then in any case, but only after it has made statistics of every index, which
// costs more than all else that it does for such a statement. Everything else is left to it: also a table with an alias, which it
// would not give to the plan that it makes of this lookup.
func (t *Table) LookupForExpressions(ctx *sql.Context, filters ...sql.Expression) (sql.IndexLookup, *sql.FuncDepSet, sql.Expression, bool, error) {
	if len(filters) != 1 {
		return sql.IndexLookup{}, nil, nil, false, nil
	}
	field, value := equality(filters[0])
	if field == nil || field.Table() != t.Name() || !types.IsInteger(value.Type(ctx)) {
		return sql.IndexLookup{}, nil, nil, false, nil
	}
	cur, err := t.current(ctx)
	if err != nil {
		return sql.IndexLookup{}, nil, nil, false, err
	}
	column, ok := cur.v.integerKey()
	if !ok || !strings.EqualFold(field.Name(), column.Name) {
		return sql.IndexLookup{}, nil, nil, false, nil
	}
	key, inRange, err := column.Type.Convert(ctx, value.Value())
	if err != nil || inRange != sql.InRange || key == nil {
		return sql.IndexLookup{}, nil, nil, false, nil //nolint:nilerr // go-mysql-server knows what to do with such a value
	}
	ranges := sql.MySQLRangeCollection{{sql.ClosedRangeColumnExpr(key, key, column.Type)}}
	return sql.NewIndexLookup(cur.v.indexes[0], ranges, false, false, false, false), oneRow, nil, true, nil
}

// SkipIndexCosting implements sql.IndexSearchableTable.
func (t *Table) SkipIndexCosting() bool { return false }

// equality takes `column = literal` apart, written either way round.
func equality(e sql.Expression) (*expression.GetField, *expression.Literal) {
	eq, ok := e.(*expression.Equals)
	if !ok {
		return nil, nil
	}
	left, right := eq.Left(), eq.Right()
	if _, swapped := left.(*expression.Literal); swapped {
		left, right = right, left
	}
	field, ok := left.(*expression.GetField)
	if !ok {
		return nil, nil
	}
	value, ok := right.(*expression.Literal)
	if !ok {
		return nil, nil
	}
	return field, value
}

// integerKey is the only column of the primary key, if that is an integer.
func (v *version) integerKey() (*sql.Column, bool) {
	if len(v.indexes) == 0 || v.indexes[0].ordinal >= 0 || len(v.indexes[0].parts) != 1 {
		return nil, false
	}
	column := v.Schema.Schema[v.indexes[0].parts[0].Column]
	return column, types.IsInteger(column.Type)
}

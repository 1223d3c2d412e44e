package semantics

import (
	"io"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// A column that cannot be NULL may be that while BEFORE triggers run: what is left of it is looked at behind them.

// null is what a row to be inserted has in the place of NULL; nil leaves it to the INSERT, which fails.
func (i *storedIter) null(t *target, at int) (any, error) {
	column := t.column
	omitted := i.c.omitted[at]
	switch {
	case column.Nullable || column.Generated != nil:
		return nil, nil
	case omitted:
		e := mysqlerr.New(mysqlerr.NoDefaultForField, column.Name)
		if i.strict {
			return nil, e
		}
		t.warn(e)
	case column.AutoIncrement:
		return nil, nil
	case tables.IsTimestamp(column.Type):
		return tables.Present(t.ctx, column.Type), nil
	case i.c.ignore || !i.strict && i.c.manyRows:
		t.warn(mysqlerr.New(mysqlerr.BadNull, column.Name))
	default:
		return nil, nil
	}
	return t.zero()
}

// omittedColumns are those that an INSERT gives nothing, and that have no default.
func omittedColumns(n *plan.InsertInto, schema sql.Schema) map[int]bool {
	named := map[string]bool{}
	for _, name := range n.ColumnNames {
		named[strings.ToLower(name)] = true
	}
	out := map[int]bool{}
	for i, c := range schema {
		if !named[strings.ToLower(c.Name)] && c.Default == nil && !c.Nullable && !c.AutoIncrement && c.Generated == nil {
			out[i] = true
		}
	}
	return out
}

// assignedNulls yields the rows of an UPDATE behind its BEFORE triggers, the old and the new ones side by side.
type assignedNulls struct {
	rows   sql.Node
	schema sql.Schema
	ignore bool
}

var _ sql.Node = (*assignedNulls)(nil)

// Schema implements sql.Node.
func (n *assignedNulls) Schema(ctx *sql.Context) sql.Schema { return n.rows.Schema(ctx) }

// Resolved implements sql.Node.
func (n *assignedNulls) Resolved() bool { return n.rows.Resolved() }

// IsReadOnly implements sql.Node.
func (n *assignedNulls) IsReadOnly() bool { return n.rows.IsReadOnly() }

// String implements sql.Node.
func (n *assignedNulls) String() string { return n.rows.String() }

// Children implements sql.Node.
func (n *assignedNulls) Children() []sql.Node { return []sql.Node{n.rows} }

// WithChildren implements sql.Node.
func (n *assignedNulls) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 1)
	}
	own := *n
	own.rows = children[0]
	return &own, nil
}

func (n *assignedNulls) build(ctx *sql.Context, base sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	iter, err := base.Build(ctx, n.rows, row)
	if err != nil {
		return nil, err
	}
	return &assignedIter{assignedNulls: n, RowIter: iter, strict: strict(ctx) && !n.ignore}, nil
}

type assignedIter struct {
	*assignedNulls
	sql.RowIter
	strict bool
	number int64
}

// Next implements sql.RowIter.
func (i *assignedIter) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := i.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	i.number++
	width := len(i.schema)
	if len(row) < 2*width {
		return nil, io.ErrUnexpectedEOF
	}
	start, copied := len(row)-width, false
	for at, column := range i.schema {
		if row[start+at] != nil || column.Nullable || column.Generated != nil {
			continue
		}
		if !copied {
			row, copied = row.Copy(), true
		}
		if row[start+at], err = i.value(ctx, column); err != nil {
			return nil, err
		}
	}
	return row, nil
}

func (i *assignedIter) value(ctx *sql.Context, column *sql.Column) (any, error) {
	if tables.IsTimestamp(column.Type) {
		return tables.Present(ctx, column.Type), nil
	}
	e := mysqlerr.New(mysqlerr.BadNull, column.Name)
	if i.strict {
		return nil, e
	}
	t := target{ctx: ctx, column: column, row: i.number}
	t.warn(e)
	return t.zero()
}

// numbered gives a row its AUTO_INCREMENT value, behind the triggers.
func (i *storedIter) numbered(ctx *sql.Context, values sql.Row) error {
	given := values[i.c.autoAt]
	if i.c.autoOmitted && given == zero(i.c.schema[i.c.autoAt].Type) {
		given = nil
	}
	own, err := i.c.auto.WithChildren(ctx, expression.NewLiteral(given, i.c.auto.Type(ctx)))
	if err != nil {
		return err
	}
	v, err := own.Eval(ctx, nil)
	if err != nil {
		return err
	}
	values[i.c.autoAt] = v
	if made := given == nil || given != v; !made || i.generated {
		return nil
	}
	i.generated = true
	n, _, err := types.Int64.Convert(ctx, v)
	i.first, _ = n.(int64)
	return err
}

// ended notes what LAST_INSERT_ID() is after the statement: triggers may have inserted rows meanwhile.
func (i *storedIter) ended(ctx *sql.Context) {
	if i.generated {
		ctx.GetLastQueryInfo().LastInsertId.Store(i.first)
	}
}

// numberLate takes the AUTO_INCREMENT values out of the source of an INSERT with BEFORE triggers, which see what is given, to make them behind these.
// names are the columns that are given something.
func numberLate(ctx *sql.Context, source sql.Node, c *conversion, names []string) (sql.Node, error) {
	switch n := source.(type) {
	case *plan.TriggerExecutor:
		left, err := numberLate(ctx, n.Left(), c, names)
		if err != nil {
			return nil, err
		}
		return n.WithChildren(ctx, left, n.Right())
	case *plan.Project:
		exprs := slices.Clone(n.Projections)
		for i, e := range exprs {
			if auto, ok := e.(*expression.AutoIncrement); ok && i < len(c.schema) {
				c.auto, c.autoAt, exprs[i] = auto, i, auto.Child
				column := c.schema[i]
				if c.autoOmitted = !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, column.Name) }); c.autoOmitted {
					exprs[i] = expression.NewLiteral(zero(column.Type), column.Type) // so the triggers see it
				}
			}
		}
		if c.auto == nil {
			return n, nil
		}
		child := n.Child
		if values, ok := child.(*plan.Values); ok && !c.autoOmitted {
			child = zeroDefaults(values, slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, c.schema[c.autoAt].Name) }), c.schema[c.autoAt].Type)
		}
		return plan.NewProject(ctx, exprs, child), nil
	}
	return source, nil
}

// zeroDefaults has zero in the place of DEFAULT, and of what is not written at all, in a column of VALUES: what a trigger sees of an AUTO_INCREMENT
// column. NULL stays NULL.
func zeroDefaults(n *plan.Values, at int, t sql.Type) sql.Node {
	if at < 0 {
		return n
	}
	tuples := slices.Clone(n.ExpressionTuples)
	for i, tuple := range tuples {
		if at < len(tuple) {
			if _, ok := tuple[at].(*expression.Wrapper); ok {
				tuples[i] = slices.Clone(tuple)
				tuples[i][at] = expression.NewLiteral(zero(t), t)
			}
		}
	}
	zeroed := *n
	zeroed.ExpressionTuples = tuples
	return &zeroed
}

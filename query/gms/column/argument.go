package column

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/types"
)

// Arguments finds what is known in MariaDB of expressions of one node of a bound plan.
type Arguments struct {
	t    tracer
	from sql.Node
}

// ArgumentsOf is for the expressions of a node.
func ArgumentsOf(c *sql.Context, n sql.Node) *Arguments {
	a := &Arguments{t: tracer{c: c}, from: n}
	switch n := n.(type) {
	case *plan.Project:
		a.from = n.Child
	case *plan.GroupBy:
		a.from = n.Child
	case *plan.Window:
		a.from = n.Child
	}
	return a
}

// Of is what is known of an expression; ok is false if values of it would not be known to be of the type.
func (a *Arguments) Of(e sql.Expression) (k Known, ok bool) {
	c := a.t.c
	col := &sql.Column{Name: e.String(), Type: e.Type(c), Nullable: e.IsNullable(c)}
	o := a.origin(e)
	k = known(c, col, o)
	// Of columns of JSON_TABLE and its like, that are traced to nothing, go-mysql-server does not know it.
	_, untraced := o.expr.(*expression.GetField)
	k.Type.Nullable = o.Facts == nil && (untraced || o.expr == nil) || k.Type.Nullable || col.Nullable || o.outer
	if _, json := col.Type.(gmstypes.JsonType); json && !untraced { // those of JSON_TABLE are texts
		k.Type.JSON = k.Type.Kind.IsString()
	}
	if k.Sure {
		return k, true
	}
	switch {
	case k.Type.Kind == types.Null && col.Type.Type() == 0:
		return k, false
	case k.Type.Kind.Temporal():
		digits := o.timeDigits()
		if k.Type.Kind != types.Time { // the type tells
			return k, true
		}
		return k, digits >= 0
	}
	return k, k.Type.Kind == types.Double || k.Type.Kind == types.Decimal
}

// Column is the type of a column of a table, by the name that it has in the node; ok is false for one that SQL of our own does not know.
func (a *Arguments) Column(table, name string) (t types.Type, ok bool) {
	o, found := a.t.find(a.from, "", table, name)
	if !found || o.Facts == nil {
		return t, false
	}
	return o.Facts.Values()
}

// Stored reports whether an expression is a column of a table.
func (a *Arguments) Stored(e sql.Expression) bool {
	_, field := e.(*expression.GetField)
	return field && a.origin(e).Facts != nil
}

func (a *Arguments) origin(e sql.Expression) Origin {
	if f, ok := e.(*expression.GetField); ok && f.Table() == "" {
		if below := aggregated(a.from, f.Id()); below != nil {
			return a.t.origin(below.e, below.from)
		}
	}
	return a.t.origin(e, a.from)
}

// made is an expression of a grouping, with what it reads.
type made struct {
	e    sql.Expression
	from sql.Node
}

// aggregated finds the expression of a grouping below that has a number.
func aggregated(n sql.Node, id sql.ColumnId) *made {
	for n != nil {
		if g, ok := n.(*plan.GroupBy); ok {
			for _, e := range g.SelectDeps {
				own, is := e.(sql.IdExpression)
				if is && own.Id() == id {
					return &made{e, g.Child}
				}
			}
			return nil
		}
		children := n.Children()
		if len(children) != 1 {
			return nil
		}
		n = children[0]
	}
	return nil
}

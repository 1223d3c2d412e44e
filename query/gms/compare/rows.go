package compare

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/hash"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Rows hashes rows so that those which are equal in SQL have one hash.
type Rows struct {
	hows []how // other where the value itself is hashed
	typ  []sql.Type
	row  sql.Row
}

// NewRows is for rows of a schema.
func NewRows(ctx *sql.Context, schema sql.Schema) (*Rows, error) {
	r := &Rows{row: make(sql.Row, len(schema))}
	for _, col := range schema {
		if err := r.add(ctx, col.Type, nil); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// NewValues is for the values of expressions.
func NewValues(ctx *sql.Context, list []sql.Expression) (*Rows, error) {
	r := &Rows{row: make(sql.Row, len(list))}
	for _, e := range list {
		if err := r.add(ctx, e.Type(ctx), e); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Rows) add(ctx *sql.Context, t sql.Type, e sql.Expression) error {
	h := how{}
	if kindOf(t) == text {
		var err error
		if h, _, err = ofType(ctx, t, e); err != nil {
			return err
		}
	}
	r.hows, r.typ = append(r.hows, h), append(r.typ, t)
	return nil
}

// Hash is the hash of a row. In a subquery the columns of the outer query stand before it, which are the same for all its rows.
func (r *Rows) Hash(ctx *sql.Context, row sql.Row) (uint64, error) {
	for i, v := range row[len(row)-len(r.row):] {
		if v != nil && r.hows[i].kind == text {
			k, err := r.hows[i].append(ctx, nil, v, r.typ[i])
			if err != nil {
				return 0, err
			}
			v = string(k)
		}
		r.row[i] = v
	}
	return hash.HashOf(ctx, nil, r.row)
}

// NewSetRows is for the rows of a set operation.
func NewSetRows(ctx *sql.Context, n *plan.SetOp) (*Rows, error) {
	schema := slices.Clone(n.Schema(ctx))
	for i, col := range n.Left().Schema(ctx) {
		if kindOf(col.Type) == text && !constantColumn(ctx, n.Left(), i) {
			schema[i] = col
		} else if r := n.Right().Schema(ctx)[i]; kindOf(r.Type) == text {
			schema[i] = r
		}
	}
	return NewRows(ctx, schema)
}

// constantColumn reports whether a query says a column as a constant.
func constantColumn(ctx *sql.Context, n sql.Node, at int) bool {
	_, is := column(ctx, n, at)
	return is
}

// column is a column of a query of a set operation, without what go-mysql-server does to bring its type to that of the others.
func column(ctx *sql.Context, n sql.Node, at int) (t sql.Type, isConstant bool) {
	p, ok := n.(*plan.Project)
	if !ok {
		if set, ok := n.(*plan.SetOp); ok {
			l, lc := column(ctx, set.Left(), at)
			_, rc := column(ctx, set.Right(), at)
			return l, lc && rc
		}
		if children := n.Children(); len(children) == 1 && ofQuery(n) {
			return column(ctx, children[0], at)
		}
		return n.Schema(ctx)[at].Type, false
	}
	if converts(p) {
		return column(ctx, p.Child, at)
	}
	return p.Projections[at].Type(ctx), constant(ctx, p.Projections[at])
}

// ofQuery reports whether a node passes on the columns of the query that it ends.
func ofQuery(n sql.Node) bool {
	switch n.(type) {
	case *plan.Distinct, *plan.OrderedDistinct, *plan.Sort, *plan.TopN, *plan.Limit, *plan.Offset, *plan.Having:
		return true
	}
	return false
}

// converts reports whether a projection is one that go-mysql-server has put above a query of a set operation.
func converts(p *plan.Project) bool {
	switch n := p.Child.(type) {
	case *plan.Project, *plan.GroupBy, *plan.Window, *plan.SetOp:
	default:
		if !ofQuery(n) {
			return false
		}
	}
	some := false
	for _, e := range p.Projections {
		if alias, ok := e.(*expression.Alias); ok {
			e = alias.Child
			some = true
			switch c := e.(type) {
			case *asText:
				return false
			case *expression.Convert:
				e = c.Child
				if _, ok := e.(*expression.GetField); !ok && len(e.Children()) == 1 {
					e = e.Children()[0] // its text
				}
			}
		}
		if _, ok := e.(*expression.GetField); !ok {
			return false
		}
	}
	return some
}

// checkSet refuses a set operation of columns that MariaDB would give another type than both have.
func checkSet(ctx *sql.Context, n *plan.SetOp) error {
	l, r := n.Left().Schema(ctx), n.Right().Schema(ctx)
	if len(l) != len(r) {
		return nil // error 1222
	}
	for i := range l {
		a, ac := column(ctx, n.Left(), i)
		b, bc := column(ctx, n.Right(), i)
		x, y := kindOf(a), kindOf(b)
		switch {
		case x == null || y == null, x == y && a.Equals(b) && x != text, x == whole && y == whole && (types.IsUnsigned(a) == types.IsUnsigned(b) || a != types.Uint64 && b != types.Uint64):
		case x.textual() && y.textual() && (x != y || x == text):
			c, d := collationOf(a), collationOf(b)
			if c != d && !ac && !bc {
				return mysqlerr.NotYet("a set operation of texts in " + c + " and " + d + "; say COLLATE or CONVERT(... USING ...)")
			}
		case x == binary && y == binary, x == text && alikeAsText(y), y == text && alikeAsText(x):
		default:
			return mysqlerr.NotYet("a set operation whose column " + l[i].Name + " is of types " + a.String() + " and " + b.String() + "; CAST one to the type of the other")
		}
	}
	return nil
}

// alikeAsText reports whether values become the texts that MariaDB makes of them.
func alikeAsText(k kind) bool { return k == whole || k == exact }

func collationOf(t sql.Type) string {
	if c, ok := t.(sql.TypeWithCollation); ok {
		if own := own(c.Collation()); own != nil {
			return own.Name()
		}
	}
	return ""
}

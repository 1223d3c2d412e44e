package setop

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/computed"
	"github.com/duramendb/duramen/query/types"
)

// unit is a set operation with all its queries.
type unit struct {
	queries []sql.Node
	known   [][]column.Known // of each query the columns
	types   []types.Type     // of the result's columns
	own     []sql.Type       // as go-mysql-server has them
	ids     []sql.ColumnId   // of the first query's columns
}

// unit settles the types of a set operation's columns. One with a column of which is not known what MariaDB makes of it stays as it is.
func (s *settler) unit(ctx *sql.Context, n *plan.SetOp) (out sql.Node, changed bool, err error) {
	u := &unit{}
	if err := s.collect(ctx, n, u); err != nil {
		return nil, false, err
	}
	width := len(u.queries[0].Schema(ctx))
	settled := true
	for _, q := range u.queries {
		if len(q.Schema(ctx)) != width {
			return n, false, nil // error 1222
		}
		known := column.KnownOf(ctx, q)
		settled = settled && len(known) == width && !slices.ContainsFunc(known, func(k column.Known) bool { return !k.Sure })
		u.known = append(u.known, known)
	}
	u.ids = idsOf(ctx, u.queries[0])
	settled = settled && !slices.ContainsFunc(u.queries, func(q sql.Node) bool { return ambiguous(ctx, q) })
	if !settled || len(u.ids) != width {
		return s.childOf(ctx, n)
	}
	for i := range width {
		t, err := u.merged(ctx, i)
		if err != nil {
			return nil, false, err
		}
		own, err := computed.Type(t)
		if err != nil {
			return nil, false, err
		}
		u.types, u.own = append(u.types, t), append(u.own, own)
	}
	out, err = u.rebuilt(ctx, s, n)
	return out, true, err
}

// ambiguous reports whether columns of a query would not be found any more if they were converted.
func ambiguous(ctx *sql.Context, q sql.Node) bool {
	for {
		switch n := q.(type) {
		case *plan.Project:
			return slices.ContainsFunc(n.Projections, func(e sql.Expression) bool { // an alias of an outer query
				f, ok := e.(*expression.GetField)
				return ok && f.TableId() == 0 && !produces(ctx, n.Child, f.Id())
			})
		case *plan.Limit, *plan.Offset:
			q = n.Children()[0]
			continue
		}
		break
	}
	ids, names := idsOf(ctx, q), map[string]bool{}
	for i, col := range q.Schema(ctx) {
		if i < len(ids) && ids[i] != 0 {
			continue
		}
		name := strings.ToLower(col.Name)
		if names[name] {
			return true
		}
		names[name] = true
	}
	return false
}

// childOf is node for a set operation that stays as it is, and what is in it.
func (s *settler) childOf(ctx *sql.Context, n sql.Node) (sql.Node, bool, error) {
	if set, ok := n.(*plan.SetOp); ok {
		children, changed := slices.Clone(set.Children()), false
		for i, child := range children {
			own, is, err := s.childOf(ctx, child)
			if err != nil {
				return nil, false, err
			}
			children[i], changed = own, changed || is
		}
		if !changed {
			return n, false, nil
		}
		out, err := set.WithChildren(ctx, children...)
		return out, true, err
	}
	return s.node(ctx, n)
}

// collect finds the queries of a set operation, from left to right, and settles what is in them.
func (s *settler) collect(ctx *sql.Context, n *plan.SetOp, u *unit) error {
	for i, child := range n.Children() {
		child = unconverted(ctx, child)
		if set, ok := child.(*plan.SetOp); ok && i == 0 {
			if err := s.collect(ctx, set, u); err != nil {
				return err
			}
			continue
		}
		child, _, err := s.node(ctx, child)
		if err != nil {
			return err
		}
		u.queries = append(u.queries, child)
	}
	return nil
}

// rebuilt is a set operation whose queries are converted.
func (u *unit) rebuilt(ctx *sql.Context, s *settler, n *plan.SetOp) (sql.Node, error) {
	next := 0
	var build func(n *plan.SetOp) (sql.Node, error)
	build = func(n *plan.SetOp) (sql.Node, error) {
		var sides [2]sql.Node
		for i, child := range n.Children() {
			if set, ok := unconverted(ctx, child).(*plan.SetOp); ok && i == 0 {
				own, err := build(set)
				if err != nil {
					return nil, err
				}
				sides[i] = own
				continue
			}
			own, err := u.converted(ctx, next, u.queries[next])
			if err != nil {
				return nil, err
			}
			sides[i] = own
			next++
		}
		for i, id := range u.ids {
			s.retype(id, u.own[i])
		}
		out := plan.NewSetOp(n.SetOpType, sides[0], sides[1], n.Distinct, n.Limit, n.Offset, n.SortFields).WithId(n.Id()).WithColumns(n.Columns())
		own, _, err := s.exprs(ctx, out)
		return own, err
	}
	return build(n)
}

// converted is a query with its columns in the types of the set operation. The first one says of all its columns what these are.
// They are converted in a projection above the query, below which indexes are found. It finds columns by their names that have no numbers: where two have
// the same name they are converted in the list of the query itself.
func (u *unit) converted(ctx *sql.Context, at int, q sql.Node) (sql.Node, error) {
	if len(namesOnce(ctx, q)) == len(q.Schema(ctx)) {
		return u.above(ctx, at, q), nil
	}
	switch n := q.(type) {
	case *plan.Project:
		list, some := make([]sql.Expression, len(n.Projections)), false
		for i, e := range n.Projections {
			id := sql.ColumnId(0)
			if own, ok := e.(sql.IdExpression); ok {
				id = own.Id()
			}
			value := e
			switch e := e.(type) {
			case *expression.Alias:
				value = e.Child
			case *expression.GetField:
				if !produces(ctx, n.Child, id) {
					id = 0 // a column of an outer query, whose number this one does not have
				}
			}
			if list[i] = e; u.needs(ctx, at, i, value.Type(ctx)) {
				list[i], some = u.column(ctx, at, i, value, id), true
			}
		}
		if !some {
			return q, nil
		}
		return plan.NewProject(ctx, list, n.Child), nil
	case *plan.Limit, *plan.Offset:
		child, err := u.converted(ctx, at, q.Children()[0])
		if err != nil {
			return nil, err
		}
		return q.WithChildren(ctx, child)
	}
	return u.above(ctx, at, q), nil
}

// produces reports whether a column comes from a table or a list of expressions below.
func produces(ctx *sql.Context, n sql.Node, id sql.ColumnId) bool {
	found := false
	transform.InspectUp(ctx, n, func(_ *sql.Context, n sql.Node) bool {
		if t, ok := n.(plan.TableIdNode); ok {
			found = found || t.Columns().Contains(id)
		}
		if p, ok := n.(sql.Projector); ok {
			for _, e := range p.ProjectedExprs() {
				own, is := e.(sql.IdExpression)
				_, field := e.(*expression.GetField)
				found = found || is && !field && own.Id() == id
			}
		}
		return found
	})
	return found
}

// above converts what a query yields.
func (u *unit) above(ctx *sql.Context, at int, q sql.Node) sql.Node {
	schema, ids := q.Schema(ctx), idsOf(ctx, q)
	list := make([]sql.Expression, len(schema))
	for i, col := range schema {
		id := sql.ColumnId(0)
		if i < len(ids) {
			id = ids[i]
		}
		f := field(id, 0, col.Type, col.DatabaseSource, col.Source, col.Name, col.Nullable)
		if list[i] = f; u.needs(ctx, at, i, col.Type) {
			list[i] = u.column(ctx, at, i, f, id)
		}
	}
	return plan.NewProject(ctx, list, q)
}

// needs reports whether a column is to be converted.
func (u *unit) needs(ctx *sql.Context, at, i int, t sql.Type) bool {
	return at == 0 || !t.Equals(u.own[i]) || u.known[at][i].Type.Collation != u.types[i].Collation
}

func (u *unit) column(ctx *sql.Context, at, i int, value sql.Expression, id sql.ColumnId) sql.Expression {
	name := u.queries[at].Schema(ctx)[i].Name
	if c, ok := value.(*converted); ok && c.to == u.types[i] {
		return expression.NewAlias(ctx, name, c).WithId(id).(sql.Expression)
	}
	c := &converted{UnaryExpressionStub: expression.UnaryExpressionStub{Child: value}, from: u.known[at][i].Type, to: u.types[i], own: u.own[i]}
	return expression.NewAlias(ctx, name, c).WithId(id).(sql.Expression)
}

// unconverted is a query without the projection that go-mysql-server puts above it to convert its columns.
func unconverted(ctx *sql.Context, n sql.Node) sql.Node {
	p, ok := n.(*plan.Project)
	if !ok {
		return n
	}
	below := p.Child.Schema(ctx)
	if len(below) != len(p.Projections) {
		return n
	}
	some := false
	for i, e := range p.Projections {
		name := ""
		if alias, ok := e.(*expression.Alias); ok {
			e, name, some = alias.Child, alias.Name(), true
			switch c := e.(type) {
			case *expression.GetField: // of the type already
			case *converted:
				e = c.Child
			case *expression.Convert:
				e = c.Child
				if _, ok := e.(*expression.GetField); !ok && len(e.Children()) == 1 {
					e = e.Children()[0] // its text
				}
			default:
				return n
			}
		}
		f, ok := e.(*expression.GetField)
		if !ok || !strings.EqualFold(f.Name(), below[i].Name) || name != "" && !strings.EqualFold(name, f.Name()) {
			return n
		}
	}
	if !some {
		return n
	}
	return p.Child
}

// idsOf are the numbers of a query's columns.
func idsOf(ctx *sql.Context, n sql.Node) (ids []sql.ColumnId) {
	switch n := n.(type) {
	case *plan.Project:
		for _, e := range n.Projections {
			id := sql.ColumnId(0)
			if own, ok := e.(sql.IdExpression); ok {
				id = own.Id()
			}
			ids = append(ids, id)
		}
		return ids
	case *plan.SetOp:
		return idsOf(ctx, n.Left())
	case plan.TableIdNode:
		table, ok := n.(sql.TableNode)
		if ok {
			keyed, ok := table.UnderlyingTable().(sql.PrimaryKeyTable)
			if ok && len(keyed.PrimaryKeySchema(ctx).Schema) != len(n.Schema(ctx)) {
				first, _ := n.Columns().Next(1)
				for _, col := range n.Schema(ctx) {
					ids = append(ids, first+sql.ColumnId(keyed.PrimaryKeySchema(ctx).IndexOfColName(col.Name)))
				}
				return ids
			}
		}
		n.Columns().ForEach(func(id sql.ColumnId) { ids = append(ids, id) })
		return ids
	}
	if children := n.Children(); len(children) > 0 {
		return idsOf(ctx, children[0])
	}
	return nil
}

// namesOnce are the names of a query's columns.
func namesOnce(ctx *sql.Context, q sql.Node) map[string]bool {
	names := map[string]bool{}
	for _, col := range q.Schema(ctx) {
		names[strings.ToLower(col.Name)] = true
	}
	return names
}

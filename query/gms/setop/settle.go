package setop

import (
	"math"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/computed"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// settledID is the id of a rule that is none of go-mysql-server's: its selectors run what they do not know.
const settledID analyzer.RuleId = math.MaxUint16 - 3

// rule settles the types of set operations, and who computes expressions, in plans that are bound late.
var rule = analyzer.Rule{Id: settledID, Apply: func(
	ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, scope *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags,
) (sql.Node, transform.TreeIdentity, error) {
	defer column.InScope(ctx, scope)()
	out, changed, err := (&settler{}).node(ctx, n)
	return out, transform.TreeIdentity(!changed), err
}}

func init() { // statements that have few rules of their own begin with these
	analyzer.AlwaysBeforeDefault = append([]analyzer.Rule{rule}, analyzer.AlwaysBeforeDefault...)
}

// Install makes an analyzer settle plans that are bound late.
func Install(a *analyzer.Analyzer) {
	first := a.Batches[0]
	first.Rules = append([]analyzer.Rule{rule}, first.Rules...)
}

// Settle settles the types of all set operations of a plan that was just bound.
func Settle(ctx *sql.Context, n sql.Node) (sql.Node, error) {
	out, _, err := (&settler{}).node(ctx, n)
	return out, err
}

// settler goes over a plan, queries before what reads them.
type settler struct {
	retyped map[sql.ColumnId]sql.Type // columns that have another type than what reads them believes
	// nullable are columns of which what reads them believes the contrary.
	nullable map[sql.ColumnId]bool
	// computes: an expression has another type than what reads it believes.
	computes bool
}

func (s *settler) retype(id sql.ColumnId, t sql.Type) {
	if s.retyped == nil {
		s.retyped = map[sql.ColumnId]sql.Type{}
	}
	if id != 0 {
		s.retyped[id] = t
	}
}

func (s *settler) renull(id sql.ColumnId, nullable bool) {
	if s.nullable == nil {
		s.nullable = map[sql.ColumnId]bool{}
	}
	if id != 0 {
		s.nullable[id] = nullable
	}
}

func (s *settler) node(ctx *sql.Context, n sql.Node) (out sql.Node, changed bool, err error) {
	if set, ok := n.(*plan.SetOp); ok {
		return s.unit(ctx, set)
	}
	if cte, ok := n.(*plan.RecursiveCte); ok {
		n, changed = s.recursive(ctx, cte)
	}
	children := n.Children()
	for i, child := range children {
		own, is, err := s.node(ctx, child)
		if err != nil {
			return nil, false, err
		}
		if is {
			children = slices.Clone(children)
			children[i], changed = own, true
		}
	}
	if derived, ok := n.(*plan.SubqueryAlias); ok {
		if err := uniqueNames(derived.Schema(ctx)); err != nil {
			return nil, false, err
		}
	}
	if changed {
		before, derived := n.(*plan.SubqueryAlias)
		if n, err = n.WithChildren(ctx, children...); err != nil {
			return nil, false, err
		}
		if derived {
			s.retypeDerived(ctx, before, n)
		}
	}
	switch n.(type) {
	case *plan.CreateTable, *plan.CreateView, *plan.CreateTrigger, *plan.CreateProcedure, *plan.CreateEvent: // expressions that are kept as text
		return n, changed, nil
	}
	n, is, err := s.exprs(ctx, n)
	if err != nil {
		return nil, false, err
	}
	if over, ok := n.(*plan.Window); ok {
		typed, some, err := s.windows(ctx, over)
		return typed, changed || is || some, err
	}
	return n, changed || is, nil
}

// windows gives functions over windows their types; changed is false if all have them.
func (s *settler) windows(ctx *sql.Context, n *plan.Window) (out sql.Node, changed bool, err error) {
	args := column.ArgumentsOf(ctx, n)
	own := slices.Clone(n.SelectExprs)
	for i, e := range own {
		f, err := computed.SettledWindow(ctx, args, e)
		if err != nil {
			return nil, false, err
		}
		w, ok := f.(*computed.Window)
		if !ok || f == e {
			continue
		}
		own[i], changed = w, true
		s.retype(w.Id(), w.Type(ctx))
		s.renull(w.Id(), w.IsNullable(ctx))
	}
	if !changed {
		return n, false, nil
	}
	return plan.NewWindow(own, n.Child), true, nil
}

func (s *settler) exprs(ctx *sql.Context, n sql.Node) (out sql.Node, changed bool, err error) {
	args := column.ArgumentsOf(ctx, n)
	out, same, err := transform.OneNodeExprsWithNode(ctx, n, func(ctx *sql.Context, _ sql.Node, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if own, ok := e.(*computed.Expr); ok && !own.Known() {
			settled, err := own.Settled(ctx, args)
			if err == nil && !settled.Type(ctx).Equals(own.Type(ctx)) {
				s.computes = true
			}
			return settled, transform.NewTree, err
		}
		return s.expr(ctx, e)
	})
	return out, !bool(same), err
}

// uniqueNames is error 1060 for columns of a derived table of which two have the same name.
func uniqueNames(schema sql.Schema) error {
	seen := map[string]bool{}
	for _, col := range schema {
		name := strings.ToLower(col.Name)
		if seen[name] {
			return mysqlerr.New(mysqlerr.DupFieldName, col.Name)
		}
		seen[name] = true
	}
	return nil
}

func (s *settler) retypeDerived(ctx *sql.Context, before *plan.SubqueryAlias, after sql.Node) {
	old, schema, at := before.Schema(ctx), after.Schema(ctx), 0
	before.Columns().ForEach(func(id sql.ColumnId) {
		if at < len(schema) && !schema[at].Type.Equals(old[at].Type) {
			s.retype(id, schema[at].Type)
		}
		if at < len(schema) && len(s.nullable) > 0 && schema[at].Nullable != old[at].Nullable {
			s.renull(id, schema[at].Nullable)
		}
		at++
	})
}

// expr is about one expression, whose children were here before.
func (s *settler) expr(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *plan.Subquery:
		query, changed, err := s.node(ctx, e.Query)
		if err != nil || !changed {
			return e, transform.SameTree, err
		}
		return e.WithQuery(query), transform.NewTree, nil
	case *expression.GetField:
		t, other := s.retyped[e.Id()]
		if other = other && !t.Equals(e.Type(ctx)); !other {
			t = e.Type(ctx)
		}
		nullable, ok := s.nullable[e.Id()]
		if !ok {
			nullable = e.IsNullable(ctx)
		}
		if !other && nullable == e.IsNullable(ctx) {
			return e, transform.SameTree, nil
		}
		return field(e.Id(), e.TableId(), t, e.Database(), e.Table(), e.Name(), nullable), transform.NewTree, nil
	case sql.IdExpression:
		if (s.computes || len(s.retyped) > 0) && e.Resolved() {
			s.retype(e.Id(), e.Type(ctx))
		}
		if len(s.nullable) > 0 && e.Resolved() {
			s.renull(e.Id(), e.IsNullable(ctx))
		}
	}
	return e, transform.SameTree, nil
}

func field(id sql.ColumnId, table sql.TableId, t sql.Type, db, source, name string, nullable bool) sql.Expression {
	return expression.NewGetFieldWithTable(int(id), int(table), t, db, source, name, nullable)
}

// recursive gives the DATE columns of the first query to a recursive common table expression: go-mysql-server has made DATETIMEs of them.
func (s *settler) recursive(ctx *sql.Context, n *plan.RecursiveCte) (out sql.Node, changed bool) {
	first, schema, at := n.Left().Schema(ctx), slices.Clone(n.Schema(ctx)), 0
	n.Columns().ForEach(func(id sql.ColumnId) {
		if at < len(first) && at < len(schema) && gmstypes.IsDateType(first[at].Type) && !schema[at].Type.Equals(first[at].Type) {
			col := *schema[at]
			col.Type, changed = first[at].Type, true
			schema[at] = &col
			s.retype(id, col.Type)
		}
		at++
	})
	if !changed {
		return n, false
	}
	return n.WithSchema(schema), true
}

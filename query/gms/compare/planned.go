package compare

import (
	"math"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Ids of rules that are none of go-mysql-server's: its selectors run what they do not know.
const (
	boundID   analyzer.RuleId = math.MaxUint16 - 1
	plannedID analyzer.RuleId = math.MaxUint16 - 2
)

// Install makes an analyzer give keys, to plans that are bound late, too.
func Install(a *analyzer.Analyzer) {
	first, last := a.Batches[0], a.Batches[len(a.Batches)-1]
	apply := func(s stage) analyzer.RuleFunc {
		return func(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
			return transform.NodeWithOpaque(ctx, n, s.node)
		}
	}
	first.Rules = append([]analyzer.Rule{{Id: boundID, Apply: apply(stage{})}}, first.Rules...)
	for _, b := range a.Batches {
		b.Rules = slices.Clone(b.Rules)
		for i, r := range b.Rules {
			switch r.Id.String() {
			case "validateOperands":
				b.Rules[i].Apply = withoutRows(r.Apply)
			case "pushFilters", "pushdownSubqueryAliasFilters":
				b.Rules[i].Apply = keepingAbove(r.Apply)
			}
		}
	}
	last.Rules = append(slices.Clip(last.Rules), analyzer.Rule{Id: plannedID, Apply: apply(stage{planned: true})})
}

// withoutRows validates a plan without what this package has made of IN with rows, which has other operands than any expression
// that the rule knows.
func withoutRows(validate analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, f *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		plain, same, err := transform.NodeExprsWithOpaque(ctx, n, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			if in, ok := e.(*inSubquery); ok && len(in.list) > 1 {
				return expression.NewLiteral(true, types.Boolean), transform.NewTree, nil
			}
			return e, transform.SameTree, nil
		})
		if err != nil {
			return n, transform.SameTree, err
		}
		if same {
			return validate(ctx, a, n, scope, sel, f)
		}
		_, _, err = validate(ctx, a, plain, scope, sel, f)
		return n, transform.SameTree, err
	}
}

// plannedNode is node for a plan.
func (s stage) plannedNode(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	switch n := n.(type) {
	case *plan.IndexedTableAccess:
		return n, transform.SameTree, nil // entries of indexes are right
	case *plan.HashLookup:
		return s.hashLookup(ctx, n)
	case *plan.Sort:
		own := *n
		fields, changed, err := sorted(ctx, n.SortFields)
		if err != nil || !changed {
			return n, transform.SameTree, err
		}
		own.SortFields = fields
		return &own, transform.NewTree, nil
	case *plan.TopN:
		own := *n
		fields, changed, err := sorted(ctx, n.Fields)
		if err != nil || !changed {
			return n, transform.SameTree, err
		}
		own.Fields = fields
		return &own, transform.NewTree, nil
	case *plan.SetOp:
		own := *n
		fields, changed, err := sorted(ctx, n.SortFields)
		if err != nil || !changed {
			return n, transform.SameTree, err
		}
		own.SortFields = fields
		return &own, transform.NewTree, nil
	}
	return s.exprs(ctx, n)
}

// sorted are sort fields that order texts as their collations do.
func sorted(ctx *sql.Context, fields sql.SortFields) (out sql.SortFields, changed bool, err error) {
	for i, f := range fields {
		h, ok, err := sortable(ctx, f.Column)
		if err != nil {
			return nil, false, err
		}
		if !ok {
			continue
		}
		if !changed {
			out, changed = slices.Clone(fields), true
		}
		out[i].Column = keyOf(f.Column, h)
	}
	return out, changed, nil
}

// sortable is how texts are sorted; members of ENUM and SET are sorted by their numbers.
func sortable(ctx *sql.Context, e sql.Expression) (how, bool, error) {
	if !e.Resolved() {
		return how{}, false, nil
	}
	if k := kindOf(e.Type(ctx)); k != text && k != address {
		return how{}, false, nil
	}
	return single(ctx, e)
}

func (s stage) hashLookup(ctx *sql.Context, n *plan.HashLookup) (sql.Node, transform.TreeIdentity, error) {
	entry, probe := n.RightEntryKey, n.LeftProbeKey
	entries, ok1 := entry.(expression.Tuple)
	probes, ok2 := probe.(expression.Tuple)
	if ok1 && ok2 && len(entries) == len(probes) {
		l, r, err := s.tuples(ctx, entries, probes, true)
		if err != nil || l == nil {
			return n, transform.SameTree, err
		}
		entry, probe = l, r
	} else {
		a, err := agree(ctx, entry, probe)
		if err != nil || s.keep(a, true) {
			return n, transform.SameTree, err
		}
		entry, probe = keyOf(entry, a.how), keyOf(probe, a.how)
	}
	return plan.NewHashLookup(ctx, n.Child, entry, probe, n.JoinType), transform.NewTree, nil
}

// aggregate gives keys to what is counted, and to partitions and orders of windows.
func (s stage) aggregate(ctx *sql.Context, e sql.Expression) (sql.Expression, error) {
	if c, ok := e.(*aggregation.CountDistinct); ok && !s.planned {
		return s.counted(ctx, c)
	}
	if f, ok := e.(sql.WindowAdaptableExpression); ok && s.planned && f.Window() != nil {
		return s.window(ctx, f)
	}
	return nil, nil
}

func (s stage) counted(ctx *sql.Context, c *aggregation.CountDistinct) (sql.Expression, error) {
	children := c.Children()
	if len(children) == 1 {
		if k := kindOf(children[0].Type(ctx)); k == binary || k == address {
			return nil, nil
		}
		if _, ok, err := single(ctx, children[0]); err != nil || !ok {
			return nil, err
		}
	}
	return s.countedRows(ctx, c)
}

// withID gives an expression the number of the column that it computes.
func withID(e sql.Expression, of sql.IdExpression) sql.Expression {
	if own, ok := e.(sql.IdExpression); ok {
		return own.WithId(of.Id())
	}
	return e
}

func (s stage) window(ctx *sql.Context, f sql.WindowAdaptableExpression) (sql.Expression, error) {
	def := *f.Window()
	fields, changed, err := sorted(ctx, def.OrderBy)
	if err != nil {
		return nil, err
	}
	if changed {
		def.OrderBy = fields
	}
	by := slices.Clone(def.PartitionBy)
	for i, e := range by {
		h, ok, err := single(ctx, e)
		if err != nil {
			return nil, err
		}
		if ok {
			by[i], changed = keyOf(e, h), true
		}
	}
	if !changed {
		return nil, nil
	}
	def.PartitionBy = by
	return withID(f.WithWindow(ctx, &def), f), nil
}

// SortKey is an expression by which rows are sorted: bytes in the order of its collation, of a text; itself, of others.
func SortKey(ctx *sql.Context, e sql.Expression) (sql.Expression, error) {
	h, ok, err := sortable(ctx, e)
	if err != nil || !ok {
		return e, err
	}
	return keyOf(e, h), nil
}

// TextKey makes the bytes by which texts of an expression are compared; ok is false for what is no text.
func TextKey(ctx *sql.Context, e sql.Expression) (_ func(ctx *sql.Context, v any) ([]byte, error), ok bool, err error) {
	if !e.Resolved() || kindOf(e.Type(ctx)) != text {
		return nil, false, nil
	}
	h, ok, err := single(ctx, e)
	if err != nil || !ok {
		return nil, false, err
	}
	t := e.Type(ctx)
	return func(ctx *sql.Context, v any) ([]byte, error) { return h.append(ctx, nil, v, t) }, true, nil
}

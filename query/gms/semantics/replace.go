package semantics

import (
	"cmp"
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// ruleID is none of go-mysql-server's. Its selectors leave out the ids that they
// know, and run the others.
const ruleID analyzer.RuleId = math.MaxUint16

// Install makes an analyzer use this package. The builder that it returns is to be asked before
// go-mysql-server's.
func Install(a *analyzer.Analyzer) sql.NodeExecBuilder {
	for i, batch := range a.Batches {
		rules := make([]analyzer.Rule, 0, len(batch.Rules)+1)
		if i == 0 {
			rules = append(rules, analyzer.Rule{Id: ruleID, Apply: rule})
		}
		for _, r := range batch.Rules {
			// replaceAgg makes a sorted scan of MAX(pk), which yields no row where MAX
			// is NULL. Package query reads the ends of indexes instead.
			switch r.Id.String() {
			case "replaceAgg":
				continue
			case "replaceIdxSort":
				r.Apply = keepSortOfLimited(r.Apply)
			}
			rules = append(rules, r)
		}
		batch.Rules = rules
	}
	return &builder{base: a.ExecBuilder, catalog: a.Catalog}
}

// Replace is the rule for a plan that was just bound: go-mysql-server analyses some
// plans by rules of its own, in which rule has no place.
func Replace(ctx *sql.Context, n sql.Node) (sql.Node, error) {
	n, _, err := transform.NodeWithOpaque(ctx, n, newReplacer(ctx, n).node)
	return n, err
}

func rule(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(ctx, n, newReplacer(ctx, n).node)
}

// replacer replaces expressions.
type replacer struct {
	// signed are the columns of derived tables that are literals, by table and name.
	signed map[[2]string]bool
	// floats are the FLOAT columns of tables; nil where there is no MATCH. See ofMatch.
	floats map[[2]string]bool
	// decimals are the declared digits of columns.
	decimals decimals
	// documents are the types of aggregate functions that make JSON, by number.
	documents map[sql.ColumnId]sql.Type
	// truths are the columns of derived tables that are conditions, by table and name.
	truths map[[2]string]bool
}

// node replaces expressions of one node, without its children.
func (r replacer) node(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	if t, ok := n.(*plan.ResolvedTable); ok {
		return n, transform.SameTree, r.virtual(ctx, t)
	}
	if d, ok := n.(*plan.SubqueryAlias); ok && d.Resolved() {
		r.noteDocuments(ctx, d)
	}
	definedJSON(n)
	if !readsRows(n) {
		return n, transform.SameTree, nil
	}
	if own := limitOfNull(n); own != nil {
		return own, transform.NewTree, nil
	}
	same := transform.SameTree
	n, sameFilter, err := addPrefixRange(ctx, n)
	if err != nil {
		return nil, same, err
	}
	n, sameExprs, err := transform.OneNodeExprsWithNode(ctx, n, func(ctx *sql.Context, _ sql.Node, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		return r.expr(ctx, e)
	})
	return n, sameFilter && sameExprs, err
}

// Expression gives an expression outside of a plan, such as that of a generated column, MariaDB's meaning.
func Expression(ctx *sql.Context, e sql.Expression) (sql.Expression, error) {
	e, _, err := transform.Expr(ctx, e, newReplacerOfExpression().expr)
	return e, err
}

// readsRows leaves out definitions: their expressions are kept as text.
func readsRows(n sql.Node) bool {
	switch n.(type) {
	case *plan.CreateTable, *plan.CreateView, *plan.CreateTrigger, *plan.CreateProcedure, *plan.AlterDefaultSet,
		*plan.AddColumn, *plan.ModifyColumn, *plan.CreateCheck, *plan.CreateEvent, *plan.AlterIndex:
		return false
	}
	return true
}

// virtual replaces the expressions of a table's virtual columns. The
// table was made for this statement, so it may be written to.
func (r replacer) virtual(ctx *sql.Context, t *plan.ResolvedTable) error {
	v, ok := plan.FindVirtualColumnTable(t.Table)
	if !ok {
		return nil
	}
	for i, e := range v.Projections {
		own, same, err := transform.Expr(ctx, e, r.expr)
		if err != nil {
			return err
		}
		if !same {
			v.Projections[i] = own
		}
	}
	return nil
}

// expr gives the expression to take for e, whose children are replaced already.
func (r replacer) expr(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	scale, scaled := scaleOf(ctx, e)
	out, same, err := r.meant(ctx, e)
	switch {
	case err != nil:
		return nil, same, err
	case scaled:
		return withScale(out, scale), transform.NewTree, nil
	}
	return out, same, nil
}

// meant is expr but for the digits and the members of values.
func (r replacer) meant(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	var own sql.Expression
	if e, err := r.json(ctx, e); e != nil || err != nil {
		return e, transform.NewTree, err
	}
	texts, err := r.withTexts(ctx, e)
	if err != nil {
		return nil, transform.SameTree, err
	}
	if texts != nil {
		e, own = texts, texts
	}
	if f, ok := e.(sql.FunctionExpression); ok {
		shift, err := newTimeShift(ctx, f)
		if err != nil {
			return nil, transform.SameTree, err
		}
		if shift != nil {
			return shift, transform.NewTree, nil
		}
		guarded, err := withMoments(ctx, f)
		if err != nil {
			return nil, transform.SameTree, err
		}
		if guarded != nil {
			e, own = guarded, guarded
		}
	}
	if err := refused(ctx, r, e); err != nil {
		return nil, transform.SameTree, err
	}
	switch e := e.(type) {
	case *expression.Literal:
		own = signedLiteral(ctx, e)
	case *expression.IsNull:
		own = newNullDate(ctx, e)
	case *expression.Convert:
		operand, err := newCastOperand(ctx, e)
		if err != nil {
			return nil, transform.SameTree, err
		}
		if operand != nil {
			own = operand
		}
	case *function.DateFormat:
		own = &yearFormat{e}
	case *expression.GetField:
		if own = r.signedColumn(ctx, e); own == nil {
			own = r.ofMatch(ctx, e)
		}
	case *expression.UnaryMinus:
		if own, err = r.withNumbers(ctx, e); own != nil || err != nil {
			return own, transform.NewTree, err
		}
		own = newNegation(ctx, e)
	case *expression.Arithmetic:
		numbers, err := r.withNumbers(ctx, e)
		if err != nil {
			return nil, transform.SameTree, err
		}
		if a, ok := numbers.(*expression.Arithmetic); ok {
			e, own = a, a
			if checked := newArithmetic(ctx, a); checked != nil {
				own = checked
			}
			return own, transform.NewTree, nil
		}
		if own = newArithmetic(ctx, e); own != nil {
			if f, ok := own.(sql.FunctionExpression); ok {
				shift, err := newTimeShift(ctx, f)
				if err != nil {
					return nil, transform.SameTree, err
				}
				if shift != nil {
					own = shift
				}
			}
		}
	case *expression.MatchAgainst:
		m, err := newMatch(ctx, e)
		return m, transform.NewTree, err
	case *expression.IntDiv:
		own = newWhole(ctx, e.LeftChild, e.RightChild, sqlparser.IntDivStr)
	case *expression.Mod:
		own = newWhole(ctx, e.LeftChild, e.RightChild, sqlparser.ModStr)
	case *expression.Like:
		own = newLike(e)
	case *aggregation.Max:
		if t := memberText(ctx, e.Child); t != nil {
			own = aggregation.NewMax(t).WithWindow(ctx, e.Window()).WithId(e.Id())
		}
	case *aggregation.Min:
		if t := memberText(ctx, e.Child); t != nil {
			own = aggregation.NewMin(t).WithWindow(ctx, e.Window()).WithId(e.Id())
		}
	case *function.Ceil:
		if c := copyOf(e.Child); c != nil {
			own = function.NewCeil(ctx, c)
		}
	case *function.Floor:
		if c := copyOf(e.Child); c != nil {
			own = function.NewFloor(ctx, c)
		}
	case *function.Trim:
		if own, err = onValidTexts(ctx, e, "TRIM"); err != nil {
			return nil, transform.SameTree, err
		}
	case *function.Round:
		if own, err = newRounding(ctx, e, math.RoundToEven); err != nil {
			return nil, transform.SameTree, err
		}
	case *function.Truncate:
		if own, err = newRounding(ctx, e, math.Trunc); own != nil || err != nil {
			return own, transform.NewTree, err
		}
		if c := copyOf(e.LeftChild); c != nil {
			own = function.NewTruncate(ctx, c, e.RightChild)
		}
	case *expression.Div:
		numbers, err := r.withNumbers(ctx, e)
		if numbers != nil || err != nil {
			return numbers, transform.NewTree, err
		}
		l, r := copyOfLarge(ctx, e.LeftChild), copyOfLarge(ctx, e.RightChild)
		if l != nil || r != nil {
			own = expression.NewDiv(cmp.Or[sql.Expression](l, e.LeftChild), cmp.Or[sql.Expression](r, e.RightChild))
		}
	case *plan.ExistsSubquery:
		return e, transform.SameTree, refuseLimitedExists(e)
	case *plan.Subquery:
		if err := refuseOuterAggregates(ctx, e); err != nil {
			return nil, transform.SameTree, err
		}
		if r.decimals != nil {
			transform.InspectWithOpaque(ctx, e.Query, func(ctx *sql.Context, n sql.Node) bool {
				r.decimals.addNode(ctx, n)
				return true
			})
		}
		query, same, err := transform.NodeWithOpaque(ctx, e.Query, r.node)
		if err != nil || bool(same) {
			return e, transform.SameTree, err
		}
		return e.WithQuery(query), transform.NewTree, nil
	}
	if own == nil {
		return e, transform.SameTree, nil
	}
	return own, transform.NewTree, nil
}

package plan

import (
	"strings"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// Outer is ORDER BY and LIMIT behind a SELECT in parentheses that has them as well: MariaDB makes that SELECT a derived table, which it reads.
type Outer struct {
	Order []Order
	Limit Limit
}

// CompileOuter completes the plan of a SELECT, n, by what is behind its parentheses, from the inside to the outside. Names mean the items then.
func CompileOuter(b *bind.Binder, p *Select, n *tree.Select, tails []tree.Tail) error {
	grouped := p.Group != nil || n.Options&tree.SelectDistinct != 0
	switch {
	case b.Assigned != nil || numbered(n) || p.Virtual != nil || p.CountAll || n.Lock != nil || p.Group != nil && p.Group.Rollup:
		return bind.Refusal("such a SELECT in parentheses that are sorted or limited")
	case p.Limit.Any && (p.Limit.Ties || p.Limit.Examined != nil):
		return bind.Refusal("such a LIMIT in parentheses")
	}
	p.Merged = !p.Limit.Any && !grouped
	c := &compiler{b: b, scope: scope{derived: true}}
	var shown []*Item
	names := map[string]bool{}
	for _, item := range p.Items {
		if name := strings.ToLower(item.Name); names[name] {
			return mysqlerr.New(mysqlerr.DupFieldName, item.Name)
		} else if names[name] = true; item.X.Null() || item.Column == nil && strange(item.X) || p.Merged && item.Column == nil && item.X.Is(eval.Volatile) {
			return bind.Refusal("a column of this kind in parentheses")
		}
		if item.Shown = item.X; item.Column == nil && !item.X.Is(eval.Constant) {
			item.Shown = keep(c, item.X)
		}
		shown = append(shown, &Item{X: item.Shown, Name: item.Name})
	}
	p.OuterKept = c.kept
	for _, tail := range tails {
		o, err := c.outer(shown, &tail)
		if err != nil {
			return err
		}
		p.Outer = append(p.Outer, o)
	}
	return nil
}

// Merges reports whether MariaDB merges a SELECT in parentheses with what is around it, and its ORDER BY counts no more.
func Merges(n *tree.Select) bool {
	return n.Limit == nil && n.OrderBy != nil && n.GroupBy == nil && n.Having == nil && n.Options&tree.SelectDistinct == 0 && !overRows(n)
}

// strange reports whether a derived table has a column of another type than an expression: of computed texts without a bound, and of TIMESTAMPs, whose
// moment counts.
func strange(x *eval.Expr) bool {
	extreme := x.Aggregated() && (x.Name == "min" || x.Name == "max")
	return x.Type.Kind == types.Timestamp || x.Type.Kind.Blob() && !extreme
}

func (c *compiler) outer(shown []*Item, tail *tree.Tail) (Outer, error) {
	for _, o := range tail.OrderBy {
		if aggregates(o.X) {
			return Outer{}, bind.Refusal("a function over rows around parentheses")
		}
	}
	stage := &Select{Items: shown}
	if err := c.order(stage, tail.OrderBy); err != nil {
		return Outer{}, err
	}
	for _, o := range stage.Order {
		if _, _, column := o.X.Column(); !column && o.X.Type.Class() == types.ClassDec {
			return Outer{}, bind.Refusal("a DECIMAL that is computed, and sorts rows around parentheses") // it was rounded before
		}
	}
	limit, err := c.limit(tail.Limit)
	if limit.Ties || limit.Examined != nil {
		return Outer{}, bind.Refusal("this LIMIT around parentheses")
	}
	return Outer{stage.Order, limit}, err
}

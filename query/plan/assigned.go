package plan

import (
	"slices"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/aggregate"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/row"
)

// A SELECT that sets user variables shows when MariaDB computes what:
//
//   - An item of a row is computed when the row is sent, behind HAVING and ORDER BY, which compute it for themselves.
//   - Ordered by what is Moving, or DISTINCT in a temporary table, rows are kept with the values of all items, which are computed as the rows are read.
//     With DISTINCT @a := x sets the variable once more when the row is sent, to the value that was kept.
//   - Of one group of all rows, items without aggregate functions are computed for its first row, as are the user variables of other items that the
//     statement sets; these items are computed at the end.
//   - In a temporary table of groups they are computed for the first row of each group, and set once more as with DISTINCT. Items with aggregate
//     functions are computed when the group is sent; the user variables that they read, and the statement sets, have the value of the first row.

// selected binds an item of the select list. Beside aggregate functions user variables are those of the first row.
func (c *compiler) selected(n tree.Expr) (*eval.Expr, error) {
	if c.b.Assigned == nil || !aggregates(n) {
		return c.b.Expr(n)
	}
	if setsWithout(n) {
		return nil, mysqlerr.Never("a user variable that is set beside aggregate functions")
	}
	c.b.Early = func(x *eval.Expr) (*eval.Expr, error) {
		if x.Type.Class() == types.ClassText {
			return nil, mysqlerr.Never("a user variable with a text beside aggregate functions")
		}
		return keep(c, x), nil
	}
	defer func() { c.b.Early = nil }()
	return c.b.Expr(n)
}

// keep is the node of a value that is kept of an expression.
func keep(c *compiler, x *eval.Expr) *eval.Expr {
	c.kept = append(c.kept, x)
	return eval.NewKept(x, len(c.kept)-1)
}

// keeps settles what is computed when, in a SELECT that sets user variables.
func keeps(c *compiler, p *Select, n *tree.Select) (err error) {
	if c.b.Assigned == nil {
		return nil
	}
	k := keeping{c, p}
	switch {
	case p.Group == nil:
		err = k.rows()
	case p.Group.Rollup || p.Source == nil && p.Group.Keyed || n.Having != nil && movedBy(n.Having) || setsInAggregates(n):
		err = errGroupsSet
	case p.Group.Keyed:
		err = k.groups(n)
	default:
		p.Order = nil // there is one row
		err = k.items(false)
	}
	p.Kept = c.kept
	return err
}

var errGroupsSet = mysqlerr.Never("a user variable that groups of rows set like this; set it in a derived table, or when they are read") // when each is computed is the optimizer's business

// keeping settles what a plan keeps.
type keeping struct {
	*compiler
	p *Select
}

// rows is keeps where each row is for itself.
func (c keeping) rows() error {
	p := c.p
	moving := slices.ContainsFunc(p.Order, func(o Order) bool { return o.X.Is(eval.Moving) })
	had := len(p.Having)+len(p.HavingOnce) > 0
	switch {
	case p.Distinct && !p.Temporary && !c.differ():
		return mysqlerr.Never("a user variable that DISTINCT may set in several ways")
	case p.Distinct && !p.Temporary:
		p.Distinct = false // no row is as another one
	}
	if !p.Distinct && !moving {
		if had && len(p.Order) > 0 {
			return mysqlerr.Never("a user variable that rows set before HAVING and ORDER BY")
		}
		for _, item := range p.Items {
			item.Named = p.Temporary && (item.Sets != "" || item.X.Is(eval.Moving)) && !item.X.Is(eval.Constant)
		}
		return nil
	}
	if had {
		return mysqlerr.Never("a user variable that HAVING reads of a temporary table")
	}
	for _, o := range p.Order {
		if o.X.Is(eval.Volatile) && !slices.ContainsFunc(p.Items, func(item *Item) bool { return item.X == o.X || item.X.String() == o.X.String() }) {
			return mysqlerr.Never("a user variable that ORDER BY sets")
		}
	}
	p.Temporary = true
	return c.items(p.Distinct)
}

// differ reports whether a unique index makes all rows of the result different.
func (c keeping) differ() bool {
	p := c.p
	t := c.scope.src.Table
	shown := func(part row.KeyPart) bool {
		return slices.ContainsFunc(p.Items, func(item *Item) bool {
			_, at, ok := item.X.Column()
			return ok && at == part.Column && part.PrefixLen == 0 && !t.Columns[at].Type.Nullable
		})
	}
	for index := -1; index < len(t.Indexes); index++ {
		parts := t.Parts(index)
		if len(parts) > 0 && (index < 0 || t.Indexes[index].Unique) && !slices.ContainsFunc(parts, func(part row.KeyPart) bool { return !shown(part) }) {
			return true
		}
	}
	return false
}

// keyMost is how many characters a key of groups may have for which MariaDB's temporary table has an index; with a longer one it computes items for
// each row.
const keyMost = 512

// groups is keeps for GROUP BY.
func (c keeping) groups(n *tree.Select) error {
	p := c.p
	late := len(c.kept) > 0 // items with aggregate functions set variables, or read those that are set
	for _, item := range p.Items {
		late = late || Aggregated(item.X) && item.X.Is(eval.Volatile)
	}
	if p.Distinct || late && slices.ContainsFunc(n.Items, unlikeOthers) {
		return errGroupsSet
	}
	for _, item := range p.Items {
		t := item.X.Type
		if !Aggregated(item.X) || !item.X.Is(eval.Volatile) || t.Class() != types.ClassDec {
			continue
		}
		if t.Decimals == decimal.ScaleMax || slices.ContainsFunc(n.Items, divides) {
			return errGroupsSet // it has other decimals in MariaDB
		}
	}
	for _, k := range p.Group.Keys {
		if k.Is(eval.Volatile) || k.Type.Kind.Blob() || k.Type.Class() == types.ClassText && k.Type.Length > keyMost {
			return errGroupsSet
		}
	}
	for _, o := range p.Order {
		if o.X.Is(eval.Volatile) {
			return errGroupsSet
		}
	}
	sorts := slices.ContainsFunc(p.Group.Aggregates, func(fn *aggregate.Func) bool { return fn.Sorts() })
	switch {
	case p.Temporary:
	case late && slices.ContainsFunc(n.Items, func(item *tree.SelectItem) bool { return readsVariable(item.X) }):
		return errGroupsSet // a group reads what those before it have set
	case sorts && assignedIn(n.Where) == nil && len(p.Order) == 0 && !c.indexed(p.Group.Keys, true):
		p.KeptLate = true // the rows are sorted first
	default:
		return errGroupsSet
	}
	return c.items(p.Temporary)
}

// items keeps the values of items that are computed of a row. again says that @a := x sets the variable once more when it is shown.
func (c keeping) items(again bool) error {
	p := c.p
	for _, item := range p.Items {
		_, _, column := item.X.Column()
		x := item.X
		switch {
		case column || x.Is(eval.Constant) || Aggregated(x):
			continue
		case x.Type.Kind == types.Timestamp:
			return mysqlerr.Never("a TIMESTAMP that is computed beside user variables")
		}
		if again && item.Sets != "" && x.Args[0].Is(eval.Constant) {
			return mysqlerr.Never("a user variable that becomes a constant for rows of a temporary table") // it is no column of the table
		}
		item.Named = p.Temporary && (item.Sets != "" || !again && x.Is(eval.Moving))
		kept := keep(c.compiler, x.Stored())
		for i := range p.Order {
			if o := &p.Order[i]; o.X == x || o.X.String() == x.String() {
				o.X = kept
			}
		}
		item.X = kept
		if item.Key != nil {
			item.Key = kept
		}
		if again && item.Sets != "" {
			if x.Type.Class() == types.ClassDec {
				return mysqlerr.Never("a user variable that becomes a DECIMAL of a temporary table") // which is rounded
			}
			item.X = c.b.SetVariable(item.Sets, kept)
			item.X.Type = x.Type
		}
	}
	return nil
}

// aggregates reports whether an expression has an aggregate function.
func aggregates(n tree.Expr) (found bool) {
	tree.Walk(n, func(n tree.Node) bool {
		_, ok := n.(*tree.Aggregate)
		found = found || ok
		return !found
	})
	return found
}

// setsWithout reports whether an expression has an assignment without an aggregate function in its value, beyond those in arguments of such functions.
func setsWithout(n tree.Expr) (found bool) {
	tree.Walk(n, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Aggregate:
			return false
		case *tree.AssignVariable:
			found = found || !aggregates(n.Value)
		}
		return !found
	})
	return found
}

// setsInAggregates reports whether arguments of aggregate functions set user variables while something else of the select list depends on them.
func setsInAggregates(n *tree.Select) bool {
	inside, outside := false, n.GroupBy != nil || assignedIn(n.Where) != nil
	for _, item := range n.Items {
		tree.Walk(item.X, func(n tree.Node) bool {
			switch n := n.(type) {
			case *tree.Aggregate:
				inside = inside || bind.Assigned(n) != nil
				return false
			case *tree.AssignVariable, *tree.UserVariable:
				outside = true
			}
			return true
		})
	}
	return inside && outside
}

// unlikeOthers reports whether an item of a SELECT of groups sets a user variable for the first row of a group, or to what MariaDB takes for a constant,
// and computes before there are rows: @a := COUNT(*).
func unlikeOthers(item *tree.SelectItem) bool {
	if !aggregates(item.X) {
		return bind.Assigned(item.X) != nil
	}
	set, ok := item.X.(*tree.AssignVariable)
	return ok && !namesColumn(set.Value) && !readsVariable(set.Value)
}

// divides reports whether an item may have more decimals than its column has.
func divides(item *tree.SelectItem) (found bool) {
	tree.Walk(item.X, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Aggregate:
			found = found || n.Name != "SUM" && n.Name != "MIN" && n.Name != "MAX" && n.Name != "COUNT"
		case *tree.Binary:
			found = found || n.Op == tree.OpDivide
		}
		return !found
	})
	return found
}

// readsVariable reports whether an expression reads a user variable.
func readsVariable(n tree.Node) (found bool) {
	tree.Walk(n, func(n tree.Node) bool {
		_, ok := n.(*tree.UserVariable)
		found = found || ok
		return !found
	})
	return found
}

// movedBy reports whether a condition reads or sets a user variable.
func movedBy(n tree.Expr) (found bool) {
	tree.Walk(n, func(n tree.Node) bool {
		switch n.(type) {
		case *tree.AssignVariable, *tree.UserVariable:
			found = true
		}
		return !found
	})
	return found
}

// conditionSets refuses a condition of an UPDATE or DELETE that sets user variables where it is not known for how many rows MariaDB computes it before
// the first is changed.
func conditionSets(where tree.Expr, order []*tree.Order) error {
	switch {
	case where == nil || bind.Assigned(where) == nil:
		return nil
	case setsAlike(where):
		return mysqlerr.Never("a user variable that a condition sets without a column") // it may be set once for all rows
	case order != nil:
		return mysqlerr.Never("a user variable that a condition sets before rows are sorted")
	}
	return nil
}

// setsAlike reports whether an expression has an assignment of a user variable that names no column.
func setsAlike(n tree.Node) (found bool) {
	tree.Walk(n, func(n tree.Node) bool {
		if set, ok := n.(*tree.AssignVariable); ok {
			found = found || !namesColumn(set.Value)
		}
		return !found
	})
	return found
}

func namesColumn(n tree.Node) (found bool) {
	tree.Walk(n, func(n tree.Node) bool {
		_, ok := n.(*tree.ColumnRef)
		found = found || ok
		return !found
	})
	return found
}

// assignedIn are the user variables that a condition sets; nil for none, and for no condition.
func assignedIn(n tree.Expr) map[string]bool {
	if n == nil {
		return nil
	}
	return bind.Assigned(n)
}

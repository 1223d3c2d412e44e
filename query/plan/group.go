package plan

import (
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/aggregate"
	"github.com/duramendb/duramen/query/eval/operator"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// Group is how rows are put together.
type Group struct {
	// Keys are what the rows of a group have in common. Constants are those that all rows have in common and the result does not show: they are
	// computed once a group, for what there is to say of them.
	Keys, Constants []*eval.Expr
	// Descending tells the order of each key.
	Descending []bool
	// Rollup says that there are super rows above the groups, one for each key and all that are behind it (WITH ROLLUP). Then all keys are in Keys.
	// The i-th is read by expressions as a column of the frame's row i+1.
	Rollup bool
	// Keyed says that there is GROUP BY. Without it all rows are one group, even if there are none.
	Keyed bool
	// Aggregates are the functions over the rows of a group, in the order of Frame.Aggregates.
	Aggregates []*aggregate.Func
	// Adding is the order in which a row is added to them, so that conditions come as MariaDB's: of one column of the result, or one condition,
	// the last function comes first.
	Adding []int
	// Ends are where the functions, in their order, find the only row that counts: the first of these with a value. nil: in all rows.
	Ends []*Access
	// NoRows says that beyond Ends no rows are read.
	NoRows bool
}

// allow lets aggregate functions be bound from here on, or not.
func (c *compiler) allow(aggregates bool) {
	c.b.Aggregates = nil
	if aggregates {
		c.b.Aggregates = &c.aggregates
	}
}

// overRows reports whether a SELECT has a function over rows. Without GROUP BY it then has one row, even of an empty table, and columns are NULL.
func overRows(n *tree.Select) (found bool) {
	look := func(n tree.Node) bool {
		fn, ok := n.(*tree.Aggregate)
		found = found || ok && fn.Over == nil
		return true
	}
	for _, item := range n.Items {
		tree.Walk(item, look)
	}
	for _, o := range n.OrderBy {
		tree.Walk(o.X, look)
	}
	if n.Having != nil {
		tree.Walk(n.Having, look)
	}
	return found
}

// columnOrNone is a column of the one row that functions over rows make. Their arguments are of rows that there are.
func (c *compiler) columnOrNone(n *tree.ColumnRef) (*eval.Expr, error) {
	x, err := c.scope.column(n)
	if err == nil && c.b.Aggregates != nil {
		x = nullable(x, true)
	}
	return x, err
}

// together notes that the functions bound since the last call belong to one expression.
func (c *compiler) together() {
	for i := len(c.aggregates.Funcs) - 1; i >= c.known; i-- {
		c.adding = append(c.adding, i)
	}
	c.known = len(c.aggregates.Funcs)
}

// group settles GROUP BY and HAVING. The select list is bound.
func (c *compiler) group(p *Select, n *tree.Select) error {
	var keys []groupKey
	c.allow(false)
	for _, o := range n.GroupBy {
		k, err := c.groupKey(p.Items, o.X)
		if err != nil {
			return err
		}
		k.descending = o.Desc
		keys = append(keys, k)
	}
	if len(keys) > 0 {
		p.Group = &Group{Keyed: true}
		if err := c.fullGroups(p, keys); err != nil {
			return err
		}
	}
	if n.Rollup {
		if err := c.rollup(p, n, keys); err != nil {
			return err
		}
	}
	c.allow(true)
	if err := c.having(p, keys, n.Having); err != nil {
		return err
	}
	if n.Rollup && p.Source != nil {
		return p.mayBeNull(n)
	}
	for _, k := range keys {
		switch {
		case !k.x.Is(eval.Constant):
			p.Group.Keys = append(p.Group.Keys, k.x)
			p.Group.Descending = append(p.Group.Descending, k.descending)
		case k.item == nil:
			p.Group.Constants = append(p.Group.Constants, k.x)
		}
	}
	return nil
}

// Aggregated reports whether an expression has the result of an aggregate function in it.
func Aggregated(x *eval.Expr) bool {
	if x.Aggregated() {
		return true
	}
	for _, a := range x.Args {
		if Aggregated(a) {
			return true
		}
	}
	return false
}

func (c *compiler) having(p *Select, keys []groupKey, n tree.Expr) error {
	if n == nil {
		return nil
	}
	c.in("HAVING", nil)
	c.b.Column = func(n *tree.ColumnRef) (*eval.Expr, error) { return c.havingName(p.Items, keys, n) }
	c.b.Default = func(n *tree.ColumnRef) (*eval.Expr, error) {
		x, err := c.b.Column(n)
		if err != nil {
			return nil, err
		}
		return defaultOfItem(c, n, x)
	}
	defer func() { c.b.Default = nil }()
	n = c.nullDates(n, false, func(n *tree.ColumnRef) int {
		kept := len(c.b.Scratch.Diag.Conditions)
		x, err := c.havingName(p.Items, keys, n)
		c.b.Scratch.Diag.Conditions = c.b.Scratch.Diag.Conditions[:kept] // it is bound once more
		if err != nil {
			return -1
		}
		_, at, ok := x.Column()
		if !ok {
			return -1
		}
		return at
	})
	for _, n := range conjuncts(nil, n) {
		x, err := c.b.Expr(n)
		if err != nil {
			return err
		}
		c.together()
		if _, name := n.(*tree.ColumnRef); name && x.Type.Class() == types.ClassText {
			return bind.Refusal("a text that is a condition by its name") // it is read as another number than one that is written there
		}
		if err := operator.Condition(x, "<>", "bigint"); err != nil {
			return err
		}
		if holds := operator.Holds(&c.b.Builder, x); x.Is(eval.Constant) {
			p.HavingOnce = append(p.HavingOnce, holds)
		} else {
			p.Having = append(p.Having, holds)
		}
	}
	return nil
}

// fullGroups refuses a select list with columns that a group does not have in common, where ONLY_FULL_GROUP_BY asks for that.
func (c *compiler) fullGroups(p *Select, keys []groupKey) error {
	if p.Group == nil || !c.b.Env.Mode.Has(types.OnlyFullGroupBy) {
		return nil
	}
	shared, expressions := map[int]bool{}, map[string]bool{}
	for _, k := range keys {
		if _, ordinal, ok := k.x.Column(); ok {
			shared[ordinal] = true
		}
		expressions[k.x.String()] = true
	}
	for _, item := range p.Items {
		if expressions[item.X.String()] {
			continue
		}
		for _, ordinal := range outside(nil, item.X) {
			if shared[ordinal] {
				continue
			}
			if !p.Group.Keyed {
				return mysqlerr.New(mysqlerr.MixOfGroupFuncAndFields)
			}
			def := p.Source.Table.Def
			name := def.DB + "." + p.Source.Alias + "." + def.Columns[ordinal].Name
			return mysqlerr.New(mysqlerr.WrongFieldWithGroup, name)
		}
	}
	return nil
}

// outside are the columns of an expression that are not an aggregate's arguments.
func outside(to []int, x *eval.Expr) []int {
	if x.Aggregated() {
		return to
	}
	if _, ordinal, ok := x.Column(); ok {
		return append(to, ordinal)
	}
	for _, a := range x.Args {
		to = outside(to, a)
	}
	return to
}

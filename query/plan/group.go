package plan

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/aggregate"
	"github.com/duramendb/duramen/query/eval/operator"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/row"
)

// Group is how rows are put together.
type Group struct {
	// Keys are what the rows of a group have in common. Without any, all rows are one group, even if there are none.
	Keys []*eval.Expr
	// Aggregates are the functions over the rows of a group, in the order of Frame.Aggregates.
	Aggregates []*aggregate.Func
	// Adding is the order in which a row is added to them, so that conditions come as MariaDB's: of one column of the result, or one condition,
	// the last function comes first.
	Adding []int
	// Having are the conditions that must all hold for a group.
	Having []Condition
}

// allow lets aggregate functions be bound from here on, or not.
func (c *compiler) allow(aggregates bool) {
	c.b.Aggregates = nil
	if aggregates {
		c.b.Aggregates = &c.aggregates
	}
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
	var keys []*eval.Expr
	c.allow(false)
	for _, o := range n.GroupBy {
		x, err := c.groupKey(p.Items, o.X)
		if err != nil {
			return err
		}
		if o.Desc {
			return bind.Refusal("GROUP BY ... DESC")
		}
		keys = append(keys, x)
	}
	c.allow(true)
	having, err := c.having(p.Items, keys, n.Having)
	if err != nil {
		return err
	}
	if len(n.GroupBy) == 0 && len(c.aggregates.Funcs) == 0 {
		if having != nil {
			return bind.Refusal("HAVING without groups")
		}
		return nil
	}
	for i, x := range keys {
		keys[i] = c.scope.key(x)
	}
	p.Group = &Group{Keys: keys, Having: having}
	return nil
}

// groupKey is what a key of GROUP BY means: the number of a column of the result, the name of a column of the table or of the result, or an
// expression.
func (c *compiler) groupKey(items []*Item, n tree.Expr) (*eval.Expr, error) {
	switch n := n.(type) {
	case *tree.NumberLit:
		if n.Kind != tree.IntegerNumber {
			break
		}
		at, ok := position(n.Text, len(items))
		if !ok {
			return nil, mysqlerr.New(mysqlerr.BadField, n.Text, "GROUP BY")
		}
		if Aggregated(items[at].X) {
			return nil, mysqlerr.New(mysqlerr.WrongGroupField, items[at].Name)
		}
		return items[at].X, nil
	case *tree.ColumnRef:
		return c.groupName(items, n)
	}
	c.in("GROUP BY", items)
	return c.b.Expr(n)
}

func (c *compiler) groupName(items []*Item, n *tree.ColumnRef) (*eval.Expr, error) {
	c.in("GROUP BY", nil)
	at, err := c.scope.ordinal(n)
	if err != nil {
		return nil, err
	}
	named, err := c.named(items, n)
	if err != nil {
		return nil, bind.Refusal("a name of GROUP BY that is two columns'")
	}
	if at < 0 && named != nil {
		if Aggregated(named) {
			return nil, mysqlerr.New(mysqlerr.WrongGroupField, n.Name.Text)
		}
		return named, nil
	}
	if at >= 0 && named != nil {
		if _, ordinal, ok := named.Column(); !ok || ordinal != at {
			return nil, bind.Refusal("a name of GROUP BY that is a column's and another one's of the result") // it warns
		}
	}
	return c.scope.column(n)
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

func (c *compiler) having(items []*Item, keys []*eval.Expr, n tree.Expr) ([]Condition, error) {
	if n == nil {
		return nil, nil
	}
	c.in("HAVING", nil)
	c.b.Column, c.b.Default = func(n *tree.ColumnRef) (*eval.Expr, error) { return c.havingName(items, keys, n) }, nil
	var out []Condition
	for _, n := range conjuncts(nil, n) {
		x, err := c.b.Expr(n)
		if err != nil {
			return nil, err
		}
		c.together()
		out = append(out, operator.Holds(&c.b.Builder, x))
	}
	return out, nil
}

// havingName is what a name means in HAVING: a column of the result, or what the rows are grouped by.
func (c *compiler) havingName(items []*Item, keys []*eval.Expr, n *tree.ColumnRef) (*eval.Expr, error) {
	if c.b.Aggregates == nil { // an argument of a function over rows: the table's columns come first
		c.scope.items = items
		return c.scope.column(n)
	}
	at, err := c.scope.ordinal(n)
	if err != nil {
		return nil, err
	}
	var found *eval.Expr
	for _, item := range items {
		switch {
		case n.Table.Text == "" && strings.EqualFold(item.Name, n.Name.Text):
		case item.Column != nil && at >= 0 && item.Column == &c.scope.src.Table.Columns[at]:
		default:
			continue
		}
		if found != nil && !sameColumn(found, item.X) {
			return nil, bind.Refusal("a name of HAVING that is two columns'")
		}
		found = item.X
	}
	for _, k := range keys {
		_, ordinal, ok := k.Column()
		if !ok || ordinal != at {
			continue
		}
		if found != nil && !sameColumn(found, k) {
			return nil, bind.Refusal("a name of HAVING that is two columns'")
		}
		found = k
	}
	if found == nil {
		return nil, c.scope.unknown(n)
	}
	return found, nil
}

func sameColumn(a, b *eval.Expr) bool {
	_, x, ok := a.Column()
	_, y, also := b.Column()
	return ok && also && x == y
}

// fullGroups refuses a select list with columns that a group does not have in common, where ONLY_FULL_GROUP_BY asks for that.
func (c *compiler) fullGroups(p *Select) error {
	if p.Group == nil || !c.b.Env.Mode.Has(types.OnlyFullGroupBy) {
		return nil
	}
	shared := map[int]bool{}
	for _, k := range p.Group.Keys {
		_, ordinal, ok := k.Column()
		if !ok {
			return bind.Refusal("GROUP BY of an expression under ONLY_FULL_GROUP_BY")
		}
		shared[ordinal] = true
	}
	check := func(x *eval.Expr) error {
		for _, ordinal := range outside(nil, x) {
			if shared[ordinal] {
				continue
			}
			if len(p.Group.Keys) == 0 {
				return mysqlerr.New(mysqlerr.MixOfGroupFuncAndFields)
			}
			def := p.Source.Table.Def
			name := def.DB + "." + p.Source.Alias + "." + def.Columns[ordinal].Name
			return mysqlerr.New(mysqlerr.WrongFieldWithGroup, name)
		}
		return nil
	}
	for _, item := range p.Items {
		if err := check(item.X); err != nil {
			return err
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

// extremes refuses MIN and MAX, of all rows, of a column of an index: they are at its end, which the fallback knows. Of equal texts MariaDB
// finds others there, too, and members of ENUM and SET are ordered by their numbers.
func (c *compiler) extremes(p *Select) error {
	if p.Group == nil || len(p.Group.Keys) > 0 {
		return nil
	}
	for _, item := range p.Items {
		if err := c.extreme(p.Source, item.X); err != nil {
			return err
		}
	}
	return nil
}

func (c *compiler) extreme(src *Source, x *eval.Expr) error {
	for _, a := range x.Args {
		if err := c.extreme(src, a); err != nil {
			return err
		}
	}
	if !x.Aggregated() || x.Name != "min" && x.Name != "max" {
		return nil
	}
	for _, a := range x.Args {
		_, ordinal, ok := a.Column()
		if !ok {
			continue
		}
		for i := -1; i < len(src.Table.Indexes); i++ {
			if slices.ContainsFunc(src.Table.Parts(i), func(p row.KeyPart) bool { return p.Column == ordinal }) {
				return bind.Refusal("MIN and MAX of a column of an index")
			}
		}
	}
	return nil
}

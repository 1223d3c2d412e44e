package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// item is the item of the select list that a name means, nil for none. The first alias of an expression ends the search; then come the names that
// columns are shown by, then those that they have in the table. Two columns that one name means are error 1052.
func (s *scope) item(items []*Item, n *tree.ColumnRef) (*Item, error) {
	var byName, behind *Item
	several := false
	for _, item := range items {
		if item.Column == nil {
			if n.Table.Text == "" && strings.EqualFold(item.Name, n.Name.Text) {
				return item, nil
			}
			continue
		}
		switch {
		case n.Table.Text == "" && strings.EqualFold(item.Name, n.Name.Text):
			if byName != nil && byName.Column != item.Column {
				return nil, mysqlerr.New(mysqlerr.NonUniq, n.Name.Text, s.clause)
			}
			if byName == nil {
				byName = item // of several the first one
			}
		case strings.EqualFold(item.own(), n.Name.Text) && s.src.called(n.DB.Text, n.Table.Text):
			several = several || behind != nil && behind.Column != item.Column
			if behind == nil {
				behind = item
			}
		}
	}
	switch {
	case byName != nil:
		return byName, nil
	case several:
		return nil, mysqlerr.New(mysqlerr.NonUniq, n.Name.Text, s.clause)
	}
	return behind, nil
}

// own is the name of the column that the item is, whatever the statement calls it.
func (item *Item) own() string {
	if item.View != "" {
		return item.View
	}
	return item.Column.Def.Name
}

// ambiguous warns that a name means two things, of which one was chosen.
func (c *compiler) ambiguous(n *tree.ColumnRef) {
	c.b.Scratch.Warn(mysqlerr.NonUniq, n.Name.Text, c.scope.clause)
}

// orderKey is what a key of ORDER BY means: the number of a column of the result; its name; else an expression over the table, in which such
// names count after those of columns.
func (c *compiler) orderKey(items []*Item, n tree.Expr) (*eval.Expr, error) {
	c.in("ORDER BY", items)
	if item, err := c.position(items, n); item != nil || err != nil {
		return xOf(item), err
	}
	if n, ok := n.(*tree.ColumnRef); ok {
		if item, err := c.scope.item(items, n); item != nil || err != nil {
			return xOf(item), err
		}
	}
	return c.b.Expr(n)
}

// xOf is the expression of an item, nil of none.
func xOf(item *Item) *eval.Expr {
	if item == nil {
		return nil
	}
	return item.X
}

// position is the item that a key means by its place in the select list: an integer, written out or given for a placeholder. It is nil for what is
// no integer, and error 1054 for one that is no place.
func (c *compiler) position(items []*Item, n tree.Expr) (*Item, error) {
	negative := false
	for {
		sign, ok := n.(*tree.Unary)
		if !ok || sign.Op != tree.OpPositive && sign.Op != tree.OpNegate {
			break
		}
		if _, holder := sign.X.(*tree.Placeholder); holder && sign.Op == tree.OpNegate {
			return nil, nil //nolint:nilnil // an operation
		}
		negative = negative != (sign.Op == tree.OpNegate)
		n = sign.X
	}
	var text string
	switch n := n.(type) {
	case *tree.NumberLit:
		if n.Kind != tree.IntegerNumber {
			return nil, nil //nolint:nilnil // no place
		}
		text = n.Text
	case *tree.BoolLit:
		text = "0"
		if n.Value {
			text = "1"
		}
	case *tree.Placeholder:
		x, err := c.b.Expr(n)
		if err != nil || x.Null() || x.Type.Class() != types.ClassInt {
			return nil, err
		}
		text = strconv.FormatInt(x.Compute(c.b.Scratch).Int, 10)
	default:
		return nil, nil //nolint:nilnil // no place
	}
	at, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return nil, bind.Refusal("a place in the select list of more than 32 bits")
	}
	if negative {
		at, text = -at, "-"+text
	}
	if at < 1 || at > int64(len(items)) {
		return nil, mysqlerr.New(mysqlerr.BadField, text, c.scope.clause)
	}
	return items[at-1], nil
}

// groupKey is a key of GROUP BY.
type groupKey struct {
	x    *eval.Expr
	item *Item // of the select list; nil for an expression that is not there
	// descending is the order of the groups.
	descending bool
}

// called reports whether a name of HAVING means the key.
func (k *groupKey) called(s *scope, n *tree.ColumnRef, ordinal int) bool {
	if k.item != nil && k.item.Aliased && n.Table.Text == "" && strings.EqualFold(k.item.Name, n.Name.Text) {
		return true
	}
	_, at, ok := k.x.Column()
	return ok && at == ordinal
}

// groupKey is what a key of GROUP BY means: the number of a column of the result; the name of a column of the table, or of the result; or an
// expression.
func (c *compiler) groupKey(items []*Item, n tree.Expr) (groupKey, error) {
	c.in("GROUP BY", items)
	item, err := c.position(items, n)
	if name, ok := n.(*tree.ColumnRef); ok {
		item, err = c.groupName(items, name)
	}
	if err != nil {
		return groupKey{}, err
	}
	if item == nil {
		x, err := c.b.Expr(n)
		return groupKey{x: x}, err
	}
	if Aggregated(item.X) {
		return groupKey{}, mysqlerr.New(mysqlerr.WrongGroupField, item.Name)
	}
	return groupKey{x: item.X, item: item}, nil
}

// groupName is the item that a name of GROUP BY means, nil for none: a column of the table comes first, with warning 1052.
func (c *compiler) groupName(items []*Item, n *tree.ColumnRef) (*Item, error) {
	item, err := c.scope.item(items, n)
	if item == nil || err != nil {
		return nil, err
	}
	at, err := c.scope.ordinal(n)
	if err != nil {
		return nil, err
	}
	if at >= 0 && item.Column != &c.scope.src.Table.Columns[at] {
		c.ambiguous(n)
		return nil, nil //nolint:nilnil // the table's column
	}
	return item, nil
}

// havingName is what a name means in HAVING: a column of the result, or what the rows are grouped by, which comes first, with warning 1052.
func (c *compiler) havingName(items []*Item, keys []groupKey, n *tree.ColumnRef) (*eval.Expr, error) {
	at, err := c.scope.ordinal(n)
	if err != nil {
		return nil, err
	}
	if c.b.Aggregates == nil { // an argument of a function over rows: the table's columns come first
		if item, err := c.scope.item(items, n); at < 0 && err == nil && item != nil && Aggregated(item.X) {
			return nil, bind.Refusal("a function over rows of another one, by its name")
		}
		c.scope.items = items
		return c.scope.column(n)
	}
	item, err := c.scope.item(items, n)
	if err != nil {
		return nil, err
	}
	var key *groupKey
	for i := range keys {
		k := &keys[i]
		if !k.called(&c.scope, n, at) {
			continue
		}
		if key != nil && key.x != k.x && !sameColumn(key.x, k.x) {
			return nil, mysqlerr.New(mysqlerr.NonUniq, n.Name.Text, c.scope.clause)
		}
		key = k
	}
	switch {
	case key == nil && item == nil:
		if at, x := c.scope.readThrough(n); x != nil && slices.ContainsFunc(items, func(item *Item) bool { return item.View == c.scope.src.View.Columns[at].Name }) {
			return nil, bind.Refusal("an expression of a view in HAVING, by another name than that of the select list")
		}
		return nil, c.scope.unknown(n)
	case key == nil:
		if item.Column != nil && strings.EqualFold(item.Column.Def.Name, n.Name.Text) && c.b.Env.Mode.Has(types.OnlyFullGroupBy) {
			return nil, mysqlerr.New(mysqlerr.NonGroupingFieldUsed, n.Name.Text, c.scope.clause)
		}
		return item.X, nil
	case item != nil && item.X != key.x && !sameColumn(item.X, key.x):
		c.ambiguous(n)
	}
	return key.x, nil
}

func sameColumn(a, b *eval.Expr) bool {
	_, x, ok := a.Column()
	_, y, also := b.Column()
	return ok && also && x == y
}

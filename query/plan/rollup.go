package plan

import (
	"slices"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// GROUP BY ... WITH ROLLUP has, behind the groups, a row for those that have all but the last key in common, one for those that have all but the
// last two, and so on up to all rows. In these super rows keys are NULL. MariaDB makes them so (JOIN::rollup_init, change_group_ref and
// rollup_make_fields in its sql/sql_select.cc), and this shows:
//
//   - The item of the select list that a key means is NULL; another item that is the same column or expression is not.
//   - A column that is a key is NULL where it is an argument of a function or operator, but for AND, OR and rows; so is everything in HAVING.
//   - All that is not NULL is as in the first row of the last group before the super row.

// rollup binds the select list once more, now that it is known what the keys are, and makes the keys those of super rows.
func (c *compiler) rollup(p *Select, n *tree.Select, keys []groupKey) error {
	if c.scope.src == nil {
		for _, k := range keys {
			if k.item != nil {
				k.item.X = nullable(k.item.X, true)
			}
		}
		return nil // the one row has no other above it
	}
	p.Group.Rollup = true
	for i := range keys {
		if err := c.rollupKey(p, n, keys[:i+1]); err != nil {
			return err
		}
		p.Group.Keys = append(p.Group.Keys, keys[i].x)
		p.Group.Descending = append(p.Group.Descending, keys[i].descending)
	}
	first := p.Items
	if err := c.rolledItems(p, n, keys); err != nil {
		return err
	}
	for i := range keys {
		k := &keys[i]
		_, at, isColumn := k.x.Column()
		if isColumn {
			x, err := c.keyColumn(i, at)
			if err != nil {
				return err
			}
			k.x = x
		}
		if k.item == nil {
			continue
		}
		item := p.Items[indexOf(first, k.item)]
		if !isColumn {
			k.x = eval.NewRolled(k.item.X, i)
		}
		item.X, item.rolled = k.x, true
		k.item = item
	}
	for i, item := range p.Items {
		if err := rolledItem(item, first[i].X.Type.Nullable, c.scope.src.Place); err != nil {
			return err
		}
	}
	return nil
}

// rollupKey finds the item that the last key means, if that is not known yet, and refuses what the rules do not cover.
func (c *compiler) rollupKey(p *Select, n *tree.Select, keys []groupKey) error {
	k := &keys[len(keys)-1]
	_, _, column := k.x.Column()
	switch {
	case k.x.Is(eval.Volatile):
		return mysqlerr.Never("WITH ROLLUP by what changes from row to row")
	case column && k.x.Type.Kind == types.Bit: // super rows of MariaDB show it as in the last row, never as NULL
		return mysqlerr.Never("WITH ROLLUP by a BIT column; group by column + 0")
	}
	for i := 0; k.item == nil && !column && i < len(p.Items); i++ { // of columns the name has said it
		if p.Items[i].X.String() == k.x.String() {
			k.item = p.Items[i]
		}
	}
	for _, other := range keys[:len(keys)-1] {
		shown := other.item != nil && k.item != nil && other.item != k.item && n.Having == nil
		if (other.x == k.x || sameColumn(other.x, k.x)) && !shown {
			return mysqlerr.Never("WITH ROLLUP by the same key twice")
		}
	}
	return nil
}

func indexOf(items []*Item, item *Item) int {
	for i := range items {
		if items[i] == item {
			return i
		}
	}
	return 0
}

// keyColumn is a column that is the i-th key: that of a row of its own, which is all NULL in the super rows of the key.
func (c *compiler) keyColumn(i, ordinal int) (*eval.Expr, error) {
	c.scope.source = i + 1
	defer func() { c.scope.source = 0 }()
	return c.scope.at(ordinal)
}

// keyThat is the key that a column is, -1 for none. Of the same column twice the last one counts.
func keyThat(keys []groupKey, ordinal int) int {
	for i := len(keys) - 1; i >= 0; i-- {
		if _, at, ok := keys[i].x.Column(); ok && at == ordinal {
			return i
		}
	}
	return -1
}

// rolledItems binds the select list with columns of keys where they are arguments.
func (c *compiler) rolledItems(p *Select, n *tree.Select, keys []groupKey) error {
	plain, asked := map[*tree.ColumnRef]bool{}, map[*tree.ColumnRef]bool{}
	for _, item := range n.Items {
		leftAlone(item.X, true, plain)
		askedIfNull(item.X, asked)
	}
	said := len(c.b.Scratch.Diag.Conditions)
	c.aggregates, c.known, c.adding = bind.Aggregates{}, 0, nil
	c.allow(true)
	c.in("SELECT", nil)
	c.b.Column = func(n *tree.ColumnRef) (*eval.Expr, error) {
		at, err := c.scope.ordinal(n)
		if err == nil && c.b.Aggregates != nil && !plain[n] {
			if i := keyThat(keys, at); i >= 0 {
				return c.keyArgument(i, at, asked[n])
			}
		}
		return c.scope.column(n)
	}
	items, err := c.items(n.Items)
	if err != nil {
		return err
	}
	p.Items = items
	c.b.Scratch.Diag.Conditions = c.b.Scratch.Diag.Conditions[:said] // they were said when the list was bound first
	return nil
}

// leftAlone notes the names of an expression that are not looked at as keys: one that is an item by itself, and all below AND, OR and rows.
func leftAlone(n tree.Expr, alone bool, to map[*tree.ColumnRef]bool) {
	for {
		sign, ok := n.(*tree.Unary)
		if !ok || sign.Op != tree.OpPositive {
			break
		}
		n = sign.X
	}
	tree.Walk(n, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.ColumnRef:
			to[n] = to[n] || alone
		case *tree.Chain, *tree.Row:
			tree.Walk(n, func(n tree.Node) bool {
				if name, ok := n.(*tree.ColumnRef); ok {
					to[name] = true
				}
				return true
			})
			return false
		}
		alone = false
		return true
	})
}

// keyArgument is a column that is the i-th key, as an argument. asked says that IS NULL asks for it beside a function over rows.
func (c *compiler) keyArgument(i, ordinal int, asked bool) (*eval.Expr, error) {
	x, err := c.keyColumn(i, ordinal)
	switch {
	case err != nil:
		return nil, err
	case asked && !x.Type.Nullable:
		return nil, mysqlerr.Never("IS NULL of a key in an expression over a function of rows") // MariaDB may have settled it before
	case x.Type.Kind.Blob():
		x = c.b.QuietNumber(x)
	}
	return nullable(x, true), nil
}

// askedIfNull notes the names of an expression that IS NULL asks for, if it has an aggregate function, too.
func askedIfNull(n tree.Expr, to map[*tree.ColumnRef]bool) {
	var names []*tree.ColumnRef
	found := false
	tree.Walk(n, func(n tree.Node) bool {
		var x tree.Expr
		switch n := n.(type) {
		case *tree.Is:
			x = n.X
		case *tree.Call:
			if len(n.Args) == 1 {
				x = n.Args[0] // ISNULL
			}
		case *tree.Aggregate:
			found = true
		}
		if name, ok := x.(*tree.ColumnRef); ok {
			names = append(names, name)
		}
		return true
	})
	for _, n := range names {
		to[n] = found
	}
}

// rolledItem settles an item of a select list with super rows: it is what it was there, NULL or not, until HAVING is bound. place is
// that of the table's row.
func rolledItem(item *Item, wasNullable bool, place int) error {
	if _, _, column := item.X.Column(); column || item.rolled {
		return nil
	}
	keyed, other := false, false
	for x := range outsideOfAggregates(item.X) {
		source, _, _ := x.Column()
		keyed, other = keyed || source > place, other || source == place
	}
	switch {
	case keyed && other: // MariaDB reads the others of the first row of the next group, of which rows that is known to nobody
		return mysqlerr.Never("an expression of keys and other columns with ROLLUP; use aggregate functions, as in MIN(column)")
	case keyed && item.X.Type.Kind == types.Timestamp: // of which MariaDB reads the key itself there
		return mysqlerr.Never("a TIMESTAMP that is computed of a key with ROLLUP; CAST it AS DATETIME")
	case keyed:
		item.X, item.rolled = nullable(item.X, wasNullable), withKey(item.X, place)
	case other && !Aggregated(item.X):
		item.X = eval.NewSaidOnce(item.X)
	}
	return nil
}

// withKey reports whether an expression has a key as an argument, or in one that is itself an expression. Of an expression over the result of an
// aggregate function MariaDB takes those without such a result apart.
func withKey(x *eval.Expr, place int) bool {
	grouped := Aggregated(x)
	for _, a := range x.Args {
		source, _, column := a.Column()
		if column && source > place || !a.Aggregated() && len(a.Args) > 0 && (!grouped || Aggregated(a)) && withKey(a, place) {
			return true
		}
	}
	return false
}

// outsideOfAggregates are the columns of an expression that are not arguments of an aggregate function.
func outsideOfAggregates(x *eval.Expr) func(yield func(*eval.Expr) bool) {
	var walk func(x *eval.Expr, yield func(*eval.Expr) bool) bool
	walk = func(x *eval.Expr, yield func(*eval.Expr) bool) bool {
		if x.Aggregated() {
			return true
		}
		if _, _, ok := x.Column(); ok && !yield(x) {
			return false
		}
		for _, a := range x.Args {
			if !walk(a, yield) {
				return false
			}
		}
		return true
	}
	return func(yield func(*eval.Expr) bool) { walk(x, yield) }
}

// nullable is an expression that may be NULL, or not, as its type says from here on.
func nullable(x *eval.Expr, may bool) *eval.Expr {
	if x.Type.Nullable == may {
		return x
	}
	y := *x
	y.Type.Nullable = may
	return &y
}

// mayBeNull makes the items that super rows have as NULL nullable. Columns keep what their definition says, unless rows are kept in a temporary
// table (kept).
func (p *Select) mayBeNull(n *tree.Select) error {
	kept := p.Distinct || n.Options&tree.SelectSQLBufferResult != 0
	if kept && len(p.Having)+len(p.HavingOnce) > 0 && slices.ContainsFunc(p.Group.Keys, func(k *eval.Expr) bool { return !k.Type.Nullable }) {
		return mysqlerr.Never("HAVING of keys that cannot be NULL, with ROLLUP and DISTINCT or SQL_BUFFER_RESULT") // for it they are not NULL in super rows
	}
	if p.Source.Place != 0 { // an INSERT takes them
		for _, item := range p.Items {
			if item.rolled {
				item.X = nullable(item.X, true)
			}
		}
		return nil
	}
	for _, item := range p.Items {
		if _, _, column := item.X.Column(); kept && !column && item.X.Type.Class() == types.ClassText {
			x := *item.X
			x.Type.Decimals = 0 // as columns have them
			item.X = &x
		}
		if _, _, column := item.X.Column(); item.rolled && (!column || kept) {
			item.Emptied = column && !item.X.Type.Nullable
			if t := item.X.Type; item.Emptied && (t.Zerofill && t.Kind != types.Year || t.Class() == types.ClassText && t.Kind != types.Varchar ||
				t.Kind == types.Enum || t.Kind == types.Set || t.Kind == types.Bit) {
				return mysqlerr.Never("a key of a temporary table that is of another type than the column") // for clients
			}
			item.X = nullable(item.X, true)
		}
	}
	return nil
}

// oneRolled settles the select list of one row that a key finds: MariaDB reads it before all else, so that its keys are values rather than columns.
func (p *Select) oneRolled(n *tree.Select) error {
	if n.Having != nil { // such a statement may end a MariaDB
		return mysqlerr.Never("HAVING with ROLLUP of one row that a key finds")
	}
	for _, item := range p.Items {
		if _, _, column := item.X.Column(); !column || !item.rolled {
			continue
		}
		x := *nullable(item.X, true)
		x.Type.Zerofill = false
		if x.Type.Class() == types.ClassText {
			x.Type.Decimals = types.NotFixedText
		}
		item.X, item.Described, item.Emptied, item.OfOne = &x, nil, false, true
	}
	return nil
}

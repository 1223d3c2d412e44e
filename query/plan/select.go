package plan

import (
	"slices"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/operator"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
)

// Select is a SELECT of one table, or of none.
type Select struct {
	Source *Source // nil: no table
	Items  []*Item
	// Where are the conditions that must all hold for a row, in their order; Once those of them that are the same for all rows.
	Where, Once []Condition
	Access      Access
	// Group is nil where each row is for itself.
	Group *Group
	// Having are the conditions that must all hold for a group, or for a row where there are none; HavingOnce those of them that are the same for all.
	Having, HavingOnce []Condition
	Order              []Order
	// Sorted says that rows come in the order of Order.
	Sorted   bool
	Distinct bool
	Limit    Limit
	// Temporary says that MariaDB describes the columns of a temporary table to clients.
	Temporary bool
	// CountAll says that FOUND_ROWS() is to tell how many rows there would be without Limit.
	CountAll bool
	// Used are the columns that are read, by their ordinals.
	Used map[int]bool
	// Star says that the select list has *, and not only t.*: what the user may not read of it is then denied as the whole table.
	Star bool
	// Virtual are the columns that are computed for each row that is read; nil for none.
	Virtual *Virtual
	// Kept are expressions that are computed once for a row that is asked for, or for the first row of a group, whenever they are shown: see keeps.
	Kept []*eval.Expr
	// Outer are the ORDER BY and LIMIT around parentheses that have such clauses, too, from the inside to the outside. OuterKept are the items that are
	// computed for rows of the innermost SELECT.
	Outer     []Outer
	OuterKept []*eval.Expr
	// Merged says that the clauses of Outer are merged with the SELECT: its rows come in no order of their own, and columns are the table's.
	Merged bool
	// Matches are the MATCHes, for which all rows of the table are counted first.
	Matches []*Match
	// KeptLate says that they are computed for the groups in their order, else where a group is met.
	KeptLate bool
	below    map[int]bool // see scope
	choice   *choice      // nil where there is no table
	span     [1]Span      // memory of Access.Spans, see keys
}

// Item is one column of the result.
type Item struct {
	X    *eval.Expr
	Name string
	// Key is what DISTINCT compares; nil without it.
	Key *eval.Expr
	// Column is the table's column that is shown as it is; nil for an expression.
	Column *relation.Column
	// Aliased says that the statement gives it its name.
	Aliased bool
	// OrNone says that the column is NULL if there is no row, whatever its definition says.
	OrNone bool
	// Emptied says that the column, which cannot be NULL, is shown as one of a temporary table that can.
	Emptied bool
	// OfOne says that the column is shown as the value that it has in the only row.
	OfOne bool
	// rolled says that super rows show the item as NULL; see rollup.
	rolled bool
	// Shown is what is shown of the item behind Outer; nil for X.
	Shown *eval.Expr
	// View is the name of the view's column that the item is; "" for none.
	View string
	// Sets is the user variable that gets the item's value; "" for none.
	Sets string
	// Named says that the column of the temporary table has the item's name, for clients.
	Named bool
	// Described is the column that clients are told of: Column, or that of DEFAULT(column).
	Described *relation.Column
}

// Order is a key of ORDER BY.
type Order struct {
	X    *eval.Expr
	Desc bool
	// Column is the table's column that is the key, -1 for another expression.
	Column int
}

// CompileSelect makes the plan of a SELECT. The binder is that of the statement; src is nil where there is no table. text is what the
// statement's positions are of.
func CompileSelect(b *bind.Binder, n *tree.Select, src *Source, text string) (*Select, error) {
	c := &compiler{b: b, text: text, scope: scope{src: src, used: map[int]bool{}, below: map[int]bool{}}}
	c.scope.bind = b.Expr
	p, err := c.selection(n)
	if err != nil || src == nil {
		return p, err
	}
	if src.View != nil {
		if err := readable(p, n); err != nil {
			return nil, err
		}
	}
	p.below = c.scope.below
	return p, c.virtual(p)
}

type compiler struct {
	b          *bind.Binder
	text       string
	scope      scope
	aggregates bind.Aggregates
	known      int   // how many of them are in adding
	adding     []int // see Group.Adding
	// other is the query of an INSERT while ON DUPLICATE KEY UPDATE is bound that may read it; else nil.
	other *scope
	star  bool // the select list has *
	// forgiving says that the statement has IGNORE.
	forgiving bool
	kept      []*eval.Expr // see Select.Kept
	matches   []*Match
	tested    []int // the conjuncts of which Select.Where are the conditions
}

// in binds what is in a clause.
func (c *compiler) in(clause string, items []*Item) {
	c.scope.clause, c.scope.items = clause, items
	c.b.Column, c.b.Default, c.b.Match = c.scope.column, nil, nil
	switch clause {
	case "SELECT", "WHERE", "GROUP BY", "ORDER BY":
		c.b.Default = c.defaultOf
		fallthrough
	case "HAVING":
		c.b.Match = func(n *tree.Match) (*eval.Expr, error) { return match(c, n) }
	}
}

// options are those of SELECT that change nothing in the result, and DISTINCT.
const options = tree.SelectDistinct | tree.SelectHighPriority | tree.SelectStraightJoin | tree.SelectSQLSmallResult | tree.SelectSQLBigResult |
	tree.SelectSQLBufferResult | tree.SelectSQLCalcFoundRows | tree.SelectSQLNoCache | tree.SelectSQLCache

func (c *compiler) selection(n *tree.Select) (*Select, error) {
	if c.b.Numbered = numbered(n); c.b.Numbered && n.Rollup {
		return nil, mysqlerr.Never("ROWNUM of groups with ROLLUP")
	}
	defer func() { c.b.Numbered, c.b.Match = false, nil }()
	p := &Select{Source: c.scope.src, Used: c.scope.used, Distinct: n.Options&tree.SelectDistinct != 0,
		CountAll: n.Options&tree.SelectSQLCalcFoundRows != 0}
	var err error
	c.allow(true)
	defer c.allow(false)
	c.in("SELECT", nil)
	alone := n.GroupBy == nil && overRows(n)
	if alone {
		c.b.Column = c.columnOrNone
	}
	if p.Items, err = c.items(n.Items); err != nil {
		return nil, err
	}
	p.Star = c.star
	for _, item := range p.Items {
		if alone && item.Column != nil {
			item.X, item.OrNone = nullable(item.X, true), true
		}
	}
	c.allow(false)
	where := c.nullDates(n.Where, false, c.inTable)
	if err := c.where(p, where); err != nil {
		return nil, err
	}
	if err := c.group(p, n); err != nil {
		return nil, err
	}
	if p.Distinct {
		for _, item := range p.Items {
			item.Key = item.X
		}
	}
	if err := c.order(p, n.OrderBy); err != nil {
		return nil, err
	}
	if p.Group == nil && len(c.aggregates.Funcs) > 0 {
		p.Group = &Group{}
		if err := c.fullGroups(p, nil); err != nil {
			return nil, err
		}
	}
	if p.Group != nil {
		p.Group.Aggregates, p.Group.Adding = c.aggregates.Funcs, c.adding
	}
	if p.Limit, err = c.limit(n.Limit); err != nil {
		return nil, err
	}
	if p.Limit.Ties {
		if err := c.ties(p, n); err != nil {
			return nil, err
		}
	}
	if p.Source == nil {
		p.Order, p.Distinct = nil, false // there is one row at most
		return p, keeps(c, p, n)
	}
	best, f := c.access(p, where)
	if best.one && !p.Source.Ignored[best.Index] && p.Group != nil && p.Group.Rollup {
		if err := p.oneRolled(n); err != nil {
			return nil, err
		}
	}
	p.Temporary = c.temporary(p, n, best, f)
	if p.Temporary && p.Group != nil && slices.ContainsFunc(p.Group.Aggregates, ofBits) {
		return nil, bind.Refusal("MIN and MAX of a BIT in a temporary table") // MariaDB shows the bytes
	}
	if err := keeps(c, p, n); err != nil {
		return nil, err
	}
	c.ends(p, best, f)
	if err := numbers(c, p, n); err != nil {
		return nil, err
	}
	if best.one {
		p.Limit.Examined = nil // a row that is read before the others does not count
	}
	p.Matches = c.matches
	if err := byRelevance(c, p, where); err != nil {
		return nil, err
	}
	return p, examined(p, n, c.b.Assigned != nil)
}

// Refused refuses a SELECT with a clause that is not understood, before anything else is looked at.
func Refused(n *tree.Select) error {
	rest := *n // what is understood is taken out
	rest.Options &^= options
	rest.Span, rest.Items, rest.From, rest.Where, rest.GroupBy, rest.Having = tree.Span{}, nil, nil, nil, nil, nil
	rest.OrderBy, rest.Limit, rest.Lock, rest.Rollup = nil, nil, nil, false
	if understood(rest.Into) {
		rest.Into = nil
	}
	if what := left(&rest); what != "" {
		return bind.Refusal(what)
	}
	if n.Rollup && n.OrderBy != nil {
		return mysqlerr.New(mysqlerr.WrongUsage, "CUBE/ROLLUP", "ORDER BY")
	}
	return nil
}

// left names the first clause of a SELECT that nothing has taken; "" if there is none.
func left(n *tree.Select) string {
	switch {
	case n.With != nil:
		return "WITH"
	case n.Options != 0:
		return "an option of SELECT"
	case n.Windows != nil:
		return "WINDOW"
	case n.Procedure != nil:
		return "PROCEDURE"
	case n.Into != nil:
		return "INTO"
	case !n.Tail.Empty():
		return "a clause after the conditions"
	}
	return ""
}

// understood reports whether a result goes into a file, or into user variables only.
func understood(into tree.Into) bool {
	variables, ok := into.(*tree.IntoVariables)
	if !ok {
		return into != nil
	}
	for _, n := range variables.Targets {
		if _, ok := n.(*tree.UserVariable); !ok {
			return false
		}
	}
	return true
}

// CompileValues binds the expressions of a DO or SET, which clause names in messages.
func CompileValues(b *bind.Binder, list []tree.Expr, clause string) ([]*eval.Expr, error) {
	c := &compiler{b: b}
	c.allow(false)
	c.in(clause, nil)
	out := make([]*eval.Expr, len(list))
	for i, n := range list {
		var err error
		if out[i], err = b.Expr(n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *compiler) items(list []*tree.SelectItem) ([]*Item, error) {
	var out []*Item
	for _, n := range list {
		if all, ok := n.X.(*tree.AllColumns); ok {
			items, err := c.all(all)
			if err != nil {
				return nil, err
			}
			out = append(out, items...)
			continue
		}
		x, err := c.selected(n.X)
		if err != nil {
			return nil, err
		}
		if _, alone := n.X.(*tree.Placeholder); alone && !x.Null() {
			y := *x
			y.Type.Nullable = false // its value is known not to be NULL
			x = &y
		}
		c.together()
		item := &Item{X: x, Name: NameOf(c.text, n, x, c.b.Env.Client), Aliased: n.Alias != nil}
		if item.Aliased {
			item.Name = c.alias(item.Name)
		}
		if set, ok := n.X.(*tree.AssignVariable); ok {
			item.Sets = set.Name
		}
		if name, ok := n.X.(*tree.ColumnRef); ok {
			if at, _ := c.scope.readThrough(name); at >= 0 {
				item.View = c.scope.src.View.Columns[at].Name
				if !item.Aliased {
					item.Name = item.View
				}
			}
		}
		x.Call(item.Name)
		if _, ordinal, ok := x.Column(); ok {
			item.Column = &c.scope.src.Table.Columns[ordinal]
			item.Described = item.Column
		} else if d, ok := n.X.(*tree.DefaultOf); ok {
			item.Described = &c.scope.src.Table.Columns[c.scope.src.Table.Find(d.Column.Name.Text)]
		}
		out = append(out, item)
	}
	return out, nil
}

// all is * or t.*.
func (c *compiler) all(n *tree.AllColumns) ([]*Item, error) {
	src := c.scope.src
	if src == nil {
		return nil, mysqlerr.New(mysqlerr.NoTablesUsed)
	}
	if !src.called(n.DB.Text, n.Table.Text) {
		name := n.Table.Text
		if db := n.DB.Text; db != "" {
			name = db + "." + name
		} else if src.CurrentDB != "" {
			name = src.CurrentDB + "." + name
		}
		return nil, mysqlerr.New(mysqlerr.BadTable, name)
	}
	c.star = c.star || n.Table.Text == ""
	if src.View != nil {
		return allOfView(c)
	}
	var out []*Item
	for i := range src.Table.Columns {
		col := &src.Table.Columns[i]
		if col.Def.Hidden || col.Def.Invisible {
			continue
		}
		x, err := c.scope.at(i)
		if err != nil {
			return nil, err
		}
		out = append(out, &Item{X: x, Name: col.Def.Name, Column: col, Described: col})
	}
	return out, nil
}

// Condition is whether something holds for a frame's row.
type Condition func(*eval.Frame) bool

// where takes the condition apart: what is the same for all rows is looked at once.
func (c *compiler) where(p *Select, n tree.Expr) error {
	if n == nil {
		return nil
	}
	c.in("WHERE", nil)
	all, number := conjuncts(nil, n), "bigint"
	if len(all) > 1 {
		number = "int"
	}
	for i, n := range all {
		x, err := c.b.Expr(n)
		if err != nil {
			return err
		}
		if err := operator.Condition(x, "<>", number); err != nil {
			return err
		}
		holds := operator.Holds(&c.b.Builder, x)
		if x.Is(eval.Constant) {
			p.Once = append(p.Once, holds)
		} else {
			p.Where = append(p.Where, holds)
			c.tested = append(c.tested, i)
		}
	}
	return nil
}

// conjuncts are the conditions of which all must hold.
func conjuncts(to []tree.Expr, n tree.Expr) []tree.Expr {
	if chain, ok := n.(*tree.Chain); ok && chain.Op == tree.OpAnd {
		for _, x := range chain.Operands {
			to = conjuncts(to, x)
		}
		return to
	}
	return append(to, n)
}

func (c *compiler) order(p *Select, list []*tree.Order) error {
	for _, n := range list {
		x, err := c.orderKey(p.Items, n.X)
		if err != nil {
			return err
		}
		c.together()
		o := Order{X: x, Desc: n.Desc, Column: -1}
		if _, ordinal, ok := x.Column(); ok {
			o.Column = ordinal
		}
		if x.Is(eval.Constant) {
			continue // it orders nothing, and is not computed
		}
		if o.X = x; o.Column < 0 && p.Group == nil && !p.Distinct {
			o.X = nullIsZero(x)
		}
		p.Order = append(p.Order, o)
	}
	return nil
}

// nullIsZero is what a sort without a temporary table orders by: of what is computed and is a TIMESTAMP MariaDB takes NULL and 0000-00-00 for the same.
func nullIsZero(x *eval.Expr) *eval.Expr {
	m := x.Instant()
	if x.Type.Kind != types.Timestamp || m == nil || !x.Type.Nullable {
		return x
	}
	row, t := eval.Of[int64](m), m.Type
	t.Nullable = false
	return eval.New("", t, func(f *eval.Frame) (int64, bool) {
		v, null := row(f)
		if null {
			return 0, false
		}
		return v, false
	}, x).As(x)
}

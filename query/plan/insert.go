package plan

import (
	"slices"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
)

// Insert is an INSERT or REPLACE.
type Insert struct {
	Source *Source
	// Query gives the rows that are not written out; nil of those that are. Given is what becomes of its items: a cell for each.
	Query *Select
	Given []Cell
	// Columns are those that are given values, by their ordinals in the order of the statement; All says that it does not name them.
	Columns []int
	All     bool
	// Rows have a cell for each of Columns. There are Count of them. If Each is not nil it has the rows: it binds them one by one, begins one in the
	// binder's frame (Frame.Reset), and calls a function with it.
	Rows  [][]Cell
	Count int
	Each  func(func([]Cell) error) error
	// Loads says that nobody knows how many rows Each has: they are those of a file.
	Loads bool
	// Others are the columns that are given nothing.
	Others []Other
	// Auto is the AUTO_INCREMENT column, -1 for none; Zero says that 0 is a value of it like any other.
	Auto int
	Zero bool
	// Replace says that rows that have a key already are deleted; Ignore, that errors of rows are warnings.
	Replace, Ignore bool
	// Keys are what foreign keys ask; nil for nothing. Referred says that some refer to the table: REPLACE then deletes rows rather than change them.
	Keys     *Keys
	Referred bool
	// LastUnique is the last of the keys that are unique: a row that has it, and none of the others, is the only one that is in the way.
	LastUnique int
	// Kept says that the query's items are values that were computed before: those of groups, and of rows that are read before the first is added.
	// Else they are computed for the row that is added.
	Kept bool
	// OnDuplicate is what becomes of the row that has a key already; nil without it. Its second row is the one that was to be inserted.
	OnDuplicate *Changes
	// Returning are the columns of the result; nil without RETURNING. Used are the columns that they read, by their ordinals.
	Returning []*Item
	Used      map[int]bool
	// Early says that Returning shows columns that are made of the AUTO_INCREMENT value: MariaDB shows them as they were before that was known.
	Early bool
	// Rules are what the table's definition makes of new and changed rows; nil for nothing.
	Rules *Rules
	// Indexed are the columns that are computed when a row is read, and are in indexes: they are computed once more for a row that REPLACE deletes.
	Indexed *Virtual
	// Sees says that an expression reads the row that is being made, the frame's second one.
	Sees bool
	// Reads are the columns that VALUES names, by their ordinals.
	Reads map[int]bool
}

// The places of rows in the frame of an INSERT: the row that is in the table, that which was to be inserted, and that of the query.
const (
	placeThere = iota
	placeNew
	PlaceQuery
)

// Cell is what a column of a row is given.
type Cell struct {
	X *eval.Expr // nil: its default
	// Plain says that Value takes X's place: there is no need for an expression.
	Plain bool
	Value types.Value
	// Problem is what is wrong about a plain value: a warning, or an error if the statement is strict.
	Problem *mysqlerr.Error
	// Assign makes the column's value of X's; nil if that is the column's value already.
	Assign *assign.Assigner
	// Sees says that X reads what the row has so far.
	Sees bool
	// Zero takes Assign's place for a zero TIMESTAMP whose moment is X's value, where sql_mode forbids it; else nil.
	Zero *assign.Assigner
	// Generated says whether the column is a generated one, whose value does not count.
	Generated Generation
}

// Other is a column that is given its default.
type Other struct {
	Column  int // ordinal
	Default *relation.Default
	// Silent says that nothing is said of it if there is none: ON DUPLICATE KEY UPDATE sets the column.
	Silent bool
	// Cell computes the default that is an expression.
	Cell Cell
}

// CompileInsert makes the plan of an INSERT into one table. from is the table of its query; nil without one. text is what the statement's positions are of.
// long are rows that the tree leaves out; nil if there are none.
func CompileInsert(b *bind.Binder, n *tree.Insert, src, from *Source, text string, long *LongRows) (*Insert, error) {
	if err := changeable(src); err != nil {
		return nil, err
	}
	c := &inserting{compiler: compiler{b: b, text: text, scope: scope{src: src}, forgiving: n.Ignore}, assigners: map[assignerKey]*assign.Assigner{},
		plainAssigners: map[plainKey]*assign.Assigner{}}
	c.p = &Insert{Source: src, Auto: src.Table.AutoIncrement, Reads: map[int]bool{}, Zero: b.Env.Mode&types.NoAutoValueOnZero != 0}
	var err error
	if c.p.Rules, err = rules(b, src); err != nil {
		return nil, err
	}
	c.replaces = n.Replace || n.OnDuplicate != nil
	c.again = n.Ignore || n.Replace || n.OnDuplicate != nil
	if !c.again && n.Query == nil && n.Returning == nil {
		b.Numbered = numbered(n)
	}
	names, rows := n.Columns, n.Rows
	if n.Set != nil {
		row := &tree.Row{}
		for _, a := range n.Set {
			names = append(names, a.Column)
			row.Items = append(row.Items, a.Value)
		}
		rows = []*tree.Row{row}
	}
	if n.Query != nil {
		if err := c.query(n.Query, from); err != nil {
			return nil, err
		}
	}
	values := n.Query != nil || len(rows) > 0 && len(rows[0].Items) > 0
	if long != nil {
		if n.Query != nil {
			return nil, bind.Refusal("rows that are a part of a query")
		}
		values = long.Width > 0
	}
	if err := c.columns(names, "INSERT INTO", values); err != nil {
		return nil, err
	}
	if long != nil {
		if err := c.longRows(long); err != nil {
			return nil, err
		}
	} else if err := c.given(rows); err != nil {
		return nil, err
	}
	c.p.Replace, c.p.Ignore, c.p.LastUnique = n.Replace, n.Ignore, lastUnique(src.Table)
	if n.Replace && src.Table.Virtual {
		if c.p.Indexed, err = inIndexes(b, src); err != nil {
			return nil, err
		}
	}
	if err := c.missing(); err != nil {
		return nil, err
	}
	if err := c.missingInView(); err != nil {
		return nil, err
	}
	if err := c.onDuplicate(n.OnDuplicate, from); err != nil {
		return nil, err
	}
	if err := c.returning(n.Returning); err != nil {
		return nil, err
	}
	if c.p.Query != nil && from != nil { // ON DUPLICATE KEY UPDATE may read more of its columns
		other := &compiler{b: b, scope: scope{src: from}}
		if err := other.virtual(c.p.Query); err != nil {
			return nil, err
		}
	}
	return c.p, c.others()
}

// lastUnique is the last unique index of a table by its place, -1 for the primary key.
func lastUnique(t *relation.Table) int {
	for _, i := range slices.Backward(t.Ranked) {
		if t.Indexes[i].Unique {
			return i
		}
	}
	return -1
}

// onDuplicate binds ON DUPLICATE KEY UPDATE, where VALUE(column) is what the row was to have.
func (c *inserting) onDuplicate(list []*tree.Assignment, from *Source) error {
	if list == nil {
		return nil
	}
	c.b.Value = func(n *tree.ColumnRef) (*eval.Expr, error) {
		at, err := c.scope.ordinal(n)
		if err != nil {
			return nil, err
		}
		if at < 0 {
			return nil, c.scope.unknown(n)
		}
		t := c.scope.src.Table
		col := &t.Columns[at]
		if col.Unknown != "" {
			return nil, bind.Refusal(col.Unknown)
		}
		return t.Expr(placeNew, at, "`"+t.Def.DB+"`.`"+t.Def.Name+"`.`"+col.Def.Name+"`"), nil
	}
	defer func() { c.b.Value = nil }()
	c.p.OnDuplicate = &Changes{}
	c.scope.used = map[int]bool{}
	values := "SELECT"
	if c.p.Query != nil {
		values = "UPDATE"
	}
	if from != nil && c.p.Query.Group == nil {
		c.other = &scope{src: from, used: c.p.Query.Used}
		defer func() { c.other = nil }()
	}
	return c.sets(c.p.OnDuplicate, list, "UPDATE", values)
}

type inserting struct {
	// again says that a row may be left out, or tried once more as another one.
	again bool
	// replaces says that a row may change another one.
	replaces bool
	compiler
	p              *Insert
	assigners      map[assignerKey]*assign.Assigner
	plainAssigners map[plainKey]*assign.Assigner
	// lends says that a row is used until the next one is bound, which gets its memory: cells, and texts of plain ones.
	lends bool
	cells []Cell
	texts []byte
}

// assignerKey is what an assigner is for: all values of one type in a column share one.
type assignerKey struct {
	column int
	from   assign.Source
}

// columns finds those that the statement names, in a clause; or without names all that are visible, if it has values for them.
func (c *inserting) columns(names []tree.Expr, clause string, values bool) error {
	t := c.scope.src.Table
	c.in(clause, nil)
	for _, n := range names {
		name, ok := n.(*tree.ColumnRef)
		if !ok {
			return bind.Refusal("this list of columns")
		}
		at, err := c.scope.ordinal(name)
		if err != nil {
			return err
		}
		if at < 0 {
			return c.scope.unknown(name)
		}
		if slices.Contains(c.p.Columns, at) {
			return mysqlerr.New(mysqlerr.FieldSpecifiedTwice, t.Columns[at].Def.Name)
		}
		c.p.Columns = append(c.p.Columns, at)
	}
	if c.p.All = len(names) == 0; c.p.All && values {
		for i := range t.Columns {
			if !t.Columns[i].Def.Invisible {
				c.p.Columns = append(c.p.Columns, i)
			}
		}
	}
	for _, at := range c.p.Columns {
		switch col := &t.Columns[at]; {
		case col.Unknown != "":
			return bind.Refusal(col.Unknown)
		case at == c.p.Auto && col.Type.Class() != types.ClassInt:
			return bind.Refusal("an AUTO_INCREMENT column that is no integer")
		}
	}
	return nil
}

// given binds what the columns are given: by rows, or by the query.
func (c *inserting) given(rows []*tree.Row) error {
	if c.p.Query != nil {
		return c.fromQuery()
	}
	return c.rows(rows)
}

// rows binds those that are written out.
func (c *inserting) rows(rows []*tree.Row) error {
	defer c.bindsRows()()
	for _, n := range rows {
		c.p.Count++
		row, err := c.row(n)
		if err != nil {
			return err
		}
		c.p.Rows = append(c.p.Rows, row)
	}
	return nil
}

// row binds the values of the row that was counted last.
func (c *inserting) row(n *tree.Row) ([]Cell, error) {
	if len(n.Items) != len(c.p.Columns) {
		return nil, mysqlerr.New(mysqlerr.WrongValueCountOnRow, c.p.Count)
	}
	if c.p.Count > 1 {
		c.scope.clause = "SELECT" // sic, in messages about names
	}
	row := c.newCells(len(n.Items))
	for i, item := range n.Items {
		var err error
		if row[i], err = c.cell(c.p.Columns[i], item); err != nil {
			return nil, err
		}
	}
	return row, nil
}

func (c *inserting) cell(at int, n tree.Expr) (cell Cell, err error) {
	if cell, ok, err := c.plain(at, n); ok || err != nil {
		return cell, err
	}
	c.sees()
	switch n.(type) {
	case *tree.DefaultWord:
		if c.scope.src.Table.Columns[at].Def.Generated != "" {
			return Cell{Generated: Unsaid}, nil
		}
		d := DefaultOf(c.scope.src.Table, at)
		if d.Refused != "" {
			return cell, bind.Refusal(d.Refused)
		}
		if d.Computed {
			return c.computed(at)
		}
		return cell, nil
	case *tree.IgnoreWord:
		return cell, bind.Refusal("IGNORE as a value")
	}
	if cell.X, err = c.b.Expr(n); err != nil {
		return cell, err
	}
	if col := &c.scope.src.Table.Columns[at]; col.Def.Generated != "" {
		how := generation(col, n, cell.X)
		if how == Said && (c.p.All || !col.Virtual()) {
			cell, err = c.seeing(at, cell.X)
		} else {
			cell.X = nil
			c.noteReads()
		}
		cell.Generated = how
		return cell, err
	}
	if len(c.scope.used)+len(c.scope.below) > 0 {
		return c.seeing(at, cell.X)
	}
	if moment, err := c.moment(at, cell.X); moment != nil || err != nil {
		cell.X = moment
		return cell, err
	}
	cell.Assign, err = c.assignerOf(at, assign.Source{Type: cell.X.Type})
	return cell, err
}

// assignerOf makes values of a column of what is given to it.
func (c *inserting) assignerOf(at int, from assign.Source) (*assign.Assigner, error) {
	key := assignerKey{at, from}
	if a := c.assigners[key]; a != nil {
		return a, nil
	}
	t := c.scope.src.Table
	col := &t.Columns[at]
	to := &assign.Column{Type: col.Type, Database: t.Def.DB, Table: t.Def.Name, Name: col.Def.Name}
	a, err := assign.New(c.b.Env.Mode, to, from)
	if err != nil {
		return nil, err
	}
	c.assigners[key] = a
	if c.p.Count > 1 { // MariaDB asks for the first row, and finds of the others what they are
		return a, nil
	}
	return a, c.mismatch(a)
}

// others are the defaults of the columns that are not given values.
func (c *inserting) others() error {
	t := c.scope.src.Table
	given := make([]bool, len(t.Columns))
	for _, at := range c.p.Columns {
		given[at] = true
	}
	for i := range t.Columns {
		if given[i] {
			continue
		}
		d := DefaultOf(t, i)
		if d.Refused != "" {
			return bind.Refusal(d.Refused)
		}
		other := Other{Column: i, Default: d}
		if d.Computed {
			var err error
			if other.Cell, err = c.computed(i); err != nil {
				return err
			}
		}
		if c.p.OnDuplicate != nil {
			other.Silent = c.p.Query == nil && slices.ContainsFunc(c.p.OnDuplicate.Sets, func(s Set) bool { return s.Column == i })
		}
		c.p.Others = append(c.p.Others, other)
	}
	return nil
}

package plan

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/row"
)

// Write is an UPDATE or DELETE.
type Write struct {
	*Select
	// Delete says that the rows are deleted.
	Delete bool
	Changes
	// Ignore says that errors of rows are warnings.
	Ignore bool
	// Rules are what the table's definition makes of changed rows; nil for nothing.
	Rules *Rules
	// All are the columns that are computed for each row that may be changed: all of them, as the binary log has them.
	All *Virtual
	// Indexed are those of them that are in indexes: they are computed once more for a row that is deleted.
	Indexed *Virtual
	// Keys are what foreign keys ask; nil for nothing.
	Keys *Keys
}

// Changes are what an UPDATE makes of a row.
type Changes struct {
	// Sets are the assignments, in their order: each sees what those before it have set.
	Sets []Set
	// OnUpdate are the columns that get the present time when the row changes, by their ordinals.
	OnUpdate []int
	moves    bool // a column of the primary key is set
}

// Set is an assignment.
type Set struct {
	Column int        // ordinal
	X      *eval.Expr // nil: the column's default
	// Assign makes the column's value of X's; nil if that is the column's value already.
	Assign *assign.Assigner
	Zero   *assign.Assigner // see Cell
	// Reads are the columns that X reads, by their ordinals.
	Reads map[int]bool
	// After says that one of them is assigned before.
	After bool
	// Generated says whether the column is a generated one, whose value does not count.
	Generated Generation
}

// CompileUpdate makes the plan of an UPDATE of one table.
func CompileUpdate(b *bind.Binder, n *tree.Update, src *Source) (*Write, error) {
	if n.Portion != nil {
		return nil, bind.Refusal("this form of UPDATE")
	}
	b.Numbered = numbered(n)
	if b.Numbered && n.Where != nil && n.OrderBy != nil && numbered(n.Where) {
		return nil, bind.Refusal("ROWNUM as a condition on rows that are changed in an order")
	}
	c := &compiler{b: b, scope: scope{src: src, used: map[int]bool{}}, forgiving: n.Ignore}
	w, err := c.write(n.Where, n.OrderBy, n.Limit)
	if err != nil {
		return nil, err
	}
	w.Ignore = n.Ignore
	if w.Rules, err = rules(b, src); err != nil {
		return nil, err
	}
	return w, c.sets(&w.Changes, n.Set, "SET", "SET")
}

// CompileDelete is CompileUpdate for a DELETE. Its items are those of RETURNING; text is what the statement's positions are of.
func CompileDelete(b *bind.Binder, n *tree.Delete, src *Source, text string) (*Write, error) {
	if n.Targets != nil || n.Portion != nil || n.History || n.Before != nil {
		return nil, bind.Refusal("this form of DELETE")
	}
	b.Numbered = numbered(n)
	if b.Numbered && n.Where != nil && n.OrderBy != nil && numbered(n.Where) {
		return nil, bind.Refusal("ROWNUM as a condition on rows that are changed in an order")
	}
	c := &compiler{b: b, text: text, scope: scope{src: src, used: map[int]bool{}}}
	w, err := c.write(n.Where, n.OrderBy, n.Limit)
	if err != nil {
		return nil, err
	}
	if b.Env.SafeUpdates && len(w.Where) == 0 { // whatever LIMIT says
		return nil, mysqlerr.New(mysqlerr.UpdateWithoutKeyInSafeMode)
	}
	w.Delete, w.Ignore = true, n.Ignore
	w.Items, err = c.returning(n.Returning)
	return w, err
}

// write finds the rows.
func (c *compiler) write(where tree.Expr, order []*tree.Order, limit *tree.Limit) (*Write, error) {
	p := &Select{Source: c.scope.src, Used: c.scope.used}
	c.allow(false)
	if err := changeable(c.scope.src); err != nil {
		return nil, err
	}
	if err := readsLastInsertID(where, order); err != nil {
		return nil, err
	}
	if err := conditionSets(where, order); err != nil {
		return nil, err
	}
	where = c.nullDates(where, false, c.inTable)
	if err := c.where(p, where); err != nil {
		return nil, err
	}
	if err := c.order(p, order); err != nil {
		return nil, err
	}
	for _, o := range p.Order {
		if c.b.Assigned != nil && o.X.Is(eval.Volatile) {
			return nil, bind.Refusal("a user variable that ORDER BY sets")
		}
	}
	var err error
	if p.Limit, err = c.limit(limit); err != nil {
		return nil, err
	}
	_, f := c.access(p, where)
	if c.b.Env.SafeUpdates && !asksKey(c, f) && !p.Limit.Any {
		return nil, mysqlerr.New(mysqlerr.UpdateWithoutKeyInSafeMode)
	}
	if err := numbersChanges(c, p); err != nil {
		return nil, err
	}
	p.Matches, c.b.Match = c.matches, nil
	w := &Write{Select: p}
	if err := c.virtual(p); err != nil || !p.Source.Table.Virtual {
		return w, err
	}
	all := map[int]bool{}
	for i := range p.Source.Table.Columns {
		all[i] = true
	}
	if w.All, err = virtual(c.b, p.Source, all); err != nil {
		return w, err
	}
	w.Indexed, err = inIndexes(c.b, p.Source)
	return w, err
}

// readsLastInsertID refuses LAST_INSERT_ID(value) where it depends on the plan for how many rows it is computed: but as the last of the conditions that AND
// connects it is for those that the others let through, in the order in which they are read.
func readsLastInsertID(where tree.Expr, order []*tree.Order) error {
	keys := &tree.Row{}
	for _, o := range order {
		keys.Items = append(keys.Items, o.X)
	}
	if setsLastInsertID(keys) || where != nil && setsLastInsertID(where) && len(order) > 0 {
		return mysqlerr.Never("LAST_INSERT_ID(value) in a condition or an order, where rows are sorted before they are changed")
	}
	if where == nil {
		return nil
	}
	all := conjuncts(nil, where)
	for i, n := range all {
		if setsLastInsertID(n) && (i < len(all)-1 || !namesColumn(n)) {
			return mysqlerr.Never("LAST_INSERT_ID(value) in a condition, but as the last one behind AND, of a column")
		}
	}
	return nil
}

// setsLastInsertID reports whether an expression has LAST_INSERT_ID(value).
func setsLastInsertID(n tree.Node) (found bool) {
	tree.Walk(n, func(n tree.Node) bool {
		call, ok := n.(*tree.Call)
		found = found || ok && len(call.Args) > 0 && strings.EqualFold(call.Name.Text, "LAST_INSERT_ID")
		return !found
	})
	return found
}

// changeable refuses tables whose rows have consequences when they change, beyond themselves and their indexes.
func changeable(src *Source) error {
	def := src.Table.Def
	for i := range def.Columns {
		switch c := &def.Columns[i]; {
		case c.Hidden:
			return bind.Refusal("a hidden column")
		case c.Generated != "" && slices.ContainsFunc(src.Table.Primary, func(p row.KeyPart) bool { return p.Column == i }):
			return bind.Refusal("a primary key of generated columns") // which MariaDB does not have
		}
	}
	for i := range def.Indexes {
		if k := def.Indexes[i].Kind; k != "" && k != catalog.Fulltext {
			return bind.Refusal("an index of this kind")
		}
	}
	return nil
}

// sets binds the assignments: first all columns, then all values. The clauses are what messages call both.
func (c *compiler) sets(w *Changes, list []*tree.Assignment, columns, values string) error {
	c.in(columns, nil)
	t := c.scope.src.Table
	together := c.b.Env.Mode&types.SimultaneousAssignment != 0
	set := map[int]bool{}
	for _, n := range list {
		at, err := c.scope.ordinal(n.Column)
		if err != nil {
			return err
		}
		if at < 0 {
			return c.scope.unknown(n.Column)
		}
		switch col := &t.Columns[at]; {
		case col.Unknown != "":
			return bind.Refusal(col.Unknown)
		}
		w.moves = w.moves || slices.ContainsFunc(t.Primary, func(p row.KeyPart) bool { return p.Column == at })
		if together && slices.ContainsFunc(w.Sets, func(s Set) bool { return s.Column == at }) {
			if c.b.Value != nil { // ON DUPLICATE KEY UPDATE, where MariaDB keeps one of them
				return bind.Refusal("a column that is assigned twice at the same time")
			}
			return mysqlerr.New(mysqlerr.UpdatedColumnOnce, c.scope.src.Alias, t.Columns[at].Def.Name)
		}
		w.Sets = append(w.Sets, Set{Column: at})
	}
	for _, p := range t.Primary {
		w.moves = w.moves || t.Columns[p.Column].Def.Generated != ""
	}
	c.in(values, nil)
	if c.other != nil {
		c.other.clause = values
		c.b.Column = c.either
	}
	c.b.Default = c.defaultOf
	defer func() { c.b.Default = nil }()
	used := c.scope.used
	defer func() { c.scope.used = used }()
	for i, n := range list {
		s := &w.Sets[i]
		s.Reads = map[int]bool{}
		c.scope.used, c.scope.below = s.Reads, map[int]bool{}
		var err error
		if s.X, err = c.assigned(s, n.Value); err != nil {
			return err
		}
		s.Generated = generation(&t.Columns[s.Column], n.Value, s.X)
		for at := range s.Reads {
			s.After = s.After || set[at] && !together
		}
		for at := range c.scope.below {
			s.After = s.After || set[at] && !together
		}
		for at := range s.Reads {
			if set[at] && t.Columns[at].Def.Generated != "" && !t.Columns[at].Virtual() {
				return bind.Refusal("a stored column that is read after it was given a value")
			}
		}
		set[s.Column] = true
		if s.X == nil || s.Generated != NotGenerated && (s.Generated == Unsaid || t.Columns[s.Column].Virtual()) {
			continue
		}
		if err = c.assigner(s); err != nil {
			return err
		}
	}
	for i := range t.Columns {
		if t.Columns[i].Def.OnUpdate != "" && !set[i] {
			w.OnUpdate = append(w.OnUpdate, i)
		}
	}
	return nil
}

// either is a column of the table or of the query that gives the rows: bind.Binder.Column.
func (c *compiler) either(n *tree.ColumnRef) (*eval.Expr, error) {
	at, err := c.scope.ordinal(n)
	if err != nil {
		return nil, err
	}
	from, err := c.other.ordinal(n)
	switch {
	case err != nil:
		return nil, err
	case from < 0:
		return c.scope.column(n)
	case at >= 0:
		return nil, mysqlerr.New(mysqlerr.NonUniq, fullName(n), c.scope.clause)
	}
	return c.other.at(from)
}

// assigned binds what a column is set to; nil is its default.
func (c *compiler) assigned(s *Set, n tree.Expr) (*eval.Expr, error) {
	switch n.(type) {
	case *tree.DefaultWord:
		col := &c.scope.src.Table.Columns[s.Column]
		switch d := DefaultOf(c.scope.src.Table, s.Column); {
		case col.Def.AutoIncrement:
			return eval.NewLiteral(types.IntType(1, false), types.Value{}, []byte("0")), nil
		case d.Refused != "":
			return nil, bind.Refusal(d.Refused)
		case d.None && c.b.Value == nil: // ON DUPLICATE KEY UPDATE says so only if there is a row to be updated
			return nil, mysqlerr.New(mysqlerr.NoDefaultForField, col.Def.Name)
		case !d.None && !col.Def.HasDefault && !col.Type.Nullable:
			return nil, bind.Refusal("the default of an ENUM that has none")
		case d.Computed:
			return c.standard(s.Column)
		}
		return nil, nil //nolint:nilnil // see above
	case *tree.IgnoreWord:
		return nil, bind.Refusal("IGNORE as a value")
	}
	return c.b.Expr(n)
}

// Generation is what becomes of a value for a column.
type Generation byte

const (
	// NotGenerated: it is the column's.
	NotGenerated Generation = iota
	// Unsaid: the column is generated, and nothing is said of a value that is DEFAULT or NULL.
	Unsaid
	// Said: the column is generated, which is error 1906 or a warning. The value is made one of the column's all the same, but for a
	// VIRTUAL column that the statement names.
	Said
)

// generation is what becomes of a value for a column; x is nil for DEFAULT.
func generation(col *relation.Column, n tree.Expr, x *eval.Expr) Generation {
	switch n.(type) {
	case *tree.NullLit, *tree.TextLit, *tree.Placeholder: // a text without characters may be NULL, by sql_mode
		return generationOf(col, x.Null())
	case *tree.DefaultWord:
		return generationOf(col, true)
	}
	return generationOf(col, false)
}

// generationOf is the same; nothing says that the value is DEFAULT, or a NULL that is written there.
func generationOf(col *relation.Column, nothing bool) Generation {
	switch {
	case col.Def.Generated == "":
		return NotGenerated
	case nothing:
		return Unsaid
	}
	return Said
}

func (c *compiler) assigner(s *Set) (err error) {
	t := c.scope.src.Table
	col := &t.Columns[s.Column]
	source, from, column := s.X.Column()
	own := c.scope.src
	if source == PlaceQuery {
		own = c.other.src
	}
	if column && source == placeNew && from == s.Column { // this column, or VALUE of it: it was made one before
		if col.Type.Kind == types.Timestamp {
			if c.b.Value != nil {
				s.Zero, err = c.zero(s.Column, s.X)
			}
			s.X = t.Key(source, from, s.X.Name)
		}
		return err
	}
	if moment, err := c.moment(s.Column, s.X); moment != nil || err != nil {
		if err != nil {
			return err
		}
		if !column || from != s.Column || own != c.scope.src {
			s.Zero, err = c.zero(s.Column, s.X)
		}
		s.X = moment
		return err
	}
	if column && own == c.scope.src && from == s.Column && (col.Type.Kind == types.Date || col.Type.Kind == types.Datetime) {
		return nil // also what sql_mode forbids, but is there
	}
	if fraction(s.X, c.scope.src) || c.other != nil && fraction(s.X, c.other.src) {
		return errFraction
	}
	to := &assign.Column{Type: col.Type, Database: t.Def.DB, Table: t.Def.Name, Name: col.Def.Name}
	if s.Assign, err = assign.New(c.b.Env.Mode, to, assign.Source{Type: s.X.Type, Column: column}); err != nil {
		return err
	}
	return c.mismatch(s.Assign)
}

// mismatch tells of values of a type that a column does not take, before the first row: an error of strict statements.
func (c *compiler) mismatch(a *assign.Assigner) error {
	if m := a.Mismatch; m != nil {
		if c.b.Env.Mode.Strict() && !c.forgiving {
			return m
		}
		c.b.Scratch.Diag.Warnf(m.Number, "%s", m.Message)
	}
	return nil
}

// Nothing reports whether no row can be what is asked for, because of LIMIT or because no key is in the ranges of the conditions.
func (w *Write) Nothing() bool {
	return w.Limit.Any && w.Limit.Count == 0 || w.Access.Row == nil && len(w.Access.Spans) == 0
}

// Collects reports whether all rows have to be read before the first is changed: an UPDATE of what is read by several ranges of an index,
// one after the other, would meet a row again that it has moved to a later one.
func (w *Write) Collects() bool {
	return !w.Delete && (w.moves || w.Access.Index >= 0) && len(w.Access.Spans) > 1
}

// Twice reports whether MariaDB reads the rows twice: first to find those that are to be changed, as the changes move them in the index by which
// they are found.
func (w *Write) Twice() bool {
	if w.Delete || w.Access.Index < 0 {
		return w.moves && w.Access.Row == nil
	}
	t := w.Source.Table
	return slices.ContainsFunc(w.Sets, func(s Set) bool {
		return slices.ContainsFunc(t.Parts(w.Access.Index), func(p row.KeyPart) bool { return p.Column == s.Column || t.Columns[p.Column].Virtual() })
	})
}

// Present is CURRENT_TIMESTAMP as a column's value.
func Present(of types.Type, f *eval.Frame) types.Value {
	started := f.Now()
	local := f.Zone.DateTime(started)
	v := local.Truncate(int(of.Decimals))
	return types.Value{Time: v, Int: int64(started) - int64(local-v)} // they differ in microseconds only
}

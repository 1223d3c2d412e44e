package plan

import (
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
)

// Write is an UPDATE or DELETE of the row with a primary key.
type Write struct {
	*Select
	// Delete says that the row is deleted.
	Delete bool
	// Sets are the assignments of an UPDATE, in their order: each sees what those before it have set.
	Sets []Set
	// OnUpdate are the columns that get the present time when the row changes, by their ordinals.
	OnUpdate []int
}

// Set is an assignment.
type Set struct {
	Column int // ordinal
	X      *eval.Expr
	// Assign makes the column's value of X's; nil if that is the column's value already.
	Assign *assign.Assigner
	// Reads are the columns that X reads, by their ordinals.
	Reads map[int]bool
	// After says that one of them is assigned before.
	After bool
}

// CompileUpdate makes the plan of an UPDATE of one table. open says that parameters have no values yet, so that the row is not known.
func CompileUpdate(b *bind.Binder, n *tree.Update, src *Source, open bool) (*Write, error) {
	if n.Ignore || n.Portion != nil || n.OrderBy != nil {
		return nil, bind.Refusal("this form of UPDATE")
	}
	c := &compiler{b: b, scope: scope{src: src, used: map[int]bool{}}}
	w, err := c.write(n.Where, n.Limit, open)
	if err != nil {
		return nil, err
	}
	return w, c.sets(w, n.Set)
}

// CompileDelete is CompileUpdate for a DELETE.
func CompileDelete(b *bind.Binder, n *tree.Delete, src *Source, open bool) (*Write, error) {
	if n.Ignore || n.Targets != nil || n.Portion != nil || n.History || n.Before != nil || n.OrderBy != nil || n.Returning != nil {
		return nil, bind.Refusal("this form of DELETE")
	}
	c := &compiler{b: b, scope: scope{src: src, used: map[int]bool{}}}
	w, err := c.write(n.Where, n.Limit, open)
	if err != nil {
		return nil, err
	}
	w.Delete = true
	return w, nil
}

// write finds the row.
func (c *compiler) write(where tree.Expr, limit *tree.Limit, open bool) (*Write, error) {
	p := &Select{Source: c.scope.src, Used: c.scope.used}
	c.allow(false)
	if err := changeable(c.scope.src); err != nil {
		return nil, err
	}
	where = c.nullDates(where, false)
	if err := c.where(p, where); err != nil {
		return nil, err
	}
	var err error
	if p.Limit, err = c.limit(limit); err != nil {
		return nil, err
	}
	c.access(p, where)
	switch {
	case len(p.Once) > 0:
		return nil, bind.Refusal("a condition about no row")
	case open:
	case p.Access.Row == nil:
		return nil, bind.Refusal("a change of more than one row")
	}
	return &Write{Select: p}, nil
}

// changeable refuses tables whose rows have consequences when they change, beyond themselves and their indexes.
func changeable(src *Source) error {
	def := src.Table.Def
	for i := range def.Columns {
		if def.Columns[i].Generated != "" || def.Columns[i].Hidden {
			return bind.Refusal("generated columns")
		}
	}
	for i := range def.Indexes {
		if def.Indexes[i].Kind != "" {
			return bind.Refusal("an index of this kind")
		}
	}
	if len(def.Checks) > 0 || len(def.ForeignKeys) > 0 {
		return bind.Refusal("constraints")
	}
	return nil
}

// sets binds the assignments: first all columns, then all values.
func (c *compiler) sets(w *Write, list []*tree.Assignment) error {
	c.in("SET", nil)
	t := c.scope.src.Table
	keys := uniqueColumns(c.scope.src)
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
		case col.Type.JSON:
			return bind.Refusal("a change of JSON")
		case keys[at] || col.Def.AutoIncrement:
			return bind.Refusal("a change of a unique key")
		}
		w.Sets = append(w.Sets, Set{Column: at})
	}
	used := c.scope.used
	defer func() { c.scope.used = used }()
	for i, n := range list {
		s := &w.Sets[i]
		s.Reads = map[int]bool{}
		c.scope.used = s.Reads
		var err error
		if s.X, err = c.b.Expr(n.Value); err != nil {
			return err
		}
		for at := range s.Reads {
			s.After = s.After || set[at]
		}
		set[s.Column] = true
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

func (c *compiler) assigner(s *Set) (err error) {
	t := c.scope.src.Table
	col := &t.Columns[s.Column]
	source, from, column := s.X.Column()
	if column && col.Type.Kind == types.Timestamp && t.Columns[from].Type.Kind == types.Timestamp {
		// The moment is copied: its local time may be that of another one, too.
		if x := t.Columns[from].Type; x.Decimals != col.Type.Decimals || x.Nullable && !col.Type.Nullable {
			return bind.Refusal("a TIMESTAMP of another kind")
		}
		s.X = t.Key(source, from, s.X.Name)
		return nil
	}
	if column && from == s.Column && (col.Type.Kind == types.Date || col.Type.Kind == types.Datetime) {
		return nil // also what sql_mode forbids, but is there
	}
	for at := range s.Reads {
		if r := t.Columns[at].Type; r.Kind.Temporal() && r.Decimals > 0 && s.X.Type.Class() == types.ClassDec {
			return bind.Refusal("a number made of a time with a fraction") // which has more or fewer digits than its type says
		}
	}
	to := &assign.Column{Type: col.Type, Database: t.Def.DB, Table: t.Def.Name, Name: col.Def.Name}
	if s.Assign, err = assign.New(c.b.Env.Mode, to, assign.Source{Type: s.X.Type, Column: column}); err != nil {
		return err
	}
	if s.Assign.Mismatch != nil {
		return bind.Refusal("a value of a type that the column does not take")
	}
	return nil
}

// uniqueColumns are the columns of the primary key and of unique indexes, by their ordinals.
func uniqueColumns(src *Source) map[int]bool {
	out := map[int]bool{}
	def := src.Table.Def
	for _, p := range def.Primary {
		out[p.Column] = true
	}
	for i := range def.Indexes {
		for _, p := range def.Indexes[i].Parts {
			out[p.Column] = out[p.Column] || def.Indexes[i].Unique
		}
	}
	return out
}

// Nothing reports whether LIMIT asks for no row.
func (w *Write) Nothing() bool { return w.Limit.Any && w.Limit.Count == 0 }

// Present is the value of a column ON UPDATE CURRENT_TIMESTAMP.
func (w *Write) Present(column int, f *eval.Frame) types.Value {
	local := f.Zone.DateTime(f.Started)
	v := local.Truncate(int(w.Source.Table.Columns[column].Type.Decimals))
	return types.Value{Time: v, Int: int64(f.Started) - int64(local-v)} // they differ in microseconds only
}

package native

import (
	"bytes"
	"context"
	"math"
	"slices"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Programs are what a prepared statement of a session was bound to, one for each list of types that its parameters had. A run with such parameters does
// not bind it again. The zero value has none. It is used by one goroutine at a time.
type Programs struct {
	// Bytes is what one takes, by estimate.
	Bytes int64
	list  []*program
	next  int // which one makes room
}

// ProgramBytes is what the smallest program takes: it is a frame with its memory, and the nodes of a few expressions. Per byte of its tree it is
// ProgramBytesPerTree more.
const (
	ProgramBytes        = 12 << 10
	ProgramBytesPerTree = 3
)

// Held is what all of them take, in bytes, which the session's memory counts.
func (p *Programs) Held() int64 { return int64(len(p.list)) * p.Bytes }

// programsMost is how many programs a statement has.
const programsMost = 4

// program is a statement that was bound, and under what it means the same.
type program struct {
	st    *Statement
	kinds []types.Type
	// free are the placeholders of which it does not count how long their texts are.
	free []bool
	// asked are the placeholders whose values counted for more than the keys that are read; values are those that they had.
	asked  []int
	values []types.Value

	vars    *sysvar.Session
	version uint64 // of vars
	db      string
	catalog *catalog.Snapshot
	need    privilege.Need // of the table
}

// run is the statement for the parameters of a client; nil if it has to be bound again.
func (p *Programs) run(ctx context.Context, s Session, params []result.Value) *Statement {
	for _, known := range p.list {
		if st := known.run(ctx, s, params); st != nil {
			return st
		}
	}
	return nil
}

// keep notes a statement that was bound, if there is memory for it.
func (p *Programs) keep(made *program, room func(bytes int64) bool) {
	for i, known := range p.list {
		if slices.Equal(known.kinds, made.kinds) {
			p.list[i] = made
			return
		}
	}
	if len(p.list) < programsMost && room(p.Bytes) {
		p.list = append(p.list, made)
		return
	}
	if len(p.list) == 0 {
		return
	}
	p.next %= len(p.list)
	p.list[p.next] = made
	p.next++
}

func (p *program) run(ctx context.Context, s Session, params []result.Value) *Statement {
	if p.vars != s.Vars || p.version != s.Vars.Version() || p.db != s.DB() || p.catalog != s.catalog() {
		return nil
	}
	table := p.st.plan.Source.Table.Def
	if s.Temp.Has(table.DB, table.Name) {
		return nil
	}
	f := p.st.frame
	f.Renew()
	if !p.takes(params) || !p.same(f.Params) {
		return nil
	}
	if rights := s.Rights(); !rights.Everything() && rights.Check(privilege.Needs{List: []privilege.Need{p.need}}) != nil {
		return nil
	}
	f.Session = functions{s, &underway{ctx: ctx}}
	f.Interrupted = interrupted(ctx)
	st := *p.st
	st.session = s
	if st.write != nil {
		if st.write = st.write.Again(); st.write == nil {
			return nil
		}
		st.plan = st.write.Select
	} else if st.plan = st.plan.Again(); st.plan == nil {
		return nil
	}
	if len(f.Diag.Conditions) > 0 {
		return nil
	}
	f.Started = temporal.Stamp(s.Clock.Begin(ctx).UnixMicro())
	return &st
}

// same reports whether the values that counted are the same.
func (p *program) same(values []types.Value) bool {
	for i, at := range p.asked {
		v, before := &values[at], &p.values[i]
		if v.Null != before.Null || v.Int != before.Int || math.Float64bits(v.Float) != math.Float64bits(before.Float) || v.Dec != before.Dec || v.Time != before.Time || !bytes.Equal(v.Text, before.Text) {
			return false
		}
	}
	return true
}

// takes puts the values of a client into the frame, if they are of the same types as before.
func (p *program) takes(given []result.Value) bool {
	f := p.st.frame
	for i, v := range given {
		value, kind, ok := parameter(f, v)
		kind.Nullable = true
		if !ok || p.class(i, kind) != p.kinds[i] {
			return false
		}
		f.Params[i] = value
	}
	return len(f.Diag.Conditions) == 0
}

// class is what counts of a placeholder's type.
func (p *program) class(i int, t types.Type) types.Type {
	if p.free[i] && t.Class() == types.ClassText {
		t.Length, t.Octets = 0, 0
	}
	return t
}

// program is what there is to keep of a statement that was bound, nil if it is to be bound for each run. All that it says has to mean the same in
// each run, but for the values of placeholders: what is not known to do is not kept. cat is what there was of the catalog before it was bound.
func (b *binding) program(st *Statement, n tree.Statement, cat *catalog.Snapshot) *program {
	if st.plan == nil || len(b.named) != 1 || st.temporary != nil || st.views != nil || st.assigned != nil || st.into != nil || st.file != nil || b.long != nil ||
		b.outer != nil || len(b.frame.Diag.Conditions) > 0 || b.frame.Asked.Today || !lasting(n) || !plan.Lasting(st.plan, st.write, st.insert) {
		return nil
	}
	p := &program{
		st: st, kinds: slices.Clone(b.binder.Params), free: free(n, len(b.binder.Params)),
		vars: b.Vars, version: b.Vars.Version(), db: b.DB(), catalog: cat, need: b.need(st.plan.Source.Table.Def),
	}
	for i := range p.kinds {
		p.kinds[i] = p.class(i, p.kinds[i])
	}
	for i, asked := range b.frame.Asked.Params {
		if asked {
			v := b.frame.Params[i]
			v.Text = bytes.Clone(v.Text)
			p.asked, p.values = append(p.asked, i), append(p.values, v)
		}
	}
	b.frame.Asked = nil
	return p
}

// lasting reports whether all that a statement says means the same in each run.
func lasting(n tree.Statement) bool {
	ok := true
	tree.Walk(n, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Select:
			ok = ok && n.Into == nil && n.Windows == nil
		case *tree.Insert:
			ok = ok && n.Query == nil && n.Partitions == nil
		case *tree.Table:
			ok = ok && n.Partitions == nil
		case *tree.Update, *tree.Delete, *tree.SelectItem, *tree.Assignment, *tree.Order, *tree.Limit, *tree.Lock, *tree.LockWait,
			*tree.Ident, *tree.TableName, *tree.IndexHint, *tree.ColumnRef, *tree.AllColumns, *tree.Placeholder, *tree.ValueOf,
			*tree.NullLit, *tree.BoolLit, *tree.NumberLit, *tree.TextLit, *tree.BytesLit, *tree.TemporalLit, *tree.DefaultWord,
			*tree.Binary, *tree.Chain, *tree.Unary, *tree.Is, *tree.In, *tree.Between, *tree.Like, *tree.Row, *tree.Aggregate:
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// free are the placeholders that are compared with a column or become its value: how long a text is counts for the value alone there, and not for a type.
func free(n tree.Statement, count int) []bool {
	out := make([]bool, count)
	given := func(list ...tree.Expr) {
		for _, x := range list {
			if x, ok := x.(*tree.Placeholder); ok {
				out[x.Index] = true
			}
		}
	}
	column := func(x tree.Expr) bool {
		_, ok := x.(*tree.ColumnRef)
		return ok
	}
	tree.Walk(n, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Binary:
			if n.Op.Compares() && (column(n.Left) || column(n.Right)) {
				given(n.Left, n.Right)
			}
		case *tree.In:
			if column(n.X) {
				given(n.List...)
			}
		case *tree.Between:
			if column(n.X) {
				given(n.Low, n.High)
			}
		case *tree.Insert:
			for _, row := range n.Rows {
				given(row.Items...)
			}
		case *tree.Assignment:
			given(n.Value)
		}
		return true
	})
	return out
}

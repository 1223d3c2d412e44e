package native

import (
	"bytes"
	"context"
	"math"
	"slices"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect/shape"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/status"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/temporal"
)

// program is a statement that was bound, and under what it means the same. It is not changed any more, and run by many sessions at once.
type program struct {
	number uint64 // no other one has it
	bytes  int64  // that it takes, by estimate

	st    Statement // without session, frame and text
	kinds []types.Type
	// free are the placeholders of which it does not count how long their texts are, or how many digits they have.
	free []bool
	// asked are the placeholders whose values counted for more than the keys that are read; values are those that they had.
	asked  []int
	values []types.Value
	// given are the literals of the text that are parameters, by their place among all; the others are as they are in fixed.
	given []int
	fixed []fixedLiteral

	// columns and items are those of the result as it is sent; values are its row.
	columns []result.Column
	items   []item

	env     *types.Env
	vars    []sysvar.Reading // that binding has read
	catalog *catalog.Snapshot
	need    privilege.Need // of the table
	systems []systemReading
}

// fixedLiteral is a literal that is part of what a program means: the at-th of its text.
type fixedLiteral struct {
	at   int
	text string
}

// run is the statement for the parameters of a client; nil if it has to be bound again, and why.
func (p *program) run(ctx context.Context, s Session, text string, params []result.Value) (*Statement, status.Miss) {
	r, why := p.begin(ctx, s)
	if r == nil {
		return nil, why
	}
	f := r.frame
	for i, v := range params {
		value, kind, ok := parameter(f, v)
		if kind.Nullable = true; !ok || !p.takes(i, kind) {
			r.end()
			return nil, status.MissTypes
		}
		f.Params = append(f.Params, value)
	}
	return p.again(ctx, s, r, text)
}

// runText is run for a text, of which the literals are parameters.
func (p *program) runText(ctx context.Context, s Session, text string, literals *shape.Text) (*Statement, status.Miss) {
	for i := range p.fixed {
		if literals.Source(text, p.fixed[i].at) != p.fixed[i].text {
			return nil, status.MissTypes
		}
	}
	r, why := p.begin(ctx, s)
	if r == nil {
		return nil, why
	}
	f := r.frame
	for i, at := range p.given {
		value, kind, ok := literal(f.Env, literals, text, at)
		if !ok || !p.takes(i, kind) {
			r.end()
			return nil, status.MissTypes
		}
		f.Params = append(f.Params, value)
	}
	return p.again(ctx, s, r, text)
}

// begin looks whether all that does not depend on parameters is as it was.
func (p *program) begin(ctx context.Context, s Session) (*running, status.Miss) {
	if p.catalog != s.catalog() {
		return nil, status.MissDefinitions
	}
	if !s.Own.same(s, p) {
		return nil, status.MissVariables
	}
	if !p.sameSystem(s) {
		return nil, status.MissVariables
	}
	src := p.st.source()
	if src == nil {
		return s.Own.begin(ctx, s, p), status.Hit
	}
	if table := src.Table.Def; s.Temp.Has(table.DB, table.Name) {
		return nil, status.MissTemporary
	}
	if !s.everything() && s.Rights().Check(privilege.Needs{List: []privilege.Need{p.need}}) != nil {
		return nil, status.MissPrivilege
	}
	return s.Own.begin(ctx, s, p), status.Hit
}

// again is the statement for the parameters that its frame has; nil if they ask for another one.
func (p *program) again(ctx context.Context, s Session, r *running, text string) (*Statement, status.Miss) {
	f := r.frame
	if !p.same(f.Params) {
		r.end()
		return nil, status.MissValues
	}
	f.Started = temporal.Stamp(s.Clock.Begin(ctx).UnixMicro())
	st := &r.st
	*st = p.st
	st.session, st.frame, st.running, st.info.Text = s, f, r, text
	r.columns, r.items = p.columns, p.items
	ok := true
	switch {
	case p.st.write != nil:
		st.plan, st.write = &r.selects, &r.writes
		ok = p.st.write.Again(f, st.write, st.plan)
	case p.st.plan != nil:
		st.plan = &r.selects
		ok = p.st.plan.Again(f, st.plan)
	}
	if !ok || len(f.Diag.Conditions) > 0 {
		r.end()
		return nil, status.MissWay
	}
	return st, status.Hit
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

// takes reports whether a placeholder is of the same type.
func (p *program) takes(i int, t types.Type) bool { return p.class(i, t) == p.kinds[i] }

// class is what counts of a placeholder's type.
func (p *program) class(i int, t types.Type) types.Type {
	if p.free[i] {
		switch t.Class() {
		case types.ClassText:
			t.Length, t.Octets = 0, 0
		case types.ClassInt:
			t.Length = 0
		case types.ClassDec: // how many digits are behind the point counts where it is compared
			t.Length, t.Dec.Precision = 0, 0
		}
	}
	return t
}

// What a program takes in bytes, by estimate: the smallest one, and what it is more for each byte of its text, each of its parameters, and each call.
const (
	programBytes             = 8 << 10
	programBytesPerByte      = 64
	programBytesPerParameter = 1000
	programBytesPerCall      = 2000
	programBytesPerDefined   = 400 // each byte of an expression of the table's definition
)

// defined is how long the expressions are that the definition of a table has, in bytes.
func defined(t *relation.Table) (length int64) {
	const valid = "JSON_VALID(``)"
	for i := range t.Columns {
		c := t.Columns[i].Def
		if length += int64(len(c.Generated)); plan.DefaultOf(t, i).Computed {
			length += int64(len(c.Default))
		}
		if t.Columns[i].Type.JSON {
			length += int64(len(valid) + len(c.Name))
		}
	}
	for i := range t.Def.Checks {
		length += int64(len(t.Def.Checks[i].Expression))
	}
	return length
}

// calls is how many functions a statement calls, by name or by a syntax of their own.
func calls(n tree.Statement) (count int64) {
	tree.Walk(n, func(n tree.Node) bool {
		switch n.(type) {
		case *tree.Call, *tree.CaseExpr, *tree.Cast, *tree.ConvertUsing, *tree.Extract, *tree.TimestampDiff, *tree.Trim, *tree.AddInterval:
			count++
		}
		return true
	})
	return count
}

// program is what there is to keep of a statement that was bound, nil if it is to be bound for each run. All that it says has to mean the same in
// each run, but for the values of placeholders: what is not known to do is not kept.
func (b *binding) program(st *Statement, n tree.Statement, k *keeping) *program {
	if b.general(st, n) != "" {
		return nil
	}
	p := &program{
		st: *st, kinds: slices.Clone(b.binder.Params), free: k.free, given: k.given, fixed: k.fixed,
		bytes: programBytes + programBytesPerByte*int64(len(st.info.Text)) + programBytesPerParameter*int64(len(b.binder.Params)) + programBytesPerCall*calls(n),
		env:   b.frame.Env, vars: k.noted(), catalog: k.catalog, systems: b.systems,
	}
	if src := p.st.source(); src != nil {
		p.need = b.need(src.Table.Def)
		p.bytes += programBytesPerDefined * defined(src.Table)
	}
	if st.plan != nil && st.plan.Items != nil {
		out := newOutput(st, nil, false)
		p.columns, p.items = out.columns, out.items
	}
	p.st.session, p.st.frame, p.st.info.Text = Session{}, nil, ""
	for i := range p.kinds {
		p.kinds[i] = p.class(i, p.kinds[i])
	}
	for i, asked := range b.frame.Asked.Params {
		if asked {
			v := b.frame.Params[i]
			v.Text = bytes.Clone(v.Text)
			p.asked, p.values = append(p.asked, i), append(p.values, v)
			p.bytes += int64(len(v.Text))
		}
	}
	return p
}

// general is why nothing is kept of a statement that was bound; "" if it may be.
func (b *binding) general(st *Statement, n tree.Statement) string {
	switch {
	case st.plan == nil, len(b.named) == 0:
		return b.passingTableless(st, n)
	case len(b.named) > 1:
		return "several tables"
	case st.temporary != nil:
		return "a temporary table"
	case st.views != nil:
		return "a view"
	case st.assigned != nil:
		return "a user variable that is set"
	case st.into != nil, st.file != nil:
		return "INTO"
	case b.long != nil:
		return "a long list of rows"
	case b.outer != nil:
		return "parentheses"
	case len(b.frame.Diag.Conditions) > 0:
		return "a warning about a constant"
	case b.frame.Asked.Clock:
		return "the time at which it is bound"
	case b.frame.Asked.Function != "":
		return "the function " + b.frame.Asked.Function
	}
	if why := passing(n); why != "" {
		return why
	}
	if !plan.Lasting(st.plan, st.insert) {
		return "ROLLUP, or MIN and MAX at the ends of an index"
	}
	return ""
}

// passing is what a statement says that may mean something else in another run; "" for nothing.
func passing(n tree.Statement) (why string) {
	tree.Walk(n, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Select:
			if n.Into != nil || n.Windows != nil {
				why = "INTO or WINDOW"
			}
		case *tree.Insert:
			if n.Query != nil || n.Partitions != nil {
				why = "INSERT ... SELECT, or PARTITION"
			}
		case *tree.Table:
			if n.Partitions != nil {
				why = "PARTITION"
			}
		case *tree.Update, *tree.Delete, *tree.SelectItem, *tree.Assignment, *tree.Order, *tree.Limit, *tree.Lock, *tree.LockWait,
			*tree.Ident, *tree.TableName, *tree.IndexHint, *tree.ColumnRef, *tree.AllColumns, *tree.Placeholder, *tree.ValueOf, *tree.DefaultOf,
			*tree.NullLit, *tree.BoolLit, *tree.NumberLit, *tree.TextLit, *tree.BytesLit, *tree.TemporalLit, *tree.DefaultWord,
			*tree.Binary, *tree.Chain, *tree.Unary, *tree.Is, *tree.In, *tree.Between, *tree.Like, *tree.Row, *tree.Aggregate, *tree.Collate, *tree.AddInterval,
			*tree.Call, *tree.CaseExpr, *tree.Cast, *tree.CastType, *tree.ConvertUsing, *tree.Extract, *tree.TimestampDiff, *tree.GetFormat, *tree.Trim,
			*tree.CharOf, *tree.WeightString: // which calls there are, binding says: eval.Asked
		case tree.Expr:
			why = tree.String(n)
		default:
			why = "a clause"
		}
		return why == ""
	})
	return why
}

// free are the placeholders that are compared with a column or become its value: how long a text is counts for the value alone there, and not for a type.
func free(n tree.Statement, count int) []bool {
	out := make([]bool, count)
	given := func(x tree.Expr, _ *tree.ColumnRef) {
		if x, ok := x.(*tree.Placeholder); ok && int(x.Index) < count {
			out[x.Index] = true
		}
	}
	eachValue(n, given)
	return out
}

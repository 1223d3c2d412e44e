package native

import (
	"context"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/result/typed"
	"github.com/duramendb/duramen/query/types"
)

// Run runs the statement and sends its result; more says that another one follows.
func (st *Statement) Run(ctx context.Context, sink result.Sink, more bool) (err error) {
	if st.changes() {
		return st.runWrite(ctx, sink, more)
	}
	if st.plan.Source != nil {
		return st.runOverTable(ctx, sink, more)
	}
	s := st.session
	before := int(s.Warnings.Count())
	s.Server.Status.Question(st.kind)
	ctx, cancel := s.WithStatementTime(ctx)
	defer cancel()
	st.frame.Interrupted = interrupted(ctx)
	defer s.Memory.End(s.Memory.Begin(s.MemoryLimit()))
	row, err := st.compute(ctx)
	noted := s.note(st.frame.Diag, before)
	s.EndIdle()
	if err != nil {
		return err
	}
	s.Rest.Selected(1)
	if err := sink.Columns(row.columns); err != nil {
		return err
	}
	if err := sink.Row(row.values); err != nil {
		return err
	}
	end := s.EndStatus(more)
	if !noted {
		end.Warnings = 0 // what there is, is an earlier statement's
	}
	return sink.EndRows(end)
}

// columns are the definitions of the result's columns; nil if there is no result.
func (st *Statement) columns() []result.Column {
	if st.changes() && st.plan.Items == nil {
		return nil
	}
	out := make([]result.Column, len(st.plan.Items))
	for i, item := range st.plan.Items {
		if c := item.Described; c != nil {
			out[i] = typed.TableColumn(item.Name, c, st.plan.Source.Table.Def, st.plan.Source.Alias, st.frame.Env.Results)
			continue
		}
		out[i] = typed.Column(item.Name, item.X.Type, st.frame.Env.Results)
	}
	return out
}

// computed is the one row of a SELECT without tables.
type computed struct {
	columns []result.Column
	values  *result.Values
}

// compute computes the row. Its text is in the character set of results.
func (st *Statement) compute(ctx context.Context) (computed, error) {
	f := st.frame
	b := eval.Builder{Env: f.Env, Scratch: f}
	out := computed{columns: st.columns()}
	values := make([]result.Value, len(out.columns))
	for i, item := range st.plan.Items {
		shown := b.ToClient(item.X, f.Env.Results)
		v := shown.Compute(f)
		if ctx.Err() != nil {
			return out, context.Cause(ctx) // whatever error came of it
		}
		if err := f.Diag.Failed(); err != nil {
			return out, err
		}
		values[i], _ = typed.Value(shown.Type, v, nil)
	}
	out.values = result.NewValues(out.columns)
	for i, v := range values {
		out.values.Set(i, v)
	}
	return out, nil
}

// note gives the session the conditions of a statement in the place of those of earlier ones. Without any these stay, as those of MariaDB
// do after a SELECT without tables; then it returns false.
func (s Session) note(d *types.Diagnostics, before int) bool {
	if len(d.Conditions) == 0 {
		return false
	}
	s.Warnings.DropFirst(before)
	for _, c := range d.Conditions {
		if c.Level != types.Error { // it is the statement's error, which is noted where it is sent
			s.Warn(c.Level.String(), c.Number, c.Message)
		}
	}
	s.Warnings.More(d.Dropped)
	return true
}

package native

import (
	"context"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/exec"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/result/typed"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// Run runs the statement and sends its result; more says that another one follows.
func (st *Statement) Run(ctx context.Context, sink result.Sink, more bool) (err error) {
	if st.session.Lean = st.running != nil; st.session.Lean {
		defer st.running.end()
	}
	if st.explained != "" {
		return st.runExplain(ctx, sink, more)
	}
	if st.changes() {
		return st.runWrite(ctx, sink, more)
	}
	if st.values != nil {
		return st.runValues(ctx, sink, more)
	}
	if st.plan.Source != nil {
		return st.runOverTable(ctx, sink, more)
	}
	s := st.session
	s.Warnings.Keep()
	s.Server.Status.Question(st.kind)
	ctx, cancel := s.WithStatementTime(ctx)
	defer cancel()
	st.within(ctx)
	defer s.Memory.End(s.Memory.Begin(s.MemoryLimit()))
	out := newOutput(st, sink, st.running == nil) // what is kept has one row, computed before it is sent
	err = out.toFile(func() error {
		return st.selected(out, exec.Select(ctx, st.plan, exec.Reads{Found: &out.all}, st.frame, out.row))
	})
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx) // whatever error came of it
	}
	s.note(st.frame.Diag)
	s.EndIdle()
	s.Rest.Selected(out.found())
	if err != nil {
		return err
	}
	if st.returnsCount() {
		return out.sendCount(more)
	}
	return out.finish(s.EndStatus(more))
}

// columns are the definitions of the result's columns; nil if there is no result.
func (st *Statement) columns() []result.Column {
	if st.explained != "" {
		return explainColumns(st.frame.Env.Results)
	}
	if st.changes() && st.plan.Items == nil || st.values != nil || st.returnsCount() {
		return nil
	}
	return st.described(st.frame.Env.Results)
}

// returnsCount reports whether the rows of a SELECT go elsewhere, and the client gets their number.
func (st *Statement) returnsCount() bool { return st.into != nil || st.file != nil }

// described are the definitions of the items' columns, in a character set; nil for each text's own.
func (st *Statement) described(results *charset.Set) []result.Column {
	out := make([]result.Column, len(st.plan.Items))
	for i, item := range st.plan.Items {
		if c := item.Described; c != nil {
			out[i] = typed.TableColumn(item.Name, c, st.plan.Source.Table.Def, st.plan.Source.Alias, results)
			if item.OrNone && item.View == "" {
				out[i].Flags &^= mysql.NOT_NULL_FLAG
			}
			if item.Emptied {
				out[i].OrgTable = ""
				out[i].Flags &^= mysql.NOT_NULL_FLAG | mysql.NO_DEFAULT_VALUE_FLAG
			}
		} else {
			out[i] = typed.Column(item.Name, item.X.Type, results)
			st.ofValue(&out[i], item.X)
		}
		if kind := item.X.Type.Kind; item.OfOne && (kind == types.Enum || kind == types.Set) {
			out[i].Type, out[i].Decimals = mysql.MYSQL_TYPE_VAR_STRING, 0
		}
		if item.View != "" {
			st.ofView(&out[i], item)
		} else if len(st.plan.Outer) > 0 {
			st.ofDerived(&out[i], item)
		} else if st.plan.Temporary {
			st.inTemporary(&out[i], item)
			if item.Named {
				out[i].OrgName = item.Name
			}
		}
	}
	return out
}

// ofValue describes VALUE(column) of a SELECT as the column that it names.
func (st *Statement) ofValue(c *result.Column, x *eval.Expr) {
	if x.Name != valueName || len(x.Args) != 1 {
		return
	}
	if _, at, ok := x.Args[0].Column(); ok {
		src := st.plan.Source
		of := src.Table.Columns[at].Def.Name
		c.Decimals = 0
		c.Schema, c.Table, c.OrgTable, c.OrgName = src.Table.Def.DB, src.Alias, src.Table.Def.Name, of
	}
}

// note gives the session the conditions of a statement. Their first one takes the place of an earlier statement's.
func (s Session) note(d *types.Diagnostics) {
	for _, c := range d.Conditions {
		if c.Level != types.Error || d.Failed() == nil { // else it is the statement's error, which is noted where it is sent
			s.Warn(c.Level.String(), c.Number, c.Message)
		}
	}
	s.Warnings.More(d.Dropped)
}

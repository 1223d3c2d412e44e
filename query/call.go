package query

import (
	"context"
	"errors"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/gms"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/routine"
	"github.com/duramendb/duramen/query/status"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
)

// callOf is the CALL that a text begins with; nil: it begins with something else.
func callOf(text *source.Text) (n *tree.CallRoutine, next int) {
	if first := dialect.Tokens(text.SQL, text.Mode, 1); len(first) == 0 || !first[0].Is("CALL") {
		return nil, 0
	}
	st, next, err := text.Statement()
	if err != nil {
		return nil, 0 // the fallback says it
	}
	n, _ = st.(*tree.CallRoutine)
	return n, next
}

// call runs CALL, and returns the text behind it.
func (s *Session) call(ctx context.Context, n *tree.CallRoutine, text *source.Text, next int, sink result.Sink) (rest string, err error) {
	rest = dialect.Trim(text.SQL[next:], s.LexMode)
	if rest != "" && !s.multi {
		return "", parse.SyntaxError(errors.New("one statement expected"), rest)
	}
	s.Warnings.Clear()
	s.engine.Status.Question(status.Call)
	if err := givenHolders(n, text.SQL); err != nil {
		return "", err
	}
	ctx, cancel := s.WithStatementTime(ctx)
	defer cancel()
	affected, err := routine.Call(ctx, s.Session, procedures{s}, &s.calls, n, text.SQL, sink)
	s.EndIdle()
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx) // whatever error came of it
		}
		return "", err
	}
	s.Warnings.Adopt()
	s.sql.Kept().Changed(affected)
	return rest, s.SendOK(sink, result.OK{AffectedRows: affected}, rest != "")
}

// procedures is the session for package routine.
type procedures struct{ s *Session }

var _ routine.Host = procedures{}

// Execute implements routine.Host.
func (p procedures) Execute(ctx context.Context, text routine.Text, sink result.Sink) error {
	if text.Printed {
		defer p.s.readAs(dialect.Mode{Oracle: p.s.LexMode.Oracle})()
	}
	_, err := p.s.executeFirst(ctx, text.SQL, sink)
	return err
}

// Values implements routine.Host.
func (p procedures) Values(ctx context.Context, list []tree.Expr) (values []types.Value, kinds []types.Type, ok bool, err error) {
	return p.s.native().Values(ctx, list)
}

// Assigning implements routine.Host.
func (p procedures) Assigning(ctx context.Context) (types.Mode, *assign.Context, error) {
	return p.s.native().Assigning(ctx)
}

// Note implements routine.Host.
func (p procedures) Note(d *types.Diagnostics) { p.s.native().Note(d) }

// SetUserVariable implements routine.Host.
func (p procedures) SetUserVariable(name string, v types.Value, t types.Type) error {
	return p.s.sql.Kept().SetUserVariable(name, v, t)
}

// Count implements routine.Host.
func (p procedures) Count(rows int) { p.s.sql.Kept().Changed(uint64(rows)) }

// RowCount implements routine.Host.
func (p procedures) RowCount() int64 { return p.s.sql.Kept().RowCount() }

// Quietly implements routine.Host.
func (p procedures) Quietly(f func() error) error {
	kept := p.s.sql.Kept()
	found, changed := kept.FoundRows(), kept.RowCount()
	results := p.s.Vars.Str("character_set_results")
	if err := p.s.Vars.Set(context.Background(), "character_set_results", nil); err != nil {
		return err
	}
	defer func() {
		kept.Selected(found)
		kept.Restore(changed)
		var before any
		if results != "" {
			before = results
		}
		_ = p.s.Vars.Set(context.Background(), "character_set_results", before)
	}()
	return f()
}

// Error implements routine.Host.
func (p procedures) Error(ctx context.Context, err error) *mysqlerr.Error {
	return gms.ErrorOf(p.s.sql, err)
}

// Procedure implements routine.Host.
func (p procedures) Procedure(ctx context.Context, db, name string) (*routine.Procedure, error) {
	need := privilege.Needs{}
	need.Add(privilege.Need{On: privilege.Procedure, DB: db, Name: name, All: privilege.Execute})
	if err := p.s.sql.Rights().Check(need); err != nil {
		return nil, err
	}
	made, err := gms.Procedures{Of: p.s.sql}.Find(db, name)
	if err != nil {
		return nil, err
	}
	return &routine.Procedure{DB: db, Name: made.Name, Text: made.Text, Tree: made.Tree, Enter: func() (func(), error) { return p.enter(made) }}, nil
}

// enter begins the run of a procedure.
func (p procedures) enter(made *gms.StoredProcedure) (leave func(), err error) {
	sub, err := gms.Procedures{Of: p.s.sql}.Subject(made, invoked(made.Tree))
	if err != nil {
		return nil, err
	}
	out := p.s.EnterBody(sub, made.DB, false)
	settings := map[string]string{"sql_mode": made.Mode, "collation_connection": made.Connection}
	before := map[string]string{}
	restore := func() {
		for name, value := range before {
			_ = p.s.Vars.Set(context.Background(), name, value)
		}
	}
	for name, value := range settings {
		was := p.s.Vars.Str(name)
		if value == was || value == "" && name != "sql_mode" {
			continue
		}
		if err := p.s.Vars.Set(context.Background(), name, value); err != nil {
			restore()
			out()
			return nil, err
		}
		before[name] = was
	}
	return func() {
		restore()
		out()
	}, nil
}

// invoked reports whether a procedure runs with the privileges of whoever calls it.
func invoked(n *tree.CreateRoutine) bool {
	for _, c := range n.Characteristics {
		if text := strings.ToUpper(tree.String(c)); strings.Contains(text, "INVOKER") && !strings.HasPrefix(text, "COMMENT") {
			return true
		}
	}
	return false
}

// givenHolders refuses a placeholder that has no value.
func givenHolders(n *tree.CallRoutine, text string) (err error) {
	tree.Walk(n, func(n tree.Node) bool {
		if _, holder := n.(*tree.Placeholder); holder && err == nil {
			err = dialect.SyntaxError(text, int(n.Place().Start))
		}
		return err == nil
	})
	return err
}

// within is the session for the procedures that a trigger calls.
type within struct {
	procedures
	execute func(text routine.Text, sink result.Sink) error
}

// Execute implements routine.Host.
func (w within) Execute(_ context.Context, text routine.Text, sink result.Sink) error {
	return w.execute(text, sink)
}

// callWithin runs a procedure that a trigger calls. Its rows are nobody's.
func (s *Session) callWithin(ctx context.Context, n *tree.CallRoutine, execute func(text routine.Text, sink result.Sink) error) error {
	_, err := routine.Call(ctx, s.Session, within{procedures{s}, execute}, &s.calls, n, "", nobody{})
	return err
}

// nobody takes no results.
type nobody struct{}

func (nobody) Columns([]result.Column) error { return nil }
func (nobody) Row(result.Row) error          { return nil }
func (nobody) EndRows(result.Status) error   { return nil }
func (nobody) OK(result.OK) error            { return nil }

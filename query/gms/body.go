package gms

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/exec"
	"github.com/duramendb/duramen/query/gms/triggerbody"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/routine"
	"github.com/duramendb/duramen/query/session"
)

// bodyBuilder runs procedures and triggers with the privileges of their definers, and in their databases.
type bodyBuilder struct{ base *rowexec.BaseBuilder }

// Build implements sql.NodeExecBuilder.
func (b *bodyBuilder) Build(c *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	switch n := n.(type) {
	case *plan.Call:
		return b.call(c, n, row)
	case *plan.TriggerExecutor:
		return b.with(&triggerBuilder{base: b.base, trigger: n}).Build(c, n, row)
	}
	return nil, nil // go-mysql-server's builder goes on
}

// with is go-mysql-server's builder with another one in front of it.
func (b *bodyBuilder) with(first sql.NodeExecBuilder) *rowexec.BaseBuilder {
	out := rowexec.NewBuilder(first, b.base.EngineOverrides)
	out.Runner = b.base.Runner
	return out
}

// call runs a procedure; when its iterator is there, it has run.
func (b *bodyBuilder) call(c *sql.Context, n *plan.Call, row sql.Row) (sql.RowIter, error) {
	alone := b.with(exec.Except(n, b.base))
	if n.Procedure == nil || n.Procedure.ExternalProc != nil {
		return alone.Build(c, n, row)
	}
	if err := (firedCall{sessionOf(c), c}).run(n, row); err != nil {
		return nil, err
	}
	return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(0))), nil
}

// firedCall is the call of a procedure by a trigger: a part of the statement that fires it.
type firedCall struct {
	s *Session
	c *sql.Context
}

func (f firedCall) run(n *plan.Call, row sql.Row) error {
	values, err := f.arguments(n.Params, row)
	if err != nil {
		return err
	}
	for i, x := range n.Params {
		if v, ok := x.(*expression.UserVar); ok { // which may get a value
			values[i] = &tree.UserVariable{Name: v.Name}
		}
	}
	call := &tree.CallRoutine{DB: tree.Ident{Text: n.Database().Name()}, Name: tree.Ident{Text: n.Procedure.Name}, Args: values}
	return f.s.Call(f.c, call, f.execute)
}

// arguments are values of expressions as expressions of ours.
func (f firedCall) arguments(list []sql.Expression, row sql.Row) ([]tree.Expr, error) {
	schema, values := make(sql.Schema, len(list)), make(sql.Row, len(list))
	for i, x := range list {
		v, err := x.Eval(f.c, row)
		if err != nil {
			return nil, err
		}
		schema[i], values[i] = &sql.Column{Type: x.Type(f.c), Nullable: true}, v
	}
	if len(list) == 0 {
		return nil, nil
	}
	out := routine.NewArguments()
	w := f.s.wireResult(out, false)
	if err := w.columns(f.c, schema, make([]column.Origin, len(list))); err != nil {
		return nil, err
	}
	if err := w.row(f.c, values); err != nil {
		return nil, err
	}
	return out.Expressions()
}

// execute runs a statement of the procedure.
func (f firedCall) execute(text routine.Text, sink result.Sink) error {
	s, c := f.s, f.c
	mode := s.LexMode
	if text.Printed {
		mode = dialect.Mode{Oracle: mode.Oracle}
	}
	of := source.New(text.SQL, mode, session.TreeMemory(&s.Session))
	defer of.Drop()
	st, _, err := s.classify(of, 0)
	if err != nil {
		return err
	}
	run := runningOf(c).within(st)
	run.sink = sink
	return s.runNested(c, run, nil, s.wireResult(sink, true))
}

// subjectOf is whose privileges count in a procedure. Its definer needs EXECUTE on it.
func subjectOf(s *Session, db, name, definer string, invoker bool) (accounts.Subject, error) {
	if invoker || definer == "" {
		return s.Authority.Subject(), nil
	}
	sub, err := account.DefinerSubject(s.engine.Accounts.Set(), definer)
	if err != nil {
		return sub, err
	}
	set := s.engine.Accounts.Set()
	if have := set.Global(sub) | set.DB(sub, db) | set.Routine(sub, db, name, false); !have.Has(privilege.Execute) {
		return sub, mysqlerr.New(mysqlerr.ProcAccessDenied, "execute", sub.Account.User, sub.Account.Host, db+"."+name)
	}
	return sub, nil
}

// triggerBuilder builds the iterators of one trigger in one statement. go-mysql-server asks it for what fires the
// trigger, once, and then for the trigger's own statement, for every row. That has run when its iterator is there.
type triggerBuilder struct {
	base    *rowexec.BaseBuilder
	trigger *plan.TriggerExecutor
	firing  *firing // nil until the first row
}

// Build implements sql.NodeExecBuilder.
func (b *triggerBuilder) Build(c *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	switch n {
	case sql.Node(b.trigger):
		return nil, nil // go-mysql-server's builder goes on
	case b.trigger.Left():
		return b.base.Build(c, n, row)
	}
	left, err := b.fire(c, row)
	if err != nil {
		return nil, err
	}
	if triggerbody.SetsNew(b.trigger.Right()) { // go-mysql-server takes the second half of what a SET yields
		left = row.Append(left)
	}
	return sql.RowsToRowIter(left), nil
}

// fire runs the trigger for a row, the old and the new values if there are both, and gives the row as it leaves it.
func (b *triggerBuilder) fire(c *sql.Context, row sql.Row) (sql.Row, error) {
	s := sessionOf(c)
	if b.firing == nil {
		f, err := s.fires(c, b.trigger.TriggerDefinition.CreateStatement)
		if err != nil {
			return nil, err
		}
		b.firing = f
	}
	defer s.EnterBody(b.firing.definer, b.firing.db, true)()
	back, err := b.firing.underMode(c, s)
	if err != nil {
		return nil, err
	}
	defer back()
	if t, ok := c.Session.(column.TriggerSession); ok {
		defer t.InTrigger(b.firing.row)()
	}
	// The whole body, and not the node that is asked for, which reads the row as it was before the first SET.
	return triggerbody.Run(c, b.base, b.trigger.Right(), row)
}

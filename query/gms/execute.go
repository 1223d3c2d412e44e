package gms

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/compare"
	"github.com/duramendb/duramen/query/gms/computed"
	"github.com/duramendb/duramen/query/gms/exec"
	"github.com/duramendb/duramen/query/gms/fault"
	"github.com/duramendb/duramen/query/gms/loaddata"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/gms/semantics"
	"github.com/duramendb/duramen/query/gms/setop"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/txn"
)

// bindings are the values of placeholders, by go-mysql-server's names (v1, v2 ...).
type bindings map[string]sqlparser.Expr

// runStatement runs one statement in the transaction that it belongs to.
func (s *Session) runStatement(ctx context.Context, r *running, b bindings, out outcome) (err error) {
	ctx, cancel := s.WithStatementTime(ctx)
	defer cancel()
	defer func() { err = s.refine(r, err) }()
	st := r.st
	c := s.contextOf(ctx, r, st.Text)
	if _, database := st.AST.(*sqlparser.DBDDL); database || st.Kind == statement.Session {
		s.Warnings.Keep()
	} else {
		s.Warnings.Clear()
	}
	s.engine.Status.Question(st.Counter)
	s.BeginPlanning()
	defer s.Memory.End(s.Memory.Begin(s.MemoryLimit()))
	if err := s.authorize(st); err != nil {
		if st.Kind == statement.Definition && !s.temporaryOnly(st) {
			err = cmp.Or(s.CommitAll(c), err) // as MariaDB: definitions commit before anything else
		}
		return err
	}
	err = s.dispatch(c, st, b, s.visibleResult(c, st, out))
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx) // whatever error came of it
	}
	return err
}

func (s *Session) dispatch(c *sql.Context, st *syntax.Statement, b bindings, out outcome) error {
	if err := s.checkAccountStatement(st); err != nil {
		return err
	}
	switch st.Kind {
	case statement.Definition:
		return (&definition{s, c, st, b, out}).run()
	case statement.Call:
		return mysqlerr.NotYet("CALL in this place") // package routine runs it where a client sends it
	case statement.Session:
		return s.runPlain(c, st, b, out)
	}
	return s.runInTransaction(c, st, b, out)
}

// runPlain runs a statement that touches no tables (SET and the like).
func (s *Session) runPlain(c *sql.Context, st *syntax.Statement, b bindings, out outcome) error {
	runningOf(c).begin()
	out.reset()
	p := &planned{s, c, st, b, out}
	if err := p.exactNames(s.engine.Store.Catalog().Current()); err != nil {
		return err
	}
	if err := p.plan(); err != nil {
		return err
	}
	s.EndIdle()
	return out.finish(c)
}

// mayChange asks what forbids a statement, whatever the account may do: a read-only transaction, a read-only
// server, LOCK TABLES.
func mayChange(s *Session, st *syntax.Statement) error {
	if err := s.MayChange(&st.Statement); err != nil {
		return err
	}
	switch st.AST.(type) {
	case *sqlparser.Update, *sqlparser.Delete:
		if s.Vars.On("sql_safe_updates") { // which keys the planner could use is not known
			return mysqlerr.NotYet("this statement with sql_safe_updates=ON")
		}
	}
	return confine(s, st)
}

// runInTransaction runs a statement that reads or writes rows. When a row
// changed between its read and its lock, the statement is rolled back, keeping
// its locks, and runs again.
func (s *Session) runInTransaction(c *sql.Context, st *syntax.Statement, b bindings, out outcome) error {
	if err := mayChange(s, st); err != nil {
		return err
	}
	if s.WritesTables(&st.Statement) && !s.temporaryOnly(st) {
		taken, err := s.BeginChange(c, st.Text)
		if err != nil {
			return err
		}
		if taken != nil {
			defer taken.Unlock()
		}
	}
	if st.WaitSeconds >= 0 {
		tx := s.EnsureTxn()
		tx.SetLockWaitTimeout(session.Seconds(uint64(st.WaitSeconds)))
		defer tx.SetLockWaitTimeout(session.Seconds(s.Vars.Value(session.VarLockWait)))
	}
	if st.Locking || s.Serializable() {
		out.hold()
	}
	if err := s.attempt(c, st, b, out); err != nil {
		s.EndIdle()
		return err
	}
	if err := s.EndStatementTransaction(c, &st.Statement); err != nil {
		return err
	}
	return out.finish(c)
}

// planned is a statement that go-mysql-server plans and runs, once in each attempt.
type planned struct {
	s   *Session
	c   *sql.Context
	st  *syntax.Statement
	b   bindings
	out outcome
}

// Begin implements session.Attempts.
func (p *planned) Begin() {
	runningOf(p.c).begin()
	runningOf(p.c).attempt.Convert, runningOf(p.c).attempt.Generate = p.s.Convert, p.s.Generate
	p.out.reset()
}

// Run implements session.Attempts.
func (p *planned) Run(tx *txn.Txn) error {
	if err := lockNames(p.c, p.s, tx, p.st); err != nil {
		return err
	}
	if err := p.exactNames(tx.Catalog()); err != nil {
		return err
	}
	counted := databaseRows(tx, p.st)
	if p.st.Before != nil {
		before := &planned{p.s, p.c, p.st.Before, nil, &rowBuffer{}}
		run := before.plan
		if isAlter(p.st.Before) {
			run = before.execute
		}
		known, err := before.dropUnknown()
		if !known {
			err = run()
		}
		if err != nil {
			return err
		}
		p.s.Warnings.Clear() // that there was nothing to replace
	}
	if err := p.execute(); err != nil {
		return err
	}
	if counted != nil {
		p.out.ok(types.OkResult{RowsAffected: *counted})
	}
	return runningOf(p.c).attempt.Missed(p.c)
}

// Sent implements session.Attempts.
func (p *planned) Sent() bool { return p.out.sent() }

// attempt runs a statement until no row changed under it.
func (s *Session) attempt(c *sql.Context, st *syntax.Statement, b bindings, out outcome) error {
	return s.Session.Attempt(c, c.QueryTime(), &st.Statement, &planned{s, c, st, b, out})
}

// plan binds, analyses and executes one statement.
func (p *planned) plan() (err error) {
	defer p.s.engine.contain(p.c, &err)
	schema, iter, from, err := p.s.engine.open(p.c, p.st, p.b)
	if err != nil {
		return err
	}
	if err := checkTypes(schema); err != nil {
		return errors.Join(err, iter.Close(p.c))
	}
	return unwrapInsert(drain(p.c, schema, iter, from, p.out))
}

// checkTypes refuses a result with a column that has no type, as some functions have none for NULL and other
// odd arguments.
func checkTypes(schema sql.Schema) error {
	for _, col := range schema {
		if col.Type == nil {
			return mysqlerr.NotYet("an expression whose type is not known")
		}
	}
	return nil
}

// unwrapInsert takes off go-mysql-server's wrapping of the error of an inserted
// row. errors.Is does not see through it, and a deadlock or a row that changed
// must be recognised.
func unwrapInsert(err error) error {
	if err == nil {
		return nil
	}
	var w sql.WrappedInsertError
	for errors.As(err, &w) {
		err = w.Cause
	}
	return err
}

// open makes the row iterator of a statement, and tells where its columns come from.
func (e *Engine) open(c *sql.Context, st *syntax.Statement, b bindings) (sql.Schema, sql.RowIter, []column.Origin, error) {
	if s := sessionOf(c); s != nil {
		written, err := joinedStars(s, c, st)
		if err != nil {
			return nil, nil, nil, err
		}
		st = written
	}
	node, flags, from, err := e.analyzed(c, st, b)
	if err != nil {
		return nil, nil, nil, err
	}
	if node, err = ownFiles(c, st, node, from); err != nil {
		return nil, nil, nil, err
	}
	iter, err := e.gms.Analyzer.ExecBuilder.Build(c, node, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	iter, schema, err := rowexec.FinalizeIters(c, node, flags, iter)
	if err != nil {
		return nil, nil, nil, err
	}
	if schema == nil {
		schema = node.Schema(c)
	}
	if st.Result && st.Kind == statement.Write {
		schema, iter = column.ChangedRows(c, node, schema, iter)
	}
	schema, iter = column.Explained(node, schema, iter, st.Explained, st.General)
	return schema, iter, from, nil
}

// analyzed is the plan of a statement.
func (e *Engine) analyzed(c *sql.Context, st *syntax.Statement, b bindings) (sql.Node, *sql.QueryFlags, []column.Origin, error) {
	gms := e.gms
	binder := planbuilder.New(c, gms.Analyzer.Catalog, gms.EventScheduler)
	if len(b) > 0 {
		binder.SetBindings(b)
	}
	flags := &sql.QueryFlags{}
	var node sql.Node
	var from []column.Origin
	err := e.planning(c, func() (err error) {
		parse.SetsNoColumn(st.AST)
		defer computed.Rewrite(st.AST)()
		if node, flags, err = binder.BindOnly(st.AST, st.Text, flags); err != nil {
			return err
		}
		bindReferences(c, st, node)
		if err = loaddata.Prepare(st.AST, node, flags); err != nil {
			return err
		}
		if node, err = setop.Settle(c, node); err != nil {
			return err
		}
		if st.Result {
			from = column.Origins(c, node) // before analysis takes the plan apart
		} else if into, ok := node.(*plan.Into); ok {
			from = column.Origins(c, into.Child)
		}
		column.Refine(from, func(e sql.Expression) int { return semantics.FractionOf(c, e) })
		if st.Globals {
			if node, err = ownGlobals(c, node); err != nil {
				return err
			}
		}
		if node, err = semantics.Replace(c, node); err != nil {
			return err
		}
		if node, err = compare.Bound(c, node); err != nil {
			return err
		}
		exec.KeepRows(c, node)
		node, err = gms.Analyzer.Analyze(c, node, nil, flags)
		return err
	})
	return node, flags, from, err
}

// drain gives everything that an iterator yields to out.
func drain(c *sql.Context, schema sql.Schema, iter sql.RowIter, from []column.Origin, out outcome) (err error) {
	defer func() {
		if cerr := iter.Close(c); err == nil {
			err = cerr
		}
	}()
	if len(schema) > 0 && !types.IsOkResultSchema(schema) {
		if err := out.columns(c, schema, from); err != nil {
			return err
		}
	}
	for n := 0; ; n++ {
		row, err := iter.Next(c)
		if err == io.EOF {
			return sessionOf(c).Memory.Failed()
		}
		if err != nil {
			return err
		}
		if n&255 == 255 {
			if c.Err() != nil {
				return context.Cause(c)
			}
			if err := sessionOf(c).Memory.Failed(); err != nil {
				return err
			}
		}
		if len(row) == 1 {
			if ok, isOK := row[0].(types.OkResult); isOK {
				if info, isUpdate := ok.Info.(plan.UpdateInfo); isUpdate && info.Warnings != int(c.WarningCount()) {
					info.Warnings = int(c.WarningCount())
					ok.Info = info
				}
				out.ok(ok)
				continue
			}
		}
		if err := out.row(c, row); err != nil {
			return err
		}
	}
}

// Protect turns a panic of the planner or an expression into an error of this
// statement; the transaction is rolled back, since its state is unknown.
func (s *Session) Protect(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			thrown, f := fault.Of(r)
			if f != nil {
				s.engine.Log.Error("statement panicked", "connection", s.Info.ID, "panic", f.Panic, "stack", f.Stack)
				thrown = mysqlerr.Newf(mysqlerr.UnknownError, "internal error: %v", f.Panic)
			}
			s.RollbackAll()
			err = thrown
		}
	}()
	return f()
}

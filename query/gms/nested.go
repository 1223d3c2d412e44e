package gms

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/gms/variable"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
)

// nestedRunner is asked by go-mysql-server's interpreter of procedures for their statements. It has none to run: package routine runs procedures.
type nestedRunner struct{}

var _ sql.StatementRunner = nestedRunner{}

// QueryWithBindings implements sql.StatementRunner.
func (nestedRunner) QueryWithBindings(*sql.Context, string, sqlparser.Statement, map[string]sqlparser.Expr, *sql.QueryFlags) (sql.Schema, sql.RowIter, *sql.QueryFlags, error) {
	return nil, nil, nil, mysqlerr.NotYet("a statement of a routine that is run like this")
}

// runNested runs a statement inside of the one that ctx belongs to.
func (s *Session) runNested(ctx *sql.Context, r *running, b bindings, out outcome) error {
	st := r.st
	leave, err := s.calls.enter(r, s.DB(), s.Vars.Uint("max_sp_recursion_depth"))
	if err != nil {
		return err
	}
	held := s.Memory.Mark()
	defer func() {
		s.Memory.End(held)
		leave()
	}()
	c := s.contextOf(ctx.Context, r, st.Text)
	s.BeginPlanning()
	if err := s.checkAccountStatement(st); err != nil {
		return err
	}
	if err := s.authorize(st); err != nil {
		return err
	}
	within := s.Authority.InTrigger()
	switch {
	case within && (st.Kind == statement.Definition || st.Kind == statement.Control):
		return mysqlerr.New(mysqlerr.CommitNotAllowedInSFOrTrg)
	case st.Kind == statement.Definition:
		return (&definition{s, c, st, b, out}).run()
	case st.Kind == statement.Control || st.Kind == statement.Call || st.Kind == statement.Session:
		out.reset()
		return (&planned{s, c, st, b, out}).plan()
	case within:
		return s.runWithin(c, st, b, out)
	}
	return s.runInTransaction(c, st, b, out)
}

// runWithin runs a statement of a procedure that a trigger calls. It is part of the statement that fires the trigger:
// that one begins and ends, is rolled back, runs again when a row has changed, and commits.
func (s *Session) runWithin(c *sql.Context, st *syntax.Statement, b bindings, out outcome) error {
	if err := mayChange(s, st); err != nil {
		return err
	}
	tx := s.EnsureTxn()
	now := runningOf(c)
	now.begin()
	out.reset()
	if err := s.LockForStatement(c, tx, &st.Statement); err != nil {
		return err
	}
	if err := (&planned{s, c, st, b, out}).execute(); err != nil {
		return err
	}
	if err := now.attempt.Missed(c); err != nil {
		return err
	}
	return out.finish(c)
}

// ownGlobals makes @@global.x in a plan read and write the values of the session's
// own server instead of go-mysql-server's process-wide ones.
func ownGlobals(c *sql.Context, node sql.Node) (sql.Node, error) {
	node, _, err := transform.NodeExprsWithOpaque(c, node, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		v, ok := e.(*expression.SystemVar)
		if !ok {
			return e, transform.SameTree, nil
		}
		scope, ok := v.Scope.(*sql.MysqlScope)
		if !ok || scope.Type != sql.SystemVariableScope_Global {
			return e, transform.SameTree, nil
		}
		own := *v
		own.Scope = variable.GlobalScope
		return &own, transform.NewTree, nil
	})
	return node, err
}

package gms

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/procedures"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/gms/variable"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
)

// nestedRunner runs the statements of stored procedures for go-mysql-server's
// interpreter, each one as a statement of the session: with its own classification,
// statement rollback, locks and (without a transaction around it) commit.
type nestedRunner struct{ engine *Engine }

var _ sql.StatementRunner = nestedRunner{}

// procedureCall is the state of the outermost running CALL.
type procedureCall struct {
	sink result.Sink
	// results holds the statements of the procedures whose rows go to the client.
	// Others go to variables, or are made by the interpreter to evaluate expressions.
	results map[sqlparser.Statement]bool
	// changed is how many rows its statements have affected together.
	changed uint64
}

// count adds the rows that a statement of the procedure has affected; nil is no CALL.
func (p *procedureCall) count(st *syntax.Statement, within bool, buf *rowBuffer) {
	if p == nil || within || st.Kind == statement.Call || !types.IsOkResultSchema(buf.schema) {
		return
	}
	for _, row := range buf.rows {
		if ok, is := row[0].(types.OkResult); is {
			p.changed += ok.RowsAffected
		}
	}
}

// QueryWithBindings implements sql.StatementRunner.
func (r nestedRunner) QueryWithBindings(ctx *sql.Context, query string, parsed sqlparser.Statement, b map[string]sqlparser.Expr, flags *sql.QueryFlags) (sql.Schema, sql.RowIter, *sql.QueryFlags, error) {
	s := sessionOf(ctx)
	if parsed == nil || query != "" {
		return nil, nil, nil, mysqlerr.NotYet("a statement of a routine that is a text")
	}
	if u, ok := parsed.(*sqlparser.Update); ok {
		parsed = unpackAssignments(u)
	}
	if s.Authority.InTrigger() && commits(parsed) {
		return nil, nil, nil, mysqlerr.New(mysqlerr.CommitNotAllowedInSFOrTrg)
	}
	outer := runningOf(ctx)
	defer outer.variables.Typed(parsed)()
	st, err := restated(s, parsed)
	if err != nil {
		return nil, nil, nil, err
	}
	var buf rowBuffer
	if err := s.runNested(ctx, outer.within(st), b, &buf); err != nil {
		return nil, nil, nil, err
	}
	outer.call.count(st, s.Authority.InTrigger(), &buf)
	if outer.call.forClient(parsed, &buf) {
		w := s.wireResult(outer.call.sink, true)
		if err := w.columns(ctx, buf.schema, buf.from); err != nil {
			return nil, nil, nil, err
		}
		for _, row := range buf.rows {
			if err := w.row(ctx, row); err != nil {
				return nil, nil, nil, err
			}
		}
		if err := w.finish(ctx); err != nil {
			return nil, nil, nil, err
		}
		return buf.schema, sql.RowsToRowIter(), flags, nil
	}
	return buf.schema, sql.RowsToRowIter(buf.rows...), flags, nil
}

// commits reports whether a statement of a routine is a definition that commits, which not every kind can be restated.
func commits(ast sqlparser.Statement) bool {
	switch n := ast.(type) {
	case *sqlparser.DDL:
		return !n.Temporary
	case *sqlparser.DBDDL, *sqlparser.AlterTable:
		return true
	}
	return false
}

// restated is a statement of a routine, of which there is a tree and no text.
func restated(s *Session, ast sqlparser.Statement) (*syntax.Statement, error) {
	logged, err := parse.Restate(ast, s.LexMode)
	if err != nil {
		return nil, err
	}
	text := source.New(parse.Readable(ast), dialect.Mode{}, session.TreeMemory(&s.Session))
	defer text.Drop()
	st, err := syntax.Classify(text)
	if err != nil {
		return nil, mysqlerr.NotYet("this statement in a routine").WithCause(err)
	}
	return st.With(logged, ast), nil
}

// forClient reports whether the rows of a routine's statement are a result set of the CALL; nil is no CALL.
func (p *procedureCall) forClient(ast sqlparser.Statement, buf *rowBuffer) bool {
	if p == nil || p.sink == nil || len(buf.schema) == 0 || types.IsOkResultSchema(buf.schema) {
		return false
	}
	return p.results[ast]
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

// runCall runs CALL and the other statements that consist of further statements.
func (s *Session) runCall(c *sql.Context, st *syntax.Statement, b bindings, out outcome) error {
	if call, ok := st.AST.(*sqlparser.Call); ok && call.ProcName.Qualifier.IsEmpty() && s.DB() == "" {
		return mysqlerr.New(mysqlerr.NoDB)
	}
	if w, ok := out.(*wire); ok && runningOf(c).call == nil {
		runningOf(c).call = &procedureCall{sink: w.sink, results: map[sqlparser.Statement]bool{}}
		// What the CALL node itself yields was sent already, as nested results.
		out = &callResult{wire: w, call: runningOf(c).call}
	}
	out.reset()
	leave, err := s.calls.enterCall(st, s.DB(), s.Vars.Uint("max_sp_recursion_depth"))
	if err != nil {
		return err
	}
	err = (&planned{s, c, st, b, out}).plan()
	leave()
	s.EndIdle()
	if err != nil {
		return err
	}
	return out.finish(c)
}

// noteCall remembers which statements of a procedure that is about to run give
// results to the client; nil is a CALL whose results nobody gets.
func (p *procedureCall) noteCall(call *plan.Call) {
	if call.Procedure == nil || call.Procedure.ExternalProc != nil {
		return
	}
	call.Procedure.Ops = stoppableLoops(call.Procedure.Ops)
	if p == nil {
		return
	}
	for _, op := range call.GetStatements() {
		if op.OpCode != procedures.OpCode_Select && op.OpCode != procedures.OpCode_Execute {
			continue // its data is an expression, as a SELECT
		}
		switch n := op.PrimaryData.(type) {
		case *sqlparser.Select:
			// The interpreter clears INTO when it first runs the statement.
			if _, known := p.results[n]; !known {
				p.results[n] = n.Into == nil
			}
		case *sqlparser.SetOp, *sqlparser.ParenSelect, *sqlparser.Show, *sqlparser.Explain:
			p.results[n] = true
		case *sqlparser.Update:
			packAssignments(n)
		}
	}
}

// The interpreter puts the values of variables into the WHERE of an UPDATE but not
// into its assignments. So the assigned expressions travel as arguments of a
// function in the WHERE, and are put back before the statement runs.
var packed = sqlparser.NewColIdent("duramen packed assignments")

func packAssignments(u *sqlparser.Update) {
	if _, _, done := unpack(u); done {
		return
	}
	f := &sqlparser.FuncExpr{Name: packed}
	for _, e := range u.Exprs {
		f.Exprs = append(f.Exprs, &sqlparser.AliasedExpr{Expr: e.Expr})
	}
	where := sqlparser.Expr(f)
	if u.Where != nil {
		where = &sqlparser.AndExpr{Left: f, Right: u.Where.Expr}
	}
	u.Where = &sqlparser.Where{Type: sqlparser.WhereStr, Expr: where}
}

// unpack finds the packed assignments of an UPDATE and its own condition.
func unpack(u *sqlparser.Update) (f *sqlparser.FuncExpr, cond sqlparser.Expr, ok bool) {
	if u.Where == nil {
		return nil, nil, false
	}
	switch e := u.Where.Expr.(type) {
	case *sqlparser.FuncExpr:
		return e, nil, e.Name.EqualString(packed.String())
	case *sqlparser.AndExpr:
		if f, isFunc := e.Left.(*sqlparser.FuncExpr); isFunc && f.Name.EqualString(packed.String()) {
			return f, e.Right, true
		}
	}
	return nil, nil, false
}

// unpackAssignments returns the statement that packAssignments was given, with the
// variables replaced.
func unpackAssignments(u *sqlparser.Update) *sqlparser.Update {
	f, cond, ok := unpack(u)
	if !ok {
		return u
	}
	own := *u
	own.Where = nil
	if cond != nil {
		own.Where = &sqlparser.Where{Type: sqlparser.WhereStr, Expr: cond}
	}
	own.Exprs = make(sqlparser.AssignmentExprs, len(u.Exprs))
	for i, e := range u.Exprs {
		own.Exprs[i] = &sqlparser.AssignmentExpr{Name: e.Name, Expr: f.Exprs[i].(*sqlparser.AliasedExpr).Expr}
	}
	return &own
}

// callResult is the result of a CALL: only its final OK is left to send.
type callResult struct {
	wire *wire
	call *procedureCall
}

func (r *callResult) hold()                                                   {}
func (r *callResult) reset()                                                  {}
func (r *callResult) columns(*sql.Context, sql.Schema, []column.Origin) error { return nil }
func (r *callResult) row(*sql.Context, sql.Row) error                         { return nil }
func (r *callResult) ok(ok types.OkResult)                                    { r.wire.okay = &ok }
func (r *callResult) sent() bool                                              { return true }

func (r *callResult) finish(c *sql.Context) error {
	if r.wire.okay == nil {
		r.wire.okay = &types.OkResult{}
	}
	r.wire.okay.RowsAffected = r.call.changed
	Kept{r.wire.session}.Changed(r.call.changed)
	return r.wire.finish(c)
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

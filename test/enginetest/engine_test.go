package enginetest

import (
	"context"
	"fmt"

	suite "github.com/dolthub/go-mysql-server/enginetest"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query"
)

// sessionEngine runs the suite's statements as a connection would: each
// through the query.Session that its context carries, the results through a
// sink.
type sessionEngine struct {
	h      *sessionHarness
	engine *query.Engine
	// planned is set when the suite plans by itself with the analyzer: it may
	// have left a read view open in the session.
	planned bool
}

var _ suite.QueryEngine = (*sessionEngine)(nil)

// session is that of the context, logged in as the client that the suite has
// put into the context since.
func (e *sessionEngine) session(ctx *sql.Context) (*query.Session, error) {
	// The suite switches go-mysql-server's own accounts on. Ours are not in them.
	e.engine.SQLEngine().GMS().Analyzer.Catalog.MySQLDb.SetEnabled(false)
	s := e.h.sessionOf(ctx)
	if s == nil {
		return nil, fmt.Errorf("a context without a session of ours: %T", ctx.Session)
	}
	if err := e.h.login(s, ctx); err != nil {
		return nil, err
	}
	if e.planned && s.StatusFlags()&mysql.SERVER_STATUS_IN_TRANS == 0 {
		e.planned = false
		if err := s.Execute(ctx, "ROLLBACK", &sink{}); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Query implements suite.QueryEngine.
func (e *sessionEngine) Query(ctx *sql.Context, text string) (sql.Schema, sql.RowIter, *sql.QueryFlags, error) {
	s, err := e.session(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	e.h.ran = text
	text = e.translated(s, text)
	db := s.DB()
	var out sink
	err = s.Execute(context.Background(), text, &out)
	theJudge.see(s, e.h.clients[s], db, text, out.worded(err))
	return out.answer(err)
}

// QueryWithBindings implements suite.QueryEngine: with values for placeholders
// it prepares the statement and executes it.
func (e *sessionEngine) QueryWithBindings(ctx *sql.Context, text string, _ sqlparser.Statement, bindings map[string]sqlparser.Expr, _ *sql.QueryFlags) (sql.Schema, sql.RowIter, *sql.QueryFlags, error) {
	if len(bindings) == 0 {
		return e.Query(ctx, text)
	}
	s, err := e.session(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	e.h.ran = text
	text, names := placeholders(e.translated(s, text))
	params, err := parameters(names, bindings)
	if err != nil {
		return nil, nil, nil, err
	}
	stmt, err := s.Prepare(context.Background(), text)
	if err != nil {
		theJudge.see(s, e.h.clients[s], s.DB(), text, &plainAnswer{failure: err}, literals(params)...)
		return nil, nil, nil, suiteError(err)
	}
	defer s.CloseStmt(stmt)
	db := s.DB()
	var out sink
	err = s.ExecuteStmt(context.Background(), stmt, params, &out)
	theJudge.see(s, e.h.clients[s], db, text, out.worded(err), literals(params)...)
	return out.answer(err)
}

// PrepareQuery implements suite.QueryEngine. The plan only tells the suite what
// kind of statement it is.
func (e *sessionEngine) PrepareQuery(ctx *sql.Context, text string) (sql.Node, error) {
	s, err := e.session(ctx)
	if err != nil {
		return nil, err
	}
	text = e.translated(s, text)
	stmt, err := s.Prepare(context.Background(), text)
	if err != nil {
		theJudge.see(s, e.h.clients[s], s.DB(), text, &plainAnswer{failure: err})
		return nil, suiteError(err)
	}
	s.CloseStmt(stmt)
	e.planned = true
	node, err := e.engine.SQLEngine().GMS().PrepareQuery(ctx, text)
	if err != nil {
		return nil, nil //nolint:nilerr // a statement that go-mysql-server never sees
	}
	return node, nil
}

// translated is a statement of the suite as a client of MariaDB would write it.
func (e *sessionEngine) translated(s *query.Session, text string) string {
	return lettered(translated(text), e.engine.Store.Catalog().Current(), s.DB())
}

// AnalyzeQuery implements suite.QueryEngine.
func (e *sessionEngine) AnalyzeQuery(ctx *sql.Context, text string) (sql.Node, error) {
	e.planned = true
	return e.engine.SQLEngine().GMS().AnalyzeQuery(ctx, translated(text))
}

// EngineAnalyzer implements suite.QueryEngine.
func (e *sessionEngine) EngineAnalyzer() *analyzer.Analyzer {
	e.planned = true
	return e.engine.SQLEngine().GMS().Analyzer
}

// EngineEventScheduler implements suite.QueryEngine.
func (e *sessionEngine) EngineEventScheduler() sql.EventScheduler {
	return e.engine.SQLEngine().GMS().EventScheduler
}

// Close implements suite.QueryEngine. The store is closed when the test ends.
func (e *sessionEngine) Close() error { return nil }

// answer is what the suite gets.
func (s *sink) answer(err error) (sql.Schema, sql.RowIter, *sql.QueryFlags, error) {
	if err != nil {
		return nil, nil, nil, suiteError(err)
	}
	r := s.result()
	return r.schema, sql.RowsToRowIter(r.rows...), nil, nil
}

// worded is what the judge compares.
func (s *sink) worded(err error) *plainAnswer {
	s.plain.failure = err
	return &s.plain
}

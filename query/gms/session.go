package gms

import (
	"context"
	"fmt"
	"io"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/routine"
	"github.com/duramendb/duramen/query/session"
)

// Session is a session whose statements go-mysql-server plans and runs.
type Session struct {
	session.Session
	engine *Engine
	base   *sql.BaseSession // what go-mysql-server keeps for a session: user variables, the last insert id
	parsed parseCache
	// variables are user variables, by their names in lower case, as SQL of our own has them; see noteVariable.
	variables map[string]userVariable
	caches    *sql.MemoryManager // go-mysql-server's caches of this session
	tables    tables.TempTables

	calls    routineCalls // those that are running
	definers definers
	// Made finds the query of a CREATE TABLE ... SELECT that SQL of our own understands, nil if it does not.
	Made func(ctx context.Context, text string, params []result.Value) (Made, error)
	// Evaluation is how SQL of our own binds and computes expressions in the session's statements.
	Evaluation func(ctx context.Context) (*bind.Binder, *eval.Frame, error)
	// Call runs a procedure, whose statements execute runs.
	Call func(ctx context.Context, call *tree.CallRoutine, execute func(text routine.Text, sink result.Sink) error) error
	// Convert is tables.Statement.Convert.
	Convert func(ctx context.Context, from, to *catalog.Table, fromAt, toAt int) (tables.Conversion, error)
	// Generate is tables.Statement.Generate.
	Generate func(ctx context.Context, to *catalog.Table) (tables.Generation, error)
	sqlMode  string // sql_mode as go-mysql-server may see it
	charset  sessionCharset
}

// NewSession makes a session; SetUp makes it that of a connection.
func (e *Engine) NewSession(id uint32) *Session {
	s := &Session{engine: e, calls: routineCalls{}}
	s.Init(e.Server, id, &s.tables, s)
	return s
}

// SetUp gives the session the state of a new connection.
func (s *Session) SetUp(ci session.ConnInfo) {
	s.Session.SetUp(ci)
	// For go-mysql-server, the client is its account: the definer of what it creates.
	client := sql.Client{User: s.Authority.Account.User, Address: s.Authority.Account.Host, Capabilities: ci.Capabilities}
	s.base = sql.NewBaseSessionWithClientServer(s.engine.address, client, ci.ID)
	s.base.SetLogger(s.engine.gmsLog)
	s.variables = map[string]userVariable{}
	s.caches = sql.NewMemoryManager(cacheEntries{&s.Memory})
	lastInsert := func() any { return uint64(s.base.GetLastQueryInfo().LastInsertId.Load()) }
	s.Vars.Computed("last_insert_id", lastInsert)
	s.Vars.Computed("identity", lastInsert)
	if ci.Collation != 0 {
		s.setHandshakeCollation(ci.Collation)
	}
	s.BeginPlanning()
}

// TemporaryTable is the definition of a temporary table, and the next value of its counter; nil if there is none of the name.
func (s *Session) TemporaryTable(db, name string) (def *catalog.TableDef, next uint64) {
	return s.tables.Definition(db, name)
}

// UserVar returns the text of a user variable; ok is false if it is NULL or unset.
func (s *Session) UserVar(name string) (value string, ok bool) {
	_, v, err := s.base.GetUserVariable(nil, name)
	if err != nil || v == nil {
		return "", false
	}
	if b, isBytes := v.([]byte); isBytes {
		return string(b), true
	}
	return fmt.Sprint(v), true
}

// newContext makes go-mysql-server's context for a command that is no statement.
func (s *Session) newContext(ctx context.Context, query string) *sql.Context {
	return s.contextOf(ctx, newRunning(nil, nil), query)
}

// contextOf makes go-mysql-server's context for one statement.
func (s *Session) contextOf(ctx context.Context, r *running, query string) *sql.Context {
	c := sql.NewContext(ctx,
		sql.WithSession(s.seenBy(r)),
		sql.WithQuery(query),
		sql.WithPid(uint64(s.Info.ID)),
		sql.WithMemoryManager(s.caches),
		sql.WithProcessList(processList{s.engine}),
		sql.WithServices(sql.Services{
			KillConnection: func(id uint32) error { s.engine.config.Kill(id, false); return nil },
			LoadInfile:     func(name string) (io.ReadCloser, error) { return s.loadInfile(ctx, r, name) },
		}),
	)
	if !s.Clock.Fixed.IsZero() {
		c.SetQueryTime(s.Clock.Fixed)
	}
	s.Clock.Begin(c)
	return c
}

// Use makes a database the current one.
func (s *Session) Use(ctx context.Context, name string) error {
	defer s.EndIdle()
	c := s.newContext(ctx, "")
	s.BeginPlanning()
	if a := s.Rights(); !a.Visible(name) {
		return a.DeniedDatabase(name)
	}
	db, err := s.engine.gms.Analyzer.Catalog.Database(c, name)
	if err != nil || otherDatabase(s.engine.Store.Catalog().Current(), name) {
		return mysqlerr.New(mysqlerr.BadDB, name)
	}
	s.SetDB(db.Name())
	return nil
}

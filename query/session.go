package query

import (
	"context"
	"fmt"
	"io"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/status"
)

// Session runs the statements of one connection. All methods but those of
// SHOW PROCESSLIST and KILL are for one goroutine at a time.
type Session struct {
	session.Session
	engine *Engine
	base   *sql.BaseSession // what go-mysql-server keeps for a session: user variables, the last insert id
	parsed parseCache
	caches *sql.MemoryManager // go-mysql-server's caches of this session
	multi  bool               // several statements per packet are allowed
	tables tables.TempTables

	calls      routineCalls // those that are running
	definers   definers
	gmsSQLMode string // sql_mode as go-mysql-server may see it
	charset    sessionCharset

	prepared map[*Stmt]struct{}
	named    namedStatements // SQL PREPARE
}

// NewSession starts a session for an authenticated connection.
func (e *Engine) NewSession(ci session.ConnInfo) (*Session, error) {
	if ci.ID == 0 {
		ci.ID = e.NextConnectionID()
	}
	s := &Session{engine: e, prepared: map[*Stmt]struct{}{}}
	s.Init(&e.Server, ci.ID, &s.tables, s)
	s.setUp(ci)
	if err := session.AccountsOf(&s.Session).Admit(ci.Login); err != nil {
		return nil, err
	}
	if ci.DB != "" {
		if err := useDB(context.Background(), s, ci.DB); err != nil {
			s.dispose()
			session.AccountsOf(&s.Session).Leave()
			return nil, err
		}
	}
	e.sessions.add(s)
	return s, nil
}

// setUp gives the session the state of a new connection.
func (s *Session) setUp(ci session.ConnInfo) {
	s.Session.SetUp(ci)
	// For go-mysql-server, the client is its account: the definer of what it creates.
	client := sql.Client{User: s.Authority.Account.User, Address: s.Authority.Account.Host, Capabilities: ci.Capabilities}
	s.base = sql.NewBaseSessionWithClientServer(s.engine.address, client, ci.ID)
	s.base.SetLogger(s.engine.gmsLog)
	s.multi = ci.Capabilities&mysql.CLIENT_MULTI_STATEMENTS != 0
	s.caches = sql.NewMemoryManager(cacheEntries{&s.Memory})
	lastInsert := func() any { return uint64(s.base.GetLastQueryInfo().LastInsertId.Load()) }
	s.Vars.Computed("last_insert_id", lastInsert)
	s.Vars.Computed("identity", lastInsert)
	if ci.Collation != 0 {
		s.setHandshakeCollation(ci.Collation)
	}
}

// dispose ends what a session holds: transaction, temporary tables, locks, prepared statements.
func (s *Session) dispose() {
	s.engine.Status.Prepare(-len(s.prepared))
	clear(s.prepared)
	s.named = nil
	s.Session.Dispose()
}

// Close rolls back what is open and forgets the session.
func (s *Session) Close() {
	s.dispose()
	session.AccountsOf(&s.Session).Leave()
	s.engine.sessions.remove(s)
	s.engine.UnregisterReplica(s.Info.ID)
}

// Reset is COM_RESET_CONNECTION: everything as after connecting, except the
// user and the current database.
func (s *Session) Reset(ctx context.Context) error {
	db := s.DB()
	s.dispose()
	info := s.Info
	s.setUp(info)
	if db != "" {
		s.SetDB(db)
	}
	return nil
}

// ChangeUser is COM_CHANGE_USER, after authentication: a new session on the same connection.
func (s *Session) ChangeUser(ctx context.Context, ci session.ConnInfo) error {
	s.dispose()
	ci.ID, ci.Kill = s.Info.ID, s.Info.Kill
	if ci.Capabilities == 0 {
		ci.Capabilities = s.Info.Capabilities
	}
	if ci.Address == "" {
		ci.Address = s.Info.Address
	}
	session.AccountsOf(&s.Session).Leave()
	s.setUp(ci)
	if err := session.AccountsOf(&s.Session).Admit(ci.Login); err != nil || ci.DB == "" {
		return err
	}
	return useDB(ctx, s, ci.DB)
}

// UseDB is USE name, COM_INIT_DB.
func (s *Session) UseDB(ctx context.Context, name string) error {
	s.engine.Status.Command(status.ChangeDB)
	return useDB(ctx, s, name)
}

// useDB is UseDB for a database that the connection names.
func useDB(ctx context.Context, s *Session, name string) error {
	return s.guard(ctx, "", func(c *sql.Context) error {
		if a := s.newAccess(); !a.Visible(name) {
			return a.DeniedDatabase(name)
		}
		db, err := s.engine.gms.Analyzer.Catalog.Database(c, name)
		if err != nil {
			return mysqlerr.New(mysqlerr.BadDB, name)
		}
		s.SetDB(db.Name())
		return nil
	})
}

// SetMultiStatements is COM_SET_OPTION.
func (s *Session) SetMultiStatements(on bool) { s.multi = on }

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
		sql.WithProcessList(s.engine.processes),
		sql.WithServices(sql.Services{
			KillConnection: func(id uint32) error { s.engine.Kill(id, false); return nil },
			LoadInfile:     func(name string) (io.ReadCloser, error) { return s.loadInfile(ctx, r, name) },
		}),
	)
	if !s.Clock.Fixed.IsZero() {
		c.SetQueryTime(s.Clock.Fixed)
	}
	return c
}

// guard runs f as a command of the session that is not a statement of the client.
func (s *Session) guard(ctx context.Context, query string, f func(c *sql.Context) error) error {
	run, end := s.Begin(ctx, query)
	defer end()
	c := s.newContext(run, query)
	s.beginPlanning()
	err := s.protect(func() error { return f(c) })
	s.EndIdle()
	return s.mapError(run, err)
}

// VarUint returns the session value of an unsigned system variable.
func (s *Session) VarUint(name string) uint64 { return s.Vars.Uint(name) }

// VarString returns the session value of a text system variable.
func (s *Session) VarString(name string) string { return s.Vars.Str(name) }

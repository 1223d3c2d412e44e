package query

import (
	"context"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/eval"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/admin"
	"github.com/duramendb/duramen/query/gms"
	"github.com/duramendb/duramen/query/native"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/routine"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/status"
)

// Session runs the statements of one connection. All methods but those of
// SHOW PROCESSLIST and KILL are for one goroutine at a time.
type Session struct {
	*session.Session
	engine *Engine
	sql    *gms.Session
	multi  bool // several statements per packet are allowed

	prepared map[*Stmt]struct{}
	named    namedStatements // SQL PREPARE
	// manyHolders says that what is prepared has the placeholders of several sets of parameters.
	manyHolders bool
	calls       routine.Calls
	sinks       sinks
	natively    native.Session
}

// NewSession starts a session for an authenticated connection.
func (e *Engine) NewSession(ci session.ConnInfo) (*Session, error) {
	if ci.ID == 0 {
		ci.ID = e.NextConnectionID()
	}
	s := &Session{engine: e, sql: e.sql.NewSession(ci.ID), prepared: map[*Stmt]struct{}{}}
	s.Session = &s.sql.Session
	s.sql.Made, s.sql.Convert, s.sql.Generate = s.madeBy, s.conversion, s.generation
	s.sql.Call = s.callWithin
	s.sql.Evaluation = func(ctx context.Context) (*bind.Binder, *eval.Frame, error) { return s.native().Evaluation(ctx) }
	s.natively = native.Session{
		Session: s.Session, Rest: s.sql.Kept(), Rights: s.sql.Rights, Tables: &e.tables, Programs: &e.programs, Own: &native.Own{},
	}
	s.setUp(ci)
	if err := session.AccountsOf(s.Session).Admit(ci.Login); err != nil {
		return nil, err
	}
	if ci.DB != "" {
		if err := useDB(context.Background(), s, ci.DB); err != nil {
			s.dispose()
			session.AccountsOf(s.Session).Leave()
			return nil, err
		}
	}
	e.sessions.Add(s.Session)
	return s, nil
}

// setUp gives the session the state of a new connection.
func (s *Session) setUp(ci session.ConnInfo) {
	s.sql.SetUp(ci)
	s.setUpReplica()
	s.multi = ci.Capabilities&mysql.CLIENT_MULTI_STATEMENTS != 0
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
	session.AccountsOf(s.Session).Leave()
	s.engine.sessions.Remove(s.Session)
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
	session.AccountsOf(s.Session).Leave()
	s.setUp(ci)
	if err := session.AccountsOf(s.Session).Admit(ci.Login); err != nil || ci.DB == "" {
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
	run := s.Begin(ctx, "")
	defer s.End()
	name = session.TextsOf(s.Session).NameFromClient(name)
	return s.toResults(s.sql.MapError(run, s.sql.Protect(func() error { return s.sql.Use(run, name) })))
}

// SetMultiStatements is COM_SET_OPTION.
func (s *Session) SetMultiStatements(on bool) { s.multi = on }

// VarUint returns the session value of an unsigned system variable.
func (s *Session) VarUint(name string) uint64 { return s.Vars.Uint(name) }

// VarString returns the session value of a text system variable.
func (s *Session) VarString(name string) string { return s.Vars.Str(name) }

// UserVar returns the text of a user variable; ok is false if it is NULL or unset.
func (s *Session) UserVar(name string) (value string, ok bool) { return s.sql.UserVar(name) }

// SQL is the session of go-mysql-server below, for its own test suite.
func (s *Session) SQL() *gms.Session { return s.sql }

// own runs statements of the server's own in the session.
func (s *Session) own() admin.Session {
	return admin.Session{Session: s.Session, SQL: s.sql, Engine: &s.engine.admin, Statements: nested{s}}
}

// Statistics is the answer to COM_STATISTICS.
func (s *Session) Statistics() string { return s.engine.admin.Statistics() }

// madeBy is the query of a CREATE TABLE ... SELECT by SQL of our own; nil for one that it does not understand.
func (s *Session) madeBy(ctx context.Context, text string, params []result.Value) (gms.Made, error) {
	m, err := s.native().Made(ctx, text, params)
	if m == nil || err != nil {
		return nil, err
	}
	return m, nil
}

// conversion is how values of a changed column are made by SQL of our own; nil for types that it does not understand.
func (s *Session) conversion(ctx context.Context, from, to *catalog.Table, fromAt, toAt int) (gms.Conversion, error) {
	c, err := s.native().Conversion(ctx, from, to, fromAt, toAt)
	if c == nil || err != nil {
		return nil, err
	}
	return c, nil
}

// generation computes the generated columns of a table by SQL of our own; nil for expressions that it does not understand.
func (s *Session) generation(ctx context.Context, to *catalog.Table) (gms.Generation, error) {
	g, err := s.native().Generation(ctx, to)
	if g == nil || err != nil {
		return nil, err
	}
	return g, nil
}

// native is the session as package native wants to see it.
func (s *Session) native() native.Session {
	return s.natively
}

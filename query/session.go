package query

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/memory"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/process"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/query/userlock"
	"github.com/duramendb/duramen/txn"
	"github.com/duramendb/duramen/txn/lock"
)

// Session runs the statements of one connection. All methods but those of
// SHOW PROCESSLIST and KILL are for one goroutine at a time.
type Session struct {
	base   *sql.BaseSession // what go-mysql-server keeps for a session: current database, user variables, warnings
	engine *Engine
	info   ConnInfo
	vars   *sysvar.Session
	parsed parseCache
	memory memory.Session
	caches *sql.MemoryManager // go-mysql-server's caches of this session
	multi  bool               // several statements per packet are allowed

	// The transaction: tx is nil when nothing was read or written yet; explicit
	// is set from BEGIN to its end.
	tx       *txn.Txn
	running  atomic.Pointer[txn.Txn] // tx, for other sessions
	cursors  txn.CursorSet           // what statements have open
	explicit bool
	next     nextTransaction // SET TRANSACTION and START TRANSACTION characteristics
	current  nextTransaction // of the running explicit transaction
	temp     tables.TempTables
	tabLocks *tableLocks // LOCK TABLES

	readLock  readLock
	userLocks userlock.Set
	waiter    lock.Waiter // of the transaction, tabLocks, readLock and userLocks

	calls routineCalls // those that are running

	autocommit bool
	sqlModeLex dialect.Mode
	gmsSQLMode string // sql_mode as go-mysql-server may see it
	charset    sessionCharset
	lastGTID   string
	clock      clock // SET TIMESTAMP
	lastInsert uint64

	prepared map[*Stmt]struct{}
	named    namedStatements // SQL PREPARE

	proc process.Entry

	privs   privileges
	counted accounts.Name // the account that counts this connection; none for the server's own
	// heldGlobal are the privileges on *.* of heldFor.
	heldGlobal privilege.Set
	heldFor    granted
}

// nextTransaction are characteristics of a transaction.
type nextTransaction struct {
	isolation    txn.Isolation
	hasIsolation bool
	readOnly     bool
	hasAccess    bool
}

// NewSession starts a session for an authenticated connection.
func (e *Engine) NewSession(ci ConnInfo) (*Session, error) {
	if ci.ID == 0 {
		ci.ID = e.NextConnectionID()
	}
	s := &Session{engine: e, prepared: map[*Stmt]struct{}{}}
	s.userLocks.Init(e.store.Txns().Locks(), ci.ID, &s.waiter)
	s.readLock.init(e.store.Txns().Locks(), ci.ID, &s.waiter)
	s.setUp(ci)
	if err := accountsOf(s).admit(ci.Login); err != nil {
		return nil, err
	}
	if ci.DB != "" {
		if err := useDB(context.Background(), s, ci.DB); err != nil {
			s.dispose()
			accountsOf(s).leave()
			return nil, err
		}
	}
	e.sessions.add(s)
	return s, nil
}

// setUp gives the session the state of a new connection.
func (s *Session) setUp(ci ConnInfo) {
	s.privs = s.engine.privilegesOf(ci)
	s.info, s.info.Host = ci, s.privs.Host
	if s.info.IP == "" {
		s.info.IP = ci.Host
	}
	// For go-mysql-server, the client is its account: the definer of what it creates.
	client := sql.Client{User: s.privs.Account.User, Address: s.privs.Account.Host, Capabilities: ci.Capabilities}
	s.base = sql.NewBaseSessionWithClientServer(s.engine.address, client, ci.ID)
	s.base.SetLogger(s.engine.gmsLog)
	s.multi = ci.Capabilities&mysql.CLIENT_MULTI_STATEMENTS != 0
	s.vars = s.engine.globals.NewSession()
	s.memory.Server = s.engine.memory
	s.memory.Begin(s.memoryLimit())
	s.caches = sql.NewMemoryManager(cacheEntries{&s.memory})
	s.vars.Changed = s.variableChanged
	s.vars.Check = s.checkVariable
	s.computedVariables()
	for _, name := range []string{"autocommit", "sql_mode", "character_set_connection", "character_set_results", "collation_connection"} {
		d, _ := sysvar.Lookup(name)
		s.variableChanged(d, s.vars.Value(d))
	}
	if ci.Capabilities&mysql.CLIENT_INTERACTIVE != 0 {
		// What closes an idle interactive client is interactive_timeout.
		wait, _ := sysvar.Lookup("wait_timeout")
		interactive, _ := s.vars.Get("interactive_timeout")
		s.vars.Store(wait, interactive)
	}
	if ci.Collation != 0 {
		s.setHandshakeCollation(ci.Collation)
	}
	s.lastGTID, s.lastInsert, s.clock = "", 0, clock{}
	s.next, s.current = nextTransaction{}, nextTransaction{}
	address := ci.Address
	if address == "" {
		address = ci.Host
	}
	s.proc.Connect(ci.ID, ci.User, address, ci.Kill)
}

// ID returns the connection id.
func (s *Session) ID() uint32 { return s.info.ID }

// dispose ends what a session holds: transaction, temporary tables, locks.
func (s *Session) dispose() {
	s.rollbackAll()
	s.unlockTables()
	s.temp.DropAll()
	s.userLocks.ReleaseAll()
	s.engine.status.prepared.Add(-int64(len(s.prepared)))
	clear(s.prepared)
	s.named = nil
	s.memory.Close()
}

// Close rolls back what is open and forgets the session.
func (s *Session) Close() {
	s.dispose()
	accountsOf(s).leave()
	s.engine.sessions.remove(s)
	s.engine.UnregisterReplica(s.info.ID)
}

// Reset is COM_RESET_CONNECTION: everything as after connecting, except the
// user and the current database.
func (s *Session) Reset(ctx context.Context) error {
	db := s.DB()
	s.dispose()
	info := s.info
	s.setUp(info)
	if db != "" {
		s.setDB(db)
	}
	return nil
}

// ChangeUser is COM_CHANGE_USER, after authentication: a new session on the same connection.
func (s *Session) ChangeUser(ctx context.Context, ci ConnInfo) error {
	s.dispose()
	ci.ID, ci.Kill = s.info.ID, s.info.Kill
	if ci.Capabilities == 0 {
		ci.Capabilities = s.info.Capabilities
	}
	if ci.Address == "" {
		ci.Address = s.info.Address
	}
	accountsOf(s).leave()
	s.setUp(ci)
	if err := accountsOf(s).admit(ci.Login); err != nil || ci.DB == "" {
		return err
	}
	return useDB(ctx, s, ci.DB)
}

// UseDB is USE name, COM_INIT_DB.
func (s *Session) UseDB(ctx context.Context, name string) error {
	s.engine.status.com[comChangeDB].Add(1)
	return useDB(ctx, s, name)
}

// useDB is UseDB for a database that the connection names.
func useDB(ctx context.Context, s *Session, name string) error {
	return s.guard(ctx, "", func(c *sql.Context) error {
		if a := s.newAccess(c); !a.visible(name) {
			return a.deniedDatabase(name)
		}
		db, err := s.engine.gms.Analyzer.Catalog.Database(c, name)
		if err != nil {
			return mysqlerr.New(mysqlerr.BadDB, name)
		}
		s.setDB(db.Name())
		return nil
	})
}

func (s *Session) setDB(name string) {
	s.base.SetCurrentDatabase(name)
	s.proc.SetDB(name)
}

// DB is the current database, "" if there is none.
func (s *Session) DB() string { return s.base.GetCurrentDatabase() }

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

// VarUint returns the session value of an unsigned system variable.
func (s *Session) VarUint(name string) uint64 { return s.vars.Uint(name) }

// VarString returns the session value of a text system variable.
func (s *Session) VarString(name string) string { return s.vars.Str(name) }

// StatusFlags are the server status flags of the next OK or EOF packet.
func (s *Session) StatusFlags() uint16 {
	var f uint16
	if s.autocommit {
		f |= mysql.SERVER_STATUS_AUTOCOMMIT
	}
	if s.inTransaction() {
		f |= mysql.SERVER_STATUS_IN_TRANS
		if s.current.readOnly && s.current.hasAccess {
			f |= mysql.SERVER_STATUS_IN_TRANS_READONLY
		}
	}
	if s.sqlModeLex.NoBackslashEscapes {
		f |= mysql.SERVER_STATUS_NO_BACKSLASH_ESCAPES
	}
	return f
}

// SetState sets the Command and State columns of SHOW PROCESSLIST, for commands
// that are not statements ("Binlog Dump").
func (s *Session) SetState(command, state string) { s.proc.SetState(command, state) }

// begin marks the session as running a statement; the returned context is
// cancelled by KILL. end must be called.
func (s *Session) begin(ctx context.Context, query string) (context.Context, func()) {
	began := time.Now()
	run, end := s.proc.Begin(ctx, query)
	return run, func() {
		if err := s.cursors.CloseAll(); err != nil {
			s.engine.log.Error("closing cursors that a statement left open", "connection", s.info.ID, "err", err)
		}
		slow(s, time.Since(began))
		end()
	}
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
		sql.WithPid(uint64(s.info.ID)),
		sql.WithMemoryManager(s.caches),
		sql.WithProcessList(s.engine.processes),
		sql.WithServices(sql.Services{
			KillConnection: func(id uint32) error { s.engine.Kill(id, false); return nil },
			LoadInfile:     func(name string) (io.ReadCloser, error) { return s.loadInfile(ctx, r, name) },
		}),
	)
	if !s.clock.fixed.IsZero() {
		c.SetQueryTime(s.clock.fixed)
	}
	return c
}

// guard runs f as a command of the session that is not a statement of the client.
func (s *Session) guard(ctx context.Context, query string, f func(c *sql.Context) error) error {
	run, end := s.begin(ctx, query)
	defer end()
	c := s.newContext(run, query)
	s.privs.begin()
	err := s.protect(func() error { return f(c) })
	if s.tx != nil && !s.inTransaction() {
		s.rollbackAll()
	}
	return s.mapError(run, err)
}

// Package session is the state of a connection, whatever runs its statements: who it is, its variables and warnings, its
// transaction, its locks, whose privileges count, and the loop that runs a statement again when a row has changed under it.
package session

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/engines"
	"github.com/duramendb/duramen/query/memory"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/process"
	"github.com/duramendb/duramen/query/status"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/query/userlock"
	"github.com/duramendb/duramen/replication/source/semisync"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/txn"
	"github.com/duramendb/duramen/txn/lock"
)

// Server is what the sessions of a server have in common.
type Server struct {
	Store    *store.Store
	Globals  *sysvar.Globals
	Log      *slog.Logger
	Memory   *memory.Server
	Accounts *account.Store
	Status   *status.Counters
	// Engines are the storage engines.
	Engines *engines.List
	SQL     Engine
	// SemiSync is what commits wait for.
	SemiSync *semisync.Primary

	shortIDs shortIDs
}

// Engine is what a session's state asks of the engine that runs its statements.
type Engine interface {
	// CharsetID is the id of a character set's default collation, CollationID that of a collation, as the log has them.
	CharsetID(name string) uint16
	CollationID(name string) uint16
	// SystemTable reports whether there is a table of the database mysql.
	SystemTable(db, name string) bool
	// CheckCharset refuses, or completes, a value of a variable that names a character set, a collation or a time zone.
	CheckCharset(ctx context.Context, variable string, value any) (any, error)
}

// Follower is told of what a session's other half has to know, too.
type Follower interface {
	// Changed is told of every change of a variable after it happened.
	Changed(d *sysvar.Def, value any)
}

// Session is the state of one connection: who it is, its variables, its transaction and its locks. All methods but those of
// SHOW PROCESSLIST and KILL are for one goroutine at a time.
type Session struct {
	Server *Server
	Info   ConnInfo
	db     currentDB
	Vars   *sysvar.Session
	Memory memory.Session
	Proc   process.Entry

	// The transaction: tx is nil when nothing was read or written yet; explicit
	// is set from BEGIN to its end.
	Tx       *txn.Txn
	Running  atomic.Pointer[txn.Txn] // tx, for other sessions
	cursors  txn.CursorSet           // what statements have open
	explicit bool
	Next     NextTransaction // SET TRANSACTION and START TRANSACTION characteristics
	Current  NextTransaction // of the running explicit transaction
	Temp     Temporary
	tabLocks *tableLocks // LOCK TABLES

	// Lean says that the running statement leaves nothing behind that waits for the end of its context.
	Lean      bool
	ReadLock  readLock
	UserLocks userlock.Set
	waiter    lock.Waiter // of the transaction, tabLocks, readLock and userLocks

	autocommit bool
	LexMode    dialect.Mode
	lastGTID   string
	InsertID   insertID
	Clock      clock // SET TIMESTAMP

	Warnings  warnings
	Authority authority
	follower  Follower
	Counted   accounts.Name // the account that counts this connection; none for the server's own
	// Replicated is set in a session that runs the statements of a primary.
	Replicated *Replicated
	// heldGlobal are the privileges on *.* of heldFor.
	heldGlobal privilege.Set
	heldFor    holderOf
}

// holderOf says whose privileges are kept, and in which set of accounts.
type holderOf struct {
	set *accounts.Set
	sub accounts.Subject
}

// Temporary are a session's temporary tables, which take part in its transactions.
type Temporary interface {
	Has(db, name string) bool
	// Table is the temporary table of a name, and its rows; nil if there is none.
	Table(db, name string) (*catalog.Table, txn.Rows)
	BeginStatement()
	EndStatement()
	RollbackStatement()
	Savepoint(name string)
	RollbackTo(name string)
	Release(name string)
	Commit()
	Rollback()
	DropAll()
}

// Init makes the state of a new connection, which SetUp completes.
func (s *Session) Init(on *Server, id uint32, temp Temporary, f Follower) {
	s.Server, s.Temp, s.follower = on, temp, f
	s.UserLocks.Init(on.Store.Txns().Locks(), id, &s.waiter)
	s.ReadLock.init(on.Store.Txns().Locks(), id, &s.waiter)
}

// SetUp gives the session the state of a new connection.
func (s *Session) SetUp(ci ConnInfo) {
	s.Authority = authority{Identity: account.Identify(s.Server.Accounts.Set(), account.Connection{
		User: ci.User, Host: ci.Host, IP: ci.IP, Expired: ci.Expired, Named: !s.Server.Globals.On("skip_name_resolve"),
	})}
	s.Info, s.Info.Host = ci, s.Authority.Host
	if s.Info.IP == "" {
		s.Info.IP = ci.Host
	}
	s.Warnings.Clear()
	s.Vars = s.Server.Globals.NewSession()
	s.SetDB("")
	s.Memory.Server = s.Server.Memory
	s.Memory.Begin(s.MemoryLimit())
	s.Vars.Changed = s.variableChanged
	s.Vars.Check = s.checkVariable
	s.computedVariables()
	if ci.Capabilities&mysql.CLIENT_IGNORE_SPACE != 0 {
		s.Vars.Store(VarSQLMode, sysvar.WithSQLMode(s.Vars.Str("sql_mode"), "IGNORE_SPACE"))
	}
	for _, name := range []string{"autocommit", "sql_mode", "character_set_connection", "character_set_results", "collation_connection"} {
		d, _ := sysvar.Lookup(name)
		s.variableChanged(d, s.Vars.Value(d))
	}
	if ci.Capabilities&mysql.CLIENT_INTERACTIVE != 0 {
		// What closes an idle interactive client is interactive_timeout.
		wait, _ := sysvar.Lookup("wait_timeout")
		interactive, _ := s.Vars.Get("interactive_timeout")
		s.Vars.Store(wait, interactive)
	}
	s.lastGTID, s.Clock = "", clock{}
	s.Next, s.Current = NextTransaction{}, NextTransaction{}
	address := ci.Address
	if address == "" {
		address = ci.Host
	}
	s.Proc.Connect(ci.ID, ci.User, address, ci.Kill)
}

// Dispose ends what a session holds: transaction, temporary tables, locks.
func (s *Session) Dispose() {
	s.RollbackAll()
	s.UnlockTables()
	s.Temp.DropAll()
	s.UserLocks.ReleaseAll()
	s.Memory.Close()
}

// NextTransaction are characteristics of a transaction.
type NextTransaction struct {
	Isolation    txn.Isolation
	HasIsolation bool
	ReadOnly     bool
	HasAccess    bool
}

// ID returns the connection id.
func (s *Session) ID() uint32 { return s.Info.ID }

// SetDB changes the current database, and with it character_set_database and collation_database: those of the
// server without a database.
func (s *Session) SetDB(name string) {
	s.db.name.Store(&name)
	s.Proc.SetDB(name)
	FollowDB(s)
}

// DB is the current database, "" if there is none.
func (s *Session) DB() string {
	if name := s.db.name.Load(); name != nil {
		return *name
	}
	return ""
}

// currentDB is the current database; the engine's goroutines read it while a statement runs.
type currentDB struct{ name atomic.Pointer[string] }

// StatusFlags are the server status flags of the next OK or EOF packet.
func (s *Session) StatusFlags() uint16 {
	var f uint16
	if s.autocommit {
		f |= mysql.SERVER_STATUS_AUTOCOMMIT
	}
	if s.InTransaction() {
		f |= mysql.SERVER_STATUS_IN_TRANS
		if s.Current.ReadOnly && s.Current.HasAccess {
			f |= mysql.SERVER_STATUS_IN_TRANS_READONLY
		}
	}
	if s.LexMode.NoBackslashEscapes {
		f |= mysql.SERVER_STATUS_NO_BACKSLASH_ESCAPES
	}
	return f
}

// SetState sets the Command and State columns of SHOW PROCESSLIST, for commands
// that are not statements ("Binlog Dump").
func (s *Session) SetState(command, state string) { s.Proc.SetState(command, state) }

// Begin marks the session as running a statement; the returned context is
// cancelled by KILL. end must be called.
func (s *Session) Begin(ctx context.Context, query string) context.Context {
	s.Lean = false
	return s.Proc.Begin(ctx, query)
}

// End ends the statement.
func (s *Session) End() {
	if err := s.cursors.CloseAll(); err != nil {
		s.Server.Log.Error("closing cursors that a statement left open", "connection", s.Info.ID, "err", err)
	}
	slow(s, s.Proc.End(s.Lean))
}

// KeepMemory counts n more bytes that are kept for the session, or fewer if n is
// negative; its error (1041, 1290) refuses them.
func (s *Session) KeepMemory(n int64) error { return s.Memory.Keep(n) }

var varMaxSessionMem = MustVar("max_session_mem_used")

// MemoryLimit is the session's max_session_mem_used.
func (s *Session) MemoryLimit() int64 {
	v, _ := s.Vars.Value(varMaxSessionMem).(uint64)
	return int64(min(v, 1<<63-1))
}

// treeMemory counts what the trees of a session's statements take.
type treeMemory struct{ s *Session }

// TreeMemory counts what a statement's tree takes, under the limit of the session. Between statements nothing is held.
func TreeMemory(s *Session) source.Memory { return treeMemory{s} }

// Hold implements source.Memory.
func (m treeMemory) Hold(n int64) error {
	m.s.Memory.Begin(m.s.MemoryLimit())
	return m.s.Memory.Hold(n)
}

// Release implements source.Memory.
func (m treeMemory) Release(n int64) { m.s.Memory.Return(n) }

// May reports whether the session's user has one of some privileges on *.*.
func (s *Session) May(any privilege.Set) bool { return s.GlobalPrivileges()&any != 0 }

// Require is may with MariaDB's error, which names the privilege.
func (s *Session) Require(p privilege.Set) error {
	if s.May(p) {
		return nil
	}
	return mysqlerr.New(mysqlerr.SpecificAccessDenied, p.String())
}

// GlobalPrivileges are those on *.* of whoever counts now.
func (s *Session) GlobalPrivileges() privilege.Set {
	if h := (holderOf{s.Server.Accounts.Set(), s.Authority.Subject()}); h != s.heldFor {
		s.heldFor, s.heldGlobal = h, h.set.Global(h.sub)
	}
	return s.heldGlobal
}

// slow counts a command that has taken longer than long_query_time.
func slow(s *Session, took time.Duration) {
	if limit, _ := s.Vars.Value(varLongQueryTime).(float64); took.Seconds() > limit {
		s.Server.Status.Add("Slow_queries", 1)
	}
}

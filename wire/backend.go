package wire

import (
	"context"
	"net"

	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/admin"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
)

// Backend is what a Server needs of the SQL layer and of the log. Package
// server makes it of the query engine; tests make a fake.
type Backend interface {
	// Auth finds the account that a user coming from host logs in to.
	Auth(user, host string) (account.Login, bool)
	// NewSession starts a session for an authenticated user.
	NewSession(info session.ConnInfo) (Session, error)
	NextConnectionID() uint32
	// GlobalUint is the global value of a system variable, 0 if it has none.
	GlobalUint(name string) uint64
	// CountStatus adds to a status variable of SHOW GLOBAL STATUS.
	CountStatus(name string, delta int64)
	RegisterReplica(connID uint32, info admin.ReplicaInfo)
	UnregisterReplica(connID uint32)
	// ServeDump sends the binary log until ctx ends, sending fails or, with
	// NonBlock, everything has been sent.
	ServeDump(ctx context.Context, s Session, d Dump, out DumpWriter) error
}

// Session is one connection's session; *query.Session is one. Its methods are
// called by the connection's goroutine.
type Session interface {
	Execute(ctx context.Context, sql string, sink result.Sink) error
	Prepare(ctx context.Context, sql string) (*query.Stmt, error)
	ExecuteStmt(ctx context.Context, st *query.Stmt, params []result.Value, sink result.Sink) error
	// OpensCursor reports whether a statement's rows can be kept for its client to fetch.
	OpensCursor(st *query.Stmt) (bool, error)
	// ExecuteBulk runs a statement with several sets of parameters.
	ExecuteBulk(ctx context.Context, st *query.Stmt, sets query.Sets, sink result.Sink) error
	CloseStmt(st *query.Stmt)
	UseDB(ctx context.Context, name string) error
	FieldList(ctx context.Context, table, wildcard string) ([]result.Column, error)
	Reset(ctx context.Context) error
	ChangeUser(ctx context.Context, info session.ConnInfo) error
	StatusFlags() uint16
	// EmptyIsNull reports whether a parameter that is a text without characters is NULL.
	EmptyIsNull() bool
	// DB is the default database, "" if there is none.
	DB() string
	// KeepMemory counts n more bytes that are kept for the session, or fewer if n is negative; its error refuses them.
	KeepMemory(n int64) error
	SetMultiStatements(on bool)
	// VarUint is the session's value of a system variable, 0 if it has none.
	VarUint(name string) uint64
	UserVar(name string) (value string, ok bool)
	// SetState is what PROCESSLIST shows from now on.
	SetState(command, state string)
	// CanReplicate is nil if the user may read the binary log.
	CanReplicate() error
	// CanRegister is the same for COM_REGISTER_SLAVE, which has another error.
	CanRegister() error
	// CanDebug is nil if the user may have the server's status logged (COM_DEBUG).
	CanDebug() error
	// Statistics is the answer to COM_STATISTICS.
	Statistics() string
	Close()
}

// Dump is a COM_BINLOG_DUMP request.
type Dump struct {
	Position     uint32
	NonBlock     bool // end with EOF at the end of the log
	AnnotateRows bool // BINLOG_SEND_ANNOTATE_ROWS_EVENT
	ServerID     uint32
	SemiSync     bool // the replica acknowledges events that ask for it
	File         string
	ConnID       uint32
	Addr         net.Addr // of the replica
}

// DumpWriter takes the events of a dump.
type DumpWriter interface {
	// Send queues one event; it is written when enough has been queued.
	Send(event []byte) error
	// Flush writes what is queued; to be called before waiting for more.
	Flush() error
	// AskNext has the event that is sent next ask the replica for an acknowledgement, which Dump.SemiSync allows.
	AskNext()
	// ReceiveAcks has f called with the replica's acknowledgements, until the dump ends, by one other goroutine. They name a file of
	// the log and an offset in it. An error of f ends the dump and the connection. It is called once, and only with Dump.SemiSync.
	ReceiveAcks(f func(file string, offset uint64) error)
}

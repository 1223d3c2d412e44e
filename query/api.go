package query

import (
	"context"

	"github.com/dolthub/vitess/go/sqltypes"
)

// ConnInfo says who a session belongs to.
type ConnInfo struct {
	ID   uint32 // connection id, unique in the server; 0 lets the Engine choose
	User string // the account's user name, after authentication
	Host string // the client's host, "localhost" for a unix socket
	IP   string // the same, where Host has been replaced by a name; filled in by the session
	// Address is host:port of the client as SHOW PROCESSLIST shows it; Host if empty.
	Address string
	// Login is set for connections of clients: they count for the limits of their account. Expired
	// says that their password has to be changed before anything else.
	Login        bool
	Expired      bool
	DB           string // database to start in, "" for none
	Capabilities uint32 // the client's capability flags (CLIENT_FOUND_ROWS, CLIENT_MULTI_STATEMENTS ...)
	// Collation is the id of the handshake's collation; 0 for the server's default.
	Collation uint8
	// Attributes are the connection attributes that the client sent.
	Attributes map[string]string
	// Kill, if set, closes the connection; called by KILL CONNECTION, from any goroutine.
	Kill func()
}

// Column describes one column of a result set, as a column definition packet does.
type Column struct {
	Schema, Table, OrgTable, Name, OrgName string
	Charset                                uint16 // collation id of the result
	Length                                 uint32
	Type                                   byte // MYSQL_TYPE_*
	Flags                                  uint16
	Decimals                               byte
}

// Status ends a result set.
type Status struct {
	Flags    uint16 // server status, with mysql.SERVER_MORE_RESULTS_EXISTS where more follows
	Warnings uint16
}

// OK is the result of a statement without rows.
type OK struct {
	AffectedRows uint64
	InsertID     uint64
	Status       uint16
	Warnings     uint16
	Info         string
}

// ResultSink takes the results of the statements of one Execute, in order:
// either OK, or Columns, Row..., EndRows. A slice given to Row is valid during
// the call only. An error of the sink (a closed connection) ends the execution.
type ResultSink interface {
	Columns(cols []Column) error
	Row(vals []sqltypes.Value) error
	EndRows(s Status) error
	OK(ok OK) error
}

// LocalInfileSink is implemented by sinks that can fetch a file from the client
// (LOAD DATA LOCAL INFILE).
type LocalInfileSink interface {
	ResultSink
	LocalInfile(ctx context.Context, name string) (LocalFile, error)
}

// LocalFile is the content of a file that the client sends.
type LocalFile interface {
	Read(p []byte) (int, error)
	Close() error
}

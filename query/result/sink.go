package result

import "context"

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

// Sink takes the results of the statements of one execution, in order: either
// OK, or Columns, Row..., EndRows. What it is given is valid during the call
// only. An error of the sink (a closed connection) ends the execution.
type Sink interface {
	Columns(cols []Column) error
	Row(r Row) error
	EndRows(s Status) error
	OK(ok OK) error
}

// Row is one row of a result set, which encodes itself.
type Row interface {
	// AppendText appends the payload of a row packet of the text protocol.
	AppendText(dst []byte) []byte
	// AppendBinary does so for the binary protocol. It fails for a value that
	// its column's type cannot hold.
	AppendBinary(dst []byte) ([]byte, error)
	// Value is that of the i-th column, for sinks that are no connection.
	Value(i int) Value
}

// LocalInfileSink is implemented by sinks that can fetch a file from the client
// (LOAD DATA LOCAL INFILE).
type LocalInfileSink interface {
	Sink
	LocalInfile(ctx context.Context, name string) (LocalFile, error)
}

// LocalFile is the content of a file that the client sends.
type LocalFile interface {
	Read(p []byte) (int, error)
	Close() error
}

// Package wire is the server side of the MySQL/MariaDB client protocol:
// listeners, handshake and authentication, packets, commands, prepared
// statements and result sets. It knows no SQL; statements go to a Backend.
//
// # A connection
//
// Each connection is one goroutine (conn.serve): greeting, optional TLS,
// authentication, then one command after the other. Its buffers belong to that
// goroutine. From elsewhere only these are touched: the killed flag and the
// connection's context (kill), the deadlines of the network connection (kill, shutdown),
// and the busy counter (read by the watcher). Between commands a connection gives way
// when it has gone on for long (turn.go). Deadlines are told to the runtime rarely, and renewed when
// they pass too early (timed.go).
//
// Answers are built in one output buffer per connection (packetConn.out): begin
// leaves room for a packet's header, the payload is appended, end fills the
// header in. The buffer is written when it exceeds flushSize and at the end of a
// command, so a small answer is one write.
//
// # Columns of prepared statements
//
// The definitions of a prepared statement's columns are kept as they were sent last (definitions.go), counted as
// the session's memory. As long as a result has the same columns they are copied, or, with
// MARIADB_CLIENT_CACHE_METADATA, left out: the column count is followed by a byte that says whether they come. That byte is in
// every result for such a client; texts and what a procedure answers are told in full. What COM_STMT_PREPARE has told counts as sent.
//
// # Many sets of parameters
//
// COM_STMT_BULK_EXECUTE (bulk.go) has a statement's parameters many times. They are decoded one set after the other while the backend asks
// for them; an INSERT, which is one statement with all of them, counts them as the session's memory.
//
// # Cursors
//
// A query that is executed with CURSOR_TYPE_READ_ONLY runs to its end; its rows are kept encoded (cursor.go), counted as the session's memory, and
// COM_STMT_FETCH sends as many as it is asked for. SERVER_STATUS_CURSOR_EXISTS says that there may be more; when fewer
// are left than were asked for, SERVER_STATUS_LAST_ROW_SENT comes instead and the cursor is closed, as it is by COM_STMT_RESET, COM_STMT_CLOSE and the next execution.
// The end of a transaction does not close it. Other statements run as if no cursor had been asked for.
//
// # A client that goes away
//
// While a command runs nobody reads from its connection. A watcher goroutine
// per Server looks at connections whose command has lasted a whole tick and asks
// the kernel whether the peer has closed; if so the connection's context is
// cancelled, which ends the statement.
//
// # Limits
//
// A payload may be as long as max_allowed_packet; what is longer is skipped and
// answered with error 1153, and the connection goes on. Memory for a payload is
// taken as its bytes arrive, never on the word of a length field. What a client
// compresses (compressed.go) is inflated as it is read, in a window of a fixed size, and counts by its inflated length.
package wire

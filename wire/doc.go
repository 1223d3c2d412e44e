// Package wire is the server side of the MySQL/MariaDB client protocol:
// listeners, handshake and authentication, packets, commands, prepared
// statements and result sets. It knows no SQL; statements go to a Backend.
//
// # A connection
//
// Each connection is one goroutine (conn.serve): greeting, optional TLS,
// authentication, then one command after the other. Its buffers belong to that
// goroutine. From elsewhere only these are touched: the killed flag and the
// connection's context (kill), the read and the write deadline (kill, shutdown),
// and the busy counter (read by the watcher).
//
// Answers are built in one output buffer per connection (packetConn.out): begin
// leaves room for a packet's header, the payload is appended, end fills the
// header in. The buffer is written when it exceeds flushSize and at the end of a
// command, so a small answer is one write.
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
// taken as its bytes arrive, never on the word of a length field. Cursors
// (COM_STMT_FETCH) and compression are not offered.
package wire

// Package mysqlerr is the one place that knows MariaDB's error numbers. It
// holds the table of number, SQLSTATE and message text, the Error type that
// the wire sends, and From, which maps every Go error that a statement can end
// with (of go-mysql-server, of the parser, of the storage packages) to an
// Error. Storage packages never mention numbers; they raise sentinels that From
// recognises with errors.Is and errors.As.
package mysqlerr

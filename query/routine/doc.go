// Package routine runs stored procedures: it goes through the tree of a procedure's body, keeps its variables, cursors and handlers, and has
// each statement run as a statement of the session, with the values of variables in their places.
//
// # Variables
//
// A name without a qualifier that is the name of a variable means the variable, as in MariaDB, wherever an expression stands; a column of that
// name is hidden. Variables have the types of columns, and get their values as columns do (query/types/assign): strict mode, warnings and
// errors are those of an INSERT, "at row 0".
//
// # Handlers
//
// When a statement fails or warns, the handlers that can be seen are looked through from the innermost block on; in a block the one that names
// the error is taken before one that names its SQLSTATE, and that before a class. What a handler does is not seen by the handlers of its own
// block. CONTINUE goes on behind the statement that failed (of those that have others in them: behind them, if it was their condition), EXIT
// leaves the block that declares the handler. KILL and the end of a statement's time are nobody's to handle.
//
// See https://mariadb.com/kb/en/declare-handler/.
package routine

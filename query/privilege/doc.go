// Package privilege says which privileges a statement needs, and on what. It knows nothing of accounts or
// stores: Of takes a syntax tree, OfStatement a statement of the server's own, and both return needs, which
// package query compares with what the session's user has.
//
// A statement that the tables here do not name has no needs but is unknown, and is refused: a forgotten
// one shows at its first use.
//
// The rules are MariaDB 10.11's, found by running every statement there without and with each grant
// (test/dialect/testdata/privileges_*).
package privilege

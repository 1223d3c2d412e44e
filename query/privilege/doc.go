// Package privilege has the privileges, and says which of them a statement of the server's own needs, and on what (package gms/needs says
// it of statements with a syntax tree). It knows nothing of accounts or stores: what it returns are needs, which package query compares with
// what the session's user has.
//
// A statement that the tables here do not name has no needs but is unknown, and is refused: a forgotten
// one shows at its first use.
//
// The rules are MariaDB 10.11's, found by running every statement there without and with each grant
// (test/dialect/testdata/privileges_*).
package privilege

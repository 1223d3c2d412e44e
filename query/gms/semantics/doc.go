// Package semantics puts MariaDB's meaning in the place of go-mysql-server's
// where the two differ so that data would be damaged without an error.
//
// It does so at two points, both of which go-mysql-server leaves open:
//
//   - Rule goes over the bound plan, before anything is folded or optimised,
//     and replaces expressions: arithmetic of whole numbers, that has to fail
//     when it leaves its range, and LIKE.
//   - Builder is asked before go-mysql-server makes the iterator of a node. It
//     replaces the same expressions in plans that are bound late (triggers,
//     generated columns), and it makes UPDATE and INSERT compare rows byte by
//     byte and store values by MariaDB's rules (strict mode, IGNORE).
//
// What a value becomes in a column is in store.go; the tables of section 1 and 2
// of MariaDB's documentation of data types, and measurements, are its source.
package semantics

// Package expressions holds SQL of our own against a real MariaDB, expression by expression: value, metadata, conditions, errors.
//
// The expressions of testdata/FAMILY are written by people, one a line; -record has their answers written beside them by a server
// (testdata/FAMILY.answers), and TestRecorded compares with those where there is no MariaDB. Generators draw others:
// TestDrawn/FAMILY asks the server itself. See -expressions.count and -expressions.seed.
package expressions

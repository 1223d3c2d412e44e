// Package assign stores values into columns as MariaDB 10.11 does: what a column keeps of a value of any type, and which note, warning or
// error that is.
//
// New compiles a column and the type of what it is given to an Assigner, once; Assign then looks at no types. Whether a warning is an
// error is not known here: types.Diagnostics decides it (strict mode makes errors of all warnings of INSERT and UPDATE, IGNORE of none).
//
// # What is left to the caller
//
//   - AUTO_INCREMENT columns, which do not get NULL.
//   - Columns that an INSERT leaves out: Column.Implicit is what they have without a default.
//   - CHECK constraints, of which JSON columns have one (JSON_VALID); here JSON is text.
//   - Assigner.Mismatch: a warning or an error before the first row.
//
// # Where the rules are from
//
// A running server was asked; the tests repeat it with every pair of a value and a type (TestServer), and compare with recorded answers
// where there is none (TestRecorded).
package assign

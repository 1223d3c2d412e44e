// Package plan says how statements on one table run: which names mean what, what is computed for a row, and where rows are read.
//
// What it does not understand completely it refuses (error 1235): the statement is then the fallback's.
package plan

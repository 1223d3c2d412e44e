// Package operator is the operators of SQL and what chooses between values: arithmetic, comparison, logic, IN, BETWEEN, CASE, IF,
// COALESCE and their like, CAST; and the rules by which things of different types meet.
package operator

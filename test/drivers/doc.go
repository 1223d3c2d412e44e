// Package drivers lets the usual client libraries of five languages' worlds run
// a small program each: create, insert, select, transaction, error. A library is
// fetched by its own package manager into a directory of the test; where the
// language is not installed or nothing can be fetched, its part is skipped.
package drivers

// Package exec builds iterators in place of go-mysql-server's: those that hold rows back count them for the session's budget, MAX and
// MIN are read at the ends of indexes, groups are made in the statement's own goroutine, recursion and the choice among join orders are
// bounded, and every rule of the analyzer ends with its statement.
package exec

// Package evalcall lets plans of go-mysql-server call functions of query/eval, in the place of its own of the same names: those of JSON, which work on texts
// as they were written, where go-mysql-server has documents.
//
//	Functions   are what a plan is bound with
//	Call        is a call in it; Bind, which package semantics does, says early what is refused
//	Arguments   are expressions of a plan as nodes of query/eval; aggregate functions (package exec) have theirs by it, too
//
// An argument is a node that reads Frame.Kept: the value that go-mysql-server has computed, as one of the type that the expression has in MariaDB. Where that
// type is not known well enough for the answer to be right, error 1235 says so.
package evalcall

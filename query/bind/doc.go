// Package bind settles the types of expressions: tree nodes become nodes of package eval.
//
// Binding understands an expression completely or refuses it: a node that is not known is error 1235 with its name, which sends the
// statement to the fallback.
package bind

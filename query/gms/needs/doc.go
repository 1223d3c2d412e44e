// Package needs says which privileges a statement needs that has a syntax tree of go-mysql-server's parser. Statements of the server's own
// are package privilege's.
package needs

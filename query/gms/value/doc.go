// Package value is where values pass between go-mysql-server and package result:
// its rows of Go values become typed ones, parameters of prepared statements
// become literals of its syntax trees. Nothing else converts between the two.
package value

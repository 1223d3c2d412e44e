// Package computed has go-mysql-server's statements compute their expressions by SQL of our own: operators and functions over columns, aggregates and
// what else go-mysql-server yields are bound by package bind and evaluated by package eval, so that values, types and warnings are MariaDB's in joins,
// subqueries, views, triggers and routines, too.
//
// Rewrite puts, in the place of each such expression of a syntax tree, one that carries both: the text for our grammar, in which what
// go-mysql-server has to yield are the columns $0, $1 ..., and the expression as go-mysql-server would compute it. When the plan is bound, Settle decides:
// an expression that SQL of our own understands, over values whose types in MariaDB are known, becomes an Expr, all others go-mysql-server's again.
package computed

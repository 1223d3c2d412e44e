package parse

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// refuseBits refuses a literal like b'1' as a column of a derived table: it is a text of bytes there, and a number to go-mysql-server.
func refuseBits(query sqlparser.SQLNode) error {
	return sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if e, ok := n.(*sqlparser.AliasedExpr); ok {
			if v, ok := e.Expr.(*sqlparser.SQLVal); ok && v.Type == sqlparser.BitVal {
				return false, mysqlerr.NotYet("a literal like b'1' as a column of a derived table; write it like x'01'")
			}
		}
		_, isCall := n.(*sqlparser.FuncExpr) // its arguments are no columns
		return !isCall, nil
	}, query)
}

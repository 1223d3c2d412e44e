package parse

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// PlainJSON makes LONGTEXT of the parameters and variables of routines that are declared as JSON: to MariaDB they are texts, which may be anything, and
// go-mysql-server has documents, which it writes in another order.
func PlainJSON(ast sqlparser.Statement) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.DDL:
			if n.ProcedureSpec != nil {
				for i := range n.ProcedureSpec.Params {
					plainJSON(&n.ProcedureSpec.Params[i].Type)
				}
			}
			for _, body := range Bodies(n) {
				PlainJSON(body)
			}
		case *sqlparser.Declare:
			if n.Variables != nil {
				plainJSON(&n.Variables.VarType)
			}
		}
		return true, nil
	}, ast)
}

func plainJSON(t *sqlparser.ColumnType) {
	if strings.EqualFold(t.Type, "json") {
		t.Type, t.Charset, t.Collate = "longtext", "utf8mb4", "utf8mb4_bin"
	}
}

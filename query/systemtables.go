package query

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/infoschema"
)

// serveSystemTables lets a query read the tables of the database mysql that are always empty here: they
// are among those of information_schema, under names of their own. db is the current database.
func serveSystemTables(ast sqlparser.Statement, db string) {
	switch ast.(type) {
	case *sqlparser.Select, *sqlparser.SetOp, *sqlparser.ParenSelect:
	default:
		return
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		t, ok := n.(*sqlparser.AliasedTableExpr)
		if !ok {
			return true, nil
		}
		name, ok := t.Expr.(sqlparser.TableName)
		if !ok {
			return true, nil
		}
		in := name.DbQualifier.String()
		if in == "" {
			in = db
		}
		if !strings.EqualFold(in, "mysql") || infoschema.MySQLTable(name.Name.String()) == nil {
			return true, nil
		}
		if t.As.IsEmpty() {
			t.As = name.Name
		}
		t.Expr = sqlparser.TableName{
			Name:        sqlparser.NewTableIdent(infoschema.MySQLPrefix + name.Name.String()),
			DbQualifier: sqlparser.NewTableIdent("information_schema"),
		}
		return true, nil
	}, ast)
}

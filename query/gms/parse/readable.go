package parse

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// ownFunctions begin the names of functions that stand in the place of MariaDB's (function.UseExactSums).
const ownFunctions = "duramen_"

// Readable is a text for a statement that has only a tree: one that MariaDB's grammar reads, and that names the same tables and does the same
// with them. It is not for running. The parser prints some clauses as nobody can read them; columns of tables are not in it.
func Readable(ast sqlparser.Statement) string {
	buf := sqlparser.NewTrackedBuffer(readable)
	switch n := ast.(type) {
	case *sqlparser.DDL:
		if n.TableSpec != nil {
			plain := *n
			plain.TableSpec = oneColumn
			ast = &plain
		}
	case *sqlparser.Prepare: // prints quotes in its text as they are
		return "prepare s from 'text'"
	case *sqlparser.Show: // prints words of MySQL 8
		return "show tables"
	case *sqlparser.AlterTable:
		readableAlter(buf, n)
		return buf.String()
	case *sqlparser.Delete:
		if n.Returning != nil { // which is not printed
			buf.Myprintf("%v returning %v", n, n.Returning)
			return buf.String()
		}
	}
	readable(buf, ast)
	return buf.String()
}

// readableAlter writes an ALTER TABLE without what it does to columns and keys.
func readableAlter(buf *sqlparser.TrackedBuffer, n *sqlparser.AlterTable) {
	buf.Myprintf("alter table %v force", n.Table)
	for _, d := range n.Statements {
		if d.Action == sqlparser.RenameStr && len(d.ToTables) == 1 {
			buf.Myprintf(", rename to %v", d.ToTables[0])
		}
	}
}

// oneColumn is a list of columns.
var oneColumn = func() *sqlparser.TableSpec {
	ast, err := sqlparser.Parse("create table t (a int)")
	if err != nil {
		panic(err)
	}
	return ast.(*sqlparser.DDL).TableSpec
}()

func readable(buf *sqlparser.TrackedBuffer, node sqlparser.SQLNode) {
	switch n := node.(type) {
	case *sqlparser.FuncExpr:
		plain := *n
		switch name := n.Name.Lowered(); {
		case strings.HasPrefix(name, ownFunctions):
			plain.Name = sqlparser.NewColIdent(strings.TrimPrefix(name, ownFunctions))
		case name == NativeHash:
			plain.Name = sqlparser.NewColIdent("password")
		case name == "get_format": // its first argument is a word, not a value
			plain.Name = sqlparser.NewColIdent("concat")
		}
		node = &plain
	case *sqlparser.ValuesStatement: // with the word ROW, which MariaDB has not
		node = n.Rows
	case *sqlparser.CommonTableExpr: // of rows the parser prints none
		if rows, ok := n.Expr.(*sqlparser.ValuesStatement); ok {
			buf.Myprintf("%v as (%v)", n.As, rows)
			return
		}
	case *sqlparser.AliasedTableExpr:
		if _, named := n.Expr.(sqlparser.TableName); !named && n.As.IsEmpty() { // a VALUES that is a query
			plain := *n
			plain.As = sqlparser.NewTableIdent("rows of values")
			node = &plain
		}
	}
	node.Format(buf)
}

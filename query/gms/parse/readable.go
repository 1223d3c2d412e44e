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
	if d, ok := ast.(*sqlparser.DDL); ok && d.TableSpec != nil {
		plain := *d
		plain.TableSpec = oneColumn
		ast = &plain
	}
	buf := sqlparser.NewTrackedBuffer(readable)
	readable(buf, ast)
	return buf.String()
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
	f, ok := node.(*sqlparser.FuncExpr)
	if !ok {
		node.Format(buf)
		return
	}
	plain := *f
	switch name := f.Name.Lowered(); {
	case strings.HasPrefix(name, ownFunctions):
		plain.Name = sqlparser.NewColIdent(strings.TrimPrefix(name, ownFunctions))
	case name == NativeHash:
		plain.Name = sqlparser.NewColIdent("password")
	case name == "get_format": // its first argument is a word, not a value
		plain.Name = sqlparser.NewColIdent("concat")
	}
	plain.Format(buf)
}

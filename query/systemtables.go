package query

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/infoschema"
)

// serveSystemTables lets a statement read the tables of the database mysql: they are among those of
// information_schema, under names of their own, because the database mysql is go-mysql-server's and has MySQL's tables.
// db is the current database, text the statement's: only one with the name of the database in it is walked through.
func serveSystemTables(ast sqlparser.Statement, text, db string) {
	if !isSystemDatabase(db) && !mentionsMySQL(text) {
		return
	}
	w := &parse.NameWalker{Table: func(t *sqlparser.AliasedTableExpr, name sqlparser.TableName) {
		in := name.DbQualifier.String()
		if in == "" {
			in = db
		}
		if systemTable(in, name.Name.String()) == nil {
			return
		}
		if t.As.IsEmpty() {
			t.As = name.Name
		}
		t.Expr = sqlparser.TableName{
			Name:        sqlparser.NewTableIdent(infoschema.MySQLPrefix + name.Name.String()),
			DbQualifier: sqlparser.NewTableIdent("information_schema"),
		}
	}, Column: func(c *sqlparser.TableName) {
		if systemTable(c.DbQualifier.String(), c.Name.String()) != nil {
			c.DbQualifier = sqlparser.NewTableIdent("") // it is an alias now
		}
	}}
	w.Tree(ast)
}

// servedTable is the table of mysql behind a name of information_schema, or the name itself.
func servedTable(db, table string) (inDB, name string) {
	if n := len(infoschema.MySQLPrefix); strings.EqualFold(db, "information_schema") && len(table) > n && strings.EqualFold(table[:n], infoschema.MySQLPrefix) {
		return "mysql", strings.ToLower(table[n:])
	}
	return db, table
}

func mentionsMySQL(text string) bool {
	const name = "mysql"
	for i := 0; i+len(name) <= len(text); i++ {
		if text[i]|0x20 == name[0] && strings.EqualFold(text[i:i+len(name)], name) {
			return true
		}
	}
	return false
}

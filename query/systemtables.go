package query

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/gms/infoschema"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
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

// checkAccountStatement refuses what only the session's own parsers may run: statements about
// accounts inside of procedures, and changes of the tables of database mysql.
func (s *Session) checkAccountStatement(st *syntax.Statement) error {
	switch st.AST.(type) {
	case *sqlparser.CreateUser, *sqlparser.RenameUser, *sqlparser.DropUser, *sqlparser.CreateRole, *sqlparser.DropRole,
		*sqlparser.GrantPrivilege, *sqlparser.GrantRole, *sqlparser.GrantProxy, *sqlparser.RevokePrivilege, *sqlparser.RevokeRole,
		*sqlparser.RevokeProxy, *sqlparser.ShowGrants:
		return mysqlerr.New(mysqlerr.NotSupportedYet, "statements about accounts in this place")
	}
	if st.Kind != statement.Write && st.Kind != statement.Definition {
		return nil
	}
	for _, t := range st.Tables {
		db, name := servedTable(s.DBOf(t), t.Name)
		if t.Strength != statement.Exclusive || !isSystemDatabase(db) {
			continue
		}
		if st.Kind == statement.Definition || systemTable(db, name) != nil {
			return errSystemTable
		}
	}
	return nil
}

func isSystemDatabase(name string) bool { return strings.EqualFold(name, "mysql") }

// systemTable is the definition of a table of the database mysql, nil for other databases and names.
func systemTable(db, name string) *catalog.TableDef {
	if !isSystemDatabase(db) {
		return nil
	}
	return infoschema.MySQLTable(name)
}

// createdSystemTable is SHOW CREATE TABLE of such a table.
func createdSystemTable(def *catalog.TableDef) *adminRows {
	if def.Engine == "VIEW" {
		return &adminRows{names: []string{"View", "Create View", "character_set_client", "collation_connection"},
			rows: [][]any{{def.Name, strings.TrimSpace(infoschema.UserView), "latin1", "latin1_swedish_ci"}}}
	}
	return &adminRows{names: []string{"Table", "Create Table"}, rows: [][]any{{def.Name, ddltext.Table(def, 0)}}}
}

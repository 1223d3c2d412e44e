package gms

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
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
	nameSchemaColumns(ast, text, db)
	if !isSystemDatabase(db) && !mentionsMySQL(text) {
		return
	}
	w := &parse.NameWalker{Table: func(t *sqlparser.AliasedTableExpr, name sqlparser.TableName) {
		in := name.DbQualifier.String()
		if in == "" {
			in = db
		}
		if SystemTable(in, name.Name.String()) == nil {
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
		if SystemTable(c.DbQualifier.String(), c.Name.String()) != nil {
			c.DbQualifier = sqlparser.NewTableIdent("") // it is an alias now
		}
	}}
	w.Tree(ast)
}

// servedTable is the table of mysql that a name of information_schema stands for, or the name itself.
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
		if st.Kind == statement.Definition || SystemTable(db, name) != nil {
			return errSystemTable
		}
	}
	return nil
}

func isSystemDatabase(name string) bool { return strings.EqualFold(name, "mysql") }

// SystemTable is the definition of a table of the database mysql, nil for other databases and names.
func SystemTable(db, name string) *catalog.TableDef {
	if !isSystemDatabase(db) {
		return nil
	}
	return infoschema.MySQLTable(name)
}

// LogTables are tables of the database mysql that mariadb-dump asks for by name
// and that this server keeps in files.
var LogTables = map[string]string{
	"general_log": "CREATE TABLE `general_log` (\n  `event_time` timestamp(6) NOT NULL,\n  `user_host` mediumtext NOT NULL,\n  `thread_id` bigint(21) unsigned NOT NULL,\n  `server_id` int(10) unsigned NOT NULL,\n  `command_type` varchar(64) NOT NULL,\n  `argument` mediumtext NOT NULL\n) ENGINE=CSV DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci COMMENT='General log'",
	"slow_log":    "CREATE TABLE `slow_log` (\n  `start_time` timestamp(6) NOT NULL,\n  `user_host` mediumtext NOT NULL,\n  `query_time` time(6) NOT NULL,\n  `lock_time` time(6) NOT NULL,\n  `rows_sent` int(11) NOT NULL,\n  `rows_examined` int(11) NOT NULL,\n  `db` varchar(512) NOT NULL,\n  `last_insert_id` int(11) NOT NULL,\n  `insert_id` int(11) NOT NULL,\n  `server_id` int(10) unsigned NOT NULL,\n  `sql_text` mediumtext NOT NULL,\n  `thread_id` bigint(21) unsigned NOT NULL,\n  `rows_affected` int(11) NOT NULL\n) ENGINE=CSV DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci COMMENT='Slow log'",
}

var errSystemTable = mysqlerr.New(mysqlerr.NotSupportedYet, "changing tables of database mysql (use CREATE USER, ALTER USER, GRANT and REVOKE)")

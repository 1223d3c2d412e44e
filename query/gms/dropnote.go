package gms

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
)

// unknownTable words the note about a table that DROP TABLE IF EXISTS has not found: go-mysql-server
// names it without its database, in small letters.
func (s *Session) unknownTable(st *syntax.Statement, message string) string {
	d, ok := st.AST.(*sqlparser.DDL)
	if !ok {
		return message
	}
	for _, t := range d.FromTables {
		if message == "Unknown table '"+strings.ToLower(t.Name.String())+"'" {
			use := statement.Use{DB: t.DbQualifier.String(), Name: t.Name.String()}
			return mysqlerr.New(mysqlerr.BadTable, s.DBOf(use)+"."+use.Name).Message
		}
	}
	return message
}

// databaseNote words the note about a database that there is not, or is already, as MariaDB does.
func databaseNote(st *syntax.Statement, w *sql.Warning) string {
	if st != nil {
		if d, ok := st.AST.(*sqlparser.DBDDL); ok {
			return mysqlerr.New(uint16(w.Code), d.DBName).Message
		}
	}
	return w.Message
}

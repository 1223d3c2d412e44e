package gms

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
)

// unknownTable is the name that MariaDB has for a table which DROP TABLE IF EXISTS has not found: go-mysql-server names it without its database, in
// small letters. ok is false for all other notes.
func (s *Session) unknownTable(st *syntax.Statement, message string) (name string, ok bool) {
	d, ok := st.AST.(*sqlparser.DDL)
	if !ok {
		return "", false
	}
	for _, t := range d.FromTables {
		if message == "Unknown table '"+strings.ToLower(t.Name.String())+"'" {
			use := statement.Use{DB: t.DbQualifier.String(), Name: t.Name.String()}
			return s.DBOf(use) + "." + use.Name, true
		}
	}
	return "", false
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

// dropUnknown runs DROP DATABASE and DROP TABLE for those of which go-mysql-server would find others: DROP TEMPORARY TABLE of tables that are not all temporary ones of the
// session, and names with letters of another case. These are unknown. known is false for all other statements.
func (p *planned) dropUnknown() (known bool, err error) {
	cat := p.s.EnsureTxn().Catalog()
	if d, ok := p.st.AST.(*sqlparser.DBDDL); ok && d.Action == sqlparser.DropStr && otherDatabase(cat, d.DBName) {
		missing := mysqlerr.New(mysqlerr.DBDropExists, d.DBName)
		if !d.IfExists {
			return true, missing
		}
		p.c.Session.Warn(&sql.Warning{Level: "Note", Code: int(mysqlerr.DBDropExists), Message: missing.Message})
		return true, nil
	}
	d, ok := p.st.AST.(*sqlparser.DDL)
	if !ok || d.Action != sqlparser.DropStr || len(d.FromTables) == 0 {
		return false, nil
	}
	rest := *d
	rest.FromTables = nil
	var unknown []string
	for _, t := range d.FromTables {
		db := p.s.DBOf(statement.Use{DB: t.DbQualifier.String(), Name: t.Name.String()})
		if d.Temporary && p.s.Temp.Has(db, t.Name.String()) || !d.Temporary && !p.otherCase(cat, db, t.Name.String()) {
			rest.FromTables = append(rest.FromTables, t)
		} else {
			unknown = append(unknown, db+"."+t.Name.String())
		}
	}
	if unknown == nil {
		return false, nil
	}
	if len(rest.FromTables) > 0 {
		run, st := *p, *p.st
		st.AST = &rest
		run.st = &st
		if err := run.plan(); err != nil {
			return true, err
		}
	}
	missing := mysqlerr.New(mysqlerr.BadTable, strings.Join(unknown, ","))
	if !d.IfExists {
		return true, missing
	}
	p.c.Session.Warn(&sql.Warning{Level: "Note", Code: int(mysqlerr.BadTable), Message: missing.Message})
	return true, nil
}

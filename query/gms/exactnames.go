package gms

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/needs"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
)

// exactNames is the error of a statement that names a table by letters of another case. go-mysql-server takes one for the other; MariaDB, where names of tables
// are those of files, does not.
func (p *planned) exactNames(cat *catalog.Snapshot) error {
	made := map[sqlparser.TableName]bool{} // not there yet, or there under another name
	databases := []string{}
	switch n := p.st.AST.(type) {
	case *sqlparser.DBDDL:
		if n.Action != sqlparser.CreateStr && n.Action != sqlparser.DropStr { // see dropUnknown
			databases = append(databases, n.DBName)
		}
	case *sqlparser.Use:
		databases = append(databases, n.DBName.String())
	case *sqlparser.Show:
		databases = append(databases, n.Database)
		if n.ShowTablesOpt != nil {
			databases = append(databases, n.ShowTablesOpt.DbName)
		}
	case *sqlparser.DDL:
		if n.Action == sqlparser.CreateStr && n.TriggerSpec == nil {
			made[n.Table] = true
		}
		for _, t := range n.ToTables {
			made[t] = true
		}
		for _, t := range n.FromTables {
			made[t] = made[t] || n.Action == sqlparser.DropStr // see dropUnknown
		}
	case *sqlparser.AlterTable:
		for _, d := range n.Statements {
			for _, t := range d.ToTables {
				made[t] = true
			}
		}
	}
	for t := range made {
		databases = append(databases, t.DbQualifier.String())
	}
	for _, o := range p.st.Objects {
		databases = append(databases, o.DB)
	}
	for _, db := range databases {
		if otherDatabase(cat, db) {
			return mysqlerr.New(mysqlerr.BadDB, db)
		}
	}
	named := p.st.Tables
	if n, ok := p.st.AST.(*sqlparser.DDL); ok && n.ViewSpec != nil && n.ViewSpec.ViewExpr != nil {
		below, _ := needs.Of(n.ViewSpec.ViewExpr, "")
		for _, need := range below.List {
			if need.On == privilege.Table {
				named = append(named[:len(named):len(named)], statement.Use{DB: need.DB, Name: need.Name})
			}
		}
	}
	for _, t := range named {
		name := sqlparser.TableName{Name: sqlparser.NewTableIdent(t.Name), DbQualifier: sqlparser.NewTableIdent(t.DB)}
		db := p.s.DBOf(t)
		switch {
		case !made[name] && p.otherCase(cat, db, t.Name):
			return mysqlerr.New(mysqlerr.NoSuchTable, db, t.Name)
		case cat.Table(db, t.Name) != nil && !p.s.Temp.Has(db, t.Name) && p.s.tables.HasLike(db, t.Name): // which go-mysql-server would take
			return mysqlerr.NotYet("the table " + t.Name + " beside a temporary one whose name differs in the case of letters alone")
		}
	}
	return nil
}

// otherDatabase reports whether there is no database of a name, but one that has it with letters of another case.
func otherDatabase(cat *catalog.Snapshot, db string) bool {
	return cat.Database(db) == nil && cat.DatabaseLike(db) != nil
}

// otherCase reports whether there is no table of a name, but one that has it with letters of another case.
func (p *planned) otherCase(cat *catalog.Snapshot, db, name string) bool {
	if session.VirtualDatabase(db) || cat.Table(db, name) != nil || p.s.Temp.Has(db, name) {
		return false
	}
	return cat.TableLike(db, name) != nil || p.s.tables.HasLike(db, name)
}

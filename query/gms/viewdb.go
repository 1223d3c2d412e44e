package gms

import (
	"regexp"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// inViewDatabase plans CREATE VIEW db.v and CREATE TRIGGER db.t of a session without a current database
// in the object's own: go-mysql-server asks for one though nothing needs it. Tables without a database
// are an error as ever (1046). RENAME TABLE is planned in the database of its tables.
func (p *planned) inViewDatabase() (restore func(), err error) {
	restore = func() {}
	d, ok := p.st.AST.(*sqlparser.DDL)
	if ok && d.Action == sqlparser.RenameStr {
		return inRenamedDatabase(p.s, d)
	}
	if p.s.DB() != "" {
		return restore, nil
	}
	if !ok {
		return p.inNamedView(), nil
	}
	db := ""
	switch {
	case d.ViewSpec != nil:
		db = d.ViewSpec.ViewName.DbQualifier.String()
	case d.TriggerSpec != nil:
		db = d.TriggerSpec.TrigName.Qualifier.String()
		if db == "" {
			db = d.Table.DbQualifier.String()
		}
	case d.Action == sqlparser.DropStr && len(d.FromViews) > 0:
		db = d.FromViews[0].DbQualifier.String()
	case d.Action == sqlparser.DropStr && len(d.FromTables) > 0:
		db = d.FromTables[0].DbQualifier.String()
	}
	if db == "" {
		return restore, nil
	}
	if d.TriggerSpec == nil {
		for _, t := range p.st.Tables {
			if t.DB == "" {
				return restore, mysqlerr.New(mysqlerr.NoDB)
			}
		}
	}
	p.s.SetDB(db)
	return func() { p.s.SetDB("") }, nil
}

// inNamedView is the same for statements that name views: each table has its database, the view's text
// is resolved in the view's.
func (p *planned) inNamedView() (restore func()) {
	if p.s.Tx == nil || namesDatabase.MatchString(p.st.Text) {
		return func() {}
	}
	view := ""
	for _, t := range p.st.Tables {
		if t.DB == "" {
			return func() {}
		}
		if p.s.Tx.Catalog().Object("view", t.DB, t.Name) != nil {
			view = t.DB
		}
	}
	if view == "" {
		return func() {}
	}
	p.s.SetDB(view)
	return func() { p.s.SetDB("") }
}

// namesDatabase finds the functions that say which database is the current one.
var namesDatabase = regexp.MustCompile(`(?i)\b(database|schema)\s*\(`)

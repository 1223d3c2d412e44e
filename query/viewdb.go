package query

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// inViewDatabase plans CREATE VIEW db.v and CREATE TRIGGER db.t of a session without a current database
// in the object's own: go-mysql-server asks for one though nothing needs it. Tables without a database
// are an error as ever (1046).
func (s *Session) inViewDatabase(c *sql.Context, st *statement) (restore func(), err error) {
	restore = func() {}
	d, ok := st.ast.(*sqlparser.DDL)
	if !ok || s.GetCurrentDatabase() != "" {
		return restore, nil
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
		for _, t := range st.tables {
			if t.db == "" {
				return restore, mysqlerr.New(mysqlerr.NoDB)
			}
		}
	}
	s.SetCurrentDatabase(db)
	return func() { s.SetCurrentDatabase("") }, nil
}

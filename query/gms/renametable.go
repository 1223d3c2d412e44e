package gms

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
)

// inRenamedDatabase makes the database of RENAME TABLE the current one until restore: go-mysql-server looks for
// the tables there, whatever database they are said to be in.
func inRenamedDatabase(s *Session, d *sqlparser.DDL) (restore func(), err error) {
	db, first := "", true
	for _, names := range []sqlparser.TableNames{d.FromTables, d.ToTables} {
		for _, t := range names {
			in := s.DBOf(statement.Use{DB: t.DbQualifier.String()})
			if in == "" {
				return nil, mysqlerr.New(mysqlerr.NoDB)
			}
			if !first && !strings.EqualFold(in, db) {
				return nil, mysqlerr.NotYet("RENAME TABLE into another database")
			}
			db, first = in, false
		}
	}
	current := s.DB()
	s.SetDB(db)
	return func() { s.SetDB(current) }, nil
}

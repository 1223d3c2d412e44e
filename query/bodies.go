package query

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// endBody corrects where the body of a routine, trigger, event or view ends: the parser counts the semicolon
// before a next statement, which the text of the statement has no longer.
func endBody(ast sqlparser.Statement, length int) {
	if d, ok := ast.(*sqlparser.DDL); ok && d.SubStatementPositionEnd > length {
		d.SubStatementPositionEnd = length
	}
}

// refuseDynamic refuses PREPARE and EXECUTE in a body: triggers must not have it, and go-mysql-server cannot
// run it within a procedure.
func refuseDynamic(d *sqlparser.DDL, body sqlparser.Statement) error {
	var err error
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n.(type) {
		case *sqlparser.Prepare, *sqlparser.Execute, *sqlparser.Deallocate:
			if d.TriggerSpec != nil {
				err = mysqlerr.New(mysqlerr.StmtNotAllowedInSFOrTrg, "Dynamic SQL")
			} else {
				err = notYet("PREPARE or EXECUTE in a body")
			}
		}
		return err == nil, nil
	}, body)
	return err
}

// refuseUnknownAliased refuses a trigger that names a table which does not exist by an alias:
// go-mysql-server keeps a place for such a table, and has none for its alias.
func (s *Session) refuseUnknownAliased(c *sql.Context, st *statement) error {
	d, ok := st.ast.(*sqlparser.DDL)
	if !ok || d.TriggerSpec == nil {
		return nil
	}
	named := map[string]bool{}
	var err error
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.With:
			if n == nil {
				break
			}
			for _, e := range n.Ctes {
				named[strings.ToLower(e.As.String())] = true
			}
		case *sqlparser.AliasedTableExpr:
			t, ok := n.Expr.(sqlparser.TableName)
			if !ok || n.As.IsEmpty() || t.DbQualifier.IsEmpty() && named[strings.ToLower(t.Name.String())] {
				break
			}
			db := t.DbQualifier.String()
			if db == "" {
				db = c.GetCurrentDatabase()
			}
			if !s.tableOrView(c, db, t.Name.String()) {
				err = notYet("a trigger with an alias for a table that does not exist")
			}
		}
		return err == nil, nil
	}, d.TriggerSpec.Body)
	return err
}

// tableOrView reports whether there is a table or view of a name.
func (s *Session) tableOrView(c *sql.Context, db, name string) bool {
	d, err := s.engine.gms.Analyzer.Catalog.Database(c, db)
	if err != nil {
		return false
	}
	if _, ok, err := d.GetTableInsensitive(c, name); err == nil && ok {
		return true
	}
	if views, ok := d.(sql.ViewDatabase); ok {
		_, ok, err := views.GetViewDefinition(c, name)
		return err == nil && ok
	}
	return false
}

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
		case *sqlparser.Analyze:
			err = notYet("ANALYZE TABLE in a body")
		}
		if d.TriggerSpec != nil && err == nil {
			err = refuseInTrigger(n)
		}
		return err == nil, nil
	}, body)
	return err
}

// refuseInTrigger refuses statements that have a result, or that end the transaction of which the trigger is a part.
func refuseInTrigger(n sqlparser.SQLNode) error {
	if answers(n) {
		return mysqlerr.New(mysqlerr.SPNoRetset, "trigger")
	}
	switch n := n.(type) {
	case *sqlparser.Savepoint, *sqlparser.RollbackSavepoint, *sqlparser.ReleaseSavepoint:
		return notYet("a savepoint in a trigger")
	case *sqlparser.DDL:
		if n.Temporary {
			return nil
		}
	case *sqlparser.Begin, *sqlparser.Commit, *sqlparser.Rollback, *sqlparser.AlterTable, *sqlparser.DBDDL:
	default:
		return nil
	}
	return mysqlerr.New(mysqlerr.CommitNotAllowedInSFOrTrg)
}

// answers reports whether a statement has a result by its kind or by its RETURNING.
func answers(n sqlparser.SQLNode) bool {
	switch n := n.(type) {
	case *sqlparser.Show, *sqlparser.Explain, *sqlparser.OtherRead:
		return true
	case *sqlparser.Insert:
		return len(n.Returning) > 0
	case *sqlparser.Update:
		return len(n.Returning) > 0
	case *sqlparser.Delete:
		return len(n.Returning) > 0
	}
	return false
}

// refuseOverUnknown refuses a trigger that names a table which does not exist by an alias, or together with what
// needs types: go-mysql-server keeps a place for such a table, and has none for its alias; its columns have no types.
func (s *Session) refuseOverUnknown(c *sql.Context, st *statement) error {
	d, ok := st.ast.(*sqlparser.DDL)
	if !ok || d.TriggerSpec == nil {
		return nil
	}
	named := map[string]bool{}
	typed, unknown := "", false
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
			if !ok || t.DbQualifier.IsEmpty() && named[strings.ToLower(t.Name.String())] {
				break
			}
			if s.tableOrView(c, t) {
				break
			}
			if unknown = true; !n.As.IsEmpty() {
				err = notYet("a trigger with an alias for a table that does not exist")
			}
		case *sqlparser.Insert:
			unknown = unknown || !s.tableOrView(c, n.Table)
		case *sqlparser.ConvertExpr:
			typed = "CAST"
		case *sqlparser.Select:
			switch {
			case n.QueryOpts.Distinct:
				typed = "DISTINCT"
			case len(n.OrderBy) > 0:
				typed = "ORDER BY"
			}
		case *sqlparser.SetOp:
			typed = "UNION, INTERSECT or EXCEPT"
		}
		return err == nil, nil
	}, d.TriggerSpec.Body)
	if err == nil && typed != "" && unknown {
		err = notYet("a trigger with " + typed + " and a table that does not exist; create the table first")
	}
	return err
}

// tableOrView reports whether there is a table or view of a name.
func (s *Session) tableOrView(c *sql.Context, t sqlparser.TableName) bool {
	db, name := t.DbQualifier.String(), t.Name.String()
	if db == "" {
		db = c.GetCurrentDatabase()
	}
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

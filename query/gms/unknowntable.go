package gms

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
)

// refuseOverUnknown refuses a trigger that names a table which does not exist by an alias, or together with what
// needs types: go-mysql-server keeps a place for such a table, and has none for its alias; its columns have no types. A temporary table has no triggers.
func (p *planned) refuseOverUnknown() error {
	d, ok := p.st.AST.(*sqlparser.DDL)
	if !ok || d.TriggerSpec == nil {
		return nil
	}
	named := map[string]bool{}
	if use := (statement.Use{DB: d.Table.DbQualifier.String(), Name: d.Table.Name.String()}); p.s.Temp.Has(p.s.DBOf(use), use.Name) {
		return mysqlerr.New(mysqlerr.TrgOnViewOrTempTable, use.Name)
	}
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
			if p.tableOrView(t) {
				break
			}
			if unknown = true; !n.As.IsEmpty() {
				err = mysqlerr.NotYet("a trigger with an alias for a table that does not exist")
			}
		case *sqlparser.Insert:
			unknown = unknown || !p.tableOrView(n.Table)
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
		err = mysqlerr.NotYet("a trigger with " + typed + " and a table that does not exist; create the table first")
	}
	return err
}

// tableOrView reports whether there is a table or view of a name.
func (p *planned) tableOrView(t sqlparser.TableName) bool {
	db, name := t.DbQualifier.String(), t.Name.String()
	if db == "" {
		db = p.c.GetCurrentDatabase()
	}
	d, err := p.s.engine.gms.Analyzer.Catalog.Database(p.c, db)
	if err != nil {
		return false
	}
	if _, ok, err := d.GetTableInsensitive(p.c, name); err == nil && ok {
		return true
	}
	if views, ok := d.(sql.ViewDatabase); ok {
		_, ok, err := views.GetViewDefinition(p.c, name)
		return err == nil && ok
	}
	return false
}

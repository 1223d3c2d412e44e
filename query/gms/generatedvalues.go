package gms

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/alter"
	"github.com/duramendb/duramen/query/gms/loaddata"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
)

// generatedValues are what statements give to generated columns.
type generatedValues struct {
	s *Session
	c *sql.Context
}

// without replaces values that INSERT ... VALUES and UPDATE give to generated columns, as old
// dumps do: NULL stands for the column's own value, and without strict mode every other one is ignored
// with a warning (1906). In strict mode it is an error, which go-mysql-server finds.
func (g generatedValues) without(st *syntax.Statement) *syntax.Statement {
	switch n := st.AST.(type) {
	case *sqlparser.Load:
		return g.withoutLoaded(st, n)
	case *sqlparser.Insert:
		rows, ok := n.Rows.(*sqlparser.AliasedValues)
		def := g.in(n.Table)
		if !ok || def == nil {
			return st
		}
		names := make([]string, 0, len(def.Columns))
		for _, col := range n.Columns {
			names = append(names, col.String())
		}
		for i := range def.Columns {
			if len(n.Columns) == 0 && !def.Columns[i].Hidden && !def.Columns[i].Invisible {
				names = append(names, def.Columns[i].Name)
			}
		}
		values := make(sqlparser.Values, len(rows.Values))
		changed := false
		for i, row := range rows.Values {
			values[i] = row
			for j, e := range row {
				if j >= len(names) || len(row) != len(names) || !g.replaces(def, names[j], e) {
					continue
				}
				if !changed || &values[i][0] == &row[0] {
					values[i] = append(sqlparser.ValTuple{}, values[i]...)
				}
				values[i][j], changed = &sqlparser.Default{}, true
			}
		}
		if !changed {
			return st
		}
		insert, aliased, whole := *n, *rows, *st
		aliased.Values = values
		insert.Rows, whole.AST = &aliased, &insert
		return &whole
	case *sqlparser.Update:
		tables := syntax.AliasedTables(n.TableExprs)
		if len(tables) != 1 {
			return st // see refuseNames
		}
		name, ok := tables[0].Expr.(sqlparser.TableName)
		if !ok {
			return st
		}
		def := g.in(name)
		if def == nil {
			return st
		}
		exprs := append(sqlparser.AssignmentExprs{}, n.Exprs...)
		changed := false
		for i, e := range exprs {
			if g.replaces(def, e.Name.Name.String(), e.Expr) {
				set := *e
				set.Expr = &sqlparser.Default{}
				exprs[i], changed = &set, true
			}
		}
		if !changed {
			return st
		}
		update, whole := *n, *st
		update.Exprs, whole.AST = exprs, &update
		return &whole
	}
	return st
}

// refuseNames refuses an UPDATE of several tables that sets a column with the name of one that is
// generated: go-mysql-server looks for the name in all tables, and panics over what it finds.
func (g generatedValues) refuseNames(st *syntax.Statement) error {
	n, ok := st.AST.(*sqlparser.Update)
	if !ok {
		return nil
	}
	tables := syntax.AliasedTables(n.TableExprs)
	if len(tables) < 2 {
		return nil
	}
	for _, t := range tables {
		name, ok := t.Expr.(sqlparser.TableName)
		if !ok {
			continue
		}
		def := g.in(name)
		for i := 0; def != nil && i < len(n.Exprs); i++ {
			if at := alter.ColumnAt(def, n.Exprs[i].Name.Name.String()); at >= 0 && def.Columns[at].Generated != "" {
				return mysqlerr.NotYet("an UPDATE of several tables that sets a column with the name of a generated one (" + def.Columns[at].Name + ")")
			}
		}
	}
	return nil
}

// in is the definition of a stored table with generated columns; nil for others.
func (g generatedValues) in(name sqlparser.TableName) *catalog.TableDef {
	if g.s.Tx == nil {
		return nil
	}
	tbl := g.s.Tx.Catalog().Table(g.s.DBOf(statement.Use{DB: name.DbQualifier.String()}), name.Name.String())
	if tbl == nil {
		return nil
	}
	for i := range tbl.Def.Columns {
		if tbl.Def.Columns[i].Generated != "" {
			return tbl.Def
		}
	}
	return nil
}

// replaces reports whether a value for a column is replaced by the column's own, and warns.
func (g generatedValues) replaces(def *catalog.TableDef, column string, value sqlparser.Expr) bool {
	at := alter.ColumnAt(def, column)
	if at < 0 || def.Columns[at].Generated == "" {
		return false
	}
	switch value.(type) {
	case *sqlparser.Default:
		return false
	case *sqlparser.NullVal:
		return true
	}
	mode, _ := g.s.Vars.Value(session.VarSQLMode).(string)
	if strings.Contains(mode, "STRICT_") {
		return false
	}
	e := mysqlerr.New(mysqlerr.FieldIsGenerated, def.Columns[at].Name, def.Name)
	g.c.Session.Warn(&sql.Warning{Level: "Warning", Code: int(e.Number), Message: e.Message})
	return true
}

// withoutLoaded replaces generated columns in the list of a LOAD DATA.
func (g generatedValues) withoutLoaded(st *syntax.Statement, n *sqlparser.Load) *syntax.Statement {
	def := g.in(n.Table)
	if def == nil {
		return st
	}
	var names []string
	for _, col := range n.Columns {
		names = append(names, col.String())
	}
	for i := range def.Columns {
		if len(n.Columns) == 0 && !def.Columns[i].Hidden && !def.Columns[i].Invisible {
			names = append(names, def.Columns[i].Name)
		}
	}
	load, whole := *n, *st
	load.Columns = nil
	for _, name := range names {
		if at := alter.ColumnAt(def, name); at >= 0 && def.Columns[at].Generated != "" {
			name = loaddata.SkippedField
		}
		load.Columns = append(load.Columns, sqlparser.NewColIdent(name))
	}
	whole.AST = &load
	return &whole
}

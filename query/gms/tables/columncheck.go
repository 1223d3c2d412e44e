package tables

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
)

// A CHECK constraint that is declared with a column belongs to it: it goes when the column is dropped
// or declared anew, and follows when the column is renamed. The names of columns in all expressions
// of a table follow a rename, as in MariaDB.

// columnCheck goes before the names of table and column in the name of a column's CHECK constraint, on
// the way through the SQL engine (CREATE TABLE, CREATE TABLE ... LIKE, and in errors, where package
// mysqlerr makes `table.column` of it). No name can contain it.
const columnCheck = "\x00"

// checkName is the name under which the SQL engine knows a constraint.
func checkName(def *catalog.TableDef, c *catalog.CheckDef) string {
	if c.Column == "" {
		return c.Name
	}
	return columnCheck + def.Name + columnCheck + c.Column
}

// checkedColumn takes the column out of such a name; ok is false for the name of a table's constraint.
func checkedColumn(name string) (column string, ok bool) {
	if !strings.HasPrefix(name, columnCheck) {
		return "", false
	}
	return name[strings.LastIndex(name, columnCheck)+len(columnCheck):], true
}

// nameColumnChecks gives the unnamed CHECK of a column its name.
func nameColumnChecks(c *sqlparser.ColumnDefinition) {
	if k := c.Type.Constraint; k != nil && k.Name == "" {
		k.Name = columnCheck + c.Name.String()
	}
}

// followColumns is the list of CHECK constraints after a column has changed. redefined says that the
// statement declares it anew, and so drops what was declared with it before.
func followColumns(old *catalog.TableDef, oldColumn, newColumn *sql.Column, redefined bool) []catalog.CheckDef {
	if oldColumn == nil {
		return old.Checks
	}
	var out []catalog.CheckDef
	for _, c := range old.Checks {
		if strings.EqualFold(c.Column, oldColumn.Name) {
			if newColumn == nil || redefined {
				continue
			}
			c.Name, c.Column = newColumn.Name, newColumn.Name
		}
		if newColumn != nil {
			c.Expression = renamedIn(c.Expression, oldColumn.Name, newColumn.Name)
		}
		out = append(out, c)
	}
	return out
}

// renamedIn is an expression after a column was renamed.
func renamedIn(expression, from, to string) string {
	if expression == "" || from == to {
		return expression
	}
	ast, err := sqlparser.Parse("select " + expression)
	if err != nil {
		return expression
	}
	found := false
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if c, ok := n.(*sqlparser.ColName); ok && c.Name.EqualString(from) {
			c.Name, found = sqlparser.NewColIdent(to), true
		}
		return true, nil
	}, ast)
	sel, ok := ast.(*sqlparser.Select)
	if !found || !ok || len(sel.SelectExprs) != 1 {
		return expression
	}
	e, ok := sel.SelectExprs[0].(*sqlparser.AliasedExpr)
	if !ok {
		return expression
	}
	return sqlparser.String(e.Expr)
}

// copied finds the constraint of which CREATE TABLE ... LIKE makes an unnamed one.
func copied(ctx *sql.Context, def *catalog.TableDef, expression string) (catalog.CheckDef, bool) {
	s, err := sessionOf(ctx)
	if err != nil || s.Statement() == nil {
		return catalog.CheckDef{}, false
	}
	d, ok := s.Statement().AST.(*sqlparser.DDL)
	if !ok || d.OptLike == nil || len(d.OptLike.LikeTables) != 1 {
		return catalog.CheckDef{}, false
	}
	cat, err := catalogOf(ctx)
	if err != nil {
		return catalog.CheckDef{}, false
	}
	from := d.OptLike.LikeTables[0]
	db := from.DbQualifier.String()
	if db == "" {
		db = ctx.GetCurrentDatabase()
	}
	source := cat.Table(db, from.Name.String())
	if source == nil {
		return catalog.CheckDef{}, false
	}
	for _, c := range source.Def.Checks {
		again := slices.ContainsFunc(def.Checks, func(o catalog.CheckDef) bool { return o.Name == c.Name && o.Column == c.Column })
		if c.Expression == expression && !again {
			return c, true
		}
	}
	return catalog.CheckDef{}, false
}

// dropped reports whether the statement drops a column.
func dropped(ast sqlparser.Statement, column string) bool {
	list, ok := ast.(*sqlparser.AlterTable)
	if !ok {
		return false
	}
	for _, d := range list.Statements {
		if d.ColumnAction == sqlparser.DropStr && d.Column.EqualString(column) {
			return true
		}
	}
	return false
}

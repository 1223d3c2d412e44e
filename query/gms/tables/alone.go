package tables

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// A column can have a collation by which only SQL of our own compares (see collation.Alone), or one of the types UUID, INET4 and INET6. Tables with
// such columns can be defined and altered, since that compares nothing but keys, which are ours; what reads or changes their rows by
// go-mysql-server is refused.

// alone is the first such column of a table; nil if there is none.
func alone(def *catalog.TableDef) *catalog.ColumnDef {
	at := slices.IndexFunc(def.Columns, func(c catalog.ColumnDef) bool {
		return ddltext.IsCharacter(c.SQLType) && collation.Alone(c.Collation) || isAddress(c)
	})
	if at < 0 {
		return nil
	}
	return &def.Columns[at]
}

// onlyAddresses reports whether all such columns of a table are of one of those types.
func onlyAddresses(def *catalog.TableDef) bool {
	return !slices.ContainsFunc(def.Columns, func(c catalog.ColumnDef) bool { return ddltext.IsCharacter(c.SQLType) && collation.Alone(c.Collation) })
}

// why is what is said of such a column.
func why(c *catalog.ColumnDef) string {
	if isAddress(*c) {
		return "of type " + strings.ToUpper(c.SQLType)
	}
	return "of collation " + collation.Name(c.Collation)
}

// refuseAlone refuses (1235) what the running statement wants of the rows of such a table.
func refuseAlone(ctx *sql.Context, def *catalog.TableDef) error {
	c := alone(def)
	if c == nil {
		return nil
	}
	s, err := sessionOf(ctx)
	if err != nil {
		return err
	}
	switch ast := s.Statement().AST.(type) {
	case nil, *sqlparser.AlterTable, *sqlparser.Show, *sqlparser.Analyze:
		return nil
	case *sqlparser.DDL:
		if ast.OptSelect == nil {
			return nil
		}
	case sqlparser.SelectStatement: // what it asks of them is looked at when it is bound
		if isAddress(*c) && onlyAddresses(def) {
			return refuseVirtual(def)
		}
	case *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete:
		if isAddress(*c) && onlyAddresses(def) {
			return refuseComputed(def)
		}
	case *sqlparser.Load:
		if isAddress(*c) && onlyAddresses(def) && strings.EqualFold(ast.Table.Name.String(), def.Name) {
			return refuseComputed(def)
		}
	}
	return mysqlerr.NotYet("this statement with column " + c.Name + " " + why(c))
}

// checkAlone refuses definitions with which every change of a row would be refused.
func checkAlone(def *catalog.TableDef) error {
	c := alone(def)
	if c == nil {
		return nil
	}
	what := ""
	switch {
	case isAddress(*c):
	case len(def.Checks) > 0:
		what = "CHECK"
	case slices.ContainsFunc(def.Columns, func(c catalog.ColumnDef) bool { return c.Generated != "" }):
		what = "generated columns"
	}
	if what == "" {
		return nil
	}
	return mysqlerr.NotYet(what + " in a table with a column " + why(c))
}

package gms

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/access"
	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/privilege"
)

// visibleSchema is information_schema with the rows that the user may see.
type visibleSchema struct{ sql.Database }

// GetTableInsensitive implements sql.Database.
func (v visibleSchema) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	t, ok, err := v.Database.GetTableInsensitive(ctx, name)
	keep := access.OfSchemaTable(name)
	if err != nil || !ok || keep == nil {
		return t, ok, err
	}
	if columns, special := t.(*information_schema.ColumnsTable); special { // the planner wants it as it is
		own, inner := *columns, columns.RowIter
		own.RowIter = func(ctx *sql.Context, cat sql.Catalog, all sql.Schema) (sql.RowIter, error) {
			iter, err := inner(ctx, cat, all)
			return visibleRows(ctx, name, own.TableSchema, keep, iter), err
		}
		return &own, true, nil
	}
	return &visibleTable{Table: t, name: name, keep: keep}, true, nil
}

// visibleTable is one of its tables.
type visibleTable struct {
	sql.Table
	name string
	keep access.Visibility
}

var _ sql.CatalogTable = (*visibleTable)(nil)

// AssignCatalog implements sql.CatalogTable.
func (t *visibleTable) AssignCatalog(cat sql.Catalog) sql.Table {
	if inner, ok := t.Table.(sql.CatalogTable); ok {
		return &visibleTable{Table: inner.AssignCatalog(cat), name: t.name, keep: t.keep}
	}
	return t
}

// PartitionRows implements sql.Table.
func (t *visibleTable) PartitionRows(ctx *sql.Context, p sql.Partition) (sql.RowIter, error) {
	iter, err := t.Table.PartitionRows(ctx, p)
	if err != nil {
		return nil, err
	}
	return visibleRows(ctx, t.name, t.Schema(ctx), t.keep, iter), nil
}

// visibleIter leaves out rows.
type visibleIter struct {
	sql.RowIter
	a      *access.Rights
	schema sql.Schema
	keep   access.Visibility
	view   int // the column with the definition of a view, -1 for none
}

func visibleRows(c *sql.Context, table string, schema sql.Schema, keep access.Visibility, iter sql.RowIter) sql.RowIter {
	if sessionOf(c) == nil || iter == nil {
		return iter
	}
	a := sessionOf(c).Rights()
	if a.Everything() {
		return iter
	}
	v := &visibleIter{RowIter: iter, a: a, schema: schema, keep: keep, view: -1}
	if strings.EqualFold(table, "views") {
		v.view = columnIndex(schema, "VIEW_DEFINITION")
	}
	return v
}

func columnIndex(schema sql.Schema, name string) int {
	for i, col := range schema {
		if strings.EqualFold(col.Name, name) {
			return i
		}
	}
	return -1
}

// Next implements sql.RowIter.
func (v *visibleIter) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		row, err := v.RowIter.Next(ctx)
		if err != nil {
			return nil, err
		}
		get := func(name string) string {
			if i := columnIndex(v.schema, name); i >= 0 && i < len(row) && row[i] != nil {
				return fmt.Sprint(row[i])
			}
			return ""
		}
		if !v.keep(v.a, get) {
			continue
		}
		if v.view >= 0 && v.a.Table(get("TABLE_SCHEMA"), get("TABLE_NAME"))&privilege.ShowView == 0 {
			row = row.Copy()
			row[v.view] = ""
		}
		return row, nil
	}
}

// visibleResult leaves out the rows of a SHOW that its user may not see.
func (s *Session) visibleResult(c *sql.Context, st *syntax.Statement, out outcome) outcome {
	show, ok := st.AST.(*sqlparser.Show)
	if !ok {
		return out
	}
	keep := access.OfShow(show.Type)
	if keep == nil {
		return out
	}
	a := s.Rights()
	if a.Everything() {
		return out
	}
	db := show.Database
	if show.ShowTablesOpt != nil && show.ShowTablesOpt.DbName != "" {
		db = show.ShowTablesOpt.DbName
	}
	if db == "" {
		db = s.DB()
	}
	return &filteredResult{outcome: out, keep: func(schema sql.Schema, row sql.Row) bool {
		return keep(a, func(name string) string {
			i := columnIndex(schema, name)
			switch name {
			case "":
				return db
			case "0":
				i = 0
			}
			if i < 0 || i >= len(row) || row[i] == nil {
				return ""
			}
			return fmt.Sprint(row[i])
		})
	}}
}

type filteredResult struct {
	outcome
	schema sql.Schema
	keep   func(sql.Schema, sql.Row) bool
}

func (f *filteredResult) columns(c *sql.Context, schema sql.Schema, from []column.Origin) error {
	f.schema = schema
	return f.outcome.columns(c, schema, from)
}

func (f *filteredResult) row(c *sql.Context, row sql.Row) error {
	if types.IsOkResultSchema(f.schema) || f.keep(f.schema, row) {
		return f.outcome.row(c, row)
	}
	return nil
}

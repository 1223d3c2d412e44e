package query

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// What a user may not use, lists of objects do not show: the rows of information_schema and of SHOW go through here.

// visibility says whether the user may see a row; get gives the text of one of its columns.
type visibility func(a *access, get func(column string) string) bool

// byTable shows what belongs to a table on which the user has some privilege.
func byTable(schema, table string) visibility {
	return func(a *access, get func(string) string) bool { return a.tableVisible(get(schema), get(table)) }
}

// byAccount shows what is about the user's own account, and everything to who may read the accounts.
func byAccount(column string) visibility {
	return func(a *access, get func(string) string) bool {
		return a.database("mysql")&privilege.Select != 0 || a.self(get(column))
	}
}

func byRoutine(schema, name, kind string) visibility {
	return func(a *access, get func(string) string) bool {
		return a.routineVisible(get(schema), get(name), strings.EqualFold(get(kind), "FUNCTION"))
	}
}

func (a *access) routineVisible(db, name string, function bool) bool {
	return a.table("mysql", "proc")&privilege.Select != 0 ||
		(a.database(db)|a.held.Routine(db, name, function))&(privilege.Execute|privilege.AlterRoutine|privilege.CreateRoutine) != 0
}

func withPrivilegeOn(schema, table string, p privilege.Set) visibility {
	return func(a *access, get func(string) string) bool {
		if table == "" {
			return a.database(get(schema))&p != 0
		}
		return a.table(get(schema), get(table))&p != 0
	}
}

// toProcess shows the rows to who has PROCESS.
func toProcess(a *access, _ func(string) string) bool { return a.may(privilege.Process) }

// schemaVisible is for a column with the name of a database.
func schemaVisible(column string) visibility {
	return func(a *access, get func(string) string) bool {
		return a.may(privilege.ShowDatabases) || a.visible(get(column))
	}
}

// schemaTables are the tables of information_schema whose rows are not for everybody.
var schemaTables = map[string]visibility{
	"tables": byTable("TABLE_SCHEMA", "TABLE_NAME"), "columns": byTable("TABLE_SCHEMA", "TABLE_NAME"),
	"views": byTable("TABLE_SCHEMA", "TABLE_NAME"), "statistics": byTable("TABLE_SCHEMA", "TABLE_NAME"),
	"key_column_usage": byTable("TABLE_SCHEMA", "TABLE_NAME"), "table_constraints": byTable("TABLE_SCHEMA", "TABLE_NAME"),
	"partitions": byTable("TABLE_SCHEMA", "TABLE_NAME"), "referential_constraints": byTable("CONSTRAINT_SCHEMA", "TABLE_NAME"),
	"check_constraints": byTable("CONSTRAINT_SCHEMA", "TABLE_NAME"), "geometry_columns": byTable("F_TABLE_SCHEMA", "F_TABLE_NAME"),
	"st_geometry_columns": byTable("TABLE_SCHEMA", "TABLE_NAME"), "columns_extensions": byTable("TABLE_SCHEMA", "TABLE_NAME"),
	"table_constraints_extensions": byTable("CONSTRAINT_SCHEMA", "TABLE_NAME"), "tables_extensions": byTable("TABLE_SCHEMA", "TABLE_NAME"),
	"view_table_usage": byTable("VIEW_SCHEMA", "VIEW_NAME"), "view_routine_usage": byTable("TABLE_SCHEMA", "TABLE_NAME"),
	"column_statistics": byTable("SCHEMA_NAME", "TABLE_NAME"),
	"schemata":          schemaVisible("SCHEMA_NAME"), "schemata_extensions": schemaVisible("SCHEMA_NAME"),
	"routines":   byRoutine("ROUTINE_SCHEMA", "ROUTINE_NAME", "ROUTINE_TYPE"),
	"parameters": byRoutine("SPECIFIC_SCHEMA", "SPECIFIC_NAME", "ROUTINE_TYPE"),
	"triggers":   withPrivilegeOn("EVENT_OBJECT_SCHEMA", "EVENT_OBJECT_TABLE", privilege.Trigger),
	"events":     withPrivilegeOn("EVENT_SCHEMA", "", privilege.Event),
	"processlist": func(a *access, get func(string) string) bool {
		return a.may(privilege.Process) || get("USER") == a.s.Info.User
	},
	"user_privileges": byAccount("GRANTEE"), "schema_privileges": byAccount("GRANTEE"),
	"table_privileges": byAccount("GRANTEE"), "column_privileges": byAccount("GRANTEE"),
	"user_attributes": func(a *access, get func(string) string) bool {
		return a.database("mysql")&privilege.Select != 0 || a.self(get("USER")+"@"+get("HOST"))
	},
	"files": toProcess, "tablespaces": toProcess, "tablespaces_extensions": toProcess,
}

func visibilityOf(table string) visibility {
	table = strings.ToLower(table)
	if strings.HasPrefix(table, "innodb_") {
		return toProcess
	}
	return schemaTables[table]
}

// visibleSchema is information_schema with the rows that the user may see.
type visibleSchema struct{ sql.Database }

// GetTableInsensitive implements sql.Database.
func (v visibleSchema) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	t, ok, err := v.Database.GetTableInsensitive(ctx, name)
	keep := visibilityOf(name)
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
	keep visibility
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
	a      *access
	schema sql.Schema
	keep   visibility
	view   int // the column with the definition of a view, -1 for none
}

func visibleRows(c *sql.Context, table string, schema sql.Schema, keep visibility, iter sql.RowIter) sql.RowIter {
	if sessionOf(c) == nil || iter == nil {
		return iter
	}
	a := sessionOf(c).newAccess(c)
	if a.everything() {
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
		if v.view >= 0 && v.a.table(get("TABLE_SCHEMA"), get("TABLE_NAME"))&privilege.ShowView == 0 {
			row = row.Copy()
			row[v.view] = ""
		}
		return row, nil
	}
}

// showRows are the kinds of SHOW that go-mysql-server answers whose rows are not for everybody; get knows
// the columns by their names, and the database that the statement is about as "".
var showRows = map[string]visibility{
	"tables": func(a *access, get func(string) string) bool { return a.tableVisible(get(""), get("0")) },
	"table status": func(a *access, get func(string) string) bool {
		return a.tableVisible(get(""), get("Name"))
	},
	"databases": schemaVisible("0"), "schemas": schemaVisible("0"),
	"triggers": func(a *access, get func(string) string) bool {
		return a.table(get(""), get("Table"))&privilege.Trigger != 0
	},
	"events": withPrivilegeOn("Db", "", privilege.Event),
	"procedure status": func(a *access, get func(string) string) bool {
		return a.routineVisible(get("Db"), get("Name"), false)
	},
	"function status": func(a *access, get func(string) string) bool {
		return a.routineVisible(get("Db"), get("Name"), true)
	},
	"processlist": func(a *access, get func(string) string) bool {
		return a.may(privilege.Process) || get("User") == a.s.Info.User
	},
}

// visibleResult leaves out the rows of a SHOW that its user may not see.
func (s *Session) visibleResult(c *sql.Context, st *syntax.Statement, out outcome) outcome {
	show, ok := st.AST.(*sqlparser.Show)
	if !ok {
		return out
	}
	keep := showRows[strings.ToLower(show.Type)]
	if keep == nil {
		return out
	}
	a := s.newAccess(c)
	if a.everything() {
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

// deniedTable is the error for a table that the user may not see.
func (a *access) deniedTable(word, db, table string) error {
	return mysqlerr.New(mysqlerr.TableAccessDenied, word, a.named.User, a.named.Host, db, table)
}

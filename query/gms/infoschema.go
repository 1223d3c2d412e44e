package gms

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/access"
	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/infoschema"
	"github.com/duramendb/duramen/query/gms/relation"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/session"
)

// informationSchema is the database information_schema of this server.
func (e *Engine) informationSchema(provider *tables.Provider) *infoschema.Database {
	ofSession := func(rows func(s *session.Session) ([][]any, error)) func(*sql.Context) ([][]any, error) {
		return func(c *sql.Context) ([][]any, error) { return rows(&sessionOf(c).Session) }
	}
	rows := map[string]func(*sql.Context) ([][]any, error){}
	for name, of := range e.config.Rows {
		rows[name] = ofSession(of)
	}
	for name, of := range account.Tables {
		rows[name] = ofSession(func(s *session.Session) ([][]any, error) {
			return of(session.AccountsOf(s).View(e.config.Version)), nil
		})
	}
	return infoschema.New(&infoschema.Server{
		Catalog: tables.CatalogOf,
		Visible: func(c *sql.Context, db, object string) bool { return sessionOf(c).Schema().visible(c, db, object) },
		Stats:   provider.Stats,
		Counter: func(c *sql.Context, t *catalog.Table) uint64 {
			n, err := sessionOf(c).EnsureTxn().PeekAutoIncrement(t)
			if err != nil {
				return 0
			}
			return n
		},
		ViewColumns: func(c *sql.Context, db, view string) []catalog.ColumnDef {
			return sessionOf(c).Schema().viewColumns(c, db, view)
		},
		SystemTables: SystemTables,
		Zone:         relation.SessionLocation,
		Rows:         rows,
	})
}

// Schema reads information_schema for a session.
type Schema struct{ s *Session }

// Schema reads information_schema for the session.
func (s *Session) Schema() Schema { return Schema{s} }

// visible reports whether information_schema has anything of a database for the session's user. Rows of
// single objects go through visibleSchema, and through shownTo where SHOW reads them.
func (r Schema) visible(c *sql.Context, db, object string) bool {
	if object != "" {
		return true
	}
	a := r.s.Rights()
	return a.May(privilege.ShowDatabases) || a.Visible(db)
}

// Table are the rows of a table of information_schema that the user may see.
type SchemaTable struct {
	names   []string
	Numbers []bool // by column: its values are numbers
	Rows    [][]any
}

// Index is the place of a column, whatever the case of its name; -1 if there is none.
func (t *SchemaTable) Index(column string) int {
	return slices.IndexFunc(t.names, func(name string) bool { return strings.EqualFold(name, column) })
}

// Table reads a table of information_schema, as far as it is about a database and a table, where they are named. It may be a temporary one
// to STATISTICS.
func (r Schema) Table(ctx context.Context, table, db, name string) (*SchemaTable, error) {
	c := r.s.newContext(ctx, "")
	cols, rows, err := r.s.engine.infoSchema.Read(c, table, db, name)
	if err != nil {
		return nil, err
	}
	out := &SchemaTable{}
	for _, col := range cols {
		out.names, out.Numbers = append(out.names, col.Name), append(out.Numbers, sql.IsNumberType(col.Type))
	}
	if temporary, _ := r.s.TemporaryTable(db, name); temporary != nil && strings.EqualFold(table, "STATISTICS") {
		out.Rows = infoschema.Statistics(temporary, r.s.tables.Rows(db, name))
		return out, nil
	}
	for _, row := range rows {
		if r.shownTo(table, cols, row) {
			out.Rows = append(out.Rows, row)
		}
	}
	return out, nil
}

// HasDatabase reports whether there is a database.
func (r Schema) HasDatabase(ctx context.Context, name string) bool {
	return r.s.engine.gms.Analyzer.Catalog.HasDatabase(r.s.newContext(ctx, ""), name)
}

// ViewColumns are the columns of a view as its query yields them.
func (r Schema) ViewColumns(ctx context.Context, db, view string) []catalog.ColumnDef {
	return r.viewColumns(r.s.newContext(ctx, ""), db, view)
}

// shownTo reports whether the user may see a row of a table of information_schema.
func (r Schema) shownTo(table string, cols sql.Schema, row sql.Row) bool {
	keep := access.OfSchemaTable(table)
	a := r.s.Rights()
	return keep == nil || a.Everything() || keep(a, func(column string) string {
		at := cols.IndexOfColName(column)
		if at < 0 {
			return ""
		}
		return fmt.Sprint(row[at])
	})
}

// viewColumns are the columns of a view as its query yields them; nil if the query cannot be run,
// because its tables have changed, for example.
func (r Schema) viewColumns(c *sql.Context, db, view string) []catalog.ColumnDef {
	defs, err := r.view(c, db, view)
	if err != nil {
		return nil
	}
	return defs
}

// view is viewColumns with the error of the query.
func (r Schema) view(c *sql.Context, db, view string) ([]catalog.ColumnDef, error) {
	st, _, err := r.s.parseOne(innerText(r.s, "SELECT * FROM "+dialect.QuoteName(db)+"."+dialect.QuoteName(view)+" LIMIT 0"))
	if err != nil {
		return nil, err
	}
	cols, iter, from, err := r.s.engine.open(c.WithQuery(st.Text), st, nil)
	if err != nil {
		return nil, err
	}
	_ = iter.Close(c)
	out := make([]catalog.ColumnDef, 0, len(cols))
	for i, col := range cols {
		plain := *col
		plain.Generated, plain.OnUpdate, plain.PrimaryKey, plain.AutoIncrement, plain.Comment = nil, nil, false, false, ""
		def, err := schema.ColumnToDef(c, &plain, nil, nil)
		if err != nil {
			return nil, err
		}
		expression := true
		if i < len(from) && from[i].Facts != nil {
			def.SQLType = from[i].Facts.SQLType
			expression = from[i].Facts.Flags&mysql.AUTO_INCREMENT_FLAG != 0
		}
		if expression && !def.Nullable && !def.HasDefault { // as in MariaDB's table of a view's result
			def.HasDefault, def.DefaultLiteral, def.Default = true, true, "''"
			if types.IsNumber(col.Type) {
				def.Default = "0"
			}
		}
		out = append(out, def)
	}
	return out, nil
}

// SystemTables are the tables of the database mysql that are listed.
func SystemTables() []*catalog.TableDef {
	var out []*catalog.TableDef
	for _, name := range slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(LogTables)), infoschema.AccountTables()...))) {
		out = append(out, infoschema.MySQLTable(name))
	}
	return out
}

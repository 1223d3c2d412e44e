package infoschema

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
)

// Server is what the tables are filled from. Every function is called while a statement runs, with
// its context, and must be safe for concurrent use.
type Server struct {
	// Catalog is the version that the statement sees.
	Catalog func(ctx *sql.Context) (*catalog.Snapshot, error)
	// Visible reports whether the user may see an object of a database, or the database itself
	// (object is ""): whether he has any privilege on it.
	Visible func(ctx *sql.Context, db, object string) bool
	// Stats are estimates of the rows of a table, of their bytes, and of those of the indexes.
	Stats func(ctx *sql.Context, t *catalog.Table) (rows, data, indexes uint64)
	// Counter is the next value of AUTO_INCREMENT.
	Counter func(ctx *sql.Context, t *catalog.Table) uint64
	// ViewColumns are the columns of a view's query; nil if it cannot be run.
	ViewColumns func(ctx *sql.Context, db, view string) []catalog.ColumnDef
	// SystemTables are the tables of the database mysql that can be read.
	SystemTables func() []*catalog.TableDef
	// Zone is the session's time zone.
	Zone func(ctx *sql.Context) *time.Location
	// Rows yields the rows of tables that only the server knows, by the upper-case name of the
	// table: variables, status, sessions, engines, plugins, accounts, locks.
	// A time.Time is a point in time.
	Rows map[string]func(ctx *sql.Context) ([][]any, error)
}

// Database is information_schema.
type Database struct {
	server *Server
	tables map[string]*Table // by upper-case name
}

var _ sql.Database = (*Database)(nil)

// New makes the database.
func New(server *Server) *Database {
	d := &Database{server: server, tables: map[string]*Table{}}
	for _, def := range definitions() {
		d.tables[strings.ToUpper(def.Name)] = d.table(def, def.Name)
	}
	return d
}

// table makes a table, whose rows the server gives under a name, or one of this package's fillers.
func (d *Database) table(def *catalog.TableDef, name string) *Table {
	t := &Table{db: d, def: def, rows: fillers[name]}
	if fill := d.server.Rows[name]; fill != nil {
		t.rows = func(s *scan) error {
			rows, err := fill(s.ctx)
			for _, r := range rows {
				for i := range r {
					if t, ok := r[i].(time.Time); ok {
						r[i] = s.time(t)
					}
				}
				s.add(r...)
			}
			return err
		}
	}
	return t
}

// Name implements sql.Database.
func (d *Database) Name() string { return "information_schema" }

// GetTableInsensitive implements sql.Database.
func (d *Database) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	if t := d.tables[strings.ToUpper(name)]; t != nil {
		return t, true, nil
	}
	if t, ok := d.mysqlTable(name); ok {
		return t, true, nil
	}
	return nil, false, nil
}

// GetTableNames implements sql.Database.
func (d *Database) GetTableNames(*sql.Context) ([]string, error) {
	var names []string
	for _, def := range definitions() {
		names = append(names, def.Name)
	}
	return names, nil
}

// Read gives all rows of a table, for the SHOW statements that are about one database, or one table
// of it: others may be left out. "" stands for all.
func (d *Database) Read(ctx *sql.Context, table, db, object string) (sql.Schema, []sql.Row, error) {
	t := d.tables[table]
	s, err := t.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	s.onlyDB, s.onlyTable = db, object
	if err := t.rows(s); err != nil {
		return nil, nil, err
	}
	return s.columns, s.rows, s.err
}

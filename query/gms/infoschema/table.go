package infoschema

import (
	_ "embed"
	"io"
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/schema"
)

//go:embed columns.tsv
var columnsTSV string

// schemaCollation is the collation of every text of information_schema.
const schemaCollation = sql.Collation_utf8mb3_general_ci

// definitions are the tables in the form of catalog definitions, which COLUMNS shows.
var definitions = sync.OnceValue(func() []*catalog.TableDef {
	var defs []*catalog.TableDef
	for line := range strings.Lines(columnsTSV) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(defs) == 0 || defs[len(defs)-1].Name != f[0] {
			defs = append(defs, &catalog.TableDef{DB: "information_schema", Name: f[0], Engine: "MEMORY", Collation: schemaCollation.Name()})
		}
		def := defs[len(defs)-1]
		def.Columns = append(def.Columns, catalog.ColumnDef{
			Name: f[1], SQLType: f[2], Nullable: f[3] == "YES", Collation: uint16(schemaCollation),
		})
	}
	return defs
})

// fillers fill the tables whose rows come from the catalog and from constants.
var fillers = map[string]func(*scan) error{
	"CHARACTER_SETS":                        characterSets,
	"CHECK_CONSTRAINTS":                     checkConstraints,
	"COLLATIONS":                            collations,
	"COLLATION_CHARACTER_SET_APPLICABILITY": collationApplicability,
	"COLUMNS":                               columns,
	"EVENTS":                                events,
	"GEOMETRY_COLUMNS":                      geometryColumns,
	"INNODB_FT_DEFAULT_STOPWORD":            stopwords,
	"KEYWORDS":                              keywords,
	"KEY_COLUMN_USAGE":                      keyColumnUsage,
	"PARAMETERS":                            parameters,
	"PARTITIONS":                            partitions,
	"REFERENTIAL_CONSTRAINTS":               referentialConstraints,
	"ROUTINES":                              routines,
	"SCHEMATA":                              schemata,
	"STATISTICS":                            statistics,
	"TABLES":                                tablesTable,
	"TABLE_CONSTRAINTS":                     tableConstraints,
	"TRIGGERS":                              triggers,
	"VIEWS":                                 views,
}

// Table is a table of information_schema.
type Table struct {
	db   *Database
	def  *catalog.TableDef
	rows func(*scan) error // nil: always empty
}

var (
	_ sql.Table           = (*Table)(nil)
	_ sql.StatisticsTable = (*Table)(nil)
)

// Name implements sql.Table.
func (t *Table) Name() string { return t.def.Name }

// String implements sql.Table.
func (t *Table) String() string { return t.def.Name }

// Database implements sql.Databaseable.
func (t *Table) Database() string { return t.db.Name() }

// Collation implements sql.Table.
func (t *Table) Collation() sql.CollationID { return schemaCollation }

// Schema implements sql.Table.
func (t *Table) Schema(*sql.Context) sql.Schema {
	sch, err := schema.Schema(t.def)
	if err != nil {
		return nil // the definitions are constants; TestDefinitions reads them all
	}
	return sch.Schema
}

// DataLength implements sql.StatisticsTable.
func (t *Table) DataLength(*sql.Context) (uint64, error) { return 1 << 16, nil }

// RowCount implements sql.StatisticsTable: a guess for the planner.
func (t *Table) RowCount(*sql.Context) (uint64, bool, error) { return 1000, false, nil }

// Partitions implements sql.Table.
func (t *Table) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(partition{}), nil
}

type partition struct{}

// Key implements sql.Partition.
func (partition) Key() []byte { return []byte{0} }

// PartitionRows implements sql.Table.
func (t *Table) PartitionRows(ctx *sql.Context, _ sql.Partition) (sql.RowIter, error) {
	s, err := t.open(ctx)
	if err != nil || t.rows == nil {
		return s, err
	}
	return s, t.rows(s)
}

// open begins a scan, without rows yet.
func (t *Table) open(ctx *sql.Context) (*scan, error) {
	cat, err := t.db.server.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	return &scan{ctx: ctx, server: t.db.server, cat: cat, columns: t.Schema(ctx)}, nil
}

// scan collects the rows of one table for one statement, and is the iterator over them.
type scan struct {
	ctx     *sql.Context
	server  *Server
	cat     *catalog.Snapshot
	columns sql.Schema
	rows    []sql.Row
	next    int
	err     error
	// onlyDB and onlyTable are what the scan is about, "" for everything.
	onlyDB, onlyTable string
}

// add adds a row, whose values are converted to the types of the columns.
func (s *scan) add(values ...any) {
	row := make(sql.Row, len(s.columns))
	for i := range row {
		if i >= len(values) || values[i] == nil {
			continue
		}
		if text, ok := values[i].(string); ok { // a binary default, for example
			values[i] = strings.ToValidUTF8(text, "?")
		}
		v, _, err := s.columns[i].Type.Convert(s.ctx, values[i])
		if err != nil && s.err == nil {
			s.err = err
		}
		row[i] = v
	}
	s.rows = append(s.rows, row)
}

// Next implements sql.RowIter.
func (s *scan) Next(*sql.Context) (sql.Row, error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.next >= len(s.rows) {
		return nil, io.EOF
	}
	s.next++
	return s.rows[s.next-1], nil
}

// Close implements sql.RowIter.
func (s *scan) Close(*sql.Context) error { return nil }

// eachDatabase calls do for every database of the catalog that the user may see.
func (s *scan) eachDatabase(do func(db *catalog.DatabaseDef) error) error {
	for _, db := range s.cat.Databases() {
		if s.onlyDB != "" && s.onlyDB != db.Name || !s.server.Visible(s.ctx, db.Name, "") {
			continue
		}
		if err := do(db); err != nil {
			return err
		}
	}
	return nil
}

// eachTable calls do for every stored table that the user may see. Tables that go-mysql-server keeps
// full-text indexes in are none of his.
func (s *scan) eachTable(do func(t *catalog.Table)) error {
	return s.eachDatabase(func(db *catalog.DatabaseDef) error {
		for _, t := range s.cat.Tables(db.Name) {
			named := s.onlyTable == "" || s.onlyTable == t.Def.Name
			if named && !t.Local && s.server.Visible(s.ctx, db.Name, t.Def.Name) {
				do(t)
			}
		}
		return nil
	})
}

// orNil is nil for "".
func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func yesNo(b bool) string {
	if b {
		return "YES"
	}
	return "NO"
}

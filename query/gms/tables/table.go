package tables

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/relation"
)

// Table is a table in a statement that reads and changes rows: in the version that was current when its name was resolved, with
// the columns and the locks that this place of the statement wants.
type Table struct {
	alterable
	columns projection
	// access overrides how the session says that rows are read.
	access *Access
	// asked is how the statement wants the rows of this reference to the table; nil asks the session.
	asked *Access
	// edited says that it is an editor's table: foreign keys look for rows by the editors of the tables they lead to.
	edited bool
	// byKey says that rows to change are named by their primary key alone; the
	// SQL engine does not know the other columns of a full-text index's tables.
	byKey bool
}

// The SQL engine finds out by type assertions what a table can do. Without these lines, a lost interface would compile, and
// only the users of some statement would notice.
var (
	_ sql.Table                       = (*Table)(nil)
	_ sql.Nameable                    = (*Table)(nil)
	_ sql.DebugStringer               = (*Table)(nil)
	_ sql.Databaseable                = (*Table)(nil)
	_ sql.CommentedTable              = (*Table)(nil)
	_ sql.TemporaryTable              = (*Table)(nil)
	_ sql.ProjectedTable              = (*Table)(nil)
	_ sql.PrimaryKeyTable             = (*Table)(nil)
	_ sql.IndexAddressable            = (*Table)(nil)
	_ sql.IndexAddressableTable       = (*Table)(nil)
	_ sql.IndexSearchableTable        = (*Table)(nil)
	_ sql.StatisticsTable             = (*Table)(nil)
	_ sql.PartitionCounter            = (*Table)(nil)
	_ sql.InsertableTable             = (*Table)(nil)
	_ sql.UpdatableTable              = (*Table)(nil)
	_ sql.DeletableTable              = (*Table)(nil)
	_ sql.ReplaceableTable            = (*Table)(nil)
	_ sql.TruncateableTable           = (*Table)(nil)
	_ sql.AutoIncrementTable          = (*Table)(nil)
	_ sql.AutoIncrementGetter         = (*Table)(nil)
	_ sql.AlterableTable              = (*Table)(nil)
	_ sql.RewritableTable             = (*Table)(nil)
	_ sql.IndexAlterableTable         = (*Table)(nil)
	_ sql.IndexBuildingTable          = (*Table)(nil)
	_ sql.PrimaryKeyAlterableTable    = (*Table)(nil)
	_ sql.CollationAlterableTable     = (*Table)(nil)
	_ sql.CommentAlterableTable       = (*Table)(nil)
	_ sql.TargetRowSizeAlterableTable = (*Table)(nil)
	_ sql.TargetRowSizeTable          = (*Table)(nil)
	_ sql.CheckAlterableTable         = (*Table)(nil)
	_ sql.CheckTable                  = (*Table)(nil)
	_ sql.ForeignKeyTable             = (*Table)(nil)
)

// Name implements sql.Nameable.
func (t *Table) Name() string { return t.v.Def().Name }

// String implements fmt.Stringer.
func (t *Table) String() string { return t.v.Def().Name }

// DebugString says what plans show of a table.
func (t *Table) DebugString(*sql.Context) string {
	p := sql.NewTreePrinter()
	_ = p.WriteNode("Table")
	children := []string{"name: " + t.Name()}
	if !t.columns.all() {
		children = append(children, fmt.Sprintf("projections: %v", t.columns.ordinals))
	}
	_ = p.WriteChildren(children...)
	return p.String()
}

// Database implements sql.Databaseable.
func (t *Table) Database() string { return t.v.Def().DB }

// Definition is the stored definition that the table was resolved to.
func (t *Table) Definition() *catalog.TableDef { return t.v.Def() }

// Schema implements sql.Table.
func (t *Table) Schema(*sql.Context) sql.Schema {
	if t.columns.all() {
		return t.v.Schema.Schema
	}
	return t.columns.schema
}

// PrimaryKeySchema implements sql.PrimaryKeyTable.
func (t *Table) PrimaryKeySchema(*sql.Context) sql.PrimaryKeySchema { return t.v.Schema }

// Collation implements sql.Table.
func (t *Table) Collation() sql.CollationID { return t.v.Collation }

// Comment implements sql.CommentedTable.
func (t *Table) Comment() string { return t.v.Def().Comment }

// IsTemporary implements sql.TemporaryTable.
func (t *Table) IsTemporary() bool { return t.temp != nil }

// WithProjections implements sql.ProjectedTable.
func (t *Table) WithProjections(_ *sql.Context, names []string) (sql.Table, error) {
	n := *t
	var err error
	if n.columns, err = projectionOn(t.v, names); err != nil {
		return nil, err
	}
	return &n, nil
}

// Projections implements sql.ProjectedTable.
func (t *Table) Projections() []string { return t.columns.names }

// GetIndexes implements sql.IndexAddressable.
func (t *Table) GetIndexes(ctx *sql.Context) ([]sql.Index, error) {
	cur, err := t.current(ctx)
	if err != nil {
		return nil, err
	}
	s, err := sessionOf(ctx)
	if err != nil {
		return nil, err
	}
	d, ok := s.Statement().AST.(*sqlparser.DDL)
	like := ok && d.OptLike != nil // the statement copies full-text indexes itself
	reads := s.Statement().Planning && readsRows(s.Statement().AST)
	var out []sql.Index
	for _, idx := range cur.v.indexes {
		if (!like || idx.kind != catalog.Fulltext) && (!reads || !idx.cuts) {
			out = append(out, idx.planned(s.Statement().Planning))
		}
	}
	return out, nil
}

// readsRows reports whether a statement is one that looks for rows.
func readsRows(ast sqlparser.Statement) bool {
	switch ast.(type) {
	case sqlparser.SelectStatement, *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete, *sqlparser.Call:
		return true
	}
	return false
}

// PreciseMatch implements sql.IndexAddressable: rows that a lookup does not
// mean are left out, see spans.
func (t *Table) PreciseMatch() bool { return true }

// IndexedAccess implements sql.IndexAddressable.
func (t *Table) IndexedAccess(_ *sql.Context, lookup sql.IndexLookup) sql.IndexedTable {
	return &IndexedTable{Table: t, lookup: lookup}
}

// PartitionCount implements sql.PartitionCounter.
func (t *Table) PartitionCount(*sql.Context) (int64, error) { return 1, nil }

// HasTargetRowSize implements sql.TargetRowSizeTable.
func (t *Table) HasTargetRowSize() bool { return t.v.Def().Options[optRowSize] != "" }

// GetTargetRowSize implements sql.TargetRowSizeTable.
func (t *Table) GetTargetRowSize() (size uint64) {
	if _, err := fmt.Sscan(t.v.Def().Options[optRowSize], &size); err != nil {
		return 0
	}
	return size
}

// Facts finds what is known of a column; nil if the table has no such column.
func (t *Table) Facts(column string) *relation.Facts {
	return t.v.ColumnFacts(column)
}

package tables

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/fulltext"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn"
)

// Table is a table in a statement. It keeps the version that was current when
// it was resolved for reading and writing rows; definitions are always looked
// up anew, because one ALTER TABLE consists of several calls.
type Table struct {
	p *Provider
	v *version
	// temp is set for a temporary table of the session.
	temp    *tempTable
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
	_ fulltext.EditableTable          = (*Table)(nil)
	_ fulltext.IndexAlterableTable    = (*Table)(nil)
)

// Name implements sql.Nameable.
func (t *Table) Name() string { return t.v.def().Name }

// String implements fmt.Stringer.
func (t *Table) String() string { return t.v.def().Name }

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
func (t *Table) Database() string { return t.v.def().DB }

// Definition is the stored definition that the table was resolved to.
func (t *Table) Definition() *catalog.TableDef { return t.v.def() }

// Schema implements sql.Table.
func (t *Table) Schema(*sql.Context) sql.Schema {
	if t.columns.all() {
		return t.v.schema.Schema
	}
	return t.columns.schema
}

// PrimaryKeySchema implements sql.PrimaryKeyTable.
func (t *Table) PrimaryKeySchema(*sql.Context) sql.PrimaryKeySchema { return t.v.schema }

// Collation implements sql.Table.
func (t *Table) Collation() sql.CollationID { return t.v.collation }

// Comment implements sql.CommentedTable.
func (t *Table) Comment() string { return t.v.def().Comment }

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
	out := make([]sql.Index, len(cur.v.indexes))
	for i, idx := range cur.v.indexes {
		out[i] = idx
	}
	return out, nil
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

// current is the table in its newest version, with the changes of the running
// transaction. A table that has been renamed is found by its id.
func (t *Table) current(ctx *sql.Context) (*Table, error) {
	if t.temp != nil {
		return t.temp.table(t.p)
	}
	cat, err := catalogOf(ctx)
	if err != nil {
		return nil, err
	}
	def := t.v.def()
	tbl := cat.Table(def.DB, def.Name)
	if tbl == nil {
		if tbl = cat.TableByID(def.ID); tbl == nil {
			return nil, sql.ErrTableNotFound.New(def.Name)
		}
	}
	if tbl == t.v.tbl && t.columns.all() {
		return t, nil
	}
	v, err := t.p.versions.of(tbl)
	if err != nil {
		return nil, err
	}
	return &Table{p: t.p, v: v, access: t.access}, nil
}

// alter stores a changed definition of the table. edit gets a copy of the
// newest one, of which it may change everything but what the slices' elements
// share; it must replace slices that it edits.
func (t *Table) alter(ctx *sql.Context, edit func(def *catalog.TableDef) error) error {
	cur, err := t.current(ctx)
	if err != nil {
		return err
	}
	def := *cur.v.def()
	if err := edit(&def); err != nil {
		return err
	}
	if t.temp != nil {
		return t.temp.redefine(&def)
	}
	if err := lockTable(ctx, def.DB, def.Name, true); err != nil {
		return err
	}
	return change(ctx, catalog.Change{Tables: []*catalog.TableDef{&def}})
}

// rows is where the rows of the table are, for the running statement.
func (t *Table) rows(ctx *sql.Context) (rows, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return nil, err
	}
	if t.temp != nil {
		return t.temp, nil
	}
	tx, err := s.Txn(ctx)
	if err != nil {
		return nil, err
	}
	return txnRows{tx}, nil
}

// use is rows for a statement that is going to use them. It takes the
// table's metadata lock, which the session has taken already for the tables that
// the statement names, but not for those behind views, triggers and foreign
// keys. If the table was altered before the lock was there, the statement has to
// be planned again.
func (t *Table) use(ctx *sql.Context, s Session, mode txn.LockMode) (rows, error) {
	if t.temp != nil {
		return t.temp, nil
	}
	tx, err := s.Txn(ctx)
	if err != nil {
		return nil, err
	}
	def := t.v.def()
	if err := tx.LockTable(ctx, def.DB, def.Name, mode); err != nil {
		return nil, err
	}
	if !isDDL(s.Statement().AST) && tx.Catalog().TableByID(def.ID) != t.v.tbl {
		return nil, fmt.Errorf("definition of table %s.%s: %w", def.DB, def.Name, txn.ErrRowChanged)
	}
	return txnRows{tx}, nil
}

// rows reads and writes the rows of a table: a transaction, or the store of a
// temporary table. The methods are those of txn.Txn.
type rows interface {
	Get(ctx *sql.Context, tbl *catalog.Table, rowKey []byte, a Access) (image []byte, ok bool, err error)
	Scan(ctx *sql.Context, spec txn.ScanSpec) (cursor, error)
	Insert(ctx *sql.Context, tbl *catalog.Table, image []byte) error
	Update(ctx *sql.Context, tbl *catalog.Table, rowKey, before, after []byte) error
	Delete(ctx *sql.Context, tbl *catalog.Table, rowKey, before []byte) error
	NextAutoIncrement(tbl *catalog.Table, count, increment, offset uint64) (uint64, error)
	PeekAutoIncrement(tbl *catalog.Table) (uint64, error)
	SetAutoIncrement(tbl *catalog.Table, next uint64) error
}

// cursor is txn.Cursor.
type cursor interface {
	Next() bool
	Key() []byte
	RowKey() []byte
	Image() []byte
	Err() error
	Close() error
}

type txnRows struct{ *txn.Txn }

func (r txnRows) Get(ctx *sql.Context, tbl *catalog.Table, rowKey []byte, a Access) ([]byte, bool, error) {
	return r.Txn.Get(ctx, tbl, rowKey, a.Mode, a.Wait)
}

func (r txnRows) Scan(ctx *sql.Context, spec txn.ScanSpec) (cursor, error) {
	c, err := r.Txn.Scan(ctx, spec)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (r txnRows) Insert(ctx *sql.Context, tbl *catalog.Table, image []byte) error {
	return r.Txn.Insert(ctx, tbl, image)
}

func (r txnRows) Update(ctx *sql.Context, tbl *catalog.Table, rowKey, before, after []byte) error {
	return r.Txn.Update(ctx, tbl, rowKey, before, after)
}

func (r txnRows) Delete(ctx *sql.Context, tbl *catalog.Table, rowKey, before []byte) error {
	return r.Txn.Delete(ctx, tbl, rowKey, before)
}

// lockMode is the strength of a metadata lock.
func lockMode(exclusive bool) txn.LockMode {
	if exclusive {
		return txn.Exclusive
	}
	return txn.IntentShared
}

// ModifyTargetRowSize implements sql.TargetRowSizeAlterableTable.
func (t *Table) ModifyTargetRowSize(ctx *sql.Context, size uint64) error {
	return t.alter(ctx, func(def *catalog.TableDef) error {
		def.Options = withOption(def.Options, optRowSize, fmt.Sprint(size))
		return nil
	})
}

// HasTargetRowSize implements sql.TargetRowSizeTable.
func (t *Table) HasTargetRowSize() bool { return t.v.def().Options[optRowSize] != "" }

// GetTargetRowSize implements sql.TargetRowSizeTable.
func (t *Table) GetTargetRowSize() (size uint64) {
	if _, err := fmt.Sscan(t.v.def().Options[optRowSize], &size); err != nil {
		return 0
	}
	return size
}

// Names in catalog.TableDef.Options.
const optRowSize = "target_row_size"

// withOption returns a copy of options with one more.
func withOption(options map[string]string, name, value string) map[string]string {
	out := make(map[string]string, len(options)+1)
	for k, v := range options {
		out[k] = v
	}
	out[name] = value
	return out
}

// ordinalOf finds a column by name in a definition.
func ordinalOf(def *catalog.TableDef, name string) int {
	for i := range def.Columns {
		if strings.EqualFold(def.Columns[i].Name, name) {
			return i
		}
	}
	return -1
}

package tables

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer/analyzererrors"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/gms/relation"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Database is a database in a statement.
type Database struct {
	p   *Provider
	def *catalog.DatabaseDef
}

var (
	_ sql.Database               = (*Database)(nil)
	_ sql.TableCreator           = (*Database)(nil)
	_ sql.IndexedTableCreator    = (*Database)(nil)
	_ sql.TemporaryTableCreator  = (*Database)(nil)
	_ sql.TemporaryTableDatabase = (*Database)(nil)
	_ sql.TableDropper           = (*Database)(nil)
	_ sql.TableRenamer           = (*Database)(nil)
	_ sql.CollatedDatabase       = (*Database)(nil)
	_ sql.SchemaValidator        = (*Database)(nil)
	_ sql.IndexNameGenerator     = (*Database)(nil)
)

// Name implements sql.Nameable.
func (d *Database) Name() string { return d.def.Name }

// GetTableInsensitive implements sql.Database. A temporary table hides a
// table of the same name.
func (d *Database) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return nil, false, err
	}
	if tmp := s.Temporary().find(d.def.Name, name); tmp != nil {
		if err := refuseAlone(ctx, tmp.tbl.Def); err != nil {
			return nil, false, err
		}
		t, err := tmp.table(d.p)
		return t, err == nil, err
	}
	cat, err := catalogOf(ctx)
	if err != nil {
		return nil, false, err
	}
	tbl := cat.TableLike(d.def.Name, name) // the SQL engine asks with small letters, too
	if tbl == nil {
		t, err := numbersNamed(name)
		if t == nil || err != nil {
			return nil, false, err
		}
		return t, true, nil
	}
	if err := refuseAlone(ctx, tbl.Def); err != nil {
		return nil, false, err
	}
	v, err := d.p.versions.of(tbl)
	if err != nil {
		return nil, false, err
	}
	return &Table{alterable: alterable{p: d.p, v: v}}, true, nil
}

// GetTableNames implements sql.Database. The tables of full-text indexes are
// not listed: dumps and replicas would take them for the user's.
func (d *Database) GetTableNames(ctx *sql.Context) ([]string, error) {
	cat, err := catalogOf(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range cat.Tables(d.def.Name) {
		if !t.Local {
			names = append(names, t.Def.Name)
		}
	}
	return names, nil
}

// GetAllTemporaryTables implements sql.TemporaryTableDatabase.
func (d *Database) GetAllTemporaryTables(ctx *sql.Context) ([]sql.Table, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return nil, err
	}
	var out []sql.Table
	for _, tmp := range s.Temporary().in(d.def.Name) {
		t, err := tmp.table(d.p)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// GetCollation implements sql.CollatedDatabase.
func (d *Database) GetCollation(ctx *sql.Context) sql.CollationID {
	if cat, err := catalogOf(ctx); err == nil {
		if def := cat.Database(d.def.Name); def != nil {
			return relation.CollationOf(def.Collation)
		}
	}
	return relation.CollationOf(d.def.Collation)
}

// SetCollation implements sql.CollatedDatabase.
func (d *Database) SetCollation(ctx *sql.Context, coll sql.CollationID) error {
	def := *d.def
	if coll == sql.Collation_Unspecified {
		coll = sql.CollationID(collation.Default)
	}
	def.Collation = coll.Name()
	return change(ctx, catalog.Change{Databases: []catalog.DatabaseDef{def}})
}

// GenerateIndexName implements sql.IndexNameGenerator.
func (d *Database) GenerateIndexName(ctx *sql.Context, _ string, def sql.IndexDef, tbl sql.Table) (string, error) {
	return sql.GenerateMySqlIndexName(ctx, def, tbl)
}

// ValidateSchema implements sql.SchemaValidator: a row must fit MariaDB's
// limit of 65535 bytes, of which BLOB and TEXT take only a pointer.
func (d *Database) ValidateSchema(sch sql.Schema) error {
	var size int64
	for _, col := range sch {
		st, err := schema.StorageOf(col.Type, 6)
		if err != nil {
			return err
		}
		s, isString := col.Type.(sql.StringType)
		switch {
		case isString && !types.IsTextBlob(s):
			size += s.MaxByteLength()
		case st.Meta == 0 || isString:
			size += 8
		default:
			size += 16
		}
	}
	if size > types.MaxRowLength {
		return analyzererrors.ErrInvalidRowLength.New(types.MaxRowLength, size)
	}
	return nil
}

// CreateTable implements sql.TableCreator.
func (d *Database) CreateTable(ctx *sql.Context, name string, sch sql.PrimaryKeySchema, coll sql.CollationID, comment string) error {
	def, err := d.newTable(ctx, name, sch, nil, coll, comment)
	if err != nil {
		return err
	}
	return change(ctx, catalog.Change{Tables: []*catalog.TableDef{def}})
}

// CreateIndexedTable implements sql.IndexedTableCreator: the primary key is
// given with its prefix lengths.
func (d *Database) CreateIndexedTable(ctx *sql.Context, name string, sch sql.PrimaryKeySchema, pk sql.IndexDef, coll sql.CollationID, comment string) error {
	def, err := d.newTable(ctx, name, sch, pk.Columns, coll, comment)
	if err != nil {
		return err
	}
	return change(ctx, catalog.Change{Tables: []*catalog.TableDef{def}})
}

// CreateTemporaryTable implements sql.TemporaryTableCreator.
func (d *Database) CreateTemporaryTable(ctx *sql.Context, name string, sch sql.PrimaryKeySchema, coll sql.CollationID) error {
	s, err := sessionOf(ctx)
	if err != nil {
		return err
	}
	name = written(ctx, name)
	if other := s.Temporary().find(d.def.Name, name); other != nil {
		return existing(name, other.tbl.Def.Name)
	}
	def, err := d.tableDef(ctx, name, sch, nil, coll, "")
	if err != nil {
		return err
	}
	return s.Temporary().create(def)
}

// existing is the error about a new name, beside which there is one that is it but for the case of its letters.
func existing(name, there string) error {
	if name == there {
		return sql.ErrTableAlreadyExists.New(name)
	}
	return mysqlerr.NotYet("the name " + name + " beside " + there + ", from which it differs in the case of letters alone; take another name")
}

// written is a name as the statement has it: the SQL engine gives some in small letters.
func written(ctx *sql.Context, name string) string {
	s, err := sessionOf(ctx)
	if err != nil || s.Statement() == nil {
		return name
	}
	for _, own := range s.Statement().Names {
		if strings.EqualFold(own, name) {
			return own
		}
	}
	return name
}

// free reports that a table or view can have a name.
func free(cat *catalog.Snapshot, db, name string) error {
	if other := cat.TableLike(db, name); other != nil {
		return existing(name, other.Def.Name)
	}
	if other := cat.Object(kindView, db, name); other != nil && other.Name != name { // go-mysql-server looks for one of this name
		return existing(name, other.Name)
	}
	return nil
}

// newTable makes the definition of a new table, under an id of its own.
func (d *Database) newTable(ctx *sql.Context, name string, sch sql.PrimaryKeySchema, pk []sql.IndexColumn, coll sql.CollationID, comment string) (*catalog.TableDef, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return nil, err
	}
	name = written(ctx, name)
	if err := lockTable(ctx, d.def.Name, name, true); err != nil {
		return nil, err
	}
	tx, err := s.Txn(ctx)
	if err != nil {
		return nil, err
	}
	if err := free(tx.Catalog(), d.def.Name, name); err != nil {
		return nil, err
	}
	def, err := d.tableDef(ctx, name, sch, pk, coll, comment)
	if err != nil {
		return nil, err
	}
	def.ID = tx.NewTableID()
	return def, nil
}

// tableDef makes a definition, without id, of what the SQL engine asks for.
func (d *Database) tableDef(ctx *sql.Context, name string, sch sql.PrimaryKeySchema, pk []sql.IndexColumn, coll sql.CollationID, comment string) (*catalog.TableDef, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return nil, err
	}
	if coll == sql.Collation_Unspecified {
		coll = sql.CollationID(collation.Default)
	}
	opts := declared(s.Statement().AST)
	engine := engineOf(s, d.p.engines)
	def := &catalog.TableDef{
		DB: d.def.Name, Name: name, Comment: comment, Collation: coll.Name(),
		NextIndexID: 1, CreatedAt: time.Now().UnixMicro(), Engine: engine.Name,
	}
	for name, v := range opts.options {
		setOption(def, name, v)
	}
	def.Columns = make([]catalog.ColumnDef, len(sch.Schema))
	for i, col := range sch.Schema {
		if def.Columns[i], err = schema.ColumnToDef(ctx, col, opts.columns, nil); err != nil {
			return nil, err
		}
	}
	for _, at := range sch.PkOrdinals {
		part := catalog.IndexPart{Column: at}
		for _, c := range pk {
			if strings.EqualFold(c.Name, sch.Schema[at].Name) && c.Length > 0 {
				if part.Prefix, err = prefixLength(sch.Schema[at], c.Length); err != nil {
					return nil, err
				}
			}
		}
		def.Primary = append(def.Primary, paddedPart(def, part))
		def.Columns[at].Nullable = false
	}
	return def, engine.Refuse(def)
}

// setOption sets a table option, or takes it away if it has its default.
func setOption(def *catalog.TableDef, name, value string) {
	def.Options = maps.Clone(def.Options)
	if value == "" {
		delete(def.Options, name)
		return
	}
	if def.Options == nil {
		def.Options = map[string]string{}
	}
	def.Options[name] = value
}

// prefixLength checks the length of an indexed prefix. A prefix of the whole
// column is no prefix.
func prefixLength(col *sql.Column, length int64) (int, error) {
	st, ok := col.Type.(sql.StringType)
	if !ok {
		return 0, sql.ErrInvalidIndexPrefix.New(col.Name)
	}
	if !types.IsTextBlob(st) && length >= st.MaxCharacterLength() {
		return 0, nil
	}
	return int(length), nil
}

// DropTable implements sql.TableDropper.
func (d *Database) DropTable(ctx *sql.Context, name string) error {
	s, err := sessionOf(ctx)
	if err != nil {
		return err
	}
	if s.Temporary().drop(d.def.Name, name) {
		return nil
	}
	if err := lockTable(ctx, d.def.Name, name, true); err != nil {
		return err
	}
	cat, err := catalogOf(ctx)
	if err != nil {
		return err
	}
	tbl := cat.TableLike(d.def.Name, name)
	if tbl == nil {
		if t, err := numbersNamed(name); t != nil || err != nil {
			return err // as in MariaDB, which drops nothing
		}
		return sql.ErrTableNotFound.New(name)
	}
	c := catalog.Change{}
	for _, t := range append(sideTables(cat, tbl.Def), tbl) {
		d.p.forget(t.ID())
		c.DropTables = append(c.DropTables, t.ID())
	}
	return change(ctx, c)
}

// RenameTable implements sql.TableRenamer. Foreign keys follow the name.
func (d *Database) RenameTable(ctx *sql.Context, oldName, newName string) error {
	s, err := sessionOf(ctx)
	if err != nil {
		return err
	}
	if tmp := s.Temporary().find(d.def.Name, oldName); tmp != nil {
		return s.Temporary().rename(tmp, newName)
	}
	for _, name := range []string{oldName, newName} {
		if err := lockTable(ctx, d.def.Name, name, true); err != nil {
			return err
		}
	}
	cat, err := catalogOf(ctx)
	if err != nil {
		return err
	}
	tbl := cat.TableLike(d.def.Name, oldName)
	if tbl == nil {
		return sql.ErrTableNotFound.New(oldName)
	}
	if other := cat.TableLike(d.def.Name, newName); other != nil && other != tbl {
		return existing(newName, other.Def.Name)
	}
	def := *tbl.Def
	def.Name = newName
	c := catalog.Change{Tables: []*catalog.TableDef{&def}}
	if err := renameParent(cat, &c, tbl.Def, &def); err != nil {
		return err
	}
	return change(ctx, c)
}

// renameParent adds to c the tables whose foreign keys reference the renamed one.
func renameParent(cat *catalog.Snapshot, c *catalog.Change, old, new *catalog.TableDef) error {
	for _, t := range cat.AllTables() {
		def := *t.Def
		if def.ID == new.ID {
			def = *new
		}
		changed := false
		def.ForeignKeys = slices.Clone(def.ForeignKeys)
		for i := range def.ForeignKeys {
			fk := &def.ForeignKeys[i]
			if strings.EqualFold(fk.ParentDB, old.DB) && strings.EqualFold(fk.ParentTable, old.Name) {
				fk.ParentDB, fk.ParentTable = new.DB, new.Name
				changed = true
			}
		}
		switch {
		case !changed:
		case def.ID == new.ID:
			*new = def
		default:
			c.Tables = append(c.Tables, &def)
		}
	}
	return nil
}

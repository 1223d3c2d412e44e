package tables

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/catalog"
)

// Stored finds the table of this package inside what the SQL engine wraps around it.
func Stored(t sql.Table) (*Table, bool) {
	for {
		switch u := t.(type) {
		case *Table:
			return u, true
		case sql.TableWrapper:
			t = u.Underlying()
		default:
			return nil, false
		}
	}
}

// Rearrange copies the table with its columns in another order: columns names all of them.
// No value is converted. primary, if not nil, is the primary key instead of the one there was;
// without columns, the table has none. NULL in a column of the key is sql.ErrInsertIntoNonNullableProvidedNull.
func (t *alterable) Rearrange(ctx *sql.Context, columns []string, primary *[]sql.IndexColumn) error {
	cur, err := t.current(ctx)
	if err != nil {
		return err
	}
	old := cur.v.Schema
	from := make([]int, len(columns))
	sch := sql.PrimaryKeySchema{Schema: make(sql.Schema, len(columns))}
	for i, name := range columns {
		at := old.Schema.IndexOfColName(name)
		if at < 0 || slices.Contains(from[:i], at) || len(columns) != len(old.Schema) {
			return sql.ErrTableColumnNotFound.New(t.v.Def().Name, name)
		}
		from[i] = at
		col := *old.Schema[at]
		if primary != nil {
			col.PrimaryKey = false
		}
		sch.Schema[i] = &col
	}
	var pk []sql.IndexColumn
	if primary == nil {
		for _, o := range old.PkOrdinals {
			sch.PkOrdinals = append(sch.PkOrdinals, slices.Index(from, o))
		}
	} else {
		pk = *primary
		if sch.PkOrdinals, err = primaryOrdinals(sch.Schema, pk); err != nil {
			return err
		}
	}
	w, err := cur.rewriter(ctx, sch, nil, nil, pk)
	if err != nil {
		return err
	}
	for i := range pk {
		if pk[i].Length == 0 {
			w.def.Primary[i].Prefix = 0 // that of the key before
		}
	}
	if err := w.open(ctx); err != nil {
		return err
	}
	return cur.eachRow(ctx, func(r sql.Row) error {
		n := make(sql.Row, len(from))
		for i, at := range from {
			n[i] = r[at]
		}
		for _, o := range sch.PkOrdinals {
			if n[o] == nil {
				return sql.ErrInsertIntoNonNullableProvidedNull.New(sch.Schema[o].Name)
			}
		}
		return w.Insert(ctx, n)
	}, func() error { return w.Close(ctx) })
}

// primaryOrdinals makes the columns of a primary key NOT NULL.
func primaryOrdinals(sch sql.Schema, pk []sql.IndexColumn) ([]int, error) {
	var out []int
	for _, c := range pk {
		at := sch.IndexOfColName(c.Name)
		switch {
		case at < 0:
			return nil, sql.ErrKeyColumnDoesNotExist.New(c.Name)
		case slices.Contains(out, at):
			return nil, sql.ErrDuplicateColumn.New(c.Name)
		case c.Length == 0 && types.IsTextBlob(sch[at].Type):
			return nil, sql.ErrInvalidBlobTextKey.New(c.Name)
		}
		sch[at].PrimaryKey, sch[at].Nullable = true, false
		out = append(out, at)
	}
	return out, nil
}

// RenameColumn gives a column another name: in the definition, in its foreign keys and in those that
// reference it. Expressions keep the old name; see SetExpressions.
func (t *alterable) RenameColumn(ctx *sql.Context, from, to string) error {
	cur, err := t.current(ctx)
	if err != nil {
		return err
	}
	def := cur.v.Def()
	if err := t.alter(ctx, func(def *catalog.TableDef) error {
		at := ordinalOf(def, from)
		if at < 0 {
			return sql.ErrTableColumnNotFound.New(def.Name, from)
		}
		def.Columns = slices.Clone(def.Columns)
		def.Columns[at].Name = to
		def.Checks = slices.Clone(def.Checks)
		for i := range def.Checks {
			if strings.EqualFold(def.Checks[i].Column, from) {
				def.Checks[i].Column = to
			}
		}
		def.ForeignKeys = renamedKeys(def, def.ForeignKeys, from, to)
		for i := range def.ForeignKeys {
			def.ForeignKeys[i].Columns = renamed(def.ForeignKeys[i].Columns, from, to)
		}
		return nil
	}); err != nil || t.temp != nil {
		return err
	}
	cat, err := catalogOf(ctx)
	if err != nil {
		return err
	}
	for _, child := range cat.AllTables() {
		keys := renamedKeys(def, child.Def.ForeignKeys, from, to)
		if child.Def.ID == def.ID || slices.EqualFunc(keys, child.Def.ForeignKeys, func(a, b catalog.ForeignKeyDef) bool { return slices.Equal(a.ParentColumns, b.ParentColumns) }) {
			continue
		}
		if err := lockTable(ctx, child.Def.DB, child.Def.Name, true); err != nil {
			return err
		}
		n := *child.Def
		n.ForeignKeys = keys
		if err := change(ctx, catalog.Change{Tables: []*catalog.TableDef{&n}}); err != nil {
			return err
		}
	}
	return nil
}

// renamedKeys copies foreign keys; those that reference the table parent do so by the new name.
func renamedKeys(parent *catalog.TableDef, keys []catalog.ForeignKeyDef, from, to string) []catalog.ForeignKeyDef {
	out := slices.Clone(keys)
	for i := range out {
		if strings.EqualFold(out[i].ParentTable, parent.Name) && strings.EqualFold(out[i].ParentDB, parent.DB) {
			out[i].ParentColumns = renamed(out[i].ParentColumns, from, to)
		}
	}
	return out
}

func renamed(names []string, from, to string) []string {
	out := slices.Clone(names)
	for i := range out {
		if strings.EqualFold(out[i], from) {
			out[i] = to
		}
	}
	return out
}

// SetExpressions stores columns and checks that differ from the stored ones in the text of expressions only.
func (t *alterable) SetExpressions(ctx *sql.Context, columns []catalog.ColumnDef, checks []catalog.CheckDef) error {
	return t.alter(ctx, func(def *catalog.TableDef) error {
		def.Columns, def.Checks = columns, checks
		return nil
	})
}

// Redefine edits the definition of a table without rows. edit must replace slices that it changes.
func (t *alterable) Redefine(ctx *sql.Context, edit func(def *catalog.TableDef)) error {
	return t.alter(ctx, func(def *catalog.TableDef) error {
		edit(def)
		return nil
	})
}

// Convert changes the character set of the table and of all its text columns
// (ALTER TABLE ... CONVERT TO CHARACTER SET).
func (t *alterable) Convert(ctx *sql.Context, coll sql.CollationID) error {
	return t.ModifyStoredCollation(ctx, coll)
}

// Keep returns a function that takes a temporary table back to what it is now,
// definition and rows: a statement that fails half-way leaves it as it was.
func (t *TempTables) Keep(db, name string) (restore func()) {
	tmp := t.find(db, name)
	if tmp == nil {
		return func() {}
	}
	tbl, kept := tmp.tbl, tmp.rows.copy()
	return func() {
		for n, other := range t.byName {
			if other == tmp {
				delete(t.byName, n)
			}
		}
		t.byName[parentOf(db, strings.ToLower(name))] = tmp
		tmp.tbl, tmp.v, tmp.rows, tmp.copying = tbl, nil, kept, nil
	}
}

// KeyParts are the columns of a key as the catalog has them, by name.
func KeyParts(def *catalog.TableDef, parts []catalog.IndexPart) []sql.IndexColumn {
	out := make([]sql.IndexColumn, len(parts))
	for i, p := range parts {
		out[i] = sql.IndexColumn{Name: def.Columns[p.Column].Name, Length: int64(p.Prefix)}
	}
	return out
}

package tables

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// ShouldRewriteTable implements sql.RewritableTable: every change that alters
// the images of rows, or their keys, copies the table.
func (t *alterable) ShouldRewriteTable(ctx *sql.Context, _, newSchema sql.PrimaryKeySchema, oldColumn, newColumn *sql.Column) bool {
	if oldColumn != nil && newColumn != nil && len(newSchema.Schema) == len(t.v.Schema.Schema) {
		return false // ModifyColumn converts the values itself
	}
	cur, err := t.current(ctx)
	if err != nil {
		return true
	}
	def, inPlace, err := redefine(ctx, cur.v.Def(), newSchema, oldColumn, newColumn)
	if err != nil {
		return true // the rewrite reports it
	}
	return !inPlace || !sameStorage(cur.v.Def(), def)
}

// sameStorage reports whether rows of two definitions have the same images and keys.
func sameStorage(a, b *catalog.TableDef) bool {
	if len(a.Columns) != len(b.Columns) || !slices.Equal(a.Primary, b.Primary) {
		return false
	}
	for i := range min(len(a.Indexes), len(b.Indexes)) {
		if a.Indexes[i].Hash != b.Indexes[i].Hash {
			return false
		}
	}
	for i := range a.Columns {
		x, y := &a.Columns[i], &b.Columns[i]
		if x.Type != y.Type || x.Unsigned != y.Unsigned || x.Collation != y.Collation ||
			x.Generated != y.Generated || x.Virtual != y.Virtual || !sameMeta(x, y) || !sameType(x, y) {
			return false
		}
		if len(x.EnumValues) > len(y.EnumValues) || !slices.Equal(x.EnumValues, y.EnumValues[:len(x.EnumValues)]) {
			return false
		}
	}
	return true
}

// sameType reports whether every value of x is one of y. Types that are stored
// alike may still differ in what they accept: JSON and LONGTEXT, geometries
// with and without SRID.
func sameType(x, y *catalog.ColumnDef) bool {
	if x.SQLType == y.SQLType {
		return true
	}
	if isAddress(*x) || isAddress(*y) {
		return false
	}
	switch x.Type {
	case mysql.MYSQL_TYPE_BLOB, mysql.MYSQL_TYPE_GEOMETRY:
		return false
	}
	return true
}

// sameMeta reports whether values of x are stored alike in y: a VARCHAR may
// grow while the size of its length prefix stays the same.
func sameMeta(x, y *catalog.ColumnDef) bool {
	if x.Meta == y.Meta {
		return true
	}
	return x.Type == mysql.MYSQL_TYPE_VARCHAR && x.Meta < y.Meta && (x.Meta > 255) == (y.Meta > 255)
}

// redefine makes the definition that a table has after its columns have become
// those of sch. oldColumn and newColumn are the column that is changed, as it
// was and will be; either may be nil. Columns are followed by name; inPlace
// says that every one has kept its place.
func redefine(ctx *sql.Context, old *catalog.TableDef, sch sql.PrimaryKeySchema, oldColumn, newColumn *sql.Column) (_ *catalog.TableDef, inPlace bool, err error) {
	def := *old
	inPlace = len(sch.Schema) == len(old.Columns)
	opts := declarations{}
	if s, err := sessionOf(ctx); err == nil {
		opts = declared(s.Statement().AST)
	}
	// was tells which old column a new one comes from.
	was := func(name string) int {
		if oldColumn != nil && newColumn != nil && strings.EqualFold(name, newColumn.Name) {
			return ordinalOf(old, oldColumn.Name)
		}
		return ordinalOf(old, name)
	}
	def.Columns = make([]catalog.ColumnDef, len(sch.Schema))
	now := make(map[int]int, len(old.Columns)) // old ordinal -> new ordinal
	for i, col := range sch.Schema {
		var from *catalog.ColumnDef
		at := was(col.Name)
		if at >= 0 {
			from, now[at] = &old.Columns[at], i
		}
		inPlace = inPlace && at == i
		declared := opts.columns
		if newColumn == nil || !strings.EqualFold(col.Name, newColumn.Name) {
			declared = nil // what the statement declares is the changed column
		}
		if def.Columns[i], err = schema.ColumnToDef(ctx, col, declared, from); err != nil {
			return nil, false, err
		}
		for _, d := range opts.defaults {
			if c := &def.Columns[i]; d.Column.EqualString(c.Name) {
				c.DefaultText = literalText(c.SQLType, d.Value)
			}
		}
	}
	redefined := false
	if opts.columns != nil && newColumn != nil {
		_, redefined = opts.columns(newColumn.Name)
	}
	def.Checks = followColumns(old, oldColumn, newColumn, redefined)
	if oldColumn != nil && newColumn != nil {
		for i := range def.Columns {
			c := &def.Columns[i]
			c.Generated = renamedIn(c.Generated, oldColumn.Name, newColumn.Name)
			if !c.DefaultLiteral {
				c.Default = renamedIn(c.Default, oldColumn.Name, newColumn.Name)
			}
		}
	}
	def.Primary = nil
	for _, at := range sch.PkOrdinals {
		part := paddedPart(&def, catalog.IndexPart{Column: at})
		for _, p := range old.Primary {
			if n, ok := now[p.Column]; ok && n == at {
				part = keptPart(&old.Columns[p.Column], p, &def, catalog.IndexPart{Column: at, Prefix: p.Prefix})
			}
		}
		def.Primary = append(def.Primary, part)
		def.Columns[at].Nullable = false
	}
	def.Indexes = make([]catalog.IndexDef, 0, len(old.Indexes))
	for _, before := range old.Indexes {
		idx := before
		var parts []catalog.IndexPart
		for _, p := range idx.Parts {
			if n, ok := now[p.Column]; ok {
				parts = append(parts, keptPart(&old.Columns[p.Column], p, &def, catalog.IndexPart{Column: n, Prefix: p.Prefix}))
			}
		}
		if len(parts) == 0 {
			continue // the index goes with its last column
		}
		if idx.Parts = parts; !sameColumns(old, &before, &def, &idx) {
			idx.Hash = hashed(&def, &idx)
		}
		def.Indexes = append(def.Indexes, idx)
	}
	return &def, inPlace, nil
}

// AddColumn implements sql.AlterableTable. The SQL engine calls it only for
// changes that ShouldRewriteTable does not want a copy for, which adding never is.
func (t *alterable) AddColumn(ctx *sql.Context, column *sql.Column, order *sql.ColumnOrder) error {
	cur, err := t.current(ctx)
	if err != nil {
		return err
	}
	sch := insertColumn(cur.v.Schema, column, order)
	return t.rewriteRows(ctx, sch, nil, column, func(r sql.Row) (sql.Row, error) {
		out := make(sql.Row, 0, len(r)+1)
		at := sch.Schema.IndexOfColName(column.Name)
		out = append(append(append(out, r[:at]...), nil), r[at:]...)
		return out, nil
	})
}

// DropColumn implements sql.AlterableTable.
func (t *alterable) DropColumn(ctx *sql.Context, name string) error {
	cur, err := t.current(ctx)
	if err != nil {
		return err
	}
	at := cur.v.Table.ColumnByName(name)
	if at < 0 {
		return sql.ErrTableColumnNotFound.New(t.v.Def().Name, name)
	}
	old := cur.v.Schema.Schema[at]
	return t.rewriteRows(ctx, removeColumn(cur.v.Schema, at), old, nil, func(r sql.Row) (sql.Row, error) {
		return slices.Delete(slices.Clone(r), at, at+1), nil
	})
}

// ModifyColumn implements sql.AlterableTable, for changes that keep the rows
// as they are: names, comments, defaults.
func (t *alterable) ModifyColumn(ctx *sql.Context, name string, column *sql.Column, order *sql.ColumnOrder) error {
	cur, err := t.current(ctx)
	if err != nil {
		return err
	}
	at := cur.v.Table.ColumnByName(name)
	if at < 0 {
		return sql.ErrTableColumnNotFound.New(t.v.Def().Name, name)
	}
	old := cur.v.Schema.Schema[at]
	changed := *column
	if err := t.checkForeignLength(ctx, old, &changed); err != nil {
		return err
	}
	changed.PrimaryKey = old.PrimaryKey
	if changed.PrimaryKey {
		changed.Nullable = false
	}
	sch := cur.v.Schema
	if order == nil {
		sch.Schema = slices.Clone(sch.Schema)
		sch.Schema[at] = &changed
	} else {
		sch = insertColumn(removeColumn(sch, at), &changed, order)
	}
	def, inPlace, err := redefine(ctx, cur.v.Def(), sch, old, &changed)
	if err != nil {
		return err
	}
	if !inPlace || !sameStorage(cur.v.Def(), def) {
		to := sch.Schema.IndexOfColName(changed.Name)
		rows := uint64(0)
		convert, err := addressConverter(old, &changed, &cur.v.Def().Columns[at], &def.Columns[to], def, &rows)
		if err != nil {
			return err
		}
		if convert == nil {
			if known, err := cur.convertRows(ctx, sch, def, at, to, old, &changed); known || err != nil {
				return err
			}
			convert = converter(old, &changed, &cur.v.Def().Columns[at])
		}
		generate, err := generator(ctx, def)
		if err != nil {
			return err
		}
		return t.rewriteRows(ctx, sch, old, &changed, func(r sql.Row) (sql.Row, error) {
			v := r[at]
			rows++
			if v != nil && changed.Generated == nil {
				var err error
				if v, err = convert(ctx, v); err != nil {
					return nil, err
				}
			}
			n := slices.Insert(slices.Delete(slices.Clone(r), at, at+1), to, v)
			return n, generate(ctx, n)
		})
	}
	return t.alter(ctx, func(d *catalog.TableDef) error {
		*d = *def
		return nil
	})
}

// rewriteRows copies the table with a function that makes the new rows.
func (t *alterable) rewriteRows(ctx *sql.Context, sch sql.PrimaryKeySchema, oldColumn, newColumn *sql.Column, convert func(sql.Row) (sql.Row, error)) error {
	cur, err := t.current(ctx)
	if err != nil {
		return err
	}
	w, err := cur.RewriteInserter(ctx, cur.v.Schema, sch, oldColumn, newColumn, nil)
	if err != nil {
		return err
	}
	return cur.eachRow(ctx, func(r sql.Row) error {
		n, err := convert(r)
		if err != nil {
			return err
		}
		return w.Insert(ctx, n)
	}, func() error { return w.Close(ctx) })
}

func insertColumn(sch sql.PrimaryKeySchema, col *sql.Column, order *sql.ColumnOrder) sql.PrimaryKeySchema {
	at := len(sch.Schema)
	switch {
	case order == nil:
	case order.First:
		at = 0
	default:
		if n := sch.Schema.IndexOfColName(order.AfterColumn); n >= 0 {
			at = n + 1
		}
	}
	ordinals := slices.Clone(sch.PkOrdinals)
	for i := range ordinals {
		if ordinals[i] >= at {
			ordinals[i]++
		}
	}
	cols := slices.Insert(slices.Clone(sch.Schema), at, col)
	if col.PrimaryKey && !slices.Contains(ordinals, at) {
		ordinals = append(ordinals, at)
	}
	return sql.NewPrimaryKeySchema(cols, ordinals...)
}

func removeColumn(sch sql.PrimaryKeySchema, at int) sql.PrimaryKeySchema {
	var ordinals []int
	for _, o := range sch.PkOrdinals {
		switch {
		case o > at:
			ordinals = append(ordinals, o-1)
		case o < at:
			ordinals = append(ordinals, o)
		}
	}
	return sql.PrimaryKeySchema{Schema: slices.Delete(slices.Clone(sch.Schema), at, at+1), PkOrdinals: ordinals}
}

// CreatePrimaryKey implements sql.PrimaryKeyAlterableTable.
func (t *alterable) CreatePrimaryKey(ctx *sql.Context, columns []sql.IndexColumn) error {
	cur, err := t.current(ctx)
	if err != nil {
		return err
	}
	if !cur.v.Table.Keyless() {
		return sql.ErrMultiplePrimaryKeysDefined.New()
	}
	sch := sql.PrimaryKeySchema{Schema: cur.v.Schema.Schema.Copy()}
	for _, c := range columns {
		at := sch.Schema.IndexOfColName(c.Name)
		if at < 0 {
			return sql.ErrKeyColumnDoesNotExist.New(c.Name)
		}
		sch.Schema[at].PrimaryKey, sch.Schema[at].Nullable = true, false
		sch.PkOrdinals = append(sch.PkOrdinals, at)
	}
	w, err := cur.RewriteInserter(ctx, cur.v.Schema, sch, nil, nil, columns)
	if err != nil {
		return err
	}
	return cur.eachRow(ctx, func(r sql.Row) error { return w.Insert(ctx, r) }, func() error { return w.Close(ctx) })
}

// DropPrimaryKey implements sql.PrimaryKeyAlterableTable.
func (t *alterable) DropPrimaryKey(ctx *sql.Context) error {
	cur, err := t.current(ctx)
	if err != nil {
		return err
	}
	if cur.v.Table.Keyless() {
		return sql.ErrCantDropFieldOrKey.New(primaryName)
	}
	if err := sql.ValidatePrimaryKeyDrop(ctx, cur.whole(), cur.v.Schema); err != nil {
		return err
	}
	sch := sql.PrimaryKeySchema{Schema: cur.v.Schema.Schema.Copy()}
	for _, c := range sch.Schema {
		c.PrimaryKey = false
	}
	w, err := cur.RewriteInserter(ctx, cur.v.Schema, sch, nil, nil, nil)
	if err != nil {
		return err
	}
	return cur.eachRow(ctx, func(r sql.Row) error { return w.Insert(ctx, r) }, func() error { return w.Close(ctx) })
}

// ModifyComment implements sql.CommentAlterableTable.
func (t *alterable) ModifyComment(ctx *sql.Context, comment string) error {
	return t.alter(ctx, func(def *catalog.TableDef) error {
		def.Comment = comment
		return nil
	})
}

// ModifyDefaultCollation implements sql.CollationAlterableTable: for columns
// to come.
func (t *alterable) ModifyDefaultCollation(ctx *sql.Context, coll sql.CollationID) error {
	return t.alter(ctx, func(def *catalog.TableDef) error {
		def.Collation = coll.Name()
		return nil
	})
}

// converted is a type in another collation. A TEXT becomes a larger one if it holds as many characters only so.
func converted(t sql.TypeWithCollation, coll sql.CollationID) (sql.Type, error) {
	var members []string
	switch e := t.(type) {
	case sql.EnumType:
		members = e.Values()
	case sql.SetType:
		members = e.Values()
	}
	was, set := t.Collation().CharacterSet(), coll.CharacterSet()
	plain := !strings.ContainsFunc(strings.Join(members, ""), func(r rune) bool { return r >= 0x80 })
	if members != nil && was != set && !(plain && collation.OneByteASCII(t.Collation()) && collation.OneByteASCII(coll)) {
		// MariaDB compares the members before and after without converting them, and fails with 1265: a replica would stop.
		return nil, mysqlerr.NotYet("CONVERT TO another character set of ENUM and SET with members that are other bytes in it")
	}
	s, ok := t.(sql.StringType)
	if !ok || s.Type() != sqltypes.Text || coll == sql.Collation_binary {
		return t.WithNewCollation(coll)
	}
	size := s.MaxByteLength() / max(t.Collation().CharacterSet().MaxLength(), 1) * coll.CharacterSet().MaxLength()
	for _, most := range []int64{types.TinyTextBlobMax, types.TextBlobMax, types.MediumTextBlobMax, types.LongTextBlobMax} {
		if size <= most || most == types.LongTextBlobMax {
			return types.CreateString(sqltypes.Text, max(most, s.MaxByteLength()), coll)
		}
	}
	return s, nil
}

// ModifyStoredCollation implements sql.CollationAlterableTable: converts all
// text columns as well (ALTER TABLE ... CONVERT TO CHARACTER SET).
func (t *alterable) ModifyStoredCollation(ctx *sql.Context, coll sql.CollationID) error {
	cur, err := t.current(ctx)
	if err != nil {
		return err
	}
	sch := sql.PrimaryKeySchema{Schema: cur.v.Schema.Schema.Copy(), PkOrdinals: cur.v.Schema.PkOrdinals}
	for _, c := range sch.Schema {
		ct, ok := c.Type.(sql.TypeWithCollation)
		if !ok || ct.Collation() == sql.Collation_binary {
			continue
		}
		if c.Type, err = converted(ct, coll); err != nil {
			return err
		}
	}
	w, err := cur.rewriter(ctx, sch, nil, nil, nil)
	if err != nil {
		return err
	}
	w.def.Collation = coll.Name()
	if err := w.open(ctx); err != nil {
		return err
	}
	return cur.eachRow(ctx, func(r sql.Row) error { return w.Insert(ctx, r) }, func() error { return w.Close(ctx) })
}

package tables

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/relation"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/partition"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn"
)

// editor changes the rows of a table. A call that fails has changed nothing.
// Statements begin, end and are undone in the session, so the methods for that
// have nothing to do here.
type editor struct {
	*Table
	src  rows
	stmt *Statement
	// vals and image buffers are reused: only images that txn keeps are new.
	vals   []any
	before []byte
	// changed remembers the rows that this statement has changed, if it may meet
	// one twice (a join, or foreign keys that lead back to the table).
	changed *changedRows
	zone    *relation.Zone
	err     error
	places  *partition.Finder // see place
}

var (
	_ sql.TableEditor         = (*editor)(nil)
	_ sql.ForeignKeyEditor    = (*editor)(nil)
	_ sql.AutoIncrementSetter = (*editor)(nil)
)

// newEditor makes the editor of a table. It cannot fail here: the interfaces
// that ask for it have no error, so the first change reports it.
func newEditor(ctx *sql.Context, t *Table) *editor {
	full := *t
	full.columns, full.edited = projection{}, true
	e := &editor{Table: &full, zone: t.v.ZoneOf(ctx)}
	s, err := sessionOf(ctx)
	if err != nil {
		e.err = err
		return e
	}
	e.stmt = s.Statement()
	e.changed = e.stmt.changes(t.v.Table, e.stmt.rescans() || e.meetsTwice(ctx))
	return e
}

// begin is called before every change. The table is locked with the first: a foreign key may need the editor to look at rows only.
func (e *editor) begin(ctx *sql.Context) error {
	if e.err != nil || e.src != nil {
		return e.err
	}
	var s Session
	if s, e.err = sessionOf(ctx); e.err == nil {
		e.src, e.err = e.use(ctx, s, txn.IntentExclusive)
	}
	return e.err
}

// meetsTwice reports whether the statement may come to one row twice.
func (e *editor) meetsTwice(ctx *sql.Context) bool {
	switch e.stmt.AST.(type) {
	case *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete:
	default:
		return true
	}
	if len(e.v.Def().ForeignKeys) > 0 {
		return true
	}
	refs, err := e.GetReferencedForeignKeys(ctx)
	return err != nil || len(refs) > 0
}

// StatementBegin implements sql.EditOpenerCloser.
func (e *editor) StatementBegin(*sql.Context) {}

// DiscardChanges implements sql.EditOpenerCloser.
func (e *editor) DiscardChanges(*sql.Context, error) error { return nil }

// StatementComplete implements sql.EditOpenerCloser.
func (e *editor) StatementComplete(*sql.Context) error { return nil }

// Close implements sql.Closer.
func (e *editor) Close(*sql.Context) error { return nil }

// encode makes the image of a row in dst.
func (e *editor) encode(ctx *sql.Context, dst []byte, r sql.Row) ([]byte, error) {
	if err := e.begin(ctx); err != nil {
		return nil, err
	}
	return e.imageOf(ctx, dst, r)
}

// imageOf is encode without what a change begins with.
func (e *editor) imageOf(ctx *sql.Context, dst []byte, r sql.Row) ([]byte, error) {
	var err error
	if e.vals, err = e.v.Codec.ToStore(ctx, e.vals, r); err != nil {
		return nil, err
	}
	for i, v := range e.vals {
		if e.zone != nil && e.v.Stamps[i] {
			if e.zone.Skipped(v) {
				return nil, mysqlerr.NotYet("a time of a TIMESTAMP that clocks have skipped, in a statement like this")
			}
			e.vals[i] = e.zone.Store(v)
		}
		if v == nil && !e.v.Table.Columns[i].Nullable && !e.v.Virtual[i] {
			return nil, sql.ErrInsertIntoNonNullableProvidedNull.New(e.v.Table.Columns[i].Name)
		}
	}
	image, err := row.Encode(dst, e.v.Table.Columns, e.vals)
	if err != nil {
		return nil, encodeError(e.v, r, err)
	}
	return image, nil
}

// encodeError says what is wrong with a row in the SQL engine's words.
func encodeError(v *version, r sql.Row, err error) error {
	switch {
	case errors.Is(err, row.ErrRange), errors.Is(err, row.ErrTooLong):
		for i, col := range v.Schema.Schema {
			s, cerr := v.Codec.Value(context.Background(), i, r[i])
			if cerr != nil || s == nil {
				continue
			}
			if _, verr := row.AppendValue(nil, &v.Table.Columns[i], s); verr != nil {
				if errors.Is(verr, row.ErrTooLong) {
					return fmt.Errorf("column %s: %w", col.Name, err)
				}
				return sql.ErrValueOutOfRange.New(r[i], col.Type)
			}
		}
	}
	return err
}

// Insert implements sql.RowInserter.
func (e *editor) Insert(ctx *sql.Context, r sql.Row) error {
	image, err := e.encode(ctx, make([]byte, 0, 8*len(r)+32), r)
	if err != nil {
		return err
	}
	if err := e.place(image); err != nil {
		return err
	}
	if err := e.src.Insert(ctx, e.v.Table, image); err != nil {
		if err := e.lockInWay(ctx, err); err != nil {
			return err
		}
		return e.duplicate(err, r)
	}
	e.p.counts.add(e.v.Table.ID(), 1)
	return e.noteNew(image)
}

// Delete implements sql.RowDeleter.
func (e *editor) Delete(ctx *sql.Context, r sql.Row) error {
	var err error
	if e.before, err = e.encode(ctx, e.before[:0], r); err != nil {
		return err
	}
	key, err := e.rowKey(ctx, e.before)
	if err == nil && e.byKey {
		key, err = e.fetch(ctx, key)
	}
	if err != nil || key == nil {
		return err
	}
	err = e.src.Delete(ctx, e.v.Table, key, e.before)
	if errors.Is(err, txn.ErrRowChanged) {
		image, gone, rerr := e.reread(ctx, key, err)
		if gone || rerr != nil {
			return rerr
		}
		err = e.src.Delete(ctx, e.v.Table, key, image)
	}
	if err != nil {
		return err
	}
	e.stmt.Deleted++
	e.p.counts.add(e.v.Table.ID(), -1)
	return e.note(key, e.before)
}

// Update implements sql.RowUpdater.
func (e *editor) Update(ctx *sql.Context, old, new sql.Row) error {
	var err error
	if e.before, err = e.encode(ctx, e.before[:0], old); err != nil {
		return err
	}
	after, err := e.encode(ctx, make([]byte, 0, len(e.before)+16), new)
	if err != nil {
		return err
	}
	if bytes.Equal(e.before, after) {
		return nil
	}
	if err := e.place(after); err != nil {
		return err
	}
	key, err := e.rowKey(ctx, e.before)
	if err == nil && e.byKey {
		key, err = e.fetch(ctx, key)
	}
	if err != nil || key == nil {
		return err
	}
	err = e.src.Update(ctx, e.v.Table, key, e.before, after)
	if errors.Is(err, txn.ErrRowChanged) {
		image, gone, rerr := e.reread(ctx, key, err)
		if gone || rerr != nil {
			return rerr
		}
		err = e.src.Update(ctx, e.v.Table, key, image, after)
	}
	if err != nil {
		return e.duplicate(err, new)
	}
	if e.v.Table.Keyless() {
		if id, err := e.v.Table.RowID(key); err == nil {
			e.stmt.seen(e.v.Table.ID(), after, id)
		}
		return e.note(key, e.before)
	}
	if err := e.note(key, e.before); err != nil {
		return err
	}
	return e.noteNew(after)
}

// tracks reports whether changed rows are remembered. What kind of scan the
// statement makes is known once it has begun.
func (e *editor) tracks() bool {
	if e.changed == nil && e.stmt.manySpans {
		e.changed = e.stmt.changes(e.v.Table, true)
	}
	return e.changed != nil
}

// note remembers what a changed row was.
func (e *editor) note(key, before []byte) error {
	if !e.tracks() {
		return nil
	}
	return e.changed.note(key, before)
}

// noteNew remembers that the row of an image was not there, unless it is known
// by its key already. The row id that a new row without primary key has got is
// not known here.
func (e *editor) noteNew(image []byte) error {
	if !e.tracks() || e.v.Table.Keyless() {
		return nil
	}
	key, err := e.v.Table.PrimaryKey(nil, image)
	if err != nil {
		return err
	}
	return e.changed.note(key, nil)
}

// rowKey is the key of the row with this image; nil, without error, if there
// is none.
func (e *editor) rowKey(ctx *sql.Context, image []byte) ([]byte, error) {
	tbl := e.v.Table
	if !tbl.Keyless() {
		return tbl.PrimaryKey(nil, image)
	}
	if id, ok := e.stmt.take(tbl.ID(), image); ok {
		return tbl.RowIDKey(nil, id), nil
	}
	return e.find(ctx, image)
}

// fetch takes the image of the row with this key as what was read; the key it
// returns is nil if there is no such row.
func (e *editor) fetch(ctx *sql.Context, key []byte) ([]byte, error) {
	if key == nil || e.v.Table.Keyless() {
		return key, nil
	}
	image, ok, err := e.src.Get(ctx, e.v.Table, key, Access{Mode: txn.LockExclusive})
	if err != nil || !ok {
		return nil, err
	}
	e.before = append(e.before[:0], image...)
	return key, nil
}

// find looks for a row without primary key by its image.
func (e *editor) find(ctx *sql.Context, image []byte) ([]byte, error) {
	c, err := e.src.Scan(ctx, txn.ScanSpec{Table: e.v.Table, Index: -1, Mode: txn.Latest})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for c.Next() {
		if same, err := e.sameRow(ctx, c.Image(), image); err != nil {
			return nil, err
		} else if same {
			return bytes.Clone(c.RowKey()), nil
		}
	}
	return nil, c.Err()
}

// reread finds out why a row is not the one that was read. cause is txn's
// ErrRowChanged, which is returned if another transaction was it. The row may
// be the same after all, in another spelling of its image, which is then
// returned. gone means that this statement itself has changed or deleted the
// row before, which then counts as done.
func (e *editor) reread(ctx *sql.Context, key []byte, cause error) (image []byte, gone bool, err error) {
	if e.changed != nil {
		if _, own := e.changed.before[string(key)]; own {
			return nil, true, nil
		}
	}
	image, ok, err := e.src.Get(ctx, e.v.Table, key, Access{Mode: txn.LockExclusive})
	if err != nil {
		return nil, false, err
	}
	if !ok {
		return nil, false, cause
	}
	same, err := e.sameRow(ctx, image, e.before)
	if err != nil {
		return nil, false, err
	}
	if !same {
		return nil, false, cause
	}
	return image, false, nil
}

// sameRow compares a stored image with one that was made here, leaving out
// virtual columns, which are no part of the row.
func (e *editor) sameRow(ctx *sql.Context, stored, own []byte) (bool, error) {
	if bytes.Equal(stored, own) {
		return true, nil
	}
	r, err := e.v.Decode(stored, e.v.All, e.zone)
	if err != nil {
		return false, err
	}
	o, err := e.v.Decode(own, e.v.All, e.zone)
	if err != nil {
		return false, err
	}
	for i, virtual := range e.v.Virtual {
		if virtual {
			r[i], o[i] = nil, nil
		}
	}
	vals, err := e.v.Codec.ToStore(ctx, nil, r)
	if err != nil {
		return false, err
	}
	a, err := row.Encode(nil, e.v.Table.Columns, vals)
	if err != nil {
		return false, err
	}
	if vals, err = e.v.Codec.ToStore(ctx, vals, o); err != nil {
		return false, err
	}
	b, err := row.Encode(nil, e.v.Table.Columns, vals)
	return err == nil && bytes.Equal(a, b), err
}

// lockInWay locks the row that is in the way of a new one, if foreign keys refer to the table: REPLACE looks for the rows that refer to it before it
// deletes it, and nobody may add one in between.
func (e *editor) lockInWay(ctx *sql.Context, err error) error {
	var dup *txn.DuplicateKeyError
	if !errors.As(err, &dup) || dup.RowKey == nil {
		return nil
	}
	refs, err := e.GetReferencedForeignKeys(ctx)
	if err != nil || len(refs) == 0 {
		return err
	}
	image, ok, err := e.src.Get(ctx, e.v.Table, dup.RowKey, Access{Mode: txn.LockExclusive})
	if err == nil && (!ok || !bytes.Equal(image, dup.Existing)) {
		return fmt.Errorf("row of %s.%s: %w", e.v.Def().DB, e.v.Def().Name, txn.ErrRowChanged)
	}
	return err
}

// duplicate turns txn's error about a duplicate key into the SQL engine's,
// which carries the row that is in the way.
func (e *editor) duplicate(err error, r sql.Row) error {
	var dup *txn.DuplicateKeyError
	if !errors.As(err, &dup) {
		return err
	}
	existing, derr := e.v.Decode(dup.Existing, e.v.All, e.zone)
	if derr != nil {
		return derr
	}
	if e.v.Table.Keyless() && dup.RowKey != nil {
		if id, err := e.v.Table.RowID(dup.RowKey); err == nil {
			e.stmt.seen(e.v.Table.ID(), dup.Existing, id)
		}
	}
	return duplicateError(e.stmt, e.v, dup.Index, r, existing)
}

// duplicateError makes the error for row r, whose values in an index exist.
func duplicateError(stmt *Statement, v *version, indexAt int, r, existing sql.Row) error {
	name, parts := primaryName, v.Def().Primary
	if indexAt >= 0 {
		name, parts = v.Def().Indexes[indexAt].Name, v.Def().Indexes[indexAt].Parts
	}
	entry, short := keyText(v, parts, r)
	if stmt != nil {
		stmt.Duplicate = DuplicateEntry{Entry: entry, Key: name}
	}
	return sql.NewUniqueKeyErr(short, indexAt < 0, existing)
}

// keyText is the text of a key: in MariaDB's form, "1-a", and in the SQL
// engine's, "[1,a]".
func keyText(v *version, parts []catalog.IndexPart, r sql.Row) (entry, short string) {
	texts := make([]string, len(parts))
	plain := make([]string, len(parts))
	for i, p := range parts {
		val := r[p.Column]
		plain[i] = fmt.Sprint(val)
		texts[i] = plain[i]
		if val == nil {
			texts[i] = "NULL"
			continue
		}
		if out, err := v.Schema.Schema[p.Column].Type.SQL(sql.NewEmptyContext(), nil, val); err == nil {
			texts[i] = out.ToString()
		}
		if p.Prefix > 0 {
			if runes := []rune(texts[i]); len(runes) > p.Prefix {
				texts[i] = string(runes[:p.Prefix])
			}
		}
	}
	return strings.Join(texts, "-"), "[" + strings.Join(plain, ",") + "]"
}

// IndexedAccess implements sql.IndexAddressable. It is how foreign keys find
// rows: those of the child table, to restrict or to change them.
func (e *editor) IndexedAccess(_ *sql.Context, lookup sql.IndexLookup) sql.IndexedTable {
	n := *e.Table
	n.access = &Access{Mode: txn.LockExclusive}
	return &IndexedTable{Table: &n, lookup: lookup}
}

// Inserter implements sql.InsertableTable.
func (t *Table) Inserter(ctx *sql.Context) sql.RowInserter { return newEditor(ctx, t) }

// Updater implements sql.UpdatableTable.
func (t *Table) Updater(ctx *sql.Context) sql.RowUpdater { return newEditor(ctx, t) }

// Deleter implements sql.DeletableTable.
func (t *Table) Deleter(ctx *sql.Context) sql.RowDeleter { return newEditor(ctx, t) }

// Replacer implements sql.ReplaceableTable.
func (t *Table) Replacer(ctx *sql.Context) sql.RowReplacer { return newEditor(ctx, t) }

// GetForeignKeyEditor implements sql.ForeignKeyTable.
func (t *Table) GetForeignKeyEditor(ctx *sql.Context) sql.ForeignKeyEditor {
	e := newEditor(ctx, t)
	if s, err := sessionOf(ctx); err == nil {
		s.Statement().Cascades = true
	}
	return e
}

// AutoIncrementSetter implements sql.AutoIncrementTable.
func (t *Table) AutoIncrementSetter(ctx *sql.Context) sql.AutoIncrementSetter {
	return newEditor(ctx, t)
}

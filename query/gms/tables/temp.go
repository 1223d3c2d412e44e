package tables

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/tidwall/btree"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn"
)

// TempTables are the temporary tables of a session. The zero value is empty.
// They live in memory, are seen by their session only, and are never logged.
// The session tells them about the statements and transactions that their rows
// take part in, as it tells txn.
type TempTables struct {
	byName map[parentName]*tempTable
	lastID uint32

	begun      bool // a transaction has begun, with the rows in begin
	begin      tempState
	statement  tempState
	savepoints []tempSavepoint
}

// tempState is the state of the rows of all temporary tables at some moment.
type tempState map[*tempTable]tempRows

type tempSavepoint struct {
	name  string
	state tempState
}

// save remembers the rows as they are. It costs nothing if there are no tables.
func (t *TempTables) save() tempState {
	if len(t.byName) == 0 {
		return nil
	}
	s := make(tempState, len(t.byName))
	for _, tmp := range t.byName {
		s[tmp] = tmp.rows.copy()
	}
	return s
}

// restore takes the rows back to a saved state, which stays good for another
// time. Tables made since then become empty; definitions are not undone, as in
// MariaDB.
func (t *TempTables) restore(s tempState) {
	for _, tmp := range t.byName {
		if r, ok := s[tmp]; ok && r.layout == tmp.rows.layout {
			next := tmp.rows.nextAuto // values given out are not taken back
			tmp.rows = r.copy()
			tmp.rows.nextAuto = max(next, tmp.rows.nextAuto)
		} else if !ok {
			tmp.clear()
		}
	}
}

// BeginStatement begins a statement, and a transaction if there is none.
func (t *TempTables) BeginStatement() {
	t.statement = t.save()
	if !t.begun {
		t.begun, t.begin = true, t.statement
	}
}

// EndStatement ends a statement that succeeded.
func (t *TempTables) EndStatement() { t.statement = nil }

// RollbackStatement undoes the running statement.
func (t *TempTables) RollbackStatement() { t.restore(t.statement) }

// Commit ends the transaction.
func (t *TempTables) Commit() {
	t.begun, t.begin, t.statement, t.savepoints = false, nil, nil, nil
}

// Rollback undoes the transaction and ends it.
func (t *TempTables) Rollback() {
	if t.begun {
		t.restore(t.begin)
	}
	t.Commit()
}

// Savepoint sets a savepoint; one of the same name is replaced.
func (t *TempTables) Savepoint(name string) {
	t.Release(name)
	t.savepoints = append(t.savepoints, tempSavepoint{name, t.save()})
}

func (t *TempTables) savepoint(name string) int {
	return slices.IndexFunc(t.savepoints, func(s tempSavepoint) bool { return strings.EqualFold(s.name, name) })
}

// RollbackTo undoes what came after the savepoint, which stays.
func (t *TempTables) RollbackTo(name string) {
	if at := t.savepoint(name); at >= 0 {
		t.restore(t.savepoints[at].state)
		t.savepoints = t.savepoints[:at+1]
	}
}

// Release forgets the savepoint and those set after it.
func (t *TempTables) Release(name string) {
	if at := t.savepoint(name); at >= 0 {
		t.savepoints = t.savepoints[:at]
	}
}

// DropAll forgets all tables, at the end of the session.
func (t *TempTables) DropAll() { t.byName = nil }

// Any reports whether there are temporary tables.
func (t *TempTables) Any() bool { return len(t.byName) > 0 }

func (t *TempTables) in(db string) []*tempTable {
	var out []*tempTable
	for n, tmp := range t.byName {
		if n.db == strings.ToLower(db) {
			out = append(out, tmp)
		}
	}
	slices.SortFunc(out, func(a, b *tempTable) int { return strings.Compare(a.tbl.Def.Name, b.tbl.Def.Name) })
	return out
}

// tempIDs starts the ids of temporary tables where no stored table's id gets.
const tempIDs = 1 << 31

func (t *TempTables) create(def *catalog.TableDef) error {
	t.lastID = max(t.lastID, tempIDs) + 1
	def.ID = t.lastID
	tbl, err := Compile(def)
	if err != nil {
		return err
	}
	if t.byName == nil {
		t.byName = map[parentName]*tempTable{}
	}
	tmp := &tempTable{owner: t, tbl: tbl}
	tmp.clear()
	t.byName[parentOf(def.DB, def.Name)] = tmp
	return nil
}

func (t *TempTables) drop(db, name string) bool {
	if t.find(db, name) == nil {
		return false
	}
	delete(t.byName, parentOf(db, name))
	return true
}

func (t *TempTables) rename(tmp *tempTable, name string) error {
	def := *tmp.tbl.Def
	if other := t.find(def.DB, name); other != nil && other != tmp {
		return existing(name, other.tbl.Def.Name)
	}
	delete(t.byName, parentOf(def.DB, def.Name))
	def.Name = name
	t.byName[parentOf(def.DB, name)] = tmp
	return tmp.redefine(&def)
}

// tempTable is one temporary table: the same keys and images as a stored one,
// in an ordered map.
type tempTable struct {
	owner *TempTables
	tbl   *catalog.Table
	v     *version
	rows  tempRows
	// copying is the table that an ALTER TABLE is filling.
	copying *tempTable
}

type tempItem struct{ key, value []byte }

// tempRows is the content of a temporary table.
type tempRows struct {
	items    *btree.BTreeG[tempItem]
	nextID   uint64
	nextAuto uint64
	layout   int // raised when the keys or images of rows change
}

func newTempRows(layout int) tempRows {
	less := func(a, b tempItem) bool { return bytes.Compare(a.key, b.key) < 0 }
	return tempRows{items: btree.NewBTreeGOptions(less, btree.Options{NoLocks: true}), nextID: 1, nextAuto: 1, layout: layout}
}

func (r *tempRows) copy() tempRows {
	c := *r
	c.items = r.items.Copy()
	return c
}

func (t *tempTable) clear() { t.rows = newTempRows(t.rows.layout) }

// version is the table as the SQL engine sees it.
func (t *tempTable) version() (*version, error) {
	if t.v == nil || t.v.Table != t.tbl {
		v, err := newVersion(t.tbl)
		if err != nil {
			return nil, err
		}
		t.v = v
	}
	return t.v, nil
}

func (t *tempTable) table(p *Provider) (*Table, error) {
	v, err := t.version()
	if err != nil {
		return nil, err
	}
	return &Table{alterable: alterable{p: p, v: v, temp: t}}, nil
}

// count is the number of rows.
func (t *tempTable) count() (n uint64) {
	lower, upper := t.tbl.Span(-1)
	t.rows.items.Ascend(tempItem{key: lower}, func(i tempItem) bool {
		if bytes.Compare(i.key, upper) >= 0 {
			return false
		}
		n++
		return true
	})
	return n
}

// redefine gives the table another definition with the same images, and makes
// its index entries anew.
func (t *tempTable) redefine(def *catalog.TableDef) error {
	tbl, w, err := t.rewrite(def)
	if err != nil {
		return err
	}
	lower, upper := t.tbl.Span(-1)
	t.rows.items.Ascend(tempItem{key: lower}, func(i tempItem) bool {
		if bytes.Compare(i.key, upper) >= 0 {
			return false
		}
		err = w.Add(nil, i.value)
		return err == nil
	})
	if err != nil {
		return err
	}
	return t.replaceBy(tbl, w)
}

// rewrite begins a copy of the table under another definition.
func (t *tempTable) rewrite(def *catalog.TableDef) (*catalog.Table, *tempTable, error) {
	t.owner.lastID++
	def.ID = t.owner.lastID
	tbl, err := Compile(def)
	if err != nil {
		return nil, nil, err
	}
	w := &tempTable{owner: t.owner, tbl: tbl, rows: newTempRows(t.rows.layout + 1)}
	t.copying = w
	return tbl, w, nil
}

// Add implements bulk.
func (t *tempTable) Add(_, image []byte) error { return t.insert(t.tbl, image) }

// Finish implements bulk.
func (t *tempTable) Finish(context.Context) error { return nil }

// replace puts the copy that rewrite has begun in the place of the table.
func (t *tempTable) replace(tbl *catalog.Table) error { return t.replaceBy(tbl, t.copying) }

func (t *tempTable) replaceBy(tbl *catalog.Table, w *tempTable) error {
	w.rows.nextAuto = max(w.rows.nextAuto, t.rows.nextAuto)
	t.tbl, t.rows, t.copying = tbl, w.rows, nil
	return nil
}

func (t *tempTable) get(key []byte) ([]byte, bool) {
	i, ok := t.rows.items.Get(tempItem{key: key})
	return i.value, ok
}

// Get implements rows.
func (t *tempTable) Get(_ *sql.Context, _ *catalog.Table, rowKey []byte, _ Access) ([]byte, bool, error) {
	v, ok := t.get(rowKey)
	return v, ok, nil
}

// Insert implements rows.
func (t *tempTable) Insert(_ *sql.Context, tbl *catalog.Table, image []byte) error {
	return t.insert(tbl, image)
}

func (t *tempTable) insert(tbl *catalog.Table, image []byte) error {
	var rowKey []byte
	if tbl.Keyless() {
		rowKey = tbl.RowIDKey(nil, t.rows.nextID)
		t.rows.nextID++
	}
	if err := t.apply(tbl, nil, image, rowKey); err != nil {
		return err
	}
	return t.raiseAuto(tbl, image)
}

// Update implements rows.
func (t *tempTable) Update(_ *sql.Context, tbl *catalog.Table, rowKey, before, after []byte) error {
	return t.change(tbl, rowKey, before, after)
}

// Delete implements rows.
func (t *tempTable) Delete(_ *sql.Context, tbl *catalog.Table, rowKey, before []byte) error {
	return t.change(tbl, rowKey, before, nil)
}

func (t *tempTable) change(tbl *catalog.Table, rowKey, before, after []byte) error {
	if v, ok := t.get(rowKey); !ok || !bytes.Equal(v, before) {
		return txn.ErrRowChanged
	}
	return t.apply(tbl, bytes.Clone(before), after, rowKey)
}

// apply makes the changes of keys, after it has seen that none is a duplicate.
func (t *tempTable) apply(tbl *catalog.Table, before, after, rowKey []byte) error {
	changes, err := tbl.Changes(nil, before, after, rowKey)
	if err != nil {
		return err
	}
	gone := map[string]bool{}
	for _, c := range changes {
		if c.Value == nil {
			gone[string(c.Key)] = true
			continue
		}
		own := before != nil && c.Index < 0 && bytes.Equal(c.Key, rowKey)
		if own || c.Index >= 0 && !c.Unique || gone[string(c.Key)] {
			continue
		}
		entry, taken := t.get(c.Key)
		if !taken {
			continue
		}
		if c.Index < 0 {
			return &txn.DuplicateKeyError{Table: tbl, Index: -1, Existing: entry, RowKey: c.Key}
		}
		otherKey, err := tbl.EntryRowKey(nil, c.Index, c.Key, entry)
		if err != nil {
			return err
		}
		if bytes.Equal(otherKey, rowKey) {
			continue
		}
		image, _ := t.get(otherKey)
		return &txn.DuplicateKeyError{Table: tbl, Index: c.Index, Existing: image, RowKey: otherKey}
	}
	for _, c := range changes {
		if c.Value == nil {
			t.rows.items.Delete(tempItem{key: c.Key})
			continue
		}
		t.rows.items.Set(tempItem{bytes.Clone(c.Key), bytes.Clone(c.Value)})
	}
	return nil
}

// tempCursor walks a copy of the rows, so that changes of the statement that
// reads do not move it.
type tempCursor struct {
	t      *tempTable
	spec   txn.ScanSpec
	items  []tempItem
	at     int
	rowKey []byte
	image  []byte
	err    error
}

// Scan implements rows.
func (t *tempTable) Scan(_ *sql.Context, spec txn.ScanSpec) (cursor, error) {
	lower, upper := spec.Table.Span(spec.Index)
	if spec.Lower != nil {
		lower = spec.Lower
	}
	if spec.Upper != nil {
		upper = spec.Upper
	}
	c := &tempCursor{t: t, spec: spec, at: -1}
	t.rows.items.Ascend(tempItem{key: lower}, func(i tempItem) bool {
		if upper != nil && bytes.Compare(i.key, upper) >= 0 {
			return false
		}
		c.items = append(c.items, i)
		return true
	})
	if spec.Reverse {
		slices.Reverse(c.items)
	}
	return c, nil
}

// Next implements cursor.
func (c *tempCursor) Next() bool {
	for c.err == nil && c.at+1 < len(c.items) {
		c.at++
		i := c.items[c.at]
		if c.spec.Index < 0 {
			c.rowKey = i.key
		} else if c.rowKey, c.err = c.spec.Table.EntryRowKey(nil, c.spec.Index, i.key, i.value); c.err != nil {
			return false
		}
		var ok bool
		if c.image, ok = c.t.get(c.rowKey); ok {
			return true
		}
	}
	return false
}

// Key implements cursor.
func (c *tempCursor) Key() []byte { return c.items[c.at].key }

// RowKey implements cursor.
func (c *tempCursor) RowKey() []byte { return c.rowKey }

// Image implements cursor.
func (c *tempCursor) Image() []byte { return c.image }

// Err implements cursor.
func (c *tempCursor) Err() error { return c.err }

// Close implements cursor.
func (c *tempCursor) Close() error { return nil }

// NextAutoIncrement implements rows.
func (t *tempTable) NextAutoIncrement(_ *catalog.Table, count, increment, offset uint64) (uint64, error) {
	increment = max(increment, 1)
	first := max(t.rows.nextAuto, 1)
	if offset = offset % increment; increment > 1 && first%increment != offset {
		first += (offset + increment - first%increment) % increment
	}
	t.rows.nextAuto = first + (max(count, 1)-1)*increment + 1
	return first, nil
}

// PeekAutoIncrement implements rows.
func (t *tempTable) PeekAutoIncrement(*catalog.Table) (uint64, error) { return t.rows.nextAuto, nil }

// SetAutoIncrement implements rows.
func (t *tempTable) SetAutoIncrement(_ *catalog.Table, next uint64) error {
	t.rows.nextAuto = next
	return nil
}

func (t *tempTable) raiseAuto(tbl *catalog.Table, image []byte) error {
	if tbl.AutoIncrement < 0 {
		return nil
	}
	n, ok, err := autoValue(tbl, image)
	if err == nil && ok && n >= t.rows.nextAuto {
		t.rows.nextAuto = n + 1
	}
	return err
}

// autoValue is the value of the AUTO_INCREMENT column in an image; ok is false
// for NULL and for negative values.
func autoValue(tbl *catalog.Table, image []byte) (n uint64, ok bool, err error) {
	vals, err := row.DecodeSome(nil, tbl.Columns, image, []int{tbl.AutoIncrement})
	if err != nil {
		return 0, false, err
	}
	switch v := vals[0].(type) {
	case int64:
		return uint64(v), v > 0, nil
	case uint64:
		return v, true, nil
	}
	return 0, false, nil
}

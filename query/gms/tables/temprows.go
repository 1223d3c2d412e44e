package tables

import (
	"bytes"
	"context"

	"github.com/tidwall/btree"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn"
)

// Table is a temporary table of that name, and its rows; nil if there is none.
func (t *TempTables) Table(db, name string) (*catalog.Table, txn.Rows) {
	tmp := t.exact(db, name)
	if tmp == nil {
		return nil, nil
	}
	return tmp.tbl, rowsOfTemp{tmp}
}

// rowsOfTemp are the rows of a temporary table for SQL of our own.
type rowsOfTemp struct{ t *tempTable }

// Get implements txn.Rows.
func (r rowsOfTemp) Get(_ context.Context, _ *catalog.Table, rowKey []byte, _ txn.ReadMode, _ txn.WaitPolicy) (image []byte, ok bool, err error) {
	image, ok = r.t.get(rowKey)
	return image, ok, nil
}

// Insert implements txn.Rows.
func (r rowsOfTemp) Insert(_ context.Context, tbl *catalog.Table, image []byte) error {
	return r.t.insert(tbl, image)
}

// Update implements txn.Rows.
func (r rowsOfTemp) Update(_ context.Context, tbl *catalog.Table, rowKey, before, after []byte) error {
	return r.t.change(tbl, rowKey, before, after)
}

// Delete implements txn.Rows.
func (r rowsOfTemp) Delete(_ context.Context, tbl *catalog.Table, rowKey, before []byte) error {
	return r.t.change(tbl, rowKey, before, nil)
}

// NextAutoIncrement implements txn.Rows.
func (r rowsOfTemp) NextAutoIncrement(tbl *catalog.Table, count, increment, offset uint64) (uint64, error) {
	return r.t.NextAutoIncrement(tbl, count, increment, offset)
}

// Walk implements txn.Rows.
func (r rowsOfTemp) Walk(_ context.Context, spec txn.ScanSpec) (txn.Walk, error) {
	w := &tempWalk{spec: spec, rows: r.t.rows.items.Copy()}
	w.iter = w.rows.Iter()
	w.lower, w.upper = spec.Table.Span(spec.Index)
	if bytes.Compare(spec.Lower, w.lower) > 0 {
		w.lower = spec.Lower
	}
	if spec.Upper != nil && bytes.Compare(spec.Upper, w.upper) < 0 {
		w.upper = spec.Upper
	}
	return w, nil
}

// tempWalk goes over the rows as they were when it began: changes of the statement that reads do not move it.
type tempWalk struct {
	spec         txn.ScanSpec
	rows         *btree.BTreeG[tempItem]
	iter         btree.IterG[tempItem]
	lower, upper []byte
	begun        bool

	key, rowKey, image []byte
	err                error
}

// Next implements txn.Walk.
func (w *tempWalk) Next() bool {
	if w.err != nil || !w.step() {
		return false
	}
	item := w.iter.Item()
	if bytes.Compare(item.key, w.lower) < 0 || bytes.Compare(item.key, w.upper) >= 0 {
		return false
	}
	w.key, w.rowKey, w.image = item.key, item.key, item.value
	if w.spec.Index < 0 {
		return true
	}
	if w.rowKey, w.err = w.spec.Table.EntryRowKey(nil, w.spec.Index, item.key, item.value); w.err != nil {
		return false
	}
	row, ok := w.rows.Get(tempItem{key: w.rowKey})
	w.image = row.value
	return ok
}

// step moves to the next item, whether it is in the range or not.
func (w *tempWalk) step() bool {
	switch {
	case w.begun && w.spec.Reverse:
		return w.iter.Prev()
	case w.begun:
		return w.iter.Next()
	}
	w.begun = true
	if !w.spec.Reverse {
		return w.iter.Seek(tempItem{key: w.lower})
	}
	if w.iter.Seek(tempItem{key: w.upper}) {
		return w.iter.Prev()
	}
	return w.iter.Last()
}

// Key implements txn.Walk.
func (w *tempWalk) Key() []byte { return w.key }

// RowKey implements txn.Walk.
func (w *tempWalk) RowKey() []byte { return w.rowKey }

// Image implements txn.Walk.
func (w *tempWalk) Image() []byte { return w.image }

// Err implements txn.Walk.
func (w *tempWalk) Err() error { return w.err }

// Close implements txn.Walk.
func (w *tempWalk) Close() error { return nil }

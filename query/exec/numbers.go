package exec

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn"
)

// Numbers are the rows of a table that is there by its name alone, in every database: seq_1_to_10_step_3 has 1, 4, 7 and 10, seq_10_to_1_step_3 has
// them from the last to the first. MariaDB's engine SEQUENCE has such tables.
type Numbers struct {
	table       *catalog.Table
	least, step uint64
	last        uint64 // the place of the greatest number, which is least + last*step
	none        bool   // there are no rows
}

var _ txn.Rows = (*Numbers)(nil)

// NumbersNamed is the table of a name, with its rows; nil if the name is of none. descending says that they are read from the last to the first where
// nothing asks for another order.
func NumbersNamed(db, name string) (tbl *relation.Table, rows *Numbers, descending bool, err error) {
	rest, ok := strings.CutPrefix(name, "seq_")
	if !ok {
		return nil, nil, false, nil
	}
	from, rest, ok := leadingNumber(rest, "_to_")
	if !ok {
		return nil, nil, false, nil
	}
	to, rest, ok := leadingNumber(rest, "")
	if !ok {
		return nil, nil, false, nil
	}
	step := uint64(1)
	if rest != "" {
		if rest, ok = strings.CutPrefix(rest, "_step_"); !ok {
			return nil, nil, false, nil
		}
		if step, rest, ok = leadingNumber(rest, ""); !ok || rest != "" {
			return nil, nil, false, nil
		}
	}
	if step == 0 {
		return nil, nil, false, mysqlerr.New(mysqlerr.GetErrno, `140 "Wrong create options"`, "SEQUENCE")
	}
	descending = from > to
	if descending {
		from, to = to, from
	}
	t, err := relation.OfNumbers(db, name)
	if err != nil {
		return nil, nil, false, err
	}
	last := (to - from) / step
	return t, &Numbers{table: t.Table, least: from, step: step, last: last, none: last == math.MaxUint64}, descending, nil // MariaDB counts in 64 bits
}

// leadingNumber takes a number off the front of a text, and what is behind it. One of more than 64 bits is the greatest of them.
func leadingNumber(text, behind string) (n uint64, rest string, ok bool) {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits == 0 {
		return 0, "", false
	}
	n, err := strconv.ParseUint(text[:digits], 10, 64)
	if err != nil {
		n = math.MaxUint64
	}
	rest, ok = strings.CutPrefix(text[digits:], behind)
	return n, rest, ok
}

// key is the key of the number at a place.
func (r *Numbers) key(at uint64) ([]byte, error) {
	return row.AppendKeyValue(bytes.Clone(r.table.Prefix(-1)), r.table.Columns[0], r.table.Primary[0], r.least+at*r.step)
}

// first is the place of the first number whose key is not below a bound; ok is false if there is none.
func (r *Numbers) first(bound []byte) (at uint64, ok bool, err error) {
	for lower, upper := uint64(0), r.last; ; { // in all that are left is it
		middle := lower + (upper-lower)/2
		key, err := r.key(middle)
		switch {
		case err != nil:
			return 0, false, err
		case bytes.Compare(key, bound) < 0 && middle == r.last:
			return 0, false, nil
		case bytes.Compare(key, bound) < 0:
			lower = middle + 1
		case lower == upper:
			return lower, true, nil
		default:
			upper = middle
		}
		if lower > upper {
			return 0, false, nil
		}
	}
}

// image is the row of the number at a place.
func (r *Numbers) image(dst []byte, at uint64) []byte {
	return binary.LittleEndian.AppendUint64(append(dst, 0xfe), r.least+at*r.step) // bits that no column has are set
}

// Get implements txn.Rows.
func (r *Numbers) Get(_ context.Context, _ *catalog.Table, rowKey []byte, _ txn.ReadMode, _ txn.WaitPolicy) (image []byte, ok bool, err error) {
	if r.none {
		return nil, false, nil
	}
	at, ok, err := r.first(rowKey)
	if !ok || err != nil {
		return nil, false, err
	}
	key, err := r.key(at)
	if err != nil || !bytes.Equal(key, rowKey) {
		return nil, false, err
	}
	return r.image(nil, at), true, nil
}

// Walk implements txn.Rows.
func (r *Numbers) Walk(_ context.Context, spec txn.ScanSpec) (txn.Walk, error) {
	w := &numbersWalk{of: r, up: !spec.Reverse, end: r.last, done: r.none}
	if spec.Lower != nil {
		at, ok, err := r.first(spec.Lower)
		if err != nil {
			return nil, err
		}
		w.begin, w.done = at, w.done || !ok
	}
	if spec.Upper != nil {
		at, ok, err := r.first(spec.Upper)
		switch {
		case err != nil:
			return nil, err
		case ok && at == 0:
			w.done = true
		case ok:
			w.end = at - 1
		}
	}
	w.done = w.done || w.begin > w.end
	if w.at = w.begin; spec.Reverse {
		w.at = w.end
	}
	return w, nil
}

// numbersWalk goes over the numbers from the place begin to the place end, or the other way.
type numbersWalk struct {
	of         *Numbers
	begin, end uint64
	at         uint64 // of the next one
	up, done   bool

	key, image []byte
	err        error
}

// Next implements txn.Walk.
func (w *numbersWalk) Next() bool {
	if w.done {
		return false
	}
	if w.key, w.err = w.of.key(w.at); w.err != nil {
		return false
	}
	w.image = w.of.image(w.image[:0], w.at)
	if w.up {
		w.done = w.at == w.end
		w.at++
	} else {
		w.done = w.at == w.begin
		w.at--
	}
	return true
}

// Key implements txn.Walk.
func (w *numbersWalk) Key() []byte { return w.key }

// RowKey implements txn.Walk.
func (w *numbersWalk) RowKey() []byte { return w.key }

// Image implements txn.Walk.
func (w *numbersWalk) Image() []byte { return w.image }

// Err implements txn.Walk.
func (w *numbersWalk) Err() error { return w.err }

// Close implements txn.Walk.
func (*numbersWalk) Close() error { return nil }

// changed is the error of a statement that changes the numbers.
func (r *Numbers) changed() error {
	return mysqlerr.New(mysqlerr.IllegalHandlerOption, "SEQUENCE", r.table.Def.DB, r.table.Def.Name)
}

// Insert implements txn.Rows.
func (r *Numbers) Insert(context.Context, *catalog.Table, []byte) error { return r.changed() }

// Update implements txn.Rows.
func (r *Numbers) Update(context.Context, *catalog.Table, []byte, []byte, []byte) error {
	return r.changed()
}

// Delete implements txn.Rows.
func (r *Numbers) Delete(context.Context, *catalog.Table, []byte, []byte) error { return r.changed() }

// NextAutoIncrement implements txn.Rows.
func (r *Numbers) NextAutoIncrement(*catalog.Table, uint64, uint64, uint64) (uint64, error) {
	return 0, r.changed()
}

package apply

import (
	"bytes"
	"context"
	"fmt"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn"
)

// Rows of a table without a primary key are found by what they hold. For one event the images that are wanted are collected first; one walk over the
// table then finds the rows of all of them. The walk goes on where the one for the event before has ended, and around: a statement that goes through the table has its
// rows in that order, so all its events together are one walk.

// rowFinder remembers, for a group, where the walks have ended.
type rowFinder struct {
	after map[uint32][]byte // by table: the key of the last row that was found
}

func (f *rowFinder) begin() { clear(f.after) }

func (f *rowFinder) note(t *catalog.Table, key []byte) {
	if f.after == nil {
		f.after = map[uint32][]byte{}
	}
	f.after[t.ID()] = bytes.Clone(key)
}

// wanted are the rows that an event is about, which were found ahead of their changes: by image, those that hold it.
type wanted struct {
	count map[string]int
	found map[string][][]byte
	open  int // how many are not found
}

// collect notes which images the event wants.
func (c *change) collect(it rowsIter) error {
	c.wanted = &wanted{count: map[string]int{}, found: map[string][][]byte{}}
	for it.Next() {
		image, known, err := c.before(it.Before())
		if err != nil {
			return err
		}
		if known != nil {
			c.wanted = nil // partial images are looked for one by one
			return nil
		}
		c.wanted.count[string(image)]++
		c.wanted.open++
	}
	return it.Err()
}

// rowsIter is event.RowIter by reference.
type rowsIter interface {
	Next() bool
	Before() []byte
	Err() error
}

// findByImage finds a row that holds an image, and locks it. Of equal ones any will do.
func (c *change) findByImage(ctx context.Context, image, known []byte) (key, current []byte, err error) {
	if c.wanted != nil {
		if keys := c.wanted.found[string(image)]; len(keys) > 0 {
			c.wanted.found[string(image)] = keys[1:]
			key = keys[0]
			current, ok, err := c.t.Get(ctx, c.m.table, key, txn.LockExclusive, txn.Wait)
			if err != nil || ok && bytes.Equal(current, image) {
				return key, current, err
			}
			// An earlier row of the event has changed it, or somebody else has: look again.
		}
	}
	if key, current, err = c.byIndex(ctx, image, known); key != nil || err != nil {
		return key, current, err
	}
	start := c.a.rows.after[c.m.table.ID()]
	for _, from := range [][]byte{start, nil} {
		if key, current, err = c.walk(ctx, from, image, known); key != nil || err != nil {
			return key, current, err
		}
		if start == nil {
			break
		}
	}
	return nil, nil, errMissing
}

// byIndex looks for a row by an index: a unique one, or any if the event is about a single row. key is nil if none has served; then nothing is known yet.
func (c *change) byIndex(ctx context.Context, image, known []byte) (key, current []byte, err error) {
	tbl, full := c.m.table, image // full is for the keys of entries only: what it has beyond the image is not known
	if known != nil {
		if full, err = whole(tbl, image, known); err != nil {
			return nil, nil, err
		}
	}
	alone := c.wanted != nil && len(c.wanted.count) == 1
	for i := range tbl.Indexes {
		if !tbl.Indexes[i].Stored || !hasParts(tbl, i, known) {
			continue
		}
		entry, err := tbl.Entry(i, full, tbl.RowIDKey(nil, 0))
		if err != nil {
			return nil, nil, err
		}
		switch {
		case entry.Unique:
			key, current, ok, err := c.t.GetUnique(ctx, tbl, i, entry.Key, txn.LockExclusive)
			if err != nil || !ok {
				return nil, nil, err
			}
			same, err := equal(tbl, current, image, known)
			if !same {
				key = nil
			}
			return key, current, err
		case alone:
			return c.scan(ctx, i, entry.Key[:entry.PartsLen], image, known)
		}
	}
	return nil, nil, nil
}

// hasParts reports whether an image has all columns of an index.
func hasParts(t *catalog.Table, index int, known []byte) bool {
	for _, part := range t.Parts(index) {
		if known != nil && known[part.Column/8]>>(part.Column%8)&1 == 0 {
			return false
		}
	}
	return true
}

// scan looks for a row among those with a prefix in an index.
func (c *change) scan(ctx context.Context, index int, prefix, image, known []byte) (key, current []byte, err error) {
	cursor, err := c.t.Scan(ctx, txn.ScanSpec{Table: c.m.table, Index: index, Lower: prefix, Upper: after(prefix), Mode: txn.Latest})
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if cerr := cursor.Close(); err == nil {
			err = cerr
		}
	}()
	for cursor.Next() {
		if key, current, err = c.take(ctx, cursor, image, known); key != nil || err != nil {
			return key, current, err
		}
	}
	return nil, nil, cursor.Err()
}

// after is the first key behind all that begin with a prefix; nil if there is none.
func after(prefix []byte) []byte {
	end := bytes.Clone(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}

// take locks the row that a cursor is at, if it holds an image; key is nil if it does not.
func (c *change) take(ctx context.Context, cursor *txn.Cursor, image, known []byte) (key, current []byte, err error) {
	same, err := equal(c.m.table, cursor.Image(), image, known)
	if err != nil || !same {
		return nil, nil, err
	}
	candidate := bytes.Clone(cursor.RowKey())
	current, ok, err := c.t.Get(ctx, c.m.table, candidate, txn.LockExclusive, txn.Wait)
	if err != nil || !ok {
		return nil, nil, err
	}
	if same, err = equal(c.m.table, current, image, known); err != nil || !same {
		return nil, nil, err
	}
	return candidate, current, nil
}

// walk looks for a row from a key on, to the end of the table, and notes all others on the way that the event wants.
func (c *change) walk(ctx context.Context, from, image, known []byte) (key, current []byte, err error) {
	cursor, err := c.t.Scan(ctx, txn.ScanSpec{Table: c.m.table, Index: -1, Lower: from, Mode: txn.Latest})
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if cerr := cursor.Close(); err == nil {
			err = cerr
		}
	}()
	for cursor.Next() {
		taken := false
		if key == nil {
			if key, current, err = c.take(ctx, cursor, image, known); err != nil {
				return nil, nil, err
			}
			if taken = key != nil; taken {
				c.a.rows.note(c.m.table, key)
				if c.wanted != nil {
					c.wanted.open--
				}
			}
		}
		if !taken {
			c.note(cursor.RowKey(), cursor.Image())
		}
		if key == nil {
			continue
		}
		if c.wanted == nil || c.wanted.open <= 0 {
			break
		}
	}
	return key, current, cursor.Err()
}

// note notes a row that the event wants later.
func (c *change) note(key, image []byte) {
	w := c.wanted
	if w == nil {
		return
	}
	if n := w.count[string(image)]; n > len(w.found[string(image)]) {
		w.found[string(image)] = append(w.found[string(image)], bytes.Clone(key))
		w.open--
		c.a.rows.note(c.m.table, key)
	}
}

// whole makes a full image of a partial one; the other columns are NULL.
func whole(t *catalog.Table, image, known []byte) ([]byte, error) {
	return merge(t, nulls(t), image, known)
}

// nulls is an image whose columns are all NULL.
func nulls(t *catalog.Table) []byte { return bytes.Repeat([]byte{0xff}, (len(t.Columns)+7)/8) }

// merge puts the columns of a partial image into a full one.
func merge(t *catalog.Table, into, image, known []byte) ([]byte, error) {
	out, err := row.Merge(nil, t.Columns, into, image, known)
	if err != nil {
		return nil, fmt.Errorf("row image of %s.%s: %w", t.Def.DB, t.Def.Name, err)
	}
	return out, nil
}

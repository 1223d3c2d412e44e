package replay

import (
	"bytes"
	"fmt"
	"math/bits"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/row"
)

// complete makes full images of partial ones.
func (b *batches) complete(c *rowChange) (before, after []byte, err error) {
	if c.kind == insertion {
		after, err = inserted(c)
		return nil, after, misfit(err)
	}
	columns := len(c.table.Columns)
	before = c.before.bytes
	b.tainted = b.tainted || !c.complete()
	if !c.before.full(columns) {
		if before, err = b.rowBefore(c); err != nil {
			return nil, nil, err
		}
	}
	if c.kind == deletion || c.after.full(columns) {
		return before, c.after.bytes, nil
	}
	after, err = row.Merge(nil, c.table.Columns, before, c.after.bytes, c.after.columns)
	return before, after, misfit(err)
}

// rowBefore finds the row that a partial before image stands for.
func (b *batches) rowBefore(c *rowChange) ([]byte, error) {
	if c.key != nil {
		return b.stored(c.table, c.key)
	}
	key, err := partialKey(c.table, c.before)
	if err != nil {
		return nil, err
	}
	return b.stored(c.table, key)
}

// partialKey makes the row key from a partial image, which always holds the
// primary key.
func partialKey(t *catalog.Table, before image) ([]byte, error) {
	for _, p := range t.Primary {
		if before.columns[p.Column/8]>>(p.Column%8)&1 == 0 {
			return nil, fmt.Errorf("%w: row image of %s.%s without its primary key", ErrContent, t.Def.DB, t.Def.Name)
		}
	}
	whole, err := row.Merge(nil, t.Columns, nullImage(len(t.Columns)), before.bytes, before.columns)
	if err != nil {
		return nil, misfit(err)
	}
	key, err := t.PrimaryKey(nil, whole)
	return key, misfit(err)
}

// stored returns the row as the log up to here left it.
func (b *batches) stored(t *catalog.Table, key []byte) ([]byte, error) {
	if image, ok := b.written[string(key)]; ok && image != nil {
		return image, nil
	} else if !ok {
		if err := b.await(); err != nil {
			return nil, err
		}
		image, found, release, err := b.engine.Get(key)
		if err != nil {
			return nil, err
		}
		defer release()
		if found {
			return bytes.Clone(image), nil
		}
	}
	return nil, fmt.Errorf("%w: row %x of %s.%s is to be changed, but is not there", ErrContent, key, t.Def.DB, t.Def.Name)
}

// nullImage is a row image whose n columns are all NULL.
func nullImage(n int) []byte {
	return bytes.Repeat([]byte{0xff}, (n+7)/8)
}

// full reports whether an image has all of n columns.
func (i image) full(n int) bool {
	count := 0
	for _, b := range i.columns {
		count += bits.OnesCount8(b)
	}
	return i.columns == nil || count >= n
}

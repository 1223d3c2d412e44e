package apply

import (
	"bytes"
	"context"
	"errors"
	"math"

	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn"
)

func (c *change) insert(ctx context.Context, image []byte) error {
	full, err := c.inserted(image)
	if column, ok := c.m.plan.AutoIncrement(c.rows.BitmapBefore); ok && err == nil {
		full, err = c.numbered(full, column)
	}
	if err != nil {
		return err
	}
	if full, err = c.lacking(ctx, full); err != nil {
		return err
	}
	c.stored = full
	shown, stored, err := c.fireBefore(ctx, nil, full)
	if err != nil {
		return err
	}
	for {
		c.stored = stored
		err := c.store(ctx, nil, nil, stored)
		if err == nil {
			return c.fireAfter(ctx, nil, shown)
		}
		var dup *txn.DuplicateKeyError
		if !errors.As(err, &dup) || !c.a.opts.Idempotent {
			return c.tolerate(ctx, err)
		}
		if displaced, err := c.displace(ctx, dup); !displaced {
			return err
		}
		if !c.complete() {
			if shown, err = c.m.plan.After(nil, image, c.rows.BitmapBefore, dup.Existing); err != nil {
				return err
			}
			if shown, err = c.lacking(ctx, shown); err != nil {
				return err
			}
			stored = shown
		}
	}
}

// displace deletes the row that is in the way of a new one, in slave_exec_mode=IDEMPOTENT, with the triggers of a DELETE. It is false if foreign keys do not
// allow that; the new row is left out then.
func (c *change) displace(ctx context.Context, dup *txn.DuplicateKeyError) (displaced bool, err error) {
	if _, _, err := c.fireBefore(ctx, dup.Existing, nil); err != nil {
		return false, err
	}
	if err := c.store(ctx, dup.RowKey, dup.Existing, nil); err != nil {
		return false, c.tolerate(ctx, err)
	}
	return true, c.fireAfter(ctx, dup.Existing, nil)
}

// complete reports whether an event has all columns of the primary's table. A new row that has not gets the others from a row that it displaces, as on a MariaDB
// (Rows_log_event::write_row), where that undoes what BEFORE triggers have made of it, too.
func (c *change) complete() bool {
	present := c.rows.BitmapBefore
	for i := range c.m.info.Columns {
		if present != nil && present[i/8]>>(i%8)&1 == 0 {
			return false
		}
	}
	return true
}

// numbered gives a row the next value of an AUTO_INCREMENT column that the primary does not have.
func (c *change) numbered(full []byte, column int) ([]byte, error) {
	next, err := c.t.NextAutoIncrement(c.m.table, 1, 1, 1)
	if err != nil {
		return nil, err
	}
	columns := c.m.table.Columns
	ordinals := make([]int, len(columns))
	for i := range ordinals {
		ordinals[i] = i
	}
	values, err := row.DecodeSome(nil, columns, full, ordinals)
	if err != nil {
		return nil, err
	}
	if columns[column].Unsigned {
		values[column] = next
	} else {
		if next > math.MaxInt64 {
			return nil, txn.ErrAutoIncrementExhausted
		}
		values[column] = int64(next)
	}
	return row.Encode(nil, columns, values)
}

// inserted is the row of an image. It is a copy: rows are kept, while an event lies in a slab with many others.
func (c *change) inserted(image []byte) ([]byte, error) {
	if c.m.plan.Same(image, c.rows.BitmapBefore) {
		return bytes.Clone(image), nil
	}
	return c.m.plan.Insert(make([]byte, 0, len(image)), image, c.rows.BitmapBefore)
}

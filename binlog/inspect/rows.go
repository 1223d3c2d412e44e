package inspect

import (
	"fmt"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/mysql"
)

// eachValue calls f for the columns that an image has; packed is nil for NULL.
func eachValue(columns []column, present, image []byte, f func(i int, c *column, packed []byte) error) error {
	count := 0
	for i := range columns {
		if has(present, i) {
			count++
		}
	}
	nulls := (count + 7) / 8
	if len(image) < nulls {
		return fmt.Errorf("%w: row image of %d bytes for %d columns", event.ErrShort, len(image), count)
	}
	pos, n := nulls, 0
	for i := range columns {
		if !has(present, i) {
			continue
		}
		c := &columns[i]
		var packed []byte
		if image[n/8]>>(n%8)&1 == 0 {
			size, err := mysql.ValueSize(c.Type, c.Meta, image[pos:])
			if err != nil {
				return err
			}
			packed = image[pos : pos+size : pos+size]
			pos += size
			if packed == nil {
				packed = []byte{}
			}
		}
		n++
		if err := f(i, c, packed); err != nil {
			return err
		}
	}
	return nil
}

// has reports whether a bitmap has bit i; nil has all.
func has(bitmap []byte, i int) bool {
	return bitmap == nil || i/8 < len(bitmap) && bitmap[i/8]>>(i%8)&1 == 1
}

// afterBitmap are the columns of the images that are written.
func afterBitmap(r *event.RowsInfo) []byte {
	if r.IsUpdate() {
		return r.BitmapAfter
	}
	return r.BitmapBefore
}

// eachRow calls f for the rows of an event; before or after may be nil.
func eachRow(r *event.RowsInfo, tm *tableMap, f func(n int, before, after []byte) error) error {
	it := r.Iter(tm.info)
	for n := 0; it.Next(); n++ {
		if err := f(n, it.Before(), it.After()); err != nil {
			return err
		}
	}
	return it.Err()
}

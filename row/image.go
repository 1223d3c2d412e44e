package row

import (
	"bytes"
	"fmt"

	"github.com/duramendb/duramen/mysql"
)

func bitmapSize(columns int) int { return (columns + 7) / 8 }

func bit(bitmap []byte, i int) bool { return bitmap[i/8]>>(i%8)&1 == 1 }

// appendNoNulls appends the NULL bitmap of a row without NULLs. The bits after
// the last column are set, as MariaDB sets them, so that equal rows have equal images wherever they
// were encoded.
func appendNoNulls(dst []byte, columns int) []byte {
	for range columns / 8 {
		dst = append(dst, 0)
	}
	if odd := columns % 8; odd != 0 {
		dst = append(dst, 0xff<<odd&0xff)
	}
	return dst
}

// imageReader walks over the values of a full image.
type imageReader struct {
	cols  []Column
	image []byte
	next  int // column whose value starts at pos, if it is not NULL
	pos   int
}

func newImageReader(cols []Column, image []byte) (imageReader, error) {
	n := bitmapSize(len(cols))
	if len(image) < n {
		return imageReader{}, fmt.Errorf("%w: image of %d bytes for %d columns", ErrCorrupt, len(image), len(cols))
	}
	return imageReader{cols: cols, image: image, pos: n}, nil
}

// value returns the packed value of a column, nil for NULL. It costs nothing
// to ask for columns in ascending order.
func (c *imageReader) value(column int) ([]byte, error) {
	if bit(c.image, column) {
		return nil, nil
	}
	if column < c.next {
		c.next, c.pos = 0, bitmapSize(len(c.cols))
	}
	for {
		size := 0
		if !bit(c.image, c.next) {
			var err error
			col := &c.cols[c.next]
			if size, err = mysql.ValueSize(col.Type, col.Meta, c.image[c.pos:]); err != nil {
				return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, col.describe(), err)
			}
		}
		start := c.pos
		c.next++
		c.pos += size
		if c.next > column {
			return c.image[start:c.pos:c.pos], nil
		}
	}
}

// Packed returns the packed value of one column of a full image, its length prefix
// included; ok is false for NULL. The result shares the image's memory.
func Packed(cols []Column, image []byte, column int) (packed []byte, ok bool, err error) {
	c, err := newImageReader(cols, image)
	if err != nil {
		return nil, false, err
	}
	packed, err = c.value(column)
	return packed, err == nil && !bit(image, column), err
}

// SameParts reports whether two full images have the same bytes in all columns of a key, which is then the same; false also where one cannot be read.
func SameParts(cols []Column, parts []KeyPart, a, b []byte) bool {
	x, err := newImageReader(cols, a)
	if err != nil {
		return false
	}
	y, err := newImageReader(cols, b)
	if err != nil {
		return false
	}
	for _, p := range parts {
		if bit(a, p.Column) != bit(b, p.Column) {
			return false
		}
		v, err := x.value(p.Column)
		if err != nil {
			return false
		}
		w, err := y.value(p.Column)
		if err != nil || !bytes.Equal(v, w) {
			return false
		}
	}
	return true
}

// Size measures the image at the start of b. present has one bit for each
// column that the image holds; nil means all.
func Size(cols []Column, present, b []byte) (int, error) {
	count := len(cols)
	if present != nil {
		if len(present) < bitmapSize(len(cols)) {
			return 0, fmt.Errorf("%w: bitmap of %d bytes for %d columns", ErrCorrupt, len(present), len(cols))
		}
		count = 0
		for i := range cols {
			if bit(present, i) {
				count++
			}
		}
	}
	pos, n := bitmapSize(count), 0
	if len(b) < pos {
		return 0, fmt.Errorf("%w: image of %d bytes for %d columns", ErrCorrupt, len(b), count)
	}
	for i := range cols {
		if present != nil && !bit(present, i) {
			continue
		}
		isNull := bit(b, n)
		n++
		if isNull {
			continue
		}
		size, err := mysql.ValueSize(cols[i].Type, cols[i].Meta, b[pos:])
		if err != nil {
			return 0, fmt.Errorf("%w: %s: %w", ErrCorrupt, cols[i].describe(), err)
		}
		pos += size
	}
	return pos, nil
}

// Bitmap turns a list of flags, one per column, into the bitmap of a rows event.
func Bitmap(present []bool) []byte {
	b := make([]byte, bitmapSize(len(present)))
	for i, p := range present {
		if p {
			b[i/8] |= 1 << (i % 8)
		}
	}
	return b
}

// Project appends the partial image that has only the columns present of a full image.
func Project(dst []byte, cols []Column, image []byte, present []bool) ([]byte, error) {
	c, err := newImageReader(cols, image)
	if err != nil {
		return dst, err
	}
	count := 0
	for i := range cols {
		if present[i] {
			count++
		}
	}
	nulls := len(dst)
	dst = appendNoNulls(dst, count)
	n := 0
	for i := range cols {
		if !present[i] {
			continue
		}
		if bit(image, i) {
			dst[nulls+n/8] |= 1 << (n % 8)
		} else {
			v, err := c.value(i)
			if err != nil {
				return dst[:nulls], err
			}
			dst = append(dst, v...)
		}
		n++
	}
	return dst, nil
}

// Merge appends the full image that has the columns present from the partial
// image and the others from the full image base. present is the bitmap of the
// partial image's rows event; nil means all.
func Merge(dst []byte, cols []Column, base, partial, present []byte) ([]byte, error) {
	size, err := Size(cols, present, partial)
	if err != nil {
		return dst, err
	}
	if present == nil {
		return append(dst, partial[:size]...), nil
	}
	c, err := newImageReader(cols, base)
	if err != nil {
		return dst, err
	}
	count := 0
	for i := range cols {
		if bit(present, i) {
			count++
		}
	}
	nulls := len(dst)
	dst = appendNoNulls(dst, len(cols))
	pos, n := bitmapSize(count), 0
	for i := range cols {
		var isNull bool
		var v []byte
		if bit(present, i) {
			isNull = bit(partial, n)
			n++
			if !isNull {
				size, err := mysql.ValueSize(cols[i].Type, cols[i].Meta, partial[pos:])
				if err != nil {
					return dst[:nulls], fmt.Errorf("%w: %s: %w", ErrCorrupt, cols[i].describe(), err)
				}
				v = partial[pos : pos+size]
				pos += size
			}
		} else {
			isNull = bit(base, i)
			if v, err = c.value(i); err != nil {
				return dst[:nulls], err
			}
		}
		if isNull {
			dst[nulls+i/8] |= 1 << (i % 8)
		}
		dst = append(dst, v...)
	}
	return dst, nil
}

package row

import (
	"encoding/binary"
	"fmt"

	"github.com/duramendb/duramen/mysql"
)

// Layout is how the images of a table are walked over: the size of each column's value, or of the length before it. It is immutable.
type Layout struct {
	cols   []Column
	steps  []step
	bitmap int
}

// step is how to get over a column's value.
type step struct {
	fixed  int32 // bytes of a value, if all have the same
	prefix int8  // else the bytes of the length before it, 1 to 4; -1: package mysql knows
}

// NewLayout makes the layout of full images of these columns.
func NewLayout(cols []Column) *Layout {
	l := &Layout{cols: cols, steps: make([]step, len(cols)), bitmap: bitmapSize(len(cols))}
	for i := range cols {
		c := &cols[i]
		if n := mysql.FixedSize(c.Type, c.Meta); n >= 0 {
			l.steps[i] = step{fixed: int32(n)}
			continue
		}
		switch k, n := c.kind(); {
		case k == kindBlob && n >= 1 && n <= 4:
			l.steps[i].prefix = int8(n)
		case (k == kindVarchar || k == kindChar) && n > 255:
			l.steps[i].prefix = 2
		case k == kindVarchar || k == kindChar:
			l.steps[i].prefix = 1
		default:
			l.steps[i].prefix = -1
		}
	}
	return l
}

// Columns are the columns that the layout is of.
func (l *Layout) Columns() []Column { return l.cols }

// Reader finds the values of one image after the other. Places that it has found are remembered until the next image, so that columns may be
// asked for in any order and more than once. It is used by one goroutine.
type Reader struct {
	layout *Layout
	image  []byte
	at     []uint32 // where values begin, those of the first known columns
	known  int      // the value of column known-1 is found; the one after it begins at end
	end    uint32
	null   bool // all of it
	err    error
}

// NewReader makes a reader of images of a layout.
func NewReader(l *Layout) *Reader { return &Reader{layout: l, at: make([]uint32, len(l.cols))} }

// Renew makes it a reader as NewReader makes one, of another layout perhaps.
func (r *Reader) Renew(l *Layout) {
	at := r.at
	if cap(at) < len(l.cols) {
		at = make([]uint32, len(l.cols))
	}
	*r = Reader{layout: l, at: at[:len(l.cols)]}
}

// Forget lets go of the image.
func (r *Reader) Forget() { r.image = nil }

// Set makes this the image that is read. It is not copied.
func (r *Reader) Set(image []byte) {
	r.image, r.known, r.end, r.err, r.null = image, 0, uint32(r.layout.bitmap), nil, false
	if len(image) < r.layout.bitmap {
		r.err = fmt.Errorf("%w: image of %d bytes for %d columns", ErrCorrupt, len(image), len(r.at))
	}
}

// SetNull makes a row the one that is read of which all columns are NULL, whatever they are declared as.
func (r *Reader) SetNull() {
	r.Set(nil)
	r.err = nil
	r.null = true
}

// Image is the image that is read.
func (r *Reader) Image() []byte { return r.image }

// Value is the value of a column without a length before it, as it is in the image; ok is false for NULL. On an error, too: Err has it.
func (r *Reader) Value(column int) (value []byte, ok bool) {
	if r.null || r.err != nil || r.image[column>>3]>>(column&7)&1 == 1 {
		return nil, false
	}
	for r.known <= column {
		if !r.step() {
			return nil, false
		}
	}
	end := r.end
	if column+1 < r.known {
		end = r.at[column+1]
	}
	start := r.at[column]
	if p := r.layout.steps[column].prefix; p > 0 {
		start += uint32(p)
	}
	return r.image[start:end:end], true
}

// Place is where a column's value is in the image, with the length before it. Of NULL it is the empty place between its neighbours. On an error
// ok is false: Err has it.
func (r *Reader) Place(column int) (start, end int, ok bool) {
	if r.null || r.err != nil {
		return 0, 0, false
	}
	for r.known <= column {
		if !r.step() {
			return 0, 0, false
		}
	}
	if column+1 < r.known {
		return int(r.at[column]), int(r.at[column+1]), true
	}
	return int(r.at[column]), int(r.end), true
}

// step finds the end of the next column's value.
func (r *Reader) step() bool {
	i := r.known
	r.at[i] = r.end
	if r.image[i>>3]>>(i&7)&1 == 0 {
		size, err := r.layout.size(i, r.image[r.end:])
		if err != nil {
			r.err = err
			return false
		}
		r.end += uint32(size)
	}
	r.known++
	return true
}

// size is the size of a column's value, with the length before it, at the start of b.
func (l *Layout) size(column int, b []byte) (int, error) {
	s := l.steps[column]
	n := int(s.fixed)
	if s.prefix != 0 {
		n = -1
		switch {
		case s.prefix == 1 && len(b) >= 1:
			n = 1 + int(b[0])
		case s.prefix == 2 && len(b) >= 2:
			n = 2 + int(binary.LittleEndian.Uint16(b))
		case s.prefix == 3 && len(b) >= 3:
			n = 3 + (int(b[0]) | int(b[1])<<8 | int(b[2])<<16)
		case s.prefix == 4 && len(b) >= 4:
			n = 4 + int(binary.LittleEndian.Uint32(b))
		case s.prefix < 0:
			return mysql.ValueSize(l.cols[column].Type, l.cols[column].Meta, b)
		}
	}
	if n < 0 || n > len(b) {
		return 0, fmt.Errorf("%w: %s: %d bytes left for its value", ErrCorrupt, l.cols[column].describe(), len(b))
	}
	return n, nil
}

// Err is what is wrong with the image, found while values were looked for.
func (r *Reader) Err() error { return r.err }

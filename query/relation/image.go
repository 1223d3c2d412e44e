package relation

import (
	"bytes"
	"fmt"

	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/row"
)

// Image makes images of a table's rows: of columns that were set, and of what another image has for the others. It is used by one goroutine.
type Image struct {
	table *Table
	cells []cell
	bytes []byte // the values that were set, one after the other
}

// cell is what is known of a column's new value.
type cell struct {
	set, null  bool
	start, end int // in bytes
}

// NewImage is an Image of which no column is set.
func NewImage(t *Table) *Image { return &Image{table: t, cells: make([]cell, len(t.Columns))} }

// Renew makes it an Image as NewImage makes one, of another table perhaps.
func (m *Image) Renew(t *Table) {
	cells := m.cells
	if cap(cells) < len(t.Columns) {
		cells = make([]cell, len(t.Columns))
	}
	*m = Image{table: t, cells: cells[:len(t.Columns)], bytes: m.bytes[:0]}
	clear(m.cells)
}

// Reset begins another row: no column is set.
func (m *Image) Reset() {
	clear(m.cells)
	m.bytes = m.bytes[:0]
}

// Set gives a column a value, as assign.Assigner.Assign has made it: a TIMESTAMP's is the moment in Int. A value that the column cannot hold,
// and a column that is Unknown, are errors; then it is as it was.
func (m *Image) Set(column int, v types.Value) error {
	c := &m.table.Columns[column]
	if v.Null {
		m.cells[column] = cell{set: true, null: true}
		return nil
	}
	if c.encode == nil {
		return fmt.Errorf("column %s: %w: %s", c.Def.Name, row.ErrType, c.Unknown)
	}
	start := len(m.bytes)
	out, err := c.encode(m.bytes, v)
	if err != nil {
		return err
	}
	m.bytes = out
	m.cells[column] = cell{set: true, start: start, end: len(out)}
	return nil
}

// CopySame gives a column the value that a column of the same type has in another table's image.
func (m *Image) CopySame(column int, in *row.Reader, from int) error {
	if _, ok := in.Value(from); !ok {
		m.cells[column] = cell{set: true, null: true}
		return in.Err()
	}
	at, end, ok := in.Place(from)
	if !ok {
		return in.Err()
	}
	start := len(m.bytes)
	m.bytes = append(m.bytes, in.Image()[at:end]...)
	m.cells[column] = cell{set: true, start: start, end: len(m.bytes)}
	return nil
}

// Same reports whether the value that a column was given is the one that another image has; that is so of a column that is not set.
func (m *Image) Same(column int, in *row.Reader) bool {
	c := &m.cells[column]
	if !c.set {
		return true
	}
	if _, ok := in.Value(column); c.null || !ok {
		return c.null && !ok && in.Err() == nil
	}
	start, end, ok := in.Place(column)
	return ok && bytes.Equal(m.bytes[c.start:c.end], in.Image()[start:end])
}

// Append appends the image. Columns that are not set are those of before, whose bytes are copied; before is nil for a new row, of which all
// columns have to be set. On an error dst is returned as it was.
func (m *Image) Append(dst []byte, before *row.Reader) ([]byte, error) {
	start, bitmap := len(dst), (len(m.cells)+7)/8
	if before == nil {
		for range bitmap {
			dst = append(dst, 0)
		}
		if odd := len(m.cells) % 8; odd != 0 {
			dst[start+bitmap-1] = 0xff << odd & 0xff // as MariaDB sets the bits that no column has
		}
	} else {
		image := before.Image()
		if len(image) < bitmap {
			return dst, fmt.Errorf("%w: image of %d bytes for %d columns", row.ErrCorrupt, len(image), len(m.cells))
		}
		dst = append(dst, image[:bitmap]...)
	}
	for i := 0; i < len(m.cells); {
		c := &m.cells[i]
		if !c.set {
			var err error
			if dst, i, err = m.keep(dst, i, before); err != nil {
				return dst[:start], err
			}
			continue
		}
		bit := byte(1) << (i % 8)
		if dst[start+i/8] &^= bit; c.null {
			dst[start+i/8] |= bit
		} else {
			dst = append(dst, m.bytes[c.start:c.end]...)
		}
		i++
	}
	return dst, nil
}

// keep copies the columns from one on that are not set, up to the next one that is.
func (m *Image) keep(dst []byte, from int, before *row.Reader) (out []byte, next int, err error) {
	if before == nil {
		return dst, from, fmt.Errorf("%w: no value for column %s", row.ErrType, m.table.Columns[from].Def.Name)
	}
	for next = from; next < len(m.cells) && !m.cells[next].set; {
		next++
	}
	_, end, ok := before.Place(next - 1)
	if !ok {
		return dst, from, before.Err()
	}
	start, _, ok := before.Place(from)
	if !ok {
		return dst, from, before.Err()
	}
	return append(dst, before.Image()[start:end]...), next, nil
}

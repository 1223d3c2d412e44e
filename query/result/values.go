package result

import "fmt"

// Values is a row of typed values. One is enough for all rows of a result set.
type Values struct {
	cols []Column
	vals []Value
}

var _ Row = (*Values)(nil)

// NewValues makes a row for columns, all of it NULL. It keeps cols, which must
// not change.
func NewValues(cols []Column) *Values { return &Values{cols: cols, vals: make([]Value, len(cols))} }

// Renew makes r a row for other columns, as NewValues does.
func (r *Values) Renew(cols []Column) {
	vals := r.vals[:cap(r.vals)]
	clear(vals)
	if len(vals) < len(cols) {
		vals = make([]Value, len(cols))
	}
	r.cols, r.vals = cols, vals[:len(cols)]
}

// Set gives the i-th column a value, whose bytes must stay until the row was sent.
func (r *Values) Set(i int, v Value) { r.vals[i] = v }

// Value implements Row.
func (r *Values) Value(i int) Value { return r.vals[i] }

// AppendText implements Row.
func (r *Values) AppendText(dst []byte) []byte {
	for i := range r.vals {
		if r.vals[i].kind == Null {
			dst = append(dst, 0xfb)
			continue
		}
		dst = r.cols[i].appendCounted(dst, r.vals[i])
	}
	return dst
}

// AppendBinary implements Row.
func (r *Values) AppendBinary(dst []byte) ([]byte, error) {
	dst = append(dst, 0)
	bitmap := len(dst)
	for range (len(r.vals) + 9) / 8 {
		dst = append(dst, 0)
	}
	for i := range r.vals {
		if r.vals[i].kind == Null {
			dst[bitmap+(i+2)/8] |= 1 << ((i + 2) % 8)
			continue
		}
		var err error
		if dst, err = r.cols[i].AppendBinary(dst, r.vals[i]); err != nil {
			return dst, fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return dst, nil
}

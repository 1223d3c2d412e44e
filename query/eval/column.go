package eval

import (
	"github.com/duramendb/duramen/query/types"
)

// NewColumn makes the node of a column of a table: decode makes a value of what its image holds. source is the table's place in Frame.Rows,
// name what error messages call the column.
func NewColumn[T Scalar](t types.Type, source, ordinal int, name string, decode func(f *Frame, packed []byte) T) *Expr {
	return New(name, t, func(f *Frame) (v T, null bool) {
		r := f.Rows[source]
		packed, ok := r.Value(ordinal)
		if !ok {
			if err := r.Err(); err != nil {
				f.FailWith(err)
			}
			return v, true
		}
		return decode(f, packed), false
	}).column(source, ordinal).Printed(func(dst []byte) []byte { return append(dst, name...) })
}

// column makes the node that of a column: it is no constant, though it has no arguments.
func (x *Expr) column(source, ordinal int) *Expr {
	x.Props &^= Constant
	x.source, x.ordinal = int32(source)+1, int32(ordinal)
	return x
}

// At notes the node of the moments, in microseconds since 1970, whose local times x shows: those of a TIMESTAMP, and of NOW(), which is a DATETIME and is
// that moment only to columns of TIMESTAMP.
func (x *Expr) At(instant *Expr) *Expr {
	x.instant = instant
	return x
}

// Instant is what At has noted; nil for nothing. Where clocks go back two moments have the same local time.
func (x *Expr) Instant() *Expr { return x.instant }

// Column tells which column a node is: the table's place in Frame.Rows, and the ordinal; ok is false for what is none.
func (x *Expr) Column() (source, ordinal int, ok bool) {
	return int(x.source) - 1, int(x.ordinal), x.source > 0
}

// Columns calls f with the columns that an expression reads, some more than once.
func (x *Expr) Columns(f func(source, ordinal int)) {
	if source, ordinal, ok := x.Column(); ok {
		f(source, ordinal)
	}
	for _, a := range x.Args {
		a.Columns(f)
	}
}

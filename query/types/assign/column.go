package assign

import (
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Column is what is assigned to. The names are for messages.
type Column struct {
	types.Type
	Database, Table, Name string
}

// Context is what changes from row to row. It is used by one goroutine.
type Context struct {
	Diag *types.Diagnostics
	Row  uint64 // the number of the statement's row from 1, for messages
	Zone *temporal.Zone
	Now  temporal.Stamp // when the statement started: what NULL is in a TIMESTAMP column without NULL
	// NullFails says that NULL is an error in a NOT NULL column even if the statement is not strict: it is an INSERT of one row, without
	// IGNORE. Else the column gets its type's zero, with a warning.
	NullFails bool

	scratch []byte
}

// Reset begins another row: the text of values that were assigned before is forgotten.
func (c *Context) Reset() { c.scratch = c.scratch[:0] }

// scratchSize is the size in bytes of the memory from which short texts are taken.
const scratchSize = 4096

// buffer is an empty slice for n bytes, until the next Reset.
func (c *Context) buffer(n int) []byte {
	if n > cap(c.scratch)-len(c.scratch) {
		if n > scratchSize/2 {
			return make([]byte, 0, n)
		}
		c.scratch = make([]byte, 0, scratchSize)
	}
	start := len(c.scratch)
	c.scratch = c.scratch[:start+n]
	return c.scratch[start : start : start+n]
}

// strict reports whether a warning is an error.
func (c *Context) strict(number uint16) bool { return c.Diag.Strict != nil && c.Diag.Strict(number) }

// Assigner stores values of one type into one column. It does not change, and may be shared.
type Assigner struct {
	// Mismatch is not nil for a type that does not become the column's: error 4078 before the first row, or a warning if the statement
	// is not strict.
	Mismatch *mysqlerr.Error

	column *Column
	store  func(c *Context, v types.Value) types.Value
}

// storer is a kind of column, and what it makes of each class of values. They are never NULL.
type storer interface {
	// numeric columns take numbers of what is number and text.
	numeric() bool
	int(c *Context, n int64, unsigned bool) types.Value
	float(c *Context, f float64) types.Value
	dec(c *Context, d decimal.Dec) types.Value
	time(c *Context, v temporal.Value, fraction int) types.Value
	text(c *Context, s []byte, set *charset.Set) types.Value
}

// Source is what is known of the values.
type Source struct {
	types.Type
	// Column says that they come from a column: TEXT and BLOB columns then get of a number what its column shows.
	Column bool
}

// New makes the assigner of a column for values of a type. Errors are of what is not known: a kind of column, the order of a collation.
func New(mode types.Mode, column *Column, from Source) (*Assigner, error) {
	a := &Assigner{column: column}
	s, err := column.storer(mode)
	if err != nil {
		return nil, err
	}
	switch {
	case from.Kind == types.Null:
		a.store = func(*Context, types.Value) types.Value { return types.Value{Null: true} }
	case from.Kind.Address() || column.Kind.Address():
		a.addresses(s, from.Type)
	case from.Hybrid && s.numeric():
		a.store = a.hybrid(s)
	case (from.Kind == types.Enum || from.Kind == types.Set) && !s.numeric():
		a.store = memberNames(s, from.Type)
	case from.Column && column.Kind.Blob():
		if a.store = columnText(s, from.Type); a.store == nil {
			a.store = byClass(s, from.Type)
		}
	default:
		a.store = byClass(s, from.Type)
	}
	return a, nil
}

// byClass is the assignment of values by their class.
func byClass(s storer, from types.Type) func(c *Context, v types.Value) types.Value {
	switch from.Class() {
	case types.ClassInt:
		unsigned := from.Unsigned || from.Kind == types.Bit || from.Kind == types.Year || from.Kind == types.Enum || from.Kind == types.Set
		return func(c *Context, v types.Value) types.Value { return s.int(c, v.Int, unsigned) }
	case types.ClassFloat:
		return func(c *Context, v types.Value) types.Value { return s.float(c, v.Float) }
	case types.ClassDec:
		return func(c *Context, v types.Value) types.Value { return s.dec(c, v.Dec) }
	case types.ClassTime:
		kind, fraction := temporalKind(from.Kind), int(from.Decimals)
		return func(c *Context, v types.Value) types.Value {
			return s.time(c, temporal.Value{Packed: v.Time, Kind: kind}, fraction)
		}
	}
	set := from.Collation.Set()
	return func(c *Context, v types.Value) types.Value { return s.text(c, v.Text, set) }
}

// storer is the column's kind.
func (col *Column) storer(mode types.Mode) (storer, error) {
	f := field{col}
	switch {
	case col.Kind.Integer():
		return newWhole(f), nil
	case col.Kind.IsString():
		return newText(f), nil
	case col.Kind.Address():
		return &address{f}, nil
	}
	switch col.Kind {
	case types.Year:
		return &year{f}, nil
	case types.Bit:
		return &bits{f}, nil
	case types.Decimal:
		return &fixed{f}, nil
	case types.Float, types.Double:
		return newFloating(f), nil
	case types.Date, types.Time, types.Datetime, types.Timestamp:
		return newMoment(f, mode.Temporal()), nil
	case types.Enum:
		return newEnum(f)
	case types.Set:
		return newSet(f)
	}
	return nil, mysqlerr.NotYet("storing into " + col.Kind.String())
}

// Assign is what the column keeps of a value; the text of v is not kept beyond the value that is returned, which may share it. ok is
// false if the statement has failed: c.Diag has the error. A TIMESTAMP column's value has its moment in UTC (a temporal.Stamp) in Int,
// beside the local time.
func (a *Assigner) Assign(c *Context, v types.Value) (stored types.Value, ok bool) {
	if !v.Null {
		v = a.store(c, v)
	} else if !a.column.Nullable {
		v = a.null(c)
	}
	return v, c.Diag.Failed() == nil
}

// today is the date of a TIME that becomes a date.
func (c *Context) today() temporal.Packed { return c.Zone.DateTime(c.Now).Date() }

// null is NULL in a column that has none. A TIMESTAMP column gets the present time, whatever explicit_defaults_for_timestamp says.
func (a *Assigner) null(c *Context) types.Value {
	if a.column.Kind == types.Timestamp {
		v := c.Zone.DateTime(c.Now).Truncate(int(a.column.Decimals))
		s := c.Now - temporal.Stamp(c.Zone.DateTime(c.Now)-v) // they differ in microseconds only
		return types.Value{Time: v, Int: int64(s)}
	}
	if c.NullFails {
		c.Diag.Fail(mysqlerr.New(mysqlerr.BadNull, a.column.Name))
	} else {
		c.Diag.Warn(mysqlerr.BadNull, a.column.Name)
	}
	return a.column.Implicit()
}

// Implicit is the default of a NOT NULL column that has no other one: zero, the empty text, the zero date, the first member of an ENUM.
func (col *Column) Implicit() types.Value {
	v := types.Value{Text: []byte{}}
	switch {
	case col.Kind == types.Enum:
		v.Int = 1
	case col.Kind.Address():
		v.Text = make([]byte, addressSize(col.Kind))
	case col.Kind == types.Char && col.Binary():
		v.Text = make([]byte, col.Length)
	case col.Kind == types.Decimal:
		v.Dec, _ = decimal.FromInt64(0).Assign(col.Dec.Precision, col.Dec.Scale, col.Unsigned)
	}
	return v
}

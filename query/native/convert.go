package native

import (
	"context"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/temporal"
	"github.com/duramendb/duramen/row"
)

// Conversion makes the rows of a table of which ALTER TABLE gives a column another type.
type Conversion struct {
	session Session
	frame   *eval.Frame
	reader  *row.Reader
	value   *eval.Expr
	stamp   *eval.Expr // the moment of a TIMESTAMP that becomes another one; else nil
	assign  *assign.Assigner
	to      *assign.Context
	zero    types.Value // what the column has in the place of a value that is no time
	image   *relation.Image
	from    []int // which column of the table as it was each is
	at      int   // the changed one
	out     []byte
}

// Conversion is that of a column of a table as it was, which has a place in the table as it will be; nil for one that is not known. The other columns are the
// same in both, perhaps elsewhere.
func (s Session) Conversion(ctx context.Context, from, to *catalog.Table, fromAt, toAt int) (*Conversion, error) {
	c, err := s.conversion(ctx, from, to, fromAt, toAt)
	if refused(err) {
		return nil, nil //nolint:nilnil // see above
	}
	return c, err
}

func (s Session) conversion(ctx context.Context, from, to *catalog.Table, fromAt, toAt int) (*Conversion, error) {
	b, err := s.begin(ctx, nil)
	if err != nil {
		return nil, err
	}
	before, after := relation.Of(from), relation.Of(to)
	old, col := &before.Columns[fromAt], &after.Columns[toAt]
	switch {
	case old.Unknown != "" || col.Unknown != "" || old.Type.Kind.Address():
		return nil, bind.Refusal("a column of this type")
	case col.Type.JSON && !old.Type.JSON:
		return nil, bind.Refusal("a column that becomes JSON")
	}
	target := &assign.Column{Type: col.Type, Database: to.Def.DB, Table: to.Def.Name, Name: col.Def.Name}
	name := dialect.QuoteName(to.Def.DB) + "." + dialect.QuoteName(to.Def.Name) + "." + dialect.QuoteName(old.Def.Name)
	c := &Conversion{
		session: s, frame: b.frame, reader: row.NewReader(before.Layout), value: before.Expr(0, fromAt, name), at: toAt, zero: target.Implicit(),
		to:    &assign.Context{Diag: b.frame.Diag, Zone: b.frame.Zone, Now: b.frame.Started},
		image: relation.NewImage(after),
	}
	for i := range after.Columns {
		place := fromAt
		if i != toAt {
			place = before.Find(after.Columns[i].Def.Name)
		}
		if place < 0 || after.Columns[i].Def.Generated != "" {
			return nil, bind.Refusal("a table with generated columns")
		}
		c.from = append(c.from, place)
	}
	if old.Type.Kind == types.Timestamp && col.Type.Kind == types.Timestamp && (col.Type.Nullable || !old.Type.Nullable) {
		if c.stamp, err = plan.Shortened(b.frame.Env.Mode, c.value, target); err != nil {
			return nil, err
		}
	}
	if c.value, err = altered(b.binder, c.value, col.Type); err != nil {
		return nil, err
	}
	if c.assign, err = assign.New(b.frame.Env.Mode, target, assign.Source{Type: c.value.Type, Column: c.value.Type.Kind == old.Type.Kind}); err != nil {
		return nil, err
	}
	if c.assign.Mismatch != nil {
		return nil, bind.Refusal("a value of a type that the column does not take")
	}
	c.frame.Rows = []*row.Reader{c.reader}
	if c.frame.Env.Mode.Strict() {
		cut := old.Type.Kind == types.Varchar && col.Type.Kind == types.Varchar && old.Type.Collation.Set() == col.Type.Collation.Set()
		c.frame.Diag.Strict = func(number uint16) bool { return !cut || number != mysqlerr.DataTooLong } // the text is cut, which is another error
	}
	return c, nil
}

// altered is a column's value as it becomes one of a type by ALTER TABLE. Unlike assignment that first makes a number of what becomes one, by the rules of
// functions, a time of what becomes one, and text of a number.
func altered(b *bind.Binder, x *eval.Expr, to types.Type) (*eval.Expr, error) {
	from, class := x.Type, x.Type.Class()
	switch {
	case (to.Kind == types.Enum || to.Kind == types.Set) && (from.Kind == types.Float || from.Kind == types.Double || from.Kind == types.Decimal),
		to.Kind.Integer() || to.Kind == types.Bit && class != types.ClassDec:
		if class == types.ClassInt || class == types.ClassDec && to.Unsigned && to.Kind.Integer() {
			return x, nil
		}
		if class == types.ClassFloat {
			return wholeOf(b, x), nil
		}
		return b.ToInt(x), nil
	case to.Kind == types.Float || to.Kind == types.Double:
		return b.ToFloat(x), nil
	case to.Kind == types.Decimal:
		return b.ToDec(x), nil
	case to.Kind.IsString() && (class == types.ClassFloat || from.Kind == types.Year || from.Kind.Integer() && from.Zerofill):
		return b.ToText(x), nil
	case to.Kind.Temporal() && (class == types.ClassFloat || from.Kind == types.Year):
		return nil, bind.Refusal("a time made of a floating point number, or of a YEAR")
	case to.Kind.Temporal() && from.Kind != types.Bit && (class == types.ClassInt || class == types.ClassDec || class == types.ClassText):
		kind := types.Datetime
		if to.Kind == types.Time {
			kind = types.Time
		}
		return b.ToTime(x, kind, temporal.FractionMax)
	}
	return x, nil
}

// wholeOf is a floating point number as an integer, with a warning where it is none of a BIGINT.
func wholeOf(b *bind.Binder, x *eval.Expr) *eval.Expr {
	whole := b.ToInt(x)
	float, row := eval.Of[float64](x), eval.Of[int64](whole)
	return eval.New(whole.Name, whole.Type, func(f *eval.Frame) (int64, bool) {
		const bound = 1 << 63
		if v, null := float(f); !null && (v < -bound || v >= bound) {
			f.Warn(mysqlerr.DataOverflow, string(floattext.Append(nil, v, x.Type.Kind == types.Float)), "INT")
		}
		return row(f)
	}, x)
}

// Convert makes the new row of an old one. It is valid until the next call.
func (c *Conversion) Convert(image []byte) ([]byte, error) {
	c.frame.Reset()
	c.reader.Set(image)
	c.to.Reset()
	c.to.Row++
	c.frame.Row = c.to.Row
	c.image.Reset()
	v, err := c.new()
	if err != nil {
		return nil, err
	}
	for i, from := range c.from {
		if i == c.at {
			err = c.image.Set(i, v)
		} else {
			err = c.image.CopySame(i, c.reader, from)
		}
		if err != nil {
			return nil, err
		}
	}
	c.out, err = c.image.Append(c.out[:0], nil)
	return c.out, err
}

// new is the column's new value.
func (c *Conversion) new() (types.Value, error) {
	value := c.value
	if c.stamp != nil {
		value = c.stamp
	}
	v := value.Compute(c.frame)
	if failed := c.frame.Diag.Failed(); failed != nil || c.stamp != nil {
		return v, errorOf(failed)
	}
	if _, there := c.reader.Value(c.from[c.at]); v.Null && there {
		return c.zero, nil
	}
	v, _ = c.assign.Assign(c.to, v)
	return v, errorOf(c.frame.Diag.Failed())
}

// errorOf is an error that may be none.
func errorOf(e *mysqlerr.Error) error {
	if e == nil {
		return nil
	}
	return e
}

// Close gives the session what there is to say of the values.
func (c *Conversion) Close() { c.session.note(c.frame.Diag) }

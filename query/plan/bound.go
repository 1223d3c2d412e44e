package plan

import (
	"bytes"
	"math"
	"slices"
	"time"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
	"github.com/duramendb/duramen/row"
)

// of is what the conditions say of a part of an index.
func (f *found) of(part row.KeyPart) (b bound) {
	if part.PrefixLen > 0 || part.Desc {
		return b // equal texts may have prefixes that are not
	}
	if part.Padded > 0 {
		return f.beginning(part)
	}
	for i := range f.conds {
		if c := &f.conds[i]; c.column == part.Column {
			f.narrow(&b, part, c)
		}
	}
	if !b.isSet && b.lower != nil && bytes.Equal(b.lower, b.upper) {
		b.points, b.isSet = [][]byte{b.lower}, true
	}
	if part.Digest {
		b.lower, b.upper = nil, nil // they are in no order
	}
	b.points = slices.DeleteFunc(b.points, func(p []byte) bool {
		return b.lower != nil && bytes.Compare(p, b.lower) < 0 || b.upper != nil && bytes.Compare(p, b.upper) > 0
	})
	return b
}

func (f *found) narrow(b *bound, part row.KeyPart, c *cond) {
	if c.between {
		f.between(b, part, c.list[0], c.list[1])
		return
	}
	if c.op != tree.OpEqual && c.op != tree.OpNullSafeEqual {
		key, null, ok := f.component(part, c.list[0])
		f.excluding(&key, part, c)
		if null {
			b.points, b.isSet = nil, true // NULL is not less than anything
			return
		}
		if !ok {
			return
		}
		if c.op == tree.OpLess || c.op == tree.OpLessEqual {
			b.upper = further(b.upper, key.high, true)
		} else {
			b.lower = further(b.lower, key.low, false)
		}
		return
	}
	var points [][]byte
	null := [][]byte{row.AppendKeyNull(nil, false)}
	if !f.c.scope.src.Table.Columns[part.Column].Type.Nullable {
		null = nil
	}
	if len(c.list) == 0 {
		points = null
	}
	for _, v := range c.list {
		key, isNull, ok := f.component(part, v)
		switch {
		case isNull && c.op == tree.OpNullSafeEqual:
			points = append(points, null...)
		case isNull: // equals nothing
		case !ok || !bytes.Equal(key.low, key.high):
			return
		default:
			points = append(points, key.low)
		}
	}
	if b.isSet { // it must be in both
		before := map[string]bool{}
		for _, p := range b.points {
			before[string(p)] = true
		}
		points = slices.DeleteFunc(points, func(p []byte) bool { return !before[string(p)] })
	}
	b.points, b.isSet = points, true
}

// excluding moves the bound of < and > over integers to the first that it leaves in, so that no row beyond the range is read, and locked.
func (f *found) excluding(key *component, part row.KeyPart, c *cond) {
	tbl, x := f.c.scope.src.Table, c.list[0]
	if !tbl.Columns[part.Column].Type.Kind.Integer() || !x.Type.Kind.Integer() || !bytes.Equal(key.low, key.high) {
		return
	}
	v, null := eval.Of[int64](x)(f.c.b.Scratch)
	if null {
		return
	}
	at, step := &key.high, int64(-1)
	switch c.op {
	case tree.OpLess:
	case tree.OpGreater:
		at, step = &key.low, 1
	default:
		return
	}
	var next any = v + step
	if x.Type.Unsigned {
		next = uint64(v) + uint64(step)
	}
	moved, err := row.AppendKeyValue(nil, tbl.Table.Columns[part.Column], part, next)
	if err == nil && (bytes.Compare(moved, *at) > 0) == (step > 0) { // else it is beyond what there is
		*at = moved
	}
}

// between narrows by the bounds of BETWEEN. One that is not compared by the order of the index may change how the other one is compared.
func (f *found) between(b *bound, part row.KeyPart, low, high *eval.Expr) {
	from, null, ok := f.component(part, low)
	to, alsoNull, alsoOK := f.component(part, high)
	switch {
	case null && alsoNull || null && alsoOK || ok && alsoNull:
		b.points, b.isSet = nil, true // nothing is between NULL and anything, though it may be without doubt that it is not
	case !null && !alsoNull && ok && alsoOK:
		b.lower, b.upper = further(b.lower, from.low, false), further(b.upper, to.high, true)
	}
}

// component is where a constant belongs among a column's key components: between the greatest that is not greater and the least that is not
// less. They are the same for a value that the column can hold.
type component struct{ low, high []byte }

// component makes the key of a constant, as a comparison with the column takes it; ok is false where the comparison is not by the order of the
// index, or that is not known.
func (f *found) component(part row.KeyPart, x *eval.Expr) (key component, null, ok bool) {
	tbl := f.c.scope.src.Table
	col := &tbl.Columns[part.Column]
	frame := f.c.b.Scratch
	kept := frame.Diag
	frame.Diag = &types.Diagnostics{Most: 1} // what there is to say, the conditions say
	defer func() { frame.Diag = kept }()
	if x.Null() {
		return key, true, true
	}
	low, high, null := f.around(col, x)
	if len(frame.Diag.Conditions) > 0 || null || low == nil {
		return key, null && len(frame.Diag.Conditions) == 0, false
	}
	rc := tbl.Table.Columns[part.Column]
	var err error
	if key.low, err = row.AppendKeyValue(nil, rc, part, low); err != nil {
		return key, false, false
	}
	if key.high, err = row.AppendKeyValue(nil, rc, part, high); err != nil {
		return key, false, false
	}
	return key, false, true
}

// around are the greatest value of a column that is not greater than a constant, and the least that is not less, as package row takes values;
// nil if that is not known.
func (f *found) around(col *relation.Column, x *eval.Expr) (low, high any, null bool) {
	b, frame := &f.c.b.Builder, f.c.b.Scratch
	if x.Type.Hybrid || x.Type.Kind == types.Enum || x.Type.Kind == types.Set || x.Type.Kind == types.Bit {
		return nil, nil, false
	}
	switch k := col.Type.Kind; {
	case k.Integer():
		return f.integers(x)
	case k == types.Decimal && (x.Type.Class() == types.ClassInt || x.Type.Class() == types.ClassDec):
		d, null := eval.Of[decimal.Dec](b.ToDec(x))(frame)
		text := d.String()
		return text, text, null
	case (k == types.Float || k == types.Double) && col.Type.Decimals >= types.NotFixed && x.Type.Class() != types.ClassTime && !x.Timely():
		v, null := eval.Of[float64](b.ToFloat(x))(frame)
		return v, v, null
	case k.Temporal():
		return f.moments(col, x)
	case k.IsString() && x.Type.Class() == types.ClassText && !x.Timely() && ordered(col):
		return f.texts(col, x)
	case k.Address() && x.Type.Class() == types.ClassText:
		return f.address(k, x)
	}
	return nil, nil, false // of numbers with a fixed fraction, too: they are equal that differ by less than it shows
}

// integers are those around a number.
func (f *found) integers(x *eval.Expr) (low, high any, null bool) {
	frame := f.c.b.Scratch
	if x.Type.Kind.Integer() {
		v, null := eval.Of[int64](x)(frame)
		if x.Type.Unsigned {
			return uint64(v), uint64(v), null
		}
		return v, v, null
	}
	if x.Timely() || x.Type.Class() == types.ClassTime || x.Type.Class() == types.ClassInt {
		return nil, nil, false
	}
	v, null := eval.Of[float64](f.c.b.ToFloat(x))(frame)
	const exact = 1 << 52
	if math.Abs(v) > exact {
		return nil, nil, null
	}
	return int64(math.Floor(v)), int64(math.Ceil(v)), null
}

// moments are the dates or times around a date or time, or around a text that is one without a doubt.
func (f *found) moments(col *relation.Column, x *eval.Expr) (low, high any, null bool) {
	v, kind, null := f.moment(col, x)
	if null || kind == temporal.None {
		return nil, nil, null
	}
	p := v.DateParts()
	fraction := int(col.Type.Decimals)
	switch col.Type.Kind {
	case types.Time:
		if kind != temporal.Time {
			return nil, nil, false
		}
		p = v.TimeParts()
		d := time.Duration(p.Hour)*time.Hour + time.Duration(p.Minute)*time.Minute + time.Duration(p.Second)*time.Second
		d += time.Duration(p.Micro) * time.Microsecond
		if p.Negative {
			d = -d
		}
		return d, d, false
	case types.Date:
		if kind == temporal.Time {
			return nil, nil, false
		}
		d := row.Date{Year: p.Year, Month: p.Month, Day: p.Day}
		return d, d, false // of a time of the day: dates before it are not after this one, those after it not before
	case types.Datetime:
		if kind == temporal.Time || !whole(p.Micro, fraction) {
			return nil, nil, false
		}
		d := row.Date{Year: p.Year, Month: p.Month, Day: p.Day, Hour: p.Hour, Minute: p.Minute, Second: p.Second, Microsecond: p.Micro}
		return d, d, false
	}
	if kind == temporal.Time || !whole(p.Micro, fraction) {
		return nil, nil, false
	}
	return f.stamps(v)
}

// whole reports whether microseconds need no more digits of a fraction.
func whole(micro, digits int) bool {
	unit := 1
	for range temporal.FractionMax - digits {
		unit *= 10
	}
	return micro%unit == 0
}

// stamps is the moment of a local time, if there is one only. Zones move their clocks by less than the distances that are looked at.
func (f *found) stamps(v temporal.Packed) (low, high any, null bool) {
	zone := f.c.b.Scratch.Zone
	s, gap, ok := zone.Stamp(v)
	if !ok || gap || zone.DateTime(s) != v || s == 0 {
		return nil, nil, false
	}
	const hour = temporal.Stamp(3_600_000_000)
	for _, d := range [...]temporal.Stamp{hour / 2, hour, 2 * hour, 3 * hour, 24 * hour} {
		if zone.DateTime(s-d) == v || zone.DateTime(s+d) == v || zone.DateTime(s-d) > v || zone.DateTime(s+d) < v {
			return nil, nil, false
		}
	}
	at := time.UnixMicro(int64(s)).UTC()
	return at, at, false
}

// moment is a constant as a date or time; None if it is none, or one with a warning.
func (f *found) moment(col *relation.Column, x *eval.Expr) (v temporal.Packed, k temporal.Kind, null bool) {
	frame := f.c.b.Scratch
	switch {
	case x.Type.Class() == types.ClassTime:
		v, null = eval.Of[temporal.Packed](x)(frame)
		switch x.Type.Kind {
		case types.Date:
			return v, temporal.Date, null
		case types.Time:
			return v, temporal.Time, null
		}
		return v, temporal.DateTime, null
	case x.Type.Class() == types.ClassText && !x.Timely() && x.Type.Collation.Set().ASCIIBytes():
		text, null := eval.Of[[]byte](x)(frame)
		if null {
			return 0, temporal.None, true
		}
		context := temporal.InDate
		if col.Type.Kind == types.Time {
			context = temporal.InTime
		}
		var mode temporal.Mode
		r := mode.Parse(text, context)
		if r.Cond != 0 {
			return 0, temporal.None, false
		}
		return r.Value.Packed, r.Value.Kind, false
	}
	return 0, temporal.None, false
}

// texts is a text in the column's character set, if it is compared by the column's collation.
func (f *found) texts(col *relation.Column, x *eval.Expr) (low, high any, null bool) {
	like := eval.NewValue(col.Type, types.Value{})
	a, texts, err := f.c.b.Agree("=", true, like, x)
	if err != nil || a.Collation != col.Type.Collation {
		return nil, nil, false
	}
	s, null := eval.Of[[]byte](texts[1])(f.c.b.Scratch)
	s = bytes.Clone(s)
	if s == nil {
		s = []byte{}
	}
	return s, s, null
}

// address is a constant as a UUID, INET4 or INET6; a text that is none is compared as NULL, which is not for an index to say.
func (f *found) address(k types.Kind, x *eval.Expr) (low, high any, null bool) {
	if k != x.Type.Kind && !x.Type.Kind.IsString() {
		return nil, nil, false
	}
	v, null := eval.Of[[]byte](f.c.b.ToAddress(x, k))(f.c.b.Scratch)
	if null {
		return nil, nil, true
	}
	v = bytes.Clone(v)
	return v, v, false
}

// ordered reports whether the components of a column's keys order as SQL compares its values.
func ordered(col *relation.Column) bool {
	switch k := col.Type.Kind; {
	case k.IsString():
		return !otherOrder[col.Type.Collation.Name()]
	case k == types.Enum || k == types.Set: // by their numbers
		return true
	}
	return true
}

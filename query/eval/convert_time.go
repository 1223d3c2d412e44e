package eval

import (
	"strconv"

	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Reading is how an expression is read as a date or a time.
type Reading struct {
	Context temporal.Context
	Mode    temporal.Mode
	// Raw leaves a TIME a TIME where a date is asked for; else it is counted from the statement's day.
	Raw bool
	// Span reads the second argument of ADDTIME: a TIME with more hours, and no date. Context does not count then.
	Span bool
	// Comparing reads what is no date as 0000-00-00, with a warning of its own words, and takes days that no month has: comparisons do.
	Comparing bool

	column string // the name of the column that is read, for warnings; "" for other expressions
}

// value is what was read, or NULL.
func (how Reading) value(v temporal.Value) (temporal.Value, bool) {
	if v.Kind == temporal.None && how.Comparing {
		if how.Context == temporal.InTime {
			return temporal.Value{Kind: temporal.Time}, false
		}
		return temporal.Value{Kind: temporal.DateTime}, false
	}
	return v, v.Kind == temporal.None
}

// Moment is a row form that reads an expression as a date or time, and warns of what it cannot use. The value's kind is known only
// when it is computed: a text may be a TIME or a DATETIME.
type Moment func(*Frame) (v temporal.Value, null bool)

// KindOf is what the values of a temporal type are.
func KindOf(k types.Kind) temporal.Kind {
	switch k {
	case types.Date:
		return temporal.Date
	case types.Time:
		return temporal.Time
	case types.Datetime, types.Timestamp:
		return temporal.DateTime
	}
	return temporal.None
}

// Today is the day on which the statement started, in the session's time zone.
func (f *Frame) Today() temporal.Packed {
	return f.Zone.DateTime(f.Now()).Date()
}

// Moment reads an expression of any type as a date or time; error 1235 refuses types for which that is not done.
func (b *Builder) Moment(x *Expr, how Reading) (Moment, error) {
	if x.Null() {
		row := Of[[]byte](x)
		return func(f *Frame) (temporal.Value, bool) {
			row(f)
			return temporal.Value{}, true
		}, nil
	}
	if how.column = ""; !computed(x) {
		how.column = x.Name
	}
	switch k := x.Type.Kind; {
	case k == types.Enum || k == types.Set || k == types.Bit && !computed(x):
		x = b.ToText(x)
	case k.Address():
		return nil, mysqlerr.NotYet("a date of " + x.Type.Name())
	case k == types.Year && !how.Span:
		return momentOfYear(x, how), nil
	}
	switch class := x.Type.Class(); {
	case x.moment != nil && !(how.Span && class == types.ClassText):
		return how.fit(x.moment(how)), nil
	case class == types.ClassTime:
		return momentOfTime(x, how), nil
	case how.Span && class != types.ClassText:
		return momentOfText(b.ToText(x), how), nil
	case class == types.ClassText:
		return momentOfText(x, how), nil
	case class == types.ClassInt:
		return momentOfInt(x, how), nil
	case class == types.ClassFloat:
		return momentOfFloat(x, how), nil
	}
	return momentOfDec(x, how), nil
}

// ReadBy says how the expression is read as a date or time, where that depends on the reading, or where the expression is text made of a
// date: which is then no text to be read again. It changes the node, and is for the code that made it.
func (x *Expr) ReadBy(f func(Reading) Moment) *Expr {
	x.moment = f
	return x
}

// fit brings values to what the reading asks for.
func (how Reading) fit(row Moment) Moment {
	toDate := how.Context == temporal.InDate && !how.Raw
	return func(f *Frame) (temporal.Value, bool) {
		v, null := row(f)
		switch {
		case null:
			return v, true
		case how.Span && v.Kind != temporal.Time:
			f.incorrect("INTERVAL DAY TO SECOND", string(v.Append(nil, temporal.AutoFraction)))
			return v, true
		case how.Span:
			return v, false
		case toDate && v.Kind == temporal.Time:
			return v.As(temporal.DateTime, f.Today()), false
		}
		return v, false
	}
}

func momentOfTime(x *Expr, how Reading) Moment {
	row, kind := Of[temporal.Packed](x), KindOf(x.Type.Kind)
	check := how.Context == temporal.InDate && kind != temporal.Time && !how.Span
	return how.fit(func(f *Frame) (temporal.Value, bool) {
		p, null := row(f)
		v := temporal.Value{Packed: p, Kind: kind}
		if !null && check && !how.Complete(f, v) {
			return v, true
		}
		return v, null
	})
}

// Complete reports whether the reading allows a date, and warns if it does not.
func (how Reading) Complete(f *Frame, v temporal.Value) bool {
	if how.Mode.Check(v.Packed) == 0 {
		return true
	}
	f.incorrect("datetime", string(v.Append(nil, temporal.AutoFraction)))
	return false
}

func momentOfText(x *Expr, how Reading) Moment {
	row, set := Of[[]byte](x), x.Type.Collation.Set()
	return func(f *Frame) (temporal.Value, bool) {
		s, null := row(f)
		if null {
			return temporal.Value{}, true
		}
		r := how.parse(ascii(f, set, s))
		if r.Cond != 0 {
			how.warn(f, r, how.quote(set, s))
		}
		return how.value(r.Value)
	}
}

// quote is a text as warnings about dates show it: its bytes, not its characters.
func (how Reading) quote(set *charset.Set, s []byte) string {
	if how.Span {
		return Quotable(set, s)
	}
	const most, shorter = 128, 125
	out := make([]byte, 0, most)
	for _, c := range s {
		size := len(out)
		if c >= ' ' && c <= '~' {
			out = append(out, c)
		} else {
			out = append(out, '\\', 'x', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
		}
		if len(out) > most-1 {
			return string(append(out[:min(size, shorter)], "..."...))
		}
	}
	return string(out)
}

func (how Reading) parse(s []byte) temporal.Result {
	if how.Span {
		return how.Mode.ParseSpan(s)
	}
	return how.Mode.Parse(s, how.Context)
}

// momentOfYear is YEAR as a date: without month and day. As a time it is midnight. 0 is the number 0.
func momentOfYear(x *Expr, how Reading) Moment {
	row := Of[int64](x)
	return how.fit(func(f *Frame) (temporal.Value, bool) {
		n, null := row(f)
		if null {
			return temporal.Value{}, true
		}
		v := temporal.Value{Packed: temporal.Packed(n * 13 << 46), Kind: temporal.Date}
		if n == 0 {
			v = how.Mode.Number(temporal.IntNumber(0), how.Context).Value
		}
		if how.Context != temporal.InDate || how.Span || how.Mode.Check(v.Packed) == 0 {
			return v, false
		}
		if how.column == "" {
			f.incorrect("datetime", strconv.FormatInt(n*10000, 10))
		} else {
			f.Diag.Warnf(mysqlerr.TruncatedWrongValue, ofColumn, "datetime", strconv.FormatInt(n*10000, 10), how.column, f.Row)
		}
		return v, true
	})
}

func momentOfInt(x *Expr, how Reading) Moment {
	row, unsigned := Of[int64](x), x.Type.Unsigned
	return func(f *Frame) (temporal.Value, bool) {
		n, null := row(f)
		if null {
			return temporal.Value{}, true
		}
		number := temporal.IntNumber(n)
		if unsigned {
			number = temporal.UintNumber(uint64(n))
		}
		r := how.Mode.Number(number, how.Context)
		if r.Cond != 0 {
			quoted := strconv.FormatInt(n, 10)
			if unsigned {
				quoted = strconv.FormatUint(uint64(n), 10)
			}
			how.warn(f, r, quoted)
		}
		return how.value(r.Value)
	}
}

func momentOfFloat(x *Expr, how Reading) Moment {
	row := Of[float64](x)
	return func(f *Frame) (temporal.Value, bool) {
		n, null := row(f)
		if null {
			return temporal.Value{}, true
		}
		r := how.Mode.Number(temporal.FloatNumber(n), how.Context)
		if r.Cond != 0 {
			how.warn(f, r, string(floattext.Append(nil, n, false)))
		}
		return how.value(r.Value)
	}
}

func momentOfDec(x *Expr, how Reading) Moment {
	row := Of[decimal.Dec](x)
	return func(f *Frame) (temporal.Value, bool) {
		d, null := row(f)
		if null {
			return temporal.Value{}, true
		}
		text := d.Append(f.Buffer(decimal.TextMax))
		r := how.Mode.Number(temporal.DecimalNumber(text), how.Context)
		if r.Cond != 0 {
			how.warn(f, r, string(text))
		}
		return how.value(r.Value)
	}
}

// ofColumn is the message of 1292 about the value of a column.
const ofColumn = "Incorrect %s value: '%s' for column %s at row %d"

// warn tells what happened when something was read; quoted is how it is shown.
func (how Reading) warn(f *Frame, r temporal.Result, quoted string) {
	f.noNextHour(r)
	w, ok := r.Warning(how.Context)
	if how.Span {
		w, ok = r.SpanWarning()
	}
	switch {
	case !ok:
	case how.column != "" && !how.Span && w.Note:
		f.Diag.Notef(mysqlerr.TruncatedWrongValue, ofColumn, w.Word, quoted, how.column, f.Row)
	case how.column != "" && !how.Span:
		f.Diag.Warnf(mysqlerr.TruncatedWrongValue, ofColumn, w.Word, quoted, how.column, f.Row)
	case w.Note:
		f.Note(mysqlerr.TruncatedWrongValue, w.Word, quoted)
	case w.Useless && !how.Comparing:
		f.incorrect(w.Word, quoted)
	default:
		f.Warn(mysqlerr.TruncatedWrongValue, w.Word, quoted)
	}
}

// incorrect is warning 1292 of what is of no use at all.
func (f *Frame) incorrect(word, quoted string) {
	f.Diag.Warnf(mysqlerr.TruncatedWrongValue, "Incorrect %s value: '%s'", word, quoted)
}

func (f *Frame) noNextHour(r temporal.Result) {
	if r.Cond&temporal.NoNextHour != 0 {
		f.Warn(mysqlerr.WrongValueForType, "date", string(temporal.AppendDate(nil, r.Value.Packed)), "round(datetime)")
	}
}

// ToTime is CAST of an expression to DATE, TIME(fraction) or DATETIME(fraction), with a node that prints itself as x does.
func (b *Builder) ToTime(x *Expr, k types.Kind, fraction int) (*Expr, error) {
	kind, mode := KindOf(k), b.Env.Mode.Temporal()
	how := Reading{Context: temporal.ContextOf(kind), Mode: mode.For(kind), Raw: true}
	cast := func(row Moment) Moment {
		return func(f *Frame) (temporal.Value, bool) {
			v, null := row(f)
			if null {
				return v, true
			}
			r := mode.Cast(temporal.Result{Value: v}, kind, fraction, f.today(v.Kind, kind))
			f.noNextHour(r)
			return r.Value, r.Value.Kind == temporal.None
		}
	}
	row, err := b.Moment(x, how)
	if err != nil {
		return nil, err
	}
	plain := cast(row)
	y := New("", types.TemporalType(k, fraction).OrNull(), func(f *Frame) (temporal.Packed, bool) {
		v, null := plain(f)
		return v.Packed, null
	}, x).As(x)
	return y.ReadBy(func(outer Reading) Moment {
		if kind == temporal.Time && !outer.Comparing || !outer.Mode.NoZeroDate && !outer.Mode.NoZeroInDate && !outer.Comparing {
			return plain
		}
		strict := how
		strict.Comparing = outer.Comparing
		strict.Mode.NoZeroDate = how.Mode.NoZeroDate || outer.Mode.NoZeroDate
		strict.Mode.NoZeroInDate = how.Mode.NoZeroInDate || outer.Mode.NoZeroInDate
		row, err := b.Moment(x, strict)
		if err != nil { // it was read before
			return plain
		}
		return cast(row)
	}), nil
}

// today is Today where a conversion needs it.
func (f *Frame) today(from, to temporal.Kind) temporal.Packed {
	if from != temporal.Time || to == temporal.Time {
		return 0
	}
	return f.Today()
}

// Fraction is how many digits of seconds an expression has when it is read as a time (context InTime) or a date (InDate): of constant text
// as many as are written.
func (b *Builder) Fraction(x *Expr, c temporal.Context) int {
	if s, ok := b.constText(x); ok {
		if r := (temporal.Mode{}).Parse(s, c); r.Value.Kind != temporal.None {
			return int(r.Digits)
		}
	}
	if x.Type.Class() == types.ClassInt { // ENUM and SET among them
		return 0
	}
	return min(int(x.Type.Decimals), temporal.FractionMax)
}

// SpanFraction is Fraction of what is read as a Span. It is above 6 where the type of a date or time does not say it.
func (b *Builder) SpanFraction(x *Expr) int {
	switch x.Type.Class() {
	case types.ClassTime:
		return int(x.Type.Decimals)
	case types.ClassInt, types.ClassFloat, types.ClassDec:
		return min(int(x.Type.Decimals), temporal.FractionMax)
	}
	if s, ok := b.constText(x); ok {
		if r := (temporal.Mode{}).ParseSpan(s); r.Value.Kind != temporal.None {
			return int(r.Digits)
		}
	}
	return temporal.FractionMax
}

// constText is the value of a constant text. Its conditions are the statement's: MariaDB computes such an argument once more.
func (b *Builder) constText(x *Expr) ([]byte, bool) {
	if !x.Is(Constant) || x.Type.Class() != types.ClassText || x.Null() {
		return nil, false
	}
	s, null := Of[[]byte](x)(b.Scratch)
	if null {
		return nil, false
	}
	return ascii(b.Scratch, x.Type.Collation.Set(), s), true
}

// Timely reports whether the expression is a date or time, or text made of one.
func (x *Expr) Timely() bool { return x.Type.Class() == types.ClassTime || x.moment != nil }

// made is the row form of what is Timely.
func made(x *Expr) Moment {
	if x.Type.Class() == types.ClassText {
		return x.moment(Reading{Raw: true})
	}
	row, kind := Of[temporal.Packed](x), KindOf(x.Type.Kind)
	return func(f *Frame) (temporal.Value, bool) {
		p, null := row(f)
		return temporal.Value{Packed: p, Kind: kind}, null
	}
}

// timeInt is a date or time as an integer, without its fraction.
func (b *Builder) timeInt(x *Expr, t types.Type) *Expr {
	row := made(x)
	return New("", t, func(f *Frame) (int64, bool) {
		v, null := row(f)
		if null {
			return 0, true
		}
		return v.Int(), false
	}, x).As(x)
}

func (b *Builder) momentFloat(x *Expr, t types.Type) *Expr {
	row := made(x)
	return New("", t, func(f *Frame) (float64, bool) {
		v, null := row(f)
		if null {
			return 0, true
		}
		return v.Float(), false
	}, x).As(x)
}

func (b *Builder) momentDec(x *Expr, t types.Type) *Expr {
	row, fraction := made(x), min(int(x.Type.Decimals), temporal.FractionMax)
	return New("", t, func(f *Frame) (decimal.Dec, bool) {
		v, null := row(f)
		if null {
			return decimal.Dec{}, true
		}
		d, _, _ := decimal.Parse(v.AppendNumber(f.Buffer(decimal.TextMax), fraction))
		return d, false
	}, x).As(x)
}

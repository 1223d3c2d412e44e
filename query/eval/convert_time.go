package eval

import (
	"strconv"

	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
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
func (f *Frame) Today() temporal.Packed { return f.Zone.DateTime(f.Started).Date() }

// Moment reads an expression of any type as a date or time; error 1235 refuses types for which that is not done.
func (b *Builder) Moment(x *Expr, how Reading) (Moment, error) {
	if x.Null() {
		row := Of[[]byte](x)
		return func(f *Frame) (temporal.Value, bool) {
			row(f)
			return temporal.Value{}, true
		}, nil
	}
	if k := x.Type.Kind; k == types.Year || k == types.Bit || k == types.Enum || k == types.Set || k.Address() {
		return nil, mysqlerr.NotYet("a date of " + x.Type.Name())
	}
	switch class := x.Type.Class(); {
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

func momentOfTime(x *Expr, how Reading) Moment {
	row, kind := Of[temporal.Packed](x), KindOf(x.Type.Kind)
	if how.Span {
		return func(f *Frame) (temporal.Value, bool) {
			p, null := row(f)
			if !null && kind != temporal.Time {
				v := temporal.Value{Packed: p, Kind: kind}
				f.incorrect("INTERVAL DAY TO SECOND", string(v.Append(nil, temporal.AutoFraction)))
				return temporal.Value{}, true
			}
			return temporal.Value{Packed: p, Kind: kind}, null
		}
	}
	toDate := how.Context == temporal.InDate && kind == temporal.Time && !how.Raw
	check := how.Context == temporal.InDate && kind != temporal.Time
	return func(f *Frame) (temporal.Value, bool) {
		p, null := row(f)
		v := temporal.Value{Packed: p, Kind: kind}
		switch {
		case null:
			return v, true
		case toDate:
			return v.As(temporal.DateTime, f.Today()), false
		case check && how.Mode.Check(p) != 0:
			f.incorrect("datetime", string(v.Append(nil, temporal.AutoFraction)))
			return temporal.Value{}, true
		}
		return v, false
	}
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
			how.warn(f, r, quotable(set, s))
		}
		return r.Value, r.Value.Kind == temporal.None
	}
}

func (how Reading) parse(s []byte) temporal.Result {
	if how.Span {
		return how.Mode.ParseSpan(s)
	}
	return how.Mode.Parse(s, how.Context)
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
		return r.Value, r.Value.Kind == temporal.None
	}
}

func momentOfFloat(x *Expr, how Reading) Moment {
	row, single := Of[float64](x), x.Type.Kind == types.Float
	return func(f *Frame) (temporal.Value, bool) {
		n, null := row(f)
		if null {
			return temporal.Value{}, true
		}
		r := how.Mode.Number(temporal.FloatNumber(n), how.Context)
		if r.Cond != 0 {
			how.warn(f, r, string(floattext.Append(nil, n, single)))
		}
		return r.Value, r.Value.Kind == temporal.None
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
		return r.Value, r.Value.Kind == temporal.None
	}
}

// warn tells what happened when something was read; quoted is how it is shown.
func (how Reading) warn(f *Frame, r temporal.Result, quoted string) {
	f.noNextHour(r)
	w, ok := r.Warning(how.Context)
	if how.Span {
		w, ok = r.SpanWarning()
	}
	switch {
	case !ok:
	case w.Note:
		f.Note(mysqlerr.TruncatedWrongValue, w.Word, quoted)
	case w.Useless:
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
	row, err := b.Moment(x, Reading{Context: temporal.ContextOf(kind), Mode: mode.For(kind), Raw: true})
	if err != nil {
		return nil, err
	}
	return New("", types.TemporalType(k, fraction).OrNull(), func(f *Frame) (temporal.Packed, bool) {
		v, null := row(f)
		if null {
			return 0, true
		}
		r := mode.Cast(temporal.Result{Value: v}, kind, fraction, f.today(v.Kind, kind))
		f.noNextHour(r)
		return r.Value.Packed, r.Value.Kind == temporal.None
	}, x).As(x), nil
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
	return min(int(x.Type.Decimals), temporal.FractionMax)
}

// SpanFraction is Fraction of what is read as a Span.
func (b *Builder) SpanFraction(x *Expr) int {
	if x.Type.Class() != types.ClassText {
		return min(int(x.Type.Decimals), temporal.FractionMax)
	}
	if s, ok := b.constText(x); ok {
		if r := (temporal.Mode{}).ParseSpan(s); r.Value.Kind != temporal.None {
			return int(r.Digits)
		}
	}
	return temporal.FractionMax
}

// constText is the value of a constant text.
func (b *Builder) constText(x *Expr) ([]byte, bool) {
	if !x.Is(Constant) || x.Type.Class() != types.ClassText || x.Null() {
		return nil, false
	}
	diag := b.Scratch.Diag
	b.Scratch.Diag = &types.Diagnostics{Most: 1}
	defer func() { b.Scratch.Diag = diag }()
	s, null := Of[[]byte](x)(b.Scratch)
	if null {
		return nil, false
	}
	return ascii(b.Scratch, x.Type.Collation.Set(), s), true
}

package date

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// zones are functions in which a time zone counts.
var zones = []eval.Def{
	{Name: "UNIX_TIMESTAMP", Min: 0, Max: 1, Bind: unixTimestamp},
	{Name: "FROM_UNIXTIME", Min: 1, Max: 2, Bind: fromUnixtime},
	{Name: "CONVERT_TZ", Min: 3, Max: 3, Bind: convertZone},
}

func unixTimestamp(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	whole := types.BigintType(17, false).OrNull()
	if len(args) == 0 {
		return eval.New("unix_timestamp", whole, func(f *eval.Frame) (int64, bool) {
			sec, _ := f.Now().Unix()
			return sec, false
		}).With(eval.Session), nil
	}
	if at := args[0].Instant(); at != nil && args[0].Type.Kind == types.Timestamp {
		return unixOf(at, args[0], whole).With(eval.Session), nil
	}
	how := lenient(b)
	how.Mode.NoZeroInDate = true
	fraction, again := b.Fraction(args[0], temporal.InDate), once(args[0])
	if fraction == 0 {
		x, err := over(b, "unix_timestamp", whole, how, args[0], func(f *eval.Frame, v temporal.Value) (int64, bool) {
			again(f)
			sec, ok := f.Zone.UnixTimestamp(v.Packed)
			return sec, !ok
		})
		if err != nil {
			return nil, err
		}
		return x.With(eval.Session), nil
	}
	x, err := over(b, "unix_timestamp", secondsType(fraction), how, args[0], func(f *eval.Frame, v temporal.Value) (decimal.Dec, bool) {
		again(f)
		sec, ok := f.Zone.UnixTimestamp(v.Packed)
		return secondsDec(sec, int64(v.Packed.Truncate(fraction).DateParts().Micro)), !ok
	})
	if err != nil {
		return nil, err
	}
	return x.With(eval.Session), nil
}

// unixOf is UNIX_TIMESTAMP of a TIMESTAMP, which is a moment: no local time is between them. A zero date is 0 if it is a column's, else NULL (Item_func_unix_timestamp::get_timestamp_value in MariaDB's sql/item_timefunc.cc).
func unixOf(at, x *eval.Expr, whole types.Type) *eval.Expr {
	const micro = 1_000_000
	row := eval.Of[int64](at)
	_, _, zero := x.Column()
	moment := func(f *eval.Frame) (int64, bool) {
		m, null := row(f)
		return m, null || m == 0 && !zero
	}
	if x.Type.Decimals == 0 {
		return eval.New("unix_timestamp", whole, func(f *eval.Frame) (int64, bool) {
			m, null := moment(f)
			return m / micro, null
		}, x)
	}
	return eval.New("unix_timestamp", secondsType(int(x.Type.Decimals)).OrNull(), func(f *eval.Frame) (decimal.Dec, bool) {
		m, null := moment(f)
		return secondsDec(m/micro, m%micro), null
	}, x)
}

// once computes an argument that is a call for text once more, as MariaDB's UNIX_TIMESTAMP does to see whether it is NULL: its warnings come twice.
func once(x *eval.Expr) func(*eval.Frame) {
	if len(x.Args) == 0 || x.Type.Class() != types.ClassText {
		return func(*eval.Frame) {}
	}
	return func(f *eval.Frame) { x.Compute(f) }
}

// unfixedFraction is the type of a DATETIME whose number of digits is not known: MariaDB says so to clients, too.
func unfixedFraction() types.Type {
	t := types.TemporalType(types.Datetime, temporal.FractionMax)
	t.Decimals = types.NotFixedText
	return t
}

// fromUnixtime is FROM_UNIXTIME(n) or, with a format, DATE_FORMAT of it.
func fromUnixtime(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	sec, mode := seconds(b, args[0]), b.Env.Mode.Temporal()
	t := types.TemporalType(types.Datetime, sec.fraction)
	if class := args[0].Type.Class(); args[0].Type.Decimals > temporal.FractionMax && class != types.ClassDec {
		t = unfixedFraction()
	}
	x := eval.New("from_unixtime", t.OrNull(), func(f *eval.Frame) (temporal.Packed, bool) {
		n, shown, null := sec.row(f)
		if null {
			return 0, true
		}
		v, clipped, ok := mode.FromUnixtime(n, sec.fraction, f.Zone)
		if clipped {
			f.Warn(mysqlerr.TruncatedWrongValue, "unixtime", shown.String())
		}
		return v, !ok
	}, args[0]).With(eval.Session)
	if len(args) == 1 {
		return x, nil
	}
	return dateFormat(b, append([]*eval.Expr{x}, args[1:]...))
}

// zoneNamed is the row form of a time zone's name; nil is NULL, or a name that is unknown. A literal is looked up once.
func zoneNamed(b *eval.Builder, x *eval.Expr) func(*eval.Frame) *temporal.Zone {
	find := func(f *eval.Frame, s []byte) *temporal.Zone {
		z, err := temporal.ParseZone(string(s))
		if err != nil {
			return nil
		}
		return z
	}
	text := b.ToText(x)
	if x.Null() {
		return func(*eval.Frame) *temporal.Zone { return nil }
	}
	row := eval.Of[[]byte](b.ToSet(text, utf8mb4))
	if x.Is(eval.Literal) {
		if s, null := row(b.Scratch); !null {
			z := find(b.Scratch, s)
			return func(*eval.Frame) *temporal.Zone { return z }
		}
	}
	return func(f *eval.Frame) *temporal.Zone {
		s, null := row(f)
		if null {
			return nil
		}
		return find(f, s)
	}
}

// convertZone is CONVERT_TZ: the zones are computed before the date.
func convertZone(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	row, err := b.Moment(args[0], complete(b))
	if err != nil {
		return nil, err
	}
	from, to := zoneNamed(b, args[1]), zoneNamed(b, args[2])
	fraction := b.Fraction(args[0], temporal.InDate)
	return eval.New("convert_tz", types.TemporalType(types.Datetime, fraction).OrNull(), func(f *eval.Frame) (temporal.Packed, bool) {
		source, target := from(f), to(f)
		if source == nil || target == nil {
			return 0, true
		}
		v, null := row(f)
		if null {
			return 0, true
		}
		return temporal.Convert(v.Packed, source, target).Truncate(fraction), false
	}, args...).With(eval.Session), nil
}

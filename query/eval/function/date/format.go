package date

import (
	"bytes"
	"unicode/utf8"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/temporal"
)

// formats are functions between dates and text.
var formats = []eval.Def{
	{Name: "DATE_FORMAT", Min: 2, Max: 3, Bind: dateFormat},
	{Name: "TIME_FORMAT", Min: 2, Max: 2, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return format(b, "time_format", args[0], args[1], timeOrDate(b), nil)
	}},
	{Name: "DAYNAME", Min: 1, Max: 1, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return nameOf(b, "dayname", args[0], complete(b), func(n *temporal.Names) []string { return n.Days[:] },
			func(n *temporal.Names, v temporal.Packed) (string, bool) { return n.DayName(v), true })
	}},
	{Name: "MONTHNAME", Min: 1, Max: 1, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return nameOf(b, "monthname", args[0], lenient(b), func(n *temporal.Names) []string { return n.Months[:] }, (*temporal.Names).MonthName)
	}},
	{Name: "TO_CHAR", Min: 1, Max: 2, Bind: toChar},
	{Name: "STR_TO_DATE", Min: 2, Max: 2, Bind: strToDate},
}

// sessionNames are those of lc_time_names.
func sessionNames(b *eval.Builder) (*temporal.Names, error) {
	names, ok := temporal.Locale(b.Env.Names)
	if !ok {
		return nil, mysqlerr.New(mysqlerr.UnknownLocale, b.Env.Names)
	}
	return names, nil
}

// nameOf is the name of a month or a day, in a type as long as the longest.
func nameOf(b *eval.Builder, name string, x *eval.Expr, how eval.Reading, all func(*temporal.Names) []string,
	one func(*temporal.Names, temporal.Packed) (string, bool),
) (*eval.Expr, error) {
	names, err := sessionNames(b)
	if err != nil {
		return nil, err
	}
	most := 0
	for _, s := range all(names) {
		most = max(most, utf8.RuneCountInString(s))
	}
	t := plain(b, uint64(most))
	t.ASCII = names.ASCII()
	out, err := inConnection(b, t, func(t types.Type) (*eval.Expr, error) {
		return over(b, name, t, how, x, func(f *eval.Frame, v temporal.Value) ([]byte, bool) {
			s, ok := one(names, v.Packed)
			return append(f.Buffer(len(s)), s...), !ok
		})
	})
	if err != nil {
		return nil, err
	}
	out.Type.Nullable = true
	return out.With(eval.Session), nil
}

// dateFormat is DATE_FORMAT; the third argument is a locale.
func dateFormat(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	names := localeOf{}
	if len(args) == 3 {
		var err error
		if names, err = locale(b, args[2]); err != nil {
			return nil, err
		}
	}
	return format(b, "date_format", args[0], args[1], raw(lenient(b)), &names)
}

// localeOf is a locale that is written: its names, and the name that is not known.
type localeOf struct {
	names   *temporal.Names
	unknown string
	written bool
}

func locale(b *eval.Builder, x *eval.Expr) (localeOf, error) {
	if x.Null() {
		return localeOf{unknown: "NULL", written: true}, nil
	}
	if !x.Is(eval.Constant) {
		return localeOf{}, mysqlerr.NotYet("a locale that is not constant")
	}
	s, null := eval.Of[[]byte](b.ToSet(b.ToText(x), utf8mb4))(b.Scratch)
	if null {
		return localeOf{unknown: "NULL", written: true}, nil
	}
	names, ok := temporal.Locale(string(s))
	if !ok {
		return localeOf{unknown: string(s), written: true}, nil
	}
	return localeOf{names: names, written: true}, nil
}

// formatLengths are how many characters the letters of a format may become at most; others become one.
var formatLengths = [256]uint8{
	'M': 64, 'W': 64, 'D': 4, 'Y': 4, 'x': 4, 'X': 4, 'a': 32, 'b': 32, 'j': 3, 'u': 2, 'U': 2, 'v': 2, 'V': 2, 'y': 2, 'm': 2, 'd': 2, 'h': 2,
	'i': 2, 'I': 2, 'l': 2, 'p': 2, 'S': 2, 's': 2, 'c': 2, 'e': 2, 'k': 7, 'H': 7, 'r': 11, 'T': 8, 'f': 6,
}

func formatLength(s []byte) uint64 {
	n := uint64(0)
	for i := 0; i < len(s); i++ {
		if s[i] != '%' || i == len(s)-1 {
			n++
			continue
		}
		i++
		n += uint64(max(formatLengths[s[i]], 1))
	}
	return n
}

// unwritten is how much longer than a format that is not written the result may be, for each byte of it.
const unwritten = 10

// blobLength is the most that MariaDB says of a result's length, in bytes.
const blobLength = 1 << 24

// unwrittenLength is the length of a result by a format that is not written, in characters; text is the format as a text.
func unwrittenLength(b *eval.Builder, pattern, text *eval.Expr) uint64 {
	length := uint64(pattern.Type.Length) * unwritten
	t := &pattern.Type
	if text.Type.Collation != nil && (t.Class() == types.ClassText || t.Members != nil) && !t.Kind.Address() {
		length *= uint64(text.Type.Collation.Set().MaxLen())
	}
	return min(length, blobLength/uint64(b.Env.Connection.Set().MaxLen()))
}

// longFormat is the length of a result from which it is asked whether it may be that long.
const longFormat = 1 << 16

// format is DATE_FORMAT, or TIME_FORMAT if there is no locale.
func format(b *eval.Builder, name string, x, pattern *eval.Expr, how eval.Reading, written *localeOf) (*eval.Expr, error) {
	names, err := sessionNames(b)
	if err != nil {
		return nil, err
	}
	if written != nil && written.written {
		if written.names != nil {
			names = written.names
		} else {
			b.Scratch.Warn(mysqlerr.UnknownLocale, written.unknown)
		}
	}
	text := b.ToText(pattern)
	length := unwrittenLength(b, pattern, text)
	if text.Type.Collation != nil {
		if pattern.Is(eval.Literal) {
			s, _ := eval.Of[[]byte](text)(b.Scratch)
			length = formatLength(s)
		}
		text = b.ToSet(text, utf8mb4)
	}
	of := eval.Of[[]byte](text)
	row, err := b.Moment(x, how)
	if err != nil {
		return nil, err
	}
	t := plain(b, length)
	t.ASCII = pattern.Type.ASCII && names.ASCII()
	t.Derivation = max(pattern.Type.Derivation, t.Derivation)
	t.Nullable = true
	out, err := inConnection(b, t, func(t types.Type) (*eval.Expr, error) {
		return eval.New(name, t, func(f *eval.Frame) ([]byte, bool) {
			v, null := row(f)
			if null {
				return nil, true
			}
			s, null := of(f)
			if null {
				return nil, true
			}
			if written == nil {
				v = temporal.Value{Packed: v.Time(), Kind: temporal.Time}
			}
			dst, ok := names.AppendFormat(f.Buffer(2*len(s)+16), s, v, written == nil, max(int(f.MaxPacket), longFormat))
			return dst, !ok || len(dst) > longFormat && !f.Fits(name, uint64(len(dst)))
		}, x, pattern), nil
	})
	if err != nil {
		return nil, err
	}
	return out.With(eval.Session), nil
}

// strToDate is STR_TO_DATE, whose type follows from a constant format.
func strToDate(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	if _, _, err := b.Agree("str_to_date", false, args...); err != nil {
		return nil, err
	}
	text, pattern := b.ToSet(b.ToText(args[0]), utf8mb4), b.ToSet(b.ToText(args[1]), utf8mb4)
	of, how := eval.Of[[]byte](text), eval.Of[[]byte](pattern)
	kind, fraction := temporal.DateTime, temporal.FractionMax
	if args[1].Is(eval.Constant) {
		if s, null := how(b.Scratch); !null {
			kind, fraction = temporal.FormatKind(s)
		}
	}
	t := types.TemporalType([...]types.Kind{temporal.Date: types.Date, temporal.DateTime: types.Datetime, temporal.Time: types.Time}[kind], fraction)
	mode := b.Env.Mode.Temporal()
	read := func(f *eval.Frame, mode temporal.Mode) (v temporal.Value, null bool) {
		s, null := of(f)
		if null {
			return v, true
		}
		p, null := how(f)
		if null {
			return v, true
		}
		v, c, wrong := mode.StrToDate(s, p, kind)
		if v.Kind == temporal.None {
			f.Warn(mysqlerr.WrongValueForType, wrong.Word, string(wrong.Quoted), "str_to_date")
			return v, true
		}
		if c&temporal.Truncated != 0 {
			f.Warn(mysqlerr.TruncatedWrongValue, v.Kind.Word(), string(s))
		}
		return v, false
	}
	x := eval.New("str_to_date", t.OrNull(), packed(func(f *eval.Frame) (temporal.Value, bool) { return read(f, mode) }), args...)
	return x.ReadBy(func(how eval.Reading) eval.Moment {
		mode := stricter(b, how).Mode
		return func(f *eval.Frame) (temporal.Value, bool) { return read(f, mode) }
	}), nil
}

// layouts are the formats of GET_FORMAT by the kind that is asked for.
var layouts = map[string][3]string{
	"USA":      {"%m.%d.%Y", "%h:%i:%s %p", "%Y-%m-%d %H.%i.%s"},
	"JIS":      {"%Y-%m-%d", "%H:%i:%s", "%Y-%m-%d %H:%i:%s"},
	"ISO":      {"%Y-%m-%d", "%H:%i:%s", "%Y-%m-%d %H:%i:%s"},
	"EUR":      {"%d.%m.%Y", "%H.%i.%s", "%Y-%m-%d %H.%i.%s"},
	"INTERNAL": {"%Y%m%d", "%H%i%s", "%Y%m%d%H%i%s"},
}

// layoutMax is how long GET_FORMAT's type is, in characters.
const layoutMax = 17

// GetFormat is GET_FORMAT(kind, x).
func GetFormat(b *eval.Builder, kind tree.TemporalKind, x *eval.Expr) (*eval.Expr, error) {
	text := b.ToSet(b.ToText(x), utf8mb4)
	row := eval.Of[[]byte](text)
	out, err := inConnection(b, plain(b, layoutMax), func(t types.Type) (*eval.Expr, error) {
		return eval.New("get_format", t.OrNull(), func(f *eval.Frame) ([]byte, bool) {
			s, null := row(f)
			if null || len(s) > len("INTERNAL") {
				return nil, true
			}
			layout, ok := layouts[string(bytes.ToUpper(s))]
			return append(f.Buffer(layoutMax), layout[kind]...), !ok
		}, x), nil
	})
	if err != nil {
		return nil, err
	}
	out.Type.Nullable = true
	return out.Printed(func(dst []byte) []byte {
		dst = append(append(append(dst, "get_format("...), kind.String()...), ", "...)
		return append(x.Print(dst), ')')
	}), nil
}

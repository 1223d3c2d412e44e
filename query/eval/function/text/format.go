package text

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

var formats = named("format", 2, 3, format, "FORMAT")

const (
	formatPlacesMax = 38
	doubleDigits    = 309 // before the point
)

// locale is how a language writes numbers.
type locale struct {
	point, separator string
	// groups are the sizes of the groups of digits before the point, from the right; the last one repeats unless it is 0.
	groups string
}

// formatDigits is how many digits FORMAT reckons with before the point; rounding to places may make one more.
func formatDigits(b *eval.Builder, x *eval.Expr, places int64) uint64 {
	digits := uint64(doubleDigits)
	switch x.Type.Class() {
	case types.ClassInt:
		switch x.Type.Kind {
		case types.Tinyint:
			digits = 3
		case types.Smallint:
			digits = 5
		case types.Mediumint:
			if digits = 7; x.Type.Unsigned {
				digits = 8
			}
		case types.Bit:
			digits = uint64(len(strconv.FormatUint(1<<min(x.Type.Length, 63)-1, 10)))
		case types.Enum, types.Set: // a DOUBLE
			digits = doubleDigits
		case types.Int:
			digits = 10
		case types.Bigint:
			if digits = 19; x.Type.Unsigned {
				digits = 20
			}
		default:
			digits = chars(x)
		}
		return digits
	case types.ClassDec, types.ClassTime:
		d := b.DecimalOf(x.Type)
		digits = uint64(d.Precision - d.Scale)
	}
	if d := x.Type.Decimals; places < int64(d) || d >= types.NotFixed {
		digits++
	}
	return digits
}

func format(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	x, a := args[0], ofConnection(b)
	fixed, null, ok := constInt(b, args[1])
	lang := defaultLocale
	if len(args) > 2 {
		lang = localeOf(b, args[2])
	}
	if fixed < 0 && unsigned(b, args[1]) {
		fixed = formatPlacesMax
	}
	fixed = max(0, min(fixed, formatPlacesMax))
	digits := formatDigits(b, x, fixed)
	length := digits + digits/3 + 1
	switch {
	case !ok || null:
		length += formatPlacesMax + 1
	case fixed > 0:
		length += uint64(fixed) + 1
	}
	t := result(b, a, length, args[:2]...)
	set := a.Collation.Set()
	places := eval.Of[int64](b.ToInt(args[1]))
	c := x.Type.Class()
	if c == types.ClassInt || c == types.ClassDec {
		number := eval.Of[decimal.Dec](b.ToDec(x))
		return eval.New(name, t, func(f *eval.Frame) ([]byte, bool) {
			n, null := placesOf(f, places)
			if null {
				return nil, true
			}
			l := lang(f)
			d, null := number(f)
			if null {
				return nil, true
			}
			d, _ = d.Round(n, decimal.HalfUp)
			return grouped(f, set, d.Append(f.Buffer(decimal.TextMax+formatPlacesMax)), l), false
		}, args...), nil
	}
	number := eval.Of[float64](b.ToFloat(x))
	return eval.New(name, t, func(f *eval.Frame) ([]byte, bool) {
		n, null := placesOf(f, places)
		if null {
			return nil, true
		}
		l := lang(f)
		v, null := number(f)
		if null {
			return nil, true
		}
		return grouped(f, set, appendFixed(f.Buffer(doubleDigits+formatPlacesMax+2), v, n), l), false
	}, args...), nil
}

func placesOf(f *eval.Frame, places eval.Func[int64]) (n int, null bool) {
	v, null := places(f)
	return int(max(0, min(int32(v), formatPlacesMax))), null // MariaDB takes the lower half of the number
}

// appendFixed appends a DOUBLE rounded as ROUND does, with so many places.
func appendFixed(dst []byte, v float64, places int) []byte {
	p := math.Pow(10, float64(places))
	if r := math.RoundToEven(v*p) / p; !math.IsInf(v*p, 0) {
		v = r
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'f', -1, 64)
	point := -1
	for i, c := range dst[start:] {
		if c == '.' {
			point = len(dst) - start - i - 1
		}
	}
	if point < 0 {
		if places == 0 {
			return dst
		}
		dst, point = append(dst, '.'), 0
	}
	for ; point < places; point++ {
		dst = append(dst, '0')
	}
	return dst
}

// grouped writes a number as a locale does. Zero has no sign.
func grouped(f *eval.Frame, set *charset.Set, number []byte, l *locale) []byte {
	whole, fraction := number, []byte(nil)
	for i, c := range number {
		if c == '.' {
			whole, fraction = number[:i], number[i+1:]
		}
	}
	sign := len(whole) > 0 && whole[0] == '-'
	if sign {
		whole = whole[1:]
	}
	out := f.Buffer((2*len(whole) + len(fraction) + 4) * max(set.MaxLen(), 2))
	if sign {
		out = appendASCII(out, set, []byte{'-'})
	}
	for i, c := range whole {
		if i > 0 && l.separator != "" && border(l.groups, len(whole)-i) {
			out = appendText(out, set, l.separator)
		}
		out = appendASCII(out, set, []byte{c})
	}
	if len(fraction) > 0 {
		out = appendASCII(appendText(out, set, l.point), set, fraction)
	}
	return out
}

// border reports whether there is a separator in front of so many digits.
func border(groups string, digits int) bool {
	for i := range groups {
		size := int(groups[i])
		if size == 0 {
			return false
		}
		if digits -= size; digits <= 0 {
			return digits == 0
		}
	}
	if len(groups) == 0 {
		return false
	}
	return digits%int(groups[len(groups)-1]) == 0
}

func appendText(dst []byte, set *charset.Set, s string) []byte {
	for _, r := range s {
		var ok bool
		if dst, ok = set.Append(dst, r); !ok {
			dst, _ = set.Append(dst, '?')
		}
	}
	return dst
}

func defaultLocale(*eval.Frame) *locale { return &english }

var english = locale{".", ",", "\x03"}

// localeOf finds the locale that an argument names, now if it is a literal; an unknown one is English, with a warning.
func localeOf(b *eval.Builder, x *eval.Expr) func(*eval.Frame) *locale {
	name := eval.Of[[]byte](inASCII(b, raw(b, x)))
	find := func(f *eval.Frame) *locale {
		s, null := name(f)
		if null {
			f.Warn(mysqlerr.UnknownLocale, "NULL")
			return &english
		}
		if l, ok := findLocale(s); ok {
			return l
		}
		if !showable(s) {
			f.Diag.Fail(mysqlerr.NotYet("a locale of such a name"))
			return &english
		}
		f.Warn(mysqlerr.UnknownLocale, string(s[:min(len(s), shownMax)]))
		return &english
	}
	if x.Is(eval.Literal) {
		l := find(b.Scratch)
		return func(*eval.Frame) *locale { return l }
	}
	return find
}

// shownMax is how much of an unknown name is shown.
const shownMax = 64

// showable reports whether messages show a name as it is.
func showable(s []byte) bool {
	if !utf8.Valid(s) || len(s) > shownMax && !utf8.RuneStart(s[shownMax]) {
		return false
	}
	for _, r := range string(s) {
		if r < ' ' || r > 0xffff {
			return false
		}
	}
	return true
}

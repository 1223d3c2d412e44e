package date

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/temporal"
)

// element is a part of a format of TO_CHAR: an appender, or text as it is.
type element struct {
	text   string
	append func(dst []byte, p *temporal.Parts, v temporal.Value, n *temporal.Names) []byte
	length uint64 // characters of the result's type, but for names
	names  func(*temporal.Names) []string
}

// nameBytes is how many bytes MariaDB reckons in a type for each character of the longest name of a month or a day.
const nameBytes = 3

func padded(dst []byte, width, n int) []byte { return fmt.Appendf(dst, "%0*d", width, n) }

func digits(width int, of func(*temporal.Parts) int) element {
	return element{length: uint64(width), append: func(dst []byte, p *temporal.Parts, _ temporal.Value, _ *temporal.Names) []byte {
		return padded(dst, width, of(p))
	}}
}

func word(later func(*temporal.Parts) bool, no, yes string) element {
	return element{length: uint64(len(yes)), append: func(dst []byte, p *temporal.Parts, _ temporal.Value, _ *temporal.Names) []byte {
		if later(p) {
			return append(dst, yes...)
		}
		return append(dst, no...)
	}}
}

// named is a name in the session's language; a long one is filled up to the length of the longest.
func named(length uint64, long bool, all func(*temporal.Names) []string, index func(*temporal.Parts, temporal.Value) int) element {
	var counted func(*temporal.Names) []string
	if long {
		counted = all
	}
	return element{length: length, names: counted, append: func(dst []byte, p *temporal.Parts, v temporal.Value, n *temporal.Names) []byte {
		i := index(p, v)
		if i < 0 {
			return append(dst, "00"...)
		}
		names := all(n)
		if dst = append(dst, names[i]...); long {
			for range longest(names) - utf8.RuneCountInString(names[i]) {
				dst = append(dst, ' ')
			}
		}
		return dst
	}}
}

func longest(names []string) (n int) {
	for _, name := range names {
		n = max(n, utf8.RuneCountInString(name))
	}
	return n
}

func months(n *temporal.Names) []string      { return n.Months[:] }
func shortMonths(n *temporal.Names) []string { return n.ShortMonths[:] }
func days(n *temporal.Names) []string        { return n.Days[:] }
func shortDays(n *temporal.Names) []string   { return n.ShortDays[:] }

func monthIndex(p *temporal.Parts, _ temporal.Value) int { return p.Month - 1 }

func dayIndex(p *temporal.Parts, v temporal.Value) int {
	if p.Day == 0 {
		return -1
	}
	return v.Packed.Weekday()
}

func afterChrist(p *temporal.Parts) bool { return p.Year > 0 }

func afternoon(p *temporal.Parts) bool { return p.Hour > 11 }

func hour12(p *temporal.Parts) int { return (p.Hour+11)%12 + 1 }

// elements are those of TO_CHAR, longer ones before their beginnings.
var elements = []struct {
	name string
	element
}{
	{"YYYY", digits(4, func(p *temporal.Parts) int { return p.Year })},
	{"YYY", digits(3, func(p *temporal.Parts) int { return p.Year % 1000 })},
	{"YY", digits(2, func(p *temporal.Parts) int { return p.Year % 100 })},
	{"Y", digits(1, func(p *temporal.Parts) int { return p.Year % 10 })},
	{"RRRR", digits(4, func(p *temporal.Parts) int { return p.Year })},
	{"RR", digits(2, func(p *temporal.Parts) int { return p.Year % 100 })},
	{"MM", digits(2, func(p *temporal.Parts) int { return p.Month })},
	{"MI", digits(2, func(p *temporal.Parts) int { return p.Minute })},
	{"MONTH", named(0, true, months, monthIndex)},
	{"MON", named(3, false, shortMonths, monthIndex)},
	{"DD", digits(2, func(p *temporal.Parts) int { return p.Day })},
	{"DY", named(3, false, shortDays, dayIndex)},
	{"DAY", named(0, true, days, dayIndex)},
	{"HH24", digits(2, func(p *temporal.Parts) int { return p.Hour })},
	{"HH12", digits(2, hour12)},
	{"HH", digits(2, hour12)},
	{"SS", digits(2, func(p *temporal.Parts) int { return p.Second })},
	{"A.D.", word(afterChrist, "B.C.", "A.D.")}, {"B.C.", word(afterChrist, "B.C.", "A.D.")},
	{"AD", word(afterChrist, "BC", "AD")}, {"BC", word(afterChrist, "BC", "AD")},
	{"A.M.", word(afternoon, "A.M.", "P.M.")}, {"P.M.", word(afternoon, "A.M.", "P.M.")},
	{"AM", word(afternoon, "AM", "PM")}, {"PM", word(afternoon, "AM", "PM")},
}

// quotedFormat is how much of a format error 3047 shows, in bytes, and formatMost is how long one may be.
const (
	quotedFormat = 8
	formatMost   = 144
)

// parseFormat takes a format of TO_CHAR apart. The error is 3047, about its length or about what is no element, which it shows up to a byte of zero.
func parseFormat(s string) (out []element, bad *mysqlerr.Error) {
	if len(s) > formatMost {
		return nil, mysqlerr.New(mysqlerr.StdInvalidArgument, "datetime format string is too long", "to_char")
	}
	for s != "" {
		e, n := nextElement(s)
		if n == 0 {
			shown, _, _ := strings.Cut(s[:min(len(s), quotedFormat)], "\x00")
			return nil, mysqlerr.New(mysqlerr.StdInvalidArgument, "date format not recognized at "+shown, "to_char")
		}
		out, s = append(out, e), s[n:]
	}
	return out, nil
}

// nextElement is the first element of a format, and its length there; 0 if there is none.
func nextElement(s string) (element, int) {
	if s[0] == '"' {
		end := strings.IndexByte(s[1:], '"')
		if end < 0 {
			return element{text: s[1:], length: uint64(len(s))}, len(s)
		}
		return element{text: s[1 : 1+end], length: uint64(end + 2)}, end + 2
	}
	if n := marks(s); n > 0 {
		text := strings.TrimPrefix(s[:n], "|") // at their beginning it only parts elements
		return element{text: text, length: uint64(len(text))}, n
	}
	upper := strings.ToUpper(s[:min(len(s), len("MONTH"))])
	for _, e := range elements {
		if strings.HasPrefix(upper, e.name) && !(e.name == "RR" && strings.HasPrefix(upper, "RRR")) {
			return e.element, len(e.name)
		}
	}
	return element{}, 0
}

// marks is how many bytes at the beginning of a format are neither letters, digits nor quotes. A & that is the first, before a letter, is
// no mark: a variable, to Oracle.
func marks(s string) int {
	for i := range len(s) {
		c := s[i]
		first := i == 0 || i == 1 && s[0] == '|'
		if c < ' ' || c >= 0x7f || c == '"' || alphanumeric(c) || c == '&' && first && i+1 < len(s) && s[i+1] > '9' && alphanumeric(s[i+1]) {
			return i
		}
	}
	return len(s)
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// toChar is TO_CHAR of a date, in the session's language.
func toChar(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	x := args[0]
	class := x.Type.Class()
	if x.Null() || class != types.ClassTime && class != types.ClassText && x.Type.Members == nil || x.Type.Kind.Blob() {
		return nil, mysqlerr.New(mysqlerr.StdInvalidArgument,
			"data type of first argument must be type date/datetime/time or string", "to_char")
	}
	names, err := sessionNames(b)
	if err != nil {
		return nil, err
	}
	if len(args) == 2 && (!args[1].Is(eval.Literal) || args[1].Null()) {
		return toCharBy(b, x, args[1], names)
	}
	format := []byte("YYYY-MM-DD HH24:MI:SS")
	if len(args) == 2 {
		format, _ = eval.Of[[]byte](b.ToText(args[1]))(b.Scratch)
		if !utf8mb4.IsASCII(format) {
			return nil, mysqlerr.NotYet("TO_CHAR with a format of other characters than ASCII")
		}
	}
	list, bad := parseFormat(string(format))
	if bad != nil {
		return nil, bad
	}
	length := uint64(0)
	for _, e := range list {
		length += e.length
		if e.names != nil {
			length += nameBytes * uint64(longest(e.names(names)))
		}
	}
	t := plain(b, length)
	t.Decimals, t.Nullable = types.NotFixedText, true
	t.ASCII = t.ASCII && names.ASCII()
	out, err := inConnection(b, t, func(t types.Type) (*eval.Expr, error) {
		return over(b, "to_char", t, raw(lenient(b)), x, func(f *eval.Frame, v temporal.Value) ([]byte, bool) {
			return appendElements(f.Buffer(int(length)), list, v, names), false
		})
	})
	if err != nil {
		return nil, err
	}
	return out.With(eval.Session), nil
}

func appendElements(dst []byte, list []element, v temporal.Value, names *temporal.Names) []byte {
	p := v.Parts()
	for i := range list {
		if e := &list[i]; e.append != nil {
			dst = e.append(dst, &p, v, names)
		} else {
			dst = append(dst, e.text...)
		}
	}
	return dst
}

// parsed is the format of TO_CHAR that the last row had.
type parsed struct {
	format string
	list   []element
	bad    *mysqlerr.Error
	known  bool
}

// toCharBy is TO_CHAR with a format that is not written. What is no element of it is a warning, and the result is NULL, as it is of an empty format;
// of a written one the first is an error and the second is an empty text.
func toCharBy(b *eval.Builder, x, pattern *eval.Expr, names *temporal.Names) (*eval.Expr, error) {
	text := b.ToText(pattern)
	length := unwrittenLength(b, pattern, text)
	if pattern.Null() {
		length = 0
	}
	text = b.ToSet(text, utf8mb4)
	of, parameter := eval.Of[[]byte](text), pattern.Name == "?" && len(pattern.Args) == 0
	row, err := b.Moment(x, raw(lenient(b)))
	if err != nil {
		return nil, err
	}
	t := plain(b, length)
	t.Decimals, t.Nullable, t.ASCII = types.NotFixedText, true, pattern.Type.ASCII && names.ASCII()
	slot := b.Slot()
	out, err := inConnection(b, t, func(t types.Type) (*eval.Expr, error) {
		return eval.New("to_char", t, func(f *eval.Frame) ([]byte, bool) {
			v, null := row(f)
			if null {
				return nil, true
			}
			format, null := of(f)
			if null || len(format) == 0 && !parameter {
				return nil, true
			}
			last := eval.StateOf[parsed](f, slot)
			if !last.known || last.format != string(format) {
				*last = parsed{format: string(format), known: true}
				if !utf8mb4.IsASCII(format) {
					f.FailWith(mysqlerr.Never("TO_CHAR with a format of other characters than ASCII"))
					return nil, true
				}
				last.list, last.bad = parseFormat(last.format)
			}
			if e := last.bad; e != nil {
				if parameter {
					f.FailWith(e)
				} else {
					f.Diag.Warnf(e.Number, "%s", e.Message)
				}
				return nil, true
			}
			dst := appendElements(f.Buffer(2*len(format)+16), last.list, v, names)
			return dst, false
		}, x, pattern), nil
	})
	if err != nil {
		return nil, err
	}
	return out.With(eval.Session), nil
}

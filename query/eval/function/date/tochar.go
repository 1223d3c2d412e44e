package date

import (
	"fmt"
	"strings"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/temporal"
)

// element is a part of a format of TO_CHAR: an appender, or text as it is.
type element struct {
	text   string
	append func(dst []byte, p *temporal.Parts, v temporal.Value) []byte
	length uint64 // characters of the result's type
}

// nameLength is what MariaDB reckons for the name of a month or a day in a type, and namePad how long it becomes, both in English.
const (
	nameLength = 27
	namePad    = 9
)

func padded(dst []byte, width, n int) []byte { return fmt.Appendf(dst, "%0*d", width, n) }

func digits(width int, of func(*temporal.Parts) int) element {
	return element{length: uint64(width), append: func(dst []byte, p *temporal.Parts, _ temporal.Value) []byte { return padded(dst, width, of(p)) }}
}

func word(later func(*temporal.Parts) bool, no, yes string) element {
	return element{length: uint64(len(yes)), append: func(dst []byte, p *temporal.Parts, _ temporal.Value) []byte {
		if later(p) {
			return append(dst, yes...)
		}
		return append(dst, no...)
	}}
}

func named(length uint64, long bool, all []string, index func(*temporal.Parts, temporal.Value) int) element {
	return element{length: length, append: func(dst []byte, p *temporal.Parts, v temporal.Value) []byte {
		i := index(p, v)
		if i < 0 {
			return append(dst, "00"...)
		}
		if dst = append(dst, all[i]...); long {
			for range namePad - len(all[i]) {
				dst = append(dst, ' ')
			}
		}
		return dst
	}}
}

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
	{"MONTH", named(nameLength, true, temporal.English.Months[:], monthIndex)},
	{"MON", named(3, false, temporal.English.ShortMonths[:], monthIndex)},
	{"DD", digits(2, func(p *temporal.Parts) int { return p.Day })},
	{"DY", named(3, false, temporal.English.ShortDays[:], dayIndex)},
	{"DAY", named(nameLength, true, temporal.English.Days[:], dayIndex)},
	{"HH24", digits(2, func(p *temporal.Parts) int { return p.Hour })},
	{"HH12", digits(2, hour12)},
	{"HH", digits(2, hour12)},
	{"SS", digits(2, func(p *temporal.Parts) int { return p.Second })},
	{"A.D.", word(afterChrist, "B.C.", "A.D.")}, {"B.C.", word(afterChrist, "B.C.", "A.D.")},
	{"AD", word(afterChrist, "BC", "AD")}, {"BC", word(afterChrist, "BC", "AD")},
	{"A.M.", word(afternoon, "A.M.", "P.M.")}, {"P.M.", word(afternoon, "A.M.", "P.M.")},
	{"AM", word(afternoon, "AM", "PM")}, {"PM", word(afternoon, "AM", "PM")},
}

// quotedFormat is how much of a format error 3047 shows, in characters.
const quotedFormat = 8

// parseFormat takes a format of TO_CHAR apart; rest is what is no element, empty if all is.
func parseFormat(s string) (out []element, rest string) {
	for s != "" {
		e, n := nextElement(s)
		if n == 0 {
			return nil, s[:min(len(s), quotedFormat)]
		}
		out, s = append(out, e), s[n:]
	}
	return out, ""
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

// toChar is TO_CHAR of a date with a written format of ASCII characters, in English; others are refused.
func toChar(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	x := args[0]
	class := x.Type.Class()
	if x.Null() || class != types.ClassTime && class != types.ClassText && x.Type.Members == nil || x.Type.Kind.Blob() {
		return nil, mysqlerr.New(mysqlerr.StdInvalidArgument,
			"data type of first argument must be type date/datetime/time or string", "to_char")
	}
	format := []byte("YYYY-MM-DD HH24:MI:SS")
	if len(args) == 2 {
		if !args[1].Is(eval.Literal) || args[1].Null() || b.Env.Names != "en_US" {
			return nil, mysqlerr.NotYet("TO_CHAR with a format that is not written, or in another language")
		}
		format, _ = eval.Of[[]byte](b.ToText(args[1]))(b.Scratch)
		if !utf8mb4.IsASCII(format) {
			return nil, mysqlerr.NotYet("TO_CHAR with a format of other characters than ASCII")
		}
	}
	list, rest := parseFormat(string(format))
	if rest != "" {
		return nil, mysqlerr.New(mysqlerr.StdInvalidArgument, "date format not recognized at "+rest, "to_char")
	}
	length := uint64(0)
	for _, e := range list {
		length += e.length
	}
	t := plain(b, length)
	t.Decimals, t.Nullable = types.NotFixedText, true
	return inConnection(b, t, func(t types.Type) (*eval.Expr, error) {
		return over(b, "to_char", t, raw(lenient(b)), x, func(f *eval.Frame, v temporal.Value) ([]byte, bool) {
			dst, p := f.Buffer(int(length)), v.Parts()
			for i := range list {
				if e := &list[i]; e.append != nil {
					dst = e.append(dst, &p, v)
				} else {
					dst = append(dst, e.text...)
				}
			}
			return dst, false
		})
	})
}

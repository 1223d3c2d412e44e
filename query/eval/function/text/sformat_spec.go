package text

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// fieldSpec is how SFORMAT writes an argument: [[fill]align][sign][#][0][width][.precision][type].
type fieldSpec struct {
	fill      []byte
	align     byte // < > ^, 0 for none
	sign      byte // + or a blank, 0 for none
	alternate bool
	zero      bool // zeros are between sign and digits
	width     int
	precision int
	precise   bool
	kind      byte
}

var errFieldKind = wrongField("invalid type specifier")

func isFieldLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// spec reads a specification up to its }.
func (w *fieldWriter) spec(s *fieldSpec, class types.Class) error {
	if w.at+1 < len(w.format) && w.format[w.at+1] == '}' && isFieldLetter(w.peek()) && w.peek() != 'L' {
		return w.kind(s)
	}
	if err := w.align(s); err != nil {
		return err
	}
	numeric := func() error {
		if w.at++; class == types.ClassText {
			return wrongField("format specifier requires numeric argument")
		}
		return nil
	}
	if c := w.peek(); c == '+' || c == '-' || c == ' ' {
		if s.sign = c; c == '-' {
			s.sign = 0
		}
		if err := numeric(); err != nil {
			return err
		}
	}
	if w.peek() == '#' {
		s.alternate = true
		if err := numeric(); err != nil {
			return err
		}
	}
	if w.peek() == '0' {
		s.fill, s.zero = []byte("0"), s.align == 0
		if err := numeric(); err != nil {
			return err
		}
	}
	if err := w.sizes(s, class); err != nil {
		return err
	}
	switch c := w.peek(); {
	case c == 'L':
		return mysqlerr.NotYet("SFORMAT with a locale")
	case w.at < len(w.format) && c != '}':
		return w.kind(s)
	}
	return nil
}

// sizes reads width and precision.
func (w *fieldWriter) sizes(s *fieldSpec, class types.Class) (err error) {
	if s.width, err = w.size(); err != nil || w.peek() != '.' {
		return err
	}
	w.at++
	if c := w.peek(); c != '{' && (c < '0' || c > '9') {
		return wrongField("missing precision specifier")
	}
	s.precise = true
	if s.precision, err = w.size(); err == nil && class == types.ClassInt {
		err = wrongField("precision not allowed for this argument type")
	}
	return err
}

func (w *fieldWriter) size() (int, error) {
	if w.peek() == '{' {
		return 0, mysqlerr.NotYet("SFORMAT with a width that is an argument")
	}
	n, ok := w.number()
	if !ok {
		return 0, wrongField("number is too big")
	}
	return n, nil
}

// align reads fill and alignment.
func (w *fieldWriter) align(s *fieldSpec) error {
	isAlign := func(i int) bool {
		return i < len(w.format) && (w.format[i] == '<' || w.format[i] == '>' || w.format[i] == '^')
	}
	_, size := utf8.DecodeRune(w.format[w.at:])
	switch {
	case isAlign(w.at + size):
		if w.peek() == '{' {
			return wrongField("invalid fill character '{'")
		}
		s.fill, s.align = w.format[w.at:w.at+size], w.format[w.at+size]
		w.at += size + 1
	case isAlign(w.at):
		s.align = w.peek()
		w.at++
	}
	return nil
}

// kind reads the letter of a type.
func (w *fieldWriter) kind(s *fieldSpec) error {
	s.kind = w.peek()
	w.at++
	switch s.kind {
	case 'd', 'o', 'x', 'X', 'b', 'B', 'e', 'E', 'f', 'F', 'g', 'G', 's', 'p':
		return nil
	case 'a', 'A', 'c', '?':
		return mysqlerr.NotYet("SFORMAT with type " + string(s.kind))
	}
	return errFieldKind
}

// write writes a value.
func (w *fieldWriter) write(s *fieldSpec, v *piece) error {
	var room [32]byte
	switch v.class {
	case types.ClassText:
		return w.writeText(s, v.text)
	case types.ClassInt:
		prefix, digits, err := s.whole(room[:0], v.whole)
		if err != nil {
			return err
		}
		return w.padded(s, prefix, digits, len(prefix)+len(digits), '>')
	}
	if s.alternate || s.precision > fieldPrecisionMax {
		return mysqlerr.NotYet("SFORMAT of a DOUBLE with # or very many digits")
	}
	prefix, digits, err := s.float(v.float)
	if err != nil {
		return err
	}
	return w.padded(s, prefix, digits, len(prefix)+len(digits), '>')
}

const fieldPrecisionMax = 1000

// wide are the characters from which on some are two columns wide.
const wide = 0x1100

func (w *fieldWriter) writeText(s *fieldSpec, text []byte) error {
	if s.kind != 0 && s.kind != 's' {
		return errFieldKind
	}
	if s.precise {
		end := 0
		for range s.precision {
			if end == len(text) {
				break
			}
			_, size := utf8.DecodeRune(text[end:])
			end += size
		}
		text = text[:end]
	}
	columns := 0
	if s.width > 0 {
		for i := 0; i < len(text); columns++ {
			r, size := utf8.DecodeRune(text[i:])
			if r >= wide {
				return mysqlerr.NotYet("SFORMAT of letters that may be wide, with a width")
			}
			i += size
		}
	}
	return w.padded(s, "", text, columns, '<')
}

// padded writes what is so many columns wide.
func (w *fieldWriter) padded(s *fieldSpec, prefix string, text []byte, columns int, standard byte) error {
	missing := max(s.width-columns, 0)
	fill := s.fill
	if fill == nil {
		fill = []byte(" ")
	}
	if uint64(len(w.out))+uint64(len(text))+uint64(missing)*uint64(len(fill)) > w.frame.MaxPacket {
		return errFieldRoom
	}
	align := s.align
	if align == 0 {
		align = standard
	}
	before := 0
	switch {
	case s.zero:
		w.out = append(w.out, prefix...)
		prefix, before = "", missing
	case align == '>':
		before = missing
	case align == '^':
		before = missing / 2
	}
	w.out = append(append(fillWith(w.out, fill, before), prefix...), text...)
	w.out = fillWith(w.out, fill, missing-before)
	return nil
}

func fillWith(dst, s []byte, n int) []byte {
	for range n {
		dst = append(dst, s...)
	}
	return dst
}

func (s *fieldSpec) signOf(negative bool) string {
	switch {
	case negative:
		return "-"
	case s.sign != 0:
		return string(s.sign)
	}
	return ""
}

// whole is an integer: its sign and base, and its digits.
func (s *fieldSpec) whole(dst []byte, v int64) (prefix string, digits []byte, err error) {
	magnitude := uint64(v)
	if v < 0 {
		magnitude = -magnitude
	}
	prefix = s.signOf(v < 0)
	base := 10
	switch s.kind {
	case 0, 'd':
	case 'x', 'X':
		base = 16
	case 'b', 'B':
		base = 2
	case 'o':
		base = 8
	default:
		return "", nil, errFieldKind
	}
	digits = strconv.AppendUint(dst, magnitude, base)
	if s.kind == 'X' {
		for i, c := range digits {
			if c >= 'a' {
				digits[i] = c - 'a' + 'A'
			}
		}
	}
	switch {
	case !s.alternate || base == 10:
	case base != 8:
		prefix += "0" + string(s.kind)
	case magnitude != 0:
		prefix += "0"
	}
	return prefix, digits, nil
}

// float is a DOUBLE: its sign, and its digits.
func (s *fieldSpec) float(v float64) (prefix string, digits []byte, err error) {
	prefix = s.signOf(math.Signbit(v))
	v = math.Abs(v)
	precision := 6
	if s.precise {
		precision = s.precision
	}
	switch s.kind {
	case 0:
		if !s.precise {
			return prefix, appendShortest(nil, v), nil
		}
		return prefix, appendGeneral(nil, v, 'g', precision), nil
	case 'g', 'G':
		return prefix, appendGeneral(nil, v, s.kind, precision), nil
	case 'e', 'E', 'f', 'F':
		kind := s.kind
		if kind == 'F' {
			kind = 'f'
		}
		return prefix, strconv.AppendFloat(nil, v, kind, precision, 64), nil
	}
	return "", nil, errFieldKind
}

// appendShortest appends the fewest digits that are the number, with an exponent from 1e16 on and below 1e-4.
func appendShortest(dst []byte, v float64) []byte {
	if v != 0 && (v < 1e-4 || v >= 1e16) {
		return strconv.AppendFloat(dst, v, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, v, 'f', -1, 64)
}

// appendGeneral appends so many digits, without zeros at the end.
func appendGeneral(dst []byte, v float64, kind byte, digits int) []byte {
	return strconv.AppendFloat(dst, v, kind, max(digits, 1), 64)
}

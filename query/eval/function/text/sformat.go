package text

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

var sformats = named("sformat", 1, many, sformat, "SFORMAT")

// formatted is an argument of SFORMAT; the row form of its class is set.
type formatted struct {
	whole eval.Func[int64]
	float eval.Func[float64]
	text  eval.Func[[]byte]
}

// piece is the value of a field.
type piece struct {
	class types.Class
	whole int64
	float float64
	text  []byte
}

// sformat is SFORMAT: a text with {} in it, as the formats of Python and C++. BIGINT UNSIGNED counts as signed, DECIMAL as DOUBLE.
// Refused are widths that are arguments, locales, characters by number, hexadecimal fractions and ? and #, of other numbers than integers; and in
// sets whose characters are bytes, widths of what is not ASCII.
func sformat(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, false, args...)
	if err != nil {
		return nil, err
	}
	set := a.Collation.Set()
	single := set.MaxLen() == 1 && set.ASCIIBytes()
	if name := set.Name(); name != "utf8mb4" && name != "utf8mb3" && !single {
		return nil, mysqlerr.NotYet("SFORMAT in character set " + name)
	}
	format, fields := eval.Of[[]byte](texts[0]), make([]formatted, len(args)-1)
	for i, x := range args[1:] {
		f := &fields[i]
		switch class := x.Type.Class(); {
		case x.Type.Kind == types.Enum || x.Type.Kind == types.Set || class == types.ClassText || class == types.ClassTime:
			f.text = eval.Of[[]byte](texts[i+1])
		case class == types.ClassInt:
			f.whole = eval.Of[int64](b.ToInt(x))
		default:
			f.float = eval.Of[float64](b.ToFloat(x))
		}
	}
	return eval.New(name, result(b, a, blobMax).OrNull(), func(f *eval.Frame) ([]byte, bool) {
		w := fieldWriter{frame: f, single: single}
		text, null := format(f)
		if null {
			return nil, true
		}
		var few [8]piece
		w.values = few[:0]
		for i := range fields {
			v, null := fields[i].value(f)
			if null {
				return nil, true
			}
			w.values = append(w.values, v)
		}
		w.format, w.out = text, f.Buffer(len(text)+64)
		err := w.run()
		var unlike *fieldError
		switch {
		case errors.As(err, &unlike):
			f.Warn(mysqlerr.SFormatError, unlike.text)
		case err != nil:
			f.FailWith(err)
		}
		return w.out, err != nil
	}, texts...), nil
}

func (x *formatted) value(f *eval.Frame) (p piece, null bool) {
	switch {
	case x.whole != nil:
		p.class = types.ClassInt
		p.whole, null = x.whole(f)
	case x.float != nil:
		p.class = types.ClassFloat
		p.float, null = x.float(f)
	default:
		p.class = types.ClassText
		p.text, null = x.text(f)
	}
	return p, null
}

// fieldError is what is wrong with a format, in the words of the server's library.
type fieldError struct{ text string }

func (e *fieldError) Error() string { return e.text }

func wrongField(text string) error { return &fieldError{text} }

var errNoField = wrongField("argument not found")

// fieldWriter reads a format and writes what it says.
type fieldWriter struct {
	frame  *eval.Frame
	format []byte
	at     int
	values []piece
	next   int // the argument of the next {}; -1 if numbers are written
	out    []byte
	single bool // characters are bytes
}

// peek is the next byte, 0 at the end.
func (w *fieldWriter) peek() byte {
	if w.at < len(w.format) {
		return w.format[w.at]
	}
	return 0
}

func (w *fieldWriter) run() error {
	for w.at < len(w.format) {
		c := w.format[w.at]
		w.at++
		switch {
		case c == '}' && w.peek() != '}':
			return wrongField("unmatched '}' in format string")
		case c == '}' || c == '{' && w.peek() == '{':
			w.at++
			w.out = append(w.out, c)
		case c == '{':
			if err := w.replacement(); err != nil {
				return err
			}
		default:
			w.out = append(w.out, c)
		}
		if uint64(len(w.out)) > w.frame.MaxPacket {
			return errFieldRoom
		}
	}
	return nil
}

// errFieldRoom is the refusal of what is longer than max_allowed_packet: the server gives NULL for some of it.
var errFieldRoom = mysqlerr.NotYet("a result of SFORMAT longer than max_allowed_packet")

// replacement reads and writes what is between braces.
func (w *fieldWriter) replacement() error {
	if w.at == len(w.format) {
		return wrongField("invalid format string")
	}
	index, err := w.index()
	if err != nil {
		return err
	}
	c := w.peek()
	if c != '}' && c != ':' {
		return wrongField("missing '}' in format string")
	}
	w.at++
	if index >= len(w.values) {
		return errNoField
	}
	var s fieldSpec
	v := &w.values[index]
	if c == ':' {
		if err := w.spec(&s, v.class); err != nil {
			return err
		}
		if w.peek() != '}' {
			return wrongField("missing '}' in format string")
		}
		w.at++
	}
	if w.single && (s.width > 0 || s.precise) && !(ascii(v.text) && ascii(s.fill)) {
		return mysqlerr.NotYet("SFORMAT with a width of letters that are not ASCII")
	}
	return w.write(&s, v)
}

func ascii(s []byte) bool {
	return bytes.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// index reads which argument is meant.
func (w *fieldWriter) index() (int, error) {
	c := w.peek()
	switch {
	case c == '}' || c == ':':
		if w.next < 0 {
			return 0, wrongField("cannot switch from manual to automatic argument indexing")
		}
		w.next++
		return w.next - 1, nil
	case c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z':
		return 0, errNoField
	case c < '0' || c > '9':
		return 0, wrongField("invalid format string")
	}
	n := 0
	if c == '0' {
		w.at++
	} else {
		n, _ = w.number()
	}
	if c := w.peek(); c != '}' && c != ':' {
		return 0, wrongField("invalid format string")
	}
	if w.next > 0 {
		return 0, wrongField("cannot switch from automatic to manual argument indexing")
	}
	w.next = -1
	return n, nil
}

// number reads digits; what is more than int32Max is that, and not ok.
func (w *fieldWriter) number() (n int, ok bool) {
	for ok = true; w.peek() >= '0' && w.peek() <= '9'; w.at++ {
		if n = n*10 + int(w.peek()-'0'); n > int32Max {
			n, ok = int32Max, false
		}
	}
	return n, ok
}

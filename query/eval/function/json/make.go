package json

import (
	"unicode/utf16"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// member is an argument that becomes a value of JSON: text in quotes unless it is JSON, numbers as they are, conditions as true and
// false.
type member struct {
	arg   *eval.Expr
	text  eval.Func[[]byte]
	truth eval.Func[int64]
	quote bool
	bits  bool         // a BIT column: bytes without quotes
	from  *charset.Set // of what is quoted
	chars uint64       // how many characters JSON_ARRAY counts for it
}

func memberOf(b *eval.Builder, x *eval.Expr, set *charset.Set) member {
	m := member{arg: x, chars: uint64(x.Type.Width())}
	if x.Is(eval.Bool) && x.Type.Class() == types.ClassInt {
		m.truth = eval.Of[int64](x)
		m.chars = 5
		return m
	}
	text := b.ToText(unformatted(b, x))
	switch {
	case x.Null():
	case x.Type.JSON:
		if set != text.Type.Collation.Set() && set.Name() != "binary" {
			m.chars *= 2
		}
		text = b.ToSet(text, set)
	case quotes(x.Type):
		m.quote, m.from = true, text.Type.Collation.Set()
		m.chars *= 2
	case text.Type.Binary():
		m.bits, m.from = true, text.Type.Collation.Set()
	}
	m.text = eval.Of[[]byte](text)
	m.chars = max(m.chars, uint64(len("null")))
	return m
}

// quotes reports whether values of a type are strings in JSON.
func quotes(t types.Type) bool {
	switch t.Class() {
	case types.ClassText, types.ClassTime:
		return true
	}
	return t.Kind == types.Enum || t.Kind == types.Set
}

func (m *member) append(f *eval.Frame, dst []byte, set *charset.Set) []byte {
	if m.truth != nil {
		switch v, null := m.truth(f); {
		case null:
			return append(dst, "null"...)
		case v != 0:
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	}
	text, null := m.text(f)
	switch {
	case null:
		return append(dst, "null"...)
	case m.quote:
		if !f.Room(quotedSize(text)) {
			return dst
		}
		return append(appendQuoted(append(dst, '"'), set, m.from, text), '"')
	case m.bits:
		return appendQuoted(dst, set, m.from, text)
	}
	return append(dst, text...)
}

// appendQuoted appends text as the inside of a string, in a character set; what that lacks becomes an escape.
func appendQuoted(dst []byte, set, from *charset.Set, text []byte) []byte {
	same := set == from || isUTF8(set) && isUTF8(from)
	for len(text) > 0 {
		if c := text[0]; c < 0x80 && from.ASCIIBytes() {
			dst = appendASCII(dst, c)
			text = text[1:]
			continue
		}
		r, size, ok := from.Decode(text)
		if size == 0 {
			size = min(from.MinLen(), len(text))
		}
		switch {
		case ok && r < 0x80:
			dst = appendASCII(dst, byte(r))
		case same && (r <= 0xFFFF || set.MaxLen() > 3):
			dst = append(dst, text[:size]...)
		case !ok:
			dst = append(dst, '?')
		default:
			if dst, ok = set.Append(dst, r); !ok {
				dst = appendUnicode(dst, r)
			}
		}
		text = text[size:]
	}
	return dst
}

// quotedSize is how many bytes appendQuoted appends at most.
func quotedSize(text []byte) uint64 {
	n := 2
	for _, c := range text {
		switch {
		case c < ' ' || c >= 0x80:
			n += len(`\u0000`)
		case c == '"' || c == '\\':
			n += 2
		default:
			n++
		}
	}
	return uint64(n)
}

const hexDigits = "0123456789ABCDEF"

func appendUnicode(dst []byte, r rune) []byte {
	if hi, lo := utf16.EncodeRune(r); hi != 0xfffd {
		dst = appendUnicode(dst, hi) // the second half has no \u in MariaDB
		return append(dst, hexDigits[lo>>12&15], hexDigits[lo>>8&15], hexDigits[lo>>4&15], hexDigits[lo&15])
	}
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

func appendASCII(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if c < ' ' {
		return appendUnicode(dst, rune(c))
	}
	return append(dst, c)
}

// appendPlain appends the inside of a string with its escapes resolved, in a character set; what that lacks makes the value NULL.
func appendPlain(dst []byte, set *charset.Set, text []byte, utf bool) (out []byte, null bool) {
	for len(text) > 0 {
		if text[0] != '\\' {
			dst = append(dst, text[0])
			text = text[1:]
			continue
		}
		r, size, what, _ := readEscape(text, utf)
		if what != fine {
			return nil, true
		}
		ok := true
		if isEscaped := text[1] == 'u'; isEscaped || r < 0x80 || utf {
			dst, ok = set.Append(dst, r)
		} else {
			dst = append(dst, byte(r))
		}
		if !ok {
			return nil, true
		}
		text = text[size:]
	}
	return dst, false
}

// membersOf agrees on the collation of JSON_ARRAY and its like, and takes the arguments for values.
func membersOf(b *eval.Builder, name string, args []*eval.Expr) (ms []member, t types.Type, err error) {
	if len(args) == 0 {
		return nil, b.Text(0).OrNull(), nil
	}
	agreed, _, err := b.Agree(name, false, args...)
	if err != nil {
		return nil, t, err
	}
	if allNull(args) {
		binary, _ := charset.SetByName("binary")
		agreed.Collation = binary.Default()
	}
	if set := agreed.Collation.Set(); !supported(set) {
		return nil, t, notIn(set)
	}
	chars := uint64(len("[]"))
	ms = make([]member, len(args))
	for i, x := range args {
		ms[i] = memberOf(b, x, agreed.Collation.Set())
		chars += ms[i].chars + 4
	}
	t = bounded(eval.TextOf(agreed, chars)).OrNull()
	t.JSON = true
	return ms, t, nil
}

// notIn refuses a character set: of those of several bytes at once MariaDB mixes up bytes and characters, and converted to UTF-8 the same text would have
// another answer.
func notIn(set *charset.Set) error { return mysqlerr.Never("JSON in character set " + set.Name()) }

func allNull(args []*eval.Expr) bool {
	for _, x := range args {
		if !x.Null() {
			return false
		}
	}
	return true
}

func array(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	ms, t, err := membersOf(b, "json_array", args)
	if err != nil {
		return nil, err
	}
	t.JSON = true
	set := t.Collation.Set()
	return eval.New("json_array", t, func(f *eval.Frame) ([]byte, bool) {
		out := append(f.Buffer(64), '[')
		for i := range ms {
			if i > 0 {
				out = append(out, ", "...)
			}
			if out = ms[i].append(f, out, set); uint64(len(out)) > f.MaxPacket {
				break
			}
		}
		return fitting(f, "json_array", append(out, ']'))
	}, args...), nil
}

// fitting is a result, NULL if it is longer than max_allowed_packet.
func fitting(f *eval.Frame, name string, out []byte) ([]byte, bool) {
	if !f.Fits(name, uint64(len(out))) {
		return nil, true
	}
	return out, false
}

// roomy is a result that max_allowed_packet does not bound.
func roomy(f *eval.Frame, out []byte) ([]byte, bool) {
	if !f.Room(uint64(len(out))) {
		return nil, true
	}
	return out, false
}

func object(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	if len(args)%2 != 0 {
		return nil, mysqlerr.New(mysqlerr.WrongParamcountToNativeFct, "JSON_OBJECT")
	}
	ms, t, err := membersOf(b, "json_object", args)
	if err != nil {
		return nil, err
	}
	t.JSON = true
	set := t.Collation.Set()
	names := make([]member, len(args)/2)
	for i := range names {
		key := b.ToText(args[2*i])
		names[i] = member{text: eval.Of[[]byte](key), quote: true}
		if key.Type.Collation != nil {
			names[i].from = key.Type.Collation.Set()
		}
	}
	return eval.New("json_object", t, func(f *eval.Frame) ([]byte, bool) {
		out := append(f.Buffer(64), '{')
		for i := range names {
			if i > 0 {
				out = append(out, ", "...)
			}
			out = append(out, '"')
			if key, null := names[i].text(f); !null {
				out = appendQuoted(out, set, names[i].from, key)
			}
			out = append(out, `": `...)
			if out = ms[2*i+1].append(f, out, set); uint64(len(out)) > f.MaxPacket {
				break
			}
		}
		return fitting(f, "json_object", append(out, '}'))
	}, args...), nil
}

// utf8Bin is the collation of strings that were taken out of JSON.
func utf8Bin() *charset.Collation {
	set, _ := charset.SetByName("utf8mb4")
	return set.Bin()
}

func quote(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	x := args[0]
	t := bounded(types.StringType(12*uint64(x.Type.Length)+2, utf8Bin(), charset.Coercible, false)).OrNull()
	if !x.Null() && !quotes(x.Type) || x.Null() {
		return eval.New("json_quote", t, func(f *eval.Frame) ([]byte, bool) {
			x.Compute(f) // for its conditions
			return nil, true
		}, x), nil
	}
	text := b.ToText(x)
	from, set := text.Type.Collation.Set(), t.Collation.Set()
	return eval.Map1("json_quote", t, func(f *eval.Frame, s []byte) ([]byte, bool) {
		if !f.Room(quotedSize(s)) {
			return nil, true
		}
		out := appendQuoted(append(f.Buffer(2*len(s)+2), '"'), set, from, s)
		return roomy(f, append(out, '"'))
	}, text), nil
}

func unquote(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	d, err := documentOf(b, args[0])
	if err != nil {
		return nil, err
	}
	t := types.StringType(d.chars, utf8Bin(), charset.Coercible, !args[0].Is(eval.Constant)).OrNull() // what it has need not be ASCII
	set := t.Collation.Set()
	if d.arg.Null() {
		return eval.New("json_unquote", t, func(*eval.Frame) ([]byte, bool) { return nil, true }, args...), nil
	}
	from := d.arg.Type.Collation.Set()
	return eval.Map1("json_unquote", t, func(f *eval.Frame, doc []byte) ([]byte, bool) {
		s := scanner{text: doc, utf8: d.utf8}
		if s.blanks(); s.at == len(doc) || doc[s.at] != '"' {
			return inSet(f, set, from, doc), false
		}
		if s.next() == tokenFault {
			report(f, types.Warning, "json_unquote", 1, &s)
			return inSet(f, set, from, doc), false
		}
		text := inSet(f, set, from, doc[s.start+1:s.end-1])
		return appendPlain(f.Buffer(len(text)), set, text, true)
	}, d.arg), nil
}

// inSet is text in another set; of binary text every byte is the character of its number.
func inSet(f *eval.Frame, set, from *charset.Set, text []byte) []byte {
	if set == from || isUTF8(set) && isUTF8(from) {
		return text
	}
	out := f.Buffer(len(text) * set.MaxLen())
	for _, c := range text {
		r, _, ok := from.Decode([]byte{c})
		if ok {
			out, ok = set.Append(out, r)
		}
		if !ok {
			out = append(out, '?')
		}
	}
	return out
}

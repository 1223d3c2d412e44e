package assign

import (
	"encoding/binary"
	"strconv"

	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// asciiSet is the character set of numbers and dates as text, binarySet that of bytes.
var (
	asciiSet, _  = charset.SetByName("ascii")
	binarySet, _ = charset.SetByName("binary")
)

func appendInt(dst []byte, n int64, unsigned bool) []byte {
	if unsigned {
		return strconv.AppendUint(dst, uint64(n), 10)
	}
	return strconv.AppendInt(dst, n, 10)
}

// text is a column of text or binary strings.
type text struct {
	field
	set    *charset.Set
	chars  int // most characters; -1 where only bytes are counted
	bytes  int
	blob   bool
	binary bool
	char   bool // CHAR, which keeps no spaces at its end, or BINARY, which is filled up with zeros
}

func newText(f field) *text {
	t := &text{field: f, set: f.Collation.Set(), chars: int(f.Length), blob: f.Kind.Blob(), binary: f.Binary(), char: f.Kind == types.Char}
	t.bytes = t.chars * t.set.MaxLen()
	if t.blob {
		t.chars = -1
		t.bytes = [...]int{1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1}[f.Kind-types.Tinytext]
	}
	return t
}

func (t *text) numeric() bool { return false }

// integerBytesMax is what MariaDB has for the text of an integer that goes to a column of text: in utf32 16 digits, without a warning.
const integerBytesMax = 64

func (t *text) int(c *Context, n int64, unsigned bool) types.Value {
	s := appendInt(c.buffer(20), n, unsigned)
	if most := integerBytesMax / t.set.MinLen(); len(s) > most {
		s = s[:most]
	}
	return t.text(c, s, asciiSet)
}

func (t *text) float(c *Context, f float64) types.Value {
	if t.blob {
		return t.text(c, floattext.Append(c.buffer(32), f, false), asciiSet)
	}
	s, ok := appendNarrow(c.buffer(32), f, t.chars)
	if !ok {
		t.tooLong(c, mysqlerr.DataTruncated)
	}
	return t.text(c, s, asciiSet)
}

func (t *text) dec(c *Context, d decimal.Dec) types.Value {
	return t.text(c, d.Append(c.buffer(decimal.TextMax)), asciiSet)
}

func (t *text) time(c *Context, v temporal.Value, fraction int) types.Value {
	return t.text(c, v.Append(c.buffer(32), fraction), asciiSet)
}

func (t *text) text(c *Context, s []byte, from *charset.Set) types.Value {
	var kept []byte
	var used int
	wrong := -1
	switch {
	case t.binary || from == asciiSet && t.set.ASCIIBytes() && from.IsASCII(s), from.KeepsASCII() && t.set.KeepsASCII() && asciiBytes(s):
		used = min(len(s), t.bytes)
		if t.chars >= 0 {
			used = min(used, t.chars)
		}
		kept = s[:used]
	case (from == t.set || from.Name() == "binary" && t.set.MinLen() == 1) && t.set.Valid(s) < 0:
		used, wrong = t.prefix(s)
		kept = s[:used]
	default:
		kept, used, wrong = t.converted(c, s, from)
	}
	if wrong >= 0 {
		t.incorrect(c, "string", shownBytes(from, s[wrong:]))
	} else if used < len(s) {
		t.lost(c, s[used:])
	}
	return types.Value{Text: t.padded(c, kept)}
}

// asciiBytes reports whether all bytes are below 0x80.
func asciiBytes(s []byte) bool {
	for ; len(s) >= 8; s = s[8:] {
		if binary.LittleEndian.Uint64(s)&0x8080808080808080 != 0 {
			return false
		}
	}
	for _, c := range s {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// prefix is how many bytes of a well-formed text in the column's character set have room. Where bytes are counted, a character that has
// none is taken for an ill-formed one (wrong).
func (t *text) prefix(s []byte) (used, wrong int) {
	switch {
	case t.chars >= 0:
		return t.set.Prefix(s, t.chars), -1
	case len(s) <= t.bytes:
		return len(s), -1
	}
	if wrong = t.set.Valid(s[:t.bytes]); wrong >= 0 {
		return wrong, wrong
	}
	return t.bytes, -1
}

// converted is a text in the column's character set, how many bytes of it had room, and where the first of them is that is no character
// of that set, or -1. Of those each becomes a question mark.
func (t *text) converted(c *Context, s []byte, from *charset.Set) (kept []byte, used, wrong int) {
	wrong = -1
	unmapped := -1
	out := c.buffer(min(len(s)*t.set.MaxLen(), max(t.bytes, 0)))
	n := 0
	if unit := t.set.MinLen(); from.Name() == "binary" {
		from = t.set
		if used = len(s) % unit; used > 0 && t.chars != 0 { // part of a wide character: zeros come before it
			out = append(append(out, make([]byte, unit-used)...), s[:used]...)
			if t.set.Valid(out) >= 0 {
				out, _ = t.set.Append(out[:0], '?')
				wrong = 0
			}
			n++
		}
	}
	for ; used < len(s) && (t.chars < 0 || n < t.chars); n++ {
		r, size, ok := from.Decode(s[used:])
		bad := size == 0
		if bad {
			size = 1
		}
		before := len(out)
		switch {
		case !bad && from == t.set:
			out = append(out, s[used:used+size]...)
		case ok:
			out, ok = t.set.Append(out, r)
			fallthrough
		default:
			if !ok {
				out, _ = t.set.Append(out, '?')
			}
		}
		if len(out) > t.bytes {
			if from == t.set && before < t.bytes && wrong < 0 {
				wrong = used // part of the character had room
			}
			return out[:before], used, firstOf(wrong, unmapped)
		}
		if bad && wrong < 0 {
			wrong = used
		} else if !bad && !ok && from != t.set && unmapped < 0 {
			unmapped = used
		}
		used += size
	}
	return out, used, firstOf(wrong, unmapped)
}

// firstOf is a if it is a place, else b.
func firstOf(a, b int) int {
	if a >= 0 {
		return a
	}
	return b
}

// lost tells of what had no room: white space is a note, and of CHAR nothing.
func (t *text) lost(c *Context, rest []byte) {
	switch {
	case !blank(t.set, rest):
		t.tooLong(c, mysqlerr.DataTruncated)
	case !t.char:
		t.noteTruncated(c)
	}
}

// padded is what CHAR and BINARY make of the end of a text.
func (t *text) padded(c *Context, s []byte) []byte {
	switch {
	case !t.char:
		return s
	case t.binary:
		if len(s) == t.bytes {
			return s
		}
		out := append(c.buffer(t.bytes), s...)
		return append(out, make([]byte, t.bytes-len(s))...)
	}
	unit := t.set.MinLen()
	for len(s) >= unit && s[len(s)-unit:][max(unit-1, 0)] == ' ' {
		zero := true
		for _, b := range s[len(s)-unit : len(s)-1] {
			zero = zero && b == 0
		}
		if !zero {
			break
		}
		s = s[:len(s)-unit]
	}
	return s
}

// columnText is what a TEXT or BLOB column gets of a column of numbers: what that shows.
func columnText(s storer, from types.Type) func(c *Context, v types.Value) types.Value {
	switch {
	case from.Kind == types.Bit:
		size := int(from.Length+7) / 8
		return func(c *Context, v types.Value) types.Value {
			out := c.buffer(size)
			for i := size - 1; i >= 0; i-- {
				out = append(out, byte(uint64(v.Int)>>(8*i)))
			}
			return s.text(c, out, binarySet)
		}
	case from.Kind == types.Year:
		return func(c *Context, v types.Value) types.Value {
			return s.text(c, appendZerofill(c.buffer(20), v.Int, 4), asciiSet)
		}
	case from.Zerofill && from.Kind.Integer():
		return func(c *Context, v types.Value) types.Value {
			return s.text(c, appendZerofill(c.buffer(int(from.Length)+20), v.Int, int(from.Length)), asciiSet)
		}
	case from.Class() == types.ClassFloat && !from.Zerofill:
		return func(c *Context, v types.Value) types.Value {
			if from.Decimals < types.NotFixed {
				return s.text(c, strconv.AppendFloat(c.buffer(350), v.Float, 'f', int(from.Decimals), 64), asciiSet)
			}
			return s.text(c, floattext.Append(c.buffer(32), v.Float, from.Kind == types.Float), asciiSet)
		}
	}
	return nil
}

func appendZerofill(dst []byte, n int64, width int) []byte {
	var digits [20]byte
	s := strconv.AppendUint(digits[:0], uint64(n), 10)
	for range width - len(s) {
		dst = append(dst, '0')
	}
	return append(dst, s...)
}

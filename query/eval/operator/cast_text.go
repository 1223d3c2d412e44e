package operator

import (
	"math"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// castText is CAST AS CHAR, VARCHAR, NCHAR and BINARY.
func castText(b *eval.Builder, x *eval.Expr, t *tree.CastType) (*eval.Expr, error) {
	collation, err := castCollation(b, t)
	if err != nil {
		return nil, err
	}
	length := -1 // not given
	if t.Length != nil && *t.Length != math.MaxUint32 {
		if *t.Length > math.MaxUint32 {
			return nil, mysqlerr.New(mysqlerr.TooBigDisplaywidth, written(x), uint32(math.MaxUint32))
		}
		length = int(*t.Length)
	}
	set := collation.Set()
	a := charset.Aggregation{Collation: collation, Derivation: charset.Implicit, ASCII: set.Name() == "ascii"}
	out := eval.TextOf(a, castLength(x, set, length)).OrNull()
	out.Decimals = 0
	if set.Name() == "binary" && x.Type.Kind.Address() {
		return castPrinted(castAddressBytes(b, x, out, length), x, castWords("binary", length, nil)), nil
	}
	word, words := "CHAR", castWords("char", length, set)
	if set.Name() == "binary" {
		word, words = "BINARY", castWords("binary", length, nil)
	}
	return castPrinted(castTextOf(b, x, out, word, length), x, words), nil
}

// castCollation is the collation of a CAST to text.
func castCollation(b *eval.Builder, t *tree.CastType) (*charset.Collation, error) {
	name := t.Charset
	switch t.Kind {
	case tree.CastBinary:
		name = "binary"
	case tree.CastNchar:
		name = "utf8mb3"
	}
	c := b.Env.Connection
	if name != "" {
		set, ok := b.Env.CharsetNamed(name)
		if !ok {
			return nil, mysqlerr.New(mysqlerr.UnknownCharacterSet, name)
		}
		c = set.Default()
	}
	switch {
	case t.Collation == "DEFAULT":
		c = c.Set().Default()
	case t.Collation != "":
		with, ok := charset.InSet(c.Set(), t.Collation)
		if !ok {
			return nil, mysqlerr.NotYet("CAST with a collation of another character set")
		}
		c = with
	case t.BinaryCollation && c.Set().Name() != "binary":
		with, ok := charset.ByName(c.Set().Name() + "_bin")
		if !ok {
			return nil, mysqlerr.NotYet("CAST AS CHAR BINARY")
		}
		c = with
	}
	return c, nil
}

// castLength is how many characters (bytes of binary strings) the result has at most.
func castLength(x *eval.Expr, set *charset.Set, length int) uint64 {
	t := x.Type
	switch {
	case length >= 0:
		return uint64(length)
	case set.Name() == "binary" && t.Kind.Address():
		return uint64(addressBytes(t.Kind))
	case set.Name() == "binary" && t.Kind == types.Longtext && t.Octets > 0:
		return uint64(t.Octets)
	case set.Name() == "binary" && t.Collation != nil:
		return min(characters(t)*uint64(t.Collation.Set().MaxLen()), math.MaxUint32)
	}
	return characters(t)
}

func castWords(word string, length int, set *charset.Set) string {
	if length >= 0 {
		word += "(" + strconv.Itoa(length) + ")"
	}
	if set != nil {
		word += " charset " + set.Name()
	}
	return word
}

func addressBytes(k types.Kind) int {
	if k == types.Inet4 {
		return 4
	}
	return 16
}

// castBound is the length of a CAST where a row is computed, which max_allowed_packet bounds: once in a statement that is warning 1301.
func castBound(b *eval.Builder, length int, word string) func(f *eval.Frame) int {
	told := b.Slot()
	return func(f *eval.Frame) int {
		if length < 0 || uint64(length) <= f.MaxPacket {
			return length
		}
		if t := eval.StateOf[bool](f, told); !*t {
			*t = true
			f.Fits("cast_as_"+strings.ToLower(word), uint64(length))
		}
		return int(f.MaxPacket)
	}
}

// castAddressBytes is CAST AS BINARY of an address: its bytes, cut without a warning.
func castAddressBytes(b *eval.Builder, x *eval.Expr, t types.Type, length int) *eval.Expr {
	if t.Kind == types.Varchar {
		t.Kind = types.Char
	}
	row, bound := eval.Of[[]byte](x), castBound(b, length, "BINARY")
	return eval.New("cast", t, func(f *eval.Frame) ([]byte, bool) {
		most := bound(f)
		s, null := row(f)
		if null {
			return nil, true
		}
		if most >= 0 && len(s) > most {
			s = s[:most]
		}
		return padded(f, s, most)
	}, x)
}

// padded fills a binary string with zeros.
func padded(f *eval.Frame, s []byte, length int) ([]byte, bool) {
	if len(s) >= length {
		return s, false
	}
	if !f.Room(uint64(length)) {
		return nil, true
	}
	out := append(f.Buffer(length), s...)
	for len(out) < length {
		out = append(out, 0)
	}
	return out, false
}

// castTextOf converts and cuts: warning 1292 shows the text that was cut as it was before.
func castTextOf(b *eval.Builder, x *eval.Expr, t types.Type, word string, length int) *eval.Expr {
	if x.Null() {
		row := eval.Of[[]byte](x)
		return eval.New("cast", t, func(f *eval.Frame) ([]byte, bool) {
			row(f)
			return nil, true
		}, x)
	}
	from := b.ToText(x)
	set, source := t.Collation.Set(), from.Type.Collation.Set()
	if length < 0 {
		return eval.New("cast", t, eval.Of[[]byte](b.ToSet(from, set)), x)
	}
	// The text is cut before it is converted: what is wrong behind that is not told. Whether it was cut, and the whole text, are kept in a
	// slot until the warning, which comes last.
	counted := source // of text that becomes a binary string characters are counted, too
	if source.Name() == "binary" {
		counted = set
	}
	bound, slot := castBound(b, length, word), b.Slot()
	forgiven := x.Type.Class() == types.ClassText // of numbers and times strict mode makes an error
	text := eval.Of[[]byte](from)
	first := eval.New("", from.Type, func(f *eval.Frame) ([]byte, bool) {
		most := bound(f)
		s, null := text(f)
		if null {
			return nil, true
		}
		end := counted.Prefix(s, most)
		if end < len(s) {
			*eval.StateOf[[]byte](f, slot) = s
		} else {
			*eval.StateOf[[]byte](f, slot) = nil
		}
		return s[:end], false
	}, from).As(from)
	return eval.Map1("cast", t, func(f *eval.Frame, s []byte) ([]byte, bool) {
		if whole := *eval.StateOf[[]byte](f, slot); whole != nil {
			what, shown := word+"("+strconv.Itoa(bound(f))+")", types.Cut(types.Shown(source, whole))
			if forgiven {
				f.Diag.WarnOnly(mysqlerr.TruncatedWrongValue, what, shown)
			} else {
				f.Warn(mysqlerr.TruncatedWrongValue, what, shown)
			}
		}
		if word == "BINARY" {
			return padded(f, s, bound(f))
		}
		return s, false
	}, b.ToSet(first, set)).Taking(x)
}

package text

import (
	"bytes"
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

var changes = slices.Concat(
	named("reverse", 1, 1, reverse, "REVERSE"),
	named("replace", 3, 3, replace, "REPLACE"),
	named("insert", 4, 4, insert, "INSERT"),
	named("ucase", 1, 1, caser(true), "UPPER", "UCASE"),
	named("lcase", 1, 1, caser(false), "LOWER", "LCASE"),
	named("quote", 1, 1, quote, "QUOTE"),
)

func reverse(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, false, args[0])
	if err != nil {
		return nil, err
	}
	set := a.Collation.Set()
	return eval.Map1(name, result(b, a, chars(texts[0]), args...), func(f *eval.Frame, s []byte) ([]byte, bool) {
		out := f.Buffer(len(s))[:len(s)]
		at := len(s)
		for i := 0; i < len(s); {
			n := min(step(set, s[i:]), len(s)-i)
			at -= n
			copy(out[at:], s[i:i+n])
			i += n
		}
		return out, false
	}, texts[0]), nil
}

func replace(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, true, args...)
	if err != nil {
		return nil, err
	}
	length := chars(texts[0]) * max(1, chars(texts[2])) // as if every character were replaced
	set := a.Collation.Set()
	from, find, with := eval.Of[[]byte](texts[0]), eval.Of[[]byte](texts[1]), eval.Of[[]byte](texts[2])
	if set.MaxLen() > 1 && !a.Collation.Binary() {
		return eval.New(name, result(b, a, length, args...), func(f *eval.Frame) ([]byte, bool) {
			s, null := from(f)
			if null {
				return nil, true
			}
			what, null := find(f)
			if null || len(what) == 0 {
				return s, null
			}
			w, null := with(f)
			if null || index(set, s, what, 0) < 0 {
				return s, null
			}
			return replaceAll(f, name, set, s, what, w)
		}, texts...), nil
	}
	return eval.Map2(name, result(b, a, length, args...), func(f *eval.Frame, s, what []byte) ([]byte, bool) {
		if len(what) == 0 || index(set, s, what, 0) < 0 {
			return s, false // without a look at what would stand there
		}
		w, null := with(f)
		if null {
			return nil, true
		}
		return replaceAll(f, name, set, s, what, w)
	}, texts[0], texts[1]).Taking(args...), nil
}

// replaceAll compares bytes, at beginnings of characters. What it looks for is there.
func replaceAll(f *eval.Frame, name string, set *charset.Set, s, what, with []byte) ([]byte, bool) {
	count := 0
	for at := index(set, s, what, 0); at >= 0; at = index(set, s, what, at+len(what)) {
		count++
	}
	size := len(s) + count*(len(with)-len(what))
	if !f.Fits(name, uint64(size)) {
		return nil, true
	}
	out, from := f.Buffer(size), 0
	for at := index(set, s, what, 0); at >= 0; at = index(set, s, what, from) {
		out = append(append(out, s[from:at]...), with...)
		from = at + len(what)
	}
	return append(out, s[from:]...), false
}

// insert is INSERT(s, start, n, with): with in place of n characters from start on.
func insert(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, false, args[0], args[3])
	if err != nil {
		return nil, err
	}
	set := a.Collation.Set()
	s, start, n, with := eval.Of[[]byte](texts[0]), eval.Of[int64](b.ToInt(args[1])), eval.Of[int64](b.ToInt(args[2])), eval.Of[[]byte](texts[1])
	startU, nU := unsigned(b, args[1]), unsigned(b, args[2])
	if err := foreignBesideNumbers(name, []*eval.Expr{args[0], args[3]}); err != nil {
		return nil, err
	}
	length := chars(texts[0]) + chars(texts[1])
	if set.Name() == "binary" {
		length = args[0].Type.Bytes() + args[3].Type.Bytes()
	}
	return eval.New(name, result(b, a, length, args...), func(f *eval.Frame) ([]byte, bool) {
		s, null0 := s(f)
		with, null3 := with(f)
		start, null1 := start(f)
		n, null2 := n(f)
		switch {
		case null0 || null1 || null2 || null3:
			return nil, true
		case start < 1, start > int64(len(s)), startU && start < 0:
			return s, false
		case n < 0 || n > int64(len(s)), nU && n < 0:
			n = int64(len(s))
		}
		at := set.Prefix(s, int(start)-1)
		if at >= len(s) {
			return s, false
		}
		end := at + set.Prefix(s[at:], int(n))
		size := len(s) - (end - at) + len(with)
		if !f.Fits(name, uint64(size)) {
			return nil, true
		}
		return append(append(append(f.Buffer(size), s[:at]...), with...), s[end:]...), false
	}, texts[0], args[1], args[2], texts[1]), nil
}

// caseGrowth is by how much UPPER and LOWER reckon that a text may grow in bytes.
func caseGrowth(c *charset.Collation, upper bool) uint64 {
	switch c.Set().Name() {
	case "ujis", "eucjpms":
		if !upper {
			return 2
		}
	case "utf8mb3", "utf8mb4":
		for _, part := range []string{"_uca1400_", "_520_", "_turkish_", "_myanmar_"} {
			if strings.Contains(c.Name(), part) {
				return 2
			}
		}
	}
	return 1
}

// caser binds UPPER and LOWER.
func caser(upper bool) binder {
	return func(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
		a, texts, err := b.Agree(name, false, args[0])
		if err != nil {
			return nil, err
		}
		c, appendCase := a.Collation, (*charset.Collation).AppendLower
		if upper {
			appendCase = (*charset.Collation).AppendUpper
		}
		return eval.Map1(name, result(b, a, chars(texts[0])*caseGrowth(c, upper), args...), func(f *eval.Frame, s []byte) ([]byte, bool) {
			return appendCase(c, f.Buffer(len(s)+len(s)/2), s), false
		}, texts[0]), nil
	}
}

// quote makes a literal of a text; of NULL the word. Numbers stay latin1 of derivation Numeric.
func quote(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	x := raw(b, args[0])
	if x.Null() {
		t := strict(b, types.StringType(4, ofBinary().Collation, x.Type.Derivation, true)).Type.OrNull()
		return eval.New(name, t, func(*eval.Frame) ([]byte, bool) { return []byte("NULL"), false }, x), nil
	}
	set := x.Type.Collation.Set()
	a := charset.Aggregation{Collation: x.Type.Collation, Derivation: x.Type.Derivation, ASCII: x.Type.ASCII}
	per := uint64(set.MaxLen())
	length := (2*x.Type.Bytes() + 2*per) / per
	if x.Type.Nullable {
		length = max(length, uint64(len("NULL")))
	}
	word, text := asciiIn(set, "NULL"), eval.Of[[]byte](x)
	return eval.New(name, result(b, a, length, x), func(f *eval.Frame) ([]byte, bool) {
		s, null := text(f)
		if null {
			return word, false
		}
		return quoted(f, name, set, s)
	}, x), nil
}

func quoted(f *eval.Frame, name string, set *charset.Set, s []byte) ([]byte, bool) {
	mark, slash := asciiIn(set, "'"), asciiIn(set, `\`)
	size := len(s) + 2*len(mark)
	for i := 0; i < len(s); {
		n := min(step(set, s[i:]), len(s)-i)
		if escapeOf(set, s[i:i+n]) != 0 {
			size += len(slash)
		}
		i += n
	}
	if !f.Fits(name, uint64(size)) {
		return nil, true
	}
	out := append(f.Buffer(size), mark...)
	for i := 0; i < len(s); {
		n := min(step(set, s[i:]), len(s)-i)
		switch c := escapeOf(set, s[i:i+n]); c {
		case 0:
			out = append(out, s[i:i+n]...)
		default:
			out = appendASCII(append(out, slash...), set, []byte{c})
		}
		i += n
	}
	return append(out, mark...), false
}

// escapeOf is what stands behind a backslash for a character, 0 if that stands for itself.
func escapeOf(set *charset.Set, s []byte) byte {
	var c rune
	if len(s) == 1 && set.ASCIIBytes() {
		c = rune(s[0])
	} else {
		var ok bool
		if c, _, ok = set.Decode(s); !ok {
			return 0
		}
	}
	switch c {
	case 0:
		return '0'
	case 26:
		return 'Z'
	case '\'', '\\':
		return byte(c)
	}
	return 0
}

// trimStart leaves out a text that stands at the beginning, as often as it does.
func trimStart(s, what []byte) []byte {
	for len(what) > 0 && bytes.HasPrefix(s, what) {
		s = s[len(what):]
	}
	return s
}

// trimEnd is trimStart at the end. What is left out begins where a character does.
func trimEnd(set *charset.Set, s, what []byte) []byte {
	size := len(what)
	if size == 0 {
		return s
	}
	from := len(s)
	for from >= size && bytes.Equal(s[from-size:from], what) {
		from -= size
	}
	if set.MaxLen() == 1 || from == len(s) {
		return s[:from]
	}
	// Of the copies at the end the last ones count that are all on characters' borders.
	end := len(s)
	for i := 0; i < len(s); i += step(set, s[i:]) {
		for from < i && from < len(s) {
			from, end = from+size, len(s)
		}
		if i == from {
			if end == len(s) {
				end = i
			}
			from += size
		}
	}
	return s[:end]
}

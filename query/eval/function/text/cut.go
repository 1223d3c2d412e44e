package text

import (
	"bytes"
	"slices"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types/charset"
)

var cuts = slices.Concat(
	named("left", 2, 2, left, "LEFT"),
	named("right", 2, 2, right, "RIGHT"),
	named("substr", 2, 3, substrOf(false), "SUBSTR", "SUBSTRING", "MID"),
	named("substring_index", 3, 3, substringIndex, "SUBSTRING_INDEX"),
)

// sideLength is the length of LEFT and RIGHT.
func sideLength(b *eval.Builder, x, count *eval.Expr) uint64 {
	n, null, ok := constInt(b, count)
	switch {
	case !ok:
		return chars(x)
	case null, n <= 0 && !unsigned(b, count):
		return 0
	}
	return min(chars(x), uint64(n))
}

func left(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, false, args[0])
	if err != nil {
		return nil, err
	}
	set, u := a.Collation.Set(), unsigned(b, args[1])
	t := result(b, a, sideLength(b, texts[0], args[1]), args...)
	return each2(name, t, func(_ *eval.Frame, s []byte, n int64) ([]byte, bool) {
		if n <= 0 && !u {
			return s[:0], false
		}
		return s[:prefix(set, s, n)], false
	}, texts[0], b.ToInt(args[1])), nil
}

// prefix is the size of the first n characters; a count below 0 is one of an unsigned number.
func prefix(set *charset.Set, s []byte, n int64) int {
	if n < 0 || n >= int64(len(s)) {
		return len(s)
	}
	return set.Prefix(s, int(n))
}

func right(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, false, args[0])
	if err != nil {
		return nil, err
	}
	set, u := a.Collation.Set(), unsigned(b, args[1])
	t := result(b, a, sideLength(b, texts[0], args[1]), args...)
	return each2(name, t, func(_ *eval.Frame, s []byte, n int64) ([]byte, bool) {
		if n <= 0 && !u {
			return s[:0], false
		}
		if n < 0 || n >= int64(len(s)) {
			return s, false
		}
		return s[set.Prefix(s, set.Len(s)-int(n)):], false
	}, texts[0], b.ToInt(args[1])), nil
}

// substrLength is the length of SUBSTRING in characters, which begins as one in bytes.
func substrLength(b *eval.Builder, args []*eval.Expr, zeroIsOne bool) uint64 {
	length := args[0].Type.Bytes()
	if n, null, ok := constInt(b, args[1]); ok {
		switch start := int64(int32(n)); {
		case start == 0 && zeroIsOne && !null: // all of it
		case null, start == 0:
			length = 0
		case start < 0:
			if uint64(-start) > length {
				length = 0
			} else {
				length = uint64(-start)
			}
		default:
			length -= min(uint64(start-1), length)
		}
	}
	if len(args) < 3 {
		return length
	}
	if n, null, ok := constInt(b, args[2]); ok {
		switch {
		case n < 0 && unsigned(b, args[2]), n > int32Max:
			n = int32Max
		case null || n <= 0:
			return 0
		}
		length = min(length, uint64(n))
	}
	return length
}

// substrOf binds SUBSTRING; zeroIsOne says that position 0 is the first, too, as in Oracle.
func substrOf(zeroIsOne bool) binder {
	return func(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
		a, texts, err := b.Agree(name, false, args[0])
		if err != nil {
			return nil, err
		}
		t := result(b, a, substrLength(b, args, zeroIsOne), args...)
		set, startU := a.Collation.Set(), unsigned(b, args[1])
		from := func(start int64) int64 {
			if start == 0 && zeroIsOne {
				return 1
			}
			return start
		}
		if len(args) == 2 {
			return each2(name, t, func(_ *eval.Frame, s []byte, start int64) ([]byte, bool) {
				return part(set, s, from(start), startU, int32Max), false
			}, texts[0], b.ToInt(args[1])), nil
		}
		lengthU := unsigned(b, args[2])
		return each3(name, t, func(_ *eval.Frame, s []byte, start, n int64) ([]byte, bool) {
			if n < 0 && lengthU {
				n = int32Max
			}
			return part(set, s, from(start), startU, n), false
		}, texts[0], b.ToInt(args[1]), b.ToInt(args[2])), nil
	}
}

// part is SUBSTRING: n characters from start on, which counts from 1, or from the end if it is negative.
func part(set *charset.Set, s []byte, start int64, unsigned bool, n int64) []byte {
	if n <= 0 || start == 0 || start > int32Max || start < 0 && (unsigned || start < -int32Max-1) {
		return s[:0]
	}
	if start < 0 {
		if start += int64(set.Len(s)); start < 0 {
			return s[:0]
		}
	} else {
		start--
	}
	if start >= int64(len(s)) {
		return s[:0]
	}
	s = s[set.Prefix(s, int(start)):]
	return s[:prefix(set, s, n)]
}

func substringIndex(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, true, args[:2]...)
	if err != nil {
		return nil, err
	}
	set := a.Collation.Set()
	return each3(name, result(b, a, chars(texts[0]), args...), func(_ *eval.Frame, s, delimiter []byte, n int64) ([]byte, bool) {
		n = int64(int32(n)) // MariaDB takes the lower half
		if len(s) == 0 || len(delimiter) == 0 || n == 0 {
			return s[:0], false
		}
		if n > 0 {
			return upTo(set, s, delimiter, n), false
		}
		return after(set, s, delimiter, n), false
	}, texts[0], texts[1], b.ToInt(args[2])), nil
}

// index finds a text from a place on, at the beginning of a character; -1 if it is not there. The place is one.
func index(set *charset.Set, s, what []byte, from int) int {
	if set.MaxLen() == 1 {
		if i := bytes.Index(s[from:], what); i >= 0 {
			return from + i
		}
		return -1
	}
	for from+len(what) <= len(s) {
		i := bytes.Index(s[from:], what)
		if i < 0 {
			return -1
		}
		i += from
		for from < i {
			from += step(set, s[from:])
		}
		if from == i {
			return i
		}
	}
	return -1
}

// upTo is what stands before the n-th delimiter.
func upTo(set *charset.Set, s, delimiter []byte, n int64) []byte {
	for at := 0; ; {
		i := index(set, s, delimiter, at)
		if i < 0 {
			return s
		}
		if n--; n == 0 {
			return s[:i]
		}
		at = i + len(delimiter)
	}
}

// after is what stands behind the n-th delimiter from the end; n is negative. In sets of single bytes delimiters are looked for from the
// end, in others from the beginning, which differs where they overlap.
func after(set *charset.Set, s, delimiter []byte, n int64) []byte {
	if set.MaxLen() == 1 {
		for end := len(s); ; {
			i := bytes.LastIndex(s[:end], delimiter)
			if i < 0 {
				return s
			}
			if n++; n == 0 {
				return s[i+len(delimiter):]
			}
			end = i
		}
	}
	total := int64(0)
	for at := 0; ; total++ {
		i := index(set, s, delimiter, at)
		if i < 0 {
			break
		}
		at = i + len(delimiter)
	}
	skip := total + n
	if skip < 0 {
		return s
	}
	for at := 0; ; skip-- {
		at = index(set, s, delimiter, at) + len(delimiter)
		if skip == 0 {
			return s[at:]
		}
	}
}

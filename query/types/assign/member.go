package assign

import (
	"math"
	"strconv"

	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// members are those of an ENUM or SET column, found by their text.
type members struct {
	field
	set   *charset.Set
	order *charset.Order
	texts [][]byte
}

func newMembers(f field) (members, error) {
	order, err := f.Collation.Order()
	if err != nil {
		return members{}, err
	}
	return members{field: f, set: f.Collation.Set(), order: order, texts: f.Members.Texts}, nil
}

// numeric columns take numbers of ENUM and SET; these take texts.
func (m *members) numeric() bool { return false }

// find is the number of a member from 1; 0 for none.
func (m *members) find(s []byte) int {
	for i, text := range m.texts {
		if m.order.Equal(s, text) {
			return i + 1
		}
	}
	return 0
}

// own is a text in the column's character set. As MariaDB does, what then looks for a number in it takes it for one in the set it had.
func (m *members) own(s []byte, from *charset.Set) []byte {
	if from != m.set && !(from.ASCIIBytes() && m.set.ASCIIBytes() && from.IsASCII(s)) {
		s, _ = charset.Convert(nil, m.set, from, s)
	}
	return s
}

// withoutSpaces leaves out the spaces at a text's end.
func withoutSpaces(set *charset.Set, s []byte) []byte {
	unit := set.MinLen()
	for len(s) >= unit && set.Name() != "binary" {
		r, size, ok := set.Decode(s[len(s)-unit:])
		if !ok || size != unit || r != ' ' {
			break
		}
		s = s[:len(s)-unit]
	}
	return s
}

// memberNumber is a text that is nothing but an integer. As in MariaDB, any one character may follow in a set
// of wide characters, or be all there is.
func memberNumber(s []byte, set *charset.Set) (n uint64, ok bool) {
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	neg := false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	end := digitsEnd(s, i)
	other := set.MinLen() > 1 && end == len(s)-1
	if other {
		s = s[:end]
	}
	if end != len(s) || end == i && !other {
		return 0, false
	}
	if end == i {
		return 0, true
	}
	n, err := strconv.ParseUint(string(s[i:end]), 10, 64)
	if neg {
		n = -n
	}
	return n, err == nil
}

// enum is an ENUM column.
type enum struct{ members }

func newEnum(f field) (storer, error) {
	m, err := newMembers(f)
	return &enum{m}, err
}

func (e *enum) int(c *Context, n int64, _ bool) types.Value {
	if n == 0 || uint64(n) > uint64(len(e.texts)) {
		e.truncated(c)
		n = 0
	}
	return types.Value{Int: n}
}

func (e *enum) float(c *Context, f float64) types.Value { return e.int(c, chopped(f), false) }

func (e *enum) dec(c *Context, d decimal.Dec) types.Value { return e.float(c, d.Float64()) }

func (e *enum) time(c *Context, v temporal.Value, fraction int) types.Value {
	return e.text(c, v.Append(c.buffer(32), fraction), asciiSet)
}

func (e *enum) text(c *Context, s []byte, set *charset.Set) types.Value {
	const numberMax = 5 // digits of a member's number
	own := withoutSpaces(e.set, e.own(s, set))
	n := e.find(own)
	if n == 0 {
		if v, ok := memberNumber(plain(c, set, own), set); ok && len(own) <= numberMax && v <= uint64(len(e.texts)) && v > 0 {
			n = int(v)
		} else {
			e.truncated(c)
		}
	}
	return types.Value{Int: int64(n)}
}

// subset is a SET column.
type subset struct{ members }

func newSet(f field) (storer, error) {
	m, err := newMembers(f)
	return &subset{m}, err
}

func (s *subset) int(c *Context, n int64, _ bool) types.Value {
	if most := uint64(math.MaxUint64) >> (64 - len(s.texts)); uint64(n) > most {
		s.truncated(c)
		n &= int64(most)
	}
	return types.Value{Int: n}
}

func (s *subset) float(c *Context, f float64) types.Value { return s.int(c, chopped(f), false) }

func (s *subset) dec(c *Context, d decimal.Dec) types.Value { return s.float(c, d.Float64()) }

func (s *subset) time(c *Context, v temporal.Value, fraction int) types.Value {
	return s.text(c, v.Append(c.buffer(32), fraction), asciiSet)
}

func (s *subset) text(c *Context, t []byte, set *charset.Set) types.Value {
	const numberMax = 21 // bytes of a number
	var found uint64
	unknown := false
	own := s.own(t, set)
	trimmed := withoutSpaces(s.set, own)
	for rest := trimmed; len(trimmed) > 0; {
		name, after, more := s.cutAtComma(rest)
		if n := s.find(name); n > 0 {
			found |= 1 << (n - 1)
		} else {
			unknown = true
		}
		if rest = after; !more {
			break
		}
	}
	if found == 0 && len(own) > 0 && len(own) <= numberMax {
		n, ok := memberNumber(plain(c, set, own), set)
		if ok {
			return s.int(c, int64(n), true)
		}
		unknown = true
	}
	if unknown {
		s.truncated(c)
	}
	return types.Value{Int: int64(found)}
}

func (s *subset) cutAtComma(t []byte) (name, after []byte, more bool) {
	for i := 0; i < len(t); {
		r, size, ok := s.set.Decode(t[i:])
		size = max(size, 1)
		if ok && r == ',' {
			return t[:i], t[i+size:], true
		}
		i += size
	}
	return t, nil, false
}

// memberNames is the assignment of ENUM and SET values as texts.
func memberNames(s storer, from types.Type) func(c *Context, v types.Value) types.Value {
	set, texts := from.Collation.Set(), from.Members.Texts
	if from.Kind == types.Enum {
		_, same := s.(*enum)
		return func(c *Context, v types.Value) types.Value {
			switch {
			case v.Int > 0 && v.Int <= int64(len(texts)):
				return s.text(c, texts[v.Int-1], set)
			case same:
				return types.Value{}
			}
			return s.text(c, nil, set)
		}
	}
	return func(c *Context, v types.Value) types.Value {
		size := 0
		for _, t := range texts {
			size += len(t) + set.MinLen()
		}
		out := c.buffer(size)
		for i, t := range texts {
			if v.Int>>i&1 == 0 {
				continue
			}
			if len(out) > 0 {
				out, _ = set.Append(out, ',')
			}
			out = append(out, t...)
		}
		return s.text(c, out, set)
	}
}

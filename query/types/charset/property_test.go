package charset

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// consistent compares what an order says of two strings in its different ways, and names one that differs.
func consistent(o *Order, a, b []byte) string {
	want := o.Compare(a, b)
	switch {
	case o.Compare(b, a) != -want:
		return "Compare in the other direction"
	case o.Equal(a, b) != (want == 0):
		return "Equal"
	case bytes.Compare(o.AppendKey(nil, a), o.AppendKey(nil, b)) != want:
		return "AppendKey"
	case want == 0 && o.Hash(7, a) != o.Hash(7, b):
		return "Hash"
	case o.Compare(a, a) != 0:
		return "Compare with itself"
	}
	return ""
}

// orders are those of all supported collations.
func orders(t testing.TB) []*Order {
	var list []*Order
	for _, c := range Collations() {
		o, err := c.Order()
		if err != nil {
			require.IsType(t, new(UnsupportedError), err)
			continue
		}
		list = append(list, o)
	}
	return list
}

func TestConsistent(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for _, o := range orders(t) {
		for range 60 {
			s := drawText(rng)
			a, b := in(o.set, s), in(o.set, vary(rng, s))
			require.Empty(t, consistent(o, a, b), "%s: %x, %x", o.c.name, a, b)
			require.Equal(t, o.Compare(a, b), o.ComparePrefix(a, b, 1000), o.c.name)
			require.Negative(t, o.set.Valid(a), "%s: %x", o.set.name, a)
		}
	}
}

// FuzzSets holds that no bytes make a set or an order panic, and that characters survive decoding and encoding.
func FuzzSets(f *testing.F) {
	f.Add([]byte("abc"), []byte("\x8f\xa1\xa1\x81\x40"), uint16(45))
	f.Add([]byte("ä\xed\xa0\x80\xff"), []byte("\xd8\x00\xdc\x00\x00"), uint16(224))
	f.Add([]byte("ch  "), []byte("h c\x00"), uint16(2384))
	all := Collations()
	f.Fuzz(func(t *testing.T, a, b []byte, n uint16) {
		c := all[int(n)%len(all)]
		s := c.set
		for i := 0; i < len(a); {
			r, size, ok := s.Decode(a[i:])
			if ok && size <= 0 || size > len(a)-i || size > s.MaxLen() {
				t.Fatalf("%s: size %d, ok %v of %x", s.name, size, ok, a[i:])
			}
			if ok {
				back, ok := s.Append(nil, r)
				if again, _, _ := s.Decode(back); ok && again != r {
					t.Fatalf("%s: U+%04X becomes %x and then U+%04X", s.name, r, back, again)
				}
			}
			i += max(size, 1)
		}
		if bad := s.Valid(a); bad >= len(a) || bad < -1 {
			t.Fatalf("%s: Valid gives %d of %x", s.name, bad, a)
		}
		if n := s.Len(a); s.Prefix(a, n) > len(a) || n > len(a) {
			t.Fatalf("%s: %d characters of %x", s.name, n, a)
		}
		u, _ := SetByName("utf8mb4")
		if text, _ := Convert(nil, u, s, a); !s.binary() && u.Valid(text) >= 0 {
			t.Fatalf("%s: %x becomes %x", s.name, a, text)
		}
		c.AppendUpper(nil, a)
		c.AppendLower(nil, a)
		o, err := c.Order()
		if err != nil {
			return
		}
		o.Like(a, b, '\\')
		if wrong := consistent(o, a, b); wrong != "" {
			t.Fatalf("%s: %s of %x and %x", c.name, wrong, a, b)
		}
	})
}

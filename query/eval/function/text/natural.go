package text

import (
	"strconv"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
)

var naturals = named("natural_sort_key", 1, 1, naturalSortKey, "NATURAL_SORT_KEY")

// naturalSortKey is NATURAL_SORT_KEY: runs of digits become texts of which the longer one is after the shorter one.
func naturalSortKey(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree(name, false, args[0])
	if err != nil {
		return nil, err
	}
	if texts[0].Null() {
		a = ofBinary()
	}
	set := a.Collation.Set()
	utf8, _ := charset.SetByName("utf8mb4")
	if !set.ASCIIBytes() && !set.Unicode() {
		return nil, mysqlerr.NotYet(name + " in character set " + set.Name())
	}
	most := chars(texts[0])
	t := result(b, a, most+(most+1)/2, args...).OrNull()
	return eval.Map1(name, t, func(f *eval.Frame, s []byte) ([]byte, bool) {
		size := len(s) + len(s)/2 + numberHeadMax
		if uint64(len(s)) > f.MaxPacket {
			return nil, !f.Fits(name, uint64(len(s)))
		}
		if uint64(size) > f.MaxPacket {
			// The server's bound depends on how its buffers happen to grow.
			f.FailWith(mysqlerr.NotYet(name + " of a text that may become longer than max_allowed_packet"))
			return nil, true
		}
		if set.ASCIIBytes() {
			return appendNatural(f.Buffer(size), s), false
		}
		plain, _ := charset.Convert(f.Buffer(utf8.MaxLen()*len(s)), utf8, set, s)
		key := appendNatural(f.Buffer(len(plain)+len(plain)/2+numberHeadMax), plain)
		out, _ := charset.Convert(f.Buffer(len(key)*set.MaxLen()), set, utf8, key)
		return out, false
	}, texts[0]), nil
}

// numberHeadMax is how many bytes are before a long number at most.
const numberHeadMax = 16

func appendNatural(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		start := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		if i == start {
			dst = append(dst, s[i])
			i++
			continue
		}
		for start < i-1 && s[start] == '0' {
			start++
		}
		dst = append(appendDigitCount(dst, uint64(i-start)), s[start:i]...)
	}
	return dst
}

// appendDigitCount appends what sorts as the number of digits n: a digit to 9, two to 18, three to 27; then 9990, the number of digits of
// n-1 less one, n-1.
func appendDigitCount(dst []byte, n uint64) []byte {
	const step = 9
	for nines := range uint64(3) {
		if n <= step*(nines+1) {
			for range nines {
				dst = append(dst, '9')
			}
			return append(dst, '0'+byte(n-1-step*nines))
		}
	}
	count := strconv.AppendUint(nil, n-1, 10)
	dst = append(dst, "9990"...)
	return append(append(dst, '0'+byte(len(count)-1)), count...)
}

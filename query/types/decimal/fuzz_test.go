package decimal

import (
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
)

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", ".", "-.", "1", "-1.50", " +1.e5", "1e", "1e+", "1e400", "-1e-400", "1e99999999999999999999999", "00000000000000001.5", "0.5e-80", "9e80", "95e-82",
		"999999999999999999999999999999999999999999999999999999999999999999999999999999999.5e-3", "1.5x", "1 ", "\xff", "1e-9223372036854775809", "1e 0",
		"99999999999999999999999999999999999999999999999999999999999999999999999999999999999999", ".99999999999999999999999999999999999999999999999999999999999999999999999999999999999999",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, used, cond := Parse(text)
		requireValid(t, d, string(text))
		if used > len(text) || used < 0 {
			t.Fatalf("%q: %d bytes used", text, used)
		}
		again, usedAgain, condAgain := Parse(text[:used])
		if used > 0 && (usedAgain != used || condAgain != cond || Cmp(d, again) != 0) {
			t.Fatalf("%q: %v, its first %d bytes: %v", text, d, used, again)
		}
		printed := d.String()
		if d.Scale() > digitsMax-wordDigits {
			return // the zero before the point would take the place of a word
		}
		if back, n, _ := Parse([]byte(printed)); n != len(printed) || Cmp(back, d) != 0 {
			t.Fatalf("%q: prints %s, which reads %v", text, printed, back)
		}
		if cond != 0 || len(text) > 200 {
			return
		}
		start := 0
		for text[start] == ' ' || text[start] >= '\t' && text[start] <= '\r' {
			start++
		}
		// Blanks may stand behind the e.
		plain := strings.NewReplacer(" ", "", "\t", "").Replace(string(text[start:used]))
		o, _, err := apd.NewFromString(plain)
		if err != nil && d.IsZero() {
			return // an exponent too large for the library
		}
		if err != nil || oracle(d).Cmp(o) != 0 {
			t.Fatalf("%q: %v, the library says %v, %v", text, d, o, err)
		}
	})
}

func FuzzArithmetic(f *testing.F) {
	f.Add([]byte("1.5"), []byte("-3"), 2)
	f.Add([]byte("99999999999999999999999999999999999999999999999999999999999999999999999999999999"), []byte(".00000000000000000000000000000000000000000000000000000000000000000001"), -80)
	f.Add([]byte("123456789.000000001"), []byte("1e-30"), 37)
	f.Fuzz(func(t *testing.T, first, second []byte, n int) {
		a, _, _ := Parse(first)
		b, _, _ := Parse(second)
		for name, op := range operators {
			r, _ := op(a, b)
			requireValid(t, r, name, a, b)
			for name, op := range operators {
				again, _ := op(r, a)
				requireValid(t, again, name, r, a)
			}
			if Cmp(r, r) != 0 || !r.IsZero() && Cmp(r.Neg(), r)*Cmp(r, zero) != -1 {
				t.Fatalf("%v does not compare with itself", r)
			}
		}
		var sum, other Sum
		for i, d := range []Dec{a, b, a, FromInt64(int64(n)), b.Neg()} {
			sum.Add(d)
			other.Add(sum.rest)
			if i%2 == 0 {
				other.AddInt64s([]int64{int64(n), -1}, n)
			}
			other.Merge(&sum)
			r, _ := other.Value()
			requireValid(t, r, "Sum", a, b)
		}
		q, _ := Div(a, b, n)
		requireValid(t, q, "/", a, b)
		for mode := HalfUp; mode <= Floor; mode++ {
			r, _ := q.Round(n, mode)
			requireValid(t, r, "Round", q)
		}
		v, _ := q.Assign(n%70, n%40, n%2 == 0)
		requireValid(t, v, "Assign", q)
		v, _ = a.Cast(n%70, n%40)
		requireValid(t, v, "Cast", a)
		a.Float64()
		a.Int64(HalfUp)
		a.Uint64(Floor)
	})
}

package decimal

import (
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/cockroachdb/apd/v3"
)

func TestSum(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	sizes := []int{5, 12, 18, 38, 60}
	for range 3000 {
		var whole, left, right Sum
		want := apd.New(0, 0)
		size, scale := sizes[r.IntN(len(sizes))], 0
		for i := range r.IntN(60) {
			d := drawn(r, size)
			if r.IntN(3) > 0 {
				d, _ = d.Assign(38, 20, false)
			}
			scale = max(scale, d.Scale())
			whole.Add(d)
			if i%2 == 0 {
				left.Add(d)
			} else {
				right.Add(d)
			}
			if _, err := exact.Add(want, want, oracle(d)); err != nil {
				t.Fatal(err)
			}
		}
		left.Merge(&right)
		for _, s := range []*Sum{&whole, &left} {
			got, cond := s.Value()
			requireValid(t, got, "Sum")
			if cond == 0 && (oracle(got).Cmp(want) != 0 || got.Scale() > scale) {
				t.Fatalf("%v, exactly %v", got, want)
			}
			if cond != 0 && size < 28 {
				t.Fatalf("condition %v at %v", cond, want)
			}
		}
	}
}

// TestSumLarge adds what leaves the 128 bits again and again.
func TestSumLarge(t *testing.T) {
	var s Sum
	d := Max(38, 2, true)
	want := big.NewInt(0)
	coef, _ := new(big.Int).SetString("-99999999999999999999999999999999999999", 10)
	for range 1000 {
		s.Add(d)
		want.Add(want, coef)
	}
	got, cond := s.Value()
	text := want.String()
	if cond != 0 || got.String() != text[:len(text)-2]+"."+text[len(text)-2:] {
		t.Errorf("%v, %v, not %v/100", got, cond, want)
	}
	var none Sum
	if got, cond := none.Value(); !got.IsZero() || got.Scale() != 0 || cond != 0 {
		t.Errorf("the sum of nothing: %v, %v", got, cond)
	}
}

func TestSumOverflow(t *testing.T) {
	// What MariaDB 10.11.19 says of the SUM over three rows.
	for _, c := range []struct{ a, b, want string }{
		{"999999999999999999999999999999999999999999999999999999999999999.0", "100000000000000000", "299999999999999999999999999999999999999999999999999999999999999700000000000000000"},
		{"-999999999999999999999999999999999999999999999999999999999999999999.0", "999999999999999", "-999999999999998899999999999999999999999999999999999999999999999999000000000000002"},
	} {
		a, _, _ := Parse([]byte(c.a))
		b, _, _ := Parse([]byte(c.b))
		d, _ := Mul(a, b)
		var s Sum
		for range 3 {
			s.Add(d)
		}
		got, cond := s.Value()
		got, _ = got.Round(0, HalfUp)
		if got.String() != c.want || (cond == Overflow) != (c.b == "999999999999999") {
			t.Errorf("%s * %s three times: %v, %v, not %s", c.a, c.b, got, cond, c.want)
		}
	}
}

func TestSumInt64s(t *testing.T) {
	coefs := []int64{1, -5, math.MaxInt64, math.MaxInt64, math.MinInt64, 999, math.MaxInt64}
	var a, b, c Sum
	want := big.NewInt(0)
	for range 100 {
		a.AddInt64s(coefs, 3)
		for _, n := range coefs {
			b.Add(scaledInt64(n, 3))
			want.Add(want, big.NewInt(n))
		}
	}
	c.Add(scaledInt64(1, 3))
	c.AddInt64s(coefs, 3)
	x, _ := a.Value()
	y, _ := b.Value()
	if Cmp(x, y) != 0 || Cmp(x, scaledBig(want, 3)) != 0 {
		t.Errorf("%v and %v, exactly %v/1000", x, y, want)
	}
	one, _ := c.Value()
	if one.String() != "18446744073709552.609" {
		t.Errorf("%v", one)
	}
}

func scaledBig(n *big.Int, scale int) Dec {
	d, _, _ := Parse([]byte(n.String()))
	q, _, _ := Parse([]byte("1e-" + string(rune('0'+scale))))
	d, _ = Mul(d, q)
	return d
}

// TestSumOfInts: a sum of integers is that of the numbers that they are, also behind numbers with a fraction.
func TestSumOfInts(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for range 2000 {
		var ints, decs Sum
		if r.IntN(4) == 0 {
			d := drawn(r, 60)
			ints.Add(d)
			decs.Add(d)
		}
		for range r.IntN(20) {
			n, unsigned := int64(r.Uint64()>>r.IntN(64)), r.IntN(2) == 0
			if r.IntN(2) == 0 {
				n = -n
			}
			ints.AddInt(n, unsigned)
			if unsigned {
				decs.Add(FromUint64(uint64(n)))
			} else {
				decs.Add(FromInt64(n))
			}
		}
		if !reflect.DeepEqual(ints, decs) {
			t.Fatalf("%+v, of numbers %+v", ints, decs)
		}
	}
}

package decimal

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for i := range 100_000 {
		a, _ := drawnPair(r)
		want, err := strconv.ParseFloat(a.String(), 64)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Float64(); got != want || math.Signbit(got) && got == 0 && !a.meta.neg() {
			t.Fatalf("%v: %v, not %v", a, got, want)
		}
		f := math.Float64frombits(r.Uint64())
		if i%2 == 0 {
			f = float64(r.IntN(1e9)) / math.Pow10(r.IntN(12))
		}
		d, cond := FromFloat64(f)
		requireValid(t, d, "FromFloat64")
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0):
			if cond != Bad {
				t.Fatalf("%v: condition %v", f, cond)
			}
		case cond == Overflow:
			if math.Abs(f) < 1e81 {
				t.Fatalf("%v is out of range", f)
			}
		case cond == Truncated:
			if math.Abs(f) >= 1e-50 {
				t.Fatalf("%v has lost digits", f)
			}
		default:
			if back := d.Float64(); back != f {
				t.Fatalf("%v is %v, which is %v", f, d, back)
			}
		}
	}
}

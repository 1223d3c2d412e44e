package decimal

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestVectors compares the kernels, element by element, with integers without bounds.
func TestVectors(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	edges := []int64{0, 1, -1, math.MaxInt64, math.MinInt64, math.MaxInt32, math.MinInt32, 1 << 32, -1 << 32, 1e9, 1e18 - 1, 3037000499, 3037000500, -3037000500}
	value := func() int64 {
		if r.IntN(2) == 0 {
			return edges[r.IntN(len(edges))]
		}
		return int64(r.Uint64()) >> r.IntN(64)
	}
	for range 200_000 {
		x, y := value(), value()
		n := r.IntN(Int64Digits + 1)
		power := int64(pow64[n])
		for _, k := range []struct {
			name string
			run  func(dst, a, b []int64) bool
			want func(z, x, y *big.Int) *big.Int
			y    int64
		}{
			{"add", AddInt64s, (*big.Int).Add, y},
			{"sub", SubInt64s, (*big.Int).Sub, y},
			{"sub from", func(dst, a, b []int64) bool { return SubFromInt64(dst, a[0], b) }, (*big.Int).Sub, y},
			{"mul", MulInt64s, (*big.Int).Mul, y},
			{"scale", func(dst, a, _ []int64) bool { return ScaleInt64s(dst, a, n) }, (*big.Int).Mul, power},
		} {
			dst := make([]int64, 1)
			ok := k.run(dst, []int64{x}, []int64{k.y})
			want := k.want(new(big.Int), big.NewInt(x), big.NewInt(k.y))
			if ok != want.IsInt64() || ok && dst[0] != want.Int64() {
				t.Fatalf("%s of %d and %d: %d, %v, exactly %v", k.name, x, k.y, dst[0], ok, want)
			}
		}
	}
	// One element among many is enough.
	a, b := make([]int64, 1024), make([]int64, 1024)
	a[700], b[700] = math.MaxInt64, 2
	for name, f := range map[string]func(dst, a, b []int64) bool{"add": AddInt64s, "mul": MulInt64s} {
		if f(make([]int64, 1024), a, b) {
			t.Errorf("%s has not seen the overflow", name)
		}
	}
	if ScaleInt64s(make([]int64, 1024), b, 19) || ScaleInt64s(make([]int64, 1024), b, -1) {
		t.Error("scaled by what has no power in 64 bits")
	}
}

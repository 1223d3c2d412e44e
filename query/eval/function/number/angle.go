package number

import (
	"math/big"
	"sync"
)

// Bits of the numbers with which large angles are reduced: a double has up to 1024 before the point, and 106 are wanted after
// the 60 that may cancel.
const angleBits = 1400

// bigHalfPi is pi/2 by Machin's formula: pi/4 = 4 arctan(1/5) - arctan(1/239).
var bigHalfPi = sync.OnceValue(func() *big.Float {
	const guard = 64
	unit := new(big.Int).Lsh(big.NewInt(1), angleBits+guard)
	arctan := func(n int64) *big.Int {
		sum, power, square := new(big.Int), new(big.Int).Quo(unit, big.NewInt(n)), big.NewInt(n*n)
		term := new(big.Int)
		for i := int64(1); power.Sign() != 0; i += 2 {
			if term.Quo(power, big.NewInt(i)); i&2 != 0 {
				term.Neg(term)
			}
			sum.Add(sum, term)
			power.Quo(power, square)
		}
		return sum
	}
	pi := arctan(5)
	pi.Lsh(pi, 2).Sub(pi, arctan(239)).Lsh(pi, 1)
	x := new(big.Float).SetPrec(angleBits).SetInt(pi)
	return x.SetMantExp(x, -(angleBits + guard))
})

// reduceLarge is an angle less the nearest multiple of pi/2, and the lowest bits of what it was multiplied with.
func reduceLarge(x float64) (r pair, quadrant int64) {
	angle := new(big.Float).SetPrec(angleBits).SetFloat64(x)
	q := new(big.Float).SetPrec(angleBits).Quo(angle, bigHalfPi())
	half := big.NewFloat(0.5)
	if x < 0 {
		half.Neg(half)
	}
	k, _ := q.Add(q, half).Int(nil)
	q.SetInt(k)
	angle.Sub(angle, q.Mul(q, bigHalfPi()))
	r.hi, _ = angle.Float64()
	r.lo, _ = angle.Sub(angle, new(big.Float).SetFloat64(r.hi)).Float64()
	return r, new(big.Int).And(k, big.NewInt(3)).Int64()
}

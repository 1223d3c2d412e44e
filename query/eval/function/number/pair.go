package number

import "math"

// pair is a number as the sum of two doubles, of which the second is at most half a unit in the last place of the first: about 106 bits.
// Elementary functions are computed with it and rounded once, which is what the C library of MariaDB does nearly always.
type pair struct{ hi, lo float64 }

func exactSum(a, b float64) pair {
	s := a + b
	t := s - a
	return pair{s, (a - (s - t)) + (b - t)}
}

func exactProduct(a, b float64) pair {
	p := float64(a * b)
	return pair{p, math.FMA(a, b, -p)}
}

func (a pair) add(b pair) pair {
	s, t := exactSum(a.hi, b.hi), exactSum(a.lo, b.lo)
	s = exactSum(s.hi, s.lo+t.hi)
	return exactSum(s.hi, s.lo+t.lo)
}

func (a pair) neg() pair { return pair{-a.hi, -a.lo} }

func (a pair) sub(b pair) pair { return a.add(b.neg()) }

func (a pair) mul(b pair) pair {
	p := exactProduct(a.hi, b.hi)
	return exactSum(p.hi, p.lo+(float64(a.hi*b.lo)+float64(a.lo*b.hi)))
}

func (a pair) div(b pair) pair {
	q := a.hi / b.hi
	r := a.sub(b.mul(pair{hi: q}))
	q2 := r.hi / b.hi
	r = r.sub(b.mul(pair{hi: q2}))
	return exactSum(q, q2).add(pair{hi: r.hi / b.hi})
}

func (a pair) value() float64 { return a.hi + a.lo }

var (
	ln2 = pair{math.Ln2, 2.319046813846299558e-17}
	one = pair{hi: 1}
)

// expPair is e^x as a pair and a power of two, for an x whose result is finite.
func expPair(x pair) (pair, int) {
	const halvings = 8
	k := math.RoundToEven(x.hi / math.Ln2)
	r := x.sub(ln2.mul(pair{hi: k}))
	r = pair{math.Ldexp(r.hi, -halvings), math.Ldexp(r.lo, -halvings)}
	term, sum := r, r // e^r-1
	for n := 2.0; n <= 11; n++ {
		term = term.mul(r).div(pair{hi: n})
		sum = sum.add(term)
	}
	for range halvings {
		sum = sum.add(sum).add(sum.mul(sum))
	}
	return sum.add(one), int(k)
}

func exp(x float64) float64 {
	const most, least = 709.78, -708.0
	if math.IsNaN(x) || x > most || x < least {
		return math.Exp(x)
	}
	p, k := expPair(pair{hi: x})
	return math.Ldexp(p.value(), k)
}

// lnPair is the logarithm of a positive number: a step of Newton's method from a double.
func lnPair(x float64) pair {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = m*2, e-1
	}
	y := pair{hi: math.Log(m)}
	p, k := expPair(y.neg())
	m = math.Ldexp(m, k)
	y = y.add(p.mul(pair{hi: m}).sub(one))
	return y.add(ln2.mul(pair{hi: float64(e)}))
}

func ln(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return math.Log(x)
	}
	return lnPair(x).value()
}

// log10 is computed from the logarithm of the mantissa, as the C library does, in doubles.
func log10(x float64) float64 {
	const (
		perLn  = 4.34294481903251816668e-01
		log2Hi = 3.01029995663611771306e-01
		log2Lo = 3.69423907715893078616e-13
	)
	m, e := math.Frexp(x)
	m, e = m*2, e-1
	if e < 0 {
		m, e = m/2, e+1
	}
	k := float64(e)
	z := float64(k*log2Lo) + float64(perLn*ln(m))
	return z + float64(k*log2Hi)
}

// power leaves special cases and what is out of range, or nearly, to package math.
func power(x, y float64) float64 {
	plain := math.Pow(x, y)
	abs := math.Abs(plain)
	const least = 1e-300
	if x == 0 || y == 0 || math.IsNaN(plain) || math.IsInf(plain, 0) || abs < least || math.IsInf(y, 0) || math.IsInf(x, 0) {
		return plain
	}
	p, k := expPair(lnPair(math.Abs(x)).mul(pair{hi: y}))
	return math.Copysign(math.Ldexp(p.value(), k), plain)
}

// halfPi is pi/2 in three doubles.
var halfPi = [3]float64{1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33}

// angleMax is the largest angle that three doubles of pi are enough for.
const angleMax = 1e5

// reduce is an angle less the nearest multiple of pi/2, and the lowest two bits of the multiple.
func reduce(x float64) (r pair, quadrant int64) {
	if math.Abs(x) >= angleMax {
		return reduceLarge(x)
	}
	k := math.RoundToEven(x / halfPi[0])
	r = pair{hi: x}
	for _, part := range halfPi {
		r = r.sub(exactProduct(k, part))
	}
	return r, int64(k) & 3
}

// sincos is sine and cosine.
func sincos(x float64) (s, c pair) {
	r, quadrant := reduce(x)
	square := r.mul(r).neg()
	s, c = r, one
	ts, tc := r, one
	for n := 1.0; n <= 27; n += 2 {
		tc = tc.mul(square).div(pair{hi: n * (n + 1)})
		ts = ts.mul(square).div(pair{hi: (n + 1) * (n + 2)})
		s, c = s.add(ts), c.add(tc)
	}
	switch quadrant {
	case 1:
		return c, s.neg()
	case 2:
		return s.neg(), c.neg()
	case 3:
		return c.neg(), s
	}
	return s, c
}

// trigonometric makes a function of an angle of one over its sine and cosine.
func trigonometric(f func(s, c pair) pair, tiny func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		const least = 1e-150
		if math.IsNaN(x) || math.IsInf(x, 0) || math.Abs(x) < least {
			return tiny(x)
		}
		s, c := sincos(x)
		return f(s, c).value()
	}
}

var (
	sin = trigonometric(func(s, _ pair) pair { return s }, math.Sin)
	cos = trigonometric(func(_, c pair) pair { return c }, math.Cos)
	tan = trigonometric(pair.div, math.Tan)
)

// atan2 makes the angle of package math better by a step.
func atan2(y, x float64) float64 {
	a := math.Atan2(y, x)
	const least, most = 1e-140, 1e140
	if ax, ay := math.Abs(x), math.Abs(y); !(ax > least && ax < most && ay > least && ay < most) || math.Abs(a) < least {
		return a
	}
	s, c := sincos(a)
	px, py := pair{hi: x}, pair{hi: y}
	return pair{hi: a}.add(py.mul(c).sub(px.mul(s)).div(px.mul(c).add(py.mul(s)))).value()
}

func atan(x float64) float64 { return atan2(x, 1) }

func asin(x float64) float64 {
	a := math.Asin(x)
	if math.Abs(x) >= 1 || math.Abs(x) < 1e-150 {
		return a
	}
	s, c := sincos(a)
	return pair{hi: a}.add(pair{hi: x}.sub(s).div(c)).value()
}

// acos takes two steps: near 1, what package math gives has few right digits.
func acos(x float64) float64 {
	a := math.Acos(x)
	if math.Abs(x) >= 1 {
		return a
	}
	for range 2 {
		s, c := sincos(a)
		a = pair{hi: a}.add(c.sub(pair{hi: x}).div(s)).value()
	}
	return a
}

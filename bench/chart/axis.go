package chart

import "math"

// axis maps values to the range 0 (bottom) to 1 (top).
type axis struct {
	low, high float64
	log       bool
	ticks     []float64
}

// newAxis fits an axis around values. A linear one begins at 0; a logarithmic
// one ignores values that are not positive, and ends at marks of 1, 2 or 5.
func newAxis(values []float64, log bool) axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) || log && v <= 0 {
			continue
		}
		low, high = math.Min(low, v), math.Max(high, v)
	}
	if math.IsInf(low, 1) {
		low, high = 1, 1
	}
	if log {
		return logAxis(low, high)
	}
	if high <= 0 {
		high = 1
	}
	step := niceStep(high / 5)
	a := axis{high: math.Ceil(high/step-1e-9) * step}
	for i := 0; float64(i)*step <= a.high*(1+1e-9); i++ {
		a.ticks = append(a.ticks, float64(i)*step)
	}
	return a
}

func logAxis(low, high float64) axis {
	a := axis{log: true, low: logBelow(low), high: logBelow(high)}
	if a.high < high {
		a.high = logNext(a.high)
	}
	if a.high <= a.low {
		a.high = logNext(a.low)
	}
	all := []float64{}
	for v := a.low; v <= a.high*(1+1e-9); v = logNext(v) {
		all = append(all, v)
	}
	for _, v := range all {
		// Over many decades only the powers of ten are written.
		if decade := math.Log10(v); len(all) <= 10 || math.Abs(decade-math.Round(decade)) < 1e-9 {
			a.ticks = append(a.ticks, v)
		}
	}
	return a
}

// logBelow is the largest of 1, 2, 5 times a power of ten that is not above v.
func logBelow(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{5, 2} {
		if m*power <= v*(1+1e-9) {
			return m * power
		}
	}
	return power
}

// logNext is the mark after v, which is one.
func logNext(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)+1e-9))
	switch m := math.Round(v / power); {
	case m < 2:
		return 2 * power
	case m < 5:
		return 5 * power
	}
	return 10 * power
}

// niceStep is the smallest of 1, 2, 5 times a power of ten that is not below v.
func niceStep(v float64) float64 {
	below := logBelow(v)
	if below >= v*(1-1e-9) {
		return below
	}
	return logNext(below)
}

// at is where v lies; values outside are moved to the edge.
func (a axis) at(v float64) float64 {
	low, high := a.low, a.high
	if a.log {
		low, high, v = math.Log(low), math.Log(high), math.Log(math.Max(v, a.low))
	}
	return math.Max(0, math.Min(1, (v-low)/(high-low)))
}

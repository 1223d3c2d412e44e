package stat

import "slices"

// Summary is what is printed of the repeats of one measurement. The zero value
// says that there were none.
type Summary struct {
	N                int
	Min, Median, Max float64
}

// Summarize sums values up; it does not change them.
func Summarize(values []float64) Summary {
	if len(values) == 0 {
		return Summary{}
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return Summary{N: len(sorted), Min: sorted[0], Median: middle(sorted), Max: sorted[len(sorted)-1]}
}

// Median of no values is 0; of an even number it is the mean of the two in the middle.
func Median(values []float64) float64 { return Summarize(values).Median }

func middle(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// Ratios divides pair by pair: a[i] was measured right beside b[i], so what
// disturbed the machine disturbed both. Pairs whose divisor is 0 are left out.
func Ratios(a, b []float64) []float64 {
	var r []float64
	for i := range min(len(a), len(b)) {
		if b[i] != 0 {
			r = append(r, a[i]/b[i])
		}
	}
	return r
}

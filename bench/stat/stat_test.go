package stat

import (
	"math/rand"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSummarize(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		want   Summary
	}{
		{"none", nil, Summary{}},
		{"one", []float64{3}, Summary{1, 3, 3, 3}},
		{"odd", []float64{9, 1, 5}, Summary{3, 1, 5, 9}},
		{"even", []float64{4, 1, 3, 2}, Summary{4, 1, 2.5, 4}},
		{"outlier", []float64{10, 10, 10, 10, 1000}, Summary{5, 10, 10, 1000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := slices.Clone(c.values)
			require.Equal(t, c.want, Summarize(c.values))
			require.Equal(t, before, c.values, "the argument is left alone")
			require.Equal(t, c.want.Median, Median(c.values))
		})
	}
}

func TestRatios(t *testing.T) {
	for _, c := range []struct {
		name       string
		a, b, want []float64
	}{
		{"none", nil, []float64{1}, nil},
		{"pairs", []float64{1, 4}, []float64{2, 2}, []float64{0.5, 2}},
		{"shorter", []float64{1, 4, 9}, []float64{2}, []float64{0.5}},
		{"divisor 0", []float64{1, 4}, []float64{0, 2}, []float64{2}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, Ratios(c.a, c.b)) })
	}
}

func TestBucketsAreInOrder(t *testing.T) {
	last := -1
	for d := time.Duration(0); d < 1<<maxBits; d += d/50 + 1 {
		b := bucket(d)
		require.GreaterOrEqual(t, b, last)
		require.Less(t, b, buckets)
		require.GreaterOrEqual(t, upper(b), d)
		require.LessOrEqual(t, float64(upper(b)), float64(d)*(1+1.0/sub))
		last = b
	}
	require.Equal(t, buckets-1, bucket(1<<maxBits))
	require.Equal(t, buckets-1, bucket(1<<62))
	require.Equal(t, 0, bucket(-1))
}

func TestQuantiles(t *testing.T) {
	values := func(n int, f func(i int) time.Duration) []time.Duration {
		l := make([]time.Duration, n)
		for i := range l {
			l[i] = f(i)
		}
		return l
	}
	r := rand.New(rand.NewSource(1))
	for _, c := range []struct {
		name   string
		values []time.Duration
	}{
		{"one", []time.Duration{123456}},
		{"equal", values(100, func(int) time.Duration { return time.Millisecond })},
		{"rising", values(1000, func(i int) time.Duration { return time.Duration(i) * time.Microsecond })},
		{"random", values(10000, func(int) time.Duration { return time.Duration(r.ExpFloat64() * float64(time.Millisecond)) })},
	} {
		t.Run(c.name, func(t *testing.T) {
			var h, left, right Histogram
			for i, d := range c.values {
				h.Record(d)
				if i%2 == 0 {
					left.Record(d)
				} else {
					right.Record(d)
				}
			}
			slices.Sort(c.values)
			for _, q := range []float64{0, 0.5, 0.95, 0.99, 1} {
				i := min(max(int(q*float64(len(c.values))+0.5), 1), len(c.values)) - 1
				want := c.values[i]
				require.GreaterOrEqual(t, h.Quantile(q), want, "%v", q)
				require.LessOrEqual(t, float64(h.Quantile(q)), float64(want)*(1+1.0/sub)+1, "%v", q)
			}
			require.Equal(t, c.values[len(c.values)-1], h.Max())
			require.EqualValues(t, len(c.values), h.Count())
			left.Merge(&right)
			require.Equal(t, h, left)
			require.Equal(t, h.Max(), h.Latency().Max)
		})
	}
	var empty Histogram
	require.Zero(t, empty.Latency())
	require.Zero(t, empty.Mean())
}

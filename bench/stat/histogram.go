package stat

import (
	"math/bits"
	"time"
)

// A Histogram counts durations in buckets whose width is 1/32 of their lower
// bound, so a quantile is at most 3 % too large. The zero value is empty and
// ready. It is not safe for concurrent use: give each goroutine its own and Merge.
type Histogram struct {
	counts [buckets]uint32
	n      uint64
	sum    time.Duration
	max    time.Duration
}

const (
	subBits = 5
	sub     = 1 << subBits
	// Durations of more than 2^maxBits ns (18 minutes) count as that long.
	maxBits = 40
	buckets = (maxBits - subBits + 1) * sub
)

// bucket of a duration: exact below 32 ns, then 32 buckets for each power of two.
func bucket(d time.Duration) int {
	v := uint64(max(d, 0))
	if v >= 1<<maxBits {
		return buckets - 1
	}
	if v < sub {
		return int(v)
	}
	shift := bits.Len64(v) - subBits - 1
	return shift*sub + int(v>>shift)
}

// upper is the longest duration of a bucket.
func upper(b int) time.Duration {
	if b < 2*sub {
		return time.Duration(b)
	}
	shift := b/sub - 1
	return time.Duration(uint64(b-shift*sub+1)<<shift - 1)
}

// Record counts d.
func (h *Histogram) Record(d time.Duration) {
	h.counts[bucket(d)]++
	h.n++
	h.sum += d
	h.max = max(h.max, d)
}

// Merge adds what other has counted.
func (h *Histogram) Merge(other *Histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.n += other.n
	h.sum += other.sum
	h.max = max(h.max, other.max)
}

// Quantile is the duration below or at which the part q (0 to 1) of all
// values lies; 0 if there are none.
func (h *Histogram) Quantile(q float64) time.Duration {
	rank := uint64(q*float64(h.n) + 0.5)
	rank = min(max(rank, 1), h.n)
	var seen uint64
	for b, n := range h.counts {
		if seen += uint64(n); n > 0 && seen >= rank {
			return min(upper(b), h.max)
		}
	}
	return 0
}

// Count is the number of values.
func (h *Histogram) Count() uint64 { return h.n }

// Max is the largest value.
func (h *Histogram) Max() time.Duration { return h.max }

// Mean is the average; 0 if there are no values.
func (h *Histogram) Mean() time.Duration {
	if h.n == 0 {
		return 0
	}
	return h.sum / time.Duration(h.n)
}

// Latency is the part of a histogram that is reported. In JSON it is in nanoseconds.
type Latency struct {
	P50 time.Duration `json:"p50_ns"`
	P99 time.Duration `json:"p99_ns"`
	Max time.Duration `json:"max_ns"`
}

// Latency gives the usual quantiles.
func (h *Histogram) Latency() Latency {
	return Latency{P50: h.Quantile(0.5), P99: h.Quantile(0.99), Max: h.max}
}

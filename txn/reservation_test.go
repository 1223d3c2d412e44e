package txn

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Values that rows bring along are passed over, however far away they are.
func TestReservationForce(t *testing.T) {
	var r Reservation
	r.Force(60, 1, 1)
	require.Equal(t, uint64(61), rest(t, &r))
	r.Skip(80)
	require.Equal(t, uint64(81), rest(t, &r))
	r.Skip(5)
	require.Equal(t, uint64(82), rest(t, &r))
	r.Skip(math.MaxUint64 - 9)
	require.Equal(t, uint64(math.MaxUint64-8), rest(t, &r))
	r.Skip(math.MaxUint64)
	_, ok := r.Rest()
	require.False(t, ok)

	r.Force(500, 5, 3)
	require.Equal(t, uint64(503), rest(t, &r))
	r.Skip(math.MaxUint64)
	_, ok = r.Rest()
	require.False(t, ok)

	r.Force(math.MaxUint64, 1, 1)
	_, ok = r.Rest()
	require.False(t, ok)
}

func rest(t *testing.T, r *Reservation) uint64 {
	t.Helper()
	v, ok := r.Rest()
	require.True(t, ok)
	return v
}

// A counter that is near its end has no more values, and none that it has given before.
func TestCounterEnds(t *testing.T) {
	for _, next := range []uint64{math.MaxUint64 - 1, math.MaxUint64 - 5, math.MaxUint64 - 12} {
		for _, increment := range []uint64{1, 2, 7, 10, 65535} {
			for _, offset := range []uint64{1, 3, 9, 24, 65535} {
				c := counter{next: next}
				for {
					v, err := c.reserve(1, increment, offset)
					if err != nil {
						require.ErrorIs(t, err, ErrAutoIncrementExhausted)
						break
					}
					require.GreaterOrEqual(t, v, next, "by %d from %d", increment, offset)
				}
			}
		}
	}
}

// What MariaDB 10.11 gave, with offsets above and below the increment.
func TestCounterSequences(t *testing.T) {
	for _, c := range []struct {
		next, increment, offset uint64
		want                    []uint64
	}{
		{1, 10, 24, []uint64{8, 24, 34}},
		{2, 10, 24, []uint64{8, 24}},
		{58, 10, 24, []uint64{64}},
		{1, 2, 9, []uint64{1, 3}},
		{1, 5, 3, []uint64{3, 8}},
		{104, 10, 5, []uint64{105, 115}},
		{25, 10, 24, []uint64{34, 44}},
		{40, 10, 54, []uint64{54, 64}},
		{10, 5, 54, []uint64{13, 18}},
		{50, 15, 36, []uint64{51, 66}},
	} {
		k := counter{next: c.next}
		for _, want := range c.want {
			v, err := k.reserve(1, c.increment, c.offset)
			require.NoError(t, err)
			require.Equal(t, want, v, "%+v", c)
		}
	}
}

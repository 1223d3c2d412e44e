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

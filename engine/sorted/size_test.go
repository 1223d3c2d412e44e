package sorted

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// The size of few keys is exact, that of many an estimate from some.
func TestSize(t *testing.T) {
	var b Batch
	for i := range 10_000 {
		require.NoError(t, b.Set(fmt.Appendf(nil, "%05d", i), make([]byte, i%100)))
	}
	m := Empty().With(&b)
	for _, c := range []struct {
		lower, upper string
		keys         int
	}{
		{"00000", "00010", 10}, {"00010x", "00020", 9}, {"00100", "00164", 64}, {"x", "y", 0}, {"5", "4", 0}, {"5", "5", 0},
	} {
		want := uint64(0)
		for i := range 10_000 {
			if key := fmt.Sprintf("%05d", i); key >= c.lower && key < c.upper {
				want += uint64(len(key) + i%100)
			}
		}
		require.Equal(t, want, m.Size([]byte(c.lower), []byte(c.upper)), c)
	}
	require.InDelta(t, 10_000*(5+49.5), m.Size(nil, nil), 50_000)
	require.InDelta(t, 5_000*(5+49.5), m.Size([]byte("05000"), nil), 25_000)
	require.Zero(t, Empty().Size(nil, nil))
}

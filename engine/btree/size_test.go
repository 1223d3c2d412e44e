package btree

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// The sizes of large ranges are estimated from a few pages.
func TestSizeOfLargeRanges(t *testing.T) {
	e := newCrashable(Options{}).open(t)
	const rows, rowBytes = 60_000, 108
	for n := 0; n < rows; {
		b := e.NewBatch()
		for range 5000 {
			require.NoError(t, b.Set(fmt.Appendf(nil, "%08d", n), make([]byte, rowBytes-8)))
			n++
		}
		require.NoError(t, e.Apply(b, markAt(uint64(n))))
	}
	_, err := e.Checkpoint()
	require.NoError(t, err)
	for _, c := range []struct {
		lower, upper string
		rows         int
	}{{"", "", rows}, {"0003", "", 30_000}, {"", "0002", 20_000}, {"00015", "00045", 30_000}, {"0001", "000101", 100}, {"2", "", 0}, {"0002", "0001", 0}} {
		var lower, upper []byte
		if c.lower != "" {
			lower = []byte(c.lower)
		}
		if c.upper != "" {
			upper = []byte(c.upper)
		}
		n, err := e.Size(lower, upper)
		require.NoError(t, err)
		require.InDelta(t, c.rows*rowBytes, n, float64(c.rows*rowBytes)/50, "%s to %s", c.lower, c.upper)
	}
	require.NoError(t, e.Close())
}

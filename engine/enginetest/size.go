package enginetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
)

// noise is bytes that no compression makes smaller.
func noise(rnd *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	return b
}

// fill applies count keys "space/nnnnn" of about bytes each, 100 to a batch, and returns the next mark's number.
func fill(t *testing.T, e engine.Engine, n uint64, space string, count, bytes int) uint64 {
	t.Helper()
	rnd := rand.New(rand.NewPCG(n, 1))
	for i := 0; i < count; {
		b := e.NewBatch()
		for range 100 {
			if i++; i > count {
				break
			}
			require.NoError(t, b.Set(fmt.Appendf(nil, "%s/%05d", space, i-1), noise(rnd, bytes)))
		}
		require.NoError(t, e.Apply(b, mark(n)))
		n++
	}
	return n
}

// Sizes are estimates: what a space takes is found to within half and three times, at any moment.
func testSize(t *testing.T, h Harness) {
	const slack = 16 << 10 // pages are counted as a whole
	e := h.Open(t)
	size := func(lower, upper string) int {
		t.Helper()
		var l, u []byte
		if lower != "" {
			l = []byte(lower)
		}
		if upper != "" {
			u = []byte(upper)
		}
		n, err := e.Size(l, u)
		require.NoError(t, err)
		return int(n)
	}
	within := func(want, got int) {
		t.Helper()
		require.GreaterOrEqual(t, got, want/2)
		require.LessOrEqual(t, got, 3*want+slack)
	}
	require.LessOrEqual(t, size("", ""), slack)
	n := fill(t, e, 1, "a", 2000, 500)
	fill(t, e, n, "b", 200, 500)
	check := func() {
		t.Helper()
		within(1_000_000, size("a", "b"))
		within(100_000, size("b", "c"))
		within(500_000, size("a/01000", "b"))
		within(1_100_000, size("", ""))
		within(100_000, size("b", ""))
		require.LessOrEqual(t, size("c", "d"), slack)
		require.LessOrEqual(t, size("c", ""), slack)
		require.Zero(t, size("a", "a"))
		require.Zero(t, size("b", "a"))
	}
	check()
	_, err := e.Checkpoint()
	require.NoError(t, err)
	check()
	require.NoError(t, e.Close())
	_, err = e.Size(nil, nil)
	require.ErrorIs(t, err, engine.ErrClosed)
	if h.Can().Volatile {
		return
	}
	e = h.Open(t)
	check()
	require.NoError(t, e.Close())
}

func testStats(t *testing.T, h Harness) {
	const much = 500_000
	e := h.Open(t)
	before := e.Stats()
	require.Zero(t, before.PendingBytes)
	require.Zero(t, before.Checkpoints)
	require.Zero(t, before.CheckpointTime)
	fill(t, e, 1, "a", 2000, 500)
	s := e.Stats()
	require.GreaterOrEqual(t, s.PendingBytes+s.WrittenBytes-before.WrittenBytes, uint64(much))
	_, err := e.Checkpoint()
	require.NoError(t, err)
	s = e.Stats()
	require.Zero(t, s.PendingBytes)
	require.Positive(t, s.Checkpoints)
	require.Positive(t, s.CheckpointTime)
	require.GreaterOrEqual(t, s.WrittenBytes, before.WrittenBytes+much)
	require.GreaterOrEqual(t, s.DiskBytes, uint64(much))
	apply(t, e, 1000, "b=1")
	_, err = e.Checkpoint()
	require.NoError(t, err)
	require.Greater(t, e.Stats().Checkpoints, s.Checkpoints)
	require.Greater(t, e.Stats().CheckpointTime, s.CheckpointTime)
	require.Greater(t, e.Stats().WrittenBytes, s.WrittenBytes)
	require.NoError(t, e.Ingest(batch(t, e, "c=1")))
	require.Positive(t, e.Stats().PendingBytes, "the mark has not moved, and yet there is something to do")
	require.NoError(t, e.Close())
	require.Zero(t, e.Stats())

	e = h.Open(t)
	s = e.Stats()
	require.GreaterOrEqual(t, s.DiskBytes, uint64(much), "the files are still there")
	require.Zero(t, s.Checkpoints, "counters begin at zero")
	require.Less(t, s.WrittenBytes, uint64(much))
	require.NoError(t, e.Close())
}

package source

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTracker(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	tr := &Tracker{now: func() time.Time { return now }}
	needs := func(want uint64) {
		t.Helper()
		n, ok := tr.Needed()
		require.Equal(t, want > 0, ok)
		require.Equal(t, want, n)
	}
	needs(0)
	a, b := tr.Begin(2), tr.Begin(3)
	require.Equal(t, 2, tr.Connected())
	needs(0) // neither was told where it starts
	a.At(1)
	needs(1)
	a.At(7)
	b.At(5)
	needs(4)
	b.End()
	needs(4)
	a.At(9)
	again := tr.Begin(3)
	again.At(6)
	needs(5)
	again.End()
	require.Equal(t, 1, tr.Connected())
	now = now.Add(replicaMemory - time.Second)
	needs(5)
	now = now.Add(2 * time.Second)
	needs(8)

	refused := tr.Begin(4)
	refused.End()
	needs(8)

	tr.Forget()
	needs(0)
	a.At(10) // of the old log
	a.End()
	needs(0)
	require.Zero(t, tr.Connected())
}

func TestTrackerIsBounded(t *testing.T) {
	tr := &Tracker{}
	for id := range uint32(trackedMax + 100) {
		x := tr.Begin(id + 1)
		x.At(uint64(id) + 5)
		x.End()
	}
	require.LessOrEqual(t, len(tr.mu.replicas), trackedMax)
}

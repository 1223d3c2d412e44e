package commit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// at is a moment of a test's own clock.
func at(d time.Duration) time.Time { return time.Unix(1000, 0).Add(d) }

const ms = time.Millisecond

func TestGatherPlan(t *testing.T) {
	for _, c := range []struct {
		name      string
		sync      time.Duration
		previous  int
		contended bool
		queued    int
		since     time.Duration // since the end of the group before
		target    int
	}{
		{"the first group", 0, 0, false, 1, 0, 0},
		{"a lone committer", 2 * ms, 1, false, 1, 0, 0},
		{"two halves", 2 * ms, 8, true, 8, 0, 16},
		{"the first to come back", 2 * ms, 16, false, 1, 0, 16},
		{"all are back", 2 * ms, 4, false, 4, 0, 0},
		{"long after the group before", 2 * ms, 16, false, 1, ms, 0},
		{"a fast disk", 100 * time.Microsecond, 8, true, 8, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var g groupDelay
			if c.sync > 0 {
				g.synced(c.sync, c.previous, at(0))
			}
			target, wait := g.plan(c.contended, c.queued, at(c.since))
			require.Equal(t, c.target, target)
			if target > 0 {
				require.Equal(t, c.sync/4, wait)
			}
		})
	}
}

// A wait that pays is repeated at once; one that does not is tried ever more rarely.
func TestGatherLearns(t *testing.T) {
	var g groupDelay
	tries := func(groups int, after int, d time.Duration) (n int) {
		for range groups {
			g.synced(2*ms, 16, at(0))
			if target, _ := g.plan(false, 1, at(0)); target > 0 {
				n++
				g.outcome(target, 1, after, d)
			}
		}
		return n
	}
	require.Equal(t, 100, tries(100, 16, ms/10), "all come back at once")
	require.LessOrEqual(t, tries(1000, 2, ms/2), 12, "they do not")
	require.Less(t, tries(10_000, 9, ms), 60, "too late is no better")
	require.Greater(t, tries(1000, 16, ms/10), 700, "they do again")
}

func TestGatherAverage(t *testing.T) {
	var g groupDelay
	g.synced(8*ms, 1, at(0))
	for range 100 {
		g.synced(ms, 1, at(0))
	}
	require.InDelta(t, float64(ms), float64(g.syncTime), float64(ms)/10)
}

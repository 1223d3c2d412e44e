package commit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// device is a model of clients that do nothing but commit to a device that syncs up to limit groups at a time.
type device struct {
	syncTime time.Duration
	limit    int
	clients  int
}

// run feeds the climber with groups for a minute, and returns the depth it is at most of the time.
func (d device) run(c *climber, now time.Time) int {
	end := now.Add(time.Minute)
	at := map[int]time.Duration{}
	depth := 1
	for now.Before(end) {
		inFlight := min(depth, d.clients)
		members := max(d.clients/(inFlight+1), 1) // one group forms meanwhile
		step := d.syncTime / time.Duration(min(inFlight, d.limit))
		now = now.Add(step)
		at[depth] += step
		queued := 0
		if d.clients > 1 {
			queued = members
		}
		depth = c.synced(d.syncTime, members, queued, now)
	}
	most := 0
	for k, t := range at {
		if t > at[most] {
			most = k
		}
	}
	return most
}

var start = time.Unix(1_700_000_000, 0)

func TestClimber(t *testing.T) {
	for _, tc := range []struct {
		name string
		device
		want int // up to 3
	}{
		{"fast device", device{100 * time.Microsecond, 8, 64}, 1},
		{"lone client", device{1500 * time.Microsecond, 8, 1}, 1},
		{"slow device, one sync at a time", device{1500 * time.Microsecond, 1, 64}, 1},
		{"slow device, several syncs", device{1500 * time.Microsecond, 8, 64}, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, min(tc.run(&climber{}, start), 3))
		})
	}
}

// TestClimberComesDown: when the device gets fast, or the load ends, the depth is 1 again.
func TestClimberComesDown(t *testing.T) {
	var c climber
	slow := device{1500 * time.Microsecond, 8, 64}
	require.Greater(t, slow.run(&c, start), 1)
	fast := device{50 * time.Microsecond, 8, 64}
	require.Equal(t, 1, fast.run(&c, start.Add(time.Minute)))
	require.Equal(t, 1, c.current())
}

// TestClimberIgnoresOutliers: one sync in ten of 20 ms does not make a device slow.
func TestClimberIgnoresOutliers(t *testing.T) {
	var c climber
	now := start
	for n := range 20_000 {
		d := 120 * time.Microsecond
		if n%10 == 0 {
			d = 20 * time.Millisecond
		}
		now = now.Add(d)
		require.Equal(t, 1, c.synced(d, 32, 32, now))
	}
}

package commit

import "time"

// groupDelay decides how long a leader waits for the members of the group
// before, which have just been, or are about to be, woken, to come back with their
// next transactions. Without that, N clients that do nothing but commit fall
// apart: one part syncs while the other queues, and every client commits once
// in two syncs. A leader that waits a little for all gets all of them into one
// sync: the throughput is N per (sync + wait) instead of N per two syncs.
//
// It is worth it only when the wait is short beside the sync, and clients do
// come back at once. Nobody can know the second, so it is tried: a wait that
// did not pay is followed by a pause of 2, 4, 8, ... groups without one.
//
// A lone committer never waits: the group before was its own.
// The zero value is ready. It belongs to the holder of logMu.
type groupDelay struct {
	syncTime time.Duration // moving average
	previous int           // members of the group before
	ended    time.Time     // when its sync ended
	pause    int           // groups until the next try
	penalty  int           // the next pause
}

const (
	// delayMinSync is the sync time below which waiting is not worth the
	// wake-ups it costs.
	delayMinSync = 200 * time.Microsecond
	// delayMaxPause bounds the pause between tries.
	delayMaxPause = 256
)

// synced notes how long the sync of a group took that ended now, and how many
// members it had.
func (g *groupDelay) synced(d time.Duration, members int, now time.Time) {
	if g.syncTime == 0 {
		g.syncTime = d
	}
	g.syncTime += (d - g.syncTime) / 8
	g.previous, g.ended = members, now
}

// plan says how many requests to wait for, and how long. queued includes the
// leader's own. contended: the group before was still in the log stage when
// this leader came, so none of its members are among those queued. A target of 0 means not to wait.
func (g *groupDelay) plan(contended bool, queued int, now time.Time) (target int, wait time.Duration) {
	wait = g.syncTime / 4
	target = g.previous
	if contended {
		target += queued
	}
	if g.syncTime < delayMinSync || target <= queued || now.Sub(g.ended) > wait {
		return 0, 0
	}
	if g.pause > 0 {
		g.pause--
		return 0, 0
	}
	return target, wait
}

// outcome judges a wait for target that took d and raised the number of
// requests from before to after. Had the leader not waited, half of the
// target, or those who were there, would have gone into every sync.
func (g *groupDelay) outcome(target, before, after int, d time.Duration) {
	without := float64(max(before, target/2)) / float64(g.syncTime)
	with := float64(after) / float64(g.syncTime+d)
	if with > 1.1*without {
		g.penalty = 0
		return
	}
	g.penalty = min(max(2*g.penalty, 2), delayMaxPause)
	g.pause = g.penalty
}

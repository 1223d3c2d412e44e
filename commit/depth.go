package commit

import "time"

// climber decides how many groups may be synced at the same time. On a slow device the sync of the next group
// need not wait for the sync of this one; on a fast one, several syncs only split the same transactions into
// smaller groups, which costs more than it gains.
//
// Nobody can know which, so it is tried: windows of groups are measured in commits per second, and
// now and then one window is run a step deeper or less deep. The step is kept if it was faster;
// if not, the next try comes after a pause of 2, 4, 8, ... windows. Nothing is tried while syncs
// are fast, or while no transactions queue during them: a group-commit delay that gets all of
// them into one group leaves nothing to gain.
//
// The zero value is ready. It belongs to the holder of applyMu.
type climber struct {
	depth    int           // in use; 0 means 1
	syncTime time.Duration // moving median: a few syncs that meet other work on the device say nothing

	rate    float64 // commits per second of the last window that was no trial
	trial   bool    // the window under way is one
	kept    int     // depth to go back to when the trial fails
	down    bool    // direction of the next trial
	pause   int     // windows until the next trial
	penalty int     // the next pause

	started time.Time // of the window
	groups  int
	commits int
	busy    int // groups during whose sync transactions queued
}

const (
	// climbMinSync is the sync time below which the depth stays 1.
	climbMinSync = 500 * time.Microsecond
	// climbMedianStep is the part by which a sync moves the median.
	climbMedianStep = 16
	// climbMaxDepth is the largest depth.
	climbMaxDepth = 4
	// A window lasts at least climbWindow and has at least climbGroups groups. One that lasts longer
	// than climbStale says nothing about the load.
	climbWindow = 100 * time.Millisecond
	climbGroups = 16
	climbStale  = 2 * time.Second
	// climbGain is how much faster a trial has to be to be kept.
	climbGain = 1.05
	// climbMaxPause bounds the pause between trials, in windows.
	climbMaxPause = 64
)

// synced notes a group of some members whose sync took d and ended now, when queued further requests waited. It
// returns the depth to use from here on.
func (c *climber) synced(d time.Duration, members, queued int, now time.Time) int {
	switch {
	case c.syncTime == 0:
		c.syncTime = min(d, climbMinSync/2) // the first one may be such a sync
	case d > c.syncTime:
		c.syncTime += c.syncTime / climbMedianStep
	default:
		c.syncTime -= c.syncTime / climbMedianStep
	}
	if c.started.IsZero() {
		c.begin(now)
		return c.current()
	}
	c.groups++
	c.commits += members
	if queued > 0 {
		c.busy++
	}
	age := now.Sub(c.started)
	if age < climbWindow || c.groups < climbGroups {
		return c.current()
	}
	c.judge(age)
	c.begin(now)
	return c.current()
}

func (c *climber) current() int { return max(c.depth, 1) }

func (c *climber) begin(now time.Time) {
	c.started, c.groups, c.commits, c.busy = now, 0, 0, 0
}

// judge ends a window.
func (c *climber) judge(age time.Duration) {
	if c.syncTime < climbMinSync || 2*c.busy < c.groups || age > climbStale {
		c.depth, c.trial, c.down, c.pause, c.penalty = 1, false, false, 0, 0
		return
	}
	rate := float64(c.commits) / age.Seconds()
	switch {
	case c.trial && rate > climbGain*c.rate:
		c.trial, c.penalty, c.rate = false, 0, rate
	case c.trial:
		c.depth, c.trial, c.down = c.kept, false, !c.down
		c.penalty = min(max(2*c.penalty, 2), climbMaxPause)
		c.pause = c.penalty
	case c.pause > 0:
		c.pause--
		c.rate = rate
	default:
		c.rate = rate
		c.step()
	}
}

// step starts a trial.
func (c *climber) step() {
	c.trial, c.kept = true, c.current()
	switch c.kept {
	case 1:
		c.down = false
	case climbMaxDepth:
		c.down = true
	}
	c.depth = c.kept + 1
	if c.down {
		c.depth = c.kept - 1
	}
}

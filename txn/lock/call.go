package lock

import (
	"bytes"
	"context"
	"time"
)

// call is one call of Manager.Lock.
type call struct {
	m     *Manager
	owner *Owner
	Request
	hash   uint64
	result Result
	// clock runs from the first wait on, over all of them: a call may have to wait for several
	// owners one after the other. nil: there was no wait.
	clock *timer
}

// timer tells when a wait has taken too long.
type timer struct {
	expired <-chan time.Time
	stop    func() bool
}

func newTimer(d time.Duration) *timer {
	t := time.NewTimer(d)
	return &timer{expired: t.C, stop: t.Stop}
}

// run returns how the call ended: not with blocked, nor with inSet.
func (c *call) run(ctx context.Context) outcome {
	for {
		end, set := c.try()
		if c.Timeout < 0 && (end == blocked || end == inSet) {
			return refused
		}
		if end == blocked {
			end = c.wait(ctx, c.request(c.hash, c.Mode))
		}
		switch {
		case end == granted:
			if n := c.owner.addHeld(c.Class, c.hash); n >= c.m.escalationMin && c.Class == Rows && c.Mode == Exclusive {
				c.m.escalate(c.owner)
			}
			return granted
		case end != inSet:
			return end
		case set == nil: // the lock went into a set since the look
			continue
		}
		if end = c.awaitSet(ctx, set); end != granted {
			return end
		}
	}
}

// try takes the lock if nobody is in the way. set is who has it, for the outcome inSet.
func (c *call) try() (end outcome, set *escalatedLocks) {
	known := c.Class != Metadata || c.owner.hasMetadata(c.hash) // of a table hundreds may have it
	s := c.m.shard(c.hash)
	s.Lock()
	defer s.Unlock()
	l := s.lockOf(c.hash)
	held := None
	if known {
		held = l.heldBy(c.owner)
	}
	if held != None && held.includes(c.Mode) {
		return had, nil
	}
	if c.Class == Rows {
		if set := c.m.escalatedHolder(c.owner, c.hash); set != nil {
			s.dropIfUnused(c.hash, l)
			return inSet, set
		}
		// One that others hold, or wait for, is taken in the table.
		if own := c.owner.escalated; own != nil && c.Mode == Exclusive && l.unused() {
			s.dropIfUnused(c.hash, l)
			if own.has(c.hash) {
				return had, nil
			}
			own.add(c.hash)
			return noted, nil
		}
	}
	if !l.grantable(c.owner, c.Mode, c.First || held != None) {
		return blocked, nil
	}
	if !known {
		return l.grantNew(c.owner, c.Mode), nil
	}
	return l.grant(c.owner, c.Mode), nil
}

// request is one for the lock, or for the gate of the set that has it.
func (c *call) request(hash uint64, mode Mode) *request {
	return &request{owner: c.owner, hash: hash, class: c.Class, mode: mode, gate: hash != c.hash,
		first: c.First, yields: c.Yields, key: bytes.Clone(c.Key), wants: c.Mode, statement: c.Statement, since: c.m.now()}
}

// wait puts a request into the queue and blocks until it is granted, the
// caller gives up, or waiting would be a deadlock.
func (c *call) wait(ctx context.Context, r *request) outcome {
	end := c.m.enter(r)
	if end != blocked && end != deadlock {
		return end // granted after all, or noted by another owner
	}
	c.m.waits.Add(1)
	c.result.Waited = true
	if end == deadlock {
		c.m.deadlocks.Add(1)
		return deadlock
	}
	if c.m.opts.Waiting != nil {
		c.m.tell(r)
	}
	if c.clock == nil {
		c.clock = c.m.newTimer(c.Timeout)
	}
	select {
	case <-r.granted:
		c.m.endWait(r)
		if c.m.opts.WokenForTesting != nil {
			c.m.opts.WokenForTesting(ctx)
		}
		return r.gain
	case <-c.clock.expired:
		end = timedOut
	case <-ctx.Done():
		end = cancelled
	}
	if !c.m.giveUp(r) {
		return r.gain // granted at the last moment
	}
	if end == timedOut {
		c.m.timeouts.Add(1)
	}
	return end
}

package suite

import (
	"errors"
	"fmt"
	"time"

	"github.com/duramendb/duramen/bench/load"
)

// What Fit takes for granted. An estimate is all that is wanted: whoever has several runs to make gives the time that one of them did
// not need to the others.
const (
	turnMin        = 2 * time.Second // less says nothing
	turnOverhead   = time.Second     // starting and ending sysbench, and waiting for the disk
	startEstimate  = 3 * time.Second // of a server
	rowsPerSecond  = 40_000          // loaded into a server
	eventsEstimate = 10_000          // transactions per second, where their number is fixed
	flushEstimate  = 5 * time.Second
	// appliedEstimate are transactions that a replica applies per second; fewer than appliedMin say nothing.
	appliedEstimate = 1000
	appliedMin      = 1000
)

// ErrBudget is returned, wrapped, if the time that there is is not enough for any result.
var ErrBudget = errors.New("not enough time")

// Fit chooses the time of a turn and the number of repeats so that the run takes about as long as the budget. Neither becomes
// more than it is.
func (c *Config) Fit(budget time.Duration) error {
	c.WarmUp, c.Settle = min(c.WarmUp, time.Second), min(c.Settle, c.settleLimit())
	whole, most := budget-c.loadEstimate(), c.Repeats
	for c.Repeats = most; c.Repeats >= 1; c.Repeats-- {
		each := whole / time.Duration(max(len(c.Turns()), 1))
		if c.Replicas != nil {
			if n := int((each - turnOverhead).Seconds() * appliedEstimate); n >= appliedMin {
				c.Events = min(c.Events, n)
				return nil
			}
			continue
		}
		if c.Events > 0 {
			if each >= c.eventsTurn() {
				return nil
			}
			continue
		}
		if t := (each - c.WarmUp - turnOverhead).Truncate(time.Second); t >= turnMin {
			c.Time = min(c.Time, t)
			return nil
		}
	}
	c.Repeats = 1
	return fmt.Errorf("%w: %s in %v; one repeat needs about %v", ErrBudget, c.Suite, budget, c.least().Round(time.Second))
}

// settleLimit is how long a turn may wait for the disk: where its bytes are what is measured, for as long as it takes.
func (c *Config) settleLimit() time.Duration {
	if c.Flush {
		return c.Settle
	}
	return time.Second
}

func (c *Config) eventsTurn() time.Duration {
	return time.Duration(float64(c.Events)/eventsEstimate*float64(time.Second)) + flushEstimate
}

// least is what the run takes at least.
func (c *Config) least() time.Duration {
	turn := turnMin + c.WarmUp + turnOverhead
	if c.Replicas != nil {
		turn = appliedMin*time.Second/appliedEstimate + turnOverhead
	} else if c.Events > 0 {
		turn = c.eventsTurn()
	}
	return c.loadEstimate() + time.Duration(len(c.Turns()))*turn
}

func (c *Config) loadEstimate() (sum time.Duration) {
	tables := c.tablesMade()
	for _, who := range c.Contenders {
		sets := 0
		for _, set := range c.Sets() {
			if _, ok := who.Engine(set); ok || set == load.Plain {
				sets++
			}
		}
		one := startEstimate + time.Duration(float64(sets*tables*c.TableSize)/rowsPerSecond*float64(time.Second))
		if len(c.Pairs) > 0 {
			one *= 2 // its replica loads the same
		}
		sum += one
	}
	return sum
}

// Package status counts what SHOW STATUS shows: statements by their kind, connections, bytes, errors.
package status

import (
	"strings"
	"sync"
	"sync/atomic"
)

// Counters are the status variables that count; those that show a state
// are computed when they are asked for.
type Counters struct {
	questions atomic.Int64
	prepared  atomic.Int64 // statements that are prepared now, in all sessions
	hits      atomic.Int64 // runs of prepared statements that were bound before
	misses    atomic.Int64 // those that were bound for the run
	com       [kinds]atomic.Int64
	mu        sync.RWMutex
	others    map[string]*atomic.Int64
}

// New names the counters that others than the statements' own count: connections, and the wire.
func New() *Counters {
	c := &Counters{others: map[string]*atomic.Int64{}}
	for _, name := range strings.Fields(`Aborted_clients Aborted_connects Access_denied_errors Bytes_received Bytes_sent
		Connections Errors Max_used_connections Slow_queries Ssl_accepts`) {
		c.others[name] = new(atomic.Int64)
	}
	return c
}

// Add adds to a counter that others count, and makes it at the first time.
func (c *Counters) Add(name string, delta int64) {
	c.mu.RLock()
	n := c.others[name]
	c.mu.RUnlock()
	if n == nil {
		c.mu.Lock()
		if n = c.others[name]; n == nil {
			n = new(atomic.Int64)
			c.others[name] = n
		}
		c.mu.Unlock()
	}
	n.Add(delta)
}

// Each calls f with each counter, those of the kinds of statements first.
func (c *Counters) Each(f func(name string, n int64)) {
	f("Questions", c.questions.Load())
	f("Queries", c.questions.Load())
	for i, name := range names {
		f(name, c.com[i].Load())
	}
	f("Prepared_stmt_count", c.prepared.Load())
	f("Direct_hits", c.hits.Load())
	f("Direct_misses", c.misses.Load())
	c.mu.RLock()
	defer c.mu.RUnlock()
	for name, n := range c.others {
		f(name, n.Load())
	}
}

// Prepare counts n statements more that are prepared, in all sessions, or fewer.
func (c *Counters) Prepare(n int) { c.prepared.Add(int64(n)) }

// Direct counts a run of a prepared statement that was bound before, or that had to be bound.
func (c *Counters) Direct(hit bool) {
	if hit {
		c.hits.Add(1)
	} else {
		c.misses.Add(1)
	}
}

// Asked is how many statements there were.
func (c *Counters) Asked() int64 { return c.questions.Load() }

// Command counts a command of a kind that is no statement.
func (c *Counters) Command(k Kind) { c.com[k].Add(1) }

// Count is the value of a counter that add has counted.
func (c *Counters) Count(name string) int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if n := c.others[name]; n != nil {
		return n.Load()
	}
	return 0
}

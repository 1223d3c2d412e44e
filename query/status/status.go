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
	direct    [misses]atomic.Int64
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
	missed := int64(0)
	for i := range c.direct {
		n := c.direct[i].Load()
		f(missNames[i], n)
		if Miss(i) != Hit {
			missed += n
		}
	}
	f("Direct_misses", missed)
	c.mu.RLock()
	defer c.mu.RUnlock()
	for name, n := range c.others {
		f(name, n.Load())
	}
}

// Prepare counts n statements more that are prepared, in all sessions, or fewer.
func (c *Counters) Prepare(n int) { c.prepared.Add(int64(n)) }

// Miss is why a statement was bound for its run.
type Miss int

// The reasons.
const (
	Hit             Miss = iota // it was not
	MissFirst                   // nothing is known of it, or it is one of which nothing is kept
	MissDefinitions             // definitions are others
	MissVariables               // variables are others
	MissTemporary               // there is a temporary table of the table's name
	MissPrivilege               // a privilege may be missing
	MissTypes                   // parameters have other types, or a literal is another one where that changes the meaning
	MissValues                  // parameters have values that change the meaning
	MissWay                     // they ask for another way to read the table
	misses
)

var missNames = [misses]string{
	"Direct_hits", "Direct_misses_first", "Direct_misses_definitions", "Direct_misses_variables", "Direct_misses_temporary", "Direct_misses_privilege",
	"Direct_misses_types", "Direct_misses_values", "Direct_misses_way",
}

// Direct counts a run of a statement that was bound before, or that was bound for it.
func (c *Counters) Direct(why Miss) { c.direct[why].Add(1) }

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

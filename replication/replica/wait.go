package replica

import (
	"context"
	"path"
	"strings"

	"github.com/duramendb/duramen/replication/replica/primary"
)

// WaitPlace waits until a connection has executed its primary's log up to a place: MASTER_POS_WAIT. moves is how often the place moved meanwhile. ok is
// false if that cannot come, as the SQL thread does not run, or has ended, or the file is none of the primary's. The error is 1617 for a
// connection that is not there, or that of ctx.
func (m *Manager) WaitPlace(ctx context.Context, name string, place primary.Place) (moves int64, ok bool, err error) {
	c, err := m.find(name)
	if err != nil {
		return 0, false, err
	}
	if number := strings.TrimPrefix(path.Ext(place.File), "."); number == "" || strings.Trim(number, "0123456789") != "" {
		return 0, false, nil // no log file has such a name
	}
	for ; ; moves++ {
		at, runs, moved := c.place()
		switch {
		case !runs || at.File != "" && fileBase(at.File) != fileBase(place.File):
			return 0, false, nil
		case at.File != "" && !before(at, place):
			return moves, true, nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return 0, false, context.Cause(ctx)
		}
	}
}

func fileBase(file string) string { return strings.TrimSuffix(file, path.Ext(file)) }

// place is how far the primary's log is executed, and whether the SQL thread runs; moved is closed when one of them is no longer so.
func (c *connection) place() (at primary.Place, runs bool, moved <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.moved == nil {
		c.mu.moved = make(chan struct{})
	}
	return c.mu.executed.place, c.mu.sql != nil, c.mu.moved
}

// tellMovedLocked wakes those who wait for a place. The caller holds mu.
func (c *connection) tellMovedLocked() {
	if c.mu.moved != nil {
		close(c.mu.moved)
		c.mu.moved = nil
	}
}

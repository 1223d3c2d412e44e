package clone

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// counters are what is done, by table. They are safe for concurrent use.
type counters struct {
	out   io.Writer
	began time.Time
	// total is how many bytes the source believes that its tables have.
	total  int64
	tables int

	mu struct {
		sync.Mutex
		rows, bytes, finished int64
		open                  map[*table]*tableCount
	}
}

// tableCount is what is done of a table that has parts left.
type tableCount struct {
	rows, parts int64
	began       time.Time
}

func newCounters(out io.Writer, tables []*table) *counters {
	c := &counters{out: out, began: time.Now(), tables: len(tables)}
	for _, t := range tables {
		c.total += t.bytes
	}
	c.mu.open = make(map[*table]*tableCount)
	return c
}

// start says that a part of t will be copied.
func (c *counters) start(t *table, parts int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mu.open[t] = &tableCount{parts: int64(parts), began: time.Now()}
}

func (c *counters) add(t *table, rows, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mu.rows += rows
	c.mu.bytes += bytes
	c.mu.open[t].rows += rows
}

// finish says that a part of t was copied, and tells whether it was the last one.
func (c *counters) finish(t *table) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := c.mu.open[t]
	if of.parts--; of.parts > 0 {
		return false
	}
	delete(c.mu.open, t)
	c.mu.finished++
	return true
}

// tellTables is how many tables a line names.
const tellTables = 4

// line is what there is to say now.
func (c *counters) line() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	seconds := max(time.Since(c.began).Seconds(), 0.001)
	line := fmt.Sprintf("%d of %d tables, %d rows, %s of about %s, %s/s", c.mu.finished, c.tables, c.mu.rows, size(c.mu.bytes), size(c.total),
		size(int64(float64(c.mu.bytes)/seconds)))
	open := slices.SortedFunc(maps.Keys(c.mu.open), func(a, b *table) int {
		return cmp.Or(cmp.Compare(c.mu.open[b].rows, c.mu.open[a].rows), strings.Compare(a.title(), b.title()))
	})
	var list []string
	for _, t := range open {
		if of := c.mu.open[t]; of.rows > 0 && len(list) < tellTables {
			list = append(list, fmt.Sprintf("%s %d of about %d rows", t.title(), of.rows, t.rows))
		}
	}
	if len(list) > 0 {
		line += ": " + strings.Join(list, ", ")
	}
	return line
}

// tell writes a line, which line makes, every interval until ctx ends; none if interval is not positive.
func tell(ctx context.Context, out io.Writer, interval time.Duration, line func() string) {
	if interval <= 0 {
		return
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_, _ = fmt.Fprintln(out, "clone: "+line()) // whoever reads it may have gone
		}
	}
}

// size is a number of bytes for people.
func size(bytes int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	n, unit := float64(bytes), 0
	for n >= 1024 && unit < len(units)-1 {
		n /= 1024
		unit++
	}
	if unit == 0 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%.1f %s", n, units[unit])
}

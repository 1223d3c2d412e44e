package enginebench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

const (
	hotRows     = 100_000
	pendingRows = 50_000
	loadRows    = 1000 // in a batch
	// uncachedGets are few: those before one read ahead for it.
	uncachedGets = 200
)

// contender is an engine with a number of rows.
type contender struct {
	kind  engine.Kind
	rows  int
	dir   string
	table *table
	load  time.Duration

	e     engine.Engine
	n     uint64 // of the last mark
	mu    sync.Mutex
	fatal error
}

// quiet hears nothing of what engines have to say: errors are returned.
var quiet = slog.New(slog.DiscardHandler)

func (c *contender) name() string { return fmt.Sprintf("%s, %d rows", c.kind.Dir(), c.rows) }

func (c *contender) open() (err error) {
	c.e, err = c.kind.Open(engine.Options{FS: vfs.Default, Dir: c.dir, Logger: quiet, Fatal: func(err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.fatal = errors.Join(c.fatal, err)
	}})
	if err != nil {
		return err
	}
	c.n = c.e.Applied().Position.Offset
	return nil
}

// close closes the engine if it is open, and adds what it has called Fatal with.
func (c *contender) close(err error) error {
	if c.e != nil {
		err = errors.Join(err, c.e.Close())
		c.e = nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err = errors.Join(err, c.fatal); err != nil {
		return fmt.Errorf("%s: %w", c.name(), err)
	}
	return nil
}

// apply applies new contents of rows.
func (c *contender) apply(rows int, row func() int) error {
	b := c.e.NewBatch()
	for range rows {
		if err := b.Set(c.table.key(row()), c.table.row()); err != nil {
			b.Discard()
			return err
		}
	}
	c.n++
	return c.e.Apply(b, engine.Mark{Position: logpos.At(1, c.n)})
}

// prepare makes the table, if it stays when the engine is closed.
func (c *contender) prepare(ctx context.Context, progress io.Writer) (err error) {
	if err := os.MkdirAll(c.dir, 0o755); err != nil || c.kind.Volatile() {
		return err
	}
	if err := c.open(); err != nil {
		return c.close(err)
	}
	defer func() { err = c.close(err) }()
	return c.fill(ctx, progress)
}

// fill makes the table in an empty engine.
func (c *contender) fill(ctx context.Context, progress io.Writer) error {
	began, shown := time.Now(), time.Now()
	for row := 0; row < c.rows; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.apply(min(loadRows, c.rows-row), func() int { row++; return row - 1 }); err != nil {
			return err
		}
		if now := time.Now(); progress != nil && now.Sub(shown) > 5*time.Second {
			shown = now
			left := now.Sub(began) * time.Duration(c.rows-row) / time.Duration(row)
			_, _ = fmt.Fprintf(progress, "loading %s: %d %%, %s left\n", c.name(), 100*row/c.rows, left.Round(time.Second))
		}
	}
	if _, err := c.e.Checkpoint(); err != nil {
		return err
	}
	c.load = time.Since(began)
	return nil
}

// heap is the memory that is in use, without garbage.
func heap() uint64 {
	for range 2 { // what pools hold is garbage after the first one
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// dropCaches makes the engine's files cold.
func (c *contender) dropCaches() error {
	return filepath.WalkDir(c.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		return drop(path)
	})
}

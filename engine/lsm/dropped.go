package lsm

import (
	"bytes"
	"context"
	"sync"
)

// span is a range of keys that was deleted.
type span struct{ lower, upper []byte }

// dropped are ranges of keys that were deleted, and whose files are to give their space back. Pebble removes a file at once only
// if the range covers all of it; of a table whose keys share files with others, most of the space would stay until
// enough else is written. So such ranges are compacted, once their deletion is durable.
type dropped struct {
	mu      sync.Mutex
	spans   []span
	running sync.WaitGroup
	ctx     context.Context // ended by Close
	stop    context.CancelFunc
}

func (d *dropped) add(spans []span) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spans = append(d.spans, spans...)
}

func (d *dropped) take() []span {
	d.mu.Lock()
	defer d.mu.Unlock()
	spans := d.spans
	d.spans = nil
	return spans
}

// compactDropped begins to compact what was dropped before the checkpoint that calls it. Nobody waits for it: an error, or the end of
// the process, only leaves the space to later compactions.
func (e *Engine) compactDropped() {
	spans := e.dropped.take()
	if len(spans) == 0 || e.opts.NoCompactions {
		return
	}
	e.dropped.running.Go(func() {
		defer e.commits.mayRotate()()
		for _, s := range spans {
			if err := e.db.Compact(e.dropped.ctx, s.lower, s.upper, false); err != nil {
				e.opts.Logger.Debug("compaction of a dropped range", "engine", name, "error", err)
				return
			}
		}
	})
}

// close waits until nothing is compacted any more.
func (d *dropped) close() {
	d.stop()
	d.running.Wait()
}

func newSpan(lower, upper []byte) span { return span{bytes.Clone(lower), bytes.Clone(upper)} }

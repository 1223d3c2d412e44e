package apply

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/replication/replica/primary"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn"
)

// Rows that are not in memory are read ahead: the applier goes through the groups one by one, and would wait for the disk at each row. So parts are
// taken some way ahead, and while look-ups are found to be slow, several goroutines look for the rows of those parts, for nothing but to have their
// blocks in the cache when the applier comes to them.

const (
	// aheadParts is how many parts are taken ahead.
	aheadParts = 128
	// aheadReaders is how many rows are read at a time.
	aheadReaders = 16
	// slowLookup is from which time of a look-up on rows are read ahead, fastLookup below which that ends. The mean is over some 64 look-ups.
	slowLookup = 40 * time.Microsecond
	fastLookup = 10 * time.Microsecond
)

// ahead reads rows ahead.
type ahead struct {
	txns *txn.Manager
	mean mean // of the applier's look-ups, or of the readers' while they read
	on   atomic.Bool
	work chan *primary.Part
	done sync.WaitGroup
}

// mean is a mean of times in which later ones count for more.
type mean struct{ ns atomic.Int64 }

func (m *mean) add(d time.Duration) time.Duration {
	old := m.ns.Load()
	next := old + (int64(d)-old)/64
	m.ns.Store(next) // of several at a time one may be lost
	return time.Duration(next)
}

func newAhead(txns *txn.Manager) *ahead {
	h := &ahead{txns: txns, work: make(chan *primary.Part, aheadParts)}
	for range aheadReaders {
		h.done.Go(h.run)
	}
	return h
}

func (h *ahead) close() {
	close(h.work)
	h.done.Wait()
}

// looked is told how long a look-up of the applier has taken.
func (h *ahead) looked(d time.Duration) {
	if !h.on.Load() && h.mean.add(d) > slowLookup {
		h.on.Store(true)
	}
}

// see is told of a part that will be applied.
func (h *ahead) see(p *primary.Part) {
	if !h.on.Load() || p.Kind != primary.Group {
		return
	}
	select {
	case h.work <- p:
	default: // the readers are behind: the applier will have to wait itself
	}
}

func (h *ahead) run() {
	for p := range h.work {
		var info *event.TableMapInfo
		for i := range p.Events {
			switch body := p.Events[i].Body.(type) {
			case *event.TableMapInfo:
				info = body
			case *event.RowsInfo:
				if info != nil && info.TableID == body.TableID {
					h.rows(info, body)
				}
			}
		}
	}
}

// rows looks for the rows of an event by their keys, if these can be told without further ado.
func (h *ahead) rows(info *event.TableMapInfo, rows *event.RowsInfo) {
	t := h.txns.Catalog().Current().TableLike(info.Schema, info.Table)
	if t == nil || t.Keyless() || len(t.Columns) != len(info.Columns) || rows.IsWrite() {
		return
	}
	for it := rows.Iter(info); it.Next(); {
		key, err := keyIn(t, it.Before(), rows.BitmapBefore)
		if err != nil {
			return // the applier will say what is wrong
		}
		started := time.Now()
		if h.txns.Warm(key) != nil {
			return
		}
		if h.mean.add(time.Since(started)) < fastLookup {
			h.on.Store(false)
		}
	}
}

// keyIn makes a key of an image in the table's own format.
func keyIn(t *catalog.Table, image, present []byte) ([]byte, error) {
	if present != nil {
		var err error
		if image, err = row.Merge(nil, t.Columns, nulls(t), image, present); err != nil {
			return nil, err
		}
	}
	return t.PrimaryKey(nil, image)
}

// Run applies what take gives, until that has an error or a part has one, and returns it. Close has to follow.
func (a *Applier) Run(ctx context.Context, take func(context.Context) (*primary.Part, error)) error {
	taking, stop := context.WithCancel(ctx)
	parts := make(chan *primary.Part, aheadParts)
	var failed error // of take; read after parts was closed
	go func() {
		defer close(parts)
		for {
			p, err := take(taking)
			if err != nil {
				failed = err
				return
			}
			a.ahead.see(p)
			select {
			case parts <- p:
			case <-taking.Done():
				failed = context.Cause(taking)
				return
			}
		}
	}()
	for p := range parts {
		err := a.Apply(ctx, p, len(parts) > 0)
		if err == nil && len(parts) == 0 {
			err = a.crew.flush(ctx)
		}
		if err != nil {
			stop()
			for range parts { // until the goroutine has ended
			}
			return err
		}
	}
	stop()
	return failed
}

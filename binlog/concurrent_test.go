package binlog

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/logpos"
)

// TestConcurrentUse runs one writer among everything else that may happen at
// the same time. Readers see every transaction once, in order, and never anything
// that is not durable.
func TestConcurrentUse(t *testing.T) {
	const transactions = 3000
	o := testOptions(vfs.NewMem())
	l, _ := mustOpen(t, o)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var readers, others sync.WaitGroup

	for range 3 {
		r, err := l.NewReader(l.Visible())
		require.NoError(t, err)
		readers.Add(1)
		go func() {
			defer readers.Done()
			defer r.Close()
			var groups Groups
			for want := uint64(1); want <= transactions; {
				ev, at, err := r.Next(ctx)
				if err != nil {
					t.Errorf("read at %v: %v", at, err)
					return
				}
				if l.Synced().Before(at.Plus(len(ev))) {
					t.Errorf("event at %v is not durable", at)
				}
				ended, err := groups.Next(ev)
				if err != nil {
					t.Errorf("at %v: %v", at, err)
					return
				}
				if ended {
					if groups.GTID.Seq != want {
						t.Errorf("got %v, want %d", groups.GTID, want)
						return
					}
					want++
				}
			}
		}()
	}
	during := func(f func() error) {
		others.Add(1)
		go func() {
			defer others.Done()
			for ctx.Err() == nil {
				if err := f(); err != nil {
					t.Errorf("beside the writer: %v", err)
					return
				}
			}
		}()
	}
	during(func() error {
		p := l.Visible()
		if err := l.WaitVisible(ctx, logpos.At(p.Segment, p.Offset+100_000)); err != nil && ctx.Err() == nil {
			return err
		}
		return nil
	})
	rotate := make(chan struct{}, 1)
	during(func() error {
		select {
		case <-rotate:
			return l.Rotate()
		case <-ctx.Done():
			return nil
		}
	})
	during(func() error {
		segments := l.Segments()
		last := segments[len(segments)-1].Segment
		l.SetRecoveryStart(logpos.Pos{Segment: last})
		_, err := l.PurgeTo(last)
		return err
	})
	during(func() error {
		p := l.Visible()
		// What follows either place may be purged before it is asked for.
		if _, err := l.StateAt(p); err != nil && !errors.Is(err, ErrPurged) {
			return err
		}
		if _, _, err := l.FindGTID(l.StateClone().Position()); err != nil && !errors.Is(err, ErrPurged) {
			return err
		}
		return nil
	})
	during(l.Sync)

	for n := uint64(1); n <= transactions; n++ {
		if n%100 == 0 {
			select {
			case rotate <- struct{}{}:
			default:
			}
		}
		commit(t, l, transaction(n, int(n%700)))
	}
	readers.Wait()
	cancel()
	others.Wait()
	require.NoError(t, l.Close())
	_, rec := mustOpen(t, o)
	require.Equal(t, uint64(transactions), rec.State.MaxSeq(0))
}

package commit

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/logpos"
)

// TestDurable: who wants to know that its transaction is durable is told when it and all before it are, and before anybody can read it, with nothing
// held: it may sync the log, and look at what is applied.
func TestDurable(t *testing.T) {
	for _, depth := range []int{1, 4} {
		eachMethod(t, depth, func(t *testing.T, f *fixture) {
			var told, wrong atomic.Int64
			durable := func(end logpos.Pos) {
				told.Add(1)
				if f.files.Synced().Before(end) || !f.files.Visible().Before(end) || f.p.SyncTo(end) != nil {
					wrong.Add(1)
				}
				f.p.ApplyBarrier(func() {
					if !f.p.Applied().Before(end) {
						wrong.Add(1)
					}
				})
			}
			const clients, each = 8, 50
			var all sync.WaitGroup
			for c := range clients {
				all.Go(func() {
					for i := range each {
						req := f.request(fmt.Sprintf("%d-%d", c, i))
						before := told.Load()
						if i%2 == 0 {
							req.Durable = durable
						}
						if err := f.commit(req); err != nil || i%2 == 0 && told.Load() == before {
							wrong.Add(1)
						}
					}
				})
			}
			all.Wait()
			require.Zero(t, wrong.Load())
			require.EqualValues(t, clients*each/2, told.Load(), "each once")
			require.Len(t, f.engine.keys(), clients*each)
		})
	}
}

// TestDurableFails: a transaction whose sync has failed, or that of a group before it, is not durable.
func TestDurableFails(t *testing.T) {
	eachMethod(t, 2, func(t *testing.T, f *fixture) {
		var syncs, told atomic.Int64
		started, second := make(chan struct{}), make(chan struct{})
		f.onIO(func(op, name string) error {
			if op == "sync" && name == "live" && syncs.Add(1) == 1 {
				close(started)
				<-second
				return syscall.EIO
			}
			return nil
		})
		errs := make(chan error, 2)
		commit := func(key string) {
			req := f.request(key)
			req.Durable = func(logpos.Pos) { told.Add(1) }
			errs <- f.commit(req)
		}
		go commit("first")
		<-started
		go commit("second")
		require.Eventually(t, func() bool { return syncs.Load() == 2 }, waitMax, waitTick)
		close(second)
		for range 2 {
			require.ErrorIs(t, <-errs, ErrOutcomeUnknown)
		}
		require.Zero(t, told.Load())
	})
}

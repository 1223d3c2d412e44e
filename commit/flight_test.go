package commit

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
)

// eachMethod runs a test with both sync methods.
func eachMethod(t *testing.T, depth int, test func(t *testing.T, f *fixture)) {
	for _, m := range []binlog.SyncMethod{binlog.SyncFdatasync, binlog.SyncDirect} {
		t.Run(m.String(), func(t *testing.T) {
			test(t, newFileFixture(t, func(c *Config, o *binlog.Options) {
				c.DepthForTesting, o.SyncMethod = depth, m
			}))
		})
	}
}

// TestGroupsInFlight commits from many goroutines with up to four groups in flight, over several segments.
// The engine of the fixture checks that groups are applied in order, and when they are durable.
func TestGroupsInFlight(t *testing.T) {
	eachMethod(t, 4, func(t *testing.T, f *fixture) {
		var inFlight, most atomic.Int64
		var mu sync.Mutex
		rng := rand.New(rand.NewPCG(1, 1))
		f.onIO(func(op, name string) error {
			if op != "sync" || name != "live" {
				return nil
			}
			n := inFlight.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			mu.Lock()
			spins := rng.IntN(1000)
			mu.Unlock()
			for range spins {
				_ = f.p.Stats() // let others overtake
			}
			inFlight.Add(-1)
			return nil
		})
		const clients, each = 16, 60
		var wg sync.WaitGroup
		for c := range clients {
			wg.Go(func() {
				for n := range each {
					req := f.request(fmt.Sprintf("%d-%d", c, n))
					if err := f.commit(req); err != nil {
						t.Error(err)
						return
					}
					if end := req.End; f.log.Synced().Before(end) || f.log.Visible().Before(end) {
						t.Errorf("acknowledged at %v, synced %v, visible %v", end, f.log.Synced(), f.log.Visible())
					}
					if n%20 == 7 && c == 0 {
						if err := f.p.Rotate(); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		wg.Wait()
		infos := f.groupsInLog()
		require.Len(t, infos, clients*each)
		for i, info := range infos {
			require.Equal(t, uint64(i+1), info.GTID.Seq)
		}
		require.Len(t, f.engine.keys(), clients*each)
		t.Logf("%d syncs at a time at most", most.Load())
	})
}

// TestTickLeavesTheSyncToTheLeader has the background look at the log while a group is being synced: with
// sync_binlog=1 a commit costs one sync, whenever it comes.
func TestTickLeavesTheSyncToTheLeader(t *testing.T) {
	f := newFileFixture(t, func(c *Config, o *binlog.Options) { c.SyncInterval, o.SyncMethod = time.Hour, binlog.SyncFdatasync })
	var syncs atomic.Int64
	f.onIO(func(op, name string) error {
		if op == "sync" && name == "live" && syncs.Add(1) == 1 {
			tick := make(chan error, 1)
			go func() {
				_, err := f.p.syncTick(f.log.Synced())
				tick <- err
			}()
			select {
			case err := <-tick:
				require.NoError(t, err)
			case <-time.After(waitMax):
				t.Error("the tick waits for the leader, to sync once more")
			}
		}
		return nil
	})
	require.NoError(t, f.commit(f.request("k")))
	require.EqualValues(t, 1, syncs.Load())
}

// TestFailedSyncInFlight lets the sync of a group fail while the group after it is in flight, and done
// before. Nobody is acknowledged, nothing is applied.
func TestFailedSyncInFlight(t *testing.T) {
	eachMethod(t, 2, func(t *testing.T, f *fixture) {
		var syncs atomic.Int64
		second := make(chan struct{})
		started := make(chan struct{})
		f.onIO(func(op, name string) error {
			if op != "sync" || name != "live" {
				return nil
			}
			if syncs.Add(1) == 1 {
				close(started)
				<-second
				return syscall.EIO
			}
			return nil
		})
		errs := make(chan error, 2)
		go func() { errs <- f.commit(f.request("first")) }()
		<-started
		go func() {
			errs <- f.commit(f.request("second"))
		}()
		require.Eventually(t, func() bool { return syncs.Load() == 2 }, waitMax, waitTick)
		close(second)
		for range 2 {
			require.ErrorIs(t, <-errs, ErrOutcomeUnknown)
		}
		require.ErrorIs(t, <-f.fatal, syscall.EIO)
		require.Empty(t, f.engine.keys())
		require.Error(t, f.commit(f.request("third")))
	})
}

// TestOvertakingSync lets the sync of the second group end first: it waits for the first one.
func TestOvertakingSync(t *testing.T) {
	eachMethod(t, 2, func(t *testing.T, f *fixture) {
		var syncs atomic.Int64
		release, started := make(chan struct{}), make(chan struct{})
		f.onIO(func(op, name string) error {
			if op == "sync" && name == "live" && syncs.Add(1) == 1 {
				close(started)
				<-release
			}
			return nil
		})
		first, second := make(chan error, 1), make(chan error, 1)
		go func() { first <- f.commit(f.request("first")) }()
		<-started
		go func() { second <- f.commit(f.request("second")) }()
		require.Eventually(t, func() bool { return syncs.Load() == 2 }, waitMax, waitTick)
		select {
		case err := <-second:
			t.Fatalf("acknowledged before its predecessor was durable: %v", err)
		default:
		}
		require.Empty(t, f.engine.keys())
		close(release)
		require.NoError(t, <-first)
		require.NoError(t, <-second)
		require.Equal(t, []string{"first", "second"}, f.engine.keys())
	})
}

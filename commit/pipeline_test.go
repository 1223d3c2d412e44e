package commit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/txn"
)

// waitMax only bounds how long a broken test hangs.
const (
	waitMax  = 30 * time.Second
	waitTick = time.Millisecond
)

func TestLoneCommit(t *testing.T) {
	f := newFixture(t, nil)
	var calls []string
	req := f.request("a")
	hold(req, &holder{sequenced: func() { calls = append(calls, "sequenced") }, applied: func() {
		calls = append(calls, "applied")
		require.Equal(t, []string{"a"}, f.engine.keys())
	}})
	require.NoError(t, f.commit(req))
	require.Equal(t, []string{"sequenced", "applied"}, calls)
	require.Equal(t, gtid.GTID{Domain: 0, Server: 7, Seq: 1}, req.GTID)
	require.Equal(t, req.End, f.log.End())
	require.Equal(t, f.log.End(), f.log.Visible())
	require.Equal(t, engine.Mark{Position: req.End, GTIDState: "0-7-1"}, f.engine.Applied())
	require.Equal(t, Stats{Commits: 1, GroupCommits: 1, Syncs: 1, BytesWritten: f.p.Stats().BytesWritten}, f.p.Stats())
}

func TestGTIDs(t *testing.T) {
	f := newFixture(t, nil)
	for _, c := range []struct {
		req  txn.CommitRequest
		want string
	}{
		{txn.CommitRequest{}, "0-7-1"},
		{txn.CommitRequest{}, "0-7-2"},
		{txn.CommitRequest{Domain: 3}, "3-7-1"},
		{txn.CommitRequest{ServerID: 9}, "0-9-3"},
		{txn.CommitRequest{Seq: 100}, "0-7-100"},
		{txn.CommitRequest{}, "0-7-101"},
		{txn.CommitRequest{Seq: 50, Domain: 3, ServerID: 8}, "3-8-50"},
		{txn.CommitRequest{Domain: 3}, "3-7-51"},
	} {
		req := f.request("k")
		req.Domain, req.ServerID, req.Seq = c.req.Domain, c.req.ServerID, c.req.Seq
		require.NoError(t, f.commit(req))
		require.Equal(t, c.want, req.GTID.String())
	}
	local := f.request("l")
	local.LocalOnly = true
	require.NoError(t, f.commit(local))
	require.Zero(t, local.GTID)
	require.Equal(t, f.log.StateClone().String(), f.engine.Applied().GTIDState)
	require.Equal(t, f.engine.Applied().Position, f.log.End())
}

// Many committers: everything is applied once, in log order, after its sync
// (the recorder checks that), and nobody returns earlier.
func TestConcurrentCommits(t *testing.T) {
	f := newFileFixture(t, func(_ *Config, o *binlog.Options) { o.MaxSize = 16 << 10 })
	const committers, each = 32, 40
	var wg sync.WaitGroup
	for c := range committers {
		wg.Go(func() {
			for i := range each {
				key := fmt.Sprintf("%02d-%02d", c, i)
				req := f.request(key)
				req.LocalOnly = i%10 == 9
				if err := f.commit(req); err != nil || req.Ticket.State() != txn.Applied {
					t.Errorf("%s: %v, %s", key, err, req.Ticket.State())
				}
				if f.engine.Applied().Position.Before(req.End) || f.log.Visible().Before(req.End) {
					t.Errorf("%s returned before it was applied and visible", key)
				}
			}
		})
	}
	wg.Wait()
	keys := f.engine.keys()
	require.Len(t, keys, committers*each)
	for c := range committers { // the order of one committer is kept
		own := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k[:2] != fmt.Sprintf("%02d", c) })
		require.True(t, slices.IsSorted(own))
	}
	infos := f.groupsInLog()
	require.Len(t, infos, committers*each*9/10)
	for i, info := range infos {
		require.EqualValues(t, i+1, info.GTID.Seq)
	}
	require.Equal(t, f.log.StateClone().String(), f.engine.Applied().GTIDState)
	stats := f.p.Stats()
	require.EqualValues(t, committers*each, stats.Commits)
	require.Equal(t, stats.GroupCommits, stats.Syncs)
}

// hold makes the next sync of the log wait until release is called.
func (f *fixture) holdSync() (reached chan struct{}, release func()) {
	reached = make(chan struct{})
	gate := make(chan struct{})
	var once sync.Once
	f.onIO(func(op, name string) error {
		if op == "sync" && name == "live" {
			once.Do(func() { close(reached) })
			<-gate
		}
		return nil
	})
	return reached, sync.OnceFunc(func() { close(gate) })
}

// While a group syncs, the transactions after it pass their locks on at once,
// so a chain of writers of one row joins the next group as a whole.
func TestChainOfWritersSharesOneSync(t *testing.T) {
	f := newFixture(t, nil)
	reached, release := f.holdSync()
	defer release()
	const chain = 10
	var wg sync.WaitGroup
	row := make(chan int, 1) // the lock of the hot row, and its value
	row <- 0
	for i := range chain + 1 {
		if i == 1 {
			<-reached // the first one is in the log stage
		}
		wg.Go(func() {
			value := <-row
			req := f.request(fmt.Sprint(value))
			if value > 0 {
				req.Flags |= event.FLWaited
			}
			hold(req, &holder{sequenced: func() { row <- value + 1 }})
			if err := f.commit(req); err != nil {
				t.Error(err)
			}
		})
	}
	f.waitQueued(chain)
	release()
	wg.Wait()
	require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}, f.engine.keys())
	require.EqualValues(t, 2, f.p.Stats().Syncs)
	for _, info := range f.groupsInLog() {
		require.Zero(t, info.CommitID, "a chain must not run in parallel on a replica")
	}
}

func TestCommitIDs(t *testing.T) {
	f := newFixture(t, nil)
	reached, release := f.holdSync()
	defer release()
	var wg sync.WaitGroup
	start := func(flags byte, local bool, queued int) {
		req := f.request("k")
		req.Flags, req.LocalOnly = flags, local
		wg.Go(func() {
			if err := f.commit(req); err != nil {
				t.Error(err)
			}
		})
		if queued > 0 {
			f.waitQueued(queued)
		}
	}
	start(0, false, 0)
	<-reached
	for i, flags := range []byte{0, 0, event.FLWaited, 0, event.FLWaited, event.FLWaited} {
		start(flags, false, i+1)
	}
	start(0, true, 7)
	release()
	wg.Wait()
	var ids []uint64
	for _, info := range f.groupsInLog() {
		ids = append(ids, info.CommitID)
	}
	first := ids[1]
	require.Equal(t, []uint64{0, first, first, first + 1, first + 1, 0, 0}, ids)
	require.NotZero(t, first)
}

func TestWaitCount(t *testing.T) {
	f := newFixture(t, func(c *Config, _ *memLog) { c.WaitCount, c.WaitTime = 5, waitMax })
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			if err := f.commit(f.request(fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.Equal(t, Stats{Commits: 5, GroupCommits: 1, GroupCommitTriggerCount: 1, Syncs: 1, BytesWritten: f.p.Stats().BytesWritten}, f.p.Stats())
	f.p.SetWait(5, time.Microsecond)
	require.NoError(t, f.commit(f.request("late")))
	require.EqualValues(t, 1, f.p.Stats().GroupCommitTriggerTimeout)
}

func TestSyncBinlog(t *testing.T) {
	for _, c := range []struct{ sync, commits, want uint64 }{{1, 6, 6}, {0, 6, 0}, {3, 7, 2}, {100, 7, 0}} {
		t.Run(fmt.Sprint(c.sync), func(t *testing.T) {
			f := newFixture(t, func(cfg *Config, _ *memLog) { cfg.SyncBinlog, cfg.SyncInterval = c.sync, time.Hour })
			for range c.commits {
				require.NoError(t, f.commit(f.request("k")))
			}
			require.Equal(t, c.want, f.p.Stats().Syncs)
			require.NoError(t, f.p.SyncTo(f.log.End()))
			require.Equal(t, f.log.End(), f.log.Synced())
			before := f.p.Stats().Syncs
			require.NoError(t, f.p.SyncLog())
			require.Equal(t, before, f.p.Stats().Syncs, "nothing was left to sync")
		})
	}
}

func TestBackgroundSync(t *testing.T) {
	f := newFixture(t, func(cfg *Config, _ *memLog) { cfg.SyncBinlog, cfg.SyncInterval = 0, time.Millisecond })
	require.NoError(t, f.commit(f.request("k")))
	f.p.SetSyncBinlog(1) // must not leave the last group behind
	require.Eventually(t, func() bool { return f.log.Synced() == f.log.End() }, waitMax, waitTick)
}

func TestAfterSyncSeesVisibleButNotApplied(t *testing.T) {
	f := newFixture(t, nil)
	var seen logpos.Pos
	f.p.SetAfterSync(func(end logpos.Pos) {
		seen = end
		require.Equal(t, end, f.log.Visible())
		require.Equal(t, end, f.log.Synced())
		require.Empty(t, f.engine.keys())
	})
	require.NoError(t, f.commit(f.request("k")))
	require.Equal(t, f.log.End(), seen)
	f.p.SetAfterSync(nil)
	require.NoError(t, f.commit(f.request("k")))
	require.Less(t, seen.Offset, f.log.End().Offset)
}

func TestFailedIOIsFatal(t *testing.T) {
	broken := errors.New("broken disk")
	for _, failing := range []string{"write", "sync", "apply"} {
		t.Run(failing, func(t *testing.T) {
			f := newFileFixture(t, nil)
			require.NoError(t, f.commit(f.request("good")))
			f.onIO(func(op, name string) error {
				if op == failing && name == "live" {
					return broken
				}
				return nil
			})
			if failing == "apply" {
				f.engine.mu.err = broken
			}
			req := f.request("bad")
			err := f.commit(req)
			require.ErrorIs(t, err, broken)
			require.ErrorIs(t, err, ErrOutcomeUnknown)
			require.ErrorIs(t, <-f.fatal, broken)
			require.Equal(t, txn.Sequenced, req.Ticket.State())
			f.io.before.Store(nil)
			f.engine.mu.err = nil
			require.ErrorIs(t, f.commit(f.request("later")), broken, "nothing is tried again")
			require.Error(t, f.p.SyncLog())
			require.Error(t, f.p.Rotate())
			require.Error(t, f.p.AdvanceMark())
		})
	}
}

func TestFailedRotationIsFatal(t *testing.T) {
	f := newFileFixture(t, nil)
	require.NoError(t, f.commit(f.request("good")))
	broken := errors.New("broken disk")
	f.onIO(func(op, name string) error {
		if op == "sync" && name == "live" {
			return broken
		}
		return nil
	})
	require.ErrorIs(t, f.p.Rotate(), broken)
	require.ErrorIs(t, <-f.fatal, broken)
	f.io.before.Store(nil)
	require.ErrorIs(t, f.commit(f.request("later")), broken)
}

// When a group fails, everybody who comes after it fails, too.
func TestFailureReachesTheQueue(t *testing.T) {
	f := newFixture(t, nil)
	reached, gate := make(chan struct{}), make(chan struct{})
	f.onIO(func(op, name string) error {
		if op == "sync" && name == "live" {
			close(reached)
			<-gate
			return errors.New("broken disk")
		}
		return nil
	})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if err := f.commit(f.request("k")); !errors.Is(err, ErrOutcomeUnknown) {
				t.Errorf("got %v", err)
			}
		})
		if i == 0 {
			<-reached
		}
	}
	f.waitQueued(7)
	close(gate)
	wg.Wait()
	require.Empty(t, f.engine.keys())
}

func TestCancelled(t *testing.T) {
	f := newFixture(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, f.p.Commit(ctx, f.request("k")), context.Canceled)
	require.Empty(t, f.groupsInLog())
}

func TestCloseWaitsForAccepted(t *testing.T) {
	f := newFixture(t, nil)
	reached, release := f.holdSync()
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			if err := f.commit(f.request("k")); err != nil {
				t.Error(err)
			}
		})
		if i == 0 {
			<-reached
		}
	}
	f.waitQueued(4)
	closed := make(chan error)
	go func() { closed <- f.p.Close() }()
	<-f.p.stop
	release()
	require.NoError(t, <-closed)
	wg.Wait()
	require.Len(t, f.engine.keys(), 5)
	require.ErrorIs(t, f.commit(f.request("late")), ErrClosed)
	require.NoError(t, f.p.Close())
}

func TestRotateAndAdvanceMark(t *testing.T) {
	f := newFileFixture(t, nil)
	require.NoError(t, f.commit(f.request("a")))
	require.NoError(t, f.p.Rotate())
	require.Equal(t, f.log.End(), f.log.Visible())
	require.EqualValues(t, 2, f.log.End().Segment)
	require.EqualValues(t, 1, f.engine.Applied().Position.Segment)
	require.NoError(t, f.p.AdvanceMark())
	require.Equal(t, engine.Mark{Position: f.log.End(), GTIDState: "0-7-1"}, f.engine.Applied())
	require.NoError(t, f.commit(f.request("b")))
	require.Equal(t, []string{"a", "b"}, f.engine.keys())
}

// A group with DDL is applied in parts, so that what follows sees the new
// definitions, and every part has its own mark.
func TestCatalogChangesInOneGroup(t *testing.T) {
	f := newFixture(t, nil)
	reached, release := f.holdSync()
	defer release()
	var wg sync.WaitGroup
	start := func(key string, databases ...string) {
		req := f.request(key)
		if databases != nil {
			req.Catalog = &catalog.Change{Databases: []catalog.DatabaseDef{{Name: databases[0]}}}
		}
		write := req.Write
		req.Write = func(b engine.Batch) error {
			return write(&recordBatchNamed{b, fmt.Sprint(len(f.catalog.Current().Databases()))})
		}
		wg.Go(func() {
			if err := f.commit(req); err != nil {
				t.Error(err)
			}
		})
	}
	start("first")
	<-reached
	start("a")
	f.waitQueued(1)
	start("b", "one")
	f.waitQueued(2)
	start("c", "two")
	f.waitQueued(3)
	start("d")
	f.waitQueued(4)
	release()
	wg.Wait()
	require.Equal(t, [][]string{{"first0"}, {"a0", "b0"}, {"c1"}, {"d2"}}, f.engine.mu.batches)
	require.Len(t, f.catalog.Current().Databases(), 2)
}

// recordBatchNamed appends a suffix to keys.
type recordBatchNamed struct {
	engine.Batch
	suffix string
}

func (b *recordBatchNamed) Set(key, value []byte) error {
	return b.Batch.Set(append(key, b.suffix...), value)
}

func TestApplyBarrier(t *testing.T) {
	f := newFixture(t, nil)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := f.commit(f.request("k")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 200 {
		f.p.ApplyBarrier(func() {
			if m := f.engine.Applied(); !m.Position.IsZero() && m.Position != f.log.Visible() {
				t.Errorf("engine at %s, log visible to %s", m.Position, f.log.Visible())
			}
		})
	}
	close(stop)
	wg.Wait()
}

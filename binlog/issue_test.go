package binlog

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/logpos"
)

// issue reserves room and issues groups.
func issue(t testing.TB, l *Log, groups []byte, pad bool) *Write {
	t.Helper()
	require.NoError(t, l.Reserve(int64(len(groups))+RoomForPadding))
	w, err := l.Issue(groups, pad)
	require.NoError(t, err)
	return w
}

// writtenBy writes a log of random groups by one method, several in flight, and returns its file.
func writtenBy(t *testing.T, m SyncMethod, pad bool) []byte {
	fs := vfs.NewCrashableMem()
	o := testOptions(fs)
	o.SyncMethod, o.MaxSize = m, 1<<20
	l, _ := mustOpen(t, o)
	require.Equal(t, m, l.SyncMethod())
	rng := rand.New(rand.NewPCG(1, 1))
	seq := uint64(1)
	for range 60 {
		w := issue(t, l, transaction(seq, rng.IntN(9000)), pad && rng.IntN(2) == 0)
		seq++
		if rng.IntN(10) == 0 { // through the page cache, between the others
			require.NoError(t, w.Finish())
			_, _, err := l.Append(transaction(seq, rng.IntN(9000)))
			require.NoError(t, err)
			seq++
			if rng.IntN(2) == 0 {
				require.NoError(t, l.Sync())
			}
			continue
		}
		require.NoError(t, w.Finish())
		require.False(t, l.Synced().Before(w.End))
		require.Equal(t, l.End(), w.End)
		l.SetVisible(w.End)
	}
	require.NoError(t, l.Sync())
	l.SetVisible(l.End())
	require.Equal(t, gtids(1, seq-1), contentsOf(t, l))
	crashed := fs.CrashClone(vfs.CrashCloneCfg{})
	again, rec := mustOpen(t, testOptions(crashed))
	require.Zero(t, rec.TornBytes)
	require.Equal(t, l.End(), rec.End)
	require.Equal(t, gtids(1, seq-1), contentsOf(t, again))
	require.NoError(t, l.Close())
	return readFile(t, fs, l.dir.segmentName(1))
}

// TestMethodsWriteTheSame compares the files that both methods write.
func TestMethodsWriteTheSame(t *testing.T) {
	for _, pad := range []bool{false, true} {
		t.Run(fmt.Sprintf("pad=%v", pad), func(t *testing.T) {
			a, b := writtenBy(t, SyncFdatasync, pad), writtenBy(t, SyncDirect, pad)
			require.Equal(t, len(a), len(b))
			for i := range a {
				require.Equal(t, a[i], b[i], "offset %d", i)
			}
		})
	}
}

// TestSyncedInOrder finishes writes out of order.
func TestSyncedInOrder(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}} {
		o := testOptions(vfs.NewCrashableMem())
		o.SyncMethod = SyncDirect
		l, _ := mustOpen(t, o)
		before := l.Synced()
		var writes []*Write
		for n := range 3 {
			writes = append(writes, issue(t, l, transaction(uint64(n+1), 100), true))
		}
		finished := map[int]bool{}
		for _, n := range order {
			require.NoError(t, writes[n].Finish())
			finished[n] = true
			want := before
			for k := 0; finished[k]; k++ {
				want = writes[k].End
			}
			require.Equal(t, want, l.Synced(), "order %v after %d", order, n)
		}
		l.SetVisible(l.End())
		require.Equal(t, gtids(1, 3), contentsOf(t, l))
		require.NoError(t, l.Close())
	}
}

// TestFailedWriteInFlight lets one of several writes fail: nothing after it counts as durable,
// though it is written.
func TestFailedWriteInFlight(t *testing.T) {
	for _, m := range []SyncMethod{SyncDirect, SyncFdatasync} {
		t.Run(m.String(), func(t *testing.T) {
			fs := &failingFS{FS: vfs.NewCrashableMem()}
			o := testOptions(fs)
			o.SyncMethod = m
			l, _ := mustOpen(t, o)
			before := l.Synced()
			first := issue(t, l, transaction(1, 100), true)
			second := issue(t, l, transaction(2, 100), true)
			fs.setSyncError(syscall.EIO)
			err := first.Finish()
			require.ErrorIs(t, err, ErrSyncFailed)
			require.ErrorIs(t, err, syscall.EIO)
			fs.setSyncError(nil)
			err = second.Finish()
			if m == SyncDirect {
				require.NoError(t, err)
				require.Equal(t, before, l.Synced())
			}
			_, err = l.Issue(transaction(3, 100), true)
			require.ErrorIs(t, err, ErrSyncFailed)
			require.ErrorIs(t, l.Sync(), ErrSyncFailed)
			require.ErrorIs(t, l.Rotate(), ErrSyncFailed)
			require.ErrorIs(t, l.Close(), ErrSyncFailed)
		})
	}
}

// TestRotationWaitsForFlights rotates while a write is in flight.
func TestRotationWaitsForFlights(t *testing.T) {
	for _, m := range []SyncMethod{SyncDirect, SyncFdatasync} {
		o := testOptions(vfs.NewCrashableMem())
		o.SyncMethod = m
		l, _ := mustOpen(t, o)
		w := issue(t, l, transaction(1, 100), true)
		done := make(chan error, 1)
		go func() { done <- l.Rotate() }()
		select {
		case err := <-done:
			t.Fatalf("rotated with a write in flight: %v", err)
		default:
		}
		require.NoError(t, w.Finish())
		require.NoError(t, <-done)
		w = issue(t, l, transaction(2, 100), false)
		require.NoError(t, w.Finish())
		l.SetVisible(l.End())
		require.Equal(t, gtids(1, 2), contentsOf(t, l))
		require.NoError(t, l.Close())
	}
}

// TestSyncWaitsForFlights calls Sync while writes are in flight.
func TestSyncWaitsForFlights(t *testing.T) {
	o := testOptions(vfs.NewCrashableMem())
	o.SyncMethod = SyncDirect
	l, _ := mustOpen(t, o)
	w := issue(t, l, transaction(1, 100), false)
	done := make(chan error, 1)
	go func() { done <- l.Sync() }()
	require.NoError(t, w.Finish())
	require.NoError(t, <-done)
	require.Equal(t, w.End, l.Synced())
}

// TestDirectCoherence reads a real log through the page cache while it is written past it.
// Every event that a reader gets is whole: its checksum is right.
func TestDirectCoherence(t *testing.T) {
	o := testOptions(vfs.Default)
	o.Dir, o.MaxSize, o.SyncMethod = t.TempDir(), 1<<20, SyncDirect
	l, _ := mustOpen(t, o)
	if l.SyncMethod() != SyncDirect {
		t.Skipf("the file system of %s has no direct writes", o.Dir)
	}
	const total = 3000
	var wg sync.WaitGroup
	errs := make(chan error, 3)
	for range cap(errs) {
		wg.Go(func() { errs <- readAll(l, total) })
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for seq := uint64(1); seq <= total; {
		var writes []*Write
		require.NoError(t, l.Reserve(4*(8<<10+RoomForPadding)))
		for range 1 + rng.IntN(4) {
			if seq > total {
				break
			}
			w, err := l.Issue(transaction(seq, rng.IntN(2000)), rng.IntN(2) == 0 || len(writes) < 3)
			require.NoError(t, err)
			writes = append(writes, w)
			seq++
			if w.End.Offset%uint64(l.unit) != 0 {
				break
			}
		}
		for _, w := range writes[1:] {
			wg.Go(func() {
				if err := w.Finish(); err != nil {
					t.Error(err)
				}
			})
		}
		require.NoError(t, writes[0].Finish())
		l.SetVisible(writes[0].End)
		require.NoError(t, l.Sync())
		l.SetVisible(l.End())
	}
	wg.Wait()
	for range cap(errs) {
		require.NoError(t, <-errs)
	}
}

// readAll follows the log until it has read n groups.
func readAll(l *Log, n int) error {
	r, err := l.NewReader(logpos.Pos{Segment: 1})
	if err != nil {
		return err
	}
	defer r.Close()
	var groups Groups
	for n > 0 {
		ev, at, err := r.Next(context.Background())
		if err != nil {
			return fmt.Errorf("at %v: %w", at, err)
		}
		ended, err := groups.Next(ev)
		if err != nil {
			return fmt.Errorf("at %v: %w", at, err)
		}
		if ended {
			n--
		}
	}
	return nil
}

func TestProbe(t *testing.T) {
	o := testOptions(vfs.Default)
	o.Dir = t.TempDir()
	m, unit := o.probe()
	require.Contains(t, []SyncMethod{SyncFdatasync, SyncDirect}, m)
	require.Contains(t, []int{sectorSize, blockSize}, unit)
	left, err := os.ReadDir(o.Dir)
	require.NoError(t, err)
	require.Empty(t, left)

	o.Dir = "/nowhere"
	m, _ = o.probe()
	require.Equal(t, SyncFdatasync, m)

	l, _ := mustOpen(t, testOptions(vfs.NewMem()))
	require.Equal(t, SyncFdatasync, l.SyncMethod(), "nothing is measured in memory")
}

func TestProbeChoice(t *testing.T) {
	ms := func(n ...time.Duration) (list []time.Duration) {
		for _, d := range n {
			list = append(list, d*time.Millisecond)
		}
		return list
	}
	for _, tc := range []struct {
		name                    string
		buffered, block, sector []time.Duration
		directErr, sectorErr    error
		directOnly              bool
		want                    SyncMethod
		unit                    int
	}{
		{"direct is faster", ms(10, 10, 10), ms(5, 5, 50), ms(5, 5, 5), nil, nil, false, SyncDirect, blockSize},
		{"sectors are faster still", ms(10, 10, 10), ms(9, 9, 9), ms(5, 5, 5), nil, nil, false, SyncDirect, sectorSize},
		{"equal", ms(10, 10, 10), ms(10, 10, 10), ms(10, 10, 10), nil, nil, false, SyncDirect, blockSize},
		{"nearly equal", ms(100, 100, 100), ms(109, 109, 109), ms(108, 108, 108), nil, nil, false, SyncDirect, sectorSize},
		{"direct is slower", ms(100, 100, 100), ms(111, 111, 111), ms(112, 112, 112), nil, nil, false, SyncFdatasync, blockSize},
		{"slower, but wanted", ms(5), ms(10), ms(11), nil, nil, true, SyncDirect, blockSize},
		{"no sectors", ms(10), ms(5), nil, nil, syscall.EINVAL, false, SyncDirect, blockSize},
		{"no direct writes", ms(10), nil, nil, syscall.EINVAL, syscall.EINVAL, true, SyncFdatasync, blockSize},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := choose([]contestant{
				{method: SyncFdatasync, unit: blockSize, times: tc.buffered},
				{method: SyncDirect, unit: blockSize, times: tc.block, err: tc.directErr},
				{method: SyncDirect, unit: sectorSize, times: tc.sector, err: tc.sectorErr},
			}, tc.directOnly)
			require.Equal(t, tc.want, got.method)
			require.Equal(t, tc.unit, got.unit)
		})
	}
}

func TestParseSyncMethod(t *testing.T) {
	for _, m := range []SyncMethod{SyncAuto, SyncFdatasync, SyncDirect} {
		got, err := ParseSyncMethod(m.String())
		require.NoError(t, err)
		require.Equal(t, m, got)
	}
	_, err := ParseSyncMethod("osync")
	require.Error(t, err)
}

// TestNoDirectWithoutPreallocation falls back.
func TestNoDirectWithoutPreallocation(t *testing.T) {
	o := testOptions(vfs.NewMem())
	o.SyncMethod, o.NoPreallocate = SyncDirect, true
	l, _ := mustOpen(t, o)
	require.Equal(t, SyncFdatasync, l.SyncMethod())
	require.False(t, errors.Is(l.Failed(), ErrSyncFailed))
}

// TestFlightsShareNoBlock: a direct write that begins inside the block in which a write in flight ends waits for it.
func TestFlightsShareNoBlock(t *testing.T) {
	o := testOptions(vfs.NewCrashableMem())
	o.SyncMethod = SyncDirect
	l, _ := mustOpen(t, o)
	first := issue(t, l, transaction(1, 100), false)
	require.NotZero(t, first.End.Offset%blockSize)
	issued := make(chan *Write, 1)
	go func() {
		w, err := l.Issue(transaction(2, 100), false)
		if err != nil {
			t.Error(err)
		}
		issued <- w
	}()
	// It holds writeMu while it waits; were it not to wait, it would be done at some time.
	require.Eventually(t, func() bool {
		if !l.writeMu.TryLock() {
			return true
		}
		l.writeMu.Unlock()
		return len(issued) > 0
	}, time.Minute, time.Millisecond)
	require.Empty(t, issued, "two writes in flight share a block")
	require.NoError(t, first.Finish())
	second := <-issued
	require.NoError(t, second.Finish())
	l.SetVisible(l.End())
	require.Equal(t, gtids(1, 2), contentsOf(t, l))
}

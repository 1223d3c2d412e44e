package binlog

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/logpos"
)

// splitGroup cuts a group after its GTID event.
func splitGroup(group []byte) (front, rest []byte) {
	n := len(group)
	_, rest, err := event.Next(group)
	if err != nil {
		panic(err)
	}
	return group[: n-len(rest) : n-len(rest)], rest
}

// largeFile writes a transaction of n events of the given size, of which one is rolled back.
func largeFile(l *Log, seq uint64, n, size int) (f *LargeFile, front []byte, err error) {
	front, rest := splitGroup(transaction(seq, size))
	annotate, xid, err := event.Next(rest)
	if err != nil {
		return nil, nil, err
	}
	if f, err = l.NewLargeFile(); err != nil {
		return nil, nil, err
	}
	for i := range n {
		if err == nil {
			err = f.Append(append([]byte{}, annotate...))
		}
		if i == n/2 && err == nil {
			at := f.Size()
			if err = f.Append(append([]byte{}, annotate...)); err == nil {
				f.Truncate(at)
			}
		}
	}
	if err == nil {
		err = f.Append(append([]byte{}, xid...))
	}
	if err == nil {
		err = f.Seal()
	}
	if err != nil {
		f.Discard()
		return nil, nil, err
	}
	return f, front, nil
}

func appendLarge(l *Log, seq uint64, n, size int) (start, end logpos.Pos, err error) {
	f, front, err := largeFile(l, seq, n, size)
	if err != nil {
		return logpos.Pos{}, logpos.Pos{}, err
	}
	defer f.Discard()
	start, end, err = l.AppendLarge(LargeGroup{File: f, FrontMax: len(front), Front: func() ([]byte, gtid.GTID) {
		return front, gtid.GTID{Server: 1, Seq: seq}
	}})
	if err == nil {
		l.SetVisible(end)
	}
	return start, end, err
}

// A large transaction is alone in its segment, and a reader finds everything in order.
func TestAppendLarge(t *testing.T) {
	for _, method := range []SyncMethod{SyncFdatasync, SyncDirect} {
		t.Run(fmt.Sprint(method), func(t *testing.T) {
			o := testOptions(vfs.Default)
			o.Dir = t.TempDir()
			o.SyncMethod = method
			l, _ := mustOpen(t, o)
			commit(t, l, transaction(1, 100))
			for round := range uint64(3) {
				seq := 2 + 3*round
				start, end, err := appendLarge(l, seq, 100, 9000)
				require.NoError(t, err)
				require.Equal(t, end, l.End())
				require.Equal(t, end, l.Synced())
				require.Zero(t, l.Room())
				require.Zero(t, start.Offset%4096-uint64(4096-42)%4096)
				next := commit(t, l, transaction(seq+1, 100))
				require.Equal(t, end.Segment+1, next.Segment)
				commit(t, l, transaction(seq+2, 100))
				state, err := l.StateAt(end)
				require.NoError(t, err)
				require.Equal(t, fmt.Sprintf("0-1-%d", seq), state.String())
			}
			require.Equal(t, gtids(1, 10), contentsOf(t, l))
			require.NoError(t, l.Close())
			l, rec := mustOpen(t, o)
			require.Equal(t, gtids(1, 10), contentsOf(t, l))
			require.False(t, rec.Crashed)
			_, _, err := appendLarge(l, 11, 100, 9000)
			require.NoError(t, err)
			require.NoError(t, l.Close()) // STOP after a large transaction
			l, rec = mustOpen(t, o)
			require.Equal(t, "0-1-11", rec.State.String())
			require.Equal(t, gtids(1, 11), contentsOf(t, l))
		})
	}
}

// Refit makes room for a header that has grown, and ErrReserve asks for it.
func TestLargeRefit(t *testing.T) {
	l, _ := mustOpen(t, testOptions(vfs.NewMem()))
	f, front, err := largeFile(l, 1, 3, 2000)
	require.NoError(t, err)
	head := make([]byte, f.reserve)
	require.True(t, f.Fits(len(front)))
	require.False(t, f.Fits(len(head)))
	group := LargeGroup{File: f, FrontMax: len(head), Front: func() ([]byte, gtid.GTID) {
		query := event.AppendQuery(nil, l.meta(), event.Query{Schema: "test", SQL: string(head)})
		return append(front, query...), gtid.GTID{Server: 1, Seq: 1}
	}}
	_, _, err = l.AppendLarge(group)
	require.ErrorIs(t, err, ErrReserve)
	size := f.Size()
	require.NoError(t, f.Refit(len(head)+200))
	require.Equal(t, size, f.Size())
	require.NoError(t, f.Seal())
	_, end, err := l.AppendLarge(group)
	require.NoError(t, err)
	l.SetVisible(end)
	commit(t, l, transaction(2, 10))
	require.Equal(t, gtids(1, 2), contentsOf(t, l))
	f.Discard() // it is the log's: nothing happens
	require.Equal(t, gtids(1, 2), contentsOf(t, l))
}

// A full disk before the commit leaves the log as it was.
func TestLargeNoSpace(t *testing.T) {
	fs := crashfs.New()
	l, _ := mustOpen(t, testOptions(fs))
	commit(t, l, transaction(1, 100))
	for k := 0; ; k++ {
		n := 0
		fs.SetHook(func(op crashfs.Op) error {
			if n++; n > k && (op.Kind == crashfs.Create || op.Kind == crashfs.Write || op.Kind == crashfs.Sync) {
				return syscall.ENOSPC
			}
			return nil
		})
		_, _, err := appendLarge(l, 2, 20, 2000)
		fs.SetHook(nil)
		if errors.Is(err, ErrSyncFailed) { // after the last step that may fail
			require.Greater(t, k, 25)
			break
		}
		require.ErrorIs(t, err, ErrNoSpace, "operation %d", k)
		names, lerr := fs.List(testDir)
		require.NoError(t, lerr)
		for _, name := range names {
			require.NotContains(t, name, ".large-")
		}
		require.Equal(t, gtids(1, 1), contentsOf(t, l))
	}
}

// A crash at any operation of the file system: what was acknowledged is there, the large
// transaction is there completely or not at all, and nothing is taken for damage.
func TestLargeCrash(t *testing.T) {
	seeds := uint64(4)
	errCrash := errors.New("power failed")
	for seed := range seeds {
		for k, done := 0, false; !done; k++ {
			fs := crashfs.New()
			rng := rand.New(rand.NewPCG(seed, uint64(k)))
			o := testOptions(fs)
			o.PrepareInline, o.MaxSize = true, 16<<10
			l, _ := mustOpen(t, o)
			commit(t, l, transaction(1, 100))
			n, acked := 0, uint64(1)
			var after *crashfs.FS
			loss := crashfs.RandomLoss(rng)
			fs.SetHook(func(op crashfs.Op) error {
				if n++; n > k {
					if after == nil {
						after = fs.Crash(loss, rng)
					}
					return errCrash
				}
				return nil
			})
			step := func(err error) bool {
				if err == nil {
					acked++
				}
				return err == nil
			}
			_, _, err := appendLarge(l, 2, 5, 3000)
			if step(err) && step(tryCommit(l, transaction(3, 100))) {
				_, _, err = appendLarge(l, 4, 2, 20_000)
				done = step(err) && step(tryCommit(l, transaction(5, 100)))
			}
			fs.SetHook(nil)
			if done {
				break
			}
			o.FS = after
			crashed, rec, err := Open(o)
			require.NoError(t, err, "seed %d, operation %d", seed, k)
			list := contentsOf(t, crashed)
			require.GreaterOrEqual(t, len(list), int(acked), "seed %d, operation %d", seed, k)
			require.LessOrEqual(t, len(list), int(acked)+1)
			require.Equal(t, gtids(1, uint64(len(list))), list)
			require.Equal(t, fmt.Sprintf("0-1-%d", len(list)), rec.State.String())
			commit(t, crashed, transaction(uint64(len(list))+1, 100))
			require.NoError(t, crashed.Close())
			names, err := after.List(testDir)
			require.NoError(t, err)
			for _, name := range names {
				require.False(t, strings.Contains(name, ".large-"), name)
			}
			_ = l.Close()
		}
	}
}

func tryCommit(l *Log, groups []byte) error {
	if err := l.Reserve(int64(len(groups))); err != nil {
		return err
	}
	_, end, err := l.Append(groups)
	if err == nil {
		err = l.Sync()
	}
	if err == nil {
		l.SetVisible(end)
	}
	return err
}

// Damage inside a large transaction that nothing follows yet is not taken for a torn tail.
func TestLargeDamage(t *testing.T) {
	fs := crashfs.New()
	o := testOptions(fs)
	l, _ := mustOpen(t, o)
	commit(t, l, transaction(1, 100))
	start, end, err := appendLarge(l, 2, 5, 3000)
	require.NoError(t, err)
	name := l.SegmentName(start.Segment)
	image := readFile(t, fs, name)
	for at := start.Offset; at < end.Offset; at += 97 {
		crashed := fs.Crash(crashfs.KeepAll, rand.New(rand.NewPCG(1, 2)))
		damaged := append([]byte{}, image...)
		damaged[at] ^= 0x10
		writeFile(t, crashed, name, damaged)
		o.FS = crashed
		_, _, err := Open(o)
		var corrupt *CorruptError
		require.ErrorAs(t, err, &corrupt, "offset %d", at)
		require.LessOrEqual(t, corrupt.Offset, at)
		require.Contains(t, corrupt.File, name)
	}
}

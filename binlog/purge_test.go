package binlog

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/logpos"
)

// TestPurgeCrashes: a crash before any operation of a purge, on a file system that loses unsynced renames and removes in
// any combination, leaves a log without gaps that holds everything not purged.
func TestPurgeCrashes(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	for round := range 4 {
		fs := crashfs.New()
		o := testOptions(fs)
		o.NoPreallocate = true
		o.MaxSize = 16 << 20
		l, _ := mustOpen(t, o)
		seq, acked := uint64(0), uint64(0)
		put := func(size int) {
			seq++
			commit(t, l, transaction(seq, size))
			acked = seq
		}
		starts := map[uint64]uint64{} // first transaction of each segment
		for n := range 6 {
			starts[l.End().Segment] = seq + 1
			put(100)
			if n == round { // one of them has a GTID index
				for range 11 {
					put(100 << 10)
				}
			}
			rotate(t, l)
		}
		starts[l.End().Segment] = seq + 1
		put(100)
		type picture struct {
			fs   *crashfs.FS
			acks uint64
			what string
		}
		var pictures []picture
		fs.SetHook(func(op crashfs.Op) error {
			for range 6 {
				pictures = append(pictures, picture{fs.Crash(crashfs.RandomLoss(rng), rng), acked, op.String()})
			}
			return nil
		})
		l.SetRecoveryStart(logpos.Pos{Segment: 6})
		gone, err := l.PurgeTo(3)
		require.NoError(t, err)
		require.Len(t, gone, 2)
		put(10)
		gone, err = l.PurgeTo(7)
		require.NoError(t, err)
		require.Len(t, gone, 3)
		put(10)
		fs.SetHook(nil)
		oldest := map[uint64]int{}
		for i, p := range pictures {
			o := o
			o.FS = p.fs
			l, rec, err := Open(o)
			require.NoError(t, err, "picture %d, before %s", i, p.what)
			first := l.Segments()[0].Segment
			oldest[first]++
			last := rec.State.MaxSeq(0)
			require.True(t, last == p.acks || last == p.acks+1, "%s: %d of %d", p.what, last, p.acks)
			require.Equal(t, gtids(starts[first], last), contentsOf(t, l), p.what)
			names, err := p.fs.List(testDir)
			require.NoError(t, err)
			for _, name := range names {
				n, segment := l.dir.parseSegmentName(name)
				k, index := l.dir.parseGTIDIndexName(name)
				require.False(t, segment && n < first || index && k < first, "%s: %s is left", p.what, name)
			}
			require.NoError(t, l.Close())
		}
		require.NotZero(t, oldest[1])
		require.NotZero(t, oldest[3])
		require.NotZero(t, oldest[6])
	}
}

// TestPurgeKeepsWhatIsNeeded: by the engines' recovery, by readers, and by those who hold a segment.
func TestPurgeKeepsWhatIsNeeded(t *testing.T) {
	l, _ := mustOpen(t, testOptions(vfs.NewMem()))
	for seq := range uint64(6) {
		commit(t, l, transaction(seq+1, 10))
		rotate(t, l)
	}
	purge := func(n uint64, oldest uint64) {
		t.Helper()
		_, err := l.PurgeTo(n)
		require.NoError(t, err)
		require.Equal(t, oldest, l.Segments()[0].Segment)
	}
	purge(7, 1) // nobody has said where recovery starts
	l.SetRecoveryStart(logpos.At(3, 4))
	purge(2, 2)
	purge(7, 3)
	l.SetRecoveryStart(l.End())
	r, err := l.NewReader(logpos.At(4, 0))
	require.NoError(t, err)
	release, err := l.Hold(5)
	require.NoError(t, err)
	purge(7, 4)
	require.NoError(t, r.Close())
	purge(7, 5)
	release()
	purge(100, 7)
	require.True(t, l.Segments()[0].Live)
}

// TestCheckpointEvents: each advance of the recovery start to another segment is announced once, in the next write, and
// in the header of each further segment.
func TestCheckpointEvents(t *testing.T) {
	l, _ := mustOpen(t, testOptions(vfs.NewMem()))
	commit(t, l, transaction(1, 10))
	rotate(t, l)
	commit(t, l, transaction(2, 10))
	l.SetRecoveryStart(l.End())
	l.SetRecoveryStart(l.End())
	commit(t, l, transaction(3, 10))
	commit(t, l, transaction(4, 10))
	rotate(t, l)
	l.SetRecoveryStart(logpos.At(1, 4)) // an old one: ignored
	commit(t, l, transaction(5, 10))
	var got []string
	r, err := l.NewReader(logpos.At(1, 0))
	require.NoError(t, err)
	defer r.Close()
	for {
		ev, at, err := r.NextNoWait()
		if err != nil {
			break
		}
		e, err := event.Decode(ev)
		require.NoError(t, err)
		switch b := e.Body.(type) {
		case *event.Checkpoint:
			got = append(got, fmt.Sprintf("%d: %s", at.Segment, b.File))
		case *event.GTIDInfo:
			got = append(got, b.GTID.String())
		}
	}
	require.Equal(t, []string{"1: binlog.000001", "0-1-1", "2: binlog.000001", "0-1-2", "2: binlog.000002", "0-1-3", "0-1-4", "3: binlog.000002", "0-1-5"}, got)
}

// TestPurgeExcludesReset: as long as a purge removes files, no reset can give their names to others.
func TestPurgeExcludesReset(t *testing.T) {
	fs := crashfs.New()
	l, _ := mustOpen(t, testOptions(fs))
	for seq := range uint64(3) {
		commit(t, l, transaction(seq+1, 10))
		rotate(t, l)
	}
	l.SetRecoveryStart(l.End())
	removed := 0
	fs.SetHook(func(op crashfs.Op) error {
		if op.Kind == crashfs.Remove {
			removed++
			if l.purgeMu.TryLock() {
				l.purgeMu.Unlock()
				t.Errorf("%s beside a possible reset", op)
			}
		}
		return nil
	})
	_, err := l.PurgeTo(4)
	fs.SetHook(nil)
	require.NoError(t, err)
	require.Equal(t, 3, removed)
}

// TestNothingUnreserved: a start of recovery that moves after Reserve is not announced by the write that room was made for.
func TestNothingUnreserved(t *testing.T) {
	for _, method := range []SyncMethod{SyncFdatasync, SyncDirect} {
		t.Run(method.String(), func(t *testing.T) {
			o := testOptions(vfs.NewMem())
			o.SyncMethod = method
			l, _ := mustOpen(t, o)
			rotate(t, l)
			write := func(seq uint64) (extra uint64) {
				at, group := l.End(), transaction(seq, 100)
				w, err := l.Issue(group, false)
				require.NoError(t, err)
				require.NoError(t, w.Finish())
				return w.Start.Offset - at.Offset - markSize
			}
			require.NoError(t, l.Reserve(1000))
			l.SetRecoveryStart(l.End())
			require.Zero(t, write(1))
			require.NoError(t, l.Reserve(1000))
			require.NotZero(t, write(2), "no BINLOG_CHECKPOINT event")
		})
	}
}

package binlog

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

func TestAppendReadReopen(t *testing.T) {
	fs := vfs.NewMem()
	l, rec := mustOpen(t, testOptions(fs))
	require.Zero(t, rec.End)
	for n := uint64(1); n <= 500; n++ {
		commit(t, l, transaction(n, 300))
	}
	require.Equal(t, gtids(1, 500), contentsOf(t, l))
	require.Greater(t, len(l.Segments()), 2)
	require.Equal(t, "0-1-500", l.StateClone().String())
	end := l.End()
	require.NoError(t, l.Close())
	require.NoError(t, l.Close())

	l, rec = mustOpen(t, testOptions(fs))
	require.False(t, rec.Crashed)
	require.Zero(t, rec.TornBytes)
	require.Equal(t, end, rec.End)
	require.Equal(t, "0-1-500", rec.State.String())
	commit(t, l, transaction(501, 10))
	require.Equal(t, gtids(1, 501), contentsOf(t, l))
}

func TestReaderWaits(t *testing.T) {
	l, _ := mustOpen(t, testOptions(vfs.NewMem()))
	r, err := l.NewReader(l.Visible())
	require.NoError(t, err)
	defer r.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	got := make(chan uint64)
	done := make(chan error, 1)
	go func() {
		var groups Groups
		for {
			ev, _, err := r.Next(ctx)
			if err != nil {
				done <- err
				return
			}
			if ended, _ := groups.Next(ev); ended {
				got <- groups.GTID.Seq
			}
		}
	}()
	for n := uint64(1); n <= 300; n++ {
		g := transaction(n, 1000)
		require.NoError(t, l.Reserve(int64(len(g))))
		_, end, err := l.Append(g)
		require.NoError(t, err)
		require.NoError(t, l.Sync())
		if n%50 == 0 {
			rotate(t, l)
		}
		l.SetVisible(end)
		require.Equal(t, n, <-got)
	}
	require.Greater(t, l.Visible().Segment, uint64(6))
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

func TestCloseEndsReaders(t *testing.T) {
	l, _ := mustOpen(t, testOptions(vfs.NewMem()))
	r, err := l.NewReader(l.Visible())
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		_, _, err := r.Next(context.Background())
		done <- err
	}()
	require.NoError(t, l.Close())
	require.ErrorIs(t, <-done, ErrClosed)
	require.NoError(t, r.Close())
}

func TestVisibleFollowsRotation(t *testing.T) {
	l, _ := mustOpen(t, testOptions(vfs.NewMem()))
	rotate(t, l)
	require.Equal(t, l.End(), l.Visible(), "an idle rotation shows the new file")
	g := transaction(1, 10)
	_, end, err := l.Append(g)
	require.NoError(t, err)
	rotate(t, l)
	require.Equal(t, end.Segment, l.Visible().Segment, "not before the group is visible")
	l.SetVisible(end)
	require.Equal(t, l.End(), l.Visible())
	require.Equal(t, gtids(1, 1), contentsOf(t, l))
}

func TestLargeGroupGrowsSegment(t *testing.T) {
	for _, noPreallocate := range []bool{false, true} {
		o := testOptions(vfs.NewMem())
		o.NoPreallocate = noPreallocate
		l, _ := mustOpen(t, o)
		commit(t, l, transaction(1, 10))
		commit(t, l, transaction(2, 3<<20))
		commit(t, l, transaction(3, 10))
		require.Equal(t, gtids(1, 3), contentsOf(t, l))
		require.NoError(t, l.Close())
		l, rec := mustOpen(t, o)
		require.False(t, rec.Crashed)
		require.Equal(t, gtids(1, 3), contentsOf(t, l))
	}
}

func TestPurge(t *testing.T) {
	fs := vfs.NewMem()
	l, _ := mustOpen(t, testOptions(fs))
	for n := uint64(1); n <= 5; n++ {
		commit(t, l, transaction(n, 10))
		rotate(t, l)
	}
	gone, err := l.PurgeTo(4)
	require.NoError(t, err)
	require.Empty(t, gone, "recovery still starts at the first segment")

	l.SetRecoveryStart(logpos.Pos{Segment: 5})
	r, err := l.NewReader(logpos.Pos{Segment: 3})
	require.NoError(t, err)
	gone, err = l.PurgeTo(5)
	require.NoError(t, err)
	require.Equal(t, []string{"binlog.000001", "binlog.000002"}, gone, "a reader holds the third")
	require.NoError(t, r.Close())
	_, err = l.NewReader(logpos.Pos{Segment: 1})
	require.ErrorIs(t, err, ErrPurged)

	gone, err = l.PurgeBefore(time.Now().Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, []string{"binlog.000003", "binlog.000004"}, gone)
	require.Equal(t, gtids(5, 5), contentsOf(t, l))

	_, _, err = l.FindGTID(gtid.Position{})
	require.ErrorIs(t, err, ErrPurged)
	require.NoError(t, l.Close())
	l, _ = mustOpen(t, testOptions(fs))
	require.Equal(t, gtids(5, 5), contentsOf(t, l))
	require.Equal(t, uint64(5), l.Segments()[0].Segment)
}

func TestFindGTID(t *testing.T) {
	o := testOptions(vfs.NewMem())
	o.MaxSize = 16 << 20
	l, _ := mustOpen(t, o)
	var ends []logpos.Pos
	for n := uint64(1); n <= 60; n++ {
		ends = append(ends, commit(t, l, transaction(n, 100<<10)))
		if n == 20 {
			rotate(t, l)
		}
	}
	for seq := uint64(0); seq <= 60; seq++ {
		want := gtid.Position{}
		if seq > 0 {
			want[0] = gtid.GTID{Server: 1, Seq: seq}
		}
		at, state, err := l.FindGTID(want)
		require.NoError(t, err)
		first, _ := state.Lookup(0, 1)
		require.LessOrEqual(t, first, seq)
		require.Less(t, seq-first, uint64(12), "a sample is near")
		if seq > 0 {
			require.False(t, at.Segment == ends[seq-1].Segment && ends[seq-1].Before(at))
			pos, err := l.GTIDPosAt(ends[seq-1])
			require.NoError(t, err)
			require.Equal(t, want, pos)
		}
	}
	_, err := l.GTIDPosAt(logpos.At(1, ends[0].Offset+1))
	require.ErrorIs(t, err, ErrPosition)
	_, err = l.GTIDPosAt(logpos.At(9, 4))
	require.ErrorIs(t, err, ErrPosition)
	pos, err := l.GTIDPosAt(logpos.At(2, 4))
	require.NoError(t, err)
	require.Equal(t, "0-1-20", pos.String())
}

func TestFailedSyncPoisons(t *testing.T) {
	fs := &failingFS{FS: vfs.NewMem()}
	l, _ := mustOpen(t, testOptions(fs))
	commit(t, l, transaction(1, 10))
	_, _, err := l.Append(transaction(2, 10))
	require.NoError(t, err)
	fs.setSyncError(errors.New("input/output error"))
	require.ErrorIs(t, l.Sync(), ErrSyncFailed)
	fs.setSyncError(nil)
	require.ErrorIs(t, l.Sync(), ErrSyncFailed, "never retried")
	require.ErrorIs(t, l.Reserve(1), ErrSyncFailed)
	_, _, err = l.Append(transaction(3, 10))
	require.ErrorIs(t, err, ErrSyncFailed)
	require.ErrorIs(t, l.Rotate(), ErrSyncFailed)
	require.ErrorIs(t, l.Close(), ErrSyncFailed)
}

// TestAppendDuringSync: what is appended while a sync runs is not durable after it.
func TestAppendDuringSync(t *testing.T) {
	fs := &failingFS{FS: vfs.NewMem()}
	l, _ := mustOpen(t, testOptions(fs))
	_, first, err := l.Append(transaction(1, 10))
	require.NoError(t, err)
	var second logpos.Pos
	fs.duringSync(func() {
		_, second, err = l.Append(transaction(2, 10))
	})
	require.NoError(t, l.Sync())
	fs.duringSync(nil)
	require.NoError(t, err)
	require.Equal(t, first, l.Synced())
	require.NoError(t, l.Sync())
	require.Equal(t, second, l.Synced())
}

// TestNoSpace: a full disk refuses the next segment, harms nothing, and the
// log goes on by itself when there is room again.
func TestNoSpace(t *testing.T) {
	fs := &failingFS{FS: vfs.NewMem()}
	o := testOptions(fs)
	l, _ := mustOpen(t, o)
	fs.setFull(true)
	var n uint64
	var err error
	for {
		n++
		g := transaction(n, 1000)
		if err = l.Reserve(int64(len(g))); err != nil {
			break
		}
		commit(t, l, g)
	}
	require.ErrorIs(t, err, ErrNoSpace)
	require.Greater(t, n, uint64(50), "the segment was used up")
	require.ErrorIs(t, l.Rotate(), ErrNoSpace)
	require.Equal(t, gtids(1, n-1), contentsOf(t, l))
	small := transaction(n, 10)
	if l.Reserve(int64(len(small))) == nil {
		commit(t, l, small)
		n++
	}
	fs.setFull(false)
	commit(t, l, transaction(n, 1000))
	require.Equal(t, gtids(1, n), contentsOf(t, l))
	require.NoError(t, l.Close())
	l, rec := mustOpen(t, o)
	require.False(t, rec.Crashed)
	require.Equal(t, gtids(1, n), contentsOf(t, l))
}

// TestRealFiles works on the disk: files are cut by ftruncate there, and
// mariadb-binlog, where installed, reads them.
func TestRealFiles(t *testing.T) {
	o := testOptions(vfs.Default)
	o.Dir = t.TempDir()
	l, _ := mustOpen(t, o)
	for n := uint64(1); n <= 200; n++ {
		commit(t, l, ddl(n, "CREATE TABLE t (a INT)"))
	}
	fi, err := vfs.Default.Stat(l.dir.path(l.live.seg.name))
	require.NoError(t, err)
	require.Equal(t, o.MaxSize, fi.Size(), "the live segment keeps its size")
	require.NoError(t, l.Close())
	l, _ = mustOpen(t, o)
	require.Equal(t, gtids(1, 200), contentsOf(t, l))
	for _, s := range l.Segments()[:len(l.Segments())-1] {
		fi, err := vfs.Default.Stat(l.dir.path(s.Name))
		require.NoError(t, err)
		require.Equal(t, s.Size, fi.Size())
	}
	tool, err := exec.LookPath("mariadb-binlog")
	if err != nil {
		t.Log("mariadb-binlog is not installed: not checked that it reads the files")
		return
	}
	commit(t, l, ddl(201, "CREATE TABLE live_segment (a INT)"))
	for _, s := range l.Segments() {
		out, err := exec.Command(tool, "--no-defaults", "-vv", "--verify-binlog-checksum", l.dir.path(s.Name)).CombinedOutput()
		require.NoError(t, err, "%s", out)
		if s.Live {
			require.Contains(t, string(out), "CREATE TABLE live_segment")
		}
	}
}

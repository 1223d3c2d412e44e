package store

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/commit/protocol"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/btree"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/internal/crashfs"
)

func quietly(fs vfs.FS) Options { return Options{FS: fs, NoPreallocate: true, Logger: quiet()} }

func parseState(t testing.TB, text string) *gtid.State {
	t.Helper()
	s, err := gtid.ParseState(text)
	require.NoError(t, err)
	return s
}

// logNames are the files of the log's index, shortened to their numbers.
func logNames(s *Store) string {
	var list []string
	for _, seg := range s.Log().Segments() {
		list = append(list, fmt.Sprint(seg.Segment))
	}
	return strings.Join(list, " ")
}

func TestResetLog(t *testing.T) {
	for _, c := range []struct {
		first uint64
		state string
		next  string // the GTID of the next transaction
	}{
		{1, "", "0-1-1"},
		{3, "", "0-1-1"},
		{4, "", "0-1-1"}, // the number of the live file
		{900000, "", "0-1-1"},
		{2, "0-1-100,7-3-5", "0-1-101"},
	} {
		t.Run(fmt.Sprint(c.first, c.state), func(t *testing.T) {
			fs := vfs.NewMem()
			s := open(t, quietly(fs))
			tbl := createTable(t, s)
			for n := range 3 {
				insert(t, s, tbl, n)
				require.NoError(t, s.Pipeline().Rotate())
			}
			reader, err := s.Log().NewReader(s.Log().Visible())
			require.NoError(t, err)
			require.ErrorIs(t, s.ResetLog(ctx, c.first, parseState(t, c.state), true), commit.ErrNotEmpty)
			require.NoError(t, s.ResetLog(ctx, c.first, parseState(t, c.state), false))
			_, _, err = reader.NextNoWait()
			require.ErrorIs(t, err, binlog.ErrReset)
			require.NoError(t, reader.Close())
			require.Equal(t, fmt.Sprint(c.first), logNames(s))
			require.Equal(t, c.state, s.Log().StateClone().String())
			require.Equal(t, c.state, s.Engine().Durable().GTIDState)
			require.Equal(t, c.next, insert(t, s, tbl, 10).GTID.String())
			require.NoError(t, s.Close())

			s = open(t, quietly(fs))
			require.EqualValues(t, 4, count(t, s))
			require.Equal(t, fmt.Sprintf("%d %d", c.first, c.first+1), logNames(s))
			insert(t, s, s.Catalog().Current().Table("test", "t"), 11)
		})
	}
}

func TestResetRefuses(t *testing.T) {
	s := open(t, quietly(vfs.NewMem()))
	insert(t, s, createTable(t, s), 1)
	for _, first := range []uint64{0, binlog.ResetNumberMax + 1} {
		require.ErrorIs(t, s.ResetLog(ctx, first, gtid.NewState(), false), binlog.ErrPosition)
	}
	insert(t, s, s.Catalog().Current().Table("test", "t"), 2)
	require.EqualValues(t, 2, count(t, s))
}

// hook can be changed while the file system is in use.
type hook struct {
	f atomic.Pointer[func(crashfs.Op) error]
}

func hookOf(fs *crashfs.FS) *hook {
	h := &hook{}
	fs.SetHook(func(op crashfs.Op) error {
		if f := h.f.Load(); f != nil {
			return (*f)(op)
		}
		return nil
	})
	return h
}

func (h *hook) set(f func(crashfs.Op) error) { h.f.Store(&f) }
func (h *hook) clear()                       { h.f.Store(nil) }

// resetCrash is a picture of the file system.
type resetCrash struct {
	fs    *crashfs.FS
	rows  int64 // acknowledged
	what  string
	after bool // the reset was acknowledged
}

// TestResetCrashes: a crash before any operation of a reset, and of the recovery from that, leaves
// the old log or the new one, and every row.
func TestResetCrashes(t *testing.T) { eachProtocol(t, testResetCrashes) }

func testResetCrashes(t *testing.T, name protocol.Name) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, first := range []uint64{1, 3} {
		fs := crashfs.New()
		h := hookOf(fs)
		o := quietly(fs)
		o.CommitProtocol = name
		s, err := tryOpen(o)
		require.NoError(t, err)
		tbl := createTable(t, s)
		var mu sync.Mutex // the engine's goroutines come to the hook, too
		rows := int64(0)
		put := func(s *Store) {
			insert(t, s, s.Catalog().Current().Table("test", "t"), int(rows))
			mu.Lock()
			rows++
			mu.Unlock()
		}
		for range 3 {
			put(s)
			require.NoError(t, s.Pipeline().Rotate())
			put(s)
		}
		require.NotNil(t, tbl)
		old := s.Log().StateClone().String()
		after := false
		var pictures []resetCrash
		h.set(func(op crashfs.Op) error {
			mu.Lock()
			defer mu.Unlock()
			for range 2 {
				pictures = append(pictures, resetCrash{fs.Crash(crashfs.RandomLoss(rng), rng), rows, op.String(), after})
			}
			return nil
		})
		if first == 3 { // as if somebody had committed after the checkpoint that ResetLog begins with
			require.NoError(t, s.replaceLog(first, gtid.NewState(), false))
		} else {
			require.NoError(t, s.ResetLog(ctx, first, gtid.NewState(), false))
		}
		mu.Lock()
		after = true
		mu.Unlock()
		put(s)
		require.NoError(t, s.Pipeline().Rotate())
		put(s)
		h.clear()
		require.NoError(t, s.Close())
		require.Greater(t, len(pictures), 30)
		begun := 0
		for i, p := range pictures {
			_, err := p.fs.Stat("/data/binlog.reset")
			mid := err == nil
			if mid {
				begun++
			}
			again := recoverReset(t, p, first, old, mid && begun%7 == 0, rng)
			for _, q := range again {
				recoverReset(t, q, first, old, false, rng)
			}
			require.False(t, t.Failed(), "picture %d, before %s", i, p.what)
		}
		require.Greater(t, begun, 5, "crashes in the middle of a reset")
	}
}

// recoverReset opens a picture and looks at what is there. With again, it returns pictures of the recovery.
func recoverReset(t *testing.T, p resetCrash, first uint64, old string, again bool, rng *rand.Rand) (pictures []resetCrash) {
	t.Helper()
	h := hookOf(p.fs)
	var mu sync.Mutex // the engine's goroutines come to the hook, too
	opened := false
	if again {
		h.set(func(op crashfs.Op) error {
			mu.Lock()
			defer mu.Unlock()
			if opened {
				return nil
			}
			pictures = append(pictures, resetCrash{p.fs.Crash(crashfs.RandomLoss(rng), rng), p.rows, p.what + ", recovery: " + op.String(), p.after})
			return nil
		})
	}
	s, err := tryOpen(quietly(p.fs))
	require.NoError(t, err, p.what)
	h.clear()
	mu.Lock()
	opened = true
	mu.Unlock()
	defer func() { require.NoError(t, s.Close()) }()
	found := count(t, s)
	require.True(t, found == p.rows || found == p.rows+1, "%s: %d rows of %d", p.what, found, p.rows)
	state := s.Log().StateClone().String()
	segments := s.Log().Segments()
	switch {
	case state == old && !p.after:
		require.Equal(t, uint64(1), segments[0].Segment)
	default:
		require.Equal(t, first, segments[0].Segment, "%s: %s", p.what, state)
		require.Empty(t, segments[0].FirstState.String())
		if p.after && p.rows > 6 {
			require.Equal(t, fmt.Sprintf("0-1-%d", found-6), state)
		}
	}
	_, err = p.fs.Stat("/data/binlog.reset")
	require.Error(t, err, "%s: the reset is not finished", p.what)
	info := insert(t, s, s.Catalog().Current().Table("test", "t"), 1000)
	require.True(t, s.Log().StateClone().Contains(info.GTID))
	return pictures
}

// TestResetFailures: each operation of a reset fails once. Either nothing happened, or the process ends
// and the next start finishes the reset.
func TestResetFailures(t *testing.T) { eachProtocol(t, testResetFailures) }

func testResetFailures(t *testing.T, name protocol.Name) {
	for n := 0; ; n++ {
		fs := crashfs.New()
		h := hookOf(fs)
		fatal := false
		o := quietly(fs)
		o.CommitProtocol, o.Fatal = name, func(error) { fatal = true }
		// A compaction that met the failure would end for good, and Close would wait for it: such a process has to end.
		o.Engines = []engine.Kind{lsm.Kind{CacheBytes: 1 << 20, MemTableBytes: 256 << 10, NoCompactions: true}}
		s, err := tryOpen(o)
		require.NoError(t, err)
		tbl := createTable(t, s)
		insert(t, s, tbl, 1)
		require.NoError(t, s.Pipeline().Rotate())
		insert(t, s, tbl, 2)
		if s.protocol != nil { // its binlog checkpoint of the rotation is done in the background: the failure is for the reset
			require.Eventually(t, func() bool { return s.Log().RecoveryStart().Segment == 2 }, 10*time.Second, time.Millisecond)
		}
		require.NoError(t, s.Checkpoint(ctx)) // so that the engine has little to do
		left, failed := n, ""
		h.set(func(op crashfs.Op) error {
			if strings.Contains(op.Name, "/lsm") && !strings.Contains(op.Name, "/lsm.redo") { // the engine's goroutines come here, too
				return nil
			}
			if failed != "" {
				return nil
			}
			if left--; left < 0 {
				failed = op.String()
				return fmt.Errorf("made to fail: %w", vfs.ErrUnsupported)
			}
			return nil
		})
		err = s.ResetLog(ctx, 1, gtid.NewState(), false)
		h.clear()
		if failed == "" {
			require.NoError(t, err)
			require.NoError(t, s.Close())
			require.Greater(t, n, 10)
			return
		}
		if err == nil {
			require.Contains(t, failed, ".idx", "only a GTID index may fail unnoticed")
		}
		if err != nil && !fatal {
			require.Equal(t, "1 2", logNames(s), failed)
			insert(t, s, tbl, 3)
			require.NoError(t, s.ResetLog(ctx, 1, gtid.NewState(), false), "the next try, after %s", failed)
			require.Equal(t, "1", logNames(s))
			insert(t, s, tbl, 4)
		}
		_ = s.Close() // fails where the log has failed
		rows := int64(2)
		if err != nil && !fatal {
			rows = 4
		}
		s, err = tryOpen(quietly(fs.Crash(crashfs.KeepAll, rand.New(rand.NewPCG(1, uint64(n))))))
		require.NoError(t, err, failed)
		require.EqualValues(t, rows, count(t, s), failed)
		require.NoError(t, s.Close())
	}
}

// An engine that comes into a directory whose reset was interrupted gets its mark together with the definitions, whenever the
// start is interrupted.
func TestResetBeforeNewEngine(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	fs := crashfs.New()
	h := hookOf(fs)
	s, err := tryOpen(quietly(fs))
	require.NoError(t, err)
	insert(t, s, createTable(t, s), 1)
	var interrupted *crashfs.FS
	var mu sync.Mutex
	h.set(func(op crashfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if _, err := fs.Stat("/data/binlog.reset"); err == nil && interrupted == nil {
			interrupted = fs.Crash(crashfs.KeepAll, rng)
		}
		return nil
	})
	require.NoError(t, s.ResetLog(ctx, 100, gtid.NewState(), false))
	h.clear()
	require.NoError(t, s.Close())
	require.NotNil(t, interrupted)

	both := func(fs vfs.FS) Options {
		o := quietly(fs)
		o.Engines = []engine.Kind{lsm.Kind{CacheBytes: 1 << 20, MemTableBytes: 256 << 10}, btree.Kind{MapBytes: 1 << 20}}
		return o
	}
	for k, reached := 1, true; reached; k++ {
		fs := interrupted.Crash(crashfs.KeepAll, rng)
		h := hookOf(fs)
		var picture *crashfs.FS
		n := 0
		h.set(func(crashfs.Op) error {
			mu.Lock()
			defer mu.Unlock()
			if n++; n == k {
				picture = fs.Crash(crashfs.KeepAll, rng)
			}
			return nil
		})
		s, err := tryOpen(both(fs))
		require.NoError(t, err)
		h.clear()
		require.NoError(t, s.Close())
		if reached = picture != nil; !reached {
			break
		}
		s, err = tryOpen(both(picture))
		require.NoError(t, err, "crash before operation %d", k)
		require.EqualValues(t, 1, count(t, s))
		for _, e := range s.Engine().Engines() {
			definitions, err := s.loadCatalog(e)
			require.NoError(t, err)
			require.NotNil(t, definitions.Table("test", "t"), "crash before operation %d: %s", k, e.Name())
			require.Equal(t, s.Log().End(), e.Applied().Position, e.Name())
		}
		require.NoError(t, s.Close())
	}
}

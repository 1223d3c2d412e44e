package btree

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	bolt "go.etcd.io/bbolt"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/logpos"
)

func set(t testing.TB, e engine.Engine, n uint64, size int) {
	b := e.NewBatch()
	require.NoError(t, b.Set(fmt.Appendf(nil, "key%08d", n), make([]byte, size)))
	require.NoError(t, e.Apply(b, markAt(n)))
}

func count(t testing.TB, r reader) (n int) {
	it, err := r.NewIter(nil, nil)
	require.NoError(t, err)
	for ok := it.First(); ok; ok = it.Next() {
		n++
	}
	require.NoError(t, it.Error())
	require.NoError(t, it.Close())
	return n
}

// breakable breaks kinds of operations.
type breakable struct {
	mu     sync.Mutex
	broken func(op crashfs.Op) error
}

func (b *breakable) breaks(f func(op crashfs.Op) error) {
	b.mu.Lock()
	b.broken = f
	b.mu.Unlock()
}

func (b *breakable) hook(op crashfs.Op) error {
	b.mu.Lock()
	f := b.broken
	b.mu.Unlock()
	if f == nil {
		return nil
	}
	return f(op)
}

func fullDisk(op crashfs.Op) error {
	if op.Kind == crashfs.Write || op.Kind == crashfs.Truncate {
		return syscall.ENOSPC
	}
	return nil
}

// On a full disk a checkpoint fails, and everything stays readable; when there is room again the next one succeeds.
func TestFullDisk(t *testing.T) {
	c := newCrashable(Options{})
	var disk breakable
	c.fs.SetHook(disk.hook)
	e := c.open(t)
	set(t, e, 1, 100)
	_, err := e.Checkpoint()
	require.NoError(t, err)
	disk.breaks(fullDisk)
	for n := uint64(2); n < 6; n++ {
		set(t, e, n, 5000)
		_, err = e.Checkpoint()
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.EqualValues(t, 1, e.Durable().Position.Offset)
		require.EqualValues(t, n, count(t, e))
	}
	// The pages are written, the meta page is not reached.
	writes := 0
	disk.breaks(func(op crashfs.Op) error {
		if op.Kind == crashfs.Write {
			writes++
			if writes > 1 {
				return syscall.EIO
			}
		}
		return nil
	})
	_, err = e.Checkpoint()
	require.ErrorIs(t, err, syscall.EIO)
	require.EqualValues(t, 5, count(t, e))
	// The meta page cannot be written.
	disk.breaks(func(op crashfs.Op) error {
		if op.Kind == crashfs.Write && op.Offset < 2*pageSize {
			return syscall.ENOSPC
		}
		return nil
	})
	_, err = e.Checkpoint()
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.EqualValues(t, 5, count(t, e))
	disk.breaks(nil)
	m, err := e.Checkpoint()
	require.NoError(t, err)
	require.EqualValues(t, 5, m.Position.Offset)
	require.EqualValues(t, 5, count(t, e))
	c.Crash(t, e)
	e = c.open(t)
	require.EqualValues(t, 5, e.Durable().Position.Offset)
	require.EqualValues(t, 5, count(t, e))
	require.NoError(t, e.Close())
}

// While checkpoints fail the delta fills. Writable warns before Apply has to wait, Ingest fails, and Apply goes on when there is
// room again; or with ErrClosed.
func TestPressed(t *testing.T) {
	var log syncBuffer
	c := newCrashable(Options{DeltaKeys: 10, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	var disk breakable
	c.fs.SetHook(disk.hook)
	e := c.open(t)
	disk.breaks(fullDisk)
	n := uint64(0)
	require.NoError(t, e.Writable())
	for e.Writable() == nil {
		n++
		set(t, e, n, 10)
		if n > 12 {
			_, err := e.Checkpoint()
			require.ErrorIs(t, err, syscall.ENOSPC)
		}
		require.Less(t, n, uint64(1000))
	}
	require.ErrorIs(t, e.Writable(), syscall.ENOSPC)
	n++
	set(t, e, n, 10) // there is room for what is under way
	for e.room(e.now.Load()) {
		n++
		set(t, e, n, 10)
	}
	b := e.NewBatch()
	require.NoError(t, b.Set([]byte("ingested"), nil))
	require.ErrorIs(t, e.Ingest(b), syscall.ENOSPC)
	done := make(chan error)
	go func() {
		b := e.NewBatch()
		err := b.Set([]byte("waits"), nil)
		done <- errors.Join(err, e.Apply(b, markAt(n+1)))
	}()
	select {
	case err := <-done:
		require.Fail(t, "it did not wait", "%v", err)
	default:
	}
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "background work") }, 30*time.Second, time.Millisecond)
	disk.breaks(nil)
	require.NoError(t, <-done)
	require.NoError(t, e.Writable())
	require.EqualValues(t, n+1, count(t, e))
	require.Equal(t, 1, strings.Count(log.String(), "background work"), log.String())

	disk.breaks(fullDisk)
	for n += 2; e.room(e.now.Load()); n++ {
		set(t, e, n, 10)
	}
	go func() { done <- e.Apply(e.NewBatch(), markAt(n)) }()
	require.NoError(t, e.Close())
	err := <-done
	require.ErrorIs(t, err, engine.ErrClosed)
}

type syncBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// After a sync that failed, or the write of a meta page, nothing is tried again.
func TestFatal(t *testing.T) {
	for _, c := range []struct {
		name   string
		breaks func(op crashfs.Op, sync *int) bool
	}{
		{"sync of pages", func(op crashfs.Op, _ *int) bool { return op.Kind == crashfs.Sync }},
		{"sync of meta page", func(op crashfs.Op, syncs *int) bool {
			if op.Kind == crashfs.Sync {
				*syncs++
			}
			return op.Kind == crashfs.Sync && *syncs == 2
		}},
		{"half a write of a meta page", func(op crashfs.Op, _ *int) bool { return op.Kind == crashfs.Write && op.Offset < 2*pageSize }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var fatal atomic.Value
			h := newCrashable(Options{Fatal: func(err error) { fatal.Store(err) }})
			e := h.open(t)
			set(t, e, 1, 10)
			_, err := e.Checkpoint()
			require.NoError(t, err)
			set(t, e, 2, 10)
			syncs := 0
			h.fs.SetHook(func(op crashfs.Op) error {
				switch {
				case !c.breaks(op, &syncs):
					return nil
				case op.Kind == crashfs.Write:
					return &crashfs.ShortWrite{N: 60, Err: syscall.EIO}
				}
				return syscall.EIO
			})
			_, err = e.Checkpoint()
			require.ErrorIs(t, err, syscall.EIO)
			h.fs.SetHook(nil)
			require.ErrorIs(t, fatal.Load().(error), syscall.EIO)
			_, err = e.Checkpoint()
			require.ErrorIs(t, err, syscall.EIO)
			b := e.NewBatch()
			require.ErrorIs(t, e.Apply(b, markAt(3)), syscall.EIO)
			require.Equal(t, 2, count(t, e), "what was applied stays readable")
			require.NoError(t, e.Close())
		})
	}
}

// bbolt's own errors of writes may be tried again, those of syncs not.
func TestErrorsOfBolt(t *testing.T) {
	dir := t.TempDir()
	e := directory{dir: dir}.open(t)
	base := e.now.Load().base
	require.True(t, e.isFatal(syscall.EIO, base), "fdatasync")
	require.True(t, e.isFatal(errors.New("file sync error: "), base))
	require.False(t, e.isFatal(errors.New("file resize error: "), base))
	_, err := (*mustWriteAt(t, e.file.db))(nil, -1)
	require.Error(t, err)
	write := &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	require.False(t, e.isFatal(write, base))
	s := e.Snapshot() // keeps the base
	set(t, e, 1, 10)
	_, err = e.Checkpoint()
	require.NoError(t, err)
	require.True(t, e.isFatal(write, base), "another meta page is there")
	require.NoError(t, s.Close())
	require.NoError(t, e.Close())
}

func mustWriteAt(t *testing.T, db *bolt.DB) *func([]byte, int64) (int, error) {
	f, err := writeAtOf(db)
	require.NoError(t, err, "bbolt has changed: see mirror")
	return f
}

// The file cannot outgrow what is mapped; that is an error, and no more.
func TestMapIsFull(t *testing.T) {
	d := directory{t.TempDir(), Options{MapBytes: 1 << 20, GrowBytes: 1 << 12}}
	e := d.open(t)
	n := uint64(0)
	var err error
	for err == nil {
		n++
		require.Less(t, n, uint64(1000))
		set(t, e, n, 10_000)
		_, err = e.Checkpoint()
	}
	require.ErrorContains(t, err, "size")
	require.EqualValues(t, n, count(t, e))
	require.NoError(t, e.Close())
	d.opts.MapBytes = smallMap
	e = d.open(t)
	require.Equal(t, n-1, e.Durable().Position.Offset)
	require.EqualValues(t, n-1, count(t, e))
	set(t, e, n, 10_000)
	_, err = e.Checkpoint()
	require.NoError(t, err)
	require.NoError(t, e.Close())
}

// The log is made durable before what the engine makes durable by itself.
func TestLogFirst(t *testing.T) {
	var synced atomic.Uint64
	c := newCrashable(Options{DeltaKeys: 20, SyncLog: func(p logpos.Pos) error {
		for old := synced.Load(); old < p.Offset && !synced.CompareAndSwap(old, p.Offset); old = synced.Load() {
		}
		return nil
	}})
	e := c.open(t)
	for n := uint64(1); n < 300; n++ {
		set(t, e, n, 10)
		require.LessOrEqual(t, e.Durable().Position.Offset, synced.Load())
	}
	require.Eventually(t, func() bool { return e.Durable().Position.Offset > 0 }, 30*time.Second, time.Millisecond)
	c.Crash(t, e)
	e = c.open(t)
	require.LessOrEqual(t, e.Durable().Position.Offset, synced.Load())
	require.NoError(t, e.Close())
}

func TestFailedLogSyncIsFatal(t *testing.T) {
	var fatal error
	broken := errors.New("the log is broken")
	c := newCrashable(Options{SyncLog: func(logpos.Pos) error { return broken }, Fatal: func(err error) { fatal = err }})
	e := c.open(t)
	set(t, e, 1, 10)
	_, err := e.Checkpoint()
	require.ErrorIs(t, err, broken)
	require.ErrorIs(t, fatal, broken)
	require.NoError(t, e.Close())
	c.opts.Fatal = nil
	e = c.open(t)
	require.Equal(t, engine.Mark{}, e.Durable())
	require.NoError(t, e.Close())
}

// A reader that met a base which was given up for another one reads that, though the engine broke meanwhile; it ends when the engine is closed.
func TestAcquireOfBroken(t *testing.T) {
	e := newCrashable(Options{}).open(t)
	b := e.NewBatch()
	require.NoError(t, b.Set([]byte("k"), []byte("v")))
	old := e.now.Load()
	require.NoError(t, e.Apply(b, markAt(1)))
	_, err := e.Checkpoint()
	require.NoError(t, err)
	require.False(t, old.base.acquire(), "the base is still the newest")
	e.mu.Lock()
	e.mu.broken = errors.New("broken")
	e.mu.Unlock()
	v := e.acquireFrom(old)
	require.NotNil(t, v)
	require.NotSame(t, old, v)
	v.base.release()
	require.NoError(t, e.Close())
	require.Nil(t, e.acquireFrom(old))
}

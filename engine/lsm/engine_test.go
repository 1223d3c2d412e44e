package lsm

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/enginetest"
	"github.com/duramendb/duramen/logpos"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// crashable keeps the engine on a file system that forgets what was not synced.
type crashable struct {
	fs   *vfs.MemFS
	rnd  *rand.Rand
	opts Options
}

func (c *crashable) Open(t *testing.T) engine.Engine {
	o := c.opts
	o.FS, o.Dir = c.fs, "data"
	e, err := Open(o)
	require.NoError(t, err)
	return e
}

func (c *crashable) Crash(t *testing.T, e engine.Engine) {
	fs := c.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: c.rnd})
	require.NoError(t, e.Close())
	c.fs = fs
}

func newCrashable(memtable uint64) *crashable {
	return &crashable{fs: vfs.NewCrashableMem(), rnd: rand.New(rand.NewPCG(3, 4)), opts: Options{MemTableBytes: memtable}}
}

// can is what the engine declares.
var can = enginetest.Can{Importer: true, Loader: true, MarkResetter: true, Exporter: true, Pressed: true}

func TestConformance(t *testing.T) {
	enginetest.Run(t, func(*testing.T) enginetest.Harness {
		return enginetest.NewFiles(Kind{NoCompactions: true}, can)
	})
}

// The same with small memtables, and compactions. A full disk is left out: a compaction that has written its tables, and
// cannot write to the MANIFEST any more, ends the process.
func TestConformanceWithCompactions(t *testing.T) {
	enginetest.Run(t, func(*testing.T) enginetest.Harness {
		return compacting{onFiles: enginetest.NewFiles(Kind{MemTableBytes: 128 << 10}, can)}
	})
}

// compacting is no enginetest.Fails: a field is in the place of one of its methods.
type compacting struct {
	*onFiles
	FailWrites struct{}
}

type onFiles = enginetest.Files

// The same on a real directory.
type directory struct{ dir string }

func (d directory) Open(t *testing.T) engine.Engine {
	e, err := Open(Options{Dir: d.dir})
	require.NoError(t, err)
	return e
}

func (d directory) Crash(t *testing.T, e engine.Engine) { require.NoError(t, e.Close()) }

func (d directory) Can() enginetest.Can { return can }

func TestConformanceOnDisk(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) enginetest.Harness { return directory{t.TempDir()} })
}

func set(t *testing.T, e engine.Engine, n int, size int) {
	b := e.NewBatch()
	require.NoError(t, b.Set(fmt.Appendf(nil, "key%08d", n), make([]byte, size)))
	require.NoError(t, e.Apply(b, engine.Mark{Position: logpos.At(1, uint64(n))}))
}

// The engine may flush a full memtable by itself, but only after it has made the log durable as far.
func TestLogFirst(t *testing.T) {
	c := newCrashable(256 << 10)
	var synced atomic.Uint64
	c.opts.SyncLog = func(p logpos.Pos) error {
		for old := synced.Load(); old < p.Offset && !synced.CompareAndSwap(old, p.Offset); old = synced.Load() {
		}
		return nil
	}
	e := c.Open(t)
	n := 0
	for synced.Load() == 0 {
		n++
		set(t, e, n, 10_000)
		require.LessOrEqual(t, e.Durable().Position.Offset, synced.Load())
		require.Less(t, n, 100_000, "never flushed")
	}
	require.Eventually(t, func() bool { return e.Durable().Position.Offset > 0 }, 30*time.Second, time.Millisecond)
	for range 200 {
		n++
		set(t, e, n, 10_000)
		require.LessOrEqual(t, e.Durable().Position.Offset, synced.Load())
	}
	upTo := synced.Load()
	c.Crash(t, e)
	e = c.Open(t)
	require.LessOrEqual(t, e.Durable().Position.Offset, max(upTo, synced.Load()))
	require.NoError(t, e.Close())
}

const fatalDir = "LSM_TEST_FATAL_DIR"

// A failed sync of the log ends the process; it runs in one of its own.
func TestFailedLogSyncIsFatal(t *testing.T) {
	if dir := os.Getenv(fatalDir); dir != "" {
		e, err := Open(Options{Dir: dir, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
			SyncLog: func(logpos.Pos) error { return errors.New("the log is broken") }})
		require.NoError(t, err)
		set(t, e, 1, 10)
		_, err = e.Checkpoint()
		t.Fatalf("the checkpoint returned: %v", err)
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFailedLogSyncIsFatal$")
	cmd.Env = append(os.Environ(), fatalDir+"="+dir)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 1, exit.ExitCode())
	require.Contains(t, string(out), "the log is broken")
	require.NotContains(t, string(out), "the checkpoint returned")
	e := directory{dir}.Open(t)
	require.Equal(t, engine.Mark{}, e.Durable())
	require.NoError(t, e.Close())
}

func TestMarkEncoding(t *testing.T) {
	for _, m := range []engine.Mark{{}, {Position: logpos.At(1, 4)}, {Position: logpos.At(1<<40, 1<<64-1), GTIDState: "0-1-5,1-2-3"}} {
		got, err := parseMark(appendMark(nil, m))
		require.NoError(t, err)
		require.Equal(t, m, got)
	}
	// These bytes lie in data directories.
	stored := engine.Mark{Position: logpos.At(42, 1<<20+5), GTIDState: "0-1-5,1-2-3"}
	require.Equal(t, "*\x85\x80@0-1-5,1-2-3", string(appendMark(nil, stored)))
	for _, b := range [][]byte{nil, {0x80}, {1}, {1, 0xff}} {
		_, err := parseMark(b)
		require.ErrorIs(t, err, ErrCorrupt)
	}
}

func TestOpenErrors(t *testing.T) {
	_, err := Open(Options{})
	require.Error(t, err)
	c := newCrashable(0)
	e := c.Open(t)
	_, err = Open(Options{FS: c.fs, Dir: "data"})
	require.ErrorContains(t, err, "data", "locked")
	require.NoError(t, e.Close())
}

// hotKeys writes n keys, of which every tenth has many versions, and some are deleted.
func hotKeys(t testing.TB, e engine.Engine, n int) {
	mark := e.Applied()
	for v := range 200 {
		b := e.NewBatch()
		for i := range n {
			key := fmt.Appendf(nil, "key%06d", i)
			switch {
			case v == 0 || i/10%10 == 3:
				require.NoError(t, b.Set(key, fmt.Appendf(nil, "v%d", v)))
			case v == 150 && i%7 == 0:
				require.NoError(t, b.Delete(key))
			}
		}
		mark.Position.Offset++
		require.NoError(t, e.Apply(b, mark))
	}
}

// Seeking over keys with many versions gives what stepping gives.
func TestManyVersions(t *testing.T) {
	e := newCrashable(0).Open(t)
	defer func() { require.NoError(t, e.Close()) }()
	hotKeys(t, e, 500)
	var want []string
	for i := range 500 {
		switch {
		case i/10%10 == 3:
			want = append(want, fmt.Sprintf("key%06d=v199", i))
		case i%7 != 0:
			want = append(want, fmt.Sprintf("key%06d=v0", i))
		}
	}
	it, err := e.NewIter([]byte("key"), []byte("kez"))
	require.NoError(t, err)
	var forward, backward []string
	for ok := it.First(); ok; ok = it.Next() {
		forward = append(forward, string(it.Key())+"="+string(it.Value()))
	}
	for ok := it.Last(); ok; ok = it.Prev() {
		backward = append(backward, string(it.Key())+"="+string(it.Value()))
	}
	require.NoError(t, it.Error())
	require.NoError(t, it.Close())
	require.Equal(t, want, forward)
	slices.Reverse(backward)
	require.Equal(t, want, backward)
}

func BenchmarkScanHot(b *testing.B) {
	e, err := Open(Options{FS: vfs.NewMem(), Dir: "data", MemTableBytes: 64 << 20})
	require.NoError(b, err)
	defer e.Close()
	hotKeys(b, e, 1000)
	b.ResetTimer()
	for range b.N {
		it, err := e.NewIter([]byte("key"), []byte("kez"))
		require.NoError(b, err)
		for ok := it.First(); ok; ok = it.Next() {
		}
		require.NoError(b, it.Close())
	}
}

// fullFS has no room for table files while full is set.
type fullFS struct {
	vfs.FS
	full  atomic.Bool
	tries atomic.Int64
}

func (f *fullFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if f.full.Load() && strings.HasSuffix(name, ".sst") {
		f.tries.Add(1)
		return nil, syscall.ENOSPC
	}
	return f.FS.Create(name, category)
}

// On a full disk a checkpoint waits for room, few messages are logged, and
// the engine can be closed all the same.
func TestFullDisk(t *testing.T) {
	var log syncBuffer
	fs := &fullFS{FS: vfs.NewMem()}
	open := func() *Engine {
		e, err := Open(Options{FS: fs, Dir: "data", Logger: slog.New(slog.NewTextHandler(&log, nil))})
		require.NoError(t, err)
		return e
	}
	e := open()
	set(t, e, 1, 100)
	fs.full.Store(true)
	_, err := e.Checkpoint()
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.Eventually(t, func() bool { return fs.tries.Load() >= 2 }, 30*time.Second, time.Millisecond)
	require.Equal(t, engine.Mark{}, e.Durable())
	set(t, e, 2, 100) // still works
	fs.full.Store(false)
	require.Eventually(t, func() bool { _, err := e.Checkpoint(); return err == nil }, 30*time.Second, time.Millisecond)
	require.EqualValues(t, 2, e.Durable().Position.Offset)
	require.Equal(t, 1, strings.Count(log.String(), "no space left on device"), log.String())

	set(t, e, 3, 100)
	fs.full.Store(true)
	_, err = e.Checkpoint()
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoError(t, e.Close())
	fs.full.Store(false)
	e = open()
	require.GreaterOrEqual(t, e.Durable().Position.Offset, uint64(1))
	require.NoError(t, e.Close())
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

package enginetest

import (
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/logpos"
)

// Files is a harness with everything, on a file system in memory that crashes and fails.
type Files struct {
	kind engine.Kind
	can  Can

	mu      sync.Mutex
	fs      *crashfs.FS
	rng     *rand.Rand
	syncLog func(logpos.Pos) error
	fatal   error

	crashAt int // operations until the crash; negative: none
	moment  func()
	image   *crashfs.FS // what the crash leaves
	failAt  int         // operations until a failure; negative: none
	failErr error
	noRoom  error
}

var (
	_ CrashesAt = (*Files)(nil)
	_ Fails     = (*Files)(nil)
	_ HasFiles  = (*Files)(nil)
)

const importDir = "imports"

// NewFiles is a harness for engines of a kind, with an empty file system.
func NewFiles(kind engine.Kind, can Can) *Files {
	f := &Files{kind: kind, can: can, rng: rand.New(rand.NewPCG(1, 2)), crashAt: -1, failAt: -1}
	f.use(crashfs.New())
	return f
}

// use goes on with a file system.
func (f *Files) use(fs *crashfs.FS) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fs, f.image, f.crashAt, f.failAt, f.noRoom, f.fatal = fs, nil, -1, -1, nil, nil
	fs.SetHook(func(op crashfs.Op) error { return f.before(fs, op) })
}

// before is called before each operation. Those of engines that were abandoned do not count.
func (f *Files) before(fs *crashfs.FS, op crashfs.Op) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fs != f.fs {
		return nil
	}
	if f.crashAt == 0 {
		f.image = fs.Crash(crashfs.RandomLoss(f.rng), f.rng)
		f.moment()
	}
	f.crashAt = max(f.crashAt-1, -1)
	fails := f.failAt == 0
	f.failAt = max(f.failAt-1, -1)
	if fails {
		return f.failErr
	}
	switch op.Kind {
	case crashfs.Create, crashfs.Write, crashfs.Truncate, crashfs.Link, crashfs.Mkdir:
		return f.noRoom
	}
	return nil
}

// Kind is the kind.
func (f *Files) Kind() (engine.Kind, engine.Options) {
	return f.kind, engine.Options{FS: f.fs, Dir: f.kind.Dir(), SyncLog: f.syncLog, Logger: slog.New(slog.DiscardHandler), Fatal: func(err error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.fatal = errors.Join(f.fatal, err)
	}}
}

// Can is what NewFiles was told.
func (f *Files) Can() Can { return f.can }

// Open opens the engine in its directory.
func (f *Files) Open(t *testing.T) engine.Engine {
	t.Helper()
	e, err := f.open()
	require.NoError(t, err)
	return e
}

func (f *Files) open() (engine.Engine, error) {
	kind, o := f.Kind()
	for _, dir := range []string{o.Dir, importDir} {
		if err := f.mkdir(dir); err != nil {
			return nil, err
		}
	}
	return kind.Open(o)
}

// mkdir makes a directory that survives crashes, as the data directory's owner does. It is not one of the engine's operations.
func (f *Files) mkdir(dir string) error {
	fs := f.fs // an engine may go on with the one before while the next is opened
	fs.SetHook(nil)
	defer fs.SetHook(func(op crashfs.Op) error { return f.before(fs, op) })
	root, err := fs.OpenDir("/")
	if err != nil {
		return err
	}
	return errors.Join(fs.MkdirAll(dir, 0o755), root.Sync(), root.Close())
}

// Crash loses some of what was not synced.
func (f *Files) Crash(t *testing.T, e engine.Engine) {
	t.Helper()
	f.use(f.left()) // first: no failure is in the way of Close
	require.NoError(t, e.Close())
}

// Abandon is Crash without an end of the engine.
func (f *Files) Abandon() { f.use(f.left()) }

func (f *Files) left() *crashfs.FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.image != nil {
		return f.image
	}
	return f.fs.Crash(crashfs.RandomLoss(f.rng), f.rng)
}

// SyncLog sets Options.SyncLog.
func (f *Files) SyncLog(sync func(logpos.Pos) error) { f.syncLog = sync }

// Fatal is whether an engine has called Options.Fatal since the last crash.
func (f *Files) Fatal() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fatal != nil
}

// CrashAt arms a crash.
func (f *Files) CrashAt(n int, moment func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.crashAt, f.moment, f.rng = n, moment, rand.New(rand.NewPCG(uint64(n), 3))
}

// FailWrites lets writes, new files, links and directories fail.
func (f *Files) FailWrites(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.noRoom = err
}

// FailAt lets one operation of any kind fail.
func (f *Files) FailAt(n int, err error) (failed func() bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failAt, f.failErr = n, err
	return func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.failAt < 0
	}
}

// ImportDir is a directory beside the engine's.
func (f *Files) ImportDir(*testing.T) string { return importDir }

// Files are those of the engine and of imports. A file that the engine's background work removes meanwhile is none of them.
func (f *Files) Files(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, dir := range []string{f.kind.Dir(), importDir} {
		names, err := f.fs.List(dir)
		require.NoError(t, err)
		for _, name := range names {
			path := f.fs.PathJoin(dir, name)
			file, err := f.fs.Open(path)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			require.NoError(t, err)
			contents, err := io.ReadAll(file)
			require.NoError(t, errors.Join(err, file.Close()))
			files[path] = contents
		}
	}
	return files
}

// Write replaces a file.
func (f *Files) Write(t *testing.T, name string, contents []byte) {
	t.Helper()
	file, err := f.fs.Create(name, vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = file.Write(contents)
	require.NoError(t, errors.Join(err, file.Sync(), file.Close()))
}

// Remove removes a file.
func (f *Files) Remove(t *testing.T, name string) {
	t.Helper()
	require.NoError(t, f.fs.Remove(name))
}

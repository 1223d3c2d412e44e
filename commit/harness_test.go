package commit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/txn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hook lets a test fail, or hold up, what happens to the log.
type hook struct {
	// before is called with "create", "write" or "sync", and, of the last two, "live" for
	// the log, or a file of it that is in use, or "new" for a file that is being made. Its error is the
	// operation's.
	before atomic.Pointer[func(op, name string) error]
}

func (h *hook) call(op, name string) error {
	if f := h.before.Load(); f != nil {
		return (*f)(op, name)
	}
	return nil
}

// hookFS has the files of a log.
type hookFS struct {
	vfs.FS
	*hook
}

func (fs *hookFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := fs.call("create", name); err != nil {
		return nil, err
	}
	f, err := fs.FS.Create(name, c)
	return fs.wrap("new", f, err)
}

func (fs *hookFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := fs.FS.OpenReadWrite(name, c, opts...)
	return fs.wrap("live", f, err)
}

func (fs *hookFS) wrap(name string, f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &hookFile{File: f, fs: fs, name: name}, nil
}

type hookFile struct {
	vfs.File
	fs   *hookFS
	name string
}

func (f *hookFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.fs.call("write", f.name); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, off)
}

func (f *hookFile) SyncData() error {
	if err := f.fs.call("sync", f.name); err != nil {
		return err
	}
	return f.File.SyncData()
}

// recorder is an engine that remembers what it was told.
type recorder struct {
	engine.Engine
	log Log // when set, Apply checks that the log is durable

	mu struct {
		sync.Mutex
		mark    engine.Mark
		batches [][]string // the keys of each batch
		err     error      // what Apply returns
	}
}

type recordBatch struct {
	engine.Batch
	keys []string
}

func (b *recordBatch) Set(key, _ []byte) error { b.keys = append(b.keys, string(key)); return nil }
func (b *recordBatch) Len() int                { return len(b.keys) }
func (b *recordBatch) Discard()                {}

func (r *recorder) Name() string           { return "recorder" }
func (r *recorder) NewBatch() engine.Batch { return &recordBatch{} }

func (r *recorder) Capabilities() engine.Capabilities { return engine.Capabilities{} }

func (r *recorder) Apply(b engine.Batch, m engine.Mark) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log != nil && r.log.Synced().Before(m.Position) {
		return errors.New("applied before it was durable")
	}
	if m.Position.Before(r.mu.mark.Position) {
		return fmt.Errorf("mark goes back from %s to %s", r.mu.mark.Position, m.Position)
	}
	r.mu.mark = m
	r.mu.batches = append(r.mu.batches, b.(*recordBatch).keys)
	return r.mu.err
}

func (r *recorder) Applied() engine.Mark {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mu.mark
}

func (r *recorder) keys() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for _, b := range r.mu.batches {
		all = append(all, b...)
	}
	return all
}

// fixture is a pipeline with all its parts at hand.
type fixture struct {
	t       testing.TB
	io      hook
	log     testLog
	files   *binlog.Log // nil if the log is in memory
	engine  *recorder
	p       *Pipeline
	fatal   chan error
	catalog *catalog.Registry
}

// testLog is what the tests ask of a log.
type testLog interface {
	Log
	Visible() logpos.Pos
}

// newFixture has a log in memory.
func newFixture(t testing.TB, change func(*Config, *memLog)) *fixture {
	f := &fixture{t: t}
	log := newMemLog(&f.io)
	f.log = log
	cfg := f.config()
	if change != nil {
		change(&cfg, log)
	}
	f.start(cfg)
	return f
}

// newFileFixture has a log in files, which are in memory.
func newFileFixture(t testing.TB, change func(*Config, *binlog.Options)) *fixture {
	f := &fixture{t: t}
	cfg := f.config()
	opts := binlog.Options{FS: &hookFS{vfs.NewMem(), &f.io}, Dir: "log", ServerID: 7, MaxSize: 1 << 20}
	if change != nil {
		change(&cfg, &opts)
	}
	var err error
	f.files, _, err = binlog.Open(opts)
	require.NoError(t, err)
	f.log = binaryLog{f.files}
	f.start(cfg)
	return f
}

func (f *fixture) config() Config {
	f.engine, f.fatal, f.catalog = &recorder{}, make(chan error, 1), catalog.NewRegistry(catalog.Empty(), nil)
	return Config{ServerID: 7, SyncBinlog: 1, Fatal: func(err error) { f.fatal <- err }}
}

func (f *fixture) start(cfg Config) {
	if cfg.SyncBinlog == 1 {
		f.engine.log = f.log
	}
	cfg.Log, cfg.Applier = f.log, EngineApplier(f.engine, f.catalog)
	f.p = New(cfg)
	f.t.Cleanup(f.close)
}

func (f *fixture) close() {
	f.io.before.Store(nil)
	_ = f.p.Close() // some tests have broken it
	if f.files != nil {
		_ = f.files.Close()
	}
}

// onIO installs a hook; see hookFS.
func (f *fixture) onIO(hook func(op, name string) error) { f.io.before.Store(&hook) }

// request is a transaction that sets one key.
func (f *fixture) request(key string) *txn.CommitRequest {
	return &txn.CommitRequest{
		Flags: event.FLTransactional, Timestamp: 1700000000,
		Events: event.AppendXID(nil, event.Meta{Timestamp: 1700000000, ServerID: 7}, 1),
		Write:  func(b engine.Batch) error { return b.Set([]byte(key), nil) },
	}
}

// holder calls functions, if they are set.
type holder struct{ sequenced, applied, lost func() }

func (h *holder) Sequenced() { call(h.sequenced) }
func (h *holder) Applied()   { call(h.applied) }
func (h *holder) Lost()      { call(h.lost) }

func call(f func()) {
	if f != nil {
		f()
	}
}

// hold gives the ticket of a request to a holder.
func hold(req *txn.CommitRequest, h *holder) {
	req.Ticket = txn.NewTicket(h, req.Ticket.Epoch())
}

func (f *fixture) commit(req *txn.CommitRequest) error {
	return f.p.Commit(context.Background(), req)
}

// waitQueued returns when n requests wait for the next group.
func (f *fixture) waitQueued(n int) {
	f.t.Helper()
	require.Eventually(f.t, func() bool {
		f.p.queue.mu.Lock()
		defer f.p.queue.mu.Unlock()
		return f.p.queue.mu.waiting.count == n
	}, waitMax, waitTick)
}

// groupsInLog reads back the GTIDs and commit ids in the log.
func (f *fixture) groupsInLog() (infos []event.GTIDInfo) {
	f.t.Helper()
	if log, ok := f.log.(*memLog); ok {
		return log.groups(f.t)
	}
	r, err := f.files.NewReader(logpos.Pos{Segment: 1})
	require.NoError(f.t, err)
	defer r.Close()
	for {
		raw, _, err := r.NextNoWait()
		if err != nil {
			return infos
		}
		found, err := gtidsIn(raw)
		require.NoError(f.t, err)
		infos = append(infos, found...)
	}
}

package txn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/engine/set"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/row/rowtest"
)

// waitMax only bounds how long a broken test hangs.
const (
	waitMax  = 30 * time.Second
	waitTick = time.Millisecond
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pipeline is a Committer with the real one's order of events, but no log: a
// place is fixed under one mutex, and another goroutine applies.
type pipeline struct {
	eng engine.Engine
	reg *catalog.Registry

	order sync.Mutex
	pos   uint64
	epoch atomic.Uint64
	queue chan *job
	done  chan struct{}
	large atomic.Int64 // transactions that came as files

	barrier sync.RWMutex

	mu struct {
		sync.Mutex
		refuse   error         // the next Commit gets no place
		gate     chan struct{} // apply waits for it, if set
		requests []*CommitRequest
		flying   []*job // sequenced and not applied
	}
}

type job struct {
	r       *CommitRequest
	mark    engine.Mark
	applied chan error
}

func newPipeline(eng engine.Engine, reg *catalog.Registry) *pipeline {
	p := &pipeline{eng: eng, reg: reg, queue: make(chan *job, 1024), done: make(chan struct{}), pos: eng.Applied().Position.Offset}
	go p.run()
	return p
}

func (p *pipeline) Start(ctx context.Context, r *CommitRequest) (wait func() error, err error) {
	err = p.Commit(ctx, r)
	return func() error { return err }, nil
}

func (p *pipeline) Commit(ctx context.Context, r *CommitRequest) error {
	p.mu.Lock()
	err := p.mu.refuse
	p.mu.refuse = nil
	p.mu.Unlock()
	if err != nil {
		return err
	}
	p.order.Lock()
	if r.Ticket.Epoch() != p.epoch.Load() {
		p.order.Unlock()
		return ErrLost
	}
	p.pos++
	r.GTID = gtid.GTID{Domain: r.Domain, Server: r.ServerID, Seq: p.pos}
	r.End = logpos.At(1, p.pos)
	j := &job{r: r, mark: engine.Mark{Position: r.End}, applied: make(chan error, 1)}
	if f, ok := r.File.(*memFile); ok { // it is gone when Commit returns
		r.Events, r.File = append(r.Events, f.b...), nil
		p.large.Add(1)
	}
	r.Ticket.Sequence()
	p.mu.Lock()
	p.mu.flying = append(p.mu.flying, j)
	p.mu.Unlock()
	p.queue <- j
	p.order.Unlock()
	return <-j.applied
}

func (p *pipeline) run() {
	defer close(p.done)
	for j := range p.queue {
		p.mu.Lock()
		gate := p.mu.gate
		p.mu.requests = append(p.mu.requests, j.r)
		p.mu.Unlock()
		if gate != nil {
			<-gate
		}
		j.applied <- p.apply(j)
	}
}

func (p *pipeline) apply(j *job) error {
	p.barrier.Lock()
	defer p.barrier.Unlock()
	if j.r.Ticket.State() == Lost {
		return ErrLost
	}
	p.mu.Lock()
	p.mu.flying = p.mu.flying[1:]
	p.mu.Unlock()
	b := p.eng.NewBatch()
	if err := j.r.Write(b); err != nil {
		return err
	}
	if j.r.Import != nil {
		if err := p.eng.Capabilities().Importer.ApplyImport(j.r.Import, b, j.mark); err != nil {
			return err
		}
	} else if err := p.eng.Apply(b, j.mark); err != nil {
		return err
	}
	if j.r.Catalog != nil {
		s, err := p.reg.Prepare(*j.r.Catalog)
		if err != nil {
			return err
		}
		p.reg.Publish(s)
	}
	j.r.Ticket.Apply()
	return nil
}

func (p *pipeline) ApplyBarrier(f func()) {
	p.barrier.RLock()
	defer p.barrier.RUnlock()
	f()
}

func (p *pipeline) Epoch() uint64 { return p.epoch.Load() }

// lose drops the newest n transactions that have a place and are not applied.
func (p *pipeline) lose(n int) {
	p.barrier.Lock()
	defer p.barrier.Unlock()
	p.order.Lock()
	defer p.order.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	keep := len(p.mu.flying) - n
	for _, j := range p.mu.flying[keep:] {
		j.r.Ticket.Lose()
	}
	p.mu.flying = p.mu.flying[:keep]
	p.epoch.Add(1)
}

// sequenced is how many transactions have a place and are not applied.
func (p *pipeline) sequenced() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.mu.flying)
}

// hold stops applying until the returned function is called.
func (p *pipeline) hold() (release func()) {
	gate := make(chan struct{})
	p.mu.Lock()
	p.mu.gate = gate
	p.mu.Unlock()
	return func() {
		p.mu.Lock()
		p.mu.gate = nil
		p.mu.Unlock()
		close(gate)
	}
}

func (p *pipeline) last() *CommitRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mu.requests[len(p.mu.requests)-1]
}

func (p *pipeline) requests() []*CommitRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.mu.requests)
}

type harness struct {
	testing.TB
	fs  vfs.FS
	eng *lsm.Engine
	reg *catalog.Registry
	p   *pipeline
	m   *Manager

	config func(*Config) // changes the manager's
	files  memFiles
}

// memFiles counts the event files that have not been discarded.
type memFiles struct {
	open atomic.Int64
	last atomic.Pointer[memFile] // the newest
}

// memFile is an EventFile in memory.
type memFile struct {
	files  *memFiles
	b      []byte
	closed bool
	fail   error
}

func (f *memFile) Append(events []byte) error {
	if f.fail != nil {
		return f.fail
	}
	if err := event.Finalize(events, uint64(len(f.b))); err != nil {
		return err
	}
	f.b = append(f.b, events...)
	return nil
}

func (f *memFile) Truncate(size int64) { f.b = f.b[:size] }

func (f *memFile) ReadAt(p []byte, off int64) error {
	copy(p, f.b[off:off+int64(len(p))])
	return nil
}

func (f *memFile) Size() int64 { return int64(len(f.b)) }

func (f *memFile) Discard() {
	if !f.closed {
		f.closed = true
		f.files.open.Add(-1)
	}
}

// spilling makes transactions large very soon.
func (h *harness) spilling(c *Config) {
	c.BinlogCacheSize, c.LargeCommitThreshold, c.WriteSetMemory = 300, 2000, 2000
	c.SpillFS, c.SpillDir = h.fs, "tmp"
	c.NewEventFile = func() (EventFile, error) {
		h.files.open.Add(1)
		f := &memFile{files: &h.files}
		h.files.last.Store(f)
		return f, nil
	}
}

// newSpillingHarness is newHarness with spilling.
func newSpillingHarness(t testing.TB) *harness {
	h := &harness{TB: t, fs: vfs.NewMem()}
	h.config = h.spilling
	h.open()
	t.Cleanup(h.close)
	return h
}

func newHarness(t testing.TB) *harness {
	h := &harness{TB: t, fs: vfs.NewMem()}
	h.open()
	t.Cleanup(h.close)
	return h
}

func (h *harness) open() {
	var err error
	h.eng, err = lsm.Open(lsm.Options{FS: h.fs, Dir: "data", MemTableBytes: 4 << 20})
	require.NoError(h, err)
	it, err := h.eng.NewIter(catalog.MetaSpan())
	require.NoError(h, err)
	s, err := catalog.Load(it, nil)
	require.NoError(h, err)
	require.NoError(h, it.Close())
	h.reg = catalog.NewRegistry(s, nil)
	h.p = newPipeline(h.eng, h.reg)
	engines, err := set.New(h.eng)
	require.NoError(h, err)
	cfg := Config{Engine: engines, Committer: h.p, Catalog: h.reg, Applied: func() logpos.Pos { return h.eng.Applied().Position }}
	if h.config != nil {
		require.NoError(h, h.fs.MkdirAll("tmp", 0o755))
		h.config(&cfg)
	}
	h.m = NewManager(cfg)
}

func (h *harness) close() {
	close(h.p.queue)
	<-h.p.done
	require.NoError(h, h.eng.Close())
	require.Zero(h, h.m.Stats().Active)
	require.Zero(h, h.m.Stats().Pending)
	require.Zero(h, h.m.locks.Count())
	require.Zero(h, h.files.open.Load(), "files of events were left")
	if h.config != nil {
		names, err := h.fs.List("tmp")
		require.NoError(h, err)
		require.Empty(h, names, "files were left")
	}
}

// restart checkpoints and opens the engine again.
func (h *harness) restart() {
	_, err := h.eng.Checkpoint()
	require.NoError(h, err)
	h.close()
	h.open()
}

func intColumn(name string) catalog.ColumnDef {
	return catalog.ColumnDef{Name: name, SQLType: "int(11)", Type: mysql.MYSQL_TYPE_LONG, Collation: 63}
}

func textColumn(name string) catalog.ColumnDef {
	return catalog.ColumnDef{Name: name, SQLType: "varchar(200)", Nullable: true, Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 200, Collation: 8}
}

// accounts is (id int primary key, k int, u varchar unique, index (k)).
func accounts() *catalog.TableDef {
	return &catalog.TableDef{DB: "test", Name: "accounts", Engine: "InnoDB",
		Columns: []catalog.ColumnDef{intColumn("id"), intColumn("k"), textColumn("u")},
		Primary: []catalog.IndexPart{{Column: 0}},
		Indexes: []catalog.IndexDef{
			{ID: 1, Name: "u", Unique: true, Parts: []catalog.IndexPart{{Column: 2}}},
			{ID: 2, Name: "k", Parts: []catalog.IndexPart{{Column: 1}}},
		}, NextIndexID: 3}
}

// indexes of accounts
const (
	byU = 0
	byK = 1
)

func (h *harness) create(def *catalog.TableDef) *catalog.Table {
	t := h.m.Begin(Options{})
	def.ID = t.NewTableID()
	require.NoError(h, t.ChangeCatalog(catalog.Change{Databases: []catalog.DatabaseDef{{Name: def.DB}}, Tables: []*catalog.TableDef{def}}))
	t.SetDDL(event.Query{Schema: def.DB, SQL: "CREATE TABLE " + def.Name})
	h.commit(t)
	tbl := h.reg.Current().Table(def.DB, def.Name)
	require.NotNil(h, tbl)
	return tbl
}

func (h *harness) commit(t *Txn) CommitInfo {
	info, err := t.Commit(context.Background())
	require.NoError(h, err)
	return info
}

// begin starts a transaction in a running statement.
func (h *harness) begin(o Options) *Txn {
	t := h.m.Begin(o)
	t.BeginStatement("", false)
	return t
}

func image(tb testing.TB, tbl *catalog.Table, vals ...any) []byte {
	b, err := row.Encode(nil, tbl.Columns, vals)
	require.NoError(tb, err)
	return b
}

func values(tb testing.TB, tbl *catalog.Table, image []byte) []any {
	vals, err := rowtest.Decode(tbl.Columns, image)
	require.NoError(tb, err)
	return vals
}

func rowKey(tb testing.TB, tbl *catalog.Table, id int) []byte {
	key, err := row.AppendKeyValue(tbl.Prefix(-1), tbl.Columns[0], tbl.Primary[0], int64(id))
	require.NoError(tb, err)
	return key
}

func (h *harness) insert(t *Txn, tbl *catalog.Table, vals ...any) {
	require.NoError(h, t.Insert(context.Background(), tbl, image(h, tbl, vals...)))
}

// load inserts rows in a transaction of their own.
func (h *harness) load(tbl *catalog.Table, rows ...[]any) {
	t := h.begin(Options{})
	for _, r := range rows {
		h.insert(t, tbl, r...)
	}
	h.commit(t)
}

func (h *harness) get(t *Txn, tbl *catalog.Table, id int, mode ReadMode) []any {
	b, ok, err := t.Get(context.Background(), tbl, rowKey(h, tbl, id), mode, Wait)
	require.NoError(h, err)
	if !ok {
		return nil
	}
	return values(h, tbl, b)
}

// update sets the row's columns through an exclusive read.
func (h *harness) update(t *Txn, tbl *catalog.Table, id int, vals ...any) {
	require.NoError(h, h.tryUpdate(t, tbl, id, vals...))
}

func (h *harness) tryUpdate(t *Txn, tbl *catalog.Table, id int, vals ...any) error {
	ctx := context.Background()
	key := rowKey(h, tbl, id)
	before, ok, err := t.Get(ctx, tbl, key, LockExclusive, Wait)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("row %d is missing", id)
	}
	if vals == nil {
		return t.Delete(ctx, tbl, key, before)
	}
	return t.Update(ctx, tbl, key, before, image(h, tbl, vals...))
}

func (h *harness) delete(t *Txn, tbl *catalog.Table, id int) { h.update(t, tbl, id) }

// scan returns the rows of a whole index.
func (h *harness) scan(t *Txn, tbl *catalog.Table, index int, mode ReadMode) [][]any {
	return h.scanSpec(t, ScanSpec{Table: tbl, Index: index, Mode: mode})
}

func (h *harness) scanSpec(t *Txn, spec ScanSpec) (out [][]any) {
	c, err := t.Scan(context.Background(), spec)
	require.NoError(h, err)
	for c.Next() {
		out = append(out, values(h, spec.Table, c.Image()))
	}
	require.NoError(h, errors.Join(c.Err(), c.Close()))
	return out
}

// table reads everything in a transaction of its own, and checks that all indexes agree.
func (h *harness) table(tbl *catalog.Table) [][]any {
	t := h.m.Begin(Options{})
	defer t.Rollback()
	rows := h.scan(t, tbl, -1, Snapshot)
	for i := range tbl.Indexes {
		require.Equal(h, sorted(rows), sorted(h.scan(t, tbl, i, Snapshot)), "index %s", tbl.Indexes[i].Def.Name)
	}
	return rows
}

// sorted is for the comparison of rows in different orders.
func sorted(rows [][]any) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = fmt.Sprint(r...)
	}
	slices.Sort(out)
	return out
}

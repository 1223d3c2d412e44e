package faulttest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/btree"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/store/crashtest"
	"github.com/duramendb/duramen/txn"
)

const dataDir = "/data"

// hangMax is how long a step may take. It is no measure of speed: only what hangs takes so long.
const hangMax = 60 * time.Second

// ledger is what the client knows.
type ledger struct {
	mu     sync.Mutex
	dead   bool
	fate   map[int]fate // of transactions, by number
	tables fate         // of the statement that makes the tables
	log    []string     // steps and their errors, for a report
	buried atomic.Bool  // the engine ended the process
}

type fate int

const (
	none fate = iota
	acked
	refused // the error says that nothing happened
	maybe
)

func (l *ledger) note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = append(l.log, fmt.Sprintf(format, args...))
}

// set notes how a transaction ended. What is said after the end of the process is not heard.
func (l *ledger) set(n int, f fate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead {
		return
	}
	if n == 0 {
		l.tables = f
		return
	}
	l.fate[n] = f
}

func (l *ledger) die() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead = true
}

func (l *ledger) of(n int) fate {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fate[n]
}

func (l *ledger) isDead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dead
}

// Life is a script, and the state of the disk it begins with.
type Life struct {
	// Restart begins with what a crash left of an earlier life; otherwise the disk is empty.
	Restart bool
	// Second is the directory of an engine beside the LSM engine: the two tables are in different ones then. "" for none.
	Second string
	Seed   uint64

	image *crashfs.FS // of Restart
	base  ledger
}

// lsmKind is the engine that all stores have.
var lsmKind = lsm.Kind{CacheBytes: 1 << 20, MemTableBytes: 64 << 10}

// btreeKind has a delta that a move of a table fills, so that there are checkpoints in the background. It is larger than
// the largest batch of the script: Apply waits for a disk that fails for ever when a batch takes more than the half of the delta that is kept
// for what was promised its place in the log.
var btreeKind = btree.Kind{MapBytes: 64 << 20, DeltaKeys: 1800}

// engineDirs are the directories of all engines that a life may have.
var engineDirs = []string{"lsm", "second", "btree"}

// engines are those of the life's store.
func (l *Life) engines() []engine.Kind {
	switch l.Second {
	case "second":
		return []engine.Kind{lsmKind, crashtest.Again{Kind: lsmKind, As: "Second"}}
	case "btree":
		return []engine.Kind{lsmKind, btreeKind}
	}
	return []engine.Kind{lsmKind}
}

// options are of a small store with all its background work but no timers.
func options(fs store.Options) store.Options {
	fs.Dir, fs.ServerID = dataDir, 1
	fs.MaxBinlogSize = 32 << 10
	if fs.Engines == nil {
		fs.Engines = []engine.Kind{lsmKind}
	}
	fs.BinlogCacheSize, fs.LargeCommitThreshold, fs.WriteSetMemory = 512, 8<<10, 8<<10
	fs.CheckpointInterval = time.Hour
	fs.Logger = slog.New(slog.DiscardHandler)
	return fs
}

// session is a client of one store.
type session struct {
	s   *store.Store
	led *ledger
}

func (c *session) step(name string, err error) {
	if err != nil {
		c.led.note("%s: %v", name, err)
	}
}

func column(name string) catalog.ColumnDef {
	return catalog.ColumnDef{Name: name, SQLType: "int(11)", Type: mysql.MYSQL_TYPE_LONG, Collation: 63}
}

func define(id uint32, name string, e engine.Engine) *catalog.TableDef {
	return &catalog.TableDef{ID: id, DB: "test", Name: name, Engine: e.Name(),
		Columns: []catalog.ColumnDef{column("id"), column("k")},
		Primary: []catalog.IndexPart{{Column: 0}},
		Indexes: []catalog.IndexDef{{ID: 1, Name: "k", Parts: []catalog.IndexPart{{Column: 1}}}}, NextIndexID: 2,
	}
}

// tables makes both tables in one statement, in the first and in the last engine.
func (c *session) tables(ctx context.Context) {
	x := c.s.Txns().Begin(txn.Options{})
	engines := c.s.Engine().Engines()
	err := x.ChangeCatalog(catalog.Change{Databases: []catalog.DatabaseDef{{Name: "test"}},
		Tables: []*catalog.TableDef{define(x.NewTableID(), "a", engines[0]), define(x.NewTableID(), "b", engines[len(engines)-1])}})
	if err != nil {
		x.Rollback()
		c.led.set(0, refused)
		c.step("tables", err)
		return
	}
	x.SetDDL(event.Query{Schema: "test", SQL: "CREATE TABLES"})
	_, err = x.Commit(ctx)
	c.led.set(0, outcome(err))
	c.step("tables", err)
}

func outcome(err error) fate {
	switch {
	case err == nil:
		return acked
	case errors.Is(err, commit.ErrOutcomeUnknown):
		return maybe
	}
	return refused
}

// transact adds row n, and filler rows, to both tables, and raises the hot row of a to n.
func (c *session) transact(ctx context.Context, n, filler int) {
	x := c.s.Txns().Begin(txn.Options{})
	x.BeginStatement(fmt.Sprintf("transaction %d", n), true)
	err := c.changes(ctx, x, n, filler)
	if err != nil {
		x.Rollback()
		c.led.set(n, refused)
		c.step(fmt.Sprintf("transaction %d", n), err)
		return
	}
	x.EndStatement()
	c.led.set(n, maybe) // as long as there is no answer
	_, err = x.Commit(ctx)
	c.led.set(n, outcome(err))
	c.step(fmt.Sprintf("transaction %d", n), err)
}

// fillerBase is the first id of the rows that make a transaction large.
const fillerBase = 1_000_000

func (c *session) changes(ctx context.Context, x *txn.Txn, n, filler int) error {
	for _, name := range []string{"a", "b"} {
		tbl := x.Catalog().Table("test", name)
		if tbl == nil {
			return errors.New("there is no table")
		}
		ids := []int{n}
		for i := range filler {
			ids = append(ids, fillerBase+n*10_000+i)
		}
		for _, id := range ids {
			image, err := row.Encode(nil, tbl.Columns, values(tbl, id, n))
			if err == nil {
				err = x.Insert(ctx, tbl, image)
			}
			if err != nil {
				return err
			}
		}
	}
	tbl := x.Catalog().Table("test", "a")
	hot, err := row.Encode(nil, tbl.Columns, values(tbl, 0, n))
	if err != nil {
		return err
	}
	key, err := tbl.PrimaryKey(nil, hot)
	if err != nil {
		return err
	}
	before, ok, err := x.Get(ctx, tbl, key, txn.LockExclusive, txn.Wait)
	if err != nil {
		return err
	}
	if !ok {
		return x.Insert(ctx, tbl, hot)
	}
	return x.Update(ctx, tbl, key, slices.Clone(before), hot)
}

func values(tbl *catalog.Table, id, n int) []any {
	vals := []any{id, n}
	for len(vals) < len(tbl.Columns) {
		vals = append(vals, id)
	}
	return vals
}

// index adds an index to table b, or drops it.
func (c *session) index(ctx context.Context) {
	x := c.s.Txns().Begin(txn.Options{})
	tbl := x.Catalog().Table("test", "b")
	if tbl == nil {
		x.Rollback()
		return
	}
	def := *tbl.Def
	def.Indexes = slices.Clone(def.Indexes)
	err := func() error {
		if i := tbl.IndexByName("extra"); i >= 0 {
			def.Indexes = slices.Delete(def.Indexes, i, i+1)
			return nil
		}
		def.Indexes = append(def.Indexes, catalog.IndexDef{ID: def.NextIndexID, Name: "extra", Parts: []catalog.IndexPart{{Column: 1}, {Column: 0}}})
		def.NextIndexID++
		next, err := catalog.NewTable(&def, nil)
		if err != nil {
			return err
		}
		bulk, err := x.BulkWriter(next, false, []int{len(def.Indexes) - 1})
		if err != nil {
			return err
		}
		if err := c.copyRows(ctx, x, tbl, bulk); err != nil {
			return err
		}
		return bulk.Finish(ctx)
	}()
	if err == nil {
		err = x.ChangeCatalog(catalog.Change{Tables: []*catalog.TableDef{&def}})
	}
	if err != nil {
		x.Rollback()
		c.step("index", err)
		return
	}
	x.SetDDL(event.Query{Schema: "test", SQL: "ALTER TABLE b"})
	_, err = x.Commit(ctx)
	c.step("index", err)
}

// move copies table b into the next engine, if there are several.
func (c *session) move(ctx context.Context) {
	engines := c.s.Engine().Engines()
	x := c.s.Txns().Begin(txn.Options{})
	defer x.Rollback()
	tbl := x.Catalog().Table("test", "b")
	if len(engines) == 1 || tbl == nil {
		return
	}
	def := *tbl.Def
	def.ID = x.NewTableID()
	at := slices.IndexFunc(engines, func(e engine.Engine) bool { return e.Name() == def.Engine })
	def.Engine = engines[(at+1)%len(engines)].Name()
	err := func() error {
		next, err := catalog.NewTable(&def, nil)
		if err != nil {
			return err
		}
		all := make([]int, len(def.Indexes))
		for i := range all {
			all[i] = i
		}
		bulk, err := x.BulkWriter(next, true, all)
		if err != nil {
			return err
		}
		if err := c.copyImages(ctx, x, tbl, func(_, image []byte) error { return bulk.Add(nil, image) }); err != nil {
			return err
		}
		if err := bulk.Finish(ctx); err != nil {
			return err
		}
		if err := x.ChangeCatalog(catalog.Change{DropTables: []uint32{tbl.ID()}, Tables: []*catalog.TableDef{&def}}); err != nil {
			return err
		}
		x.SetDDL(event.Query{Schema: "test", SQL: "ALTER TABLE b ENGINE"})
		_, err = x.Commit(ctx)
		return err
	}()
	c.step("move", err)
}

func (c *session) copyRows(ctx context.Context, x *txn.Txn, tbl *catalog.Table, bulk *txn.BulkWriter) error {
	return c.copyImages(ctx, x, tbl, bulk.Add)
}

func (c *session) copyImages(ctx context.Context, x *txn.Txn, tbl *catalog.Table, add func(key, image []byte) error) error {
	cursor, err := x.Scan(ctx, txn.ScanSpec{Table: tbl, Index: -1, Mode: txn.Latest})
	if err != nil {
		return err
	}
	for cursor.Next() && err == nil {
		err = add(cursor.RowKey(), cursor.Image())
	}
	return errors.Join(err, cursor.Err(), cursor.Close())
}

// script is the life of a client. from is the number of its first transaction.
func (c *session) script(ctx context.Context, from int) {
	if from == 1 {
		c.tables(ctx)
	}
	for i := range 24 {
		n := from + i
		if c.led.isDead() {
			return
		}
		filler := 0
		if i == 9 {
			filler = 300
		}
		c.transact(ctx, n, filler)
		switch i {
		case 4, 16:
			c.step("rotate", c.s.Pipeline().Rotate())
		case 6, 12, 18:
			c.step("checkpoint", c.s.Checkpoint(ctx))
		case 7, 20:
			c.index(ctx)
		case 10, 21:
			c.move(ctx)
		case 19:
			_, err := c.s.Log().PurgeTo(c.s.Log().End().Segment)
			c.step("purge", err)
		}
	}
}

// Report is what a run did.
type Report struct {
	Reached bool   // there was such an operation
	Failed  string // which one it was
	Dead    bool   // the process ended
	Counts  [kinds]int
}

// Prepare makes the image of Restart: a crash with work for recovery.
func (l *Life) Prepare(ctx context.Context) error {
	l.base.fate = map[int]fate{}
	if !l.Restart {
		l.image = crashfs.New()
		return nil
	}
	fs := crashfs.New()
	s, err := store.Open(ctx, options(store.Options{FS: fs, Engines: l.engines()}))
	if err != nil {
		return err
	}
	c := &session{s: s, led: &l.base}
	c.script(ctx, 1)
	rng := rand.New(rand.NewPCG(l.Seed, 1))
	l.image = fs.Crash(crashfs.Loss{KeptPercent: 50, TornPercent: 20}, rng)
	return s.Close()
}

// engineDied reports whether it was the engine that called Fatal, out of the middle of its work.
func engineDied(err error) bool {
	return strings.HasPrefix(err.Error(), "lsm:") || strings.HasPrefix(err.Error(), "btree:")
}

// Run lives once with a fault, and then restarts on what is left.
func (l *Life) Run(ctx context.Context, f Fault) (Report, error) {
	rng := rand.New(rand.NewPCG(l.Seed, uint64(f.N)))
	base := l.image.Crash(crashfs.KeepAll, rng)
	d := &disk{FS: base, fault: f}
	led := &ledger{fate: map[int]fate{}, tables: l.base.tables}
	for n, was := range l.base.fate {
		led.fate[n] = was
	}
	dead := make(chan struct{})
	var once sync.Once
	o := options(store.Options{FS: d, Engines: l.engines(), Fatal: func(err error) {
		once.Do(func() {
			led.note("fatal: %v", err)
			led.die()
			d.kill()
			close(dead)
		})
		if engineDied(err) {
			led.buried.Store(true)
			select {} // nobody may go on with what it leaves behind: the process has ended
		}
	}})
	done := make(chan struct{})
	go func() {
		defer close(done)
		s, err := store.Open(ctx, o)
		if err != nil {
			led.note("open: %v", err)
			return
		}
		c := &session{s: s, led: led}
		from := 1
		if l.Restart {
			from = 100
		}
		c.script(ctx, from)
		if !led.buried.Load() { // an engine that died in the middle of its work cannot be closed
			c.step("close", s.Close())
		}
	}()
	timer := time.NewTimer(hangMax)
	defer timer.Stop()
	report := Report{}
	select {
	case <-done:
	case <-dead:
		report.Dead = true
	case <-timer.C:
		return report, fmt.Errorf("%v (%s): neither an answer nor the end of the process: %v", f, d.hit(), led.log)
	}
	led.die()
	d.kill()
	report.Failed, report.Reached = d.hit(), d.hit() != ""
	d.mu.Lock()
	report.Counts = d.counts
	d.mu.Unlock()
	for _, loss := range []crashfs.Loss{crashfs.KeepAll, {}, crashfs.RandomLoss(rng)} {
		if err := restart(ctx, base.Crash(loss, rng), led, l.engines()...); err != nil {
			return report, fmt.Errorf("%v (%s): restart after %+v: %w; before: %q", f, d.hit(), loss, err, led.log)
		}
	}
	return report, nil
}

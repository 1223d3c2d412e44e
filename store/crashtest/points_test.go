package crashtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/txn"
)

// definitionCases are the statements that change definitions. Each engine has two tables, one with a key and one without, as
// the table of the statement.
var definitionCases = []struct {
	name string
	run  func(ctx context.Context, w *worker, t *catalog.Table) error
}{
	{"CREATE TABLE", func(_ context.Context, w *worker, t *catalog.Table) error { return w.create("new" + t.Def.Name) }},
	{"DROP TABLE", func(_ context.Context, w *worker, t *catalog.Table) error { return w.drop(t) }},
	{"TRUNCATE", func(_ context.Context, w *worker, t *catalog.Table) error { return w.truncate(t) }},
	{"ADD COLUMN by copy", func(ctx context.Context, w *worker, t *catalog.Table) error { return w.addColumn(ctx, t) }},
	{"CREATE INDEX", func(ctx context.Context, w *worker, t *catalog.Table) error { return w.toggleIndex(ctx, t) }},
	{"DROP INDEX", func(_ context.Context, w *worker, t *catalog.Table) error {
		def := cloneDef(t.Def)
		def.Indexes = slices.Delete(def.Indexes, 0, 1)
		return w.change(catalog.Change{Tables: []*catalog.TableDef{def}}, "DROP INDEX n ON "+def.Name)
	}},
	{"RENAME", func(_ context.Context, w *worker, t *catalog.Table) error {
		def := cloneDef(t.Def)
		def.Name = "renamed"
		return w.change(catalog.Change{Tables: []*catalog.TableDef{def}}, "RENAME TABLE "+t.Def.Name)
	}},
	{"ENGINE", func(ctx context.Context, w *worker, t *catalog.Table) error { return w.moveTable(ctx, t) }},
	{"CREATE TABLE ... SELECT", func(ctx context.Context, w *worker, t *catalog.Table) error {
		if err := w.create("copy" + t.Def.Name); err != nil {
			return err
		}
		copied := w.t.Catalog().Table(database, "copy"+t.Def.Name)
		w.t.BeginStatement(w.sql("INSERT ... SELECT"), true)
		defer w.t.EndStatement()
		return w.rows(ctx, t, func(_, image []byte) error { return w.t.Insert(ctx, copied, bytes.Clone(image)) })
	}},
	{"DROP DATABASE", func(_ context.Context, w *worker, _ *catalog.Table) error {
		c := catalog.Change{DropDatabases: []string{database}}
		for _, t := range w.t.Catalog().AllTables() {
			c.DropTables = append(c.DropTables, t.ID())
		}
		return w.change(c, "DROP DATABASE "+database)
	}},
}

// stateOf is everything that a store holds, and that a restart leaves, but for its log and its counters.
func stateOf(ctx context.Context, lf *life) (string, error) {
	definitions, _, err := keysOf(lf.store.Engine().Engines()[0])
	if err != nil {
		return "", err
	}
	db, err := lf.readAll(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%q\n", definitions)
	for _, t := range lf.store.Catalog().Current().AllTables() {
		if lf.lab.volatile(t.Def.Engine) {
			continue
		}
		fmt.Fprintf(&b, "%s: %q %q\n", t.Def.Name, fmt.Sprint(db[t.ID()].rows), fmt.Sprint(db[t.ID()].bag))
	}
	return b.String(), nil
}

// points runs one statement again and again, and lets the power fail before each of its operations of the file system.
type points struct {
	lab   *lab
	base  *crashfs.FS
	table string
	run   func(ctx context.Context, w *worker, t *catalog.Table) error
	seed  uint64
	rng   *rand.Rand
	full  bool

	old, new string // what there is before and after
	crashes  int
	oldAfter int // crashes after which the old state was there
}

func (p *points) open(ctx context.Context, fs *crashfs.FS) (*life, error) {
	lf := newLife(p.lab, fs)
	opts := p.lab.opts
	opts.FS, opts.Engines = fs, p.lab.engines()
	var fatal error
	opts.Fatal = func(err error) { fatal = err }
	var err error
	lf.store, err = store.Open(ctx, opts)
	return lf, errors.Join(err, fatal)
}

// once lets the power fail before the k-th operation of the statement, and of the checkpoint and the shutdown after it; 0: not
// at all. It returns how many there were.
func (p *points) once(ctx context.Context, k int) (operations int, err error) {
	fs := p.base.Crash(crashfs.KeepAll, p.rng)
	lf, err := p.open(ctx, fs)
	if err != nil {
		return 0, err
	}
	closed := false
	defer func() {
		if !closed {
			err = errors.Join(err, lf.store.Close())
		}
	}()
	w := &worker{life: lf, rng: rand.New(rand.NewPCG(p.seed, 5))}
	if err := p.disarrange(ctx, w); err != nil {
		return 0, err
	}
	if p.old == "" {
		if p.old, err = stateOf(ctx, lf); err != nil {
			return 0, err
		}
	}
	var mu sync.Mutex
	var pictures []*crashfs.FS
	acked, ackedThen := false, false
	fs.SetHook(func(crashfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if operations++; operations != k {
			return nil
		}
		ackedThen = acked
		for _, loss := range p.losses(k) {
			pictures = append(pictures, fs.Crash(loss, p.rng))
		}
		return nil
	})
	done, err := p.statement(ctx, w)
	if err != nil {
		return 0, err
	}
	mu.Lock()
	acked = done
	mu.Unlock()
	if k == 0 {
		if p.new, err = stateOf(ctx, lf); err != nil {
			return 0, err
		}
	}
	if err := errors.Join(lf.store.Checkpoint(ctx), VerifyEngines(lf.store, false)); err != nil {
		return 0, err
	}
	closed = true
	if err := lf.store.Close(); err != nil {
		return 0, err
	}
	mu.Lock()
	defer mu.Unlock()
	for i, picture := range pictures {
		if err := p.recovered(ctx, picture, ackedThen, i); err != nil {
			return 0, fmt.Errorf("picture %d before operation %d: %w", i, k, err)
		}
	}
	return operations, nil
}

// losses are those of the crash before the k-th operation.
func (p *points) losses(k int) []crashfs.Loss {
	all := []crashfs.Loss{crashfs.KeepAll, crashfs.RandomLoss(p.rng), {}, crashfs.RandomLoss(p.rng)}
	if p.full {
		return all
	}
	return all[k%2*2:][:2]
}

// disarrange lets the engines have different marks.
func (p *points) disarrange(ctx context.Context, w *worker) error {
	engines := w.life.store.Engine().Engines()
	for i := range engines {
		w.begin(txn.Options{})
		for _, t := range w.t.Catalog().AllTables() {
			w.t.BeginStatement(w.sql("INSERT"), true)
			if err := w.insert(ctx, t, record{id: int64(1000 + i), n: int64(i), text: "late"}); err != nil {
				return err
			}
			w.t.EndStatement()
		}
		if err := w.commit(ctx); err != nil {
			return err
		}
		if i < len(engines)-1 {
			if _, err := engines[(i+int(p.seed))%len(engines)].Checkpoint(); err != nil {
				return err
			}
		}
	}
	return nil
}

// statement runs the statement, and reports whether it was done.
func (p *points) statement(ctx context.Context, w *worker) (done bool, err error) {
	w.begin(txn.Options{})
	defer w.t.Rollback()
	if err := w.lockName(ctx, p.table, txn.Exclusive); err != nil {
		return false, err
	}
	err = p.run(ctx, w, w.t.Catalog().Table(database, p.table))
	if errors.Is(err, errGiveUp) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = w.t.Commit(ctx)
	return err == nil, err
}

// recovered checks what is found after a crash: the old state or the new one, whole. The first start may lose its power, too.
func (p *points) recovered(ctx context.Context, fs *crashfs.FS, acked bool, i int) error {
	if i%2 == 1 {
		again := fs
		n, at := 0, 1+p.rng.IntN(60)
		var mu sync.Mutex
		loss, rng := crashfs.RandomLoss(p.rng), rand.New(rand.NewPCG(p.rng.Uint64(), 1))
		fs.SetHook(func(crashfs.Op) error {
			mu.Lock()
			defer mu.Unlock()
			if n++; n == at {
				again = fs.Crash(loss, rng)
			}
			return nil
		})
		lf, err := p.open(ctx, fs)
		if err != nil {
			return fmt.Errorf("first start: %w", err)
		}
		if err := lf.store.Close(); err != nil {
			return err
		}
		mu.Lock()
		again.SetHook(nil)
		fs = again
		mu.Unlock()
	}
	lf, err := p.open(ctx, fs)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	defer func() { _ = lf.store.Close() }() // what it may say was seen below
	p.crashes++
	state, err := stateOf(ctx, lf)
	if err != nil {
		return err
	}
	switch {
	case state == p.new:
	case acked:
		return fmt.Errorf("the statement was acknowledged and is gone: it is\n%s", state)
	case state == p.old:
		p.oldAfter++
	default:
		return fmt.Errorf("it is neither the old state nor the new one:\n%s\nold:\n%s\nnew:\n%s", state, p.old, p.new)
	}
	results, err := lf.store.CheckAll(ctx)
	for _, r := range results {
		if lf.lab.volatile(lf.store.Catalog().Current().Table(database, r.Table).Def.Engine) && r.Rows+r.Entries > 0 {
			err = errors.Join(err, fmt.Errorf("%s has %d rows after a restart", r.Table, r.Rows))
		}
		if !r.OK() {
			err = errors.Join(err, fmt.Errorf("%s: %q", r.Table, r.Problems))
		}
	}
	return errors.Join(err, VerifyEngines(lf.store, false), lf.store.Close())
}

// TestDefinitionsAtAllPoints lets the power fail before every operation of the file system of every statement that changes
// definitions, over several engines: what is found is the old state or the new one as a whole, in all engines, with nothing
// left over. With DURAMEN_TEST_SCALE=full more is tried at each point: other tables, other losses.
func TestDefinitionsAtAllPoints(t *testing.T) {
	full := os.Getenv("DURAMEN_TEST_SCALE") == "full"
	for _, names := range EngineSets {
		t.Run(strings.Join(names, ","), func(t *testing.T) {
			t.Parallel()
			o := new(Orphans)
			base, l := definitionsBase(t, names, slog.New(o))
			crashes, old, cases := 0, 0, 0
			for i, c := range definitionCases {
				tables := base.tables(names)
				seeds := 1
				if full {
					seeds = len(tables)
				}
				for seed := range uint64(seeds) {
					p := &points{lab: l, base: base.fs, run: c.run, seed: seed, table: tables[(i+int(seed))%len(tables)],
						rng: rand.New(rand.NewPCG(seed, uint64(i))), full: full}
					total, err := p.once(t.Context(), 0)
					require.NoError(t, err, c.name)
					for k := 1; k <= total; k++ {
						_, err := p.once(t.Context(), k)
						require.NoError(t, err, "%s of %s, seed %d", c.name, p.table, seed)
					}
					crashes, old, cases = crashes+p.crashes, old+p.oldAfter, cases+1
				}
			}
			require.Positive(t, old)
			require.Less(t, old, crashes)
			require.Positive(t, o.Found(), "nothing was ever half built")
			t.Logf("%d statements, %d crashes, %d with the old state, %d orphans removed", cases, crashes, old, o.Found())
		})
	}
}

type definitionBase struct{ fs *crashfs.FS }

func (definitionBase) tables(names []string) (tables []string) {
	for i := range names {
		tables = append(tables, fmt.Sprintf("t%d", i), fmt.Sprintf("k%d", i))
	}
	return tables
}

// definitionsBase is a store with two tables in each engine, as a crash has left it.
func definitionsBase(t *testing.T, names []string, logger *slog.Logger) (definitionBase, *lab) {
	l := newLab(Config{Seed: 1, Engines: names, Logger: logger}, 5)
	l.drawOptions(64 << 10)
	syncs := uint64(1)
	l.opts.SyncBinlog, l.opts.SyncMethod, l.opts.SyncInterval = &syncs, 0, time.Hour
	l.lsm.NoCompactions = true
	fs := crashfs.New()
	p := &points{lab: l}
	lf, err := p.open(t.Context(), fs)
	require.NoError(t, err)
	w := &worker{life: lf, rng: rand.New(rand.NewPCG(1, 1))}
	require.NoError(t, lf.createDatabase(t.Context()))
	base := definitionBase{}
	w.begin(txn.Options{})
	var c catalog.Change
	for i, name := range base.tables(names) {
		def := newDef(w.t.NewTableID(), name, isKeyless(name))
		def.Engine = names[i/2]
		c.Tables = append(c.Tables, def)
	}
	require.NoError(t, w.change(c, "CREATE TABLES"))
	require.NoError(t, w.commit(t.Context()))
	w.begin(txn.Options{})
	for _, tbl := range w.t.Catalog().AllTables() {
		w.t.BeginStatement(w.sql("INSERT"), true)
		for id := range int64(12) {
			require.NoError(t, w.insert(t.Context(), tbl, record{id: id + 1, n: id * 7 % 5, u: id, text: string(bytes.Repeat([]byte{'r'}, int(id)*20))}))
		}
		w.t.EndStatement()
	}
	require.NoError(t, w.commit(t.Context()))
	base.fs = fs.Crash(crashfs.KeepAll, l.rng)
	require.NoError(t, lf.store.Close())
	return base, l
}

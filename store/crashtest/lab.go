package crashtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/sabotage"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/txn"
)

// Config is one run of the laboratory.
type Config struct {
	Seed uint64
	// Lives is how many times the store is opened; every life but the last ends with a crash. 0 means 3.
	Lives int
	// Sabotage makes the store wrong: the run should fail.
	Sabotage sabotage.Kind
	// Relaxed allows sync_binlog other than 1.
	Relaxed bool
	// KeepDir is where the file system that could not be recovered, or not
	// rightly, is written to, as it was before; "" for nowhere.
	KeepDir string
	// Logger gets what the store logs; nil: nothing.
	Logger *slog.Logger
}

const dataDir = "/data"

// lab is a run: several lives of one data directory.
type lab struct {
	cfg  Config
	rng  *rand.Rand
	opts store.Options // drawn once per run
	ids  atomic.Int64
	tags atomic.Int64

	history []*commit // what is in the log, in log order
	// maybe holds, by tag, transactions that were being committed when the process
	// died: recovery decides about them.
	maybe map[int64][]change
	// hotSeen: by table, the highest value of the hot row that a reader saw before a crash.
	hotSeen map[uint32]int64
	report  string // of the options drawn, for errors
	stats   Stats
}

// Stats tell what a run did, so that nobody mistakes an idle laboratory for a safe store.
type Stats struct {
	Committed int // transactions
	Recovered int // of these, found after a crash
	Refused   int // by a full or broken disk
	GaveUp    int // rolled back: deadlock, lock wait timeout, duplicate in a new index, ...
	EarlyDies int // crashes while the store was being opened
	Fatal     int // lives ended by a broken disk
	Maybe     int // transactions that were being committed then, and were found afterwards
}

// Add sums up two runs.
func (s *Stats) Add(o Stats) {
	s.Committed += o.Committed
	s.Recovered += o.Recovered
	s.Refused += o.Refused
	s.GaveUp += o.GaveUp
	s.EarlyDies += o.EarlyDies
	s.Fatal += o.Fatal
	s.Maybe += o.Maybe
}

// Run lets a store live and crash Lives times. Everything random comes from the seed; how
// goroutines interleave does not. The error tells what went wrong.
func Run(ctx context.Context, cfg Config) (Stats, error) {
	if cfg.Lives == 0 {
		cfg.Lives = 3
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	l := &lab{cfg: cfg, rng: rand.New(rand.NewPCG(cfg.Seed, 1)), hotSeen: map[uint32]int64{}, maybe: map[int64][]change{}}
	l.drawOptions()
	mem := vfs.NewCrashableMem()
	for n := range cfg.Lives {
		last := n == cfg.Lives-1
		var kept *vfs.MemFS
		if cfg.KeepDir != "" { // as it is before recovery changes it
			kept = mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(0, 0))})
		}
		next, err := l.live(ctx, mem, last)
		if err != nil {
			err = fmt.Errorf("seed %d, life %d (%s): %w", cfg.Seed, n+1, l.report, err)
			if kept != nil {
				err = errors.Join(err, save(kept, dataDir, cfg.KeepDir))
			}
			return l.stats, err
		}
		mem = next
	}
	return l.stats, nil
}

// drawOptions chooses how the store is set up.
func (l *lab) drawOptions() {
	syncs := uint64(1)
	if l.cfg.Relaxed && l.rng.IntN(4) == 0 {
		syncs = []uint64{0, 2, 5}[l.rng.IntN(3)]
	}
	sizes := []int64{16 << 10, 64 << 10, 256 << 10}
	l.opts = store.Options{
		Dir: dataDir, ServerID: 1, SyncBinlog: &syncs, SyncInterval: 5 * time.Millisecond,
		MaxBinlogSize: sizes[l.rng.IntN(len(sizes))], NoPreallocate: l.rng.IntN(4) == 0,
		CacheSize: 1 << 20, MemTableSize: 256 << 10,
		MaxRowsEventBytes:  64 << l.rng.IntN(8),
		CheckpointInterval: time.Hour, // the laboratory makes its own
		Logger:             l.cfg.Logger,
		SabotageForTesting: l.cfg.Sabotage,
	}
	l.report = fmt.Sprintf("sync_binlog=%d max_binlog_size=%d preallocate=%v", syncs, l.opts.MaxBinlogSize, !l.opts.NoPreallocate)
}

// life is the time between two crashes.
type life struct {
	lab   *lab
	fs    *crashFS
	store *store.Store

	dead    chan struct{} // closed when the store called Fatal
	dieOnce sync.Once

	mu struct {
		sync.Mutex
		crashed bool
		commits []*commit
		// inFlight are the transactions in Commit, by tag.
		inFlight map[int64][]change
		refused  int
		gaveUp   int
	}
}

// live opens the store in mem, checks it against the history, works with it
// until the crash, and returns what the crash left.
func (l *lab) live(ctx context.Context, mem *vfs.MemFS, last bool) (*vfs.MemFS, error) {
	lf := &life{lab: l}
	lf.mu.inFlight = map[int64][]change{}
	crashAt := int64(0)
	if !last {
		crashAt = 1 + l.rng.Int64N([]int64{60, 400, 1500}[l.rng.IntN(3)])
	}
	unsynced := []int{0, 20, 50, 80, 100}[l.rng.IntN(5)]
	crashRNG := rand.New(rand.NewPCG(l.cfg.Seed, l.rng.Uint64()))
	lf.fs = newCrashFS(mem, crashAt, unsynced, crashRNG, lf.onCrash)
	lf.dead = make(chan struct{})
	opts := l.opts
	opts.FS, opts.Fatal = lf.fs, lf.die
	s, err := store.Open(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	lf.store = s
	if lf.fs.crashed.Load() {
		l.stats.EarlyDies++
	}
	err = lf.verifyRecovered(ctx)
	l.stats.Recovered += len(l.history)
	if err == nil && !last {
		err = lf.work(ctx)
	}
	if lf.isDead() {
		if err != nil {
			return nil, err
		}
		lf.bury()
		return <-lf.fs.image, nil
	}
	if err == nil && l.rng.IntN(4) == 0 {
		err = lf.verify(ctx, append(l.history[:len(l.history):len(l.history)], lf.sorted()...))
	}
	crashBeforeClose := l.rng.IntN(2) == 0
	if crashBeforeClose {
		lf.fs.crash()
	}
	if cerr := s.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("close: %w", cerr)
	}
	lf.fs.crash()
	if lf.isDead() {
		err = errors.Join(err, errors.New("the process died though nothing was broken"))
	}
	if err != nil {
		return nil, err
	}
	lf.bury()
	return <-lf.fs.image, nil
}

// bury takes over what a life leaves behind.
func (lf *life) bury() {
	l, commits := lf.lab, lf.sorted()
	lf.mu.Lock()
	defer lf.mu.Unlock()
	l.history = append(l.history, commits...)
	maps.Copy(l.maybe, lf.mu.inFlight)
	l.stats.Committed += len(commits)
	l.stats.Refused += lf.mu.refused
	l.stats.GaveUp += lf.mu.gaveUp
	if lf.isDead() {
		l.stats.Fatal++
	}
}

// die is what the store calls to end the process. It never returns, so
// whoever depends on the caller hangs for ever, like the threads of a dead process.
func (lf *life) die(error) {
	lf.fs.crash()
	lf.dieOnce.Do(func() { close(lf.dead) })
	select {}
}

func (lf *life) isDead() bool {
	select {
	case <-lf.dead:
		return true
	default:
		return false
	}
}

// onCrash is called right before the picture is taken: what returns to a
// client from now on is too late to count as acknowledged.
func (lf *life) onCrash() {
	lf.mu.Lock()
	defer lf.mu.Unlock()
	lf.mu.crashed = true
}

// committing notes a transaction that is about to call Commit.
func (lf *life) committing(tag int64, changes []change) {
	lf.mu.Lock()
	defer lf.mu.Unlock()
	lf.mu.inFlight[tag] = changes
}

// committed notes that Commit returned; a zero end says that nothing was logged.
func (lf *life) committed(tag int64, info txn.CommitInfo) {
	lf.mu.Lock()
	defer lf.mu.Unlock()
	changes := lf.mu.inFlight[tag]
	delete(lf.mu.inFlight, tag)
	if info.End == (engine.Position{}) {
		return
	}
	lf.mu.commits = append(lf.mu.commits, &commit{end: info.End, gtid: info.GTID, changes: changes,
		acked: !lf.mu.crashed && *lf.lab.opts.SyncBinlog == 1})
}

func (lf *life) count(n *int) {
	lf.mu.Lock()
	defer lf.mu.Unlock()
	*n++
}

func (lf *life) nextID() int64 { return 10_000 + lf.lab.ids.Add(1) }

// work runs workers, and disturbs them, until they are done or the crash comes.
func (lf *life) work(ctx context.Context) error {
	rng := lf.lab.rng
	workers := 1 + rng.IntN(6)
	transactions := 5 + rng.IntN(200/workers)
	lf.lab.report += fmt.Sprintf(" [%d x %d, crash at %d]", workers, transactions, lf.fs.crashAt)
	if err := lf.createDatabase(ctx); err != nil {
		return err
	}
	lf.flushAtWorstMoment(rand.New(rand.NewPCG(4, rng.Uint64())))
	defer lf.fs.beforeLogSync.Store(nil)
	switch rng.IntN(8) {
	case 0:
		lf.fs.brokenFrom.Store(lf.fs.ops.Load() + 1 + rng.Int64N(800))
		defer lf.fs.brokenFrom.Store(0)
	case 1, 2:
		from := lf.fs.ops.Load() + rng.Int64N(600)
		lf.fs.fullFrom.Store(from)
		lf.fs.fullTables.Store(rng.Int64N(4) / 3)
		lf.fs.fullTo.Store(from + rng.Int64N(300))
		defer lf.fs.fullTo.Store(0)
	}
	errs := make(chan error, workers+2)
	var wg, disturbers sync.WaitGroup
	for i := range workers {
		w := &worker{life: lf, id: i, rng: rand.New(rand.NewPCG(lf.lab.cfg.Seed, rng.Uint64()))}
		wg.Go(func() { errs <- w.run(ctx, transactions) })
	}
	done := make(chan struct{})
	disturbRNG, readRNG := rand.New(rand.NewPCG(1, rng.Uint64())), rand.New(rand.NewPCG(2, rng.Uint64()))
	disturbers.Go(func() { errs <- lf.disturb(ctx, disturbRNG, done) })
	disturbers.Go(func() { errs <- lf.read(ctx, readRNG, done) })
	finished := make(chan error, 1)
	go func() {
		wg.Wait()
		close(done)
		disturbers.Wait()
		var err error
		for range workers + 2 {
			err = errors.Join(err, <-errs)
		}
		finished <- err
	}()
	select {
	case err := <-finished:
		return err
	case <-lf.dead:
		return nil
	}
}

// flushAtWorstMoment lets the engine flush, as it may at any time, right between
// the write of a group and its sync.
func (lf *life) flushAtWorstMoment(rng *rand.Rand) {
	if *lf.lab.opts.SyncBinlog != 1 {
		return // the flush would have to wait for the sync that waits for it
	}
	var mu sync.Mutex
	lf.fs.beforeLogSync.Store(new(func() {
		mu.Lock()
		flush := rng.IntN(6) == 0
		mu.Unlock()
		if flush && !lf.fs.crashed.Load() {
			_, _ = lf.store.Engine().Checkpoint() // a failure shows in what is recovered
		}
	}))
}

// createDatabase makes the database in a new data directory.
func (lf *life) createDatabase(ctx context.Context) error {
	if lf.store.Catalog().Current().Database(database) != nil {
		return nil
	}
	w := &worker{life: lf, rng: rand.New(rand.NewPCG(lf.lab.cfg.Seed, 3))}
	w.begin(txn.Options{})
	if err := w.change(catalog.Change{Databases: []catalog.DatabaseDef{{Name: database}}}, "CREATE DATABASE "+database); err != nil {
		return err
	}
	return w.commit(ctx)
}

// disturb makes checkpoints, rotates and purges the log now and then.
func (lf *life) disturb(ctx context.Context, rng *rand.Rand, done <-chan struct{}) error {
	for {
		select {
		case <-done:
			return nil
		case <-time.After(time.Duration(rng.IntN(2000)) * time.Microsecond):
		}
		if lf.fs.crashed.Load() {
			return nil
		}
		var err error
		switch n := rng.IntN(10); {
		case n < 6 || lf.lab.cfg.Sabotage != sabotage.None:
			err = lf.store.Checkpoint(ctx)
		case n < 9:
			err = lf.store.Pipeline().Rotate()
		default:
			_, err = lf.store.Log().PurgeTo(lf.store.Log().End().Segment)
		}
		if err != nil && !refused(err) {
			return fmt.Errorf("disturbance: %w", err)
		}
	}
}

package crashtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/commit/protocol"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/store"
)

// freeLife is a life whose goroutines run as the runtime lets them: it meets interleavings of
// memory accesses that the exact laboratory cannot, and disks that are full or broken.
type freeLife struct {
	*life
	ops     atomic.Int64 // operations of the file system so far
	crashAt int64        // the crash is before this operation, counted from 1; 0: only by crash
	rng     *rand.Rand   // of the crash
	loss    crashfs.Loss
	once    sync.Once
	image   *crashfs.FS // what the crash left

	// fullFrom and fullTo bound the operations, by number, during which the disk
	// is full: no new file of log or engine, no preallocation.
	fullFrom, fullTo atomic.Int64
	// fullTables is how many table files of the engine cannot be created then.
	// The engine waits after each before it tries again.
	fullTables atomic.Int64
	// brokenFrom is the operation, by number, from which on writes and syncs of
	// the live log fail; 0 for never.
	brokenFrom atomic.Int64
	// logBroke: one of them has failed.
	logBroke atomic.Bool
	// sick is a disk of one engine that fails by itself, from an operation on.
	sick struct {
		from atomic.Int64 // 0: never
		left atomic.Int64 // operations that will fail
		dir  string       // these three are set before from
		kind crashfs.Kind
		err  syscall.Errno
	}
	// beforeLogSync is called ahead of every sync of a log file.
	beforeLogSync atomic.Pointer[func()]

	dead    chan struct{} // closed when the store called Fatal
	dieOnce sync.Once
}

// RunFree lets a store live and crash Lives times. Everything random comes from the seed; how
// goroutines interleave does not. The error tells what went wrong.
func RunFree(ctx context.Context, cfg Config) (Stats, error) {
	l := newLab(cfg, 1)
	l.drawOptions(16<<10, 64<<10, 256<<10)
	fs := crashfs.New()
	for n := range l.cfg.Lives {
		before := fs.Crash(crashfs.KeepAll, l.rng) // recovery changes it
		next, err := l.liveFreely(ctx, fs, n == l.cfg.Lives-1)
		if err != nil {
			err = fmt.Errorf("seed %d, life %d (%s): %w", cfg.Seed, n+1, l.report, err)
			if cfg.KeepDir != "" {
				err = errors.Join(err, before.Save(dataDir, cfg.KeepDir))
			}
			return l.stats, err
		}
		fs = next
	}
	return l.stats, nil
}

// liveFreely opens the store, checks it against what is known, works with it
// until the crash, and returns what the crash left.
func (l *lab) liveFreely(ctx context.Context, fs *crashfs.FS, last bool) (*crashfs.FS, error) {
	if err := l.noteMarks(fs); err != nil {
		return nil, err
	}
	lf := &freeLife{life: newLife(l, fs), dead: make(chan struct{}), loss: crashfs.RandomLoss(l.rng), rng: l.newRNG()}
	if !last {
		lf.crashAt = 1 + l.rng.Int64N([]int64{60, 400, 1500}[l.rng.IntN(3)])
	}
	fs.SetTruncate(l.rng.IntN(2) == 0)
	fs.SetHook(lf.hook)
	opts := l.opts
	opts.FS, opts.Fatal, opts.Engines = fs, lf.die, l.engines()
	s, err := store.Open(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	lf.store = s
	if lf.crashed() {
		l.stats.Opening++
	}
	err = lf.verifyRecovered(ctx)
	if err == nil && !last {
		err = lf.work(ctx)
	}
	if lf.isDead() {
		if err != nil {
			return nil, err
		}
		return lf.bury()
	}
	// A RESET MASTER after the picture is not in the model.
	if l.rng.IntN(4) == 0 && err == nil && !(l.resets && lf.crashed()) {
		err = lf.verify(ctx, append(l.history[:len(l.history):len(l.history)], lf.sorted()...))
	}
	crashBeforeClose := l.rng.IntN(2) == 0
	if crashBeforeClose {
		lf.crash()
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case cerr := <-closed:
		// A disk that broke when the work was done is met by what the log does in the background, and by Close.
		if err == nil && cerr != nil && !(lf.logBroke.Load() && errors.Is(cerr, binlog.ErrSyncFailed)) {
			err = fmt.Errorf("close: %w", cerr)
		}
	case <-lf.dead:
	}
	lf.crash()
	if lf.isDead() && !lf.logBroke.Load() {
		err = errors.Join(err, errors.New("the process died though nothing was broken"))
	}
	if err != nil {
		return nil, err
	}
	return lf.bury()
}

// bury takes over what a life leaves behind.
func (lf *freeLife) bury() (*crashfs.FS, error) {
	lf.count()
	lf.lab.knowledge = lf.known()
	if lf.isDead() {
		lf.lab.stats.Fatal++
	}
	return lf.image, nil
}

// crash takes the picture now, unless it was taken already. The life then goes on as if nothing had
// happened, but what comes later does not count.
func (lf *freeLife) crash() {
	lf.once.Do(func() {
		lf.onCrash()
		lf.image = lf.fs.Crash(lf.loss, lf.rng)
	})
}

// die is what the store calls to end the process. It never returns, so
// whoever depends on the caller hangs for ever, like the threads of a dead process.
func (lf *freeLife) die(error) {
	lf.crash()
	lf.dieOnce.Do(func() { close(lf.dead) })
	select {}
}

func (lf *freeLife) isDead() bool {
	select {
	case <-lf.dead:
		return true
	default:
		return false
	}
}

// hook is called before every operation of the file system.
func (lf *freeLife) hook(op crashfs.Op) error {
	log := strings.HasPrefix(path.Base(op.Name), "binlog.")
	if before := lf.beforeLogSync.Load(); before != nil && log && op.Kind == crashfs.Sync {
		(*before)()
	}
	n := lf.ops.Add(1)
	if n == lf.crashAt {
		lf.crash()
	}
	if n >= lf.fullFrom.Load() && n < lf.fullTo.Load() && lf.needsSpace(op, log || strings.HasPrefix(path.Base(op.Name), "redo.")) {
		return syscall.ENOSPC
	}
	if from := lf.sick.from.Load(); from > 0 && n >= from && op.Kind == lf.sick.kind && strings.HasPrefix(op.Name, lf.sick.dir) && lf.sick.left.Add(-1) >= 0 {
		lf.failing.Store(true)
		lf.saw(lf.sick.err.Error() + " for one engine: " + op.Kind.String())
		return lf.sick.err
	}
	if from := lf.brokenFrom.Load(); from == 0 || n < from || !log || isZeros(op.Data) {
		return nil
	}
	switch op.Kind {
	case crashfs.Write:
		lf.logBroke.Store(true)
		return &crashfs.ShortWrite{N: len(op.Data) / 2, Err: syscall.EIO}
	case crashfs.Sync:
		lf.logBroke.Store(true)
		return syscall.EIO
	}
	return nil
}

// needsSpace tells what a full disk refuses. log: it is a file of the binary log or of a redo log.
func (lf *freeLife) needsSpace(op crashfs.Op, log bool) bool {
	switch {
	case op.Kind == crashfs.Create && log:
		// A file system without truncation cuts files by copying (.cut); a real one needs no space for that.
		return !strings.HasSuffix(op.Name, ".cut")
	case op.Kind == crashfs.Create && strings.HasSuffix(op.Name, ".sst"):
		refused := lf.fullTables.Add(-1) >= 0
		if refused {
			lf.failing.Store(true)
		}
		return refused
	case op.Kind == crashfs.Write && log:
		return isZeros(op.Data)
	}
	return false
}

// isZeros tells preallocation from other writes.
func isZeros(p []byte) bool {
	const preallocationMin = 512
	return len(p) >= preallocationMin && len(bytes.Trim(p, "\x00")) == 0
}

// work runs workers, and disturbs them, until they are done or the crash comes.
func (lf *freeLife) work(ctx context.Context) error {
	rng := lf.lab.rng
	workers := 1 + rng.IntN(6)
	transactions := 5 + rng.IntN(200/workers)
	lf.lab.report += fmt.Sprintf(" [%d x %d, crash at %d]", workers, transactions, lf.crashAt)
	if err := lf.prepare(ctx); err != nil {
		return err
	}
	lf.flushAtWorstMoment(rand.New(rand.NewPCG(4, rng.Uint64())))
	defer lf.beforeLogSync.Store(nil)
	switch rng.IntN(8) {
	case 0:
		lf.brokenFrom.Store(lf.ops.Load() + 1 + rng.Int64N(800))
		defer lf.brokenFrom.Store(0)
	case 1, 2:
		from := lf.ops.Load() + rng.Int64N(600)
		lf.fullFrom.Store(from)
		lf.fullTables.Store(rng.Int64N(4) / 3)
		lf.fullTo.Store(from + rng.Int64N(300))
		defer lf.fullTo.Store(0)
	case 3, 4, 5:
		if lf.lab.several() {
			lf.sicken(rng)
			defer lf.sick.from.Store(0)
		}
	}
	errs := make(chan error, workers+2)
	var wg, disturbers sync.WaitGroup
	for i := range workers {
		w := &worker{life: lf.life, id: i, rng: lf.lab.newRNG()}
		wg.Go(func() {
			err := w.run(ctx, transactions)
			if errors.Is(err, errDying) {
				<-lf.dead
				err = nil
			}
			errs <- err
		})
	}
	done := make(chan struct{})
	disturbRNG, readRNG := rand.New(rand.NewPCG(1, rng.Uint64())), rand.New(rand.NewPCG(2, rng.Uint64()))
	disturbers.Go(func() { errs <- lf.disturbUntil(ctx, disturbRNG, done) })
	disturbers.Go(func() { errs <- lf.readUntil(ctx, readRNG, done) })
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

// sicken lets the disk of one engine fail soon, for a few operations.
func (lf *freeLife) sicken(rng *rand.Rand) {
	kinds := lf.lab.engines()
	s := &lf.sick
	s.dir = lf.fs.PathJoin(dataDir, kinds[rng.IntN(len(kinds))].Dir()) + "/"
	s.kind = []crashfs.Kind{crashfs.Create, crashfs.Write, crashfs.Sync}[rng.IntN(3)]
	s.err = []syscall.Errno{syscall.EIO, syscall.ENOSPC}[rng.IntN(2)]
	s.left.Store(1 + rng.Int64N(4))
	s.from.Store(lf.ops.Load() + 1 + rng.Int64N(300))
}

// flushAtWorstMoment lets the engine flush, as it may at any time, right between
// the write of a group and its sync.
func (lf *freeLife) flushAtWorstMoment(rng *rand.Rand) {
	if *lf.lab.opts.SyncBinlog != 1 || lf.lab.changing {
		return // the flush would have to wait for the sync that waits for it
	}
	if lf.lab.cfg.Protocol == protocol.Engine {
		return // a checkpoint syncs these files itself, and would wait for itself
	}
	var mu sync.Mutex
	lf.beforeLogSync.Store(new(func() {
		mu.Lock()
		flush := rng.IntN(6) == 0
		mu.Unlock()
		if flush && !lf.crashed() {
			_, _ = lf.store.Engine().Checkpoint() // a failure shows in what is recovered
		}
	}))
}

// disturbUntil makes checkpoints, rotates and purges the log now and then.
func (lf *freeLife) disturbUntil(ctx context.Context, rng *rand.Rand, done <-chan struct{}) error {
	for {
		select {
		case <-done:
			return nil
		case <-time.After(time.Duration(rng.IntN(2000)) * time.Microsecond):
		}
		if lf.crashed() {
			return nil
		}
		if err := lf.disturb(ctx, rng); err != nil {
			return err
		}
	}
}

// readUntil is a client that only reads, while others work.
func (lf *freeLife) readUntil(ctx context.Context, rng *rand.Rand, done <-chan struct{}) error {
	for {
		select {
		case <-done:
			return nil
		default:
		}
		if lf.crashed() {
			return nil
		}
		if err := lf.read(ctx, rng); err != nil {
			return fmt.Errorf("reader: %w", err)
		}
	}
}

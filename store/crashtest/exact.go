package crashtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/store"
)

// ExactConfig is one run of the exact laboratory.
type ExactConfig struct {
	Config
	// Begin is when the run begins, by the bubble's clock: timestamps are a part of what repeats.
	Begin time.Time
	// Trace gets a line for each step of the run; nil: nowhere.
	Trace io.Writer
}

// ExactResult is what a run did. Two runs of a seed have the same.
type ExactResult struct {
	Stats
	// Trace is a checksum of all operations of the file system and steps of clients, in their order, and Images one of all
	// crashed file systems.
	Trace, Images uint64
}

// RunExact lets a store live and crash, exactly the same way each time it is run with a seed. It has to run in
// a bubble of testing/synctest, with GOMAXPROCS=1 and without garbage collection; see scheduler.
//
// A life may crash several times: each picture that is taken is recovered and checked, and
// the life after it begins with the last one.
func RunExact(ctx context.Context, cfg ExactConfig) (ExactResult, error) {
	time.Sleep(time.Until(cfg.Begin))
	x := &exact{lab: newLab(cfg.Config, 2), trace: cfg.Trace}
	fs := crashfs.New()
	var err error
	engines := x.cfg.Engines
	late := x.several() && x.rng.IntN(4) == 0
	for n := range x.cfg.Lives {
		if x.cfg.Engines = engines; late && n == 0 {
			x.cfg.Engines = engines[:1]
			x.stats.see("engines that came into the directory later", 1)
		}
		x.drawOptions(4<<10, 8<<10, 16<<10, 64<<10)
		var pictures []picture
		if pictures, err = x.live(ctx, fs); err != nil {
			err = x.failed(n+1, "", fs, err)
			break
		}
		var last picture
		for i, p := range pictures {
			x.result.Images = x.result.Images*31 + p.fs.Hash(differs)
			if last = p; i == len(pictures)-1 && n < x.cfg.Lives-1 {
				break // the next life checks it
			}
			kept := p.fs.Crash(crashfs.KeepAll, x.rng)
			if err = x.check(ctx, p); err != nil {
				err = x.failed(n+1, p.when, kept, err)
				break
			}
		}
		if err != nil {
			break
		}
		fs, x.knowledge = last.fs, last.known
	}
	x.result.Stats = x.stats
	return x.result, err
}

// exact is a run of the exact laboratory.
type exact struct {
	*lab
	trace  io.Writer
	result ExactResult
	fatal  error // what the store called Fatal with
}

// picture is a crashed file system, with what was known then.
type picture struct {
	fs    *crashfs.FS
	known knowledge
	when  string
}

func (x *exact) failed(life int, when string, fs *crashfs.FS, err error) error {
	err = fmt.Errorf("seed %d, life %d %s (%s): %w", x.cfg.Seed, life, when, x.report, err)
	if x.cfg.KeepDir != "" {
		err = errors.Join(err, fs.Save(dataDir, x.cfg.KeepDir))
	}
	return err
}

// check opens what a crash left, without another crash, and verifies it.
func (x *exact) check(ctx context.Context, p picture) error {
	x.knowledge = p.known
	lf := newLife(x.lab, p.fs)
	if err := x.noteMarks(p.fs); err != nil {
		return err
	}
	s, err := x.open(ctx, p.fs, nil)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	lf.store = s
	x.stats.Crashes++
	if err := lf.verifyRecovered(ctx); err != nil {
		return errors.Join(err, s.Close())
	}
	if err := s.Close(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

func (x *exact) open(ctx context.Context, fs *crashfs.FS, woken func(context.Context)) (*store.Store, error) {
	opts := x.opts
	opts.FS, opts.WokenForTesting = fs, woken
	x.lsm.NoCompactions = true
	opts.Engines = x.engines()
	opts.Fatal = func(err error) { x.fatal = fmt.Errorf("the process died though nothing was broken: %w", err) }
	return store.Open(ctx, opts)
}

// plan says when a life's pictures are taken.
type plan struct {
	rng    *rand.Rand
	next   int // the next picture is taken before this operation
	left   int // pictures to take
	phase  string
	images []picture
	// soon: something rare has begun, in another goroutine.
	soon atomic.Bool
}

// draw chooses how many operations from now the next picture is taken.
func (p *plan) draw(now int, within ...int) {
	p.next = now + 1 + p.rng.IntN(within[p.rng.IntN(len(within))])
}

// live opens the store, checks it, works with it, and returns the pictures that were taken.
func (x *exact) live(ctx context.Context, fs *crashfs.FS) ([]picture, error) {
	lf := newLife(x.lab, fs)
	if err := x.noteMarks(fs); err != nil {
		return nil, err
	}
	sched := newScheduler(x.newRNG())
	sched.log = x.trace
	sched.operationsFirst = []int{96, 85, 60, 25}[x.rng.IntN(4)]
	// Not at the same time as any other timer: those of one moment fire in a random order.
	sched.tick = x.opts.SyncInterval + 137*time.Microsecond
	p := &plan{rng: x.newRNG(), left: 1 + x.rng.IntN(4), phase: "opening"}
	p.draw(0, 40, 150, 500)
	imageRNG := x.newRNG()
	fs.SetTruncate(x.rng.IntN(2) == 0)
	fs.SetHook(sched.op)
	take := func() {
		loss := crashfs.RandomLoss(imageRNG)
		p.images = append(p.images, picture{fs.Crash(loss, imageRNG), lf.known(), fmt.Sprintf("crash %d %s before operation %d", len(p.images)+1, p.phase, sched.ops)})
		switch p.phase {
		case "opening":
			x.stats.Opening++
		case "closing":
			x.stats.Closing++
		}
		if p.left--; p.left == 0 {
			lf.onCrash()
			sched.free.Store(true)
		}
	}
	sched.beforeOp = func(n int) {
		if p.soon.Swap(false) && p.rng.IntN(3) == 0 {
			p.next = min(p.next, n+p.rng.IntN(25))
		}
		if n == p.next {
			p.draw(n, 3, 20, 120)
			take()
		}
	}
	lf.step = func(ctx context.Context) error {
		sched.step(ctx)
		if lf.crashed() {
			return errGiveUp
		}
		return nil
	}
	lf.soon = func() { p.soon.Store(true) }
	err := sched.run(ctx, "open", func(ctx context.Context) (err error) {
		lf.store, err = x.open(ctx, fs, sched.step)
		return err
	})
	if err != nil {
		return nil, err // the file system was not closed: nothing goes on in it, it was never opened
	}
	x.stats.Crashes++
	err = sched.run(ctx, "verify", lf.verifyRecovered)
	if p.phase = "working"; err == nil && p.left > 0 {
		err = x.work(ctx, sched, lf)
	}
	if p.phase = "closing"; p.left > 0 {
		p.next = min(p.next, sched.ops+1+p.rng.IntN(30))
	}
	err = errors.Join(err, sched.run(ctx, "close", func(context.Context) error { return lf.store.Close() }))
	sched.free.Store(true)
	if err = errors.Join(err, x.fatal); err != nil {
		return nil, err
	}
	if p.left > 0 {
		p.left = 1
		take()
	}
	lf.count()
	x.stats.Steps += sched.steps
	x.result.Trace = x.result.Trace*31 + sched.trace.Sum64()
	return p.images, nil
}

// work runs clients, readers of the log and disturbances, until all is done or the last picture is taken.
func (x *exact) work(ctx context.Context, sched *scheduler, lf *life) error {
	rng := x.rng
	if err := sched.run(ctx, "create", lf.prepare); err != nil {
		return err
	}
	clients := 1 + rng.IntN(8)
	transactions := 2 + rng.IntN(30/clients)
	for i := range clients {
		w := &worker{life: lf, id: i, rng: x.newRNG()}
		sched.start(ctx, fmt.Sprintf("client %d", i), func(ctx context.Context) error { return w.run(ctx, transactions) })
	}
	disturbances, disturbRNG := rng.IntN(8), x.newRNG()
	sched.start(ctx, "disturbance", func(ctx context.Context) error {
		for range disturbances {
			for range 1 + disturbRNG.IntN(2*transactions) {
				if lf.stepDies(ctx) {
					return nil
				}
			}
			if err := lf.disturb(ctx, disturbRNG); err != nil {
				return err
			}
		}
		return nil
	})
	readRNG := x.newRNG()
	sched.start(ctx, "reader", func(ctx context.Context) error {
		for range 3 * transactions {
			if lf.stepDies(ctx) {
				return nil
			}
			if err := lf.read(ctx, readRNG); err != nil {
				return err
			}
		}
		return nil
	})
	if rng.IntN(2) == 0 {
		sched.start(ctx, "replica", func(ctx context.Context) error { return lf.copyLog(ctx, 4*transactions, true) })
	}
	if !x.relaxed && rng.IntN(2) == 0 {
		sched.start(ctx, "observer", func(ctx context.Context) error { return lf.copyLog(ctx, 6*transactions, false) })
	}
	return sched.drive()
}

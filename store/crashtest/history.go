package crashtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/store"
)

// A history is what clients do, step by step, drawn from a seed alone. Run over stores that are set up in
// different ways it must leave equal tables, and the same transactions in the log: the metamorphic part of the laboratory. Power
// fails between the parts of a history, when everything is durable.
//
// Clients go on one at a time, but operations of the file system are no stops here, because they are different
// in each store. Where the history has a gate, somebody holds the log's mutex for a while, so that transactions
// join one group. Whether they are sequenced on arrival then depends on the room in the segment, and whether a
// large one goes before them on its size: such histories run with equal segments, and without large transactions.
// In the others a little time passes before each step, in which the background prepares what a commit may wait for.

// outcome is what a history left.
type outcome struct {
	setup  string
	tables dbState
	log    []string // the groups, as text
	state  string
}

// CompareHistories runs the history of a seed over a number of stores, and reports the first difference. Like
// RunExact it needs a bubble of testing/synctest.
func CompareHistories(ctx context.Context, cfg ExactConfig, stores int) (Stats, error) {
	time.Sleep(time.Until(cfg.Begin))
	setups := rand.New(rand.NewPCG(cfg.Seed, 3))
	gate := cfg.Seed%3 == 0
	var total Stats
	var first *outcome
	for n := range stores {
		h := &history{lab: newLab(cfg.Config, 4), gate: gate, trace: cfg.Trace}
		h.setUp(setups, n == 0)
		o, err := h.run(ctx)
		total.Add(h.stats)
		if err != nil {
			return total, fmt.Errorf("seed %d (%s): %w", cfg.Seed, h.report, err)
		}
		if first == nil {
			first = o
			continue
		}
		if err := first.compare(o); err != nil {
			return total, fmt.Errorf("seed %d: the same history over two stores (%s | %s): %w", cfg.Seed, first.setup, o.setup, err)
		}
	}
	return total, nil
}

type history struct {
	*lab
	gate  bool
	trace io.Writer
	lossy *rand.Rand // of the crashes, which must not matter
}

// setUp draws a store; the plain one is the same for all seeds.
func (h *history) setUp(rng *rand.Rand, plain bool) {
	syncs := uint64(1)
	h.lossy = rand.New(rand.NewPCG(h.cfg.Seed, rng.Uint64()))
	h.opts = store.Options{
		Dir: dataDir, ServerID: 1, SyncBinlog: &syncs, SyncInterval: time.Hour, CheckpointInterval: time.Hour,
		MaxBinlogSize: 1 << 20, MaxRowsEventBytes: 1024, Logger: h.cfg.Logger,
	}
	h.lsm = lsm.Kind{CacheBytes: 1 << 20, MemTableBytes: 256 << 10, NoCompactions: true}
	o := &h.opts
	if !plain {
		syncs = []uint64{1, 1, 0, 3}[rng.IntN(4)]
		o.SyncMethod = []binlog.SyncMethod{binlog.SyncFdatasync, binlog.SyncDirect}[rng.IntN(2)]
		o.DepthForTesting = rng.IntN(4)
		h.lsm.MemTableBytes = []uint64{64 << 10, 256 << 10, 1 << 20}[rng.IntN(3)]
		h.lsm.NoCompactions = rng.IntN(2) == 0
		if !h.gate {
			o.WriteSetMemory = []int{0, 256, 4096}[rng.IntN(3)]
			o.MaxBinlogSize = []int64{4 << 10, 16 << 10, 64 << 10}[rng.IntN(3)]
			o.NoPreallocate = rng.IntN(3) == 0
			o.BinlogCacheSize = []int64{0, 512, 8192}[rng.IntN(3)]
			o.LargeCommitThreshold = []int64{0, 1024, 8192}[rng.IntN(3)]
		}
	}
	h.relaxed = syncs != 1
	h.report = fmt.Sprintf("gate=%v sync_binlog=%d max_binlog_size=%d preallocate=%v %s depth=%d memtable=%d compactions=%v cache=%d large=%d writeset=%d",
		h.gate, syncs, o.MaxBinlogSize, !o.NoPreallocate, o.SyncMethod, o.DepthForTesting, h.lsm.MemTableBytes, !h.lsm.NoCompactions,
		o.BinlogCacheSize, o.LargeCommitThreshold, o.WriteSetMemory)
}

// run is the whole history over one store.
func (h *history) run(ctx context.Context) (*outcome, error) {
	fs := crashfs.New()
	parts := 1 + h.rng.IntN(3)
	for n := range parts {
		lf := newLife(h.lab, fs)
		sched := newScheduler(h.newRNG())
		sched.still, sched.log = true, h.trace
		if !h.gate {
			sched.pace = 5 * time.Millisecond
		}
		sched.beforeOp = func(int) {}
		lf.step = func(ctx context.Context) error {
			sched.step(ctx)
			return nil
		}
		var dead error
		opts := h.opts
		opts.Engines = h.engines()
		opts.FS, opts.WokenForTesting, opts.Fatal = fs, sched.step, func(err error) { dead = err }
		var err error
		if lf.store, err = store.Open(ctx, opts); err != nil {
			return nil, fmt.Errorf("part %d: open: %w", n+1, err)
		}
		err = lf.verifyRecovered(ctx)
		if err == nil {
			err = lf.createDatabase(ctx)
		}
		if err == nil {
			err = h.work(ctx, sched, lf)
		}
		if err = errors.Join(err, dead); err != nil {
			return nil, fmt.Errorf("part %d: %w", n+1, err)
		}
		if n == parts-1 {
			o, err := h.outcome(ctx, lf)
			return o, errors.Join(err, lf.store.Close())
		}
		if err := lf.store.Pipeline().SyncLog(); err != nil {
			return nil, err
		}
		lf.count()
		h.knowledge = lf.known()
		next := fs.Crash(crashfs.RandomLoss(h.lossy), h.lossy)
		if err := lf.store.Close(); err != nil {
			return nil, err
		}
		fs = next
		h.stats.Crashes++
	}
	return nil, errors.New("a history without parts")
}

func (h *history) work(ctx context.Context, sched *scheduler, lf *life) error {
	clients := 1 + h.rng.IntN(6)
	transactions := 2 + h.rng.IntN(30/clients)
	for i := range clients {
		w := &worker{life: lf, id: i, rng: h.newRNG()}
		sched.start(ctx, fmt.Sprintf("client %d", i), func(ctx context.Context) error { return w.run(ctx, transactions) })
	}
	rng := h.newRNG()
	sched.start(ctx, "maintenance", func(ctx context.Context) error {
		for range rng.IntN(6) {
			for range 1 + rng.IntN(2*transactions) {
				sched.step(ctx)
			}
			var err error
			switch n := rng.IntN(4); {
			case h.gate:
				err = lf.store.Pipeline().Exclusive(func() error {
					for range 2 + rng.IntN(20) {
						sched.step(ctx)
					}
					return nil
				})
			case n == 0:
				err = lf.store.Pipeline().Rotate()
			case n == 1:
				err = lf.flush(rng)
			default:
				err = lf.store.Checkpoint(ctx)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return sched.drive()
}

// outcome reads tables and log.
func (h *history) outcome(ctx context.Context, lf *life) (*outcome, error) {
	lf.count()
	k := lf.known()
	if err := lf.verify(ctx, k.history); err != nil {
		return nil, err
	}
	o := &outcome{setup: h.report, state: lf.store.Log().StateClone().String()}
	var err error
	if o.tables, err = lf.readAll(ctx); err != nil {
		return nil, err
	}
	log := lf.store.Log()
	r, err := log.NewReader(logpos.Pos{Segment: log.Segments()[0].Segment})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var groups binlog.Groups
	for {
		ev, _, err := r.NextNoWait()
		if errors.Is(err, io.EOF) {
			return o, nil
		}
		if err != nil {
			return nil, err
		}
		inside := groups.Open
		if _, err := groups.Next(ev); err != nil {
			return nil, err
		}
		text, err := content(ev)
		if err != nil {
			return nil, err
		}
		if inside || groups.Open || text != "" && event.Type(ev[4]) == event.Ignorable {
			o.log = append(o.log, text)
		}
	}
}

// content is what an event says, without what depends on where it stands; "" for what the log writes for itself.
func content(ev []byte) (string, error) {
	e, err := event.Decode(ev)
	if err != nil {
		return "", err
	}
	switch body := e.Body.(type) {
	case *event.GTIDInfo:
		return fmt.Sprintf("%s flags %x", body.GTID, body.Flags&^event.FLGroupCommitID), nil
	case *event.Private:
		switch body.Kind {
		case event.PrivateWriteMark, event.PrivatePadding:
			return "", nil
		case event.PrivateLocal:
			return contents(body.Payload)
		}
	}
	return fmt.Sprintf("%d %x", ev[4], ev[event.HeaderSize:len(ev)-event.ChecksumSize]), nil
}

// contents is what the events in a record of a local transaction say.
func contents(payload []byte) (string, error) {
	text := "local:"
	for len(payload) > 0 {
		ev, rest, err := event.Next(payload)
		if err != nil {
			return "", err
		}
		said, err := content(ev)
		if err != nil {
			return "", err
		}
		text, payload = text+" "+said, rest
	}
	return text, nil
}

// compare reports the first difference.
func (o *outcome) compare(p *outcome) error {
	if d := o.tables.diff(p.tables); d != "" {
		return fmt.Errorf("different tables:\n%s", d)
	}
	if o.state != p.state {
		return fmt.Errorf("GTID states %q and %q", o.state, p.state)
	}
	if slices.Equal(o.log, p.log) {
		return nil
	}
	for i := range min(len(o.log), len(p.log)) {
		if o.log[i] != p.log[i] {
			from := max(0, i-3)
			return fmt.Errorf("different logs, at event %d of %d and %d:\n%.200s\nagainst\n%.200s\nafter\n%.600s", i, len(o.log), len(p.log), o.log[i], p.log[i], strings.Join(o.log[from:i], "\n"))
		}
	}
	return fmt.Errorf("logs with %d and %d events", len(o.log), len(p.log))
}

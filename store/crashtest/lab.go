package crashtest

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/commit/protocol"
	"github.com/duramendb/duramen/engine/btree"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/store"
)

// Config is one run of the laboratory.
type Config struct {
	Seed uint64
	// Lives is how many times the store is opened; every life but the last ends with a crash. 0 means 3.
	Lives int
	// Engines are the names of the store's engines, the default first; nil is the LSM engine alone. See EngineSets.
	Engines []string
	// Protocol is how commits become durable; "" means onelog.
	Protocol protocol.Name
	// Positions says that an engine keeps a table of replication positions: with a 2pc protocol only.
	Positions bool
	// KeepDir is where the file system that could not be recovered, or not
	// rightly, is written to, as it was before; "" for nowhere.
	KeepDir string
	// Logger gets what the store logs; nil: nothing.
	Logger *slog.Logger
}

const dataDir = "/data"

// lab is a run: several lives of one data directory.
type lab struct {
	cfg   Config
	rng   *rand.Rand
	opts  store.Options // but for Engines
	lsm   lsm.Kind
	btree btree.Kind
	// relaxed says that visible is not always durable: sync_binlog is not 1, or not all the time.
	relaxed, changing bool
	resets            bool // RESET MASTER happens
	ids               atomic.Int64
	tags              atomic.Int64
	knowledge
	report string // of the options drawn, for errors
	stats  Stats
}

// Stats tell what a run did, so that nobody mistakes an idle laboratory for a safe store.
type Stats struct {
	Crashes   int // file systems that were recovered after a crash and checked
	Opening   int // of these, of a crash while the store was being opened
	Closing   int // of these, of a crash while the store was being closed, or after that
	Committed int // transactions
	Recovered int // found after a crash, summed up over the crashes
	Refused   int // by a full or broken disk
	GaveUp    int // rolled back: deadlock, lock wait timeout, duplicate in a new index, ...
	Fatal     int // lives ended by a broken disk
	Maybe     int // transactions that were being committed then, and were found afterwards
	Steps     int // of the scheduler of the exact laboratory
	// Seen counts, by their names, states and steps without which a run says little: of engines found after a crash
	// "RocksDB ahead of BTREE", of clients "ALTER TABLE ... ENGINE".
	Seen map[string]int
}

// Add sums up two runs.
func (s *Stats) Add(o Stats) {
	s.Crashes += o.Crashes
	s.Opening += o.Opening
	s.Closing += o.Closing
	s.Committed += o.Committed
	s.Recovered += o.Recovered
	s.Refused += o.Refused
	s.GaveUp += o.GaveUp
	s.Fatal += o.Fatal
	s.Maybe += o.Maybe
	s.Steps += o.Steps
	for _, what := range slices.Sorted(maps.Keys(o.Seen)) {
		s.see(what, o.Seen[what])
	}
}

// see counts something that has to happen for a run to say anything.
func (s *Stats) see(what string, times int) {
	if s.Seen == nil {
		s.Seen = map[string]int{}
	}
	s.Seen[what] += times
}

func newLab(cfg Config, stream uint64) *lab {
	if cfg.Lives == 0 {
		cfg.Lives = 3
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &lab{cfg: cfg, rng: rand.New(rand.NewPCG(cfg.Seed, stream)), knowledge: newKnowledge()}
}

// newRNG makes a generator of its own for somebody.
func (l *lab) newRNG() *rand.Rand { return rand.New(rand.NewPCG(l.cfg.Seed, l.rng.Uint64())) }

// drawOptions chooses how the store is set up. Segments have one of sizes.
func (l *lab) drawOptions(sizes ...int64) {
	syncs := uint64(1)
	l.changing = l.rng.IntN(8) == 0
	l.relaxed = l.changing
	if l.rng.IntN(4) == 0 {
		l.relaxed, syncs = true, []uint64{0, 2, 5}[l.rng.IntN(3)]
	}
	l.lsm = lsm.Kind{CacheBytes: 1 << 20, MemTableBytes: 256 << 10}
	if len(l.cfg.Engines) > 0 { // a small delta is checkpointed by itself
		l.btree = btree.Kind{MapBytes: 64 << 20, DeltaKeys: []int{0, 20, 100}[l.rng.IntN(3)]}
	}
	l.opts = store.Options{
		Dir: dataDir, ServerID: 1, SyncBinlog: &syncs, SyncInterval: 5 * time.Millisecond,
		MaxBinlogSize: sizes[l.rng.IntN(len(sizes))], NoPreallocate: l.rng.IntN(4) == 0,
		MaxRowsEventBytes:  64 << l.rng.IntN(8),
		DepthForTesting:    []int{0, 0, 2, 4}[l.rng.IntN(4)],
		CheckpointInterval: time.Hour, // the laboratory makes its own
		CommitProtocol:     l.cfg.Protocol,
		Logger:             l.cfg.Logger,
	}
	if !l.opts.NoPreallocate && l.rng.IntN(2) == 0 {
		l.opts.SyncMethod = binlog.SyncDirect
	}
	if l.rng.IntN(2) == 0 {
		l.opts.BinlogCacheSize = []int64{512, 4096, 16384}[l.rng.IntN(3)]
		l.opts.LargeCommitThreshold = []int64{1024, 4096, 8192}[l.rng.IntN(3)]
		l.opts.WriteSetMemory = []int{0, 256, 4096}[l.rng.IntN(3)]
	}
	l.drawPosition()
	l.resets = l.rng.IntN(6) == 0
	l.report = fmt.Sprintf("engines=%v sync_binlog=%d max_binlog_size=%d preallocate=%v %s depth=%d changing=%v cache=%d large=%d writeset=%d resets=%v positions=%q", l.cfg.Engines, syncs, l.opts.MaxBinlogSize,
		!l.opts.NoPreallocate, l.opts.SyncMethod, l.opts.DepthForTesting, l.changing, l.opts.BinlogCacheSize, l.opts.LargeCommitThreshold, l.opts.WriteSetMemory, l.resets, l.opts.PositionIn)
}

// disturb does one thing that has nothing to do with transactions.
func (lf *life) disturb(ctx context.Context, rng *rand.Rand) error {
	var err error
	if lf.lab.changing && rng.IntN(2) == 0 {
		lf.setSyncBinlog([]uint64{1, 1, 0, 3}[rng.IntN(4)])
		return nil
	}
	if lf.soon != nil {
		lf.soon()
	}
	switch n := rng.IntN(12); {
	case lf.lab.resets && n < 4:
		err = lf.resetLog(ctx, rng)
	case n < 5:
		err = lf.store.Checkpoint(ctx)
	case n < 7: // as the engine does it on its own
		err = lf.flush(rng)
	case n < 9:
		err = lf.store.Pipeline().Rotate()
	case n < 10:
		err = lf.store.Pipeline().SyncLog()
	default:
		_, err = lf.store.Log().PurgeTo(lf.store.Log().End().Segment)
	}
	if err != nil && !refused(err) {
		return fmt.Errorf("disturbance: %w", err)
	}
	return nil
}

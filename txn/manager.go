package txn

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/txn/lock"
	"github.com/duramendb/duramen/txn/rowlog"
	"github.com/duramendb/duramen/txn/spill"
)

// Manager begins transactions over the engines. It is safe for concurrent use.
type Manager struct {
	cfg Config
	// importer is how the engine takes large transactions; nil if it does not.
	importer engine.Importer
	locks    *lock.Manager
	pending  *pending
	// sequenced counts the transactions that were given a place in the log. It
	// rises after their writes were published and before their locks are
	// released, so that whoever gets a lock and finds it unchanged knows that nothing else has changed.
	sequenced atomic.Uint64
	gapWait   int                      // gapWaitMin, or less in tests
	moves     [moveSlots]atomic.Uint64 // see moved.go
	ddl       sync.Mutex               // held while a change of the catalog is committed
	ids       atomic.Uint64
	active    atomic.Int64

	space *spill.Space
	sizes sizes
	// metadata is @@binlog_row_metadata, an event.RowMetadata.
	metadata atomic.Uint32
	triggers atomic.Pointer[func(*catalog.Snapshot, *catalog.Table) bool] // see SetTriggers
	spills   spillStats
	// multiEngine counts, see Stats.
	multiEngine atomic.Uint64

	counters struct {
		sync.Mutex
		byTable map[uint32]*counter
		rowIDs  map[uint32]*atomic.Uint64
	}
}

// NewManager makes a manager.
func NewManager(cfg Config) *Manager {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.MaxRowsEventBytes <= 0 {
		cfg.MaxRowsEventBytes = 8192
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	m := &Manager{cfg: cfg, importer: cfg.Engine.Capabilities().Importer, locks: lock.NewManager(lock.Options{WokenForTesting: cfg.WokenForTesting}),
		pending: newPending(), gapWait: gapWaitMin}
	m.space = spill.NewSpace(cfg.SpillFS, cfg.SpillDir)
	m.SetBinlogCacheSize(cfg.BinlogCacheSize)
	m.SetMaxTransactionBytes(cfg.MaxTransactionBytes)
	m.SetLargeCommitThreshold(cfg.LargeCommitThreshold)
	m.counters.byTable = map[uint32]*counter{}
	m.counters.rowIDs = map[uint32]*atomic.Uint64{}
	return m
}

// Catalog is the registry given to NewManager.
func (m *Manager) Catalog() *catalog.Registry { return m.cfg.Catalog }

// Stats are counters since the start, and what is going on now.
type Stats struct {
	Active    int64  // transactions begun and not ended
	Pending   int64  // transactions in the log and not yet applied
	LockWaits uint64 // Innodb_row_lock_waits, metadata locks included
	Deadlocks uint64
	Timeouts  uint64
	// Of the transactions that have logged something: how many (Binlog_cache_use), and
	// how many of them in a file (Binlog_cache_disk_use).
	CacheUse, CacheDiskUse uint64
	// Large transactions committed (Duramen_large_commits).
	LargeCommits uint64
	// MultiEngine are the transactions committed that have changed tables of more than one engine (Transactions_multi_engine).
	MultiEngine uint64
}

// Stats returns the manager's counters.
func (m *Manager) Stats() Stats {
	locks := m.locks.Stats()
	return Stats{Active: m.active.Load(), Pending: m.pending.count.Load(), LockWaits: locks.Waits,
		Deadlocks: locks.Deadlocks, Timeouts: locks.Timeouts,
		CacheUse: m.spills.uses.Load(), CacheDiskUse: m.spills.diskUses.Load(), LargeCommits: m.spills.large.Load(), MultiEngine: m.multiEngine.Load()}
}

// Begin starts a transaction. Nothing is read or locked yet.
func (m *Manager) Begin(o Options) *Txn {
	if o.LockWaitTimeout == 0 {
		o.LockWaitTimeout = 50 * time.Second
	}
	if o.MetadataTimeout == 0 {
		o.MetadataTimeout = 86400 * time.Second
	}
	m.active.Add(1)
	t := &Txn{m: m, opts: o, id: m.ids.Add(1), started: time.Now()}
	t.Global.t = t
	t.owner.ID, t.owner.Thread, t.owner.Waiter = t.id, o.ThreadID, o.Waiter
	t.log.Init(rowlog.Options{ServerID: o.ServerID, Image: o.RowImage, Private: o.SkipBinlog,
		Metadata: event.RowMetadata(m.metadata.Load()), MaxRowsBytes: m.cfg.MaxRowsEventBytes,
		MemoryBytes: int(m.sizes.eventMemory.Load()), NewFile: m.cfg.NewEventFile, Triggers: (*triggered)(t)})
	return t
}

package txn

import (
	"math"
	"sync/atomic"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
)

// MaxEventBytes is the most that one transaction may log: positions in a log file have 32 bits.
const MaxEventBytes = 1<<32 - 64<<20

// sizes are the settings that SET GLOBAL changes. A transaction takes them when it begins,
// or commits.
type sizes struct {
	eventMemory, largest, threshold atomic.Int64
}

// SetBinlogCacheSize changes binlog_cache_size for transactions that begin from now on; 0 means the
// default.
func (m *Manager) SetBinlogCacheSize(n int64) {
	if n <= 0 {
		n = 32 << 10
	}
	m.sizes.eventMemory.Store(min(n, MaxEventBytes))
}

// SetMaxTransactionBytes changes max_binlog_cache_size; 0 means the most there is.
func (m *Manager) SetMaxTransactionBytes(n int64) {
	if n <= 0 || n > MaxEventBytes {
		n = MaxEventBytes
	}
	m.sizes.largest.Store(n)
}

// SetLargeCommitThreshold changes binlog_large_commit_threshold, and with it how much of
// a write set stays in memory, unless Config.WriteSetMemory says that; 0 means the default.
func (m *Manager) SetLargeCommitThreshold(n int64) {
	if n <= 0 {
		n = 16 << 20
	}
	n = min(n, MaxEventBytes)
	m.sizes.threshold.Store(n)
	switch {
	case m.importer == nil || m.cfg.SpillFS == nil || m.cfg.NewEventFile == nil:
		m.space.SetLimit(math.MaxInt64) // there is no other way to commit it
	case m.cfg.WriteSetMemory > 0:
		m.space.SetLimit(int64(m.cfg.WriteSetMemory))
	default:
		m.space.SetLimit(n)
	}
}

// SetRowMetadata changes binlog_row_metadata for transactions that begin from now on.
func (m *Manager) SetRowMetadata(metadata event.RowMetadata) { m.metadata.Store(uint32(metadata)) }

// SetTriggers has the events of rows say which tables have triggers (MariaDB's TM_BIT_HAS_TRIGGERS_F, which it sets for a trigger of any kind): a replica with
// slave_run_triggers_for_rbr=YES does not run its own for such a table, as what the primary's have done is in the log. has is asked by many at a time.
func (m *Manager) SetTriggers(has func(*catalog.Snapshot, *catalog.Table) bool) {
	m.triggers.Store(&has)
}

// triggered is a transaction as rowlog.Triggers.
type triggered Txn

// HasTriggers implements rowlog.Triggers.
func (t *triggered) HasTriggers(tbl *catalog.Table) bool {
	has := t.m.triggers.Load()
	return has != nil && (*has)((*Txn)(t).Catalog(), tbl)
}

func (m *Manager) maxTransactionBytes() int64 { return m.sizes.largest.Load() }

type spillStats struct{ uses, diskUses, large atomic.Uint64 }

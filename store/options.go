package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/commit/protocol"
	"github.com/duramendb/duramen/engine"
)

// Options say which data directory to open and how. Dir, Engines and ServerID are
// required; the zero value of everything else is the default.
type Options struct {
	// FS is the file system; nil means the operating system's.
	FS vfs.FS
	// Dir is the data directory; it is created if it does not exist.
	Dir string
	// Engines are the storage engines, each with its settings. The first holds the tables that name none, and those of InnoDB;
	// it stays the first for as long as the directory lives.
	Engines []engine.Kind
	// CommitProtocol is how commits become durable: "" means as the directory was made, with protocol.OneLog if it is new.
	// A directory that was made with another one is refused.
	CommitProtocol protocol.Name
	// PositionIn is gtid_pos_in_engine: the engine, by the name of its directory or its own, with a table of replication positions, or
	// PositionAuto; "" means none. It is refused with protocols that need no such table.
	PositionIn string
	// Unfinished opens a directory with a file UnfinishedName, which is refused otherwise.
	Unfinished bool
	// LogDir is where the log lies; "" means in Dir.
	LogDir string
	// LogBasename is the name of the log's files before the number (log_bin); "" means "binlog".
	LogBasename string
	// ServerID is server_id, the default of GTIDs.
	ServerID uint32
	// ServerVersion stands in the log's format descriptions; "" means the log's default.
	ServerVersion string

	// MaxBinlogSize is max_binlog_size in bytes; 0 means 128 MiB.
	MaxBinlogSize int64
	// NoPreallocate turns the zero-filling of log files ahead of time off.
	NoPreallocate bool
	// RecoverUntil ends the log there: what lies after it is set aside. The zero value recovers everything.
	RecoverUntil binlog.Until
	// Demote is --init-rpl-role=SLAVE: after a crash, what this server has begun itself and no engine has is set aside, because its successor
	// may not have it; see demote.go. RecoverUntil goes before it.
	Demote bool
	// VerifyLog verifies every event of the whole log at Open, not only what will be replayed.
	VerifyLog bool
	// SyncMethod is binlog_sync_method.
	SyncMethod binlog.SyncMethod
	// SyncBinlog is sync_binlog: nil means 1 (every group), 0 means to leave it to
	// the background, N means every N groups.
	SyncBinlog *uint64
	// SyncInterval is the time between background syncs with sync_binlog other than 1; 0 means 1 s.
	SyncInterval time.Duration
	// CommitWaitCount and CommitWaitTime are binlog_commit_wait_count and binlog_commit_wait_usec.
	CommitWaitCount int
	CommitWaitTime  time.Duration

	// CheckpointBytes is checkpoint_log_size: how much log may be written between two checkpoints,
	// and so has to be replayed after a crash; 0 means 128 MiB.
	CheckpointBytes int64
	// CheckpointInterval is checkpoint_interval: the time after which a changed engine is
	// checkpointed anyway; 0 means 60 s.
	CheckpointInterval time.Duration

	// MaxRowsEventBytes is binlog_row_event_max_size; 0 means txn's default.
	MaxRowsEventBytes int
	// MaxTransactionBytes is max_binlog_cache_size, which bounds the log events of one transaction; 0 means
	// the most there can be, a little less than 4 GiB.
	MaxTransactionBytes int64
	// BinlogCacheSize is binlog_cache_size in bytes: a transaction's events beyond that go to a file;
	// 0 means 32 KiB.
	BinlogCacheSize int64
	// LargeCommitThreshold is binlog_large_commit_threshold in bytes: a transaction with more events is
	// written as a segment of its own before its commit; 0 means 16 MiB.
	LargeCommitThreshold int64
	// WriteSetMemory is how many bytes of changed rows and index entries a transaction keeps
	// in memory, 0 means LargeCommitThreshold; the rest goes to files, and the transaction is a large one.
	WriteSetMemory int

	// Collations finds the sort keys of a collation; nil: strings compare by bytes.
	Collations catalog.Collations
	// Fatal is called when the process has to end because a write or sync
	// failed; nil logs the error and exits with status 1.
	Fatal func(error)
	// Logger is slog.Default if nil.
	Logger *slog.Logger

	// DepthForTesting is commit.Config's.
	DepthForTesting int
	// WokenForTesting is txn.Config's.
	WokenForTesting func(context.Context)
}

// ensureDefaults fills in what is not set.
func (o *Options) ensureDefaults() {
	if o.FS == nil {
		o.FS = vfs.Default
		if abs, err := filepath.Abs(o.Dir); err == nil && o.Dir != "" {
			o.Dir = abs // two spellings of one directory must meet the same lock
		}
	}
	if o.LogDir == "" {
		o.LogDir = o.Dir
	}
	if o.SyncBinlog == nil {
		o.SyncBinlog = new(uint64(1))
	}
	if o.CheckpointBytes == 0 {
		o.CheckpointBytes = 128 << 20
	}
	if o.CheckpointInterval == 0 {
		o.CheckpointInterval = time.Minute
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
}

// validate reports options that cannot work.
func (o *Options) validate() error {
	switch {
	case o.Dir == "":
		return errors.New("store: Options.Dir is not set")
	case len(o.Engines) == 0:
		return errors.New("store: Options.Engines is empty")
	case o.ServerID == 0:
		return errors.New("store: Options.ServerID is not set")
	case o.MaxBinlogSize < 0 || o.CheckpointBytes < 0 || o.CheckpointInterval < 0:
		return errors.New("store: sizes and intervals cannot be negative")
	}
	if _, err := o.positionIn(); err != nil {
		return err
	}
	if o.Engines[0].Volatile() {
		return fmt.Errorf("store: Options.Engines: the first, %s, keeps nothing over a restart", o.Engines[0].Name())
	}
	dirs := map[string]bool{spillDir: true, exportDir: true}
	for _, kind := range o.Engines {
		if dirs[kind.Dir()] {
			return fmt.Errorf("store: Options.Engines: the directory %s of %s belongs to something else", kind.Dir(), kind.Name())
		}
		dirs[kind.Dir()] = true
	}
	return nil
}

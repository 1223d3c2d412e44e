package store

import (
	"context"
	"time"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/txn"
)

// engineDir is where the engine's files lie in the data directory.
const engineDir = "lsm"

// spillDir is where large transactions keep what does not fit into memory, for as long as they run.
const spillDir = "tmp"

// Open opens a data directory, creating it if it does not exist, and recovers
// it; see the package comment for the steps. ctx bounds the replay.
func Open(ctx context.Context, o Options) (_ *Store, err error) {
	o.ensureDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	s := &Store{opts: o, logger: o.Logger, stop: make(chan struct{})}
	defer func() {
		if err != nil {
			// The error tells what happened; closing can add nothing to it.
			_ = s.closeFiles(&errorList{})
		}
	}()
	if err := makeDir(o.FS, o.Dir); err != nil {
		return nil, s.fail("create", nil, err)
	}
	if s.lock, err = lockDir(o.FS, o.Dir); err != nil {
		return nil, err
	}
	created, err := checkFormat(o.FS, o.Dir)
	if err != nil {
		return nil, err
	}
	d, r, err := s.decide(o.VerifyLog)
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{o.LogDir, o.FS.PathJoin(o.Dir, engineDir), o.FS.PathJoin(o.Dir, spillDir)} {
		if err := makeDir(o.FS, dir); err != nil {
			return nil, s.fail("create directories in", nil, err)
		}
	}
	if err := emptyDir(o.FS, o.FS.PathJoin(o.Dir, spillDir)); err != nil {
		return nil, s.fail("remove what large transactions left behind in", nil, err)
	}
	if err := syncDir(o.FS, o.Dir); err != nil { // a process before may have died between making and syncing
		return nil, s.fail("create directories in", nil, err)
	}
	if err := s.recover(ctx, d, r); err != nil {
		return nil, err
	}
	s.startPipeline()
	if err := s.checkpoint(ctx); err != nil {
		_ = s.pipeline.Close()
		return nil, err
	}
	s.stopped.Add(2)
	go s.checkpointInBackground()
	go s.purgeInBackground()
	if created {
		s.logger.Info("created a data directory", "dir", o.Dir)
	}
	return s, nil
}

// fail makes the error of a step of Open.
func (s *Store) fail(op string, kind, err error) error {
	return &OpenError{Dir: s.opts.Dir, Op: op, Kind: kind, Err: err}
}

func (s *Store) logOptions() binlog.Options {
	o := &s.opts
	return binlog.Options{
		FS: o.FS, Dir: o.LogDir, Basename: o.LogBasename, ServerID: o.ServerID, ServerVersion: o.ServerVersion,
		MaxSize: o.MaxBinlogSize, NoPreallocate: o.NoPreallocate, SyncMethod: o.SyncMethod, Logger: o.Logger,
	}
}

func (s *Store) engineOptions() lsm.Options {
	o := &s.opts
	return lsm.Options{
		FS: o.FS, Dir: o.FS.PathJoin(o.Dir, engineDir), CacheBytes: o.CacheSize, MemTableBytes: uint64(o.MemTableSize),
		SyncLog: s.syncLogTo, Fatal: s.opts.Fatal, Logger: o.Logger, NoCompactions: o.NoCompactions,
	}
}

func (s *Store) openEngine() error {
	eng, err := lsm.Open(s.engineOptions())
	if err != nil {
		return s.fail("open the storage engine in", nil, err)
	}
	s.engine = eng
	return nil
}

// syncLogTo is what the engine calls before it makes anything durable.
func (s *Store) syncLogTo(pos logpos.Pos) error {
	if f := s.syncLog.Load(); f != nil {
		return (*f)(pos)
	}
	return s.log.Sync() // recovery: no pipeline yet
}

func (s *Store) loadCatalog() (*catalog.Snapshot, error) {
	it, err := s.engine.NewIter(catalog.MetaSpan())
	if err != nil {
		return nil, err
	}
	snapshot, err := catalog.Load(it, s.opts.Collations)
	if cerr := it.Close(); err == nil {
		err = cerr
	}
	return snapshot, err
}

// removeOrphans deletes the key spaces that no definition refers to: what was
// built for a DDL statement that never made it into the log.
func (s *Store) removeOrphans(snapshot *catalog.Snapshot) error {
	it, err := s.engine.NewIter(nil, nil)
	if err != nil {
		return s.fail("look for orphans in", nil, err)
	}
	orphans, err := snapshot.Orphans(it)
	if cerr := it.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return s.fail("look for orphans in", ErrCorrupt, err)
	}
	if len(orphans) == 0 {
		return nil
	}
	batch := s.engine.NewBatch()
	for _, k := range orphans {
		s.logger.Info("removing a key space that was not finished", "table", k.Table, "index", k.Index, "whole", k.Whole)
		lower, upper := k.Span()
		if err := batch.DeleteRange(lower, upper); err != nil {
			batch.Discard()
			return s.fail("remove orphans in", nil, err)
		}
	}
	if err := s.engine.Ingest(batch); err != nil {
		return s.fail("remove orphans in", nil, err)
	}
	return nil
}

// startPipeline opens the store for transactions.
func (s *Store) startPipeline() {
	o := &s.opts
	s.pipeline = commit.New(commit.Config{
		Log: commit.BinaryLog(s.log), Applier: commit.EngineApplier(s.engine, s.registry), ServerID: o.ServerID,
		SyncBinlog: *o.SyncBinlog, SyncInterval: o.SyncInterval,
		WaitCount: o.CommitWaitCount, WaitTime: o.CommitWaitTime,
		Fatal: o.Fatal, Logger: o.Logger, DepthForTesting: o.DepthForTesting,
	})
	s.syncLog.Store(new(s.pipeline.SyncTo))
	s.txns = txn.NewManager(txn.Config{
		Engine: s.engine, Committer: s.pipeline, Catalog: s.registry, Logger: o.Logger,
		MaxRowsEventBytes: o.MaxRowsEventBytes, MaxTransactionBytes: o.MaxTransactionBytes, Now: time.Now,
		WokenForTesting: o.WokenForTesting,
		CacheSize:       o.BinlogCacheSize, LargeCommitThreshold: o.LargeCommitThreshold, WriteSetMemory: o.WriteSetMemory,
		SpillFS: o.FS, SpillDir: o.FS.PathJoin(o.Dir, spillDir), NewEventFile: s.newEventFile,
	})
}

// newEventFile makes a file for the events of a large transaction.
func (s *Store) newEventFile() (txn.EventFile, error) {
	f, err := s.log.NewLargeFile()
	if err != nil {
		return nil, err
	}
	return f, nil
}

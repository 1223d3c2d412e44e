package store

import (
	"context"
	"time"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/txn"
)

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
	ds, err := s.decide(o.VerifyLog)
	if err != nil {
		return nil, err
	}
	dirs := []string{o.LogDir}
	for _, kind := range o.Engines {
		dirs = append(dirs, s.engineDir(kind))
	}
	for _, dir := range append(dirs, o.FS.PathJoin(o.Dir, spillDir)) {
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
	if err := s.recover(ctx, ds); err != nil {
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
		BinlogCacheSize: o.BinlogCacheSize, LargeCommitThreshold: o.LargeCommitThreshold, WriteSetMemory: o.WriteSetMemory,
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

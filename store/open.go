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
	s.SetCheckpointLogSize(o.CheckpointBytes)
	s.SetCheckpointInterval(o.CheckpointInterval)
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
	found, created, err := checkFormat(&o)
	if err != nil {
		return nil, err
	}
	if err := s.useProtocol(found.protocol); err != nil {
		return nil, err
	}
	if err := s.completeLog(); err != nil {
		return nil, err
	}
	ds, err := s.decide(found, o.VerifyLog)
	if err != nil {
		return nil, err
	}
	dirs := []string{o.LogDir}
	for _, kind := range s.opts.Engines {
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
	if err := removeExport(o.FS, o.Dir); err != nil {
		return nil, s.fail("remove what an export has left behind in", nil, err)
	}
	if err := syncDir(o.FS, o.Dir); err != nil { // a process before may have died between making and syncing
		return nil, s.fail("create directories in", nil, err)
	}
	if err := s.recover(ctx, ds); err != nil {
		return nil, err
	}
	if err := s.startPipeline(); err != nil {
		return nil, err
	}
	if err := s.settle(ctx, found); err != nil {
		_ = s.pipeline.Close()
		s.stopProtocol()
		return nil, err
	}
	s.stopped.Add(2)
	go s.checkpointInBackground(s.pipeline.Stats().BytesWritten)
	go s.purgeInBackground()
	if created {
		s.logger.Info("created a data directory", "dir", o.Dir)
	}
	return s, nil
}

// settle is the end of Open: what was recovered becomes durable, the directory says which engines it has now, and replicas
// hear of the tables that a restart has emptied.
func (s *Store) settle(ctx context.Context, found format) error {
	if err := s.checkpoint(ctx); err != nil {
		return err
	}
	if now := formatOf(s.opts.Engines, found.protocol); !now.equal(found) {
		if err := writeFormat(s.opts.FS, s.opts.Dir, now); err != nil {
			return err
		}
	}
	return s.logEmptied(ctx)
}

// fail makes the error of a step of Open.
func (s *Store) fail(op string, kind, err error) error {
	return &OpenError{Dir: s.opts.Dir, Op: op, Kind: kind, Err: err}
}

func (s *Store) logOptions() binlog.Options {
	o := &s.opts
	return binlog.Options{
		FS: s.logFS(), Dir: o.LogDir, Basename: o.LogBasename, ServerID: o.ServerID, ServerVersion: o.ServerVersion,
		MaxSize: o.MaxBinlogSize, NoPreallocate: o.NoPreallocate, SyncMethod: o.SyncMethod, Fatal: o.Fatal, Logger: o.Logger,
	}
}

// startPipeline opens the store for transactions.
func (s *Store) startPipeline() error {
	o := &s.opts
	applier, log := commit.EngineApplier(s.engine, s.registry), commit.BinaryLog(s.log)
	if s.protocol != nil {
		if err := s.protocol.Start(s.engine, s.log); err != nil {
			return s.fail("begin the redo logs of", nil, err)
		}
		applier, log = s.protocol.Applier(applier), s.protocol.Log(s.log)
	}
	s.pipeline = commit.New(commit.Config{
		Log: log, Applier: applier, ServerID: o.ServerID,
		SyncBinlog: *o.SyncBinlog, SyncInterval: o.SyncInterval,
		WaitCount: o.CommitWaitCount, WaitTime: o.CommitWaitTime,
		Fatal: o.Fatal, Logger: o.Logger, DepthForTesting: o.DepthForTesting,
	})
	s.syncLog.Store(new(s.pipeline.SyncTo))
	cfg := txn.Config{
		Engine: s.engine, Committer: s.pipeline, Catalog: s.registry, Applied: s.pipeline.Applied, Logger: o.Logger,
		MaxRowsEventBytes: o.MaxRowsEventBytes, MaxTransactionBytes: o.MaxTransactionBytes, Now: time.Now,
		WokenForTesting: o.WokenForTesting,
		BinlogCacheSize: o.BinlogCacheSize, LargeCommitThreshold: o.LargeCommitThreshold, WriteSetMemory: o.WriteSetMemory,
		SpillFS: o.FS, SpillDir: o.FS.PathJoin(o.Dir, spillDir), NewEventFile: s.newEventFile,
	}
	if s.protocol != nil {
		s.protocol.SetPipeline(s.pipeline)
		cfg.Committer = s.protocol.Committer()
		throughMemory(&cfg)
	}
	s.txns = txn.NewManager(cfg)
	return nil
}

// newEventFile makes a file for the events of a large transaction.
func (s *Store) newEventFile() (txn.EventFile, error) {
	f, err := s.log.NewLargeFile()
	if err != nil {
		return nil, err
	}
	return f, nil
}

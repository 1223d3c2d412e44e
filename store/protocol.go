package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/commit/protocol"
	"github.com/duramendb/duramen/commit/protocol/enginelog"
	"github.com/duramendb/duramen/commit/protocol/redo"
	"github.com/duramendb/duramen/commit/protocol/twopc"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/replay"
	"github.com/duramendb/duramen/txn"
)

// What the store does for another commit protocol than onelog. The engines come up from logs of their own then, and the binary
// log decides about what is prepared in them (resolve), instead of being replayed.

// protocolKey stands before the protocol in FORMAT. There is no such line for onelog.
const protocolKey = "commit-protocol"

func (f format) protocolLine() string {
	if f.protocol == protocol.OneLog || f.protocol == "" {
		return ""
	}
	return fmt.Sprintf("%s: %s\n", protocolKey, f.protocol)
}

// checkProtocol refuses to open a directory with another protocol than it was made with: its engines could not be recovered.
func (f *format) checkProtocol(dir string, asked protocol.Name) error {
	if asked == "" || asked == f.protocol {
		return nil
	}
	return &OpenError{Dir: dir, Op: "open", Kind: ErrFormat, Unchanged: true,
		Err:  fmt.Errorf("it was made with the commit protocol %s, not with %s", f.protocol, asked),
		Hint: fmt.Sprintf("start the server without --commit-protocol, or with --commit-protocol=%s; another one needs an empty directory", f.protocol)}
}

// CommitProtocol is how commits become durable.
func (s *Store) CommitProtocol() protocol.Name { return s.opts.CommitProtocol }

// useProtocol settles the protocol, before anything of the directory is looked at.
func (s *Store) useProtocol(name protocol.Name) error {
	o := &s.opts
	o.CommitProtocol = name
	if name == protocol.OneLog {
		return nil
	}
	position, err := o.positionIn()
	if err != nil {
		return err
	}
	s.logger.Warn("this commit protocol is for comparison with the default, onelog", "commit_protocol", string(name))
	if name == protocol.Engine {
		// Direct writes would pass by the redo log.
		s.carry, o.SyncMethod = enginelog.New(o.FS, o.LogDir, cmp.Or(o.LogBasename, "binlog")), binlog.SyncFdatasync
	}
	s.protocol = twopc.New(twopc.Options{
		Carry: s.carry,
		FS:    o.FS, Eager: name == protocol.TwoPCEager, SegmentBytes: redoSegmentBytes(o.MaxBinlogSize), NoPreallocate: o.NoPreallocate,
		Position: position, ServerID: o.ServerID,
		Checkpoint: func() error { return s.checkpoint(context.Background()) },
		Fatal:      o.Fatal, Logger: o.Logger,
	})
	o.Engines = s.protocol.Kinds(o.Engines)
	return nil
}

// completeLog makes the files of the log what they have to be, where they are under the redo log of an engine.
func (s *Store) completeLog() error {
	if s.protocol == nil {
		return nil
	}
	err := s.protocol.CompleteLog(s.engineDir(s.opts.Engines[0]))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, engine.ErrDamaged), errors.Is(err, enginelog.ErrMissing):
		return s.fail("complete the binary log of", ErrCorrupt, err)
	}
	return s.fail("complete the binary log of", nil, err)
}

// logFS is the file system that the log is on.
func (s *Store) logFS() vfs.FS {
	if s.carry != nil {
		return s.carry
	}
	return s.opts.FS
}

// redoSegmentBytes is the size of a file of a redo log: small where those of the binary log are.
func redoSegmentBytes(maxBinlogSize int64) int64 {
	const most = 16 << 20
	if maxBinlogSize == 0 {
		return most
	}
	return min(maxBinlogSize, most)
}

// throughMemory lets large transactions go the way of all others.
func throughMemory(cfg *txn.Config) {
	const most = 1 << 30
	cfg.NewEventFile, cfg.SpillFS = nil, nil
	if cfg.MaxTransactionBytes <= 0 || cfg.MaxTransactionBytes > most {
		cfg.MaxTransactionBytes = most
	}
}

// resolve decides about what is prepared in an engine, and brings it to the end of the log.
func (s *Store) resolve(ctx context.Context, e engine.Engine, d *decision) (*replay.Result, error) {
	resolved, err := s.protocol.Resolve(ctx, twopc.Resolution{
		Log: s.log, Engine: e, Owns: s.owns(e),
		Load: func() (*catalog.Snapshot, error) {
			snapshot, err := s.loadCatalog(e)
			if err == nil {
				err = s.placeTables(snapshot)
			}
			return snapshot, err
		},
	})
	switch {
	case errors.Is(err, twopc.ErrContradiction):
		return nil, s.fail("recover", ErrCorrupt, err)
	case err != nil:
		return nil, s.fail("recover", replayErrorKind(err), err)
	}
	if resolved.Committed+resolved.Dropped > 0 {
		s.logger.Info("decided about prepared transactions", "engine", e.Name(), "committed", resolved.Committed, "rolled_back", resolved.Dropped)
	}
	if text := resolved.State.String(); text != d.plan.State.String() {
		s.logger.Warn("the engine's GTID state differs from the binary log's, which counts", "engine", text, "log", d.plan.State.String())
	}
	return &replay.Result{Catalog: resolved.Catalog, State: resolved.State}, s.removeOrphans(e, resolved.Catalog)
}

// stopProtocol ends what the protocol does in the background.
func (s *Store) stopProtocol() {
	if s.protocol != nil {
		s.protocol.Stop()
	}
}

// CommitCost is what all commits together have cost since the start: syncs of the log and of the redo logs, and bytes written to them.
// A log under a redo log is not synced by itself.
func (s *Store) CommitCost() (syncs, bytes uint64) {
	log, redo := s.pipeline.Stats(), s.RedoStats()
	if syncs = redo.Syncs; s.carry == nil {
		syncs += log.Syncs
	}
	return syncs, log.BytesWritten + redo.Bytes
}

// RedoStats count what the redo logs of engines have written; with onelog there are none.
func (s *Store) RedoStats() redo.Stats {
	if s.protocol == nil {
		return redo.Stats{}
	}
	return s.protocol.Stats()
}

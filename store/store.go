package store

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/commit/protocol/enginelog"
	"github.com/duramendb/duramen/commit/protocol/twopc"
	"github.com/duramendb/duramen/engine/set"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/txn"
)

// Store is an open data directory. Its methods are safe for concurrent use.
type Store struct {
	opts   Options
	logger *slog.Logger

	lock     io.Closer
	log      *binlog.Log
	engine   *set.Set
	registry *catalog.Registry
	pipeline *commit.Pipeline
	// protocol is how commits become durable, if that is not onelog.
	protocol *twopc.Protocol
	carry    *enginelog.FS // nil unless the log is under a redo log
	txns     *txn.Manager
	cut      cut // of the log, by recovery

	// syncLog is what an engine calls before it makes anything durable. Until
	// the pipeline exists it is the log's own sync.
	syncLog atomic.Pointer[func(logpos.Pos) error]

	checkpointMu       sync.Mutex // one checkpoint at a time
	checkpointBytes    atomic.Int64
	checkpointInterval atomic.Int64 // nanoseconds

	exporting atomic.Bool // there is an Export

	retention atomic.Pointer[Retention]
	replicas  atomic.Pointer[Replicas]

	stop      chan struct{} // closed by Close
	stopped   sync.WaitGroup
	closeOnce sync.Once
	closeErr  error
}

// Txns begins transactions.
func (s *Store) Txns() *txn.Manager { return s.txns }

// Catalog is the registry of table definitions.
func (s *Store) Catalog() *catalog.Registry { return s.registry }

// Log is the binary log, for its readers. Writing goes through Pipeline only.
func (s *Store) Log() *binlog.Log { return s.log }

// Pipeline is the group commit pipeline: its settings, statistics, and rotation.
func (s *Store) Pipeline() *commit.Pipeline { return s.pipeline }

// Engine is the engines that hold the tables, as one.
func (s *Store) Engine() *set.Set { return s.engine }

// Dir is the data directory.
func (s *Store) Dir() string { return s.opts.Dir }

// Close ends the background work, waits for commits under way, writes a
// checkpoint, and closes engines, log and directory. Transactions that
// are still open lose their changes. It is idempotent.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		close(s.stop)
		s.stopped.Wait()
		var errs errorList
		if err := s.pipeline.Close(); err != nil {
			errs.add("close commit pipeline", err)
		} else if err := s.checkpoint(context.Background()); err != nil {
			errs.add("last checkpoint", err)
		}
		s.stopProtocol()
		s.closeErr = s.closeFiles(&errs)
	})
	return s.closeErr
}

// closeFiles closes whatever is open, the engines before the log that they sync.
func (s *Store) closeFiles(errs *errorList) error {
	if s.engine != nil {
		errs.add("close engine", s.engine.Close())
	}
	if s.protocol != nil {
		errs.add("close redo log", s.protocol.Close())
	}
	if s.log != nil {
		errs.add("close log", s.log.Close())
	}
	if s.lock != nil {
		errs.add("unlock data directory", s.lock.Close())
	}
	return errs.join()
}

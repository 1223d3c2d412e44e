package store

import (
	"context"
	"fmt"
	"time"
)

// checkpointPoll is how often, at least, the background looks whether a checkpoint is due.
const checkpointPoll = time.Second

// Checkpoint makes everything committed so far durable in the engine, so that
// recovery starts here, and lets go of the log files before.
func (s *Store) Checkpoint(ctx context.Context) error {
	select {
	case <-s.stop:
		return ErrClosed
	default:
		return s.checkpoint(ctx)
	}
}

func (s *Store) checkpoint(ctx context.Context) error {
	s.checkpointMu.Lock()
	defer s.checkpointMu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.pipeline.AdvanceMark(); err != nil {
		return fmt.Errorf("store: checkpoint: %w", err)
	}
	mark := s.engine.Durable()
	if mark.Position != s.engine.Applied().Position {
		started := time.Now()
		var err error
		if mark, err = s.engine.Checkpoint(); err != nil {
			return fmt.Errorf("store: checkpoint of %s: %w", s.engine.Name(), err)
		}
		s.logger.Debug("checkpoint", "engine", s.engine.Name(), "position", mark.Position.String(),
			"duration", time.Since(started))
	}
	s.log.SetRecoveryStart(mark.Position)
	return nil
}

// SetCheckpointLogSize changes checkpoint_log_size; see Options.CheckpointBytes.
func (s *Store) SetCheckpointLogSize(bytes int64) { s.checkpointBytes.Store(bytes) }

// SetCheckpointInterval changes checkpoint_interval; see Options.CheckpointInterval.
func (s *Store) SetCheckpointInterval(d time.Duration) { s.checkpointInterval.Store(int64(d)) }

// checkpointInBackground bounds the recovery time. It is started by Open and
// ended by Close. What was written before lastBytes needs none.
func (s *Store) checkpointInBackground(lastBytes uint64) {
	defer s.stopped.Done()
	ticker := time.NewTicker(min(checkpointPoll, s.opts.CheckpointInterval))
	defer ticker.Stop()
	last := time.Now()
	for {
		select {
		case <-s.stop:
			return
		case <-ticker.C:
		}
		bytes := s.pipeline.Stats().BytesWritten
		due := bytes-lastBytes >= uint64(s.checkpointBytes.Load()) || time.Since(last) >= time.Duration(s.checkpointInterval.Load())
		if !due {
			continue
		}
		last, lastBytes = time.Now(), bytes
		if err := s.checkpoint(context.Background()); err != nil {
			s.logger.Error("checkpoint failed; it will be tried again, and until then recovery takes longer and log files are kept", "error", err)
		}
	}
}

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

// checkpointInBackground bounds the recovery time. It is started by Open and
// ended by Close.
func (s *Store) checkpointInBackground() {
	defer s.stopped.Done()
	ticker := time.NewTicker(min(checkpointPoll, s.opts.CheckpointInterval))
	defer ticker.Stop()
	last, lastBytes := time.Now(), s.pipeline.Stats().BytesWritten
	for {
		select {
		case <-s.stop:
			return
		case <-ticker.C:
		}
		bytes := s.pipeline.Stats().BytesWritten
		due := bytes-lastBytes >= uint64(s.opts.CheckpointBytes) || time.Since(last) >= s.opts.CheckpointInterval
		if !due {
			continue
		}
		last, lastBytes = time.Now(), bytes
		if err := s.checkpoint(context.Background()); err != nil {
			s.logger.Error("checkpoint failed; it will be tried again, and until then recovery takes longer and log files are kept", "error", err)
		}
	}
}

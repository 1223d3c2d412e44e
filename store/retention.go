package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Retention says which files of the log are removed without being asked for. The zero value
// removes none.
type Retention struct {
	// MaxAge is binlog_expire_logs_seconds: files last written to longer ago; 0 means no limit.
	MaxAge time.Duration
	// MaxBytes is max_binlog_total_size: the oldest files, as long as all files together take more of the
	// disk; 0 means no limit.
	MaxBytes int64
	// MinReplicas is slave_connections_needed_for_purge: nothing is removed while fewer are connected.
	MinReplicas int
}

// Replicas tells what replicas need of the log.
type Replicas interface {
	// Connected is how many are being served.
	Connected() int
	// Needed is the oldest segment that one of them needs, be it connected or likely to come back.
	Needed() (segment uint64, ok bool)
	// Forget is called when the log was replaced by an empty one.
	Forget()
}

const (
	// purgePoll is how often the background looks for files that are too old. That the log has
	// grown too large it learns at every rotation.
	purgePoll = 10 * time.Second
	// purgeGrace is how long after a start the background removes nothing: MariaDB's replicas
	// try to connect again every 60 s, and until then nobody knows what they need.
	purgeGrace = 90 * time.Second
)

// SetRetention changes the limits; they are looked at with the next rotation, or by ApplyRetention.
func (s *Store) SetRetention(r Retention) { s.retention.Store(&r) }

// SetReplicas says who is asked for what replicas need.
func (s *Store) SetReplicas(r Replicas) { s.replicas.Store(&r) }

// ApplyRetention removes the files that are beyond the limits and needed by nobody, and returns their names. An engine that
// needs one of them is checkpointed.
func (s *Store) ApplyRetention(ctx context.Context) ([]string, error) {
	r := s.retention.Load()
	if r == nil || r.MaxAge <= 0 && r.MaxBytes <= 0 {
		return nil, nil
	}
	replicas := s.replicas.Load()
	if r.MinReplicas > 0 && (replicas == nil || (*replicas).Connected() < r.MinReplicas) {
		return nil, nil
	}
	var keep uint64
	if r.MaxAge > 0 {
		n, err := s.log.WrittenSince(time.Now().Add(-r.MaxAge))
		if err != nil {
			return nil, fmt.Errorf("store: purge: %w", err)
		}
		keep = n
	}
	if r.MaxBytes > 0 {
		keep = max(keep, s.log.FittingInto(r.MaxBytes))
	}
	if replicas != nil {
		if n, ok := (*replicas).Needed(); ok {
			keep = min(keep, n)
		}
	}
	if keep <= s.log.Segments()[0].Segment {
		return nil, nil
	}
	return s.PurgeLog(ctx, keep)
}

// PurgeLog removes the log's files before segment n (PURGE BINARY LOGS TO), up to the first that somebody
// reads. What the engine's recovery would need of them, it needs no more afterwards.
func (s *Store) PurgeLog(ctx context.Context, n uint64) ([]string, error) {
	var gone []string
	if s.log.RecoveryStart().Segment < n {
		if err := s.Checkpoint(ctx); err != nil {
			// On a full disk the engine can write nothing, and what it needs no more is in the way.
			var perr error
			if gone, perr = s.log.PurgeTo(n); perr != nil || len(gone) == 0 {
				return gone, errors.Join(err, perr)
			}
			if err := s.Checkpoint(ctx); err != nil {
				return gone, err
			}
		}
	}
	more, err := s.log.PurgeTo(n)
	gone = append(gone, more...)
	if err != nil {
		return gone, fmt.Errorf("store: purge: %w", err)
	}
	if len(gone) > 0 {
		s.logger.Info("purged binary log files", "first", gone[0], "last", gone[len(gone)-1], "files", len(gone))
	}
	return gone, nil
}

// purgeInBackground is started by Open and ended by Close.
func (s *Store) purgeInBackground() {
	defer s.stopped.Done()
	ticker := time.NewTicker(purgePoll)
	defer ticker.Stop()
	opened := time.Now()
	for {
		select {
		case <-s.stop:
			return
		case <-ticker.C:
		case <-s.log.Rotated():
		}
		if time.Since(opened) < purgeGrace {
			continue
		}
		if _, err := s.ApplyRetention(context.Background()); err != nil {
			s.logger.Error("purging binary log files failed; it will be tried again", "error", err)
		}
	}
}

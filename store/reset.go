package store

import (
	"context"
	"fmt"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/gtid"
)

// ResetLog is RESET MASTER TO first: it makes everything durable in the engine, and replaces the log by
// an empty one with the given GTID state. With onlyEmpty, a log that has a GTID state is refused
// (commit.ErrNotEmpty).
func (s *Store) ResetLog(ctx context.Context, first uint64, state *gtid.State, onlyEmpty bool) error {
	// Most of the work of the checkpoint is done while others still commit.
	if err := s.Checkpoint(ctx); err != nil {
		return err
	}
	if err := s.replaceLog(first, state, onlyEmpty); err != nil {
		return fmt.Errorf("store: reset the log: %w", err)
	}
	if r := s.replicas.Load(); r != nil {
		(*r).Forget()
	}
	s.logger.Info("the binary log was reset", "first", s.log.SegmentName(first), "gtids", state.String())
	return nil
}

// replaceLog is what ResetLog does after its checkpoint: nothing is prepared, and no checkpoint of either kind runs meanwhile.
func (s *Store) replaceLog(first uint64, state *gtid.State, onlyEmpty bool) error {
	reset := func() error {
		s.checkpointMu.Lock()
		defer s.checkpointMu.Unlock()
		return s.pipeline.ResetLog(first, state, onlyEmpty)
	}
	if s.protocol != nil {
		return s.protocol.Exclusive(reset)
	}
	return reset()
}

// checkReset looks whether the engine belongs to a log of which a reset was interrupted. Nothing is changed.
func (s *Store) checkReset(d *decision) error {
	r, at := d.plan.Reset, d.mark.Position
	if at == r.OldEnd || at.Segment == r.First && gtid.StateText(d.mark.GTIDState) == r.State.String() {
		return nil
	}
	return &OpenError{Dir: s.opts.Dir, Op: "recover", Kind: ErrCorrupt,
		Err: fmt.Errorf("a RESET MASTER was interrupted when %s held everything up to %s, but it holds everything up to %s (GTIDs %q)",
			d.text(), d.position(r.OldEnd), d.markText(), d.mark.GTIDState),
		Hint: "the engine's files were replaced since; restore a backup"}
}

// finishReset goes on with an interrupted reset: the log is new, and the engines are told so, but for those that have nothing to
// recover. They get the definitions later, and the mark together with them.
func (s *Store) finishReset(ds decisions) error {
	end, state := s.log.End(), s.log.StateClone()
	before, err := gtid.ParsePoint(ds.first().mark.GTIDState)
	if err != nil {
		return err
	}
	mark := engine.Mark{Position: end, GTIDState: before.At(state).String()}
	for i, e := range s.engine.Engines() {
		if ds[i].fresh {
			continue
		}
		if err := e.Capabilities().MarkResetter.ResetMark(mark); err != nil {
			return fmt.Errorf("engine %s: %w", e.Name(), err)
		}
	}
	s.logger.Warn("a RESET MASTER that was interrupted is finished", "log", s.log.SegmentName(end.Segment), "gtids", state.String())
	return s.log.FinishReset()
}

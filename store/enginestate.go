package store

import (
	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// EngineState is how far an engine is, and what it tells about itself.
type EngineState struct {
	Name string
	// Volatile engines keep nothing over a restart, and need nothing of the log.
	Volatile bool
	// Applied is the engine's last change, Durable what a restart would find.
	Applied, Durable engine.Mark
	// LagBytes is how much of the log a crash at this moment would have to replay for the engine.
	LagBytes int64
	engine.Stats
}

// EngineStates are those of the engines, the default first.
func (s *Store) EngineStates() []EngineState {
	segments := s.log.Segments()
	states := make([]EngineState, len(s.opts.Engines))
	for i, e := range s.engine.Engines() {
		// Durable goes first, so that it is not beyond Applied.
		st := EngineState{Name: e.Name(), Volatile: s.opts.Engines[i].Volatile(), Durable: e.Durable(), Applied: e.Applied(), Stats: e.Stats()}
		if !st.Volatile {
			st.LagBytes = bytesAfter(segments, st.Durable.Position)
		}
		states[i] = st
	}
	return states
}

// bytesAfter is how much of the log lies after a place.
func bytesAfter(segments []binlog.SegmentInfo, p logpos.Pos) (n int64) {
	for _, s := range segments {
		switch {
		case s.Segment == p.Segment:
			n += s.Size - min(int64(p.Offset), s.Size)
		case s.Segment > p.Segment:
			n += s.Size
		}
	}
	return n
}

package binlog

import "github.com/duramendb/duramen/internal/invariants"

// checkPositionsLocked panics if the log's positions are not in their order:
//
//	recovery start <= synced <= written, visible <= offered <= written
//
// mu is held.
func (st *status) checkPositionsLocked() {
	if !invariants.Enabled {
		return
	}
	m := &st.mu
	invariants.Check(!m.written.Before(m.synced), "the log is synced up to %v, but ends at %v", m.synced, m.written)
	invariants.Check(!m.written.Before(m.visible), "the log is visible up to %v, but ends at %v", m.visible, m.written)
	invariants.Check(!m.written.Before(m.offered), "the log is offered up to %v, but ends at %v", m.offered, m.written)
	invariants.Check(!m.offered.Before(m.visible), "the log is visible up to %v, but offered only up to %v", m.visible, m.offered)
}

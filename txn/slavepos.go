package txn

import (
	"context"
	"fmt"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
)

// Reposition changes gtid_slave_pos: it is in the log, and durable when it returns.
func (m *Manager) Reposition(ctx context.Context, to gtid.Reposition) error {
	if err := m.note(ctx, &CommitRequest{Reposition: &to}, event.PrivateSlavePos, to.String()); err != nil {
		return fmt.Errorf("set gtid_slave_pos: %w", err)
	}
	return nil
}

// SetExecuted changes gtid_executed: it is in the log, and durable when it returns.
func (m *Manager) SetExecuted(ctx context.Context, to gtid.ExecutedChange) error {
	if err := m.note(ctx, &CommitRequest{Executed: &to}, event.PrivateExecuted, to.String()); err != nil {
		return fmt.Errorf("set gtid_purged: %w", err)
	}
	return nil
}

// note logs a private record that is alone in its transaction.
func (m *Manager) note(ctx context.Context, r *CommitRequest, kind event.PrivateKind, text string) error {
	meta := event.Meta{Timestamp: uint32(m.cfg.Now().Unix())}
	r.LocalOnly, r.Timestamp, r.Ticket = true, meta.Timestamp, NewTicket(nil, m.cfg.Committer.Epoch())
	r.Events = event.AppendPrivate(nil, meta, kind, []byte(text))
	return m.cfg.Committer.Commit(ctx, r)
}

package replica

import (
	"context"
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/gtid"
)

// DefaultQueueBytes is Config.QueueBytes if that is 0.
const DefaultQueueBytes = 64 << 20

// Config is what a Manager is made of.
type Config struct {
	// FS and Dir are where the file with the settings is: the data directory.
	FS  vfs.FS
	Dir string
	// Logger is slog.Default if nil.
	Logger *slog.Logger

	// Receive connects to the primary once and puts parts until an error or the end of ctx; the package comment says what it owes. Without
	// it, or Apply, nothing can be started (1235).
	Receive func(ctx context.Context, r *Receiving) error
	// Apply takes parts and commits them until an error or the end of ctx.
	Apply func(ctx context.Context, a *Applying) error

	// SlavePos is gtid_slave_pos, CurrentPos gtid_current_pos, BinlogPos gtid_binlog_pos. The results belong to the caller.
	SlavePos, CurrentPos, BinlogPos func() gtid.Position
	// Executed is gtid_executed. The result belongs to the caller.
	Executed func() gtid.Set
	// SetSlavePos sets gtid_slave_pos durably, for MASTER_DEMOTE_TO_SLAVE; nil if that cannot be.
	SetSlavePos func(ctx context.Context, pos gtid.Position) error
	// ServerID is server_id.
	ServerID func() uint32
	// ThreadID gives a thread its id, for the process list.
	ThreadID func() uint32
	// NetTimeout is slave_net_timeout.
	NetTimeout func() time.Duration

	// RetryCount is --master-retry-count; 0: no end.
	RetryCount uint64
	// SameServerID is --replicate-same-server-id, SkipStart --skip-slave-start: they change what statements say.
	SameServerID, SkipStart bool
	// QueueBytes bounds what is received and not executed, per connection, in bytes on the wire; 0 means DefaultQueueBytes. A single part may be larger.
	QueueBytes int

	now   func() time.Time
	sleep func(ctx context.Context, d time.Duration) error
}

// ensureDefaults fills in what is not set.
func (c *Config) ensureDefaults() {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.QueueBytes == 0 {
		c.QueueBytes = DefaultQueueBytes
	}
	none := func() gtid.Position { return gtid.Position{} }
	for _, f := range []*func() gtid.Position{&c.SlavePos, &c.CurrentPos, &c.BinlogPos} {
		if *f == nil {
			*f = none
		}
	}
	if c.Executed == nil {
		c.Executed = func() gtid.Set { return gtid.Set{} }
	}
	if c.ServerID == nil {
		c.ServerID = func() uint32 { return 0 }
	}
	if c.ThreadID == nil {
		c.ThreadID = func() uint32 { return 0 }
	}
	if c.NetTimeout == nil {
		c.NetTimeout = func() time.Duration { return time.Minute }
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.sleep == nil {
		c.sleep = sleep
	}
}

// sleep waits, at most until the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

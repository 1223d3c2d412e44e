package admin

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/query/dialect/own"
	"github.com/duramendb/duramen/query/gms"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/replication/replica"
)

// Server is the server that statements of its own look at and change.
type Server struct {
	*session.Server
	SQL      *gms.Engine
	Sessions *Sessions
	Replicas replicaList
	// Replication has the connections to primaries.
	Replication *replica.Manager
	Started     time.Time
	LastID      *atomic.Uint32             // the connection id that was given last
	Shutdown    func(waitForReplicas bool) // nil if it cannot be asked for by SQL
	// SemiSyncReplica says how many connections to primaries wait for acknowledgements, and how many of these were sent.
	SemiSyncReplica func() (connections int64, sent uint64)
	// Programs is how many statements are kept bound, and what they take in bytes.
	Programs func() (entries int, bytes int64)

	kept own.Kept
}

// Statements run statements that stand in others.
type Statements interface {
	// ExecuteFirst runs the first statement of a text, and returns the rest.
	ExecuteFirst(ctx context.Context, text string, sink result.Sink) (rest string, err error)
	PrepareNamed(ctx context.Context, name, text string) error
	ExecuteNamed(ctx context.Context, name string, params []result.Value, sink result.Sink, more bool) error
	ExecuteImmediate(ctx context.Context, text string, params []result.Value, sink result.Sink) error
	Deallocate(name string) error
}

package admin

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/query/gms"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
)

// Server is the server that statements of its own look at and change.
type Server struct {
	*session.Server
	SQL      *gms.Engine
	Sessions *Sessions
	Replicas replicaList
	Started  time.Time
	LastID   *atomic.Uint32 // the connection id that was given last
	Shutdown func()         // nil if it cannot be asked for by SQL
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

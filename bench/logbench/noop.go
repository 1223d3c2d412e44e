package logbench

import (
	"errors"
	"sync/atomic"

	"github.com/duramendb/duramen/engine"
)

// idleEngine is an engine that keeps nothing but its mark: what remains of a commit is the log.
type idleEngine struct{ mark atomic.Pointer[engine.Mark] }

var _ engine.Engine = (*idleEngine)(nil)

// errEmpty is returned where there would be rows.
var errEmpty = errors.New("logbench: this engine keeps no rows")

func (e *idleEngine) Name() string           { return "idle" }
func (e *idleEngine) NewBatch() engine.Batch { return idleBatch{} }

// Capabilities are none: there is nothing to import, to reset, or to wait for.
func (e *idleEngine) Capabilities() engine.Capabilities { return engine.Capabilities{} }

func (e *idleEngine) Apply(_ engine.Batch, m engine.Mark) error {
	e.mark.Store(&m)
	return nil
}

func (e *idleEngine) Ingest(engine.Batch) error { return nil }
func (e *idleEngine) Snapshot() engine.Snapshot { return idleSnapshot{} }
func (e *idleEngine) Get([]byte) ([]byte, bool, func(), error) {
	return nil, false, func() {}, nil
}
func (e *idleEngine) NewIter(_, _ []byte) (engine.Iterator, error) { return nil, errEmpty }
func (e *idleEngine) Checkpoint() (engine.Mark, error)             { return e.Applied(), nil }

func (e *idleEngine) Applied() engine.Mark {
	if m := e.mark.Load(); m != nil {
		return *m
	}
	return engine.Mark{}
}

func (e *idleEngine) Durable() engine.Mark             { return e.Applied() }
func (e *idleEngine) Size(_, _ []byte) (uint64, error) { return 0, nil }
func (e *idleEngine) Stats() engine.Stats              { return engine.Stats{} }
func (e *idleEngine) Close() error                     { return nil }

type idleSnapshot struct{}

func (idleSnapshot) Get([]byte) ([]byte, bool, func(), error)     { return nil, false, func() {}, nil }
func (idleSnapshot) NewIter(_, _ []byte) (engine.Iterator, error) { return nil, errEmpty }
func (idleSnapshot) Close() error                                 { return nil }

type idleBatch struct{}

func (idleBatch) Set(_, _ []byte) error         { return nil }
func (idleBatch) Delete([]byte) error           { return nil }
func (idleBatch) DeleteRange(_, _ []byte) error { return nil }
func (idleBatch) Len() int                      { return 0 }
func (idleBatch) Discard()                      {}

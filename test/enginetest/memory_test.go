package enginetest

import (
	suite "github.com/dolthub/go-mysql-server/enginetest"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
)

// memoryBackend is go-mysql-server's own storage, which ours is measured by.
type memoryBackend struct{}

var _ backend = memoryBackend{}

func (memoryBackend) harness() harness { return suite.NewMemoryHarness("default", 1, nil) }

func (memoryBackend) keepingSession() harness {
	return suite.NewDefaultMemoryHarness().RetainSessionAfterSetup()
}

func (memoryBackend) readOnly() harness { return suite.NewReadOnlyMemoryHarness() }

func (memoryBackend) persistable(h harness) func(*sql.Context) sql.PersistableSession {
	return func(*sql.Context) sql.PersistableSession {
		ctx := h.(*suite.MemoryHarness).NewSession()
		return ctx.Session.(*memory.Session).SetGlobals(memory.GlobalsMap{})
	}
}

func (memoryBackend) validating(count *int) func(*sql.Context) sql.PersistableSession {
	return func(ctx *sql.Context) sql.PersistableSession {
		s := ctx.Session.(*memory.Session)
		s.SetValidationCallback(func() { *count++ })
		return s
	}
}

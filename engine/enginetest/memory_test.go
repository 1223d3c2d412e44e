package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
)

type memoryHarness struct{ kind MemoryKind }

func (h *memoryHarness) Open(t *testing.T) engine.Engine {
	e, err := h.kind.Open(engine.Options{})
	require.NoError(t, err)
	return e
}

func (h *memoryHarness) Crash(t *testing.T, e engine.Engine) { require.NoError(t, e.Close()) }

func (h *memoryHarness) Can() Can { return Can{Importer: true, MarkResetter: true} }

func TestMemory(t *testing.T) {
	Run(t, func(*testing.T) Harness { return &memoryHarness{MemoryKind{EngineName: "MEMORY", Disk: &Disk{}}} })
}

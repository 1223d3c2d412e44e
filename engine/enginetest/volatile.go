package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
)

// Nothing of a volatile engine is there after a restart, and it needs nothing of the log: what it has applied counts as durable.
func testVolatile(t *testing.T, h Harness) {
	e := h.Open(t)
	for n := range uint64(3) {
		apply(t, e, n+1, "a=1")
		require.Equal(t, mark(n+1), e.Durable())
	}
	m, err := e.Checkpoint()
	require.NoError(t, err)
	require.Equal(t, mark(3), m)
	require.Equal(t, "1", get(t, e, "a"))
	require.Zero(t, e.Stats())
	h.Crash(t, e)
	e = h.Open(t)
	require.Equal(t, engine.Mark{}, e.Durable())
	require.Equal(t, engine.Mark{}, e.Applied())
	require.Empty(t, contents(t, e))
	if f, ok := h.(HasFiles); ok {
		require.Empty(t, f.Files(t))
	}
	require.NoError(t, e.Close())
}

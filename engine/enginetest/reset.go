package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
)

// The mark is moved back, and forwards, and goes on from there.
func testResetMark(t *testing.T, h Harness) {
	e := h.Open(t)
	apply(t, e, 500, "a=1")
	_, err := e.Checkpoint()
	require.NoError(t, err)
	back := engine.Mark{Position: mark(3).Position, GTIDState: "0-1-700"}
	require.NoError(t, resetter(e).ResetMark(back))
	require.Equal(t, back, e.Applied())
	require.Equal(t, back, e.Durable())
	require.Equal(t, []string{"a=1"}, contents(t, e))
	apply(t, e, 5, "b=1")
	require.Error(t, e.Apply(e.NewBatch(), mark(4)))
	require.NoError(t, resetter(e).ResetMark(mark(800)))
	require.NoError(t, resetter(e).ResetMark(mark(800)), "to where it is")
	require.Equal(t, mark(800), e.Durable())
	require.NoError(t, resetter(e).ResetMark(mark(1)))
	require.NoError(t, resetter(e).ResetMark(mark(0)), "twice, with nothing in between")
	require.Equal(t, mark(0), e.Applied())
	require.Equal(t, mark(0), e.Durable())
	require.Equal(t, []string{"a=1", "b=1"}, contents(t, e))
	require.NoError(t, e.Close())
}

// A mark that was moved is durable.
func testResetMarkAndCrash(t *testing.T, h Harness) {
	e := h.Open(t)
	apply(t, e, 500, "a=1")
	_, err := e.Checkpoint()
	require.NoError(t, err)
	back := engine.Mark{Position: mark(3).Position, GTIDState: "0-1-700"}
	require.NoError(t, resetter(e).ResetMark(back))
	apply(t, e, 5, "b=1")
	h.Crash(t, e)
	e = h.Open(t)
	require.Contains(t, []engine.Mark{back, mark(5)}, e.Durable())
	apply(t, e, 5, "b=1")
	m, err := e.Checkpoint()
	require.NoError(t, err)
	require.Equal(t, mark(5), m)
	require.NoError(t, resetter(e).ResetMark(mark(800)))
	h.Crash(t, e)
	e = h.Open(t)
	require.Equal(t, mark(800), e.Durable())
	require.Equal(t, []string{"a=1", "b=1"}, contents(t, e))
	require.NoError(t, resetter(e).ResetMark(mark(0)))
	require.NoError(t, e.Close())
	e = h.Open(t)
	require.Equal(t, mark(0), e.Durable())
	require.NoError(t, e.Close())
}

func resetter(e engine.Engine) engine.MarkResetter { return e.Capabilities().MarkResetter }

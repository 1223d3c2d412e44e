package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
)

// A closed engine has ErrClosed for everything that can return an error, and nothing else happens.
func testClosed(t *testing.T, h Harness) {
	e := h.Open(t)
	can := e.Capabilities()
	apply(t, e, 1, "a=1")
	_, err := e.Checkpoint()
	require.NoError(t, err)
	apply(t, e, 2, "b=1")
	b, unused := batch(t, e, "c=1"), batch(t, e, "d=1")
	durable := e.Durable()
	require.NoError(t, e.Close())
	require.NoError(t, e.Close(), "twice is no error")
	require.ErrorIs(t, e.Apply(b, mark(3)), engine.ErrClosed)
	require.ErrorIs(t, e.Ingest(batch(t, e, "e=1")), engine.ErrClosed)
	unused.Discard()
	_, _, _, err = e.Get([]byte("a"))
	require.ErrorIs(t, err, engine.ErrClosed)
	_, err = e.NewIter(nil, nil)
	require.ErrorIs(t, err, engine.ErrClosed)
	_, err = e.Checkpoint()
	require.ErrorIs(t, err, engine.ErrClosed)
	_, err = e.Size(nil, nil)
	require.ErrorIs(t, err, engine.ErrClosed)
	require.Zero(t, e.Stats())
	s := e.Snapshot()
	_, _, _, err = s.Get([]byte("a"))
	require.ErrorIs(t, err, engine.ErrClosed)
	_, err = s.NewIter(nil, nil)
	require.ErrorIs(t, err, engine.ErrClosed)
	require.NoError(t, s.Close())
	require.Equal(t, mark(2), e.Applied())
	require.Equal(t, durable, e.Durable())
	require.NoError(t, can.Writable())
	if can.Importer != nil {
		_, err = can.Importer.NewImport("")
		require.ErrorIs(t, err, engine.ErrClosed)
	}
	if can.MarkResetter != nil {
		require.ErrorIs(t, can.MarkResetter.ResetMark(mark(7)), engine.ErrClosed)
		require.Equal(t, mark(2), e.Applied())
	}
	if h.Can().Volatile {
		return
	}
	e = h.Open(t)
	require.False(t, e.Durable().Position.Before(mark(1).Position))
	require.Equal(t, "1", get(t, e, "a"))
	require.Equal(t, "-", get(t, e, "c"))
	require.NoError(t, e.Close())
}

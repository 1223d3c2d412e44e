package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
)

// loaded is a finished import of changes, in order, for Load.
func loaded(t *testing.T, h Harness, e engine.Engine, changes []change) engine.Import {
	t.Helper()
	in, err := e.Capabilities().Loader.NewImport(dirOfImports(t, h))
	require.NoError(t, err)
	add(t, in, changes)
	require.NoError(t, in.Finish())
	return in
}

// What Load has taken is visible and durable when it returns, and the mark stays. Whatever was ingested there before is durable, too.
func testLoad(t *testing.T, h Harness) {
	e := h.Open(t)
	loader := e.Capabilities().Loader
	apply(t, e, 1, "a=1", "z=1")
	_, err := e.Checkpoint()
	require.NoError(t, err)
	s := e.Snapshot()
	require.NoError(t, loader.Load(loaded(t, h, e, rows("r", 3000, "new"))))
	_, ok, _, err := s.Get([]byte("r/000001"))
	require.NoError(t, err)
	require.False(t, ok, "a snapshot that was made before")
	require.NoError(t, s.Close())
	require.Equal(t, mark(1), e.Applied())
	want := model{"a": "1", "z": "1"}.with(rows("r", 3000, "new"))
	require.Equal(t, want, read(t, e))
	e = crash(t, h, e)
	require.Equal(t, mark(1), e.Durable())
	require.Equal(t, want, read(t, e))

	loader = e.Capabilities().Loader
	require.NoError(t, e.Ingest(batch(t, e, "s/000000=old", "s/000001x=old", "s/9=old")))
	b := e.NewBatch()
	require.NoError(t, b.DeleteRange([]byte("s/"), []byte("s0")))
	require.NoError(t, e.Ingest(b))
	require.NoError(t, loader.Load(loaded(t, h, e, rows("s", 3, "new"))))
	want = want.with(rows("s", 3, "new"))
	require.Equal(t, want, read(t, e))
	e = crash(t, h, e)
	require.Equal(t, want, read(t, e))

	loader = e.Capabilities().Loader
	require.NoError(t, loader.Load(loaded(t, h, e, nil)), "of nothing")
	in, err := loader.NewImport(dirOfImports(t, h))
	require.NoError(t, err)
	add(t, in, rows("u", 10, "x"))
	require.Error(t, loader.Load(in), "it is not finished")
	in, err = loader.NewImport(dirOfImports(t, h))
	require.NoError(t, err)
	add(t, in, rows("u", 10, "x"))
	require.NoError(t, in.Finish())
	in.Discard()
	require.Equal(t, want, read(t, e))
	in = loaded(t, h, e, rows("u", 10, "x"))
	require.NoError(t, e.Close())
	require.ErrorIs(t, loader.Load(in), engine.ErrClosed)
	in.Discard()
}

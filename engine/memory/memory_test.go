package memory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/enginetest"
	"github.com/duramendb/duramen/logpos"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, func(*testing.T) enginetest.Harness {
		return enginetest.NewFiles(Kind{}, enginetest.Can{Importer: true, MarkResetter: true, InMemory: true, Volatile: true})
	})
}

func mark(n uint64) engine.Mark { return engine.Mark{Position: logpos.At(1, n), GTIDState: "0-1-1"} }

func value(t *testing.T, e engine.Engine, key string) string {
	t.Helper()
	v, ok, release, err := e.Get([]byte(key))
	require.NoError(t, err)
	defer release()
	if !ok {
		return "-"
	}
	return string(v)
}

func openEngine(t *testing.T) engine.Engine {
	t.Helper()
	e, err := Kind{}.Open(engine.Options{})
	require.NoError(t, err)
	return e
}

// What is applied counts as durable, and is gone with the engine.
func TestNothingStays(t *testing.T) {
	require.True(t, Kind{}.Volatile())
	e := openEngine(t)
	b := e.NewBatch()
	require.NoError(t, b.Set([]byte("a"), []byte("1")))
	require.NoError(t, e.Apply(b, mark(10)))
	require.Equal(t, mark(10), e.Durable())
	m, err := e.Checkpoint()
	require.NoError(t, err)
	require.Equal(t, mark(10), m)
	require.Equal(t, "1", value(t, e, "a"))
	require.NoError(t, e.Close())
	_, err = e.Checkpoint()
	require.ErrorIs(t, err, engine.ErrClosed)

	e = openEngine(t)
	require.Equal(t, engine.Mark{}, e.Durable())
	require.Equal(t, "-", value(t, e, "a"))
	require.NoError(t, e.Close())
}

// An import is applied with a batch, and at once; its keys come in order.
func TestImport(t *testing.T) {
	e := openEngine(t)
	can := e.Capabilities()
	in, err := can.Importer.NewImport("")
	require.NoError(t, err)
	require.NoError(t, in.Set([]byte("a"), []byte("1")))
	require.ErrorIs(t, in.Set([]byte("a"), []byte("2")), engine.ErrKeyOrder)
	require.NoError(t, in.Delete([]byte("b")))
	require.Error(t, can.Importer.ApplyImport(in, e.NewBatch(), mark(1)), "it is not finished")
	require.NoError(t, in.Finish())
	b := e.NewBatch()
	require.NoError(t, b.Set([]byte("c"), []byte("3")))
	require.NoError(t, can.Importer.ApplyImport(in, b, mark(2)))
	require.Equal(t, "1", value(t, e, "a"))
	require.Equal(t, "3", value(t, e, "c"))
	require.Equal(t, mark(2), e.Applied())
	require.NoError(t, can.MarkResetter.ResetMark(mark(1)))
	require.Equal(t, mark(1), e.Applied())
	require.NoError(t, e.Close())
}

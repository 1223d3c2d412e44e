package set

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/enginetest"
)

// Several engines can do together what each of them can.
func TestCapabilities(t *testing.T) {
	f := newFixture(t, "A", "B")
	require.NotNil(t, f.Capabilities().Importer)
	require.NotNil(t, f.Capabilities().MarkResetter)
	require.Nil(t, f.Capabilities().Pressed)
	require.NoError(t, f.Capabilities().Writable())

	bare, err := (&enginetest.MemoryKind{EngineName: "B", Disk: &enginetest.Disk{}, Bare: true}).Open(engine.Options{})
	require.NoError(t, err)
	s, err := New(f.engines[0], bare)
	require.NoError(t, err)
	require.Equal(t, engine.Capabilities{}, s.Capabilities())

	full := errors.New("the disk is full")
	s, err = New(f.engines[0], warning{f.engines[1], full})
	require.NoError(t, err)
	require.ErrorIs(t, s.Capabilities().Writable(), full)

	one, err := New(f.engines[0])
	require.NoError(t, err)
	require.Equal(t, f.engines[0].Capabilities(), one.Capabilities())
}

// warning is an engine that cannot write.
type warning struct {
	engine.Engine
	err error
}

func (w warning) Capabilities() engine.Capabilities { return engine.Capabilities{Pressed: w} }
func (w warning) Writable() error                   { return w.err }

func TestImport(t *testing.T) {
	f := newFixture(t, "A", "B", "C")
	f.apply(1, "old", 1, 2, 3)
	can := f.Capabilities().Importer
	in, err := can.NewImport("")
	require.NoError(t, err)
	require.NoError(t, in.Set(key(1, "k"), []byte("new")))
	require.NoError(t, in.Delete(key(2, "k")))
	require.NoError(t, in.Set(key(2, "l"), []byte("new")))
	require.ErrorIs(t, in.Set(key(2, "a"), nil), engine.ErrKeyOrder)
	require.ErrorIs(t, in.Set(key(9, "a"), nil), ErrNoPlace)
	require.ErrorIs(t, in.Set(catalog.AppendPrefix(nil, catalog.MetaTable, catalog.MetaNextID), nil), ErrNoPlace)
	require.NoError(t, in.Finish())
	b := f.NewBatch()
	require.NoError(t, b.Set(catalog.CounterKey(3), []byte("4")))
	require.NoError(t, can.ApplyImport(in, b, mark(2)))
	require.Equal(t, []string{"new", "-", "old"}, values(t, f, 1, 2, 3))
	require.Equal(t, "new", get(t, f, key(2, "l")))
	require.Equal(t, "4", get(t, f, catalog.CounterKey(3)))
	require.Equal(t, mark(2), f.Applied())

	in, err = can.NewImport("")
	require.NoError(t, err)
	require.NoError(t, in.Set(key(1, "k"), []byte("lost")))
	in.Discard()
	in.Discard()
	require.Equal(t, []string{"new"}, values(t, f, 1))
}

func TestResetMark(t *testing.T) {
	f := newFixture(t, "A", "B")
	f.apply(100, "x", 1, 2)
	_, err := f.Checkpoint()
	require.NoError(t, err)
	require.NoError(t, f.Capabilities().MarkResetter.ResetMark(mark(4)))
	require.Equal(t, mark(4), f.Applied())
	require.Equal(t, mark(4), f.Durable())
	f.apply(5, "y", 2)
	require.NoError(t, f.Close())
	f.open()
	require.Equal(t, mark(4), f.engines[0].Applied())
	require.Equal(t, mark(4), f.engines[1].Applied())
}

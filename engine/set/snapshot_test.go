package set

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/enginetest"
)

// counted counts the snapshots of an engine.
type counted struct {
	engine.Engine
	made, open atomic.Int64
}

type countedSnapshot struct {
	engine.Snapshot
	of *counted
}

func (c *counted) Snapshot() engine.Snapshot {
	c.made.Add(1)
	c.open.Add(1)
	return &countedSnapshot{c.Engine.Snapshot(), c}
}

func (s *countedSnapshot) Close() error {
	s.of.open.Add(-1)
	return s.Snapshot.Close()
}

// Between two Applies there is one snapshot, which is closed when nobody reads it and there is a newer state.
func TestSnapshotIsShared(t *testing.T) {
	var engines [2]*counted
	for i, name := range []string{"A", "B"} {
		e, err := (&enginetest.MemoryKind{EngineName: name, Disk: &enginetest.Disk{}}).Open(engine.Options{})
		require.NoError(t, err)
		engines[i] = &counted{Engine: e}
	}
	s, err := New(engines[0], engines[1])
	require.NoError(t, err)
	f := &fixture{T: t, Set: s}
	require.NoError(t, s.Place(table(1, "A"), table(2, "B")))
	expect := func(made, open int64) {
		t.Helper()
		for _, e := range engines {
			require.Equal(t, made, e.made.Load())
			require.Equal(t, open, e.open.Load())
		}
	}

	f.apply(1, "1", 1, 2)
	expect(0, 0)
	first, second := s.Snapshot(), s.Snapshot()
	expect(1, 1)
	require.NoError(t, first.Close())
	require.NoError(t, second.Close())
	expect(1, 1) // the next reader has it
	old := s.Snapshot()
	f.apply(2, "2", 2)
	expect(1, 1)
	now := s.Snapshot()
	expect(2, 2)
	require.Equal(t, []string{"1", "1"}, values(t, old, 1, 2))
	require.Equal(t, []string{"1", "2"}, values(t, now, 1, 2))
	require.NoError(t, old.Close())
	expect(2, 1)

	require.NoError(t, s.Ingest(f.rows("3", 1)))
	ingested := s.Snapshot()
	require.Equal(t, []string{"3", "2"}, values(t, ingested, 1, 2))
	require.Equal(t, []string{"1", "2"}, values(t, now, 1, 2))
	require.NoError(t, now.Close())
	require.NoError(t, ingested.Close())
	expect(3, 1)
	require.NoError(t, s.Close())
	expect(3, 0)
}

// Tables are found whatever their ids are.
func TestPlaces(t *testing.T) {
	var p places
	_, ok := p.of(0)
	require.False(t, ok)
	ids := []uint32{0, 1, 255, 256, 70_000, 1<<32 - 1}
	for i, id := range ids {
		p.set(id, i)
	}
	for i, id := range ids {
		at, ok := p.of(id)
		require.True(t, ok)
		require.Equal(t, i, at)
	}
	for _, id := range []uint32{2, 257, 1 << 31} {
		_, ok := p.of(id)
		require.False(t, ok)
	}
}

package enginetest

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
)

func testSnapshot(t *testing.T, h Harness) {
	e := h.Open(t)
	apply(t, e, 1, "a=1", "b=1")
	s := e.Snapshot()
	it, err := e.NewIter(userLower, nil)
	require.NoError(t, err)
	apply(t, e, 2, "a=2", "-b", "c=2")
	require.Equal(t, []string{"a=1", "b=1"}, contents(t, s))
	require.Equal(t, "1", get(t, s, "a"))
	require.Equal(t, "-", get(t, s, "c"))
	require.True(t, it.First(), "an iterator is a snapshot too")
	require.True(t, it.Next())
	require.Equal(t, "b", string(it.Key()))
	require.False(t, it.Next())
	require.NoError(t, it.Close())
	_, err = e.Checkpoint()
	require.NoError(t, err)
	b := e.NewBatch()
	require.NoError(t, b.DeleteRange(userLower, []byte{0xff}))
	require.NoError(t, e.Apply(b, mark(3)))
	require.Empty(t, contents(t, e))
	require.Equal(t, []string{"a=1", "b=1"}, contents(t, s))
	require.NoError(t, s.Close())
	require.NoError(t, e.Close())
}

// Many snapshots, held over everything that an engine does, are each as they were, and closed in any order.
func testManySnapshots(t *testing.T, h Harness) {
	type held struct {
		s    engine.Snapshot
		want model
	}
	rnd := rand.New(rand.NewPCG(11, 12))
	e := h.Open(t)
	now := model{}
	var all []held
	for n := range uint64(300) {
		changes := randomChanges(rnd, 5)
		if n%50 == 49 {
			changes = append(changes, change{key: "k", upper: "l"})
		}
		now = now.with(changes)
		require.NoError(t, e.Apply(batchOf(t, e, changes), mark(n+1)))
		all = append(all, held{e.Snapshot(), now})
		if rnd.IntN(25) == 0 {
			_, err := e.Checkpoint()
			require.NoError(t, err)
		}
		for len(all) > 100 || len(all) > 0 && rnd.IntN(3) == 0 {
			i := rnd.IntN(len(all))
			require.Equal(t, all[i].want, read(t, all[i].s))
			walk(t, all[i].s, all[i].want, rnd)
			require.NoError(t, all[i].s.Close())
			all[i] = all[len(all)-1]
			all = all[:len(all)-1]
		}
	}
	it, err := e.NewIter(userLower, nil)
	require.NoError(t, err)
	require.NoError(t, e.Apply(batchOf(t, e, []change{{key: "k", upper: "l"}}), mark(301)))
	_, err = e.Checkpoint()
	require.NoError(t, err)
	got := model{}
	for ok := it.First(); ok; ok = it.Next() {
		got[string(it.Key())] = string(it.Value())
	}
	require.Equal(t, now, got, "an iterator is a snapshot too")
	require.NoError(t, it.Close())
	for _, i := range rnd.Perm(len(all)) {
		require.Equal(t, all[i].want, read(t, all[i].s))
		require.NoError(t, all[i].s.Close())
	}
	require.Empty(t, read(t, e))
	require.NoError(t, e.Close())
}

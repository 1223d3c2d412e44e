package enginetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
)

// imported is a finished import of changes of single keys, in order.
func imported(t *testing.T, h Harness, e engine.Engine, changes []change) engine.Import {
	t.Helper()
	in, err := e.Capabilities().Importer.NewImport(dirOfImports(t, h))
	require.NoError(t, err)
	add(t, in, changes)
	require.NoError(t, in.Finish())
	return in
}

func dirOfImports(t *testing.T, h Harness) string {
	if f, ok := h.(HasFiles); ok {
		return f.ImportDir(t)
	}
	return t.TempDir()
}

func add(t *testing.T, in engine.Import, changes []change) {
	t.Helper()
	for _, c := range changes {
		if c.value == nil {
			require.NoError(t, in.Delete([]byte(c.key)))
		} else {
			require.NoError(t, in.Set([]byte(c.key), []byte(*c.value)))
		}
	}
}

// rows are n changes of the keys of a space.
func rows(space string, n int, value string) (changes []change) {
	for i := range n {
		changes = append(changes, setTo(fmt.Sprintf("%s/%06d", space, i), value))
	}
	return changes
}

// An import, the batch beside it and the mark are visible together, and whoever reads meanwhile goes on without them.
func testImport(t *testing.T, h Harness) {
	e := h.Open(t)
	can := e.Capabilities().Importer
	apply(t, e, 1, "a=1", "r/000001=old", "r/z=old", "z=1")
	changes := append(rows("r", 1000, "new"), change{key: "r/z"})
	in := imported(t, h, e, changes)
	before := model{"a": "1", "r/000001": "old", "r/z": "old", "z": "1"}
	require.Equal(t, before, read(t, e), "preparing disturbs nobody")
	s := e.Snapshot()
	require.NoError(t, can.ApplyImport(in, batch(t, e, "a=2", "b=1"), mark(2)))
	require.Equal(t, mark(2), e.Applied())
	after := before.with(changes).with([]change{setTo("a", "2"), setTo("b", "1")})
	require.Equal(t, after, read(t, e))
	require.Equal(t, before, read(t, s))
	require.NoError(t, s.Close())

	// A batch that deletes ranges.
	in = imported(t, h, e, rows("q", 10, "new"))
	require.NoError(t, can.ApplyImport(in, batchOf(t, e, []change{{key: "r", upper: "s"}, setTo("c", "1")}), mark(3)))
	after = after.with(rows("q", 10, "new")).with([]change{{key: "r", upper: "s"}, setTo("c", "1")})
	require.Equal(t, after, read(t, e))
	// An import without changes.
	require.NoError(t, can.ApplyImport(imported(t, h, e, nil), batch(t, e, "d=1"), mark(4)))
	after = after.with([]change{setTo("d", "1")})
	require.Equal(t, after, read(t, e))
	require.Equal(t, mark(4), e.Applied())
	// Two prepared at the same time, of which one is given up.
	one, two := imported(t, h, e, rows("one", 10, "1")), imported(t, h, e, rows("two", 10, "1"))
	one.Discard()
	one.Discard() // does nothing more
	require.NoError(t, can.ApplyImport(two, e.NewBatch(), mark(5)))
	after = after.with(rows("two", 10, "1"))
	require.Equal(t, after, read(t, e))
	m, err := e.Checkpoint()
	require.NoError(t, err)
	require.Equal(t, mark(5), m)
	e = crash(t, h, e)
	require.Equal(t, mark(5), e.Durable())
	require.Equal(t, after, read(t, e))
	require.NoError(t, e.Close())
}

// Imports and batches in any order do what a model does.
func testImportLikeModel(t *testing.T, h Harness) {
	rnd := rand.New(rand.NewPCG(19, 20))
	e := h.Open(t)
	want := model{}
	for n := range uint64(120) {
		changes := randomChanges(rnd, rnd.IntN(12))
		if rnd.IntN(3) == 0 {
			byKey := map[string]change{}
			for _, c := range changes {
				c.upper = ""
				byKey[c.key] = c
			}
			changes = nil
			for _, k := range slices.Sorted(maps.Keys(byKey)) {
				changes = append(changes, byKey[k])
			}
			in := imported(t, h, e, changes)
			require.NoError(t, e.Capabilities().Importer.ApplyImport(in, batch(t, e, fmt.Sprintf("a meta=%d", n)), mark(n+1)))
			changes = append(changes, setTo("a meta", fmt.Sprint(n)))
		} else {
			require.NoError(t, e.Apply(batchOf(t, e, changes), mark(n+1)))
		}
		want = want.with(changes)
		require.Equal(t, want, read(t, e), "after %d", n+1)
		if rnd.IntN(20) == 0 {
			_, err := e.Checkpoint()
			require.NoError(t, err)
		}
	}
	require.NoError(t, e.Close())
}

// After a crash an import is there as a whole, with its batch and its mark and all that was applied before, or it is not there.
func testImportAndCrash(t *testing.T, h Harness) {
	rnd := rand.New(rand.NewPCG(21, 22))
	states := map[uint64]model{0: {}}
	low := uint64(0)
	for crash := range 12 {
		e := h.Open(t)
		n := number(e.Durable())
		require.GreaterOrEqual(t, n, low)
		require.Equal(t, states[n], read(t, e), "after crash %d", crash)
		for range 12 {
			now := states[n]
			n++
			changes := []change{setTo(fmt.Sprintf("a%d", rnd.IntN(9)), fmt.Sprint(n))}
			if rnd.IntN(2) == 0 {
				in := rows(fmt.Sprintf("import%d", rnd.IntN(3)), 1+rnd.IntN(200), fmt.Sprint(n))
				require.NoError(t, e.Capabilities().Importer.ApplyImport(imported(t, h, e, in), batchOf(t, e, changes), mark(n)))
				changes = append(changes, in...)
			} else {
				require.NoError(t, e.Apply(batchOf(t, e, changes), mark(n)))
			}
			states[n] = now.with(changes)
			require.Equal(t, states[n], read(t, e))
			if rnd.IntN(12) == 0 {
				_, err := e.Checkpoint()
				require.NoError(t, err)
				low = n
			}
		}
		if rnd.IntN(2) == 0 {
			imported(t, h, e, rows("lost", 100, "1")) // prepared, and not applied
		}
		h.Crash(t, e)
	}
}

func testImportMisused(t *testing.T, h Harness) {
	e := h.Open(t)
	can := e.Capabilities().Importer
	apply(t, e, 5, "a=1")
	in, err := can.NewImport(dirOfImports(t, h))
	require.NoError(t, err)
	require.NoError(t, in.Set([]byte("b"), nil))
	require.ErrorIs(t, in.Set([]byte("b"), nil), engine.ErrKeyOrder)
	require.ErrorIs(t, in.Delete([]byte("b")), engine.ErrKeyOrder)
	require.ErrorIs(t, in.Set([]byte("a"), nil), engine.ErrKeyOrder)
	require.NoError(t, in.Delete([]byte("b\x00")))
	require.Error(t, can.ApplyImport(in, e.NewBatch(), mark(6)), "it is not finished")
	require.Equal(t, mark(5), e.Applied())
	require.Equal(t, []string{"a=1"}, contents(t, e))

	require.Error(t, can.ApplyImport(imported(t, h, e, rows("r", 3, "1")), batch(t, e, "b=1"), mark(4)), "the mark goes back")
	require.Equal(t, mark(5), e.Applied())
	require.Equal(t, []string{"a=1"}, contents(t, e))
	in = imported(t, h, e, rows("r", 3, "1"))
	require.NoError(t, e.Close())
	require.ErrorIs(t, can.ApplyImport(in, e.NewBatch(), mark(6)), engine.ErrClosed)
}

// Nothing is left in the directory of imports, whether they were applied, given up, or failed.
func testImportLeavesNoFiles(t *testing.T, h Harness) {
	f := h.(HasFiles)
	left := func() (names []string) {
		for name := range f.Files(t) {
			if len(name) > len(f.ImportDir(t)) && name[:len(f.ImportDir(t))+1] == f.ImportDir(t)+"/" {
				names = append(names, name)
			}
		}
		return names
	}
	e := h.Open(t)
	can := e.Capabilities().Importer
	require.NoError(t, can.ApplyImport(imported(t, h, e, rows("r", 1000, "1")), batch(t, e, "a=1"), mark(1)))
	imported(t, h, e, rows("s", 1000, "1")).Discard()
	half, err := can.NewImport(f.ImportDir(t))
	require.NoError(t, err)
	add(t, half, rows("s", 1000, "1"))
	half.Discard()
	require.Error(t, can.ApplyImport(imported(t, h, e, rows("s", 3, "1")), e.NewBatch(), engine.Mark{}), "the mark goes back")
	_, err = e.Checkpoint()
	require.NoError(t, err)
	require.Empty(t, left())
	require.Equal(t, model{"a": "1"}.with(rows("r", 1000, "1")), read(t, e))
	require.NoError(t, e.Close())
	require.Empty(t, left())
}

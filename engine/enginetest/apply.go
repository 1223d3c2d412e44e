package enginetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
)

func testEmpty(t *testing.T, h Harness) {
	e := h.Open(t)
	require.NotEmpty(t, e.Name())
	require.Equal(t, engine.Mark{}, e.Applied())
	require.Equal(t, engine.Mark{}, e.Durable())
	require.Equal(t, "-", get(t, e, "a"))
	require.Empty(t, contents(t, e))
	m, err := e.Checkpoint()
	require.NoError(t, err)
	require.Equal(t, engine.Mark{}, m)
	e = restart(t, h, e)
	require.Equal(t, engine.Mark{}, e.Durable())
	require.NoError(t, e.Close())
}

func testApplyAndRead(t *testing.T, h Harness) {
	e := h.Open(t)
	apply(t, e, 1, "a=1", "b=2", "empty=")
	require.Equal(t, mark(1), e.Applied())
	apply(t, e, 2, "a=3", "-b", "c=4", "-missing")
	require.Equal(t, []string{"a=3", "c=4", "empty="}, contents(t, e))
	require.Equal(t, "3", get(t, e, "a"))
	require.Equal(t, "-", get(t, e, "b"))
	require.Equal(t, "", get(t, e, "empty"))
	apply(t, e, 3) // a mark alone: a transaction of another engine
	require.Equal(t, mark(3), e.Applied())

	b := batch(t, e, "d=5", "x=6")
	require.Positive(t, b.Len())
	require.NoError(t, b.DeleteRange([]byte("a"), []byte("d\x00")))
	require.NoError(t, b.Set([]byte("c"), []byte("7"))) // after the removal: stays
	require.NoError(t, e.Apply(b, mark(4)))
	require.Equal(t, []string{"c=7", "empty=", "x=6"}, contents(t, e))

	key, value := []byte("k"), []byte("v")
	b = e.NewBatch()
	require.NoError(t, b.Set(key, value))
	key[0], value[0] = 'X', 'X' // the batch has copies
	require.NoError(t, e.Apply(b, mark(5)))
	require.Equal(t, "v", get(t, e, "k"))
	lower, upper := []byte("k"), []byte("l")
	b = e.NewBatch()
	require.NoError(t, b.DeleteRange(lower, upper))
	lower[0], upper[0] = 'a', 'z'
	require.NoError(t, e.Apply(b, mark(6)))
	require.Equal(t, []string{"c=7", "empty=", "x=6"}, contents(t, e))
	e.NewBatch().Discard()
	batch(t, e, "lost=1").Discard()
	require.Equal(t, "-", get(t, e, "lost"))
	require.NoError(t, e.Close())
}

// An empty key is a place before all others; nobody stores anything there.
func testEmptyKeysAndValues(t *testing.T, h Harness) {
	e := h.Open(t)
	check := func() {
		t.Helper()
		for _, r := range []reader{e, e.Snapshot()} {
			require.Equal(t, "-", get(t, r, ""))
			require.Equal(t, "", get(t, r, "nil"))
			require.Equal(t, "", get(t, r, "zero"))
			require.Equal(t, "1", get(t, r, "a"))
			it, err := r.NewIter(userLower, nil)
			require.NoError(t, err)
			require.False(t, it.SeekLT(nil))
			require.False(t, it.SeekLT([]byte{}))
			require.True(t, it.SeekGE(nil))
			require.Equal(t, "a", string(it.Key()))
			require.True(t, it.Last())
			require.Equal(t, "zero", string(it.Key()))
			require.Empty(t, it.Value())
			require.NoError(t, it.Close())
			it, err = r.NewIter([]byte{}, []byte("b"))
			require.NoError(t, err)
			require.True(t, it.Last())
			require.Equal(t, "a", string(it.Key()))
			require.NoError(t, it.Close())
			it, err = r.NewIter([]byte("b"), []byte("b"))
			require.NoError(t, err)
			require.False(t, it.First())
			require.False(t, it.Last())
			require.NoError(t, it.Close())
			if s, ok := r.(engine.Snapshot); ok && r != reader(e) {
				require.NoError(t, s.Close())
			}
		}
	}
	b := e.NewBatch()
	require.NoError(t, b.Set([]byte("nil"), nil))
	require.NoError(t, b.Set([]byte("zero"), []byte{}))
	require.NoError(t, b.Set([]byte("a"), []byte("1")))
	require.NoError(t, b.DeleteRange([]byte("b"), []byte("b"))) // nothing
	require.NoError(t, e.Apply(b, mark(1)))
	check()
	_, err := e.Checkpoint()
	require.NoError(t, err)
	check()
	e = restart(t, h, e)
	check()
	require.NoError(t, e.Close())
}

func testLarge(t *testing.T, h Harness) {
	rnd := rand.New(rand.NewPCG(5, 6))
	key := func(c string) []byte { return bytes.Repeat([]byte(c), engine.KeyBytesMax) }
	value := noise(rnd, 1<<20)
	large := noise(rnd, 24<<20) // more than an engine collects before it writes
	e := h.Open(t)
	b := e.NewBatch()
	require.NoError(t, b.Set(key("a"), value))
	require.NoError(t, b.Set(key("b"), []byte("short")))
	require.NoError(t, b.Set([]byte("c"), value))
	require.GreaterOrEqual(t, b.Len(), 2<<20)
	require.NoError(t, e.Apply(b, mark(1)))
	b = e.NewBatch()
	require.NoError(t, b.Set([]byte("d"), large))
	require.NoError(t, e.Apply(b, mark(2)))
	check := func() {
		t.Helper()
		want := model{string(key("a")): string(value), string(key("b")): "short", "c": string(value), "d": string(large)}
		got := read(t, e)
		require.Len(t, got, len(want))
		for k, v := range want {
			require.True(t, got[k] == v && get(t, e, k) == v, "the value of %.10s is another one", k)
		}
		it, err := e.NewIter(userLower, nil)
		require.NoError(t, err)
		require.True(t, it.SeekLT([]byte("b")) && bytes.Equal(key("a"), it.Key()))
		require.True(t, it.SeekGE(append(key("a"), 0)) && bytes.Equal(key("b"), it.Key()))
		require.NoError(t, it.Close())
	}
	check()
	_, err := e.Checkpoint()
	require.NoError(t, err)
	check()
	e = crash(t, h, e)
	check()
	require.NoError(t, e.Close())
}

// Batches in which keys and ranges are changed several times do what a model does.
func testRandomBatches(t *testing.T, h Harness) {
	rnd := rand.New(rand.NewPCG(7, 8))
	e := h.Open(t)
	want := model{}
	for n := range uint64(150) {
		changes := randomChanges(rnd, rnd.IntN(30))
		want = want.with(changes)
		require.NoError(t, e.Apply(batchOf(t, e, changes), mark(n+1)))
		require.Equal(t, want, read(t, e), "after %d", n+1)
		for range 10 {
			key := randomKey(rnd)
			v, ok := want[key]
			if !ok {
				v = "-"
			}
			require.Equal(t, v, get(t, e, key), "%x", key)
		}
		switch rnd.IntN(20) {
		case 0:
			_, err := e.Checkpoint()
			require.NoError(t, err)
		case 1:
			_, err := e.Checkpoint()
			require.NoError(t, err)
			e = restart(t, h, e)
		}
	}
	require.NoError(t, e.Close())
}

func testMarks(t *testing.T, h Harness) {
	e := h.Open(t)
	apply(t, e, 100, "a=1")
	require.Error(t, e.Apply(batch(t, e, "b=1"), mark(99)))
	require.Equal(t, []string{"a=1"}, contents(t, e))
	require.Equal(t, mark(100), e.Applied())
	apply(t, e, 250, "b=1")
	_, err := e.Checkpoint()
	require.NoError(t, err)
	e = restart(t, h, e)
	require.Error(t, e.Apply(batch(t, e, "c=1"), mark(249)), "after a restart as well")
	require.Equal(t, []string{"a=1", "b=1"}, contents(t, e))
	long := mark(251)
	long.GTIDState = string(bytes.Repeat([]byte("0-1-1,"), 20_000)) // many servers
	require.NoError(t, e.Apply(batch(t, e, fmt.Sprint("c=", 1)), long))
	_, err = e.Checkpoint()
	require.NoError(t, err)
	e = crash(t, h, e)
	require.Equal(t, long, e.Durable())
	require.NoError(t, e.Close())
}

package enginetest

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func testIterate(t *testing.T, h Harness) {
	e := h.Open(t)
	apply(t, e, 1, "b=1", "d=2", "f=3", "h=4")
	apply(t, e, 2, "-f", "g=5")
	it, err := e.NewIter([]byte("b"), []byte("h"))
	require.NoError(t, err)
	at := func(ok bool) string {
		require.Equal(t, ok, it.Valid())
		if !ok {
			return "-"
		}
		return string(it.Key()) + string(it.Value())
	}
	require.Equal(t, "b1", at(it.First()))
	require.Equal(t, "d2", at(it.Next()))
	require.Equal(t, "g5", at(it.Next()))
	require.Equal(t, "-", at(it.Next()))
	require.Equal(t, "g5", at(it.Last()))
	require.Equal(t, "d2", at(it.Prev()))
	require.Equal(t, "g5", at(it.Next()))
	require.Equal(t, "d2", at(it.Prev()))
	require.Equal(t, "b1", at(it.Prev()))
	require.Equal(t, "-", at(it.Prev()))
	require.Equal(t, "d2", at(it.SeekGE([]byte("c"))))
	require.Equal(t, "d2", at(it.SeekGE([]byte("d"))))
	require.Equal(t, "b1", at(it.SeekGE([]byte("a"))))
	require.Equal(t, "-", at(it.SeekGE([]byte("gg"))))
	require.Equal(t, "d2", at(it.SeekLT([]byte("g"))))
	require.Equal(t, "g5", at(it.SeekLT([]byte("z"))))
	require.Equal(t, "-", at(it.SeekLT([]byte("b"))))
	require.NoError(t, it.Error())
	require.NoError(t, it.Close())
	require.NoError(t, e.Close())
}

// Iterators with random bounds, going to and fro, are where a model is.
func testIterateLikeModel(t *testing.T, h Harness) {
	rnd := rand.New(rand.NewPCG(9, 10))
	e := h.Open(t)
	want := model{}
	for n := range uint64(12) { // some of it in files, some not
		changes := randomChanges(rnd, 60)
		want = want.with(changes)
		require.NoError(t, e.Apply(batchOf(t, e, changes), mark(n+1)))
		if n%4 == 2 {
			_, err := e.Checkpoint()
			require.NoError(t, err)
		}
		for range 25 {
			walk(t, e, want, rnd)
		}
	}
	require.NoError(t, e.Close())
}

// walk lets an iterator go where chance sends it.
func walk(t *testing.T, r reader, m model, rnd *rand.Rand) {
	t.Helper()
	lower, upper := "k", ""
	if rnd.IntN(2) == 0 {
		lower = randomKey(rnd)
	}
	var end []byte
	if rnd.IntN(2) == 0 {
		upper = randomKey(rnd)
		end = []byte(upper)
	}
	keys := slices.Sorted(maps.Keys(m))
	keys = slices.DeleteFunc(keys, func(k string) bool { return k < lower || end != nil && k >= upper })
	it, err := r.NewIter([]byte(lower), end)
	require.NoError(t, err)
	var trace []string
	at := -1 // index in keys
	for range 40 {
		var ok bool
		step := rnd.IntN(8)
		if at < 0 || at >= len(keys) {
			step = rnd.IntN(4) // Next and Prev begin at a key
		}
		switch step {
		case 0:
			trace, ok, at = append(trace, "first"), it.First(), 0
		case 1:
			trace, ok, at = append(trace, "last"), it.Last(), len(keys)-1
		case 2, 3:
			key := randomKey(rnd)
			sought := []byte(key)
			if it.Valid() && rnd.IntN(4) == 0 {
				sought = it.Key() // its own
				key = string(sought)
			}
			at, _ = slices.BinarySearch(keys, key)
			if step == 2 {
				trace, ok = append(trace, "ge "+key), it.SeekGE(sought)
			} else {
				trace, ok = append(trace, "lt "+key), it.SeekLT(sought)
				at--
			}
		case 4, 5:
			trace, ok, at = append(trace, "next"), it.Next(), at+1
		default:
			trace, ok, at = append(trace, "prev"), it.Prev(), at-1
		}
		there := at >= 0 && at < len(keys)
		where := "from %q to %q: %q"
		args := []any{lower, end, strings.Join(trace, ", ")}
		require.Equal(t, there, ok, append([]any{where}, args...)...)
		require.Equal(t, there, it.Valid(), append([]any{where}, args...)...)
		if there {
			require.Equal(t, keys[at], string(it.Key()), append([]any{where}, args...)...)
			require.Equal(t, m[keys[at]], string(it.Value()), append([]any{where}, args...)...)
		}
	}
	require.NoError(t, errors.Join(it.Error(), it.Close()))
}

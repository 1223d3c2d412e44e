package enginetest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
)

// A kind says of itself what its engines do.
func testKind(t *testing.T, harness Harness) {
	h := harness.(HasKind)
	kind, _ := h.Kind()
	require.NotEmpty(t, kind.Dir())
	require.Equal(t, h.Can().Volatile, kind.Volatile())
	e := h.Open(t)
	require.Equal(t, kind.Name(), e.Name())
	require.NoError(t, e.Close())
}

// Peek finds what Open will find, and changes nothing.
func testPeek(t *testing.T, harness Harness) {
	h := harness.(HasKind)
	peek := func(key string) (engine.Mark, bool) {
		t.Helper()
		kind, o := h.Kind()
		m, there, err := kind.Peek(o, []byte(key))
		require.NoError(t, err)
		return m, there
	}
	require.NoError(t, h.Open(t).Close())
	m, there := peek("a")
	require.Equal(t, engine.Mark{}, m)
	require.False(t, there)
	e := h.Open(t)
	apply(t, e, 7, "a=1")
	require.NoError(t, e.Ingest(batch(t, e, "b=")))
	_, err := e.Checkpoint()
	require.NoError(t, err)
	h.Crash(t, e)
	files, seen := h.(HasFiles)
	var before map[string][]byte
	if seen {
		before = files.Files(t)
	}
	for _, key := range []string{"a", "b"} {
		m, there = peek(key)
		require.Equal(t, mark(7), m)
		require.True(t, there)
	}
	m, there = peek("c")
	require.Equal(t, mark(7), m)
	require.False(t, there)
	if seen {
		require.Equal(t, before, files.Files(t))
	}
	e = h.Open(t)
	require.Equal(t, mark(7), e.Durable())
	require.NoError(t, e.Close())
}

// flips is in how many places of a file a byte is changed, from the first to the last.
const flips = 41

// Damaged files are noticed: Peek says ErrDamaged, or Open or a read fails, or what was damaged was not needed. What is found is always
// the contents after some Apply, with its mark: where the end of a file is missing, that may be an earlier one.
func testDamage(t *testing.T, harness Harness) {
	h := harness.(HasFiles)
	e := h.Open(t)
	states := map[engine.Mark]model{{}: {}}
	for n, changes := range [][]change{rows("r", 300, "value"), {setTo("a", "1"), {key: "r/000007"}}} {
		m := mark(uint64(n + 1))
		require.NoError(t, e.Apply(batchOf(t, e, changes), m))
		_, err := e.Checkpoint()
		require.NoError(t, err)
		states[m] = read(t, e)
	}
	require.NoError(t, e.Close())
	damages := map[string]func([]byte) []byte{
		"cut":          func(b []byte) []byte { return b[:len(b)/2] },
		"cut by one":   func(b []byte) []byte { return b[:len(b)-1] },
		"emptied":      func([]byte) []byte { return nil },
		"zeros":        func(b []byte) []byte { return make([]byte, len(b)) },
		"another file": func([]byte) []byte { return []byte("this is another file") },
	}
	for i := range flips {
		damages[fmt.Sprintf("byte at %d of %d", i, flips)] = func(b []byte) []byte {
			b = bytes.Clone(b)
			b[i*(len(b)-1)/(flips-1)] ^= 0x55
			return b
		}
	}
	good := h.Files(t)
	peeks := 0
	for _, name := range slices.Sorted(maps.Keys(good)) {
		if len(good[name]) == 0 {
			continue
		}
		for _, how := range slices.Sorted(maps.Keys(damages)) {
			h.Write(t, name, damages[how](good[name]))
			kind, o := h.Kind()
			o.Fatal = func(error) {} // an error as well
			m, there, err := kind.Peek(o, []byte("r/000100"))
			if err != nil {
				peeks++
				require.ErrorIs(t, err, engine.ErrDamaged, "%s, %s", name, how)
			} else {
				require.Contains(t, states, m, "%s, %s", name, how)
				_, want := states[m]["r/000100"]
				require.Equal(t, want, there, "%s, %s", name, how)
				if e, err := kind.Open(o); err == nil {
					require.Equal(t, m, e.Durable(), "%s, %s", name, how)
					got, err := tryRead(e)
					if err == nil {
						require.Equal(t, states[m], got, "%s, %s", name, how)
					}
					require.NoError(t, e.Close(), "%s, %s", name, how)
				}
			}
			for path := range h.Files(t) { // what Open has changed
				if _, ok := good[path]; !ok {
					h.Remove(t, path)
				}
			}
			for path, contents := range good {
				h.Write(t, path, contents)
			}
		}
	}
	require.Positive(t, peeks, "no damage was noticed")
	e = h.Open(t)
	require.Equal(t, states[mark(2)], read(t, e))
	require.NoError(t, e.Close())
}

package txn

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
)

// countedSnapshot counts how rows are looked for.
type countedSnapshot struct {
	engine.Snapshot
	gets, iters int
}

func (s *countedSnapshot) Get(key []byte) ([]byte, bool, func(), error) {
	s.gets++
	return s.Snapshot.Get(key)
}

func (s *countedSnapshot) NewIter(lower, upper []byte) (engine.Iterator, error) {
	s.iters++
	return s.Snapshot.NewIter(lower, upper)
}

// Whatever the order of keys, rows are found and others are not; an iterator is made for what ascends.
func TestLookup(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	w := h.begin(Options{})
	for i := 0; i < 100; i += 2 { // odd ones are not there
		h.insert(w, tbl, acc(i, i, fmt.Sprint("user", i))...)
	}
	h.commit(w)
	tests := []struct {
		name        string
		ids         []int
		gets, iters int
	}{
		{"none", nil, 0, 0},
		{"few", []int{2, 4, 6}, 3, 0},
		{"ascending", []int{0, 1, 2, 3, 4, 40, 41, 98, 99}, 3, 1},
		{"descending", []int{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, 10, 0},
		{"one again and again", []int{2, 2, 2, 2, 2, 2}, 6, 0},
		{"runs", []int{10, 12, 14, 16, 18, 0, 2, 4, 6, 8, 10, 9}, 3 + 4 + 1, 1},
		{"beyond the end", []int{10, 20, 30, 1000, 1001, 2}, 4, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			snap := &countedSnapshot{Snapshot: h.eng.Snapshot()}
			rows := lookup{snap: snap, tbl: tbl}
			for _, id := range test.ids {
				key := rowKey(t, tbl, id)
				want, there, err := read(snap.Snapshot, key)
				require.NoError(t, err)
				require.Equal(t, id < 100 && id%2 == 0, there)
				image, ok, err := rows.get(key)
				require.NoError(t, err)
				require.Equal(t, there, ok, id)
				require.Equal(t, want, image, id)
			}
			require.Equal(t, test.gets, snap.gets)
			require.Equal(t, test.iters, snap.iters)
			require.NoError(t, rows.close())
			require.NoError(t, snap.Close())
		})
	}
}

package spill

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// TestSorter: whatever fits into memory, all that was added comes in order, equal keys as they were added, and no file stays.
func TestSorter(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		fs := vfs.NewMem()
		space := NewSpace(fs, "")
		s := NewSorter(space, int64(100<<rnd.IntN(14)), rnd.IntN(4))
		type pair struct{ key, value string }
		var want []pair
		for i := range rnd.IntN(3000) {
			key := make([]byte, rnd.IntN(6))
			for k := range key {
				key[k] = byte(rnd.IntN(3))
			}
			if rnd.IntN(100) == 0 {
				key = bytes.Repeat([]byte{byte(i)}, rnd.IntN(300<<10))
			}
			value := fmt.Append(nil, i)
			require.NoError(t, s.Add(key, value))
			want = append(want, pair{string(key), string(value)})
			clear(key) // it is not kept
		}
		slices.SortStableFunc(want, func(a, b pair) int { return bytes.Compare([]byte(a.key), []byte(b.key)) })
		var got []pair
		require.NoError(t, s.Each(func(v *Version) error {
			got = append(got, pair{string(v.Key), string(v.Value)})
			return nil
		}))
		require.Equal(t, want, got, "seed %d", seed)
		s.Free()
		s.Free()
		names, err := fs.List("")
		require.NoError(t, err)
		require.Empty(t, names)
	}
}

// TestSorterEnds: an error ends the walk, and is returned; so is one of a file.
func TestSorterEnds(t *testing.T) {
	fs := vfs.NewMem()
	space := NewSpace(fs, "")
	s := NewSorter(space, 1000, 0)
	defer s.Free()
	for i := range 1000 {
		require.NoError(t, s.Add(fmt.Appendf(nil, "%04d", i*7919%1000), nil))
	}
	enough, n := errors.New("enough"), 0
	require.ErrorIs(t, s.Each(func(*Version) error {
		if n++; n == 500 {
			return enough
		}
		return nil
	}), enough)
	require.Equal(t, 500, n)
	require.NotEmpty(t, s.runs)
	_, err := s.runs[0].file.WriteAt([]byte("x"), 20)
	require.NoError(t, err)
	require.ErrorIs(t, s.Each(func(*Version) error { return nil }), errRunCorrupt)
}

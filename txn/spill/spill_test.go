package spill

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

func newSpace(t *testing.T, limit int64) (*Space, *vfs.MemFS) {
	fs := vfs.NewMem()
	require.NoError(t, fs.MkdirAll("tmp", 0o755))
	s := NewSpace(fs, "tmp")
	s.SetLimit(limit)
	return s, fs
}

// A set that goes to files is the map that it would be in memory: writes, rollbacks, walks both ways,
// and a view is what the set was.
func TestSetIsAMap(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		space, fs := newSpace(t, 2000)
		set, want := NewSet(space), map[string]string{}
		var view *View
		var viewed map[string]string
		type mark struct {
			at   uint64
			want map[string]string
		}
		var marks []mark
		for i := range 600 {
			switch key := fmt.Sprint("key", rnd.IntN(80)); rnd.IntN(20) {
			case 0:
				marks = append(marks, mark{set.Mark(), maps.Clone(want)})
			case 1:
				if n := len(marks); n > 0 {
					m := marks[n-1]
					marks = marks[:n-1]
					set.RollbackTo(m.at)
					want = m.want
				}
			case 2:
				if view == nil {
					view, viewed = set.View(), maps.Clone(want)
				}
			default:
				value := fmt.Sprint("value", i)
				set.Write([]byte(key), []byte(value), Put)
				want[key] = value
				require.NoError(t, set.Room())
			}
		}
		require.NotEmpty(t, set.runs)
		for i := range 80 {
			key := fmt.Sprint("key", i)
			v, ok, err := set.Get([]byte(key))
			require.NoError(t, err)
			value, wanted := want[key]
			require.Equal(t, wanted, ok, "seed %d %s", seed, key)
			require.Equal(t, value, string(v.Value), "seed %d %s", seed, key)
		}
		keys := slices.Sorted(maps.Keys(want))
		require.Equal(t, keys, walked(t, set.Walk()), "seed %d", seed)
		if view != nil {
			keys := slices.Sorted(maps.Keys(viewed))
			slices.Reverse(keys)
			require.Equal(t, keys, walked(t, view.Walk([]byte("key"), nil, true)), "seed %d", seed)
			view.Release()
		}
		set.Unref()
		left, err := fs.List("tmp")
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

func walked(t *testing.T, w *Walk) (keys []string) {
	for w.First(); w.Valid(); w.Next() {
		keys = append(keys, string(w.Version().Key))
	}
	require.NoError(t, w.Err())
	return keys
}

// A byte of a file that has changed is found.
func TestDamagedRun(t *testing.T) {
	space, fs := newSpace(t, 1)
	set := NewSet(space)
	defer set.Unref()
	set.Write([]byte("key"), []byte("value"), Put)
	require.NoError(t, set.Room())
	f, err := fs.OpenReadWrite(set.runs[0].path, vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("w"), runHeaderBytes+2)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	set.tree = newVersionTree()
	_, _, err = set.Get([]byte("key"))
	require.True(t, errors.Is(err, errRunCorrupt), "%v", err)
	w := set.Walk()
	w.First()
	require.False(t, w.Valid())
	require.ErrorIs(t, w.Err(), errRunCorrupt)
}

package cowtree

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireTree compares a tree with a map, in both directions, and looks at its structure.
func requireTree(t *testing.T, want map[string]string, tree *Tree) {
	t.Helper()
	keys := slices.Sorted(maps.Keys(want))
	var it Iter
	it.Init(tree)
	n := 0
	for it.First(); it.Valid(); it.Next() {
		require.Less(t, n, len(keys))
		require.Equal(t, keys[n], string(it.Item().Key()))
		require.Equal(t, want[keys[n]], string(it.Item().Value()))
		n++
	}
	require.Equal(t, len(keys), n)
	for it.Last(); it.Valid(); it.Prev() {
		n--
		require.Equal(t, keys[n], string(it.Item().Key()))
	}
	require.Zero(t, n)
	require.Equal(t, len(keys) == 0, tree.Empty())
	if !tree.Empty() {
		requireNode(t, tree.root, nil, nil)
	}
}

// requireNode returns how deep a node is.
func requireNode(t *testing.T, n *node, lower, upper []byte) (levels int) {
	for i, item := range n.items {
		require.Equal(t, i >= n.n, item.None())
		if i < n.n {
			require.GreaterOrEqual(t, item.Compare(lower), 0)
			require.True(t, upper == nil || item.Compare(upper) < 0)
		}
	}
	sum := 0
	if n.kids == nil {
		require.Positive(t, n.n)
		for _, item := range n.items[:n.n] {
			sum += item.bytes()
		}
		require.Equal(t, sum, n.bytes)
		return 1
	}
	for i, kid := range n.kids {
		if i > n.n {
			require.Nil(t, kid)
			continue
		}
		low, high := lower, upper
		if i > 0 {
			low = n.items[i-1].Key()
		}
		if i < n.n {
			high = n.items[i].Key()
		}
		below := requireNode(t, kid, low, high)
		require.True(t, levels == 0 || levels == below)
		levels = below
		sum += kid.bytes
	}
	require.Equal(t, sum, n.bytes)
	return levels + 1
}

// Random changes: a tree holds what a map would hold, and trees that were cloned hold what they held.
func TestModel(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			keys := []int{20, 500, 20_000}[seed%3]
			key := func() string { return fmt.Sprintf("%0*d", 3+rnd.IntN(2)*5, rnd.IntN(keys)) }
			type view struct {
				tree Tree
				want map[string]string
			}
			var views []view
			now := view{want: map[string]string{}}
			deletes := 0
			for gen := range uint64(2000) {
				if gen%300 == 0 {
					deletes = rnd.IntN(10)
				}
				next := view{now.tree.Clone(gen + 1), maps.Clone(now.want)}
				for range 1 + rnd.IntN(5) {
					k := key()
					old, there := next.want[k]
					switch op := rnd.IntN(20); {
					case op < deletes:
						item := next.tree.Delete([]byte(k))
						require.Equal(t, there, !item.None())
						delete(next.want, k)
					case op == 19 && rnd.IntN(10) == 0:
						upper := key()
						cut := 0
						next.tree.Cut([]byte(k), []byte(upper), func(Item) { cut++ })
						before := len(next.want)
						maps.DeleteFunc(next.want, func(at, _ string) bool { return k <= at && at < upper })
						require.Equal(t, before-len(next.want), cut)
					default:
						v := fmt.Sprint(rnd.Uint32())
						item := next.tree.Set(NewItem([]byte(k), []byte(v), 0))
						require.Equal(t, there, !item.None())
						if there {
							require.Equal(t, old, string(item.Value()))
						}
						next.want[k] = v
					}
				}
				now = next
				if gen%100 == 0 {
					requireTree(t, now.want, &now.tree)
					views = append(views, now)
				}
				k, upper := key(), key()
				sum := 0
				for at, v := range now.want {
					if k <= at && at < upper {
						sum += len(at) + len(v)
					}
				}
				require.Equal(t, sum, now.tree.Bytes([]byte(k), []byte(upper)))
				item := now.tree.Get([]byte(k))
				v, there := now.want[k]
				require.Equal(t, there, !item.None())
				if there {
					require.Equal(t, v, string(item.Value()))
				}
			}
			for _, v := range views {
				requireTree(t, v.want, &v.tree)
			}
		})
	}
}

// A queue, whose keys come at the end and go at the beginning, stays as small as what is in it.
func TestQueue(t *testing.T) {
	var tree Tree
	key := func(n int) []byte { return fmt.Appendf(nil, "%08d", n) }
	for n := range 100_000 {
		tree = tree.Clone(uint64(n + 1))
		tree.Set(NewItem(key(n), nil, 0))
		if n >= 100 {
			require.False(t, tree.Delete(key(n-100)).None())
		}
	}
	require.Equal(t, 100*8, tree.Bytes(nil, nil))
	require.LessOrEqual(t, requireNode(t, tree.root, nil, nil), 4)
}

func TestItem(t *testing.T) {
	i := NewItem([]byte("key"), []byte("value"), 2)
	require.Equal(t, "key value false", fmt.Sprintf("%s %s %v", i.Key(), i.Value(), i.Deleted()))
	sealed := i.Sealed(2, func(key, row, spare []byte) {
		require.Equal(t, "key", string(key))
		require.Equal(t, "keyvalue", string(row))
		copy(spare, "!?")
	})
	require.Equal(t, "value!?", string(sealed))
	require.Equal(t, "value", string(i.Value()))
	require.True(t, NewDeletion([]byte("key")).Deleted())
	require.True(t, bytes.Equal(NewDeletion([]byte("key")).Key(), i.Key()))
}

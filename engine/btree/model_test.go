package btree

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// model is what an engine should hold.
type model map[string]string

func (m model) remove(lower, upper string) {
	for k := range m {
		if lower <= k && k < upper {
			delete(m, k)
		}
	}
}

func markAt(n uint64) engine.Mark {
	return engine.Mark{Position: logpos.At(1, n), GTIDState: fmt.Sprintf("0-1-%d", n)}
}

// randomKey is one of few, so that changes meet; some of them are long.
func randomKey(rnd *rand.Rand, keys int) string {
	n := rnd.IntN(keys)
	if n%97 == 0 {
		return fmt.Sprintf("k%05d%0300d", n, n)
	}
	return fmt.Sprintf("k%05d", n)
}

// randomBatch changes an engine's batch and a model alike.
func randomBatch(t testing.TB, rnd *rand.Rand, b engine.Batch, m model, keys int) {
	for range 1 + rnd.IntN(8) {
		key := randomKey(rnd, keys)
		switch rnd.IntN(12) {
		case 0, 1, 2:
			require.NoError(t, b.Delete([]byte(key)))
			delete(m, key)
		case 3:
			upper := randomKey(rnd, keys)
			if rnd.IntN(3) > 0 {
				upper = key + "\xff"
			}
			require.NoError(t, b.DeleteRange([]byte(key), []byte(upper)))
			m.remove(key, upper)
		default:
			value := fmt.Sprintf("%d", rnd.Uint64())
			if rnd.IntN(50) == 0 {
				value += string(make([]byte, 6000))
			}
			require.NoError(t, b.Set([]byte(key), []byte(value)))
			m[key] = value
		}
	}
}

// randomImport applies an import to an engine and to a model alike.
func randomImport(t testing.TB, rnd *rand.Rand, e *Engine, dir string, m model, keys int, mark engine.Mark) {
	i := prepareImport(t, rnd, e, dir, m, keys)
	b := e.NewBatch()
	if rnd.IntN(2) == 0 {
		m["a counter"] = fmt.Sprint(rnd.Uint64())
		require.NoError(t, b.Set([]byte("a counter"), []byte(m["a counter"])))
	}
	require.NoError(t, e.ApplyImport(i, b, mark))
}

func prepareImport(t testing.TB, rnd *rand.Rand, e *Engine, dir string, m model, keys int) engine.Import {
	i, err := e.NewImport(dir)
	require.NoError(t, err)
	changes := map[string]bool{}
	for range rnd.IntN(150) {
		changes[randomKey(rnd, keys)] = rnd.IntN(4) > 0
	}
	for _, k := range slices.Sorted(maps.Keys(changes)) {
		if changes[k] {
			v := fmt.Sprintf("imported %d", rnd.Uint64())
			require.NoError(t, i.Set([]byte(k), []byte(v)))
			m[k] = v
		} else {
			require.NoError(t, i.Delete([]byte(k)))
			delete(m, k)
		}
	}
	require.NoError(t, i.Finish())
	return i
}

type reader interface {
	Get(key []byte) (value []byte, ok bool, release func(), err error)
	NewIter(lower, upper []byte) (engine.Iterator, error)
}

// requireContents walks over everything, both ways.
func requireContents(t testing.TB, want model, r reader) {
	it, err := r.NewIter(nil, nil)
	require.NoError(t, err)
	keys := slices.Sorted(maps.Keys(want))
	n := 0
	for ok := it.First(); ok; ok = it.Next() {
		require.Less(t, n, len(keys), "%q is too much", it.Key())
		require.Equal(t, keys[n], string(it.Key()))
		require.Equal(t, want[keys[n]], string(it.Value()))
		n++
	}
	require.Equal(t, len(keys), n)
	for ok := it.Last(); ok; ok = it.Prev() {
		n--
		require.GreaterOrEqual(t, n, 0)
		require.Equal(t, keys[n], string(it.Key()))
		require.Equal(t, want[keys[n]], string(it.Value()))
	}
	require.Zero(t, n)
	require.NoError(t, it.Error())
	require.NoError(t, it.Close())
}

// requireWalk compares a random walk, within random bounds, with the model; and some Gets.
func requireWalk(t testing.TB, rnd *rand.Rand, want model, r reader, keys int) {
	var lower, upper []byte
	if rnd.IntN(3) > 0 {
		lower = []byte(randomKey(rnd, keys))
	}
	if rnd.IntN(3) > 0 {
		upper = []byte(randomKey(rnd, keys))
	}
	var inside []string
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if k >= string(lower) && (upper == nil || k < string(upper)) {
			inside = append(inside, k)
		}
	}
	it, err := r.NewIter(lower, upper)
	require.NoError(t, err)
	at := -1
	for range 40 {
		var ok bool
		did := ""
		switch op := rnd.IntN(12); {
		case op == 0:
			did, at, ok = "first", 0, it.First()
		case op == 1:
			did, at, ok = "last", len(inside)-1, it.Last()
		case op == 2:
			k := randomKey(rnd, keys)
			did, at, ok = "seekGE "+k, sort.SearchStrings(inside, k), it.SeekGE([]byte(k))
		case op == 3:
			k := randomKey(rnd, keys)
			did, at, ok = "seekLT "+k, sort.SearchStrings(inside, k)-1, it.SeekLT([]byte(k))
		case op == 4 && it.Valid():
			did, ok = "seekGE itself", it.SeekGE(it.Key())
		case op == 5 && it.Valid():
			did, at, ok = "seekLT itself", at-1, it.SeekLT(it.Key())
		case op < 9:
			did, ok = "next", it.Next()
			if at >= 0 {
				at++
			}
		default:
			did, ok = "prev", it.Prev()
			if at >= 0 {
				at--
			}
		}
		if at < 0 || at >= len(inside) {
			at = -1
		}
		require.Equal(t, at >= 0, ok, did)
		require.Equal(t, ok, it.Valid(), did)
		if ok {
			require.Equal(t, inside[at], string(it.Key()), did)
			require.Equal(t, want[inside[at]], string(it.Value()), did)
		}
	}
	require.NoError(t, it.Close())
	for range 10 {
		k := randomKey(rnd, keys)
		v, ok, release, err := r.Get([]byte(k))
		require.NoError(t, err)
		wanted, there := want[k]
		require.Equal(t, there, ok, k)
		require.Equal(t, wanted, string(v), k)
		release()
	}
}

// Random histories: what an engine and its snapshots hold is what a map would hold.
func TestModel(t *testing.T) {
	for seed := range uint64(24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 77))
			o := Options{DeltaKeys: []int{10, 200, 5000}[seed%3], partKeys: 1 + rnd.IntN(200), runBlockBytes: 300}
			h := newCrashable(o)
			require.NoError(t, h.fs.MkdirAll("imports", 0o755))
			e := h.open(t)
			keys := []int{30, 600, 3000}[seed/3%3]
			current := model{}
			type view struct {
				s    engine.Snapshot
				want model
			}
			var views []view
			for n := range uint64(600) {
				if rnd.IntN(15) == 0 {
					randomImport(t, rnd, e, "imports", current, keys, markAt(n+1))
				} else {
					b := e.NewBatch()
					for range 1 + rnd.IntN(5) {
						randomBatch(t, rnd, b, current, keys)
					}
					require.NoError(t, e.Apply(b, markAt(n+1)))
				}
				switch rnd.IntN(30) {
				case 0:
					_, err := e.Checkpoint()
					require.NoError(t, err)
				case 1:
					views = append(views, view{e.Snapshot(), maps.Clone(current)})
				case 2:
					if len(views) > 0 {
						i := rnd.IntN(len(views))
						requireContents(t, views[i].want, views[i].s)
						require.NoError(t, views[i].s.Close())
						views = slices.Delete(views, i, i+1)
					}
				case 3:
					requireContents(t, current, e)
				}
				requireWalk(t, rnd, current, e, keys)
				for _, v := range views {
					if rnd.IntN(5) == 0 {
						requireWalk(t, rnd, v.want, v.s, keys)
					}
				}
			}
			for _, v := range views {
				requireContents(t, v.want, v.s)
				require.NoError(t, v.s.Close())
			}
			requireContents(t, current, e)
			_, err := e.Checkpoint()
			require.NoError(t, err)
			requireContents(t, current, e)
			require.NoError(t, e.Close())
			e = h.open(t)
			requireContents(t, current, e)
			require.NoError(t, e.Close())
		})
	}
}

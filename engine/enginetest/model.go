package enginetest

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

func mark(n uint64) engine.Mark {
	return engine.Mark{Position: logpos.At(1+n/100, n%100), GTIDState: fmt.Sprintf("0-1-%d", n)}
}

// number is the n of a mark.
func number(m engine.Mark) uint64 {
	if m == (engine.Mark{}) {
		return 0
	}
	return m.Position.Segment*100 + m.Position.Offset - 100
}

// apply applies "key=value" and "-key" at mark n.
func apply(t *testing.T, e engine.Engine, n uint64, changes ...string) {
	t.Helper()
	require.NoError(t, e.Apply(batch(t, e, changes...), mark(n)))
}

func batch(t *testing.T, e engine.Engine, changes ...string) engine.Batch {
	t.Helper()
	b := e.NewBatch()
	for _, c := range changes {
		key, value, set := bytes.Cut([]byte(c), []byte("="))
		if set {
			require.NoError(t, b.Set(key, value))
		} else {
			require.NoError(t, b.Delete(key[1:]))
		}
	}
	return b
}

type reader interface {
	Get(key []byte) (value []byte, ok bool, release func(), err error)
	NewIter(lower, upper []byte) (engine.Iterator, error)
}

func get(t *testing.T, r reader, key string) string {
	t.Helper()
	v, ok, release, err := r.Get([]byte(key))
	require.NoError(t, err)
	if !ok {
		return "-"
	}
	defer release()
	return string(v)
}

// userLower is where the keys begin that the suite uses: engines may keep keys of
// their own that start with four zero bytes.
var userLower = []byte{0, 0, 0, 1}

func contents(t *testing.T, r reader) (out []string) {
	t.Helper()
	it, err := r.NewIter(userLower, nil)
	require.NoError(t, err)
	for ok := it.First(); ok; ok = it.Next() {
		out = append(out, string(it.Key())+"="+string(it.Value()))
	}
	require.NoError(t, it.Error())
	require.NoError(t, it.Close())
	return out
}

// change is one change of a batch: of a key, or of a range if upper is not empty. A nil value deletes.
type change struct {
	key, upper string
	value      *string
}

func setTo(key, value string) change { return change{key: key, value: &value} }

// model is what an engine should contain.
type model map[string]string

// read is what a reader contains.
func read(t *testing.T, r reader) model {
	t.Helper()
	m, err := tryRead(r)
	require.NoError(t, err)
	return m
}

func tryRead(r reader) (model, error) {
	it, err := r.NewIter(userLower, nil)
	if err != nil {
		return nil, err
	}
	m := model{}
	for ok := it.First(); ok; ok = it.Next() {
		m[string(it.Key())] = string(it.Value())
	}
	if err := it.Error(); err != nil {
		_ = it.Close() // it may repeat the error
		return nil, err
	}
	return m, it.Close()
}

// with is another model, after the changes.
func (m model) with(changes []change) model {
	next := maps.Clone(m)
	for _, c := range changes {
		switch {
		case c.upper != "":
			maps.DeleteFunc(next, func(k, _ string) bool { return k >= c.key && k < c.upper })
		case c.value == nil:
			delete(next, c.key)
		default:
			next[c.key] = *c.value
		}
	}
	return next
}

// batchOf is a batch of changes.
func batchOf(t *testing.T, e engine.Engine, changes []change) engine.Batch {
	t.Helper()
	b := e.NewBatch()
	for _, c := range changes {
		switch {
		case c.upper != "":
			require.NoError(t, b.DeleteRange([]byte(c.key), []byte(c.upper)))
		case c.value == nil:
			require.NoError(t, b.Delete([]byte(c.key)))
		default:
			require.NoError(t, b.Set([]byte(c.key), []byte(*c.value)))
		}
	}
	return b
}

// randomKey draws from a few hundred keys that are prefixes of each other, and have bytes at both ends of the order.
func randomKey(rnd *rand.Rand) string {
	key := []byte("k")
	for range rnd.IntN(5) {
		key = append(key, "\x00ab\xff"[rnd.IntN(4)])
	}
	return string(key)
}

// randomChanges draws a batch; one in ten changes is of a range.
func randomChanges(rnd *rand.Rand, n int) (changes []change) {
	for range n {
		key := randomKey(rnd)
		switch rnd.IntN(10) {
		case 0:
			changes = append(changes, change{key: key, upper: key + string("\x00ab\xff"[rnd.IntN(4)])})
		case 1, 2:
			changes = append(changes, change{key: key})
		default:
			changes = append(changes, setTo(key, fmt.Sprint(rnd.IntN(1000))))
		}
	}
	return changes
}

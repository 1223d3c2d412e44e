package enginetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// Harness makes engines of one kind.
type Harness interface {
	// Open opens the engine over the same storage every time.
	Open(t *testing.T) engine.Engine
	// Crash ends the engine and loses what is not durable. It is called
	// with an engine on which no snapshot or iterator is open.
	Crash(t *testing.T, e engine.Engine)
}

// Run runs the suite; newHarness is called once per test.
func Run(t *testing.T, newHarness func(t *testing.T) Harness) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, h Harness)
	}{
		{"Empty", testEmpty},
		{"ApplyAndRead", testApplyAndRead},
		{"Iterate", testIterate},
		{"Snapshot", testSnapshot},
		{"Checkpoint", testCheckpoint},
		{"CrashKeepsWholeApplies", testCrash},
		{"IngestIsDurableAfterCheckpoint", testIngest},
		{"MarksDoNotGoBack", testMarks},
		{"Concurrent", testConcurrent},
		{"Closed", testClosed},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, newHarness(t)) })
	}
}

func mark(n uint64) engine.Mark {
	return engine.Mark{Position: logpos.At(1+n/100, n%100), GTIDState: fmt.Sprintf("0-1-%d", n)}
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

// user is the range of keys that the suite uses: engines may keep keys of
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
	e.NewBatch().Discard()
	batch(t, e, "lost=1").Discard()
	require.Equal(t, "-", get(t, e, "lost"))
	require.NoError(t, e.Close())
}

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

func testSnapshot(t *testing.T, h Harness) {
	e := h.Open(t)
	apply(t, e, 1, "a=1", "b=1")
	s := e.Snapshot()
	it, err := e.NewIter(userLower, nil)
	require.NoError(t, err)
	apply(t, e, 2, "a=2", "-b", "c=2")
	require.Equal(t, []string{"a=1", "b=1"}, contents(t, s))
	require.Equal(t, "1", get(t, s, "a"))
	require.Equal(t, "-", get(t, s, "c"))
	require.True(t, it.First(), "an iterator is a snapshot too")
	require.True(t, it.Next())
	require.Equal(t, "b", string(it.Key()))
	require.False(t, it.Next())
	require.NoError(t, it.Close())
	_, err = e.Checkpoint()
	require.NoError(t, err)
	b := e.NewBatch()
	require.NoError(t, b.DeleteRange(userLower, []byte{0xff}))
	require.NoError(t, e.Apply(b, mark(3)))
	require.Empty(t, contents(t, e))
	require.Equal(t, []string{"a=1", "b=1"}, contents(t, s))
	require.NoError(t, s.Close())
	require.NoError(t, e.Close())
}

func testCheckpoint(t *testing.T, h Harness) {
	e := h.Open(t)
	apply(t, e, 1, "a=1")
	apply(t, e, 2, "b=2")
	m, err := e.Checkpoint()
	require.NoError(t, err)
	require.Equal(t, mark(2), m)
	require.Equal(t, mark(2), e.Durable())
	apply(t, e, 3, "-a")
	require.Equal(t, mark(3), e.Applied())
	h.Crash(t, e)

	e = h.Open(t)
	d := e.Durable()
	require.Equal(t, d, e.Applied())
	require.False(t, d.Position.Before(mark(2).Position))
	if d == mark(2) {
		require.Equal(t, []string{"a=1", "b=2"}, contents(t, e))
	}
	apply(t, e, 3, "-a") // replay
	_, err = e.Checkpoint()
	require.NoError(t, err)
	require.NoError(t, e.Close())
	e = h.Open(t)
	require.Equal(t, mark(3), e.Durable())
	require.Equal(t, []string{"b=2"}, contents(t, e))
	require.NoError(t, e.Close())
}

// After a crash the contents are those after the Apply whose mark is found.
func testCrash(t *testing.T, h Harness) {
	rnd := rand.New(rand.NewPCG(1, 2))
	states := [][]string{nil}
	current := map[string]string{}
	n := uint64(0)
	checkpoint := uint64(0)
	for range 8 {
		e := h.Open(t)
		d := e.Durable()
		n = d.Position.Segment*100 + d.Position.Offset
		if d != (engine.Mark{}) {
			n -= 100
		}
		require.GreaterOrEqual(t, n, checkpoint)
		require.Equal(t, states[n], contents(t, e))
		states = states[:n+1]
		clear(current)
		for _, s := range states[n] {
			current[s[:1]] = s
		}
		for range 20 + rnd.IntN(30) {
			n++
			var changes []string
			for range 1 + rnd.IntN(5) {
				key := string(rune('a' + rnd.IntN(20)))
				if rnd.IntN(3) == 0 {
					changes = append(changes, "-"+key)
					delete(current, key)
				} else {
					changes = append(changes, fmt.Sprintf("%s=%d", key, n))
					current[key] = changes[len(changes)-1]
				}
			}
			apply(t, e, n, changes...)
			var s []string
			for _, v := range current {
				s = append(s, v)
			}
			slices.Sort(s)
			states = append(states, s)
			if rnd.IntN(10) == 0 {
				_, err := e.Checkpoint()
				require.NoError(t, err)
				checkpoint = n
			}
		}
		h.Crash(t, e)
	}
}

func testIngest(t *testing.T, h Harness) {
	e := h.Open(t)
	apply(t, e, 1, "a=1")
	require.NoError(t, e.Ingest(batch(t, e, "x=1", "y=1")))
	require.Equal(t, mark(1), e.Applied())
	require.Equal(t, []string{"a=1", "x=1", "y=1"}, contents(t, e))
	m, err := e.Checkpoint()
	require.NoError(t, err)
	require.Equal(t, mark(1), m)
	b := e.NewBatch()
	require.NoError(t, b.DeleteRange([]byte("y"), []byte("z")))
	require.NoError(t, e.Ingest(b))
	require.NoError(t, e.Ingest(batch(t, e, "z=1")))
	_, err = e.Checkpoint() // the mark has not moved, and yet there is something to do
	require.NoError(t, err)
	h.Crash(t, e)
	e = h.Open(t)
	require.Equal(t, []string{"a=1", "x=1", "z=1"}, contents(t, e))
	require.NoError(t, e.Ingest(e.NewBatch()))
	require.NoError(t, e.Close())
}

func testMarks(t *testing.T, h Harness) {
	e := h.Open(t)
	apply(t, e, 100, "a=1")
	require.Error(t, e.Apply(batch(t, e, "b=1"), mark(99)))
	require.Equal(t, []string{"a=1"}, contents(t, e))
	require.Equal(t, mark(100), e.Applied())
	apply(t, e, 250, "b=1")
	require.NoError(t, e.Close())
}

// One goroutine applies; others read, take checkpoints and ingest.
func testConcurrent(t *testing.T, h Harness) {
	e := h.Open(t)
	const applies = 300
	done := make(chan struct{})
	var wg sync.WaitGroup
	worker := func(f func() error) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				if err := f(); err != nil {
					t.Errorf("concurrent use: %v", err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		}()
	}
	worker(func() error { // both keys are always written together
		s := e.Snapshot()
		a, b := get(t, s, "a"), get(t, s, "b")
		if a != b {
			return fmt.Errorf("torn batch: %s, %s", a, b)
		}
		return s.Close()
	})
	worker(func() error {
		before := e.Applied()
		m, err := e.Checkpoint()
		if err == nil && (m.Position.Before(before.Position) || e.Durable().Position.Before(m.Position)) {
			return fmt.Errorf("checkpoint at %s after apply at %s", m.Position, before.Position)
		}
		return err
	})
	worker(func() error {
		b := e.NewBatch()
		if err := b.Set([]byte("ingested"), []byte("1")); err != nil {
			return err
		}
		return e.Ingest(b)
	})
	for n := range uint64(applies) {
		v := fmt.Sprint(n)
		apply(t, e, n+1, "a="+v, "b="+v)
	}
	close(done)
	wg.Wait()
	require.NoError(t, e.Close())
}

func testClosed(t *testing.T, h Harness) {
	e := h.Open(t)
	apply(t, e, 1, "a=1")
	b := e.NewBatch()
	require.NoError(t, e.Close())
	require.NoError(t, e.Close(), "twice is no error")
	require.ErrorIs(t, e.Apply(b, mark(2)), engine.ErrClosed)
	_, _, _, err := e.Get([]byte("a"))
	require.ErrorIs(t, err, engine.ErrClosed)
	_, err = e.NewIter(nil, nil)
	require.ErrorIs(t, err, engine.ErrClosed)
	_, err = e.Checkpoint()
	require.ErrorIs(t, err, engine.ErrClosed)
	require.Equal(t, mark(1), e.Applied())
}

package btree

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/crashfs"
)

// history is what an engine held after each Apply, and what a crash may leave of it.
type history struct {
	mu      sync.Mutex
	states  []model // by mark
	durable uint64  // mark of the last checkpoint that returned
	images  []image
}

// image is the file system after a crash.
type image struct {
	fs   *crashfs.FS
	op   string
	from uint64 // the oldest state that may be found
	to   uint64 // the newest
}

// record takes an image before every operation of a file system.
func (h *history) record(fs *crashfs.FS, rnd *rand.Rand, every int) {
	fs.SetHook(func(op crashfs.Op) error {
		h.mu.Lock()
		defer h.mu.Unlock()
		if rnd.IntN(every) == 0 {
			h.images = append(h.images, image{fs.Crash(crashfs.RandomLoss(rnd), rnd), op.String(), h.durable, uint64(len(h.states) - 1)})
		}
		return nil
	})
}

func (h *history) checkpointed(m engine.Mark) {
	h.mu.Lock()
	h.durable = m.Position.Offset
	h.mu.Unlock()
}

// apply runs random applies, imports and checkpoints.
func (h *history) apply(t *testing.T, rnd *rand.Rand, e *Engine, n, keys int) {
	current := maps.Clone(h.states[len(h.states)-1])
	for range n {
		h.mu.Lock()
		at := uint64(len(h.states))
		h.mu.Unlock()
		b := e.NewBatch()
		isImport := rnd.IntN(8) == 0
		if isImport {
			current = maps.Clone(current)
		} else {
			randomBatch(t, rnd, b, current, keys)
		}
		// What is applied may be durable before Apply returns.
		if isImport {
			h.applyImport(t, rnd, e, current, keys, at)
		} else {
			h.add(current)
			require.NoError(t, e.Apply(b, markAt(at)))
		}
		if rnd.IntN(12) == 0 {
			m, err := e.Checkpoint()
			require.NoError(t, err)
			h.checkpointed(m)
		}
	}
}

func (h *history) add(m model) {
	h.mu.Lock()
	h.states = append(h.states, maps.Clone(m))
	h.mu.Unlock()
}

// applyImport is randomImport for a history: the state is there before the import is applied.
func (h *history) applyImport(t *testing.T, rnd *rand.Rand, e *Engine, current model, keys int, at uint64) {
	i := prepareImport(t, rnd, e, "imports", current, keys)
	b := e.NewBatch()
	current["a counter"] = fmt.Sprint(at)
	require.NoError(t, b.Set([]byte("a counter"), []byte(current["a counter"])))
	h.add(current)
	require.NoError(t, e.ApplyImport(i, b, markAt(at)))
}

// verify opens what a crash has left: the contents are those after the Apply with the mark that is found.
func (h *history) verify(t *testing.T, im image, o Options, again bool) {
	rnd := rand.New(rand.NewPCG(uint64(len(h.images)), im.to))
	c := &crashable{fs: im.fs, rnd: rnd, opts: o}
	m, _, err := Peek(Options{FS: im.fs, Dir: "data"}, nil)
	require.NoError(t, err)
	next := history{states: h.states[:m.Position.Offset+1], durable: m.Position.Offset}
	if again { // another crash, while debts are paid
		next.record(im.fs, rnd, 8)
	}
	e := c.open(t)
	require.Equal(t, m, e.Durable())
	found := e.Durable().Position.Offset
	require.GreaterOrEqual(t, found, im.from, "crash before %s", im.op)
	require.LessOrEqual(t, found, im.to, "crash before %s", im.op)
	require.Equal(t, found, e.Applied().Position.Offset)
	want := h.states[found]
	requireContents(t, want, e)
	if !again {
		require.NoError(t, e.Close())
		return
	}
	waitPaid(t, e)
	requireContents(t, want, e)
	require.NoError(t, e.Close())
	im.fs.SetHook(nil)
	for _, second := range next.images {
		next.verify(t, second, o, false)
	}
	e = c.open(t)
	requireContents(t, want, e)
	require.NoError(t, e.Close())
}

// A crash before any operation of the file system leaves the state after some Apply, and none before the last checkpoint that
// has returned.
func TestCrashEverywhere(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 99))
			o := Options{DeltaKeys: []int{5, 40, 1000, 1000}[seed%4], partKeys: 1 + rnd.IntN(30), runBlockBytes: 200, MapBytes: smallMap}
			c := &crashable{fs: crashfs.New(), rnd: rnd, opts: o}
			c.fs.SetTruncate(seed%3 > 0) // not all files can be truncated
			h := history{states: []model{{}}}
			h.record(c.fs, rand.New(rand.NewPCG(seed, 100)), 4)
			e := c.open(t)
			require.NoError(t, c.fs.MkdirAll("imports", 0o755))
			h.apply(t, rnd, e, 100, 200)
			require.NoError(t, e.Close())
			c.fs.SetHook(nil)
			require.Greater(t, len(h.images), 20)
			for _, im := range h.images {
				h.verify(t, im, o, true)
			}
		})
	}
}

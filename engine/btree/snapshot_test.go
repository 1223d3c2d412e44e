package btree

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/cowfs"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/logpos"
)

// Many read while checkpoints run: snapshots, iterators and single keys, each with a cursor of its own on a transaction that
// they share. (With -race.)
func TestReadersAndCheckpoints(t *testing.T) {
	e := directory{t.TempDir(), Options{DeltaKeys: 200, partKeys: 100}}.open(t)
	const keys = 2000
	apply := func(n uint64) {
		b := e.NewBatch()
		rnd := rand.New(rand.NewPCG(n, 0))
		if n == 1 {
			for k := range keys {
				require.NoError(t, b.Set(fmt.Appendf(nil, "key%05d", k), fmt.Appendf(nil, "%d", n)))
			}
		}
		// Two keys with one value: they always agree.
		for range 20 {
			k := rnd.IntN(keys / 2)
			v := fmt.Appendf(nil, "%d", n)
			require.NoError(t, b.Set(fmt.Appendf(nil, "key%05d", k), v))
			require.NoError(t, b.Set(fmt.Appendf(nil, "key%05d", keys-1-k), v))
		}
		require.NoError(t, e.Apply(b, markAt(n)))
	}
	apply(1)
	long := e.Snapshot()
	done := make(chan struct{})
	var wg sync.WaitGroup
	for r := range 4 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(r), 1))
			for {
				select {
				case <-done:
					return
				default:
				}
				if !readPairs(t, e, rnd, keys) {
					return
				}
			}
		})
	}
	for n := uint64(2); n < 400; n++ {
		apply(n)
	}
	close(done)
	wg.Wait()
	it, err := long.NewIter(nil, nil)
	require.NoError(t, err)
	n := 0
	for ok := it.First(); ok; ok = it.Next() {
		require.Equal(t, "1", string(it.Value()))
		n++
	}
	require.Equal(t, keys, n)
	require.NoError(t, it.Close())
	require.NoError(t, long.Close())
	require.NoError(t, e.Close())
}

// readPairs checks one moment.
func readPairs(t *testing.T, e *Engine, rnd *rand.Rand, keys int) bool {
	s := e.Snapshot()
	defer func() { _ = s.Close() }()
	it, err := s.NewIter([]byte("key"), []byte("kez"))
	if err != nil {
		t.Error(err)
		return false
	}
	defer func() { _ = it.Close() }()
	values := make([][]byte, 0, keys)
	for ok := it.First(); ok; ok = it.Next() {
		values = append(values, bytes.Clone(it.Value()))
	}
	if len(values) != keys {
		t.Errorf("%d keys", len(values))
		return false
	}
	for k := range keys / 2 {
		if !bytes.Equal(values[k], values[keys-1-k]) {
			t.Errorf("key %d: %s and %s", k, values[k], values[keys-1-k])
			return false
		}
	}
	for range 100 {
		k := rnd.IntN(keys)
		v, ok, release, err := s.Get(fmt.Appendf(nil, "key%05d", k))
		if err != nil || !ok || !bytes.Equal(v, values[k]) {
			t.Errorf("get %d: %s, %v, %v", k, v, ok, err)
			return false
		}
		release()
	}
	return true
}

// A snapshot that is open when the engine is closed keeps the file open, which is an error.
func TestCloseWithSnapshot(t *testing.T) {
	c := newCrashable(Options{})
	e := c.open(t)
	set(t, e, 1, 10)
	_, err := e.Checkpoint()
	require.NoError(t, err)
	s := e.Snapshot()
	require.ErrorContains(t, e.Close(), "snapshots")
	require.Equal(t, 1, count(t, s))
	require.NoError(t, s.Close())
	_, _, _, err = e.Snapshot().Get([]byte("key"))
	require.ErrorIs(t, err, engine.ErrClosed)
	_, err = e.Snapshot().NewIter(nil, nil)
	require.ErrorIs(t, err, engine.ErrClosed)
	_, err = e.retired.end()
	require.NoError(t, err)
	require.NoError(t, e.file.close())
}

// What Peek looks at stays as it is.
func TestPeekChangesNothing(t *testing.T) {
	c := newCrashable(Options{DeltaKeys: 10, partKeys: 5})
	require.NoError(t, c.fs.MkdirAll("imports", 0o755))
	peek := func() (engine.Mark, bool) {
		before := c.fs.Hash(nil)
		m, there, err := Peek(Options{FS: c.fs, Dir: "data"}, []byte("a counter"))
		require.NoError(t, err)
		require.Equal(t, before, c.fs.Hash(nil))
		return m, there
	}
	m, there := peek()
	require.Equal(t, engine.Mark{}, m)
	require.False(t, there)
	rnd := rand.New(rand.NewPCG(5, 6))
	e := c.open(t)
	current := model{}
	for n := uint64(1); n < 20; n++ {
		randomImport(t, rnd, e, "imports", current, 200, markAt(n))
	}
	_, err := e.Checkpoint()
	require.NoError(t, err)
	c.Crash(t, e)
	f, err := c.fs.Create("data/left"+tmpSuffix, vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	m, there = peek()
	require.Equal(t, markAt(19), m)
	require.Equal(t, current["a counter"] != "", there)
	e = c.open(t)
	require.NotContains(t, files(t, c.fs, "data"), "left"+tmpSuffix)
	requireContents(t, current, e)
	require.NoError(t, e.Close())
}

func TestOpenErrors(t *testing.T) {
	_, err := Open(Options{})
	require.Error(t, err)
	c := newCrashable(Options{})
	e := c.open(t)
	_, err = Open(Options{FS: c.fs, Dir: "data"})
	require.ErrorContains(t, err, "lock")
	require.NoError(t, e.Close())

	d := directory{dir: t.TempDir()}
	e = d.open(t)
	_, err = Open(Options{Dir: d.dir})
	require.ErrorContains(t, err, "lock")
	require.NoError(t, e.Close())
	e = d.open(t)
	require.NoError(t, e.Close())

	broken := crashfs.New()
	broken.SetHook(fullDisk)
	_, err = Open(Options{FS: broken, Dir: "data"})
	require.Error(t, err)
	broken.SetHook(nil)
	e, err = Open(Options{FS: broken, Dir: "data", MapBytes: smallMap})
	require.NoError(t, err)
	require.NoError(t, e.Close())
}

func TestBatchLimits(t *testing.T) {
	e := newCrashable(Options{}).open(t)
	b := e.NewBatch()
	require.ErrorIs(t, b.Set(nil, nil), errKeyLength)
	require.ErrorIs(t, b.Set(make([]byte, 32769), nil), errKeyLength)
	require.NoError(t, b.Set(bytes.Repeat([]byte{7}, 32768), make([]byte, 1<<20)))
	require.NoError(t, b.Delete(nil))
	require.NoError(t, b.Delete(make([]byte, 40_000)))
	require.ErrorIs(t, b.DeleteRange([]byte("a"), nil), errNoUpper)
	require.NoError(t, b.DeleteRange([]byte("b"), []byte("a")))
	require.NoError(t, e.Apply(b, markAt(1)))
	_, err := e.Checkpoint()
	require.NoError(t, err)
	require.Equal(t, 1, count(t, e))
	require.NoError(t, e.Close())
}

func TestMarkEncoding(t *testing.T) {
	for _, m := range []engine.Mark{{}, {Position: logpos.At(1, 4)}, {Position: logpos.At(1<<40, 1<<64-1), GTIDState: "0-1-5,1-2-3"}} {
		got, err := parseMark(appendMark(nil, m))
		require.NoError(t, err)
		require.Equal(t, m, got)
	}
	// These bytes lie in data directories.
	stored := engine.Mark{Position: logpos.At(42, 1<<20+5), GTIDState: "0-1-5,1-2-3"}
	require.Equal(t, "*\x85\x80@0-1-5,1-2-3", string(appendMark(nil, stored)))
	for _, b := range [][]byte{nil, {0x80}, {1}, {1, 0xff}} {
		_, err := parseMark(b)
		require.ErrorIs(t, err, ErrCorrupt)
	}
}

// With NoMerge a directory is looked at: nothing of the file is read but what is asked for, and nothing is written.
func TestNoMerge(t *testing.T) {
	d := directory{dir: t.TempDir(), opts: Options{partKeys: 5, runBlockBytes: 200}}
	e := d.open(t)
	rnd := rand.New(rand.NewPCG(5, 6))
	current := model{}
	for n := uint64(1); n < 10; n++ {
		randomImport(t, rnd, e, t.TempDir(), current, 200, markAt(n))
	}
	e.checkpoint.Lock() // there are debts
	_, err := e.checkpointLocked(false)
	require.NoError(t, err)
	e.mu.Lock()
	e.mu.broken = errors.New("no payments any more")
	e.mu.Unlock()
	e.checkpoint.Unlock()
	require.NotNil(t, e.now.Load().oldestDebt())
	require.NoError(t, e.Close())
	before := contentsOf(t, d.dir)

	files := cowfs.New(vfs.Default)
	e, err = Open(Options{FS: files, Dir: d.dir, NoMerge: true, DeltaKeys: 10, Fatal: func(err error) { t.Error(err) }})
	require.NoError(t, err)
	require.Nil(t, e.file.mirror)
	require.Nil(t, e.file.temp, "nothing was loaded")
	require.Equal(t, markAt(9), e.Durable())
	requireContents(t, current, e)
	for n := uint64(10); n < 100; n++ {
		b := e.NewBatch()
		randomBatch(t, rnd, b, current, 200)
		require.NoError(t, e.Apply(b, markAt(n)))
	}
	m, err := e.Checkpoint()
	require.NoError(t, err)
	require.Equal(t, markAt(99), m)
	require.Equal(t, m, e.Durable())
	requireContents(t, current, e)
	require.NoError(t, e.ResetMark(markAt(3)))
	require.Equal(t, markAt(3), e.Durable())
	require.NoError(t, e.Close())
	_, err = e.Checkpoint()
	require.ErrorIs(t, err, engine.ErrClosed)
	require.NoError(t, files.Close())
	require.Equal(t, before, contentsOf(t, d.dir))
}

func contentsOf(t *testing.T, dir string) map[string]string {
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, en := range entries {
		b, err := os.ReadFile(filepath.Join(dir, en.Name()))
		require.NoError(t, err)
		out[en.Name()] = string(b)
	}
	return out
}

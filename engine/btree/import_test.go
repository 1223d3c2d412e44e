package btree

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/crashfs"
)

func importable(t *testing.T, o Options) (*crashable, *Engine) {
	c := newCrashable(o)
	require.NoError(t, c.fs.MkdirAll("imports", 0o755))
	return c, c.open(t)
}

func files(t *testing.T, fs *crashfs.FS, dir string) []string {
	names, err := fs.List(dir)
	require.NoError(t, err)
	return names
}

func TestImportKeys(t *testing.T) {
	c, e := importable(t, Options{})
	i, err := e.NewImport("imports")
	require.NoError(t, err)
	require.NoError(t, i.Set([]byte("b"), nil))
	require.ErrorIs(t, i.Set([]byte("a"), nil), engine.ErrKeyOrder)
	require.ErrorIs(t, i.Delete([]byte("b")), engine.ErrKeyOrder)
	require.Error(t, i.Set(nil, nil))
	require.Error(t, i.Delete(make([]byte, 40_000)))
	require.ErrorContains(t, e.ApplyImport(i, e.NewBatch(), markAt(1)), "not finished")
	require.Empty(t, files(t, c.fs, "imports"), "an import is consumed")

	i, err = e.NewImport("imports")
	require.NoError(t, err)
	require.NoError(t, i.Set([]byte("b"), nil))
	require.Len(t, files(t, c.fs, "imports"), 1)
	i.Discard()
	i.Discard()
	require.Empty(t, files(t, c.fs, "imports"))

	i, err = e.NewImport("imports")
	require.NoError(t, err)
	require.NoError(t, i.Finish())
	require.NoError(t, e.ApplyImport(i, e.NewBatch(), markAt(2)), "one without anything is a mark")
	require.Equal(t, markAt(2), e.Applied())

	i, err = e.NewImport("imports")
	require.NoError(t, err)
	require.NoError(t, i.Set([]byte("late"), nil))
	require.NoError(t, i.Finish())
	require.Error(t, e.ApplyImport(i, e.NewBatch(), markAt(1)), "marks do not go back")
	require.Zero(t, count(t, e))
	require.Empty(t, files(t, c.fs, "imports"))
	require.Equal(t, []string{lockName, fileName}, files(t, c.fs, "data"))
	require.NoError(t, e.Close())
	_, err = e.NewImport("imports")
	require.ErrorIs(t, err, engine.ErrClosed)
}

// An import is there at once, durable with its mark after a checkpoint, and in the base in the end, when its file is gone.
func TestImport(t *testing.T) {
	c, e := importable(t, Options{partKeys: 50, runBlockBytes: 1000})
	rnd := rand.New(rand.NewPCG(5, 6))
	m := model{}
	for n := range uint64(5) {
		b := e.NewBatch()
		randomBatch(t, rnd, b, m, 500)
		require.NoError(t, e.Apply(b, markAt(2*n+1)))
		randomImport(t, rnd, e, "imports", m, 500, markAt(2*n+2))
		requireContents(t, m, e)
	}
	e.checkpoint.Lock() // nothing is worked in for the moment
	randomImport(t, rnd, e, "imports", m, 500, markAt(10))
	v := e.acquire()
	require.Positive(t, v.backlog())
	require.Greater(t, v.diskBytes(), uint64(v.base.tx.Size()), "files of imports count")
	v.base.release()
	e.checkpoint.Unlock()
	require.Positive(t, e.Stats().WrittenBytes)
	s := e.Snapshot()
	mark, err := e.Checkpoint()
	require.NoError(t, err)
	require.Equal(t, markAt(10), mark)
	requireContents(t, m, e)
	c.Crash(t, crashedWith{e, s})
	e = c.open(t)
	require.Equal(t, markAt(10), e.Durable())
	requireContents(t, m, e)
	waitPaid(t, e)
	requireContents(t, m, e)
	require.Equal(t, []string{lockName, fileName}, files(t, c.fs, "data"))
	require.NoError(t, e.Close())
}

// crashedWith is an engine with a snapshot that is closed after the crash.
type crashedWith struct {
	engine.Engine
	s engine.Snapshot
}

func (c crashedWith) Close() error {
	if err := c.s.Close(); err != nil {
		return err
	}
	return c.Engine.Close()
}

// waitPaid waits until the background has paid all debts.
func waitPaid(t *testing.T, e *Engine) {
	for e.now.Load().oldestDebt() != nil {
		e.checkpoint.Lock()
		if d := e.now.Load().oldestDebt(); d != nil {
			require.NoError(t, e.pay(d))
		}
		e.checkpoint.Unlock()
	}
	e.workers.Wait()
}

// Ranges of many keys are gone at once, durable with the next checkpoint, and deleted in parts; what is written there
// meanwhile stays.
func TestLargeRange(t *testing.T) {
	c, e := importable(t, Options{partKeys: 20})
	b := e.NewBatch()
	want := model{}
	for n := range 1000 {
		k := fmt.Sprintf("t%d-%03d", n/100, n%100)
		require.NoError(t, b.Set([]byte(k), []byte("1")))
		want[k] = "1"
	}
	require.NoError(t, e.Apply(b, markAt(1)))
	_, err := e.Checkpoint()
	require.NoError(t, err)
	old := e.Snapshot()

	e.checkpoint.Lock() // nothing is paid for the moment
	remove := func(lower, upper string, mark uint64) {
		b := e.NewBatch()
		require.NoError(t, b.DeleteRange([]byte(lower), []byte(upper)))
		want.remove(lower, upper)
		require.NoError(t, e.Apply(b, markAt(mark)))
		requireContents(t, want, e)
	}
	write := func(key string, mark uint64) {
		b := e.NewBatch()
		require.NoError(t, b.Set([]byte(key), []byte(key)))
		want[key] = key
		require.NoError(t, e.Apply(b, markAt(mark)))
	}
	checkpoint := func() {
		_, err := e.checkpointLocked(false)
		require.NoError(t, err)
		requireContents(t, want, e)
	}
	remove("t3", "t4", 2)
	write("elsewhere", 3)
	checkpoint()
	require.NotNil(t, e.now.Load().oldestDebt(), "too much for one transaction")
	write("t7-000", 4)
	checkpoint()
	require.Len(t, e.now.Load().layers, 1, "what has nothing to do with the debt does not wait")
	remove("t5", "t6", 5)
	write("t5-050", 6) // in what was deleted before
	checkpoint()
	require.Len(t, e.now.Load().layers, 2)
	require.NotNil(t, e.now.Load().layers[0].run)
	crashed := c.fs.Crash(crashfs.RandomLoss(c.rnd), c.rnd)
	write("t5-051", 7)
	checkpoint()
	require.Empty(t, e.now.Load().layers, "a debt is paid before something is written there")
	e.checkpoint.Unlock()

	require.Equal(t, 1000, count(t, old))
	require.NoError(t, old.Close())
	require.NoError(t, e.Close())

	delete(want, "t5-051")
	c.fs = crashed
	e = c.open(t)
	require.Equal(t, markAt(6), e.Durable())
	requireContents(t, want, e)
	waitPaid(t, e)
	requireContents(t, want, e)
	require.Equal(t, []string{lockName, fileName}, files(t, c.fs, "data"))
	require.Equal(t, len(want), e.now.Load().base.tx.Bucket(rowsBucket).Stats().KeyN, "the rows are gone")
	require.NoError(t, e.Close())
}

func TestResetMark(t *testing.T) {
	c, e := importable(t, Options{})
	rnd := rand.New(rand.NewPCG(5, 6))
	set(t, e, 7, 10)
	require.NoError(t, e.ResetMark(markAt(3)))
	require.Equal(t, markAt(3), e.Durable())
	require.Equal(t, markAt(3), e.Applied())
	m := model{}
	randomImport(t, rnd, e, "imports", m, 50, markAt(8))
	b := e.NewBatch()
	require.NoError(t, b.Set([]byte("more"), nil))
	require.NoError(t, e.Apply(b, markAt(9)))
	require.NoError(t, e.ResetMark(markAt(2)))
	c.Crash(t, e)
	e = c.open(t)
	require.Equal(t, markAt(2), e.Durable())
	require.Equal(t, len(m)+2, count(t, e))
	require.NoError(t, e.Close())
	require.ErrorIs(t, e.ResetMark(markAt(1)), engine.ErrClosed)
}

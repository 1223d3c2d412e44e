package lsm

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

func at(n int) engine.Mark {
	return engine.Mark{Position: logpos.At(1, uint64(n))}
}

// imported applies an import of rows for step n, and a batch with one key of the meta space.
func imported(t *testing.T, e engine.Engine, n, rows, size int) {
	imp, err := e.(engine.Importer).NewImport("tmp")
	require.NoError(t, err)
	for i := range rows {
		require.NoError(t, imp.Set(fmt.Appendf(nil, "key%08d-%06d", n, i), make([]byte, size)))
	}
	require.NoError(t, imp.Delete(fmt.Appendf(nil, "key%08d-z", n)))
	require.NoError(t, imp.Finish())
	b := e.NewBatch()
	require.NoError(t, b.Set(fmt.Appendf(nil, "\x00meta%08d", n), []byte("1")))
	require.NoError(t, e.(engine.Importer).ApplyImport(imp, b, at(n)))
}

func keys(t *testing.T, e engine.Engine) (list []string) {
	it, err := e.NewIter([]byte("key"), nil)
	require.NoError(t, err)
	for ok := it.First(); ok; ok = it.Next() {
		list = append(list, string(it.Key()))
	}
	require.NoError(t, errors.Join(it.Error(), it.Close()))
	return list
}

// Imports and batches become durable in their order, with their marks, and never before the log.
func TestImportCrash(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 7))
			c := newCrashable(256 << 10)
			c.rnd = rnd
			require.NoError(t, c.fs.MkdirAll("tmp", 0o755))
			var synced atomic.Uint64
			c.opts.SyncLog = func(p logpos.Pos) error {
				for old := synced.Load(); old < p.Offset && !synced.CompareAndSwap(old, p.Offset); old = synced.Load() {
				}
				return nil
			}
			n := 0
			for range 3 {
				e := c.Open(t)
				start := int(e.Durable().Position.Offset)
				require.LessOrEqual(t, uint64(start), synced.Load())
				var want []string
				rows := map[int]int{}
				for k := 1; k <= start; k++ {
					want = append(want, fmt.Sprintf("key%08d", k))
				}
				got := keys(t, e)
				var plain []string
				for _, k := range got {
					if head, _, ok := strings.Cut(k, "-"); ok {
						var step int
						_, err := fmt.Sscanf(head, "key%d", &step)
						require.NoError(t, err)
						rows[step]++
					} else {
						plain = append(plain, k)
					}
				}
				for step, count := range rows {
					require.LessOrEqual(t, step, start)
					require.Equal(t, 40+step%5, count)
				}
				for k := 1; k <= start; k++ {
					if rows[k] > 0 {
						plain = append(plain, fmt.Sprintf("key%08d", k))
						_, ok, release, err := e.Get(fmt.Appendf(nil, "\x00meta%08d", k))
						require.NoError(t, err)
						require.True(t, ok)
						release()
					}
				}
				require.ElementsMatch(t, want, plain)
				n = start
				for range rnd.IntN(40) {
					n++
					switch rnd.IntN(6) {
					case 0:
						imported(t, e, n, 40+n%5, 100)
					case 1:
						set(t, e, n, 60_000)
					default:
						set(t, e, n, 100)
					}
					if rnd.IntN(20) == 0 {
						_, err := e.Checkpoint()
						require.NoError(t, err)
					}
				}
				c.Crash(t, e)
			}
		})
	}
}

// Imports and batches, with deletes, in any order give what a map gives.
func TestImportModel(t *testing.T) {
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		fs := vfs.NewMem()
		require.NoError(t, fs.MkdirAll("tmp", 0o755))
		e, err := Open(Options{FS: fs, Dir: "data"})
		require.NoError(t, err)
		model := map[string]string{}
		for n := 1; n < 60; n++ {
			ch := map[string]string{}
			for range rnd.IntN(4) {
				v := ""
				if rnd.IntN(2) == 0 {
					v = fmt.Sprint(n)
				}
				ch[fmt.Sprintf("key%02d", rnd.IntN(8))] = v
			}
			for k, v := range ch {
				if v == "" {
					delete(model, k)
				} else {
					model[k] = v
				}
			}
			if rnd.IntN(3) == 0 {
				imp, err := e.NewImport("tmp")
				require.NoError(t, err)
				for _, k := range slices.Sorted(maps.Keys(ch)) {
					if ch[k] == "" {
						require.NoError(t, imp.Delete([]byte(k)))
					} else {
						require.NoError(t, imp.Set([]byte(k), []byte(ch[k])))
					}
				}
				require.NoError(t, imp.Finish())
				require.NoError(t, e.ApplyImport(imp, e.NewBatch(), at(n)))
			} else {
				b := e.NewBatch()
				for k, v := range ch {
					if v == "" {
						require.NoError(t, b.Delete([]byte(k)))
					} else {
						require.NoError(t, b.Set([]byte(k), []byte(v)))
					}
				}
				require.NoError(t, e.Apply(b, at(n)))
			}
			if rnd.IntN(20) == 0 {
				_, err := e.Checkpoint()
				require.NoError(t, err)
			}
			require.ElementsMatch(t, slices.Sorted(maps.Keys(model)), keys(t, e), "seed %d step %d", seed, n)
			for k, v := range model {
				got, ok, release, err := e.Get([]byte(k))
				require.NoError(t, err)
				require.True(t, ok)
				require.Equal(t, v, string(got))
				release()
			}
		}
		require.NoError(t, e.Close())
	}
}

// An import is visible with its batch, or not at all; snapshots made before do not see it.
func TestImportVisibility(t *testing.T) {
	fs := vfs.NewMem()
	require.NoError(t, fs.MkdirAll("tmp", 0o755))
	e, err := Open(Options{FS: fs, Dir: "data"})
	require.NoError(t, err)
	set(t, e, 1, 10)
	s := e.Snapshot()
	imported(t, e, 2, 10, 10)
	_, ok, _, err := s.Get([]byte("key00000002-000000"))
	require.NoError(t, err)
	require.False(t, ok)
	require.NoError(t, s.Close())
	require.Len(t, keys(t, e), 11)
	require.Equal(t, at(2), e.Applied())
	set(t, e, 3, 10)
	_, err = e.Checkpoint()
	require.NoError(t, err)
	require.Equal(t, at(3), e.Durable())
	names, err := fs.List("tmp")
	require.NoError(t, err)
	require.Empty(t, names)
	require.NoError(t, e.Close())
}

// A batch that deletes ranges, or has keys among the rows, goes in after the tables.
func TestImportBesideRanges(t *testing.T) {
	fs := vfs.NewMem()
	require.NoError(t, fs.MkdirAll("tmp", 0o755))
	e, err := Open(Options{FS: fs, Dir: "data"})
	require.NoError(t, err)
	set(t, e, 1, 10)
	imp, err := e.NewImport("tmp")
	require.NoError(t, err)
	require.NoError(t, imp.Set([]byte("key2"), []byte("x")))
	require.NoError(t, imp.Finish())
	b := e.NewBatch()
	require.NoError(t, b.DeleteRange([]byte("key0"), []byte("key1")))
	require.NoError(t, e.ApplyImport(imp, b, at(2)))
	require.Equal(t, []string{"key2"}, keys(t, e))
	require.Equal(t, at(2), e.Applied())
	require.NoError(t, e.Close())
}

func TestImportErrors(t *testing.T) {
	fs := &fullFS{FS: vfs.NewMem()}
	require.NoError(t, fs.MkdirAll("tmp", 0o755))
	e, err := Open(Options{FS: fs, Dir: "data"})
	require.NoError(t, err)
	imp, err := e.NewImport("tmp")
	require.NoError(t, err)
	require.NoError(t, imp.Set([]byte("b"), nil))
	require.ErrorIs(t, imp.Set([]byte("b"), nil), engine.ErrKeyOrder)
	require.ErrorIs(t, imp.Delete([]byte("a")), engine.ErrKeyOrder)
	require.ErrorContains(t, e.ApplyImport(imp, e.NewBatch(), at(1)), "not finished")
	require.Equal(t, engine.Mark{}, e.Applied())

	fs.full.Store(true)
	imp, err = e.NewImport("tmp")
	require.NoError(t, err)
	require.ErrorIs(t, imp.Set([]byte("b"), nil), syscall.ENOSPC)
	imp.Discard()
	fs.full.Store(false)
	names, err := fs.List("tmp")
	require.NoError(t, err)
	require.Empty(t, names)
	require.NoError(t, e.Close())
}

// Imports do not wait for memtables to be flushed.
func BenchmarkApplyImport(b *testing.B) {
	e, err := Open(Options{Dir: b.TempDir()})
	require.NoError(b, err)
	defer e.Close()
	dir := b.TempDir()
	mark := e.Applied()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		imp, err := e.NewImport(dir)
		require.NoError(b, err)
		for k := range 1000 {
			require.NoError(b, imp.Set(fmt.Appendf(nil, "key%08d-%06d", i, k), make([]byte, 1000)))
		}
		require.NoError(b, imp.Finish())
		mark.Position.Offset++
		b.StartTimer()
		started := time.Now()
		require.NoError(b, e.ApplyImport(imp, e.NewBatch(), mark))
		b.ReportMetric(float64(time.Since(started).Microseconds()), "last-µs")
	}
}

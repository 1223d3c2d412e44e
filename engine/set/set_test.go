package set

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/enginetest"
	"github.com/duramendb/duramen/logpos"
)

// fixture is a set of engines in memory: A is the default.
type fixture struct {
	*testing.T
	kinds   []*enginetest.MemoryKind
	engines []*enginetest.Memory
	*Set
}

func newFixture(t *testing.T, names ...string) *fixture {
	f := &fixture{T: t}
	for _, name := range names {
		k := &enginetest.MemoryKind{EngineName: name, Disk: &enginetest.Disk{}}
		k.Opened = func(e *enginetest.Memory) { f.engines = append(f.engines, e) }
		f.kinds = append(f.kinds, k)
	}
	f.open()
	return f
}

// open opens the set as of what is on the disks, with the tables 1 (in the default engine), 2 (in B) and 3 (in C).
func (f *fixture) open() {
	f.engines = nil
	var engines []engine.Engine
	for _, k := range f.kinds {
		e, err := k.Open(engine.Options{})
		require.NoError(f, err)
		engines = append(engines, e)
	}
	var err error
	f.Set, err = New(engines...)
	require.NoError(f, err)
	for i, e := range engines {
		require.NoError(f, f.Place(table(uint32(i+1), e.Name())))
	}
}

func table(id uint32, engine string) *catalog.TableDef {
	return &catalog.TableDef{ID: id, DB: "d", Name: fmt.Sprint("t", id), Engine: engine}
}

func mark(n uint64) engine.Mark {
	return engine.Mark{Position: logpos.At(1, n), GTIDState: fmt.Sprint("0-1-", n)}
}

// key is of a row.
func key(table uint32, name string) []byte {
	return append(catalog.AppendPrefix(nil, table, catalog.RowsIndex), name...)
}

// apply sets the key "k" of tables to a value.
func (f *fixture) apply(n uint64, value string, tables ...uint32) {
	f.Helper()
	require.NoError(f, f.Apply(f.rows(value, tables...), mark(n)))
}

func (f *fixture) rows(value string, tables ...uint32) engine.Batch {
	f.Helper()
	b := f.NewBatch()
	for _, t := range tables {
		require.NoError(f, b.Set(key(t, "k"), []byte(value)))
	}
	return b
}

type getter interface {
	Get(key []byte) (value []byte, ok bool, release func(), err error)
}

func get(t testing.TB, g getter, key []byte) string {
	t.Helper()
	v, ok, release, err := g.Get(key)
	require.NoError(t, err)
	if !ok {
		return "-"
	}
	defer release()
	return string(v)
}

// values is the key "k" of tables.
func values(t testing.TB, g getter, tables ...uint32) (all []string) {
	t.Helper()
	for _, id := range tables {
		all = append(all, get(t, g, key(id, "k")))
	}
	return all
}

// A set of one is its engine.
func TestOneEngine(t *testing.T) {
	enginetest.Run(t, func(*testing.T) enginetest.Harness {
		return &oneEngine{enginetest.MemoryKind{EngineName: "A", Disk: &enginetest.Disk{}}}
	})
}

type oneEngine struct{ kind enginetest.MemoryKind }

func (h *oneEngine) Open(t *testing.T) engine.Engine {
	e, err := h.kind.Open(engine.Options{})
	require.NoError(t, err)
	s, err := New(e)
	require.NoError(t, err)
	return s
}

func (h *oneEngine) Crash(t *testing.T, e engine.Engine) { require.NoError(t, e.Close()) }

func (h *oneEngine) Can() enginetest.Can { return enginetest.Can{Importer: true, MarkResetter: true} }

// With one engine a commit costs what it costs without a set.
func TestOneEngineAllocatesNothing(t *testing.T) {
	f := newFixture(t, "A")
	bare, k, v := engine.Engine(f.engines[0]), key(1, "k"), []byte("v")
	n := uint64(0)
	m := mark(1)
	cost := func(e engine.Engine) float64 {
		return testing.AllocsPerRun(100, func() {
			n++
			m.Position = logpos.At(1, n)
			b := e.NewBatch()
			_ = b.Set(k, v)
			if err := e.Apply(b, m); err != nil {
				t.Error(err)
			}
			_ = e.Snapshot().Close()
		})
	}
	require.Equal(t, cost(bare), cost(f.Set))
}

func TestRoutes(t *testing.T) {
	f := newFixture(t, "A", "B", "C")
	f.apply(1, "x", 1, 2, 3)
	for i, e := range f.engines {
		for id := uint32(1); id <= 3; id++ {
			want := "-"
			if int(id) == i+1 {
				want = "x"
			}
			require.Equal(t, want, get(t, e, key(id, "k")), "table %d in %s", id, e.Name())
		}
	}
	require.Equal(t, []string{"x", "x", "x"}, values(t, f, 1, 2, 3))

	b := f.NewBatch()
	database := append(catalog.AppendPrefix(nil, catalog.MetaTable, catalog.MetaDatabases), "d"...)
	require.NoError(t, b.Set(database, []byte("{}")))
	require.NoError(t, b.Set(catalog.CounterKey(2), []byte("7")))
	require.NoError(t, b.DeleteRange(catalog.TableSpan(3)))
	require.Positive(t, b.Len())
	require.NoError(t, f.Apply(b, mark(2)))
	for i, e := range f.engines {
		require.Equal(t, "{}", get(t, e, database), "definitions are everywhere")
		require.Equal(t, i == 1, get(t, e, catalog.CounterKey(2)) == "7", "a counter is with its table")
	}
	require.Equal(t, "{}", get(t, f, database))
	require.Equal(t, "7", get(t, f, catalog.CounterKey(2)))
	require.Equal(t, []string{"x", "x", "-"}, values(t, f, 1, 2, 3))

	it, err := f.NewIter(catalog.IndexSpan(2, catalog.RowsIndex))
	require.NoError(t, err)
	require.True(t, it.First())
	require.Equal(t, key(2, "k"), it.Key())
	require.False(t, it.Next())
	require.NoError(t, it.Close())
	it, err = f.NewIter(catalog.MetaSpan())
	require.NoError(t, err)
	require.True(t, it.First())
	require.NoError(t, it.Close())

	b = f.NewBatch()
	require.NoError(t, b.Set(key(3, "i"), nil))
	require.NoError(t, f.Ingest(b))
	require.Equal(t, "", get(t, f.engines[2], key(3, "i")))
	require.Equal(t, mark(2), f.engines[0].Applied())
	require.Equal(t, mark(2), f.Applied())
}

// What nobody has placed is an error.
func TestRefuses(t *testing.T) {
	f := newFixture(t, "A", "B")
	b := f.NewBatch()
	require.ErrorIs(t, b.Set(key(9, "k"), nil), ErrNoPlace)
	require.ErrorIs(t, b.Set([]byte("k"), nil), ErrNoPlace)
	require.ErrorIs(t, b.Delete(catalog.CounterKey(9)), ErrNoPlace)
	require.ErrorIs(t, b.DeleteRange(key(1, ""), key(2, "")), ErrNoPlace)
	b.Discard()
	_, _, _, err := f.Get(key(9, "k"))
	require.ErrorIs(t, err, ErrNoPlace)
	_, err = f.NewIter(nil, nil)
	require.ErrorIs(t, err, ErrNoPlace)
	s := f.Snapshot()
	_, _, _, err = s.Get(key(9, "k"))
	require.ErrorIs(t, err, ErrNoPlace)
	_, err = s.NewIter(key(1, ""), nil)
	require.ErrorIs(t, err, ErrNoPlace)
	require.NoError(t, s.Close())

	require.ErrorIs(t, f.Place(table(5, "C")), ErrNoEngine)
	require.ErrorIs(t, f.Place(table(1, "B")), ErrMoved)
	f.apply(5, "x", 1)
	require.ErrorContains(t, f.Apply(f.NewBatch(), mark(4)), "after")

	one := newFixture(t, "A")
	require.ErrorIs(t, one.Place(table(5, "C")), ErrNoEngine, "there is no doubt, and yet it would be wrong as soon as there is a C")
}

func TestNames(t *testing.T) {
	f := newFixture(t, "ROCKSDB", "Memory")
	require.Equal(t, "ROCKSDB, Memory", f.Name())
	for name, want := range map[string]int{"": 0, "InnoDB": 0, "INNODB": 0, "RocksDB": 0, "MEMORY": 1} {
		e, err := f.For(table(7, name))
		require.NoError(t, err)
		require.Same(t, f.engines[want], e, name)
	}
	_, err := f.For(table(7, "CSV"))
	require.ErrorIs(t, err, ErrNoEngine)
	require.ErrorContains(t, err, "CSV, of table d.t7")

	for _, names := range [][]string{{}, {""}, {"A", "a"}, {"A", "InnoDB"}} {
		var engines []engine.Engine
		for _, n := range names {
			e, err := (&enginetest.MemoryKind{EngineName: n, Disk: &enginetest.Disk{}}).Open(engine.Options{})
			require.NoError(t, err)
			engines = append(engines, e)
		}
		_, err := New(engines...)
		require.Error(t, err, names)
	}
}

// An engine that is not touched hears of the mark at the checkpoint.
func TestMarks(t *testing.T) {
	f := newFixture(t, "A", "B")
	f.apply(1, "x", 1, 2)
	f.apply(2, "y", 1)
	require.Equal(t, mark(2), f.Applied())
	require.Equal(t, mark(1), f.engines[1].Applied())
	_, err := f.engines[0].Checkpoint() // as engines do on their own
	require.NoError(t, err)
	require.Equal(t, engine.Mark{}, f.Durable(), "nothing of B is durable")
	m, err := f.Checkpoint()
	require.NoError(t, err)
	require.Equal(t, mark(2), m)
	require.Equal(t, mark(2), f.Durable())
	require.Equal(t, mark(2), f.engines[1].Durable())
	f.apply(3, "z", 2)
	require.NoError(t, f.Close())
	f.open()
	require.Equal(t, mark(2), f.Applied())
	require.Equal(t, []string{"y", "x"}, values(t, f, 1, 2))
}

// A set that is opened begins at the smallest mark.
func TestBeginsAtSmallestMark(t *testing.T) {
	f := newFixture(t, "A", "B", "C")
	f.apply(1, "x", 1, 2, 3)
	_, err := f.Checkpoint()
	require.NoError(t, err)
	f.apply(2, "y", 1, 2, 3)
	_, err = f.engines[1].Checkpoint()
	require.NoError(t, err)
	require.Equal(t, mark(1), f.Durable())
	require.NoError(t, f.Close())
	f.open()
	require.Equal(t, mark(1), f.Applied())
	require.Equal(t, []string{"x", "y", "x"}, values(t, f, 1, 2, 3))
}

// An Apply that fails in one engine is not applied as a whole.
func TestApplyFails(t *testing.T) {
	f := newFixture(t, "A", "B")
	f.apply(1, "x", 1, 2)
	broken := errors.New("broken")
	f.engines[1].FailApply = func(engine.Mark) error { return broken }
	err := f.Apply(f.rows("y", 1, 2), mark(2))
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "engine B")
	require.Equal(t, mark(1), f.Applied())
}

// All engines of a snapshot stand between the same two Applies.
func TestSnapshot(t *testing.T) {
	f := newFixture(t, "A", "B", "C")
	f.apply(1, "1", 1, 2, 3)
	s := f.Snapshot()
	f.apply(2, "2", 1, 3)
	require.Equal(t, []string{"1", "1", "1"}, values(t, s, 1, 2, 3))
	it, err := s.NewIter(catalog.IndexSpan(3, catalog.RowsIndex))
	require.NoError(t, err)
	require.True(t, it.First())
	require.Equal(t, "1", string(it.Value()))
	require.NoError(t, it.Close())
	require.NoError(t, s.Close())
}

// Whoever takes a snapshot while an Apply is between two engines waits for its end.
func TestSnapshotDuringApply(t *testing.T) {
	f := newFixture(t, "A", "B", "C")
	f.apply(1, "1", 1, 2, 3)
	seen := make(chan []string, 1)
	f.engines[1].FailApply = func(engine.Mark) error {
		go func() {
			s := f.Snapshot()
			seen <- values(t, s, 1, 2, 3)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
		for i := 0; i < 1000 && len(seen) == 0; i++ {
			runtime.Gosched() // the snapshot has its chance
		}
		return nil
	}
	f.apply(2, "2", 1, 2, 3)
	require.Equal(t, []string{"2", "2", "2"}, <-seen)
}

// Snapshots and checkpoints beside Applies.
func TestConcurrent(t *testing.T) {
	f := newFixture(t, "A", "B", "C")
	f.apply(2, "2", 1, 3)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				s := f.Snapshot()
				v := values(t, s, 1, 3)
				if v[0] != v[1] {
					t.Errorf("a snapshot in the middle of an Apply: %v", v)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	wg.Go(func() {
		for {
			if _, err := f.Checkpoint(); err != nil {
				t.Error(err)
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for n := uint64(3); n < 300; n++ {
		f.apply(n, fmt.Sprint(n), 1, 3)
	}
	close(done)
	wg.Wait()
}

// The size of a table is that in its engine; the meta space is in all of them. Stats are a sum.
func TestSizeAndStats(t *testing.T) {
	f := newFixture(t, "A", "B")
	f.apply(1, "0123456789", 2)
	size := func(lower, upper []byte) uint64 {
		n, err := f.Size(lower, upper)
		require.NoError(t, err)
		return n
	}
	row := uint64(len(key(2, "k")) + 10)
	require.Zero(t, size(catalog.TableSpan(1)))
	require.Equal(t, row, size(catalog.TableSpan(2)))
	b := f.NewBatch()
	meta := catalog.AppendPrefix(nil, catalog.MetaTable, catalog.MetaNextID)
	require.NoError(t, b.Set(meta, []byte("7")))
	require.NoError(t, f.Apply(b, mark(2)))
	require.Equal(t, uint64(2*(len(meta)+1)), size(catalog.MetaSpan()))
	_, err := f.Size(catalog.TableSpan(9))
	require.ErrorIs(t, err, ErrNoPlace)

	_, err = f.engines[1].Checkpoint()
	require.NoError(t, err)
	a, other := f.engines[0].Stats(), f.engines[1].Stats()
	require.Positive(t, a.PendingBytes)
	require.Zero(t, other.PendingBytes)
	require.Equal(t, engine.Stats{DiskBytes: other.DiskBytes, PendingBytes: a.PendingBytes, WrittenBytes: other.WrittenBytes,
		Checkpoints: 1, CheckpointTime: other.CheckpointTime}, f.Stats())
	one := newFixture(t, "A")
	n, err := one.Size(nil, nil)
	require.NoError(t, err)
	require.Zero(t, n)
}

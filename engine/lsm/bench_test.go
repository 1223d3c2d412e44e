//go:build linux

package lsm

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// benchRows is how many rows the benchmarks have: go test -bench . -args -rows 1000000.
var benchRows = flag.Int("rows", 100_000, "rows of the benchmarks")

const (
	benchTable = 7
	// benchValueBytes is about a row of sysbench.
	benchValueBytes = 190
	// benchCacheBytes holds all blocks of a million rows.
	benchCacheBytes = 512 << 20
)

// benchKey is the key of a row of a table whose primary key is an INT.
func benchKey(dst []byte, n int) []byte {
	dst = binary.BigEndian.AppendUint32(dst[:0], benchTable)
	dst = append(dst, 0, 0, 0, 0)
	return binary.BigEndian.AppendUint32(dst, uint32(n)^1<<31)
}

// bencher is an engine under measurement.
type bencher struct {
	*Engine
	rows       int
	at         uint64
	key, value []byte
	rnd        *rand.Rand
}

func (b *bencher) random() int { return b.rnd.IntN(b.rows) }

func (b *bencher) apply(t testing.TB, rows int, pick func(i int) int) {
	batch := b.NewBatch()
	for i := range rows {
		b.key = benchKey(b.key, pick(i))
		for at := 0; at+8 <= len(b.value); at += 16 { // half of it is compressible
			binary.BigEndian.PutUint64(b.value[at:], b.rnd.Uint64())
		}
		require.NoError(t, batch.Set(b.key, b.value))
	}
	b.at++
	require.NoError(t, b.Apply(batch, engine.Mark{Position: logpos.At(1, b.at), GTIDState: "0-1-1000000"}))
}

// settle waits until nothing goes on in the background.
func (b *bencher) settle(t testing.TB) {
	require.Eventually(t, func() bool {
		m := b.db.Metrics()
		return m.Compact.NumInProgress == 0 && m.Flush.NumInProgress == 0 && m.MemTable.Count <= 1
	}, time.Minute, 10*time.Millisecond)
}

func (b *bencher) load(t testing.TB) {
	for n := 0; n < b.rows; n += 100 {
		b.apply(t, 100, func(i int) int { return n + i })
	}
	b.settle(t)
}

func (b *bencher) checkpoint(t testing.TB) {
	_, err := b.Checkpoint()
	require.NoError(t, err)
	b.settle(t)
}

// update gives new contents to many rows; most of these are in memtables and fresh files then.
func (b *bencher) update(t testing.TB) {
	for range b.rows / 1000 {
		b.apply(t, 100, func(int) int { return b.random() })
	}
	b.checkpoint(t)
	for range b.rows / 200 {
		b.apply(t, 100, func(int) int { return b.random() })
	}
	b.settle(t)
}

// benchStates are what a table may have gone through, one after the other.
var benchStates = []struct {
	name string
	make func(b *bencher, t testing.TB)
}{
	{"loaded", (*bencher).load},
	{"checkpointed", (*bencher).checkpoint},
	{"updated", (*bencher).update},
	{"compacted", func(b *bencher, t testing.TB) {
		b.checkpoint(t)
		require.NoError(t, b.db.Compact(t.Context(), []byte{0}, []byte{0xff}, false))
		b.settle(t)
	}},
}

func (b *bencher) describe(t testing.TB) {
	m := b.db.Metrics()
	levels := ""
	for i, l := range m.Levels {
		if l.TablesCount > 0 {
			levels += fmt.Sprintf(" L%d: %d tables %d MB, %d sublevels;", i, l.TablesCount, l.TablesSize>>20, l.Sublevels)
		}
	}
	t.Logf("memtables %d with %d MB;%s cache %d MB", m.MemTable.Count, m.MemTable.Size>>20, levels, m.BlockCache.Size>>20)
}

// warm reads all rows once.
func (b *bencher) warm(t testing.TB) {
	it, err := b.NewIter(nil, nil)
	require.NoError(t, err)
	for ok := it.First(); ok; ok = it.Next() {
		it.Value()
	}
	require.NoError(t, it.Close())
}

func newBencher(t testing.TB) *bencher {
	opened, err := Open(Options{Dir: t.TempDir(), CacheBytes: benchCacheBytes})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, opened.Close()) })
	return &bencher{Engine: opened, rows: *benchRows, value: make([]byte, benchValueBytes), rnd: rand.New(rand.NewPCG(1, 2))}
}

// BenchmarkReads measures reads of cached rows, of tables that have gone through this and that: of one row, of one row of a snapshot
// made for it, of a key that is not there, of a seek of an iterator that is there, of one of several keys in order, of one and a hundred rows
// with an iterator made for them, and of one row of a long scan forwards and backwards.
func BenchmarkReads(b *testing.B) {
	reads := []struct {
		name string
		run  func(b *testing.B, e *bencher)
	}{
		{"get", benchGet}, {"snapshotGet", benchSnapshotGet}, {"absent", benchAbsent}, {"seek", benchSeek}, {"sortedGets", benchSorted},
		{"sortedIter", benchSortedIter},
		{"range1", func(b *testing.B, e *bencher) { benchRange(b, e, 1) }},
		{"range100", func(b *testing.B, e *bencher) { benchRange(b, e, 100) }},
		{"scan", func(b *testing.B, e *bencher) { benchScan(b, e, engine.Iterator.First, engine.Iterator.Next) }},
		{"scanBack", func(b *testing.B, e *bencher) { benchScan(b, e, engine.Iterator.Last, engine.Iterator.Prev) }},
	}
	e := newBencher(b)
	for _, s := range benchStates {
		s.make(e, b)
		e.warm(b)
		b.Run(s.name, func(b *testing.B) {
			for _, r := range reads {
				b.Run(r.name, func(b *testing.B) {
					b.ReportAllocs()
					measured(b, func() { r.run(b, e) })
				})
			}
			e.describe(b)
		})
	}
}

// measured reports the processor time of the thread beside the time that passes, which others on the machine make longer.
func measured(b *testing.B, run func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b.ResetTimer()
	began := threadTime(b)
	run()
	b.ReportMetric(float64((threadTime(b)-began).Nanoseconds())/float64(b.N), "cpu-ns/op")
}

func threadTime(t testing.TB) time.Duration {
	var now unix.Timespec
	require.NoError(t, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now))
	return time.Duration(now.Nano())
}

func mustGet(b *testing.B, value []byte, ok bool, release func(), err error) {
	if err != nil || !ok || len(value) != benchValueBytes {
		b.Fatal(ok, len(value), err)
	}
	release()
}

func benchGet(b *testing.B, e *bencher) {
	for range b.N {
		e.key = benchKey(e.key, e.random())
		value, ok, release, err := e.Get(e.key)
		mustGet(b, value, ok, release, err)
	}
}

func benchSnapshotGet(b *testing.B, e *bencher) {
	for range b.N {
		s := e.Snapshot()
		e.key = benchKey(e.key, e.random())
		value, ok, release, err := s.Get(e.key)
		mustGet(b, value, ok, release, err)
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// benchAbsent looks for keys right behind rows, which INSERT does.
func benchAbsent(b *testing.B, e *bencher) {
	for range b.N {
		e.key = append(benchKey(e.key, e.random()), 0)
		if _, ok, _, err := e.Get(e.key); ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

func benchIter(b *testing.B, e *bencher) engine.Iterator {
	it, err := e.NewIter(benchKey(nil, 0), benchKey(nil, e.rows))
	if err != nil {
		b.Fatal(err)
	}
	return it
}

func benchSeek(b *testing.B, e *bencher) {
	it := benchIter(b, e)
	for range b.N {
		e.key = benchKey(e.key, e.random())
		if !it.SeekGE(e.key) || len(it.Value()) != benchValueBytes {
			b.Fatal(it.Error())
		}
	}
	if err := it.Close(); err != nil {
		b.Fatal(err)
	}
}

// sortedKeys are as many as benchSorted and benchSortedIter read at once, sortedStride rows apart: the keys of an IN list.
const (
	sortedKeys   = 50
	sortedStride = 20
)

// benchSorted reads one of several keys in order.
func benchSorted(b *testing.B, e *bencher) {
	for n := 0; n < b.N; n += sortedKeys {
		from := e.rnd.IntN(e.rows - sortedKeys*sortedStride)
		for i := range sortedKeys {
			e.key = benchKey(e.key, from+i*sortedStride)
			value, ok, release, err := e.Get(e.key)
			mustGet(b, value, ok, release, err)
		}
	}
}

// benchSortedIter is benchSorted with an iterator made for them.
func benchSortedIter(b *testing.B, e *bencher) {
	for n := 0; n < b.N; n += sortedKeys {
		it := benchIter(b, e)
		from := e.rnd.IntN(e.rows - sortedKeys*sortedStride)
		for i := range sortedKeys {
			e.key = benchKey(e.key, from+i*sortedStride)
			if !it.SeekGE(e.key) || !bytes.Equal(it.Key(), e.key) || len(it.Value()) != benchValueBytes {
				b.Fatal(it.Error())
			}
		}
		if err := it.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// benchRange reads some rows, with an iterator made for them.
func benchRange(b *testing.B, e *bencher, rows int) {
	upper := []byte{}
	for range b.N {
		from := e.rnd.IntN(e.rows - rows)
		e.key, upper = benchKey(e.key, from), benchKey(upper, from+rows)
		it, err := e.NewIter(e.key, upper)
		if err != nil {
			b.Fatal(err)
		}
		bytes := 0
		for ok := it.First(); ok; ok = it.Next() {
			bytes += len(it.Key()) + len(it.Value())
		}
		if bytes != rows*(len(e.key)+benchValueBytes) || it.Close() != nil {
			b.Fatal(bytes)
		}
	}
}

// benchScan measures a row.
func benchScan(b *testing.B, e *bencher, begin, step func(engine.Iterator) bool) {
	for left := b.N; left > 0; {
		it := benchIter(b, e)
		for ok := begin(it); ok && left > 0; ok = step(it) {
			if len(it.Key()) != 12 || len(it.Value()) != benchValueBytes {
				b.Fatal("a row has another size than it was given")
			}
			left--
		}
		if err := it.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkApply changes random rows of a table that was loaded, and reports the processor time of the process per row, flushes and
// compactions with it, and the bytes written per byte applied.
func BenchmarkApply(b *testing.B) {
	for _, rows := range []int{1, 100} {
		b.Run(fmt.Sprint("rows", rows), func(b *testing.B) {
			e := newBencher(b)
			e.load(b)
			e.checkpoint(b)
			written := e.Stats().WrittenBytes
			b.ReportAllocs()
			b.ResetTimer()
			began := processTime(b)
			for left := b.N; left > 0; left -= rows {
				e.apply(b, rows, func(int) int { return e.random() })
			}
			b.StopTimer()
			e.checkpoint(b)
			b.ReportMetric(float64((processTime(b)-began).Nanoseconds())/float64(b.N), "cpu-ns/op")
			b.ReportMetric(float64(e.Stats().WrittenBytes-written)/float64(b.N*(benchValueBytes+12)), "written/applied")
		})
	}
}

func processTime(t testing.TB) time.Duration {
	var now unix.Timespec
	require.NoError(t, unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now))
	return time.Duration(now.Nano())
}

//go:build linux

package btree

import (
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
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/logpos"
)

// benchRows is how many rows the benchmarks have: go test -bench . -args -rows 1000000.
var benchRows = flag.Int("rows", 100_000, "rows of the benchmarks")

// benchTable is a table whose neighbour is benchTable+1.
const benchTable = 7

func benchKey(dst []byte, table uint32, n int) []byte {
	dst = binary.BigEndian.AppendUint32(dst[:0], table)
	dst = append(dst, 0, 0, 0, 0)
	return binary.BigEndian.AppendUint64(dst, uint64(n))
}

// bencher is an engine under measurement, with rows in benchTable that a checkpoint has written.
type bencher struct {
	engine.Engine
	rows  int
	at    uint64
	value []byte
	key   []byte
	rnd   *rand.Rand
	began time.Duration // processor time of the thread
}

// begin begins to measure. Beside the time that passes, which others on the machine make longer, the processor time of the thread is
// reported.
func (b *bencher) begin(t *testing.B) {
	b.began = threadTime(t)
	t.ResetTimer()
}

func threadTime(t testing.TB) time.Duration {
	var use unix.Rusage
	require.NoError(t, unix.Getrusage(unix.RUSAGE_THREAD, &use))
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

func (b *bencher) apply(t testing.TB, table uint32, rows int, pick func(i int) int) {
	batch := b.NewBatch()
	for i := range rows {
		b.key = benchKey(b.key, table, pick(i))
		binary.BigEndian.PutUint64(b.value, b.rnd.Uint64())
		if err := batch.Set(b.key, b.value); err != nil {
			t.Fatal(err)
		}
	}
	b.at++
	if err := b.Apply(batch, engine.Mark{Position: logpos.At(1, b.at), GTIDState: "0-1-1000000"}); err != nil {
		t.Fatal(err)
	}
}

func (b *bencher) fill(t testing.TB, table uint32) {
	for n := 0; n < b.rows; n += 1000 {
		b.apply(t, table, 1000, func(i int) int { return n + i })
	}
}

func (b *bencher) random(int) int { return b.rnd.IntN(b.rows) }

// eachEngine runs a benchmark with this engine and with the LSM engine.
func eachEngine(b *testing.B, f func(b *testing.B, e *bencher)) {
	for _, kind := range []engine.Kind{Kind{}, lsm.Kind{}} {
		b.Run(kind.Name(), func(b *testing.B) {
			opened, err := kind.Open(engine.Options{FS: nil, Dir: b.TempDir(), Fatal: func(err error) { b.Error(err) }})
			require.NoError(b, err)
			e := &bencher{Engine: opened, rows: *benchRows, value: make([]byte, 150), rnd: rand.New(rand.NewPCG(1, 2))}
			e.fill(b, benchTable)
			_, err = e.Checkpoint()
			require.NoError(b, err)
			b.ReportAllocs()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			e.begin(b)
			f(b, e)
			b.StopTimer()
			b.ReportMetric(float64(threadTime(b)-e.began)/float64(b.N), "cpu-ns/op")
			require.NoError(b, e.Close())
		})
	}
}

func (b *bencher) get(t testing.TB, n int) {
	b.key = benchKey(b.key, benchTable, n)
	_, ok, release, err := b.Get(b.key)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	release()
}

func BenchmarkGet(b *testing.B) {
	eachEngine(b, func(b *testing.B, e *bencher) {
		for range b.N {
			e.get(b, e.random(0))
		}
	})
}

// The rows were updated, one by one in random order, since the last checkpoint.
func BenchmarkGetUpdated(b *testing.B) {
	eachEngine(b, func(b *testing.B, e *bencher) {
		for n := 0; n < 20_000; n++ {
			e.apply(b, benchTable, 1, func(int) int { return n * 7919 % e.rows })
		}
		e.begin(b)
		for range b.N {
			e.get(b, e.rnd.IntN(20_000)*7919%e.rows)
		}
	})
}

func BenchmarkGetMissing(b *testing.B) {
	eachEngine(b, func(b *testing.B, e *bencher) {
		for range b.N {
			e.key = append(benchKey(e.key, benchTable, e.random(0)), 1)
			_, ok, release, err := e.Get(e.key)
			if ok || err != nil {
				b.Fatal(ok, err)
			}
			release()
		}
	})
}

// seek finds rows with one iterator.
func seek(b *testing.B, e *bencher, pick func() int) {
	it, err := e.NewIter(benchKey(nil, benchTable, 0), benchKey(nil, benchTable+1, 0))
	require.NoError(b, err)
	for range b.N {
		e.key = benchKey(e.key, benchTable, pick())
		if !it.SeekGE(e.key) || len(it.Value()) != len(e.value) {
			b.Fatal(it.Error())
		}
	}
	require.NoError(b, it.Close())
}

// BenchmarkSeek finds with an iterator what BenchmarkGet gets.
func BenchmarkSeek(b *testing.B) {
	eachEngine(b, func(b *testing.B, e *bencher) { seek(b, e, func() int { return e.random(0) }) })
}

// BenchmarkSeekUpdated finds with an iterator what BenchmarkGetUpdated gets.
func BenchmarkSeekUpdated(b *testing.B) {
	eachEngine(b, func(b *testing.B, e *bencher) {
		for n := 0; n < 20_000; n++ {
			e.apply(b, benchTable, 1, func(int) int { return n * 7919 % e.rows })
		}
		e.begin(b)
		seek(b, e, func() int { return e.rnd.IntN(20_000) * 7919 % e.rows })
	})
}

// scan reads a stretch of rows again and again; an operation is a row.
func scan(b *testing.B, e *bencher, stretch int, step func(engine.Iterator) bool, start func(engine.Iterator) bool) {
	lower, upper := benchKey(nil, benchTable, 0), benchKey(nil, benchTable+1, 0)
	sum := 0
	for n := 0; n < b.N; {
		it, err := e.NewIter(lower, upper)
		if err != nil {
			b.Fatal(err)
		}
		i := 0
		for ok := start(it); ok && i < stretch && n < b.N; ok = step(it) {
			sum += len(it.Key()) + len(it.Value())
			n++
			i++
		}
		if err := it.Close(); err != nil {
			b.Fatal(err)
		}
	}
	if sum != b.N*(16+150) {
		b.Fatal(sum)
	}
}

func BenchmarkScan(b *testing.B) {
	for _, c := range []struct {
		name   string
		before func(b *testing.B, e *bencher)
	}{
		{"Clean", func(*testing.B, *bencher) {}},
		{"DeltaElsewhere", func(b *testing.B, e *bencher) {
			for range 20_000 {
				e.apply(b, benchTable+1, 1, e.random)
			}
		}},
		{"DeltaTenth", func(b *testing.B, e *bencher) {
			for n := range 10_000 {
				e.apply(b, benchTable, 1, func(int) int { return n * 10 })
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			eachEngine(b, func(b *testing.B, e *bencher) {
				c.before(b, e)
				e.begin(b)
				scan(b, e, e.rows, engine.Iterator.Next, engine.Iterator.First)
			})
		})
	}
}

func BenchmarkScanBackward(b *testing.B) {
	eachEngine(b, func(b *testing.B, e *bencher) {
		scan(b, e, e.rows, engine.Iterator.Prev, engine.Iterator.Last)
	})
}

// A range of a hundred rows at a random place; an operation is a range.
func BenchmarkRange100(b *testing.B) {
	eachEngine(b, func(b *testing.B, e *bencher) {
		for range b.N {
			n := e.rnd.IntN(e.rows - 100)
			it, err := e.NewIter(benchKey(nil, benchTable, n), benchKey(nil, benchTable, n+100))
			if err != nil {
				b.Fatal(err)
			}
			rows := 0
			for ok := it.First(); ok; ok = it.Next() {
				rows++
			}
			if it.Close() != nil || rows != 100 {
				b.Fatal(rows)
			}
		}
	})
}

func BenchmarkSnapshot(b *testing.B) {
	eachEngine(b, func(b *testing.B, e *bencher) {
		e.apply(b, benchTable, 1, e.random)
		e.begin(b)
		for range b.N {
			if err := e.Snapshot().Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Checkpoints that the size of the delta starts run beside it.
func BenchmarkApply(b *testing.B) {
	for _, rows := range []int{1, 100} {
		b.Run(fmt.Sprintf("Update%d", rows), func(b *testing.B) {
			eachEngine(b, func(b *testing.B, e *bencher) {
				for range b.N {
					e.apply(b, benchTable, rows, e.random)
				}
			})
		})
		b.Run(fmt.Sprintf("Append%d", rows), func(b *testing.B) {
			eachEngine(b, func(b *testing.B, e *bencher) {
				n := e.rows
				for range b.N {
					e.apply(b, benchTable, rows, func(i int) int { return n + i })
					n += rows
				}
			})
		})
	}
}

// A checkpoint after 10,000 random updates; an operation is a checkpoint.
func BenchmarkCheckpoint(b *testing.B) {
	eachEngine(b, func(b *testing.B, e *bencher) {
		for range b.N {
			b.StopTimer()
			e.apply(b, benchTable, 10_000, e.random)
			b.StartTimer()
			if _, err := e.Checkpoint(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

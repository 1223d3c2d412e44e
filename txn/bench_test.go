package txn

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/duramendb/duramen/catalog"
)

const benchRows = 100_000

func benchHarness(b *testing.B) (*harness, *catalog.Table) {
	h := newHarness(b)
	tbl := h.create(accounts())
	for i := 0; i < benchRows; {
		t := h.begin(Options{})
		for range 1000 {
			h.insert(t, tbl, acc(i, i%1000, fmt.Sprint("user", i))...)
			i++
		}
		h.commit(t)
	}
	_, err := h.eng.Checkpoint()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	return h, tbl
}

func BenchmarkPointGet(b *testing.B) {
	h, tbl := benchHarness(b)
	for range b.N {
		t := h.m.Begin(Options{})
		if _, ok, err := t.Get(ctx, tbl, rowKey(b, tbl, rand.IntN(benchRows)), Snapshot, Wait); !ok || err != nil {
			b.Fatal(ok, err)
		}
		t.Rollback()
	}
}

func BenchmarkScan100(b *testing.B) {
	for _, index := range []int{-1, byU, byK} {
		b.Run(fmt.Sprint("index", index), func(b *testing.B) {
			h, tbl := benchHarness(b)
			for range b.N {
				t := h.m.Begin(Options{})
				c, err := t.Scan(ctx, ScanSpec{Table: tbl, Index: index})
				if err != nil {
					b.Fatal(err)
				}
				for range 100 {
					if !c.Next() {
						b.Fatal(c.Err())
					}
				}
				_ = c.Close()
				t.Rollback()
			}
		})
	}
}

// One autocommit statement: read for update, update one column, commit.
func BenchmarkUpdate(b *testing.B) {
	for _, column := range []string{"unindexed", "indexed"} {
		b.Run(column, func(b *testing.B) {
			h, tbl := benchHarness(b)
			def := *tbl.Def
			if column == "unindexed" {
				def.Indexes = def.Indexes[:1]
				var err error
				if tbl, err = catalog.NewTable(&def, nil); err != nil {
					b.Fatal(err)
				}
			}
			for i := range b.N {
				t := h.begin(Options{})
				id := rand.IntN(benchRows)
				h.update(t, tbl, id, acc(id, i, fmt.Sprint("user", id))...)
				h.commit(t)
			}
		})
	}
}

func BenchmarkUpdateParallel(b *testing.B) {
	h, tbl := benchHarness(b)
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			t := h.begin(Options{})
			id := rand.IntN(benchRows)
			h.update(t, tbl, id, acc(id, i, fmt.Sprint("user", id))...)
			h.commit(t)
		}
	})
}

func BenchmarkInsert(b *testing.B) {
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprint("rows", n), func(b *testing.B) {
			h, tbl := benchHarness(b)
			id := benchRows
			for range b.N {
				t := h.begin(Options{})
				for range n {
					id++
					h.insert(t, tbl, acc(id, id, fmt.Sprint("user", id))...)
				}
				h.commit(t)
			}
		})
	}
}

// BenchmarkScan measures one row of a long scan.
func BenchmarkScan(b *testing.B) {
	h, tbl := benchHarness(b)
	for left := b.N; left > 0; {
		t := h.m.Begin(Options{})
		c, err := t.Scan(ctx, ScanSpec{Table: tbl, Index: -1})
		if err != nil {
			b.Fatal(err)
		}
		bytes := 0
		for ; left > 0 && c.Next(); left-- {
			bytes += len(c.RowKey()) + len(c.Image())
		}
		if err := errors.Join(c.Err(), c.Close()); err != nil || bytes == 0 {
			b.Fatal(err)
		}
		t.Rollback()
	}
}

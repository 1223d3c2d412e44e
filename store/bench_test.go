package store

import (
	"log/slog"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/memory"
	"github.com/duramendb/duramen/replay"
	"github.com/duramendb/duramen/txn"
)

// BenchmarkReplay is recovery: transactions of one row with two indexes,
// from the log into an engine. Bytes are those of the log.
func BenchmarkReplay(b *testing.B) {
	relaxed := uint64(0)
	s := open(b, Options{FS: vfs.NewMem(), MaxBinlogSize: 64 << 20, SyncBinlog: &relaxed, Logger: slog.New(slog.DiscardHandler)})
	tbl := createTable(b, s)
	const transactions = 20_000
	for id := range transactions {
		insert(b, s, tbl, id)
	}
	var bytes int64
	for b.Loop() {
		b.StopTimer()
		e := emptyEngine(b, vfs.NewMem())
		b.StartTimer()
		r, err := replay.Run(ctx, replay.Config{Log: s.Log(), Engine: e, Catalog: catalog.Empty(), Logger: s.opts.Logger})
		b.StopTimer()
		if err != nil || r.Rows != transactions {
			b.Fatal(r, err)
		}
		bytes = r.Bytes
		if err := e.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.SetBytes(bytes)
	b.ReportMetric(transactions*float64(b.N)/b.Elapsed().Seconds(), "transactions/s")
}

// BenchmarkTransaction is what one transaction costs all the way down, without a sync: begin,
// insert into a table with two indexes, commit, apply; and what a read view and a read of one row cost. With a second engine beside that
// of the table there is a set of engines in between.
func BenchmarkTransaction(b *testing.B) {
	for name, engines := range map[string][]engine.Kind{"alone": {smallLSM}, "one of two": {smallLSM, memory.Kind{}}} {
		relaxed := uint64(0)
		s := open(b, Options{FS: vfs.NewMem(), MaxBinlogSize: 64 << 20, SyncBinlog: &relaxed, Logger: slog.New(slog.DiscardHandler), Engines: engines})
		tbl := createTable(b, s)
		id := 0
		b.Run("insert, "+name, func(b *testing.B) {
			for b.Loop() {
				x := s.Txns().Begin(txn.Options{})
				x.BeginStatement("INSERT", false)
				if err := x.Insert(ctx, tbl, image(b, tbl, id)); err != nil {
					b.Fatal(err)
				}
				if _, err := x.Commit(ctx); err != nil {
					b.Fatal(err)
				}
				id++
			}
		})
		key, err := tbl.PrimaryKey(nil, image(b, tbl, 0))
		if err != nil {
			b.Fatal(err)
		}
		b.Run("read, "+name, func(b *testing.B) {
			for b.Loop() {
				x := s.Txns().Begin(txn.Options{})
				if _, ok, err := x.Get(ctx, tbl, key, txn.Snapshot, txn.Wait); err != nil || !ok {
					b.Fatal(ok, err)
				}
				x.Rollback()
			}
		})
	}
}

package commit

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/txn"
)

// rowEvents are the events of a transaction that updates one row of some 190
// bytes, like sysbench's: table map, update, XID.
func rowEvents() []byte {
	m := event.Meta{Timestamp: 1700000000, ServerID: 1}
	info := &event.TableMapInfo{TableID: 1, Schema: "sbtest", Table: "sbtest1", Columns: []event.ColumnMeta{
		{Type: event.MYSQL_TYPE_LONG}, {Type: event.MYSQL_TYPE_LONG},
		{Type: event.MYSQL_TYPE_STRING, Meta: 0xfe78}, {Type: event.MYSQL_TYPE_STRING, Meta: 0xfe3c}}}
	rows := make([]byte, 2*190)
	ev := event.AppendTableMap(nil, m, info)
	ev = event.AppendRows(ev, m, &event.RowsInfo{TableID: 1, Flags: event.RowsStmtEnd, Kind: event.UpdateRowsV1, Columns: 4, Rows: rows})
	return event.AppendXID(ev, m, 42)
}

// BenchmarkRawSync is the floor: one write of as many bytes into a
// preallocated file, and one fdatasync, by one goroutine.
func BenchmarkRawSync(b *testing.B) {
	f, err := vfs.Default.OpenReadWrite(filepath.Join(b.TempDir(), "raw"), vfs.WriteCategoryUnspecified)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	const size = 64 << 20
	zeros := make([]byte, 1<<20)
	for at := int64(0); at < size; at += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros, at); err != nil {
			b.Fatal(err)
		}
	}
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	group := make([]byte, len(rowEvents())+100)
	var at int64
	for b.Loop() {
		if at+int64(len(group)) > size {
			at = 0
		}
		if _, err := f.WriteAt(group, at); err != nil {
			b.Fatal(err)
		}
		if err := f.SyncData(); err != nil {
			b.Fatal(err)
		}
		at += int64(len(group))
	}
}

// BenchmarkCommit is the pipeline on a real directory with the LSM engine.
// Compare 1 committer with BenchmarkRawSync of the same run.
func BenchmarkCommit(b *testing.B) {
	for _, committers := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("committers=%d", committers), func(b *testing.B) { benchmarkCommit(b, vfs.Default, committers, 1, 0) })
	}
	for _, committers := range []int{1, 16} {
		b.Run(fmt.Sprintf("nosync/committers=%d", committers), func(b *testing.B) { benchmarkCommit(b, vfs.Default, committers, 0, 0) })
	}
	for _, think := range []time.Duration{0, time.Millisecond, 10 * time.Millisecond} {
		for _, committers := range []int{1, 16, 64} {
			b.Run(fmt.Sprintf("sync=2ms/think=%v/committers=%d", think, committers), func(b *testing.B) {
				benchmarkCommit(b, &slowFS{FS: vfs.Default, sync: 2 * time.Millisecond}, committers, 1, think)
			})
		}
	}
}

// slowFS is a disk whose syncs take long, as in a cloud.
type slowFS struct {
	vfs.FS
	sync time.Duration
}

func (fs *slowFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := fs.FS.OpenReadWrite(name, c, opts...)
	return &slowFile{File: f, sync: fs.sync}, err
}

type slowFile struct {
	vfs.File
	sync time.Duration
}

func (f *slowFile) SyncData() error {
	<-time.After(f.sync) // the device's latency is what is simulated
	return nil
}

func benchmarkCommit(b *testing.B, fs vfs.FS, committers int, syncBinlog uint64, think time.Duration) {
	dir := b.TempDir()
	fail := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	log, _, err := binlog.Open(binlog.Options{FS: fs, Dir: dir, ServerID: 1, Logger: slog.New(slog.DiscardHandler)})
	fail(err)
	defer func() { fail(log.Close()) }()
	fail(os.Mkdir(filepath.Join(dir, "lsm"), 0o755))
	eng, err := lsm.Open(lsm.Options{Dir: filepath.Join(dir, "lsm")})
	fail(err)
	defer func() { fail(eng.Close()) }()
	p := New(Config{Log: log, Engine: eng, Catalog: catalog.NewRegistry(catalog.Empty(), nil), ServerID: 1, SyncBinlog: syncBinlog})
	defer func() { fail(p.Close()) }()
	events := rowEvents()
	value := make([]byte, 190)
	var left atomic.Int64
	left.Store(int64(b.N))
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	for c := range committers {
		wg.Go(func() {
			var key [16]byte
			binary.BigEndian.PutUint32(key[:], 1)
			req := &txn.CommitRequest{}
			write := func(batch engine.Batch) error { return batch.Set(key[:], value) }
			for n := uint64(c); left.Add(-1) >= 0; n += 64 {
				binary.BigEndian.PutUint64(key[8:], n%100_000)
				*req = txn.CommitRequest{Flags: event.FLTransactional, Timestamp: 1700000000, Events: events, Write: write}
				if err := p.Commit(context.Background(), req); err != nil {
					b.Error(err)
					return
				}
				if think > 0 {
					<-time.After(think) // so is the client's
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	s := p.Stats()
	b.ReportMetric(float64(s.Commits)/float64(s.GroupCommits), "commits/group")
}

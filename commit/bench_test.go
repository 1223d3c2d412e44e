package commit

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math/rand/v2"
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
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/txn"
)

// rowEvents are the events of a transaction that updates one row of some 190
// bytes, like sysbench's: table map, update, XID.
func rowEvents() []byte {
	m := event.Meta{Timestamp: 1700000000, ServerID: 1}
	info := &event.TableMapInfo{TableID: 1, Schema: "sbtest", Table: "sbtest1", Columns: []event.ColumnMeta{
		{Type: mysql.MYSQL_TYPE_LONG}, {Type: mysql.MYSQL_TYPE_LONG},
		{Type: mysql.MYSQL_TYPE_STRING, Meta: 0xfe78}, {Type: mysql.MYSQL_TYPE_STRING, Meta: 0xfe3c}}}
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

// BenchmarkSlowDevice commits to a device with syncs of 1.5 ms that takes several at a time: one group in flight and
// nobody waited for; one, with leaders that delay their groups; as many as the pipeline finds best.
func BenchmarkSlowDevice(b *testing.B) {
	for _, load := range []struct {
		committers int
		think      time.Duration
	}{{1, 0}, {8, 0}, {64, 0}, {8, time.Millisecond}, {16, time.Millisecond}, {64, time.Millisecond}, {64, 3 * time.Millisecond}} {
		for _, c := range []struct {
			name   string
			change func(*Pipeline)
		}{
			{"depth=1", func(p *Pipeline) { p.delay.pause, p.cfg.DepthForTesting = 1<<40, 1 }},
			{"depth=1,delay", func(p *Pipeline) { p.cfg.DepthForTesting = 1 }},
			{"adaptive", func(*Pipeline) {}},
		} {
			for _, m := range []binlog.SyncMethod{binlog.SyncFdatasync, binlog.SyncDirect} {
				b.Run(fmt.Sprintf("committers=%d/think=%v/%s/%s", load.committers, load.think, m, c.name), func(b *testing.B) {
					s := &bench{fs: &slowFS{FS: vfs.Default, sync: 1500 * time.Microsecond}, committers: load.committers, think: load.think,
						syncBinlog: 1, method: m, change: c.change}
					s.run(b)
				})
			}
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
	s := &bench{fs: fs, committers: committers, syncBinlog: syncBinlog, think: think}
	s.run(b)
}

// bench is one run of committers.
type bench struct {
	fs         vfs.FS
	committers int
	syncBinlog uint64
	think      time.Duration
	method     binlog.SyncMethod
	change     func(*Pipeline)
}

func (s *bench) run(b *testing.B) {
	dir := b.TempDir()
	fail := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	log, _, err := binlog.Open(binlog.Options{FS: s.fs, Dir: dir, SyncMethod: s.method, ServerID: 1, Logger: slog.New(slog.DiscardHandler)})
	fail(err)
	defer func() { fail(log.Close()) }()
	fail(os.Mkdir(filepath.Join(dir, "lsm"), 0o755))
	eng, err := lsm.Open(lsm.Options{Dir: filepath.Join(dir, "lsm")})
	fail(err)
	defer func() { fail(eng.Close()) }()
	p := New(Config{Log: BinaryLog(log), Applier: EngineApplier(eng, catalog.NewRegistry(catalog.Empty(), nil)), ServerID: 1, SyncBinlog: s.syncBinlog})
	if s.change != nil {
		s.change(p)
	}
	defer func() { fail(p.Close()) }()
	events := rowEvents()
	value := make([]byte, 190)
	var left atomic.Int64
	left.Store(int64(b.N))
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	for c := range s.committers {
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
				if s.think > 0 {
					<-time.After(time.Duration(rand.ExpFloat64() * float64(s.think))) // so is the client's
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	stats := p.Stats()
	b.ReportMetric(float64(stats.Commits)/float64(stats.GroupCommits), "commits/group")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
	b.ReportMetric(float64(p.Depth()), "depth")
}

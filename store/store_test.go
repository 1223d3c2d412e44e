package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// open opens a small store; it is closed at the end of the test.
func open(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := tryOpen(o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func tryOpen(o Options) (*Store, error) {
	if o.Dir == "" {
		o.Dir = "/data"
	}
	o.ServerID = 1
	if o.Engines == nil {
		o.Engines = []engine.Kind{lsm.Kind{CacheBytes: 1 << 20, MemTableBytes: 256 << 10}}
	}
	if o.MaxBinlogSize == 0 {
		o.MaxBinlogSize = 64 << 10
	}
	return Open(ctx, o)
}

// tableDef is (id int primary key, k int, u int unique, index (k)).
func tableDef(id uint32) *catalog.TableDef {
	column := func(name string) catalog.ColumnDef {
		return catalog.ColumnDef{Name: name, SQLType: "int(11)", Type: mysql.MYSQL_TYPE_LONG, Collation: 63}
	}
	return &catalog.TableDef{ID: id, DB: "test", Name: "t", Engine: "InnoDB",
		Columns: []catalog.ColumnDef{column("id"), column("k"), column("u")},
		Primary: []catalog.IndexPart{{Column: 0}},
		Indexes: []catalog.IndexDef{{ID: 1, Name: "k", Parts: []catalog.IndexPart{{Column: 1}}},
			{ID: 2, Name: "u", Unique: true, Parts: []catalog.IndexPart{{Column: 2}}}},
		NextIndexID: 3,
	}
}

func createTable(t testing.TB, s *Store) *catalog.Table {
	t.Helper()
	x := s.Txns().Begin(txn.Options{})
	require.NoError(t, x.ChangeCatalog(catalog.Change{Databases: []catalog.DatabaseDef{{Name: "test"}}, Tables: []*catalog.TableDef{tableDef(x.NewTableID())}}))
	x.SetDDL(event.Query{Schema: "test", SQL: "CREATE TABLE t"})
	_, err := x.Commit(ctx)
	require.NoError(t, err)
	return s.Catalog().Current().Table("test", "t")
}

func image(t testing.TB, tbl *catalog.Table, id int) []byte {
	t.Helper()
	b, err := row.Encode(nil, tbl.Columns, []any{id, id % 7, id * 10})
	require.NoError(t, err)
	return b
}

func insert(t testing.TB, s *Store, tbl *catalog.Table, ids ...int) txn.CommitInfo {
	t.Helper()
	x := s.Txns().Begin(txn.Options{})
	x.BeginStatement("INSERT", false)
	for _, id := range ids {
		require.NoError(t, x.Insert(ctx, tbl, image(t, tbl, id)))
	}
	info, err := x.Commit(ctx)
	require.NoError(t, err)
	return info
}

func count(t testing.TB, s *Store) int64 {
	t.Helper()
	r, err := s.CheckTable(ctx, "test", "t")
	require.NoError(t, err)
	require.True(t, r.OK(), r.Problems)
	require.Equal(t, 2*r.Rows, r.Entries)
	return r.Rows
}

func TestReopen(t *testing.T) {
	for _, real := range []bool{false, true} {
		t.Run(fmt.Sprintf("real=%v", real), func(t *testing.T) {
			o := Options{FS: vfs.NewMem()}
			if real {
				o = Options{Dir: filepath.Join(t.TempDir(), "deep", "data")}
			}
			for n := range 4 {
				s := open(t, o)
				var tbl *catalog.Table
				if n == 0 {
					tbl = createTable(t, s)
				} else {
					tbl = s.Catalog().Current().Table("test", "t")
				}
				info := insert(t, s, tbl, n*10, n*10+1)
				require.EqualValues(t, n+2, info.GTID.Seq)
				require.EqualValues(t, 2*(n+1), count(t, s))
				require.Equal(t, fmt.Sprintf("0-1-%d", n+2), s.Log().StateClone().String())
				if n == 1 {
					require.NoError(t, s.Checkpoint(ctx))
				}
				require.NoError(t, s.Close())
				require.NoError(t, s.Close(), "closing twice is no error")
				require.ErrorIs(t, s.Checkpoint(ctx), ErrClosed)
			}
		})
	}
}

func TestSecondServer(t *testing.T) {
	dir := t.TempDir()
	for name, o := range map[string]Options{"memory": {FS: vfs.NewMem()}, "real": {Dir: dir}} {
		t.Run(name, func(t *testing.T) {
			s := open(t, o)
			_, err := tryOpen(o)
			require.ErrorIs(t, err, ErrLocked)
			require.NoError(t, s.Close())
			require.NoError(t, open(t, o).Close(), "the lock ends with the store")
		})
	}
}

func writeFile(t *testing.T, fs vfs.FS, name, text string) {
	t.Helper()
	require.NoError(t, fs.MkdirAll("/data", 0o755))
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = f.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		want             error
		message          string
	}{
		{"newer", "FORMAT", "duramen data directory\nversion: 3\n", ErrFormat, "version 3"},
		{"garbage", "FORMAT", "\x00\x00", ErrFormat, "does not begin with"},
		{"no version", "FORMAT", "duramen data directory\n", ErrFormat, "no version"},
		{"bad version", "FORMAT", "duramen data directory\nversion: x\n", ErrFormat, "bad version"},
		{"of another server", "ibdata1", "x", ErrFormat, "ibdata1"},
		{"harmless", "duramen.err", "x", nil, ""},
		{"interrupted start", "FORMAT.tmp", "dura", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			fs := vfs.NewMem()
			writeFile(t, fs, "/data/"+c.file, c.text)
			s, err := tryOpen(Options{FS: fs})
			if c.want == nil {
				require.NoError(t, err)
				require.NoError(t, s.Close())
				return
			}
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, c.message)
			var e *OpenError
			require.ErrorAs(t, err, &e)
			require.Equal(t, "/data", e.Dir)
			names, err := fs.List("/data")
			require.NoError(t, err)
			require.ElementsMatch(t, []string{c.file, "LOCK"}, names, "nothing else was made")
		})
	}
}

func TestBadOptions(t *testing.T) {
	for _, o := range []Options{{}, {Dir: "x"}, {Dir: "x", ServerID: 1, MaxBinlogSize: -1}} {
		_, err := Open(ctx, o)
		require.Error(t, err)
	}
}

// crash copies what a crash would leave of a store, which goes on.
func crash(mem *vfs.MemFS) *vfs.MemFS { return mem.CrashClone(vfs.CrashCloneCfg{}) }

func TestRecoveryAfterCrash(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := open(t, Options{FS: mem})
	tbl := createTable(t, s)
	for id := range 50 {
		insert(t, s, tbl, id)
		if id == 20 {
			require.NoError(t, s.Checkpoint(ctx))
		}
	}
	after := crash(mem)
	require.NoError(t, s.Close())
	s = open(t, Options{FS: after})
	require.EqualValues(t, 50, count(t, s))
	require.EqualValues(t, 52, insert(t, s, s.Catalog().Current().Table("test", "t"), 50).GTID.Seq)
	require.NoError(t, s.Close())
	s = open(t, Options{FS: after})
	require.EqualValues(t, 51, count(t, s))
}

// Log files without which the engine's state cannot be explained.
func TestMissingLog(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := open(t, Options{FS: mem})
	tbl := createTable(t, s)
	insert(t, s, tbl, 1)
	image := crash(mem) // engine behind, log complete
	require.NoError(t, s.Close())
	complete := mem

	remove := func(fs *vfs.MemFS) {
		names, err := fs.List("/data")
		require.NoError(t, err)
		for _, name := range names {
			if strings.HasPrefix(name, "binlog.") {
				require.NoError(t, fs.Remove("/data/"+name))
			}
		}
	}
	t.Run("engine ahead", func(t *testing.T) {
		remove(complete)
		_, err := tryOpen(Options{FS: complete})
		require.ErrorIs(t, err, ErrCorrupt)
		require.ErrorContains(t, err, "the storage engine holds everything up to binlog.000001:")
	})
	t.Run("damage in the middle", func(t *testing.T) {
		f, err := image.OpenReadWrite("/data/binlog.000001", vfs.WriteCategoryUnspecified)
		require.NoError(t, err)
		_, err = f.WriteAt([]byte{0xff, 0xff, 0xff}, 400)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		_, err = tryOpen(Options{FS: image})
		require.ErrorIs(t, err, ErrCorrupt)
		require.ErrorIs(t, err, binlog.ErrCorrupt)
		require.ErrorContains(t, err, "binlog.000001")
	})
}

func TestPurgeKeepsWhatRecoveryNeeds(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := open(t, Options{FS: mem})
	tbl := createTable(t, s)
	insert(t, s, tbl, 1)
	for range 3 {
		require.NoError(t, s.Pipeline().Rotate())
	}
	insert(t, s, tbl, 2)
	purge := func() {
		_, err := s.Log().PurgeTo(s.Log().End().Segment)
		require.NoError(t, err)
	}
	purge()
	require.Len(t, s.Log().Segments(), 4, "the engine needs the first one")
	require.EqualValues(t, 2, count(t, open(t, Options{FS: crash(mem)})))
	require.NoError(t, s.Checkpoint(ctx))
	purge()
	require.Len(t, s.Log().Segments(), 1)
	require.EqualValues(t, 2, count(t, open(t, Options{FS: crash(mem)})))
}

func TestBackgroundCheckpoint(t *testing.T) {
	s := open(t, Options{FS: vfs.NewMem(), CheckpointInterval: time.Millisecond})
	end := insert(t, s, createTable(t, s), 1).End
	require.Eventually(t, func() bool { return !s.Engine().Durable().Position.Before(end) }, 30*time.Second, time.Millisecond)
}

func TestOrphansAreRemoved(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, Options{FS: fs})
	tbl := createTable(t, s)
	insert(t, s, tbl, 1, 2)
	b := s.Engine().NewBatch()
	for _, key := range [][]byte{catalog.AppendPrefix(nil, 999, 0), catalog.AppendPrefix(nil, tbl.ID(), 77)} {
		require.NoError(t, b.Set(append(key, "left behind"...), []byte("x")))
	}
	require.NoError(t, s.Engine().Ingest(b))
	require.NoError(t, s.Close())
	s = open(t, Options{FS: fs})
	it, err := s.Engine().NewIter(nil, nil)
	require.NoError(t, err)
	defer it.Close()
	orphans, err := s.Catalog().Current().Orphans(it)
	require.NoError(t, err)
	require.Empty(t, orphans)
	require.EqualValues(t, 2, count(t, s))
}

func TestCheckTableFindsDamage(t *testing.T) {
	_, err := open(t, Options{FS: vfs.NewMem()}).CheckTable(ctx, "test", "t")
	require.ErrorIs(t, err, ErrNoTable)
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, s *Store, tbl *catalog.Table, e [2]catalog.Entry, key []byte)
		want   []string
	}{
		{"entry missing", func(t *testing.T, s *Store, _ *catalog.Table, e [2]catalog.Entry, _ []byte) {
			change(t, s, e[0].Key, nil)
		}, []string{"has no entry in index k"}},
		{"entry points elsewhere", func(t *testing.T, s *Store, _ *catalog.Table, e [2]catalog.Entry, _ []byte) {
			change(t, s, e[1].Key, []byte("nowhere"))
		}, []string{"instead of", "has no row"}},
		{"row missing", func(t *testing.T, s *Store, _ *catalog.Table, _ [2]catalog.Entry, key []byte) {
			change(t, s, key, nil)
		}, []string{"of index k has no row", "of index u has no row"}},
		{"row changed", func(t *testing.T, s *Store, tbl *catalog.Table, _ [2]catalog.Entry, key []byte) {
			b, err := row.Encode(nil, tbl.Columns, []any{5, 6, 50})
			require.NoError(t, err)
			change(t, s, key, b)
		}, []string{"has no entry in index k", "is not the one of row"}},
		{"row under another key", func(t *testing.T, s *Store, tbl *catalog.Table, _ [2]catalog.Entry, key []byte) {
			change(t, s, key, image(t, tbl, 6))
		}, []string{"has the primary key", "of index k is not the one", "of index u is not the one"}},
		{"row malformed", func(t *testing.T, s *Store, _ *catalog.Table, _ [2]catalog.Entry, key []byte) {
			change(t, s, key, []byte{1, 2})
		}, []string{"is malformed", "of index k is not", "of index u is not"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, Options{FS: vfs.NewMem()})
			tbl := createTable(t, s)
			insert(t, s, tbl, 4, 5, 6)
			b := image(t, tbl, 5)
			key, err := tbl.PrimaryKey(nil, b)
			require.NoError(t, err)
			var entries [2]catalog.Entry
			for i := range entries {
				entries[i], err = tbl.Entry(i, b, key)
				require.NoError(t, err)
			}
			c.damage(t, s, tbl, entries, key)
			results, err := s.CheckAll(ctx)
			require.NoError(t, err)
			require.Len(t, results, 1)
			require.False(t, results[0].OK())
			require.Len(t, results[0].Problems, len(c.want))
			for i, want := range c.want {
				require.Contains(t, results[0].Problems[i], want)
			}
		})
	}
}

// change writes into the engine past everything else; nil deletes.
func change(t *testing.T, s *Store, key, value []byte) {
	t.Helper()
	b := s.Engine().NewBatch()
	if value == nil {
		require.NoError(t, b.Delete(key))
	} else {
		require.NoError(t, b.Set(key, value))
	}
	require.NoError(t, s.Engine().Ingest(b))
}

// A disk that is full at the start: a clear error, and the next start works.
func TestFullDisk(t *testing.T) {
	mem := vfs.NewMem()
	for allowed := int64(0); ; allowed++ {
		var writes atomic.Int64
		inj := errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && strings.Contains(op.Path, "binlog") && writes.Add(1) > allowed {
				return &os.PathError{Op: "write", Path: op.Path, Err: syscall.ENOSPC}
			}
			return nil
		})
		s, err := tryOpen(Options{FS: errorfs.Wrap(mem, inj), Fatal: func(error) {}})
		if err == nil {
			_ = s.Close()
			break
		}
		require.True(t, errors.Is(err, syscall.ENOSPC) || errors.Is(err, binlog.ErrNoSpace), "%v", err)
		require.Less(t, allowed, int64(1000))
	}
	s := open(t, Options{FS: mem})
	insert(t, s, createTable(t, s), 1)
}

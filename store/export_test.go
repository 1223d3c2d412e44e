package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/commit/protocol"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/btree"
	"github.com/duramendb/duramen/engine/memory"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/txn"
)

// exported is a store of all engines, small ones.
func exported(fs vfs.FS, more ...engine.Kind) Options {
	kinds := append([]engine.Kind{smallLSM, btree.Kind{MapBytes: 64 << 20}, memory.Kind{}}, more...)
	return Options{FS: fs, Engines: kinds, Logger: quiet(), NoPreallocate: true}
}

// export begins an export.
func export(t *testing.T, s *Store) *Export {
	t.Helper()
	x, err := NewExport(ctx, s)
	require.NoError(t, err)
	t.Cleanup(func() { _ = x.Close() })
	return x
}

// openCopy copies an export, ends it, and opens the copy, which is where the export says that it is.
func openCopy(t *testing.T, x *Export) *Store {
	t.Helper()
	o := exported(vfs.NewMem())
	for _, file := range x.Files {
		path := o.FS.PathJoin("/data", file.Name)
		require.NoError(t, o.FS.MkdirAll(o.FS.PathDir(path), 0o755))
		f, err := o.FS.Create(path, vfs.WriteCategoryUnspecified)
		require.NoError(t, err)
		require.NoError(t, file.Copy(careful{f}))
		info, err := f.Stat()
		require.NoError(t, err)
		require.Equal(t, file.Bytes, info.Size(), file.Name)
		require.NoError(t, f.Close())
	}
	require.NoError(t, x.Close())
	o.Unfinished = true
	plan, err := (&Store{opts: o, logger: quiet()}).scanned()
	require.NoError(t, err)
	require.Equal(t, x.Place, plan)
	c := open(t, o)
	require.Equal(t, x.Point.String(), c.engine.Applied().GTIDState)
	require.Equal(t, x.Point.State.String(), c.Log().StateClone().String())
	return c
}

// careful keeps a buffer from a file in memory, which spoils what it was given to write where tests look for races.
type careful struct{ io.Writer }

func (c careful) Write(b []byte) (int, error) { return c.Writer.Write(bytes.Clone(b)) }

// scanned is where the log ends that recovery will find.
func (s *Store) scanned() (end logpos.Pos, err error) {
	s.opts.ensureDefaults()
	s.opts.ServerID, s.opts.Dir, s.opts.LogDir = 1, "/data", "/data"
	found, err := readFormat(s.opts.FS, s.opts.Dir)
	if err != nil {
		return end, err
	}
	ds, err := s.decide(found, false)
	if err != nil {
		return end, err
	}
	return ds.first().plan.End, nil
}

// An export under load is a state that the server had: transactions in several engines are in all of them or in none, up to the GTID that it tells.
func TestExport(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, exported(fs))
	define(t, s, map[string]string{"l": "RocksDB", "b": "BTREE", "m": "MEMORY"})
	running, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	inserted := make(chan struct{}, 1)
	all.Go(func() {
		for id := 0; running.Err() == nil; id++ {
			insertInto(t, s, id, "l", "b", "m")
			select {
			case inserted <- struct{}{}:
			default:
			}
		}
	})
	all.Go(func() {
		for running.Err() == nil {
			if err := s.Checkpoint(ctx); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 5 {
		<-inserted
		x := export(t, s)
		_, err := NewExport(ctx, s)
		require.ErrorIs(t, err, ErrExporting)
		<-inserted
		c := openCopy(t, x)
		rows := int64(x.Point.State.Position()[0].Seq - 1) // but for the definitions
		require.Positive(t, rows)
		require.Equal(t, rows, rowsOf(t, c, "l"))
		require.Equal(t, rows, rowsOf(t, c, "b"))
		require.Zero(t, rowsOf(t, c, "m"))
		insertInto(t, c, 1<<20, "l", "b", "m")
		require.NoError(t, c.Close())
		_, err = fs.Stat("/data/" + exportDir)
		require.Error(t, err, "nothing is left")
	}
}

// What the log has of the export stays readable though it is purged and reset meanwhile, and so do tables that are dropped.
func TestExportStays(t *testing.T) {
	s := open(t, exported(vfs.NewMem()))
	define(t, s, map[string]string{"l": "RocksDB", "b": "BTREE"})
	for id := range 50 {
		insertInto(t, s, id, "l", "b")
	}
	x := export(t, s)
	for _, name := range []string{"l", "b"} {
		dropped := s.Txns().Begin(txn.Options{})
		require.NoError(t, dropped.ChangeCatalog(catalog.Change{DropTables: []uint32{s.Catalog().Current().Table("test", name).ID()}}))
		dropped.SetDDL(event.Query{Schema: "test", SQL: "DROP TABLE " + name})
		_, err := dropped.Commit(ctx)
		require.NoError(t, err)
		require.NoError(t, s.Checkpoint(ctx))
	}
	require.NoError(t, s.Pipeline().Rotate())
	_, err := s.PurgeLog(ctx, s.Log().End().Segment)
	require.NoError(t, err)
	require.NoError(t, s.ResetLog(ctx, 1, parseState(t, ""), false))
	c := openCopy(t, x)
	require.EqualValues(t, 50, rowsOf(t, c, "l"))
	require.EqualValues(t, 50, rowsOf(t, c, "b"))
}

// meddling is a kind of engine that runs a function after each of its exports.
type meddling struct {
	engine.Kind
	after func()
}

func (k meddling) Open(o engine.Options) (engine.Engine, error) {
	e, err := k.Kind.Open(o)
	return meddled{e, k}, err
}

type meddled struct {
	engine.Engine
	k meddling
}

func (e meddled) Capabilities() engine.Capabilities {
	c := e.Engine.Capabilities()
	c.Exporter = e
	return c
}

func (e meddled) Export(dir string) (*engine.Export, error) {
	x, err := e.Engine.Capabilities().Exporter.Export(dir)
	e.k.after()
	return x, err
}

// addIndex adds an index to t, built past the log.
func addIndex(t *testing.T, s *Store) {
	t.Helper()
	tbl := s.Catalog().Current().Table("test", "t")
	x := s.Txns().Begin(txn.Options{})
	def := *tbl.Def
	def.Indexes = append(append([]catalog.IndexDef(nil), def.Indexes...), catalog.IndexDef{ID: def.NextIndexID, Name: "late", Parts: []catalog.IndexPart{{Column: 2}}})
	def.NextIndexID++
	require.NoError(t, x.ChangeCatalog(catalog.Change{Tables: []*catalog.TableDef{&def}}))
	x.SetDDL(event.Query{Schema: "test", SQL: "CREATE INDEX late ON t (u)"})
	w, err := x.BulkWriter(x.Catalog().TableByID(tbl.ID()), false, []int{len(def.Indexes) - 1})
	require.NoError(t, err)
	c, err := x.Scan(ctx, txn.ScanSpec{Table: tbl, Index: -1, Mode: txn.Latest})
	require.NoError(t, err)
	for c.Next() {
		require.NoError(t, w.Add(c.RowKey(), c.Image()))
	}
	require.NoError(t, errors.Join(c.Err(), c.Close(), w.Finish(ctx)))
	_, err = x.Commit(ctx)
	require.NoError(t, err)
}

// An index that was built while engines were exported is in none of their files: the export begins again.
func TestExportAndDefinitions(t *testing.T) {
	times, meddle := 0, func() {}
	o := Options{FS: vfs.NewMem(), Engines: []engine.Kind{meddling{smallLSM, func() { times++; meddle() }}}, Logger: quiet()}
	s := open(t, o)
	tbl := createTable(t, s)
	for id := range 100 {
		insert(t, s, tbl, id)
	}
	meddle = func() {
		if times == 1 {
			addIndex(t, s)
		}
	}
	x := export(t, s)
	require.Equal(t, 2, times)
	c := openCopy(t, x)
	r, err := c.CheckTable(ctx, "test", "t")
	require.NoError(t, err)
	require.True(t, r.OK(), r.Problems)
	require.EqualValues(t, 300, r.Entries)

	meddle = func() { define(t, s, map[string]string{strings.Repeat("x", times): "RocksDB"}) }
	_, err = NewExport(ctx, s)
	require.ErrorIs(t, err, ErrRestless)
	meddle = func() {}
	require.NoError(t, export(t, s).Close())
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = NewExport(canceled, s)
	require.ErrorIs(t, err, context.Canceled)
}

// What is committed after the engines' files were taken, over several files of the log, is replayed from there, and durable.
func TestExportIsReplayed(t *testing.T) {
	after := func() {}
	o := exported(vfs.NewMem())
	o.Engines[0] = meddling{smallLSM, func() { after() }}
	o.SyncBinlog, o.SyncInterval = new(uint64(0)), time.Hour
	s := open(t, o)
	define(t, s, map[string]string{"l": "RocksDB", "b": "BTREE"})
	insertInto(t, s, 1, "l", "b")
	after = func() {
		for id := 2; id < 5; id++ {
			insertInto(t, s, id, "l", "b")
			require.NoError(t, s.Pipeline().Rotate())
		}
		insertInto(t, s, 5, "l", "b")
		require.True(t, s.Log().Synced().Before(s.Log().End()))
	}
	x := export(t, s)
	require.False(t, s.Log().Synced().Before(x.Place), "a copy must not be ahead of the log after a loss of power")
	after = func() {}
	c := openCopy(t, x)
	require.EqualValues(t, 5, rowsOf(t, c, "l"))
	require.EqualValues(t, 5, rowsOf(t, c, "b"))
}

// Links that a crash has left of an export go with the next start; engines that cannot be exported say so.
func TestExportLeft(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := open(t, exported(fs))
	createTable(t, s)
	x := export(t, s)
	for _, file := range x.Files {
		require.NoError(t, file.Copy(io.Discard))
	}
	left := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 2))})
	_, err := left.Stat("/data/" + exportDir + "/lsm")
	require.NoError(t, err)
	again := open(t, exported(left))
	_, err = left.Stat("/data/" + exportDir)
	require.Error(t, err)
	require.NoError(t, export(t, again).Close())

	o := exported(vfs.NewMem())
	o.CommitProtocol = protocol.TwoPC
	_, err = NewExport(ctx, open(t, o))
	require.ErrorIs(t, err, ErrNoExport)
	bare := Options{FS: vfs.NewMem(), Engines: []engine.Kind{unexported{smallLSM}}, Logger: quiet()}
	_, err = NewExport(ctx, open(t, bare))
	require.ErrorIs(t, err, ErrNoExport)
}

// unexported is a kind of engine that does not give its files away.
type unexported struct{ engine.Kind }

func (k unexported) Open(o engine.Options) (engine.Engine, error) {
	e, err := k.Kind.Open(o)
	return kept{e}, err
}

type kept struct{ engine.Engine }

func (e kept) Capabilities() engine.Capabilities {
	c := e.Engine.Capabilities()
	c.Exporter = nil
	return c
}

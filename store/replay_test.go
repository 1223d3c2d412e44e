package store

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/replay"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/row/rowtest"
	"github.com/duramendb/duramen/txn"
)

// history fills a store with transactions of every kind that the log knows.
// Their tables are keyed and keyless; nothing is written past the log.
func history(t *testing.T, s *Store, transactions int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 11))
	text := catalog.ColumnDef{Name: "t", SQLType: "text", Nullable: true, Type: mysql.MYSQL_TYPE_BLOB, Meta: 2, Collation: 63}
	define := func(name string, keyless bool) {
		x := s.Txns().Begin(txn.Options{})
		def := tableDef(x.NewTableID())
		def.Name = name
		def.Columns = append(def.Columns, text)
		def.Columns[0].AutoIncrement = true
		if keyless {
			def.Primary = nil
		}
		change := catalog.Change{Tables: []*catalog.TableDef{def}}
		if old := x.Catalog().Table("test", name); old != nil {
			change.DropTables = []uint32{old.ID()}
		}
		require.NoError(t, x.ChangeCatalog(change))
		x.SetDDL(event.Query{Schema: "test", SQL: "CREATE OR REPLACE TABLE " + name})
		_, err := x.Commit(ctx)
		require.NoError(t, err)
	}
	define("keyed", false)
	define("keyless", true)
	serial := 0
	for n := range transactions {
		if n%40 == 39 {
			define("keyed", false)
		}
		if n%25 == 24 {
			require.NoError(t, s.Pipeline().Rotate())
		}
		x := s.Txns().Begin(txn.Options{RowImage: txn.RowImage(n % 3), SkipBinlog: n%7 == 6})
		x.BeginStatement(fmt.Sprintf("statement %d", n), n%2 == 0)
		for range 1 + rng.IntN(6) {
			serial++
			tbl := x.Catalog().Table("test", []string{"keyed", "keyless"}[rng.IntN(2)])
			values := func(id int64) []any { return []any{id, int64(rng.IntN(9)), int64(serial), "text"} }
			key, before := randomRow(t, x, tbl, rng)
			var err error
			switch {
			case before == nil || rng.IntN(3) == 0:
				err = x.Insert(ctx, tbl, encode(t, tbl, values(int64(serial))))
			case rng.IntN(3) == 0:
				err = x.Delete(ctx, tbl, key, before)
			default:
				vals, derr := rowtest.Decode(tbl.Columns, before)
				require.NoError(t, derr)
				next := values(vals[0].(int64))
				if rng.IntN(4) == 0 {
					next[0] = int64(100_000 + serial) // the row moves
				}
				err = x.Update(ctx, tbl, key, before, encode(t, tbl, next))
			}
			require.NoError(t, err)
		}
		x.EndStatement()
		_, err := x.Commit(ctx)
		require.NoError(t, err)
	}
}

func encode(t *testing.T, tbl *catalog.Table, vals []any) []byte {
	t.Helper()
	b, err := row.Encode(nil, tbl.Columns, vals)
	require.NoError(t, err)
	return b
}

func randomRow(t *testing.T, x *txn.Txn, tbl *catalog.Table, rng *rand.Rand) (key, image []byte) {
	t.Helper()
	cursor, err := x.Scan(ctx, txn.ScanSpec{Table: tbl, Index: -1, Mode: txn.Latest})
	require.NoError(t, err)
	defer cursor.Close()
	for n := rng.IntN(20); n >= 0 && cursor.Next(); n-- {
		key, image = bytes.Clone(cursor.RowKey()), bytes.Clone(cursor.Image())
	}
	require.NoError(t, cursor.Err())
	return key, image
}

// contents are all keys and values of an engine.
func contents(t *testing.T, e engine.Engine) map[string]string {
	t.Helper()
	it, err := e.NewIter(nil, nil)
	require.NoError(t, err)
	defer it.Close()
	all := map[string]string{}
	for ok := it.First(); ok; ok = it.Next() {
		all[fmt.Sprintf("%x", it.Key())] = fmt.Sprintf("%x", it.Value())
	}
	require.NoError(t, it.Error())
	return all
}

func emptyEngine(t testing.TB, fs vfs.FS) engine.Engine {
	t.Helper()
	e, err := lsm.Open(lsm.Options{FS: fs, Dir: "/copy", CacheBytes: 1 << 20, MemTableBytes: 256 << 10})
	require.NoError(t, err)
	return e
}

// An engine made from nothing but the log is the engine that the transactions made, byte by byte,
// however the replay was cut into pieces.
func TestReplayFromNothing(t *testing.T) {
	replayFromNothing(t, Options{FS: vfs.NewMem(), MaxRowsEventBytes: 64})
}

// The same, when every second transaction is a large one.
func TestReplayLargeFromNothing(t *testing.T) {
	o := Options{FS: vfs.NewMem(), MaxRowsEventBytes: 64, BinlogCacheSize: 100, LargeCommitThreshold: 400, WriteSetMemory: 900}
	s := replayFromNothing(t, o)
	require.Greater(t, s.Txns().Stats().LargeCommits, uint64(50))
	names, err := o.FS.List("/data/tmp")
	require.NoError(t, err)
	require.Empty(t, names)
}

func replayFromNothing(t *testing.T, o Options) *Store {
	s := open(t, o)
	history(t, s, 200)
	want := contents(t, s.Engine())

	t.Run("at once", func(t *testing.T) {
		e := emptyEngine(t, vfs.NewMem())
		defer e.Close()
		result, err := replay.Run(ctx, replay.Config{Log: s.Log(), Engine: e, Catalog: catalog.Empty()})
		require.NoError(t, err)
		require.Equal(t, want, contents(t, e))
		require.Equal(t, s.Log().StateClone().String(), result.State.String())
		require.Positive(t, result.Rows)

		again, err := replay.Run(ctx, replay.Config{Log: s.Log(), Engine: e, Catalog: result.Catalog})
		require.NoError(t, err)
		require.Zero(t, again.Groups, "replaying twice changes nothing")
		require.Equal(t, want, contents(t, e))
	})
	t.Run("in pieces", func(t *testing.T) {
		fs := vfs.NewMem()
		for pieces := 1; ; pieces++ {
			e := emptyEngine(t, fs)
			it, err := e.NewIter(catalog.MetaSpan())
			require.NoError(t, err)
			snapshot, err := catalog.Load(it, nil)
			require.NoError(t, err)
			require.NoError(t, it.Close())
			limited, cancel := context.WithCancel(ctx)
			counting := &applyLimit{Engine: e, left: 3, reached: cancel}
			_, err = replay.Run(limited, replay.Config{Log: s.Log(), Engine: counting, Catalog: snapshot, BatchBytes: 4096})
			cancel()
			if err == nil {
				require.Greater(t, pieces, 2)
				require.Equal(t, want, contents(t, e))
				require.NoError(t, e.Close())
				return
			}
			require.ErrorIs(t, err, context.Canceled)
			_, err = e.Checkpoint()
			require.NoError(t, err)
			require.NoError(t, e.Close())
		}
	})
	return s
}

// applyLimit calls reached after some Applies.
type applyLimit struct {
	engine.Engine
	left    int
	reached func()
}

func (e *applyLimit) Apply(b engine.Batch, m engine.Mark) error {
	if e.left--; e.left == 0 {
		e.reached()
	}
	return e.Engine.Apply(b, m)
}

// A log that contradicts the engine is refused, not guessed at.
func TestReplayRefuses(t *testing.T) {
	meta := event.Meta{Timestamp: 1, ServerID: 1}
	tableMap := func(columns int, id uint64) []byte {
		info := &event.TableMapInfo{TableID: id, Schema: "test", Table: "t"}
		for range columns {
			info.Columns = append(info.Columns, event.ColumnMeta{Type: mysql.MYSQL_TYPE_LONG})
		}
		return event.AppendTableMap(nil, meta, info)
	}
	deleteRow := func(present []byte, image ...byte) []byte {
		return event.AppendRows(nil, meta, &event.RowsInfo{TableID: 1, Kind: event.DeleteRowsV1, Columns: 3, BitmapBefore: present, Rows: image})
	}
	join := func(events ...[]byte) []byte {
		return append(bytes.Join(events, nil), event.AppendXID(nil, meta, 1)...)
	}
	for name, events := range map[string][]byte{
		"unknown table":          join(tableMap(3, 99)),
		"other columns":          join(tableMap(2, 1)),
		"rows without table map": join(deleteRow(nil, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)),
		"row is not there":       join(tableMap(3, 1), deleteRow([]byte{1}, 0, 77, 0, 0, 0)),
		"no primary key":         join(tableMap(3, 1), deleteRow([]byte{2}, 0, 77, 0, 0, 0)),
		"rows cut short":         join(tableMap(3, 1), deleteRow(nil, 0, 1, 0)),
		"unknown record":         join(event.AppendPrivate(nil, meta, 200, nil)),
		"bad catalog change":     join(event.AppendPrivate(nil, meta, event.PrivateCatalog, []byte("{"))),
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, Options{FS: vfs.NewMem()})
			createTable(t, s)
			require.NoError(t, s.Pipeline().Commit(ctx, &txn.CommitRequest{Flags: event.FLTransactional, Events: events}))
			e := emptyEngine(t, vfs.NewMem())
			defer e.Close()
			_, err := replay.Run(ctx, replay.Config{Log: s.Log(), Engine: e, Catalog: catalog.Empty()})
			require.Error(t, err)
			require.ErrorIs(t, replayErrorKind(err), ErrCorrupt)
			require.ErrorContains(t, err, "000001:", "the error names the place")
			require.EqualValues(t, 0, e.Applied().Position.Offset, "nothing was applied")
		})
	}
}

// TestReplayInStretches: what several goroutines make of one batch is put together in the order of the log. Values of a unique index go
// from row to row all the time, rows come and go, and counters only grow.
func TestReplayInStretches(t *testing.T) {
	s := open(t, Options{FS: vfs.NewMem()})
	def := tableDef(7)
	def.Columns[0].AutoIncrement, def.Columns[0].Unsigned, def.Columns[0].SQLType, def.Columns[0].Type = true, true, "bigint(20) unsigned", mysql.MYSQL_TYPE_LONGLONG
	x := s.Txns().Begin(txn.Options{})
	require.NoError(t, x.ChangeCatalog(catalog.Change{Databases: []catalog.DatabaseDef{{Name: "test"}}, Tables: []*catalog.TableDef{def}}))
	x.SetDDL(event.Query{Schema: "test", SQL: "CREATE TABLE t"})
	_, err := x.Commit(ctx)
	require.NoError(t, err)
	tbl := s.Catalog().Current().Table("test", "t")
	rng := rand.New(rand.NewPCG(5, 5))
	const ids, values, transactions = 20, 24, 4000
	rows, owner := map[uint64]int64{}, map[int64]uint64{}
	for n := range transactions {
		x := s.Txns().Begin(txn.Options{})
		x.BeginStatement("", false)
		id, u := rng.Uint64N(ids), rng.Int64N(values)
		if n == transactions/2 {
			id = math.MaxUint64 // its counter has nowhere to go
		}
		old, there := rows[id]
		image := func(u int64) []byte { return encode(t, tbl, []any{id, int64(n), u}) }
		var key, before []byte
		if there {
			key, before = storedRow(t, x, tbl, id)
		}
		_, taken := owner[u]
		switch {
		case there && rng.IntN(4) == 0:
			require.NoError(t, x.Delete(ctx, tbl, key, before))
			delete(rows, id)
			delete(owner, old)
		case taken:
		case there:
			require.NoError(t, x.Update(ctx, tbl, key, before, image(u)))
			delete(owner, old)
			rows[id], owner[u] = u, id
		default:
			require.NoError(t, x.Insert(ctx, tbl, image(u)))
			rows[id], owner[u] = u, id
		}
		x.EndStatement()
		_, err := x.Commit(ctx)
		require.NoError(t, err)
	}
	want := contents(t, s.Engine())
	for _, batchBytes := range []int{1 << 10, 1 << 14, 1 << 20} {
		e := emptyEngine(t, vfs.NewMem())
		_, err := replay.Run(ctx, replay.Config{Log: s.Log(), Engine: e, Catalog: catalog.Empty(), BatchBytes: batchBytes})
		require.NoError(t, err)
		require.Equal(t, want, contents(t, e), "%d bytes", batchBytes)
		require.NoError(t, e.Close())
	}
}

// storedRow is the row with an id.
func storedRow(t *testing.T, x *txn.Txn, tbl *catalog.Table, id uint64) (key, image []byte) {
	t.Helper()
	cursor, err := x.Scan(ctx, txn.ScanSpec{Table: tbl, Index: -1, Mode: txn.Latest})
	require.NoError(t, err)
	defer cursor.Close()
	for cursor.Next() {
		if vals, err := rowtest.Decode(tbl.Columns, cursor.Image()); err == nil && vals[0] == id {
			return bytes.Clone(cursor.RowKey()), bytes.Clone(cursor.Image())
		}
	}
	require.NoError(t, cursor.Err())
	t.Fatalf("row %d is not there", id)
	return nil, nil
}

// ingestLimit calls reached after some Ingests.
type ingestLimit struct {
	engine.Engine
	left    int
	largest int
	reached func()
}

func (e *ingestLimit) Ingest(b engine.Batch) error {
	if e.left--; e.left == 0 {
		e.reached()
	}
	e.largest = max(e.largest, b.Len())
	return e.Engine.Ingest(b)
}

// A large transaction is replayed in chunks, and may be interrupted between any two of them.
func TestReplayInChunks(t *testing.T) {
	s := open(t, Options{FS: vfs.NewMem(), LargeCommitThreshold: 20_000})
	tbl := createTable(t, s)
	require.NoError(t, insertMany(s, tbl, 1, 300))
	states := map[string]map[string]string{s.Engine().Applied().GTIDState: contents(t, s.Engine())}
	x := s.Txns().Begin(txn.Options{})
	for i := range 2000 {
		x.BeginStatement("", false)
		id := 1000 + i
		require.NoError(t, x.Insert(ctx, tbl, image(t, tbl, 5000+i)))
		if i < 300 {
			before := image(t, tbl, id)
			key, err := tbl.PrimaryKey(nil, before)
			require.NoError(t, err)
			require.NoError(t, x.Delete(ctx, tbl, key, before))
			require.NoError(t, x.Insert(ctx, tbl, encode(t, tbl, []any{id, 77, -id})))
		}
		x.EndStatement()
	}
	for i := range 2000 {
		if i%3 == 0 {
			before := image(t, tbl, 5000+i)
			key, err := tbl.PrimaryKey(nil, before)
			require.NoError(t, err)
			if i%2 == 0 {
				require.NoError(t, x.Delete(ctx, tbl, key, before))
			} else {
				require.NoError(t, x.Update(ctx, tbl, key, before, encode(t, tbl, []any{5000 + i, -1, -5000 - i})))
			}
		}
	}
	_, err := x.Commit(ctx)
	require.NoError(t, err)
	want := contents(t, s.Engine())
	states[s.Engine().Applied().GTIDState] = want
	fs := vfs.NewMem()
	for pieces := 1; ; pieces++ {
		e := emptyEngine(t, fs)
		it, err := e.NewIter(catalog.MetaSpan())
		require.NoError(t, err)
		snapshot, err := catalog.Load(it, nil)
		require.NoError(t, err)
		require.NoError(t, it.Close())
		limited, cancel := context.WithCancel(ctx)
		counting := &ingestLimit{Engine: e, left: pieces, reached: cancel}
		_, err = replay.Run(limited, replay.Config{Log: s.Log(), Engine: counting, Catalog: snapshot, BatchBytes: 4096})
		cancel()
		require.Less(t, counting.largest, 6*4096)
		unfinished, uerr := replay.Unfinished(e)
		require.NoError(t, uerr)
		if err == nil {
			require.Greater(t, pieces, 5)
			require.False(t, unfinished)
			require.Equal(t, want, contents(t, e))
			require.NoError(t, e.Close())
			return
		}
		require.ErrorIs(t, err, context.Canceled)
		if !unfinished { // what was under way when it was interrupted was the end of a transaction
			require.Equal(t, states[e.Applied().GTIDState], contents(t, e))
		}
		if pieces == 1 { // a log that ends before the transaction
			require.True(t, unfinished)
			other := open(t, Options{FS: vfs.NewMem(), Dir: "/other"})
			require.NoError(t, insertMany(other, createTable(t, other), 1, 300))
			_, err = replay.Run(ctx, replay.Config{Log: other.Log(), Engine: e, Catalog: snapshot})
			require.ErrorIs(t, err, replay.ErrContent)
		}
		_, err = e.Checkpoint()
		require.NoError(t, err)
		require.NoError(t, e.Close())
	}
}

// A large transaction with partial images is replayed at once: a second time it would not find its rows.
func TestReplayPartialAtOnce(t *testing.T) {
	s := open(t, Options{FS: vfs.NewMem(), LargeCommitThreshold: 20_000})
	tbl := createTable(t, s)
	for n := range 90 { // too small for chunks
		require.NoError(t, insertMany(s, tbl, n, 10))
	}
	x := s.Txns().Begin(txn.Options{RowImage: txn.ImageMinimal})
	for id := range 90_000 {
		if id%1000 >= 10 {
			continue
		}
		before := image(t, tbl, id)
		key, err := tbl.PrimaryKey(nil, before)
		require.NoError(t, err)
		require.NoError(t, x.Delete(ctx, tbl, key, before))
	}
	_, err := x.Commit(ctx)
	require.NoError(t, err)
	e := emptyEngine(t, vfs.NewMem())
	defer e.Close()
	counting := &ingestLimit{Engine: e}
	_, err = replay.Run(ctx, replay.Config{Log: s.Log(), Engine: counting, Catalog: catalog.Empty(), BatchBytes: 1024})
	require.NoError(t, err)
	require.Zero(t, counting.left, "chunks")
	require.Equal(t, contents(t, s.Engine()), contents(t, e))
}

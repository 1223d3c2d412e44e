package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/btree"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/txn"
)

// openBoth opens a data directory with all engines.
func openBoth(t *testing.T, dir string) *store.Store {
	t.Helper()
	cfg := DefaultConfig()
	cfg.DataDir = dir
	cfg.Logger = slog.New(slog.DiscardHandler)
	o := storeOptions(&cfg, func(err error) { t.Error(err) })
	o.MaxBinlogSize, o.NoPreallocate = 64<<10, true
	var err error
	o.Engines, err = engines(&cfg, lsm.Kind{CacheBytes: 1 << 20}, btree.Kind{})
	require.NoError(t, err)
	st, err := store.Open(t.Context(), o)
	require.NoError(t, err)
	return st
}

// inEngines makes a table with an index in each engine.
func inEngines(t *testing.T, st *store.Store) {
	t.Helper()
	x := st.Txns().Begin(txn.Options{})
	c := catalog.Change{Databases: []catalog.DatabaseDef{{Name: "d"}}}
	column := func(name string) catalog.ColumnDef {
		return catalog.ColumnDef{Name: name, SQLType: "int(11)", Type: mysql.MYSQL_TYPE_LONG, Collation: 63}
	}
	for _, e := range st.Engine().Engines() {
		c.Tables = append(c.Tables, &catalog.TableDef{ID: x.NewTableID(), DB: "d", Name: "in_" + e.Name(), Engine: e.Name(),
			Columns: []catalog.ColumnDef{column("id"), column("k")}, Primary: []catalog.IndexPart{{Column: 0}},
			Indexes: []catalog.IndexDef{{ID: 1, Name: "k", Parts: []catalog.IndexPart{{Column: 1}}}}, NextIndexID: 2})
	}
	require.NoError(t, x.ChangeCatalog(c))
	x.SetDDL(event.Query{Schema: "d", SQL: "CREATE TABLES"})
	_, err := x.Commit(t.Context())
	require.NoError(t, err)
}

// insertInto inserts rows into all tables, in one transaction.
func insertInto(t *testing.T, st *store.Store, from, to int) {
	t.Helper()
	x := st.Txns().Begin(txn.Options{})
	x.BeginStatement("INSERT", false)
	for _, tbl := range st.Catalog().Current().AllTables() {
		for id := from; id < to; id++ {
			image, err := row.Encode(nil, tbl.Columns, []any{int64(id), int64(id % 3)})
			require.NoError(t, err)
			require.NoError(t, x.Insert(t.Context(), tbl, image))
		}
	}
	_, err := x.Commit(t.Context())
	require.NoError(t, err)
}

// crashed is a copy of a data directory that a crash has left: BTREE lacks some rows, RocksDB has them.
func crashed(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	st := openBoth(t, dir)
	inEngines(t, st)
	insertInto(t, st, 0, 10)
	require.NoError(t, st.Checkpoint(t.Context()))
	insertInto(t, st, 10, 15)
	_, err := st.Engine().Engines()[0].Checkpoint()
	require.NoError(t, err)
	image := filepath.Join(t.TempDir(), "image")
	require.NoError(t, os.CopyFS(image, os.DirFS(dir)))
	var out bytes.Buffer
	require.Equal(t, ExitLocked, ExitCode(CheckEngine(t.Context(), dir, "BTREE", &out)))
	require.NoError(t, st.Close())
	return image
}

// sums are the checksums of all files.
func sums(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	}))
	return all
}

// checkOne runs CheckEngine, which must not change anything.
func checkOne(t *testing.T, dir, engine string) (out string, code int) {
	t.Helper()
	before := sums(t, dir)
	var b bytes.Buffer
	err := CheckEngine(t.Context(), dir, engine, &b)
	require.Equal(t, before, sums(t, dir))
	if err != nil {
		fmt.Fprintln(&b, err)
		if exit := (*ExitError)(nil); errors.As(err, &exit) {
			fmt.Fprintln(&b, exit.Hint)
		}
	}
	return b.String(), ExitCode(err)
}

// TestCheckEngine looks at each engine as of its own mark, whatever is left of the log and of the other engine.
func TestCheckEngine(t *testing.T) {
	dir := crashed(t)
	requireBoth := func() {
		t.Helper()
		out, code := checkOne(t, dir, "rocksdb")
		require.Zero(t, code, out)
		require.Contains(t, out, "storage engine RocksDB, directory lsm\nmark: binlog.000001:")
		require.Contains(t, out, "GTIDs: \"0-1-3\"\ndatabases: d\n")
		require.Contains(t, out, "d.in_BTREE: id 2, 2 columns, 1 indexes: in BTREE\n")
		require.Contains(t, out, "d.in_RocksDB: id 1, 2 columns, 1 indexes: 15 rows, 15 index entries: OK\n")
		require.Contains(t, out, "RocksDB is in order up to its mark: 1 tables of 3, 15 rows, 15 index entries\n")
		same, _ := checkOne(t, dir, "InnoDB")
		require.Equal(t, out, same, "the default engine")

		out, code = checkOne(t, dir, "BTREE")
		require.Zero(t, code, out)
		require.Contains(t, out, "GTIDs: \"0-1-2\"\n")
		require.Contains(t, out, "d.in_BTREE: id 2, 2 columns, 1 indexes: 10 rows, 10 index entries: OK\n")
		require.Contains(t, out, "d.in_RocksDB: id 1, 2 columns, 1 indexes: in RocksDB\n")
	}
	requireBoth()
	whole := func() (string, int) {
		var b bytes.Buffer
		err := Check(t.Context(), dir, &b)
		return b.String(), ExitCode(err)
	}
	out, code := whole()
	require.Zero(t, code, out)
	require.Contains(t, out, "d.in_BTREE: 15 rows, 15 index entries: OK\n")

	for _, name := range []string{"Aria", "MEMORY", ""} {
		out, code := checkOne(t, dir, name)
		require.Equal(t, ExitUsage, code, out)
		require.Contains(t, out, "those with files there are RocksDB, BTREE")
	}

	segment := filepath.Join(dir, "binlog.000001")
	data, err := os.ReadFile(segment)
	require.NoError(t, err)
	data[700] ^= 1
	require.NoError(t, os.WriteFile(segment, data, 0o600))
	out, code = whole()
	require.Equal(t, ExitCorrupt, code, out)
	requireBoth()
	for _, name := range []string{"binlog.000001", "binlog.index"} {
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
	}
	requireBoth()

	require.NoError(t, os.RemoveAll(filepath.Join(dir, "btree")))
	out, code = checkOne(t, dir, "RocksDB")
	require.Zero(t, code, out)
	out, code = checkOne(t, dir, "BTREE")
	require.Equal(t, ExitCorrupt, code, out)
	require.Contains(t, out, "the directory btree holds no engine BTREE")
}

// TestCheckEngineFinds damages one engine's tables.
func TestCheckEngineFinds(t *testing.T) {
	for _, name := range []string{"RocksDB", "BTREE"} {
		t.Run(name, func(t *testing.T) {
			dir := crashed(t)
			cfg := DefaultConfig()
			cfg.DataDir = dir
			kinds, err := engines(&cfg, lsm.Kind{CacheBytes: 1 << 20}, btree.Kind{})
			require.NoError(t, err)
			at, ok := engineNamed(kinds, name)
			require.True(t, ok)
			e, err := kinds[at].Open(engine.Options{FS: vfs.Default, Dir: filepath.Join(dir, kinds[at].Dir()),
				Fatal: func(err error) { t.Error(err) }, Logger: slog.New(slog.DiscardHandler)})
			require.NoError(t, err)
			own := uint32(at + 1) // the ids of the tables, in the order of the engines
			b := e.NewBatch()
			lower, _ := catalog.KeySpace{Table: own, Index: 1}.Span()
			it, err := e.NewIter(catalog.TableSpan(own))
			require.NoError(t, err)
			require.True(t, it.SeekGE(lower))
			require.NoError(t, b.Delete(it.Key()), "an index entry")
			require.NoError(t, it.Close())
			other, _ := catalog.KeySpace{Table: 3 - own, Index: catalog.RowsIndex}.Span()
			require.NoError(t, b.Set(append(other, 1), []byte("a row of another engine's table")))
			orphan, _ := catalog.KeySpace{Table: 77, Index: catalog.RowsIndex}.Span()
			require.NoError(t, b.Set(append(orphan, 1), []byte("a row of no table")))
			require.NoError(t, e.Ingest(b))
			_, err = e.Checkpoint()
			require.NoError(t, err)
			require.NoError(t, e.Close())

			out, code := checkOne(t, dir, name)
			require.Equal(t, ExitCorrupt, code, out)
			require.Contains(t, out, "1 problems\n")
			require.Contains(t, out, "has no entry in index k")
			require.Contains(t, out, "there are keys of d.in_")
			require.Contains(t, out, "not finished, and removed by the next start: table 77")
			require.NotContains(t, out, "in order")
		})
	}
}

// A directory that is none is told apart.
func TestCheckEngineOfNothing(t *testing.T) {
	var b bytes.Buffer
	require.Equal(t, ExitFormat, ExitCode(CheckEngine(context.Background(), t.TempDir(), "BTREE", &b)))
	require.Equal(t, ExitUsage, ExitCode(CheckEngine(context.Background(), filepath.Join(t.TempDir(), "no"), "BTREE", &b)))
}

package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/btree"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/txn"
)

// TestSpaceOfDroppedTables: what a table took comes back when it is dropped or emptied: the LSM engine's files shrink, and the B+tree
// uses the pages again.
func TestSpaceOfDroppedTables(t *testing.T) {
	for _, kind := range []engine.Kind{lsm.Kind{CacheBytes: 1 << 20, MemTableBytes: 64 << 10}, btree.Kind{MapBytes: 256 << 20}} {
		for _, statement := range []string{"DROP TABLE", "TRUNCATE"} {
			t.Run(kind.Name()+" "+statement, func(t *testing.T) {
				s := open(t, Options{FS: vfs.NewMem(), Engines: []engine.Kind{kind}, NoPreallocate: true, Logger: quiet(), MaxBinlogSize: 16 << 20})
				disk := func() uint64 { return s.Engine().Stats().DiskBytes }
				empty := disk()
				var filled uint64
				tbl := createTable(t, s)
				for round := range 2 {
					const rows, each = 12_000, 2000
					for from := 0; from < rows; from += each {
						ids := make([]int, each)
						for i := range ids {
							ids[i] = from + i
						}
						insert(t, s, tbl, ids...)
					}
					require.NoError(t, s.Checkpoint(ctx))
					if round == 0 {
						filled = disk()
						require.Greater(t, filled, empty+rows*20)
					}
					tbl = leave(t, s, tbl, statement, round)
					require.NoError(t, s.Checkpoint(ctx))
					if kind.Name() == "BTREE" { // a file does not shrink, but it does not grow either
						require.Less(t, disk(), 2*filled, "round %d", round)
						continue
					}
					require.Eventually(t, func() bool { return disk() < empty+(filled-empty)/4 }, time.Minute, 5*time.Millisecond,
						"round %d: %d bytes, it was %d full and %d empty", round, disk(), filled, empty)
				}
			})
		}
	}
}

// leave drops the table, and makes another one.
func leave(t *testing.T, s *Store, tbl *catalog.Table, statement string, round int) *catalog.Table {
	t.Helper()
	x := s.Txns().Begin(txn.Options{})
	def := *tbl.Def
	def.ID = x.NewTableID()
	if statement == "DROP TABLE" {
		def.Name = fmt.Sprint("t", round)
	}
	require.NoError(t, x.ChangeCatalog(catalog.Change{DropTables: []uint32{tbl.ID()}, Tables: []*catalog.TableDef{&def}}))
	x.SetDDL(event.Query{Schema: "test", SQL: statement})
	_, err := x.Commit(ctx)
	require.NoError(t, err)
	return s.Catalog().Current().TableByID(def.ID)
}

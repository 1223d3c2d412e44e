package store

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/txn"
)

// commitAs commits a row by replication, or under sql_log_bin=0.
func commitAs(t *testing.T, s *Store, id int, o txn.Options) {
	t.Helper()
	tbl := s.Catalog().Current().Table("test", "t")
	x := s.Txns().Begin(o)
	if o.Replicated {
		x.SetSeqNo(uint64(id), false)
	}
	x.BeginStatement("INSERT", false)
	require.NoError(t, x.Insert(ctx, tbl, image(t, tbl, id)))
	_, err := x.Commit(ctx)
	require.NoError(t, err)
}

// Transactions that come by replication, whose rows have their numbers, and of sql_log_bin=0.
var byReplication, sqlLogBinOff = txn.Options{Replicated: true, ServerID: 7}, txn.Options{SkipBinlog: true}

// TestDemoted: a crashed primary that starts as a replica has nothing of its own after what its engines have, and keeps what is cut.
func TestDemoted(t *testing.T) {
	for name, c := range map[string]struct {
		after  func(t *testing.T, s *Store) // the checkpoint at row 12
		clean  bool
		rows   int64
		lost   string // GTIDs that are named
		refuse string
	}{
		"own": {after: func(t *testing.T, s *Store) { insertInto(t, s, 100, "t") }, rows: 13, lost: "0-1-15"},
		"own, files": {after: func(t *testing.T, s *Store) {
			insertInto(t, s, 100, "t")
			require.NoError(t, s.Pipeline().Rotate())
			insertInto(t, s, 101, "t")
		}, rows: 13, lost: "0-1-15,0-1-16"},
		"definitions": {after: func(t *testing.T, s *Store) { insertInto(t, s, 100, "t"); dropTable(t, s) }, rows: 13, lost: "0-1-15,0-1-16"},
		"nothing":     {after: func(*testing.T, *Store) {}, rows: 13},
		"replicated":  {after: func(t *testing.T, s *Store) { commitAs(t, s, 15, byReplication) }, rows: 14},
		"replicated before": {after: func(t *testing.T, s *Store) {
			commitAs(t, s, 15, byReplication)
			insertInto(t, s, 101, "t")
			commitAs(t, s, 17, byReplication)
		},
			rows: 14, lost: "0-1-16,0-7-17"},
		"local before": {after: func(t *testing.T, s *Store) { commitAs(t, s, 100, sqlLogBinOff); insertInto(t, s, 101, "t") }, rows: 14, lost: "0-1-15"},
		"local after": {after: func(t *testing.T, s *Store) { insertInto(t, s, 100, "t"); commitAs(t, s, 101, sqlLogBinOff) },
			refuse: "Cannot truncate the binary log to file:./binlog.000001 pos:"},
		"shutdown": {after: func(t *testing.T, s *Store) { insertInto(t, s, 100, "t") }, clean: true, rows: 14},
	} {
		t.Run(name, func(t *testing.T) {
			mem := vfs.NewCrashableMem()
			s := open(t, Options{FS: mem, Logger: quiet()})
			tbl := createTable(t, s)
			for id := range 13 {
				insert(t, s, tbl, id)
			}
			require.NoError(t, s.Checkpoint(ctx))
			c.after(t, s)
			fs := crash(mem)
			if c.clean {
				require.NoError(t, s.Close())
				fs = crash(mem)
			}
			before := files(t, fs, "/data")
			var log bytes.Buffer
			s, err := tryOpen(Options{FS: fs, Demote: true, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			if c.refuse != "" {
				require.ErrorContains(t, err, c.refuse)
				require.Equal(t, before, files(t, fs, "/data"), "a refusal changes nothing")
				return
			}
			require.NoError(t, err)
			defer s.Close()
			require.Equal(t, c.rows, count(t, s))
			_, err = fs.Stat("/data/" + cutName)
			require.Error(t, err, "the note of the cut is gone")
			kept := ""
			names, err := fs.List("/data")
			require.NoError(t, err)
			for _, name := range names {
				if strings.Contains(name, "lost-") { // the engine's background work removes files in its own directory
					kept = files(t, fs, "/data/"+name)["binlog.000001"]
				}
			}
			if c.lost == "" {
				require.Empty(t, kept)
				require.NotContains(t, log.String(), "runcated")
				return
			}
			require.Equal(t, before["binlog.000001"], kept)
			require.Contains(t, log.String(), "gtids="+c.lost+"\n")
			require.Contains(t, log.String(), "Successfully truncated binlog file:./binlog.000001 from previous file size ")
		})
	}
}

func dropTable(t *testing.T, s *Store) {
	t.Helper()
	x := s.Txns().Begin(txn.Options{})
	require.NoError(t, x.ChangeCatalog(catalog.Change{DropTables: []uint32{s.Catalog().Current().Table("test", "t").ID()}}))
	x.SetDDL(event.Query{Schema: "test", SQL: "DROP TABLE t"})
	_, err := x.Commit(ctx)
	require.NoError(t, err)
}

// TestDemotedCrashes: a crash at any operation of the start that cuts leaves a directory for which any start, with the option or without, has
// the same result.
func TestDemotedCrashes(t *testing.T) {
	mem := crashfs.New()
	s := open(t, Options{FS: mem, Logger: quiet()})
	tbl := createTable(t, s)
	for id := range 5 {
		insert(t, s, tbl, id)
	}
	require.NoError(t, s.Checkpoint(ctx))
	insert(t, s, tbl, 100)
	require.NoError(t, s.Pipeline().Rotate())
	insert(t, s, tbl, 101)
	base := crashed(mem)
	require.NoError(t, s.Close())
	for k := 1; ; k++ {
		rng := rand.New(rand.NewPCG(uint64(k), 1))
		fs := base.Crash(crashfs.Loss{}, rng)
		var mu sync.Mutex
		var image *crashfs.FS
		begun, ops := false, 0
		fs.SetHook(func(op crashfs.Op) error {
			mu.Lock()
			defer mu.Unlock()
			begun = begun || strings.Contains(op.Name, cutName)
			if begun {
				if ops++; ops == k {
					image = fs.Crash(crashfs.Loss{}, rng)
				}
			}
			return nil
		})
		s, err := tryOpen(Options{FS: fs, Demote: true, Logger: quiet(), NoPreallocate: true})
		require.NoError(t, err)
		require.EqualValues(t, 5, count(t, s))
		fs.SetHook(nil)
		require.NoError(t, s.Close())
		mu.Lock()
		left := image
		mu.Unlock()
		if left == nil {
			require.Greater(t, k, 10)
			return
		}
		_, noted := left.Stat("/data/" + cutName)
		s, err = tryOpen(Options{FS: left, Demote: k%2 == 0 || noted != nil, Logger: quiet(), NoPreallocate: true})
		require.NoError(t, err, "operation %d", k)
		require.EqualValues(t, 5, count(t, s), "operation %d", k)
		require.NoError(t, s.Close())
	}
}

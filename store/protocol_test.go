package store

import (
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/commit/protocol"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/enginetest"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/txn"
)

// eachProtocol runs a test for each commit protocol.
func eachProtocol(t *testing.T, test func(t *testing.T, name protocol.Name)) {
	for _, name := range protocol.Names {
		t.Run(string(name), func(t *testing.T) { test(t, name) })
	}
}

// crashed is what is left when the power fails: nothing that was not synced.
func crashed(fs *crashfs.FS) *crashfs.FS {
	return fs.Crash(crashfs.Loss{}, rand.New(rand.NewPCG(1, 1)))
}

// How many syncs a commit of one client costs: with one engine, and with rows in two.
func TestProtocolSyncs(t *testing.T) {
	want := map[protocol.Name][2]int64{protocol.OneLog: {1, 1}, protocol.TwoPC: {2, 3}, protocol.TwoPCEager: {3, 5}, protocol.Engine: {1, 2}}
	eachProtocol(t, func(t *testing.T, name protocol.Name) {
		fs := crashfs.New()
		var syncs atomic.Int64
		fs.SetHook(func(op crashfs.Op) error {
			if op.Kind == crashfs.Sync {
				syncs.Add(1)
			}
			return nil
		})
		kinds := []engine.Kind{lsm.Kind{CacheBytes: 1 << 20, MemTableBytes: 1 << 20}, &enginetest.MemoryKind{EngineName: "Other", Disk: &enginetest.Disk{}}}
		s := open(t, Options{Logger: quiet(), FS: fs, Engines: kinds, CommitProtocol: name, MaxBinlogSize: 1 << 20})
		require.Equal(t, name, s.CommitProtocol())
		var tables []*catalog.Table
		x := s.Txns().Begin(txn.Options{})
		c := catalog.Change{Databases: []catalog.DatabaseDef{{Name: "test"}}}
		for _, engine := range []string{"InnoDB", "Other"} {
			def := tableDef(x.NewTableID())
			def.Name, def.Engine = "in"+engine, engine
			c.Tables = append(c.Tables, def)
		}
		require.NoError(t, x.ChangeCatalog(c))
		_, err := x.Commit(ctx)
		require.NoError(t, err)
		for _, def := range c.Tables {
			tables = append(tables, s.Catalog().Current().Table("test", def.Name))
		}
		for engines := 1; engines <= 2; engines++ {
			before, redoBefore := syncs.Load(), s.RedoStats()
			costBefore, _ := s.CommitCost()
			const commits = 20
			for id := range commits {
				x := s.Txns().Begin(txn.Options{})
				x.BeginStatement("INSERT", false)
				for _, tbl := range tables[:engines] {
					require.NoError(t, x.Insert(ctx, tbl, image(t, tbl, engines*1000+id)))
				}
				_, err := x.Commit(ctx)
				require.NoError(t, err)
			}
			require.Equal(t, commits*want[name][engines-1], syncs.Load()-before, "%d engines", engines)
			cost, _ := s.CommitCost()
			require.Equal(t, commits*want[name][engines-1], int64(cost-costBefore), "what the counter says")
			require.Equal(t, name != protocol.OneLog, s.RedoStats().Bytes > redoBefore.Bytes)
		}
	})
}

// A directory keeps its protocol.
func TestProtocolIsKept(t *testing.T) {
	eachProtocol(t, func(t *testing.T, name protocol.Name) {
		fs := crashfs.New()
		s := open(t, Options{Logger: quiet(), FS: fs, CommitProtocol: name})
		tbl := createTable(t, s)
		insert(t, s, tbl, 1, 2)
		require.NoError(t, s.Close())
		for _, other := range protocol.Names {
			if other == name {
				continue
			}
			_, err := tryOpen(Options{Logger: quiet(), FS: fs, CommitProtocol: other})
			require.ErrorIs(t, err, ErrFormat)
			require.ErrorContains(t, err, string(name))
		}
		for _, asked := range []protocol.Name{"", name} {
			s = open(t, Options{Logger: quiet(), FS: fs, CommitProtocol: asked})
			require.Equal(t, name, s.CommitProtocol())
			require.EqualValues(t, 2, count(t, s))
			require.NoError(t, s.Close())
		}
	})
}

// RESET MASTER begins the log anew, under the same names, and the redo logs with it.
func TestProtocolReset(t *testing.T) {
	eachProtocol(t, func(t *testing.T, name protocol.Name) {
		fs := crashfs.New()
		o := Options{Logger: quiet(), FS: fs, CommitProtocol: name, MaxBinlogSize: 64 << 10}
		s := open(t, o)
		tbl := createTable(t, s)
		rows := 0
		for ; s.Log().End().Offset < 50<<10; rows++ { // far after what the new log will have
			insert(t, s, tbl, rows)
		}
		require.NoError(t, s.ResetLog(ctx, 1, gtid.NewState(), false))
		require.Zero(t, s.Log().StateClone().Len())
		for range 3 { // each time with another log before it
			left := crashed(fs)
			require.NoError(t, s.Close())
			o.FS, fs = left, left
			s = open(t, o)
			require.EqualValues(t, rows, count(t, s))
			insert(t, s, s.Catalog().Current().Table("test", "t"), rows, rows+1)
			rows += 2
			require.EqualValues(t, 1, s.Log().Segments()[0].Segment)
			left = crashed(fs)
			require.NoError(t, s.Close())
			o.FS, fs = left, left
			s = open(t, o)
			require.EqualValues(t, rows, count(t, s))
			require.NoError(t, s.Pipeline().Rotate())
			insert(t, s, s.Catalog().Current().Table("test", "t"), rows)
			rows++
			require.NoError(t, s.ResetLog(ctx, 1, gtid.NewState(), false))
		}
		insert(t, s, s.Catalog().Current().Table("test", "t"), rows)
		require.Equal(t, "0-1-1", s.Log().StateClone().String())
		require.NoError(t, s.Close())
	})
}

// A large transaction goes through memory where there are no files for it.
func TestProtocolLarge(t *testing.T) {
	eachProtocol(t, func(t *testing.T, name protocol.Name) {
		fs := crashfs.New()
		o := Options{Logger: quiet(), FS: fs, CommitProtocol: name, BinlogCacheSize: 512, LargeCommitThreshold: 1024, WriteSetMemory: 512, MaxBinlogSize: 8192}
		s := open(t, o)
		tbl := createTable(t, s)
		var ids []int
		for id := range 1000 {
			ids = append(ids, id)
		}
		insert(t, s, tbl, ids...)
		require.Equal(t, name == protocol.OneLog, s.Txns().Stats().LargeCommits > 0)
		left := crashed(fs)
		require.NoError(t, s.Close())
		o.FS = left
		s = open(t, o)
		require.EqualValues(t, 1000, count(t, s))
	})
}

// onelog releases row locks when the place in the log is fixed; the others when the transaction is applied.
func TestProtocolLocks(t *testing.T) {
	eachProtocol(t, func(t *testing.T, name protocol.Name) {
		fs := crashfs.New()
		s := open(t, Options{Logger: quiet(), FS: fs, CommitProtocol: name, SyncMethod: binlog.SyncFdatasync})
		tbl := createTable(t, s)
		insert(t, s, tbl, 1)
		reached, release := make(chan struct{}), make(chan struct{})
		end := sync.OnceFunc(func() { close(release) })
		defer end()
		synced := "binlog."
		if name == protocol.Engine {
			synced = "redo." // the log is there
		}
		var once atomic.Bool
		fs.SetHook(func(op crashfs.Op) error {
			if op.Kind == crashfs.Sync && strings.HasPrefix(path.Base(op.Name), synced) && !once.Swap(true) {
				close(reached)
				<-release
			}
			return nil
		})
		key, err := tbl.PrimaryKey(nil, image(t, tbl, 1))
		require.NoError(t, err)
		x := s.Txns().Begin(txn.Options{})
		x.BeginStatement("DELETE", false)
		_, ok, err := x.Get(ctx, tbl, key, txn.LockExclusive, txn.Wait)
		require.NoError(t, err)
		require.True(t, ok)
		require.NoError(t, x.Delete(ctx, tbl, key, image(t, tbl, 1)))
		done := make(chan error)
		go func() {
			_, err := x.Commit(ctx)
			done <- err
		}()
		<-reached
		y := s.Txns().Begin(txn.Options{})
		_, ok, err = y.Get(ctx, tbl, key, txn.LockExclusive, txn.NoWait)
		if name == protocol.OneLog {
			require.NoError(t, err)
			require.False(t, ok, "the row is gone for who comes later")
		} else {
			require.ErrorIs(t, err, txn.ErrNoWait)
		}
		y.Rollback()
		end()
		require.NoError(t, <-done)
		require.Zero(t, count(t, s))
	})
}

// A redo log that is gone takes with it what was prepared there. The binary log tells that something is missing.
func TestProtocolWithoutRedoLog(t *testing.T) {
	eachProtocol(t, func(t *testing.T, name protocol.Name) {
		if name == protocol.OneLog {
			return // it has none
		}
		fs := crashfs.New()
		o := Options{Logger: quiet(), FS: fs, CommitProtocol: name}
		s := open(t, o)
		tbl := createTable(t, s)
		require.NoError(t, s.Checkpoint(ctx))
		insert(t, s, tbl, 1)
		left := crashed(fs)
		require.NoError(t, s.Close())
		require.NoError(t, left.RemoveAll("/data/lsm.redo"))
		o.FS = left
		_, err := tryOpen(o)
		require.ErrorIs(t, err, ErrCorrupt)
		require.ErrorContains(t, err, "redo log")
	})
}

// Files of the binary log that recovery needs no more are named by a BINLOG_CHECKPOINT event after a rotation, though the engine
// has made nothing durable, and can be purged. What is in them comes from the redo log.
func TestBinlogCheckpoint(t *testing.T) {
	fs := crashfs.New()
	o := Options{Logger: quiet(), FS: fs, CommitProtocol: protocol.TwoPC, MaxBinlogSize: 1 << 20}
	s := open(t, o)
	tbl := createTable(t, s)
	insert(t, s, tbl, 1, 2, 3)
	durable := s.Engine().Durable()
	require.NoError(t, s.Pipeline().Rotate())
	live := s.Log().End().Segment
	insert(t, s, tbl, 4)
	require.Eventually(t, func() bool { return s.Log().RecoveryStart().Segment == live }, 10*time.Second, time.Millisecond)
	insert(t, s, tbl, 5)
	require.Equal(t, durable, s.Engine().Durable())
	require.Equal(t, s.Log().SegmentName(live), lastCheckpoint(t, s))
	gone, err := s.Log().PurgeTo(live)
	require.NoError(t, err)
	require.NotEmpty(t, gone)
	left := crashed(fs)
	require.NoError(t, s.Close())
	o.FS = left
	s = open(t, o)
	require.EqualValues(t, 5, count(t, s))
}

// A log that was begun anew, with a lower number, has binlog checkpoints again.
func TestCheckpointAfterReset(t *testing.T) {
	s := open(t, Options{Logger: quiet(), FS: crashfs.New(), CommitProtocol: protocol.TwoPC, MaxBinlogSize: 1 << 20})
	tbl := createTable(t, s)
	require.NoError(t, s.ResetLog(ctx, 100, gtid.NewState(), false))
	insert(t, s, tbl, 1)
	require.NoError(t, s.ResetLog(ctx, 1, gtid.NewState(), false))
	insert(t, s, tbl, 2)
	require.NoError(t, s.Pipeline().Rotate())
	insert(t, s, tbl, 3)
	require.Eventually(t, func() bool { return s.Log().RecoveryStart().Segment == 2 }, 10*time.Second, time.Millisecond)
}

// The line in FORMAT is what decides, and a name that nobody knows is refused.
func TestProtocolInFormat(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Logger: quiet(), Dir: dir, CommitProtocol: protocol.TwoPC})
	require.NoError(t, s.Close())
	text, err := os.ReadFile(dir + "/FORMAT")
	require.NoError(t, err)
	require.Contains(t, string(text), "\ncommit-protocol: 2pc\n")
	require.NoError(t, os.WriteFile(dir+"/FORMAT", []byte(strings.Replace(string(text), "2pc", "3pc", 1)), 0o644))
	_, err = tryOpen(Options{Logger: quiet(), Dir: dir})
	require.ErrorIs(t, err, ErrFormat)
	require.ErrorContains(t, err, "3pc")

	dir = t.TempDir()
	s = open(t, Options{Logger: quiet(), Dir: dir})
	require.NoError(t, s.Close())
	text, err = os.ReadFile(dir + "/FORMAT")
	require.NoError(t, err)
	require.NotContains(t, string(text), "protocol")
}

// What a checkpoint takes out of the redo logs is durable elsewhere: in the engine, and in the files of the binary log.
func TestProtocolTrim(t *testing.T) {
	eachProtocol(t, func(t *testing.T, name protocol.Name) {
		fs := crashfs.New()
		o := Options{Logger: quiet(), FS: fs, CommitProtocol: name, MaxBinlogSize: 64 << 10}
		s := open(t, o)
		tbl := createTable(t, s)
		live, rows := s.Log().End().Segment, 0
		for ; s.Log().End().Offset < 50<<10; rows++ {
			insert(t, s, tbl, rows)
		}
		require.Equal(t, live, s.Log().End().Segment, "all of it is in one file")
		require.NoError(t, s.Checkpoint(ctx))
		if name == protocol.Engine { // the one whose redo log has grown into another file
			names, err := fs.List("/data/lsm.redo")
			require.NoError(t, err)
			require.NotContains(t, names, "redo.000001")
		}
		insert(t, s, tbl, rows)
		state := s.Log().StateClone().String()
		left := crashed(fs)
		require.NoError(t, s.Close())
		o.FS = left
		s = open(t, o)
		require.EqualValues(t, rows+1, count(t, s))
		require.Equal(t, state, s.Log().StateClone().String())
	})
}

package store

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/row/rowtest"
	"github.com/duramendb/duramen/txn"
)

// insertMany commits rows n*1000, n*1000+1, ... in one transaction.
func insertMany(s *Store, tbl *catalog.Table, n, rows int) error {
	x := s.Txns().Begin(txn.Options{})
	x.BeginStatement("INSERT", false)
	for i := range rows {
		id := n*1000 + i
		image, err := row.Encode(nil, tbl.Columns, []any{id, id % 7, id * 10})
		if err == nil {
			err = x.Insert(ctx, tbl, image)
		}
		if err != nil {
			x.Rollback()
			return err
		}
		if i == rows/2 {
			x.EndStatement()
			x.Savepoint("s")
			x.BeginStatement("INSERT", false)
		}
	}
	_, err := x.Commit(ctx)
	return err
}

// A crash at any operation of the file system while large and small transactions are
// committed, with checkpoints in between: each is there completely if it was
// acknowledged, and completely or not at all otherwise.
func TestLargeTransactionCrash(t *testing.T) {
	for seed := range uint64(2) {
		for k, done := uint64(0), false; !done; k += 5 {
			fs := crashfs.New()
			rng := rand.New(rand.NewPCG(seed, k))
			o := Options{FS: fs, BinlogCacheSize: 200, LargeCommitThreshold: 800, WriteSetMemory: 1500,
				Logger: slog.New(slog.DiscardHandler)}
			var mu sync.Mutex
			var after *crashfs.FS // as found after the crash; the store goes on, and nobody cares
			armed := false        // the operations count
			n, acked, loss := uint64(0), 1, crashfs.RandomLoss(rng)
			sizes, ackedAtCrash := []int{1: 2, 2: 60, 3: 2, 4: 90, 5: 1}, 0
			fs.SetHook(func(op crashfs.Op) error {
				mu.Lock()
				defer mu.Unlock()
				if !armed {
					return nil
				}
				if n++; n > k+seed && after == nil {
					after, ackedAtCrash = fs.Crash(loss, rng), acked
				}
				return nil
			})
			s, err := tryOpen(o)
			require.NoError(t, err)
			tbl := createTable(t, s)
			require.NoError(t, insertMany(s, tbl, 1, 2))
			mu.Lock()
			armed = true
			mu.Unlock()
			for i := 2; i < len(sizes); i++ {
				require.NoError(t, insertMany(s, tbl, i, sizes[i]))
				mu.Lock()
				acked = i
				mu.Unlock()
				if i == 4 {
					require.NoError(t, s.Checkpoint(ctx))
				}
			}
			mu.Lock()
			if done = after == nil; done {
				after, ackedAtCrash = fs.Crash(loss, rng), acked
			}
			mu.Unlock()
			verifyLarge(t, after, o, sizes, ackedAtCrash, fmt.Sprintf("seed %d, operation %d", seed, k))
			require.NoError(t, s.Close())
		}
	}
}

func verifyLarge(t *testing.T, fs *crashfs.FS, o Options, sizes []int, acked int, where string) {
	o.FS = fs
	s, err := tryOpen(o)
	require.NoError(t, err, where)
	defer func() { require.NoError(t, s.Close(), where) }()
	tbl := s.Catalog().Current().Table("test", "t")
	require.NotNil(t, tbl, where)
	counts := make([]int, len(sizes))
	x := s.Txns().Begin(txn.Options{})
	cursor, err := x.Scan(ctx, txn.ScanSpec{Table: tbl, Index: -1})
	require.NoError(t, err)
	for cursor.Next() {
		vals, err := rowtest.Decode(tbl.Columns, cursor.Image())
		require.NoError(t, err)
		counts[vals[0].(int64)/1000]++
	}
	require.NoError(t, errors.Join(cursor.Err(), cursor.Close()), where)
	x.Rollback()
	for i := 1; i < len(sizes); i++ {
		if i <= acked || counts[i] > 0 {
			require.Equal(t, sizes[i], counts[i], "%s: transaction %d of %d acknowledged", where, i, acked)
		}
	}
	results, err := s.CheckAll(ctx)
	require.NoError(t, err, where)
	for _, r := range results {
		require.True(t, r.OK(), "%s: %v", where, r.Problems)
	}
	names, err := fs.List("/data/tmp")
	require.NoError(t, err)
	require.Empty(t, names, where)
	require.NoError(t, insertMany(s, tbl, 9, 50), where)
}

// Large and small transactions count in one row: each builds on the one before it, whose place in the
// log may just have been fixed.
func TestLargeTransactionsInOrder(t *testing.T) {
	fs := crashfs.New()
	fs.SetHook(func(op crashfs.Op) error { // a sync takes time enough for others to queue
		for i := 0; op.Kind == crashfs.Sync && i < 300; i++ {
			runtime.Gosched()
		}
		return nil
	})
	o := Options{FS: fs, BinlogCacheSize: 200, LargeCommitThreshold: 800, WriteSetMemory: 1500, Engines: []engine.Kind{lsm.Kind{CacheBytes: 1 << 20, MemTableBytes: 64 << 10}},
		Logger: slog.New(slog.DiscardHandler)}
	s := open(t, o)
	tbl := createTable(t, s)
	require.NoError(t, insertMany(s, tbl, 0, 1))
	key, err := tbl.PrimaryKey(nil, image(t, tbl, 0))
	require.NoError(t, err)
	const workers, rounds = 6, 40
	count := func(w, n int) error {
		x := s.Txns().Begin(txn.Options{})
		defer x.Rollback()
		if w < 2 { // large
			for i := range 30 {
				id := 10_000*(w+1) + 30*n + i
				if err := x.Insert(ctx, tbl, image(t, tbl, id)); err != nil {
					return err
				}
			}
		}
		before, ok, err := x.Get(ctx, tbl, key, txn.LockExclusive, txn.Wait)
		if err != nil || !ok {
			return fmt.Errorf("the row is there: %v (%w)", ok, err)
		}
		vals, err := rowtest.Decode(tbl.Columns, before)
		if err != nil {
			return err
		}
		if err := x.Update(ctx, tbl, key, before, encode(t, tbl, []any{0, vals[1].(int64) + 1, 0})); err != nil {
			return err
		}
		_, err = x.Commit(ctx)
		return err
	}
	errs := make(chan error, workers)
	for w := range workers {
		go func() {
			for n := range rounds {
				if err := count(w, n); err != nil {
					errs <- fmt.Errorf("worker %d, round %d: %w", w, n, err)
					return
				}
			}
			errs <- nil
		}()
	}
	for range workers {
		require.NoError(t, <-errs)
	}
	require.GreaterOrEqual(t, s.Txns().Stats().LargeCommits, uint64(2*rounds))
	check := func(s *Store) {
		x := s.Txns().Begin(txn.Options{})
		defer x.Rollback()
		got, ok, err := x.Get(ctx, tbl, key, txn.Snapshot, txn.Wait)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, encode(t, tbl, []any{0, workers * rounds, 0}), got)
	}
	check(s)
	o.FS = fs.Crash(crashfs.KeepAll, rand.New(rand.NewPCG(1, 1)))
	check(open(t, o))
}

// TestLargeOutOfOrder: in strict mode a large transaction is refused like others whose sequence number is not after the last one of its domain, and
// leaves nothing. One that is not refused takes its number, which the next one follows.
func TestLargeOutOfOrder(t *testing.T) {
	o := Options{FS: crashfs.New(), BinlogCacheSize: 200, LargeCommitThreshold: 800, WriteSetMemory: 1500, Engines: []engine.Kind{lsm.Kind{}}, Logger: slog.New(slog.DiscardHandler)}
	s := open(t, o)
	tbl := createTable(t, s)
	next := 0
	large := func(seq uint64) (txn.CommitInfo, error) {
		x := s.Txns().Begin(txn.Options{ServerID: 9})
		x.SetSeqNo(seq, true)
		for range 30 {
			next++
			require.NoError(t, x.Insert(ctx, tbl, image(t, tbl, next)))
		}
		return x.Commit(ctx)
	}
	_, err := large(100)
	require.NoError(t, err)
	for _, seq := range []uint64{100, 7} {
		before := next
		_, err = large(seq)
		var order *commit.OutOfOrderError
		require.ErrorAs(t, err, &order)
		require.Equal(t, gtid.GTID{Server: 9, Seq: seq}, order.GTID)
		require.Equal(t, gtid.GTID{Server: 9, Seq: 100}, order.Last)
		next = before // none of its rows is there
	}
	info, err := large(101)
	require.NoError(t, err)
	require.EqualValues(t, 101, info.GTID.Seq)
	require.EqualValues(t, 2, s.Txns().Stats().LargeCommits, "those that were refused do not count")
	require.NoError(t, insertMany(s, tbl, next+1, 1))
	require.EqualValues(t, 102, s.Log().StateClone().MaxSeq(0))
}

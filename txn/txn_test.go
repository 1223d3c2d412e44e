package txn

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
)

var ctx = context.Background()

func r(vals ...any) []any { return vals }

func rows(rs ...[]any) [][]any { return rs }

func i64(v int) any { return int64(v) }

func acc(id, k int, u any) []any { return r(i64(id), i64(k), u) }

func TestCommitMakesVisible(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	a := h.begin(Options{ServerID: 7})
	h.insert(a, tbl, acc(1, 10, "x")...)
	h.insert(a, tbl, acc(2, 20, nil)...)
	h.insert(a, tbl, acc(3, 20, nil)...)
	require.Equal(t, acc(1, 10, "x"), h.get(a, tbl, 1, Snapshot), "own write")
	b := h.m.Begin(Options{})
	require.Nil(t, h.get(b, tbl, 1, Snapshot))
	b.Rollback()
	info := h.commit(a)
	require.Equal(t, uint32(7), info.GTID.Server)
	require.Equal(t, rows(acc(1, 10, "x"), acc(2, 20, nil), acc(3, 20, nil)), h.table(tbl))
	h.restart()
	require.Equal(t, rows(acc(1, 10, "x"), acc(2, 20, nil), acc(3, 20, nil)), h.table(h.reg.Current().Table("test", "accounts")))
}

func TestReadOnlyDoesNotCommit(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	n := len(h.p.mu.requests)
	a := h.m.Begin(Options{ReadOnly: true})
	require.Nil(t, h.get(a, tbl, 1, Snapshot))
	require.ErrorIs(t, a.Insert(ctx, tbl, image(t, tbl, acc(1, 1, nil)...)), ErrReadOnly)
	require.Equal(t, CommitInfo{}, h.commit(a))
	b := h.begin(Options{})
	require.Nil(t, h.get(b, tbl, 1, LockExclusive))
	require.Equal(t, CommitInfo{}, h.commit(b))
	require.Len(t, h.p.mu.requests, n)
	_, err := b.Commit(ctx)
	require.ErrorIs(t, err, ErrFinished)
	b.Rollback()
}

func TestIsolationLevels(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 10, nil), acc(2, 20, nil))
	rr := h.begin(Options{})
	rc := h.begin(Options{Isolation: ReadCommitted})
	ser := h.begin(Options{Isolation: Serializable})
	for _, x := range []*Txn{rr, rc} {
		require.Equal(t, acc(1, 10, nil), h.get(x, tbl, 1, Snapshot))
	}
	require.Equal(t, acc(2, 20, nil), h.get(ser, tbl, 2, Snapshot))

	w := h.begin(Options{LockWaitTimeout: time.Millisecond})
	h.update(w, tbl, 1, acc(1, 11, nil)...)
	require.ErrorIs(t, h.tryUpdate(w, tbl, 2, acc(2, 21, nil)...), ErrLockWaitTimeout, "serializable reads lock")
	h.commit(w)

	require.Equal(t, acc(1, 10, nil), h.get(rr, tbl, 1, Snapshot))
	require.Equal(t, acc(1, 10, nil), h.get(rc, tbl, 1, Snapshot), "same statement")
	require.Equal(t, acc(1, 11, nil), h.get(rr, tbl, 1, LockShared), "locking reads see the latest")
	rr.EndStatement()
	rc.EndStatement()
	require.Equal(t, acc(1, 10, nil), h.get(rr, tbl, 1, Snapshot))
	require.Equal(t, acc(1, 11, nil), h.get(rc, tbl, 1, Snapshot))
	for _, x := range []*Txn{rr, rc, ser} {
		x.Rollback()
	}
}

func TestDuplicateKeys(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 10, "a"), acc(2, 20, "b"), acc(3, 30, nil))
	a := h.begin(Options{})
	var dup *DuplicateKeyError

	err := a.Insert(ctx, tbl, image(t, tbl, acc(1, 5, "z")...))
	require.ErrorAs(t, err, &dup)
	require.Equal(t, -1, dup.Index)
	require.Equal(t, acc(1, 10, "a"), values(t, tbl, dup.Existing))

	err = a.Insert(ctx, tbl, image(t, tbl, acc(9, 5, "b")...))
	require.ErrorAs(t, err, &dup)
	require.Equal(t, byU, dup.Index)
	require.Equal(t, acc(2, 20, "b"), values(t, tbl, dup.Existing))
	require.Equal(t, rowKey(t, tbl, 2), dup.RowKey)
	// ON DUPLICATE KEY UPDATE
	require.NoError(t, a.Update(ctx, tbl, dup.RowKey, dup.Existing, image(t, tbl, acc(2, 21, "b")...)))

	require.ErrorAs(t, h.tryUpdate(a, tbl, 3, acc(1, 30, nil)...), &dup, "primary key moves onto another row")
	require.ErrorAs(t, h.tryUpdate(a, tbl, 3, acc(3, 30, "a")...), &dup)
	h.update(a, tbl, 1, acc(4, 10, "a")...) // moves, keeps its unique key
	h.insert(a, tbl, acc(1, 0, nil)...)     // the old primary key is free now
	h.update(a, tbl, 4, acc(4, 10, "c")...)
	h.insert(a, tbl, acc(5, 0, "a")...) // and the old unique key
	h.delete(a, tbl, 2)
	h.insert(a, tbl, acc(6, 0, "b")...)
	want := rows(acc(1, 0, nil), acc(3, 30, nil), acc(4, 10, "c"), acc(5, 0, "a"), acc(6, 0, "b"))
	require.Equal(t, want, h.scan(a, tbl, -1, Snapshot))
	require.ElementsMatch(t, want, h.scan(a, tbl, byU, Snapshot))
	require.ElementsMatch(t, want, h.scan(a, tbl, byK, LockExclusive))
	h.commit(a)
	require.Equal(t, want, h.table(tbl))
}

func TestUniqueKeyOfUncommittedDelete(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 10, "a"))
	a := h.begin(Options{})
	h.delete(a, tbl, 1)
	b := h.begin(Options{LockWaitTimeout: time.Millisecond})
	require.ErrorIs(t, b.Insert(ctx, tbl, image(t, tbl, acc(2, 0, "a")...)), ErrLockWaitTimeout)
	a.Rollback()
	var dup *DuplicateKeyError
	require.ErrorAs(t, b.Insert(ctx, tbl, image(t, tbl, acc(2, 0, "a")...)), &dup)
	b.Rollback()
}

func TestRowChanged(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 10, nil), acc(2, 20, nil))
	a := h.begin(Options{})
	before, _, err := a.Get(ctx, tbl, rowKey(t, tbl, 1), Snapshot, Wait)
	require.NoError(t, err)
	gone, _, err := a.Get(ctx, tbl, rowKey(t, tbl, 2), Snapshot, Wait)
	require.NoError(t, err)
	b := h.begin(Options{})
	h.update(b, tbl, 1, acc(1, 11, nil)...)
	h.delete(b, tbl, 2)
	h.commit(b)

	after := image(t, tbl, acc(1, 12, nil)...)
	require.ErrorIs(t, a.Update(ctx, tbl, rowKey(t, tbl, 1), before, after), ErrRowChanged)
	require.ErrorIs(t, a.Delete(ctx, tbl, rowKey(t, tbl, 2), gone), ErrRowChanged)
	a.RollbackStatement()
	a.BeginStatement("", false)
	// The lock is kept: nobody can come in between now.
	c := h.begin(Options{LockWaitTimeout: time.Millisecond})
	require.ErrorIs(t, h.tryUpdate(c, tbl, 1, acc(1, 13, nil)...), ErrLockWaitTimeout)
	c.Rollback()
	require.NoError(t, a.Update(ctx, tbl, rowKey(t, tbl, 1), nil, after), "no image is needed for a row locked before")
	h.commit(a)
	require.Equal(t, rows(acc(1, 12, nil)), h.table(tbl))

	d := h.begin(Options{})
	require.ErrorIs(t, d.Update(ctx, tbl, rowKey(t, tbl, 1), nil, after), ErrRowChanged, "not locked before")
	d.Rollback()
}

func TestStatementsAndSavepoints(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 1, "a"))
	a := h.m.Begin(Options{})
	a.BeginStatement("one", true)
	h.insert(a, tbl, acc(2, 2, "b")...)
	a.EndStatement()
	a.Savepoint("S1")
	a.BeginStatement("two", true)
	h.update(a, tbl, 1, acc(1, 7, "x")...)
	h.delete(a, tbl, 2)
	h.insert(a, tbl, acc(3, 3, "a")...)
	a.RollbackStatement()
	require.Equal(t, rows(acc(1, 1, "a"), acc(2, 2, "b")), h.scan(a, tbl, -1, Snapshot))
	a.BeginStatement("three", true)
	h.delete(a, tbl, 1)
	a.EndStatement()
	a.Savepoint("s2")
	a.BeginStatement("four", true)
	h.insert(a, tbl, acc(4, 4, nil)...)
	a.EndStatement()
	require.NoError(t, a.RollbackTo("S2"))
	require.Equal(t, rows(acc(2, 2, "b")), h.scan(a, tbl, -1, Snapshot))
	require.NoError(t, a.RollbackTo("s1"))
	require.ErrorIs(t, a.RollbackTo("s2"), ErrNoSavepoint)
	require.NoError(t, a.Release("s1"))
	require.ErrorIs(t, a.Release("s1"), ErrNoSavepoint)
	a.BeginStatement("five", true)
	h.insert(a, tbl, acc(5, 5, "e")...)
	a.EndStatement()
	h.commit(a)
	require.Equal(t, rows(acc(1, 1, "a"), acc(2, 2, "b"), acc(5, 5, "e")), h.table(tbl))
	require.Equal(t, []string{"Annotate_rows one", "Table_map", "Write_rows_v1 2 end", "Annotate_rows five", "Table_map", "Write_rows_v1 5 end", "Xid"}, describe(t, tbl, h.p.last().Events))

	b := h.begin(Options{})
	h.insert(b, tbl, acc(6, 6, nil)...)
	b.RollbackStatement()
	require.False(t, b.Changed())
	require.Equal(t, CommitInfo{}, h.commit(b))
}

func TestRefusedCommitRollsBack(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	a := h.begin(Options{})
	h.insert(a, tbl, acc(1, 1, nil)...)
	full := errors.New("disk full")
	h.p.mu.refuse = full
	_, err := a.Commit(ctx)
	require.ErrorIs(t, err, full)
	require.Empty(t, h.table(tbl))
	b := h.begin(Options{LockWaitTimeout: -1})
	h.insert(b, tbl, acc(1, 1, nil)...)
	h.commit(b)
}

// A row is handed to the next writer when its place in the log is fixed;
// readers see it when it is applied.
func TestEarlyLockRelease(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 10, "a"), acc(2, 20, "b"))
	release := h.p.hold()
	var done []chan error
	commit := func(x *Txn) {
		ch := make(chan error, 1)
		done = append(done, ch)
		sequenced := h.m.sequenced.Load()
		go func() { _, err := x.Commit(ctx); ch <- err }()
		require.Eventually(t, func() bool { return h.m.sequenced.Load() > sequenced }, 10*time.Second, time.Millisecond)
	}
	a := h.begin(Options{})
	h.update(a, tbl, 1, acc(1, 11, "a")...)
	h.delete(a, tbl, 2)
	commit(a)
	b := h.begin(Options{LockWaitTimeout: -1})
	require.Equal(t, acc(1, 10, "a"), h.get(b, tbl, 1, Snapshot))
	require.Equal(t, rows(acc(1, 10, "a"), acc(2, 20, "b")), h.scan(b, tbl, byU, Snapshot))
	require.Equal(t, rows(acc(1, 11, "a")), h.scan(b, tbl, -1, LockExclusive))
	require.Equal(t, rows(acc(1, 11, "a")), h.scan(b, tbl, byK, Latest))
	h.update(b, tbl, 1, acc(1, 12, "b")...) // the unique key of the deleted row is free
	h.insert(b, tbl, acc(2, 0, "a")...)
	commit(b)
	c := h.begin(Options{})
	require.Equal(t, rows(acc(1, 12, "b"), acc(2, 0, "a")), h.scan(c, tbl, -1, Latest))
	require.Equal(t, rows(acc(2, 0, "a"), acc(1, 12, "b")), h.scan(c, tbl, byU, LockShared))
	c.Rollback()
	release()
	for _, ch := range done {
		require.NoError(t, <-ch)
	}
	require.Equal(t, rows(acc(1, 12, "b"), acc(2, 0, "a")), h.table(tbl))
}

// What a locking read has seen of a commit that is not applied yet may leave
// the server only after that.
func TestAwaitVisible(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 1, nil), acc(2, 2, nil), acc(3, 3, nil))
	release := h.p.hold()
	a := h.begin(Options{})
	h.update(a, tbl, 1, acc(1, 10, nil)...)
	h.delete(a, tbl, 3)
	done := make(chan error, 1)
	go func() { _, err := a.Commit(ctx); done <- err }()
	require.Eventually(t, func() bool { return h.m.Stats().Pending == 1 }, 30*time.Second, time.Millisecond)
	expired, cancel := context.WithCancel(ctx)
	cancel()
	key := rowKey(t, tbl, 3)
	for name, c := range map[string]struct {
		read  func(x *Txn)
		waits bool
	}{
		"nothing":                {func(*Txn) {}, false},
		"plain read":             {func(x *Txn) { h.scan(x, tbl, byK, Snapshot) }, false},
		"another row":            {func(x *Txn) { h.get(x, tbl, 2, LockShared) }, false},
		"the row":                {func(x *Txn) { h.get(x, tbl, 1, LockShared) }, true},
		"the row, unlocked":      {func(x *Txn) { h.get(x, tbl, 1, Latest) }, true},
		"a deleted row":          {func(x *Txn) { h.get(x, tbl, 3, LockShared) }, true},
		"scan":                   {func(x *Txn) { h.scan(x, tbl, -1, LockShared) }, true},
		"scan of an index":       {func(x *Txn) { h.scan(x, tbl, byK, Latest) }, true},
		"scan that finds no row": {func(x *Txn) { h.scanSpec(x, ScanSpec{Table: tbl, Index: -1, Lower: key, Mode: LockShared}) }, true},
	} {
		x := h.begin(Options{})
		c.read(x)
		err := x.AwaitVisible(expired)
		if c.waits {
			require.ErrorIs(t, err, context.Canceled, name)
		} else {
			require.NoError(t, err, name)
		}
		x.Rollback()
	}
	b := h.begin(Options{})
	require.Equal(t, acc(1, 10, nil), h.get(b, tbl, 1, LockShared))
	visible := make(chan error, 1)
	go func() { visible <- b.AwaitVisible(ctx) }()
	release()
	require.NoError(t, <-visible)
	require.NoError(t, b.AwaitVisible(expired), "asked for once")
	b.Rollback()
	require.NoError(t, <-done)
}

// Two transactions that take the same name without a metadata lock: the second
// one to commit fails, and the server goes on.
func TestCatalogConflict(t *testing.T) {
	h := newHarness(t)
	first, second := h.m.Begin(Options{}), h.m.Begin(Options{})
	for _, x := range []*Txn{first, second} {
		def := accounts()
		def.ID = x.NewTableID()
		require.NoError(t, x.ChangeCatalog(catalog.Change{Tables: []*catalog.TableDef{def}}))
	}
	h.commit(first)
	_, err := second.Commit(ctx)
	require.ErrorIs(t, err, catalog.ErrExists)
	require.Len(t, h.reg.Current().AllTables(), 1)
}

func TestScanRanges(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	for _, id := range []int{10, 20, 30, 40} {
		h.load(tbl, acc(id, -id, nil))
	}
	a := h.begin(Options{})
	defer a.Rollback()
	h.insert(a, tbl, acc(25, -25, nil)...)
	h.delete(a, tbl, 30)
	h.insert(a, tbl, acc(50, -50, nil)...)
	h.insert(a, tbl, acc(5, -5, nil)...)
	ids := func(spec ScanSpec) (out []int) {
		spec.Table, spec.Mode = tbl, Snapshot
		forward := h.scanSpec(a, spec)
		for _, x := range forward {
			out = append(out, int(x[0].(int64)))
		}
		spec.Reverse = true
		backward := h.scanSpec(a, spec)
		require.Len(t, backward, len(forward))
		for i := range forward {
			require.Equal(t, forward[i], backward[len(backward)-1-i])
		}
		spec.Reverse, spec.Mode = false, LockExclusive
		require.Equal(t, forward, h.scanSpec(a, spec))
		return out
	}
	key := func(id int) []byte { return rowKey(t, tbl, id) }
	require.Equal(t, []int{5, 10, 20, 25, 40, 50}, ids(ScanSpec{Index: -1}))
	require.Equal(t, []int{20, 25, 40}, ids(ScanSpec{Index: -1, Lower: key(20), Upper: key(50)}))
	require.Equal(t, []int{50}, ids(ScanSpec{Index: -1, Lower: key(41)}))
	require.Equal(t, []int{5, 10}, ids(ScanSpec{Index: -1, Upper: key(20)}))
	require.Empty(t, ids(ScanSpec{Index: -1, Lower: key(26), Upper: key(40)}))
	require.Empty(t, ids(ScanSpec{Index: -1, Lower: key(40), Upper: key(20)}))
	require.Equal(t, []int{50, 40, 25, 20, 10, 5}, ids(ScanSpec{Index: byK}))
}

func TestCursorDoesNotMeetItsOwnWrites(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 1, nil), acc(2, 2, nil), acc(3, 3, nil))
	for _, index := range []int{-1, byK} {
		a := h.begin(Options{})
		c, err := a.Scan(ctx, ScanSpec{Table: tbl, Index: index, Mode: LockExclusive})
		require.NoError(t, err)
		n := 0
		for c.Next() {
			v := values(t, tbl, c.Image())
			require.NoError(t, a.Update(ctx, tbl, c.RowKey(), c.Image(), image(t, tbl, i64(int(v[0].(int64))+10), i64(int(v[1].(int64))+10), nil)))
			n++
		}
		require.NoError(t, errors.Join(c.Err(), c.Close()))
		require.Equal(t, 3, n)
		require.Equal(t, rows(acc(11, 11, nil), acc(12, 12, nil), acc(13, 13, nil)), h.scan(a, tbl, byK, Snapshot))
		a.Rollback()
	}
}

// The read view has an index entry that the transaction has taken over, or
// that belongs to a row which the transaction has changed.
func TestOldViewWithOwnWrites(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 10, "a"), acc(2, 20, "b"), acc(3, 30, "c"))
	a := h.begin(Options{})
	require.Len(t, h.scan(a, tbl, -1, Snapshot), 3)
	b := h.begin(Options{})
	h.update(b, tbl, 1, acc(1, 11, "x")...)
	h.delete(b, tbl, 2)
	h.commit(b)
	h.update(a, tbl, 1, acc(1, 12, "y")...) // the view has k=10 and u="a" for it
	h.insert(a, tbl, acc(4, 40, "b")...)    // the view has this key for row 2
	h.update(a, tbl, 3, acc(3, 31, "a")...)
	want := rows(acc(1, 12, "y"), acc(2, 20, "b"), acc(3, 31, "a"), acc(4, 40, "b"))
	require.Equal(t, want, h.scan(a, tbl, -1, Snapshot))
	require.ElementsMatch(t, want, h.scan(a, tbl, byK, Snapshot))
	require.ElementsMatch(t, want, h.scan(a, tbl, byU, Snapshot))
	latest := rows(acc(1, 12, "y"), acc(3, 31, "a"), acc(4, 40, "b"))
	require.ElementsMatch(t, latest, h.scan(a, tbl, byU, Latest))
	h.commit(a)
	require.Equal(t, latest, h.table(tbl))
}

func TestKeyless(t *testing.T) {
	h := newHarness(t)
	def := accounts()
	def.Primary = nil
	tbl := h.create(def)
	h.load(tbl, acc(1, 1, "a"), acc(1, 1, nil), acc(1, 1, nil))
	a := h.begin(Options{})
	c, err := a.Scan(ctx, ScanSpec{Table: tbl, Index: byK, Mode: LockExclusive})
	require.NoError(t, err)
	require.True(t, c.Next())
	require.NoError(t, a.Update(ctx, tbl, c.RowKey(), c.Image(), image(t, tbl, acc(2, 2, "b")...)))
	require.True(t, c.Next())
	require.NoError(t, a.Delete(ctx, tbl, c.RowKey(), c.Image()))
	require.NoError(t, c.Close())
	h.insert(a, tbl, acc(3, 3, "a")...)
	h.commit(a)
	require.Equal(t, rows(acc(2, 2, "b"), acc(1, 1, nil), acc(3, 3, "a")), h.table(tbl))
	require.Equal(t, []string{"Table_map", "Update_rows_v1 1>2", "ids 1", "Delete_rows_v1 1", "ids 2", "Write_rows_v1 3 end", "ids 4", "Xid"},
		describe(t, tbl, h.p.last().Events))
	h.restart()
	tbl = h.reg.Current().TableByID(tbl.ID())
	h.load(tbl, acc(4, 4, nil))
	require.Len(t, h.table(tbl), 4)
}

func TestTableChangedSinceView(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	a := h.begin(Options{})
	require.Nil(t, h.get(a, tbl, 1, Snapshot))
	other := h.create(&catalog.TableDef{DB: "test", Name: "other", Columns: []catalog.ColumnDef{intColumn("id")}, Primary: []catalog.IndexPart{{Column: 0}}})
	_, _, err := a.Get(ctx, other, rowKey(t, other, 1), Snapshot, Wait)
	require.ErrorIs(t, err, ErrTableChanged)
	_, err = a.Scan(ctx, ScanSpec{Table: other, Index: -1})
	require.ErrorIs(t, err, ErrTableChanged)
	require.Nil(t, h.get(a, other, 1, LockShared))
	a.Rollback()
}

func TestLocalOnlyAndFlags(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	require.Equal(t, event.FLDDL|event.FLStandalone|event.FLAllowParallel, h.p.last().Flags)
	a := h.begin(Options{SkipBinlog: true})
	h.insert(a, tbl, acc(1, 1, nil)...)
	h.commit(a)
	require.True(t, h.p.last().LocalOnly)

	a, b := h.begin(Options{}), h.begin(Options{})
	h.update(a, tbl, 1, acc(1, 2, nil)...)
	done := make(chan error)
	waits := h.m.Stats().LockWaits
	go func() { done <- h.tryUpdate(b, tbl, 1, acc(1, 3, nil)...) }()
	require.Eventually(t, func() bool { return h.m.Stats().LockWaits > waits }, 10*time.Second, time.Millisecond)
	h.commit(a)
	require.Equal(t, event.FLTransactional|event.FLAllowParallel, h.p.last().Flags)
	require.NoError(t, <-done)
	h.commit(b)
	require.Equal(t, event.FLTransactional|event.FLAllowParallel|event.FLWaited, h.p.last().Flags)
	require.Equal(t, rows(acc(1, 3, nil)), h.table(tbl))
}

package txn

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/txn/lock"
)

// A transaction tells how many rows it has locked and changed, rollbacks taken into account.
func TestInfo(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	x := h.begin(Options{ThreadID: 7, Isolation: ReadCommitted})
	info := x.Info()
	require.False(t, info.Used)
	require.Equal(t, uint32(7), info.Thread)
	require.Equal(t, ReadCommitted, info.Isolation)
	h.insert(x, tbl, acc(1, 1, nil)...)
	x.Savepoint("s")
	h.insert(x, tbl, acc(2, 2, nil)...)
	require.Equal(t, 2, x.Info().RowsModified)
	require.NoError(t, x.RollbackTo("s"))
	require.Equal(t, 1, x.Info().RowsModified)
	x.BeginStatement("again", false)
	h.insert(x, tbl, acc(3, 3, nil)...)
	x.RollbackStatement()
	info = x.Info()
	require.Equal(t, 1, info.RowsModified)
	require.Equal(t, x.LockCount(), info.RowsLocked)
	require.True(t, info.Used)
	x.Rollback()
}

// A deadlock names statements, tables and rows.
func TestDeadlockIsDescribed(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 1, nil))
	a, b := h.begin(Options{ThreadID: 1}), h.begin(Options{ThreadID: 2})
	require.NoError(t, a.LockTable(ctx, "test", "Accounts", IntentShared))
	h.update(b, tbl, 1, acc(1, 2, nil)...)
	a.BeginStatement("update the row", false)
	done := make(chan error)
	go func() { done <- h.tryUpdate(a, tbl, 1, acc(1, 3, nil)...) }()
	require.Eventually(t, func() bool { return len(h.m.Waits()) == 1 }, 30*time.Second, time.Millisecond)
	b.BeginStatement("lock the table", false)
	require.ErrorIs(t, b.LockTable(ctx, "test", "accounts", Exclusive), ErrDeadlock)
	b.Rollback()
	require.NoError(t, <-done)
	a.Rollback()

	d := h.m.LastDeadlock()
	require.Len(t, d.Waits, 2)
	victim, other := d.Waits[0], d.Waits[1]
	require.Equal(t, lock.Party{ID: b.ID(), Thread: 2, Mode: Exclusive}, victim.Party)
	require.Equal(t, "lock the table", victim.Statement)
	require.Equal(t, Locked{Name: true, DB: "test", Table: "accounts"}, h.m.DescribeLock(victim.Key))
	require.Equal(t, lock.Party{ID: a.ID(), Thread: 1, Mode: Exclusive}, other.Party)
	require.Equal(t, "update the row", other.Statement)
	require.Equal(t, Locked{DB: "test", Table: tbl.Def.Name, TableID: tbl.ID(), Index: "PRIMARY", Key: "1"}, h.m.DescribeLock(other.Key))
	require.Equal(t, []lock.Party{{ID: b.ID(), Thread: 2, Mode: Exclusive}}, other.Blockers)
}

package txn

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// commitLater commits in the background, and returns when the transaction has its place in the log.
func (h *harness) commitLater(t *Txn) <-chan error {
	h.Helper()
	before := h.m.Stats().Pending
	done := make(chan error, 1)
	go func() {
		_, err := t.Commit(context.Background())
		done <- err
	}()
	require.Eventually(h, func() bool { return h.m.Stats().Pending == before+1 }, waitMax, waitTick)
	return done
}

// setting updates column k of a row in a transaction of its own.
func (h *harness) setting(id, k int) *Txn {
	t := h.begin(Options{})
	h.update(t, h.reg.Current().Table("test", "accounts"), id, id, k, "u")
	return t
}

// Of three transactions that build on each other the last two lose their places: what the first one wrote is the newest
// version again, and whoever read what the others wrote cannot commit.
func TestLostSuffix(t *testing.T) {
	for name, layerMin := range map[string]int{"in one tree": layerMin, "in layers": 1} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			h.m.pending.layerMin = layerMin
			tbl := h.create(accounts())
			h.load(tbl, []any{1, 0, "u"})
			release := h.p.hold()
			first := h.commitLater(h.setting(1, 10))
			early := h.setting(1, 11) // it has read the row of the first
			before := h.begin(Options{})
			require.Equal(t, []any{int64(1), int64(10), "u"}, h.get(before, tbl, 1, Latest))
			second := h.commitLater(early)
			third := h.commitLater(h.setting(1, 12))
			reader := h.begin(Options{})
			require.Equal(t, []any{int64(1), int64(12), "u"}, h.get(reader, tbl, 1, LockExclusive))
			h.update(reader, tbl, 1, 1, 13, "u")
			waiting := make(chan error, 1)
			go func() { waiting <- reader.AwaitVisible(context.Background()) }()

			h.p.lose(2)
			require.ErrorIs(t, <-waiting, ErrLost)
			require.EqualValues(t, 1, h.m.Stats().Pending)
			_, err := reader.Commit(context.Background())
			require.ErrorIs(t, err, ErrLost)

			again := h.setting(1, 20) // the locks are free
			require.Equal(t, []any{int64(1), int64(20), "u"}, h.get(again, tbl, 1, Latest))
			fresh := h.begin(Options{})
			require.Equal(t, []any{int64(1), int64(10), "u"}, h.get(fresh, tbl, 1, Latest))
			release()
			require.NoError(t, <-first)
			require.ErrorIs(t, <-second, ErrLost)
			require.ErrorIs(t, <-third, ErrLost)
			require.NoError(t, fresh.AwaitVisible(context.Background()), "it has read nothing that was lost")
			require.NoError(t, before.AwaitVisible(context.Background()))
			fresh.Rollback()
			before.Rollback()
			h.commit(again)
			require.Equal(t, [][]any{{int64(1), int64(20), "u"}}, h.table(tbl))
		})
	}
}

// A scan that was opened on rows that are lost meanwhile looks again, and returns what is there now.
func TestLostUnderScan(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, []any{1, 5, "u"})
	release := h.p.hold()
	changed := h.commitLater(h.setting(1, 500))
	x := h.begin(Options{})
	c, err := x.Scan(context.Background(), ScanSpec{Table: tbl, Index: -1, Mode: LockExclusive})
	require.NoError(t, err)
	h.p.lose(1)
	require.True(t, c.Next())
	require.Equal(t, []any{int64(1), int64(5), "u"}, values(t, tbl, c.Image()))
	require.NoError(t, c.Close())
	x.Rollback()
	release()
	require.ErrorIs(t, <-changed, ErrLost)
}

// A scan whose row goes back to another place of the index while it looks runs again.
func TestLostMove(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, []any{1, 5, "u"})
	release := h.p.hold()
	moved := h.commitLater(h.setting(1, 500))
	x := h.begin(Options{})
	c, err := x.Scan(context.Background(), ScanSpec{Table: tbl, Index: byK, Mode: LockExclusive})
	require.NoError(t, err)
	h.p.lose(1)
	require.False(t, c.Next())
	require.ErrorIs(t, c.Err(), ErrRowChanged)
	require.NoError(t, c.Close())
	x.Rollback()
	release()
	require.ErrorIs(t, <-moved, ErrLost)
	require.Equal(t, [][]any{{int64(1), int64(5), "u"}}, h.table(tbl))
}

// Large transactions hold their locks until they are applied, or lost.
func TestLostLarge(t *testing.T) {
	h := newSpillingHarness(t)
	tbl := h.create(accounts())
	release := h.p.hold()
	big := h.begin(Options{})
	for id := range 200 {
		h.insert(big, tbl, id, id, nil)
	}
	done := make(chan error, 1)
	go func() {
		_, err := big.Commit(context.Background())
		done <- err
	}()
	require.Eventually(t, func() bool { return h.p.sequenced() == 1 }, waitMax, waitTick)
	h.p.lose(1)
	release()
	require.ErrorIs(t, <-done, ErrLost)
	require.Empty(t, h.table(tbl))
	h.load(tbl, []any{1, 1, "again"})
}

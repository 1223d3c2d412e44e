package txn

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// What another transaction does to a row that a locking scan has not come to yet, and whether
// the scan may go on as if nothing had happened.
func TestRowMovedDuringScan(t *testing.T) {
	for _, tc := range []struct {
		name   string
		index  int
		change func(h *harness, b *Txn)
		wait   WaitPolicy
		again  bool    // the scan ends with ErrRowChanged
		want   [][]any // what it returns otherwise
	}{
		{name: "not at all", index: byK, change: func(*harness, *Txn) {},
			want: rows(acc(1, 10, nil), acc(2, 20, nil), acc(3, 30, nil))},
		{name: "to a passed place", index: byK, again: true,
			change: func(h *harness, b *Txn) { h.updateIn(b, 3, acc(3, 5, nil)) }},
		{name: "to a place further on", index: byK, again: true,
			change: func(h *harness, b *Txn) { h.updateIn(b, 3, acc(3, 40, nil)) }},
		{name: "out of the range", index: byK,
			change: func(h *harness, b *Txn) { h.updateIn(b, 3, acc(3, -1, nil)) },
			want:   rows(acc(1, 10, nil), acc(2, 20, nil))},
		{name: "other column", index: byK,
			change: func(h *harness, b *Txn) { h.updateIn(b, 3, acc(3, 30, "x")) },
			want:   rows(acc(1, 10, nil), acc(2, 20, nil), acc(3, 30, "x"))},
		{name: "deleted", index: byK,
			change: func(h *harness, b *Txn) { h.updateIn(b, 3, nil) },
			want:   rows(acc(1, 10, nil), acc(2, 20, nil))},
		{name: "deleted, rows", index: -1,
			change: func(h *harness, b *Txn) { h.updateIn(b, 3, nil) },
			want:   rows(acc(1, 10, nil), acc(2, 20, nil))},
		{name: "to another primary key", index: byK, again: true,
			change: func(h *harness, b *Txn) { h.updateIn(b, 3, acc(4, 30, nil)) }},
		{name: "to another primary key, rows", index: -1, again: true,
			change: func(h *harness, b *Txn) { h.updateIn(b, 3, acc(4, 30, nil)) }},
		{name: "to a passed place, skip locked", index: byK, wait: SkipLocked,
			change: func(h *harness, b *Txn) { h.updateIn(b, 3, acc(3, 5, nil)) },
			want:   rows(acc(1, 10, nil), acc(2, 20, nil))},
	} {
		for _, mode := range []ReadMode{LockExclusive, LockShared} {
			t.Run(tc.name, func(t *testing.T) {
				h := newHarness(t)
				tbl := h.create(accounts())
				h.load(tbl, acc(1, 10, nil), acc(2, 20, nil), acc(3, 30, nil))
				spec := ScanSpec{Table: tbl, Index: tc.index, Mode: mode, Wait: tc.wait}
				if tc.index == byK {
					e, err := tbl.Entry(byK, image(t, tbl, acc(0, 0, nil)...), rowKey(t, tbl, 0))
					require.NoError(t, err)
					spec.Lower = e.Key
				}
				a := h.begin(Options{})
				defer a.Rollback()
				c, err := a.Scan(ctx, spec)
				require.NoError(t, err)
				require.True(t, c.Next())
				got := rows(values(t, tbl, c.Image()))
				b := h.begin(Options{})
				tc.change(h, b)
				h.commit(b)
				for c.Next() {
					got = append(got, values(t, tbl, c.Image()))
				}
				if tc.again {
					require.ErrorIs(t, c.Err(), ErrRowChanged)
					require.NoError(t, c.Close())
					// The next try sees all three rows, whatever became of the third.
					require.Len(t, h.scanSpec(a, spec), 3)
					return
				}
				require.NoError(t, errors.Join(c.Err(), c.Close()))
				require.Equal(t, tc.want, got)
			})
		}
	}
}

// updateIn changes or (nil) deletes a row of accounts.
func (h *harness) updateIn(t *Txn, id int, to []any) {
	h.update(t, h.reg.Current().Table("test", "accounts"), id, to...)
}

// A row that the transaction itself has moved is where it was for its own statement.
func TestOwnMoveDuringScan(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 10, nil), acc(2, 20, nil), acc(3, 30, nil))
	a := h.begin(Options{})
	c, err := a.Scan(ctx, ScanSpec{Table: tbl, Index: byK, Mode: LockExclusive})
	require.NoError(t, err)
	require.True(t, c.Next())
	h.update(a, tbl, 3, acc(3, 5, nil)...) // as a trigger might
	require.True(t, c.Next())
	require.False(t, c.Next())
	require.NoError(t, errors.Join(c.Err(), c.Close()))
	h.commit(a)
}

func TestHolds(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 10, nil), acc(2, 20, nil), acc(3, 30, nil))
	a := h.begin(Options{})
	defer a.Rollback()
	h.get(a, tbl, 1, LockShared)
	h.get(a, tbl, 2, LockExclusive)
	h.get(a, tbl, 3, Snapshot)
	h.insert(a, tbl, acc(4, 40, nil)...)
	for id, want := range map[int]bool{1: true, 2: true, 3: false, 4: true, 5: false} {
		holds, err := a.Holds(rowKey(t, tbl, id))
		require.NoError(t, err)
		require.Equal(t, want, holds, "row %d", id)
	}
	moves := a.Moves(tbl, byK)
	b := h.begin(Options{})
	h.update(b, tbl, 3, acc(3, 30, "only this")...)
	h.commit(b)
	require.Equal(t, moves, a.Moves(tbl, byK))
	b = h.begin(Options{})
	h.update(b, tbl, 3, acc(3, 31, nil)...)
	require.Equal(t, moves, a.Moves(tbl, byK), "not before it has its place in the log")
	h.commit(b)
	require.Equal(t, moves+1, a.Moves(tbl, byK))
	require.Zero(t, a.Moves(tbl, -1))
}

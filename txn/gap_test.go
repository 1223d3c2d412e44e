package txn

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
)

// TestGap: rows are added in the order of their keys, and one of them is there already. That is found whoever has added it, and whenever.
func TestGap(t *testing.T) {
	const taken = 100
	for _, tc := range []struct {
		name string
		// before is called before the first row is added, between when half of them are.
		before, between func(h *harness, x *Txn, tbl *catalog.Table)
		free            bool // nobody has the key in the end
		larges          int  // how many others are large transactions
	}{
		{name: "a row that was there", before: func(h *harness, _ *Txn, tbl *catalog.Table) { h.load(tbl, acc(taken, 0, nil)) }},
		{name: "one that another transaction has added", between: func(h *harness, _ *Txn, tbl *catalog.Table) { h.load(tbl, acc(taken, 0, nil)) }},
		{name: "one of a large transaction", larges: 1, between: func(h *harness, _ *Txn, tbl *catalog.Table) {
			big := h.begin(Options{})
			for i := range 200 {
				h.insert(big, tbl, acc(1000+i, 0, nil)...)
			}
			h.insert(big, tbl, acc(taken, 0, nil)...)
			h.commit(big)
		}},
		{name: "the transaction's own from before", before: func(h *harness, x *Txn, tbl *catalog.Table) { h.insert(x, tbl, acc(taken, 0, nil)...) }},
		{name: "its own in between", between: func(h *harness, x *Txn, tbl *catalog.Table) { h.insert(x, tbl, acc(taken, 0, nil)...) }},
		{name: "its own, which was moved there", before: func(h *harness, x *Txn, tbl *catalog.Table) {
			h.load(tbl, acc(500, 0, nil))
		}, between: func(h *harness, x *Txn, tbl *catalog.Table) { h.update(x, tbl, 500, acc(taken, 0, nil)...) }},
		{name: "nobody's after a rollback", free: true, between: func(h *harness, x *Txn, tbl *catalog.Table) {
			other := h.begin(Options{})
			h.insert(other, tbl, acc(taken, 0, nil)...)
			other.Rollback()
		}},
		{name: "nobody's after its own was deleted", free: true, between: func(h *harness, x *Txn, tbl *catalog.Table) {
			h.insert(x, tbl, acc(taken, 0, nil)...)
			h.delete(x, tbl, taken)
		}},
		{name: "nobody's after a rollback to a savepoint", free: true, between: func(h *harness, x *Txn, tbl *catalog.Table) {
			x.Savepoint("s")
			h.insert(x, tbl, acc(taken, 0, nil)...)
			require.NoError(h, x.RollbackTo("s"))
		}},
	} {
		for _, memory := range []int{1000, 1 << 20} { // so that the transaction is a large one, or not
			t.Run(tc.name, func(t *testing.T) {
				h := &harness{TB: t, fs: vfs.NewMem()}
				h.config = func(c *Config) {
					h.spilling(c)
					c.BinlogCacheSize, c.WriteSetMemory = 100, memory
				}
				h.open()
				t.Cleanup(h.close)
				tbl := h.create(accounts())
				x := h.begin(Options{})
				if tc.before != nil {
					tc.before(h, x, tbl)
				}
				used := 0
				for id := range 2 * taken {
					if id == taken/2 && tc.between != nil {
						tc.between(h, x, tbl)
					}
					err := x.Insert(ctx, tbl, image(t, tbl, acc(id, id, nil)...))
					used = max(used, x.gap.used)
					var dup *DuplicateKeyError
					require.Equal(t, id == taken && !tc.free, errors.As(err, &dup), "%d: %v", id, err)
					if dup == nil {
						require.NoError(t, err)
					}
				}
				require.Positive(t, used)
				h.commit(x)
				if memory < 1<<20 {
					require.EqualValues(t, tc.larges+1, h.p.large.Load())
				}
				require.Subset(t, h.table(tbl), [][]any{values(t, tbl, image(t, tbl, acc(taken-1, taken-1, nil)...)), values(t, tbl, image(t, tbl, acc(2*taken-1, 2*taken-1, nil)...))})
			})
		}
	}
}

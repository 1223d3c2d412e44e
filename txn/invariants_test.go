//go:build invariants

package txn

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/internal/invariants"
)

func TestInvariants(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, []any{1, 10, "a"}, []any{2, 20, "b"})
	tx := h.begin(Options{})
	c, err := tx.Scan(context.Background(), ScanSpec{Table: tbl, Index: -1, Mode: Snapshot})
	require.NoError(t, err)
	require.True(t, c.Next())
	lent, same := c.Image(), string(c.Image())
	require.Equal(t, same, string(lent))
	require.True(t, c.Next())
	require.NotEqual(t, same, string(lent), "a row is not valid after Next")
	key := c.RowKey()
	same = string(key)
	require.NoError(t, c.Close())
	require.NotEqual(t, same, string(key), "a key is not valid after Close")
	v := h.m.newView()
	v.unref()
	require.PanicsWithValue(t, invariants.Violation("a read view was released 1 times too often"), v.unref)
	tx.Rollback()
}

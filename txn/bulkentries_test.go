package txn

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
)

// sortsInFiles is a harness whose indexes are sorted in many files.
func sortsInFiles(t *testing.T) *harness {
	h := &harness{TB: t, fs: vfs.NewMem()}
	h.config = func(c *Config) { c.SpillFS, c.SpillDir, c.WriteSetMemory = h.fs, "tmp", 4000 }
	h.open()
	t.Cleanup(h.close)
	return h
}

// addIndex adds an index to a table, with the rows in the order of its primary key, as far as they come before one of the errors.
func addIndex(t *testing.T, h *harness, ctx context.Context, tbl *catalog.Table, unique bool, parts ...catalog.IndexPart) (*Txn, *catalog.Table, error) {
	b := h.m.Begin(Options{})
	def := *tbl.Def
	def.Indexes = append(append([]catalog.IndexDef(nil), def.Indexes...),
		catalog.IndexDef{ID: def.NextIndexID, Name: "new", Unique: unique, Parts: parts})
	def.NextIndexID++
	require.NoError(t, b.ChangeCatalog(catalog.Change{Tables: []*catalog.TableDef{&def}}))
	b.SetDDL(event.Query{SQL: "CREATE INDEX"})
	to := b.Catalog().TableByID(tbl.ID())
	w, err := b.BulkWriter(to, false, []int{len(def.Indexes) - 1})
	require.NoError(t, err)
	c, err := b.Scan(context.Background(), ScanSpec{Table: tbl, Index: -1, Mode: Latest})
	require.NoError(t, err)
	for c.Next() {
		require.NoError(t, w.Add(c.RowKey(), c.Image()))
	}
	require.NoError(t, errors.Join(c.Err(), c.Close()))
	return b, to, w.Finish(ctx)
}

// TestIndexOfManyRuns: entries that do not fit into memory are as complete and as ordered as others, an index that is taken back leaves nothing, and neither
// do its files.
func TestIndexOfManyRuns(t *testing.T) {
	h := sortsInFiles(t)
	tbl := h.create(accounts())
	rnd := rand.New(rand.NewPCG(1, 2))
	var all [][]any
	for i := range 2000 {
		all = append(all, acc(i, rnd.IntN(1000), fmt.Sprint("u", i)))
	}
	h.load(tbl, all...)
	files := func() []string {
		names, err := h.fs.List("tmp")
		require.NoError(t, err)
		return names
	}

	stopped, stop := context.WithCancelCause(ctx)
	killed := errors.New("killed")
	stop(killed)
	b, _, err := addIndex(t, h, stopped, tbl, false, catalog.IndexPart{Column: 1})
	require.ErrorIs(t, err, killed)
	b.Rollback()
	require.Empty(t, h.orphans())
	require.Empty(t, files())

	b, _, err = addIndex(t, h, ctx, tbl, false, catalog.IndexPart{Column: 1})
	require.NoError(t, err)
	require.NotEmpty(t, h.orphans())
	b.Rollback()
	require.Empty(t, h.orphans())

	b, to, err := addIndex(t, h, ctx, tbl, false, catalog.IndexPart{Column: 1})
	require.NoError(t, err)
	h.commit(b)
	require.Empty(t, files())
	r := h.m.Begin(Options{ReadOnly: true})
	defer r.Rollback()
	c, err := r.Scan(ctx, ScanSpec{Table: to, Index: len(to.Indexes) - 1, Mode: Snapshot})
	require.NoError(t, err)
	n, last := 0, int64(-1)
	for ; c.Next(); n++ {
		k := values(t, to, c.Image())[1]
		require.GreaterOrEqual(t, k, last)
		last = k.(int64)
	}
	require.NoError(t, errors.Join(c.Err(), c.Close()))
	require.Equal(t, len(all), n)
}

// TestFirstOfTheDoubled: of several keys that two rows have, the error is about that whose second row comes first in the table.
func TestFirstOfTheDoubled(t *testing.T) {
	h := sortsInFiles(t)
	tbl := h.create(accounts())
	var all [][]any
	for i := range 500 {
		k := 10_000 - i
		switch i {
		case 300:
			k = 10_000 - 200
		case 400, 401:
			k = 10_000 - 450
		}
		all = append(all, acc(i, k, fmt.Sprint("u", i)))
	}
	h.load(tbl, all...)
	b, _, err := addIndex(t, h, ctx, tbl, true, catalog.IndexPart{Column: 1})
	var dup *DuplicateKeyError
	require.ErrorAs(t, err, &dup)
	require.Equal(t, all[200], values(t, tbl, dup.Existing))
	b.Rollback()
	require.Empty(t, h.orphans())
}

package gms

import (
	"context"
	"io"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/result"
)

// Kept is what go-mysql-server keeps of a session, for statements that run without it.
type Kept struct{ s *Session }

// Kept is what go-mysql-server keeps of the session.
func (s *Session) Kept() Kept { return Kept{s} }

// LastInsertID is what LAST_INSERT_ID() says.
func (k Kept) LastInsertID() uint64 { return uint64(k.s.base.GetLastQueryInfo().LastInsertId.Load()) }

// SetLastInsertID is LAST_INSERT_ID(id).
func (k Kept) SetLastInsertID(id uint64) { k.s.base.GetLastQueryInfo().LastInsertId.Store(int64(id)) }

// FoundRows is what FOUND_ROWS() says.
func (k Kept) FoundRows() int64 { return k.s.base.GetLastQueryInfo().FoundRows.Load() }

// RowCount is what ROW_COUNT() says.
func (k Kept) RowCount() int64 { return k.s.base.GetLastQueryInfo().RowCount.Load() }

// Found notes for FOUND_ROWS() that the query of a statement of ours which is no SELECT has found so many rows.
func (k Kept) Found(rows int64) { k.s.base.GetLastQueryInfo().FoundRows.Store(rows) }

// Selected notes for FOUND_ROWS() and ROW_COUNT() that a SELECT of ours has found so many rows.
func (k Kept) Selected(rows int64) {
	info := k.s.base.GetLastQueryInfo()
	info.FoundRows.Store(rows)
	info.RowCount.Store(-1)
}

// Returned notes for ROW_COUNT() that a statement of ours which is no SELECT has returned rows.
func (k Kept) Returned() { k.s.base.GetLastQueryInfo().RowCount.Store(-1) }

// Changed notes for ROW_COUNT() that a statement of ours has affected so many rows.
func (k Kept) Changed(rows uint64) { k.s.base.GetLastQueryInfo().RowCount.Store(int64(rows)) }

// Counted notes for estimates of a table's rows that there are so many more.
func (k Kept) Counted(table uint32, rows int64) { k.s.engine.tables.Counted(table, rows) }

// Estimate is how many rows a table has, about.
func (k Kept) Estimate(ctx context.Context, tbl *catalog.Table) (uint64, error) {
	return k.s.engine.tables.Estimate(ctx, k.s.EnsureTxn(), tbl)
}

// Version is what VERSION() says.
func (k Kept) Version() string { return k.s.engine.config.Version }

// Restore gives ROW_COUNT() what it was.
func (k Kept) Restore(rowCount int64) { k.s.base.GetLastQueryInfo().RowCount.Store(rowCount) }

// OpenLoaded implements native.Rest.
func (k Kept) OpenLoaded(ctx context.Context, sink result.Sink, local bool, name string) (io.ReadCloser, error) {
	return k.s.openLoaded(ctx, sink, local, name)
}

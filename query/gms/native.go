package gms

import (
	"github.com/cockroachdb/apd/v3"

	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

// Kept is what go-mysql-server keeps of a session, for statements that run without it.
type Kept struct{ s *Session }

// Kept is what go-mysql-server keeps of the session.
func (s *Session) Kept() Kept { return Kept{s} }

// userTextMax is how long, in characters, the text of a user variable may be.
const userTextMax = 1<<24 - 1

// UserVariable is the value of a user variable and its type; ok is false for a value that package types has no kind for.
func (k Kept) UserVariable(name string) (v types.Value, t types.Type, ok bool) {
	_, boxed, err := k.s.base.GetUserVariable(nil, name)
	if err != nil {
		return v, t, false
	}
	switch x := boxed.(type) {
	case nil:
		return types.Value{Null: true}, types.NullType(), true
	case int64:
		return types.Value{Int: x}, types.BigintType(20, false), true
	case uint64:
		return types.Value{Int: int64(x)}, types.BigintType(20, true), true
	case float64:
		return types.Value{Float: x}, types.DoubleType(), true
	case *apd.Decimal:
		d, _, cond := decimal.Parse([]byte(x.Text('f')))
		return types.Value{Dec: d}, types.DecimalType(decimal.Type{Precision: 81, Scale: d.Scale()}), cond == 0
	case string:
		c, known := charset.ByName(k.s.Vars.Str("collation_connection"))
		if !known || c.Set().Name() != "utf8mb4" && c.Set().Name() != "utf8mb3" { // a Go string is UTF-8
			return v, t, false
		}
		t = types.StringType(userTextMax, c, charset.Implicit, false)
		t.Kind = types.Longtext
		return types.Value{Text: []byte(x)}, t, true
	}
	return v, t, false
}

// LastInsertID is what LAST_INSERT_ID() says.
func (k Kept) LastInsertID() uint64 { return uint64(k.s.base.GetLastQueryInfo().LastInsertId.Load()) }

// SetLastInsertID is LAST_INSERT_ID(id).
func (k Kept) SetLastInsertID(id uint64) { k.s.base.GetLastQueryInfo().LastInsertId.Store(int64(id)) }

// FoundRows is what FOUND_ROWS() says.
func (k Kept) FoundRows() int64 { return k.s.base.GetLastQueryInfo().FoundRows.Load() }

// RowCount is what ROW_COUNT() says.
func (k Kept) RowCount() int64 { return k.s.base.GetLastQueryInfo().RowCount.Load() }

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

// Version is what VERSION() says.
func (k Kept) Version() string { return k.s.engine.config.Version }

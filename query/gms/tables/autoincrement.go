package tables

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// reservation is a run of auto-increment values that a statement has reserved
// and hands out one after the other, so that the rows of one INSERT have
// consecutive values whatever others insert meanwhile.
type reservation struct {
	next, step uint64
	left       int
}

// skip goes on after a value that a row brings along, and uses up the one
// that was meant for this row.
func (r *reservation) skip(given uint64) {
	if r == nil {
		return
	}
	r.left--
	for r.left > 0 && r.next <= given {
		r.next += r.step
		r.left--
	}
}

// GetNextAutoIncrementValue implements sql.AutoIncrementTable. A given value
// is used as it is; txn moves the counter when its row is inserted.
func (t *Table) GetNextAutoIncrementValue(ctx *sql.Context, given any) (uint64, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return 0, err
	}
	stmt := s.Statement()
	id := t.v.Table.ID()
	if given != nil {
		v, _, err := types.Uint64.Convert(ctx, given)
		if err != nil {
			return 0, err
		}
		stmt.reserved[id].skip(v.(uint64))
		return v.(uint64), nil
	}
	if r := stmt.reserved[id]; r != nil && r.left > 0 {
		v := r.next
		r.next += r.step
		r.left--
		return v, nil
	}
	src, err := t.rows(ctx)
	if err != nil {
		return 0, err
	}
	step := sessionUint(ctx, "auto_increment_increment", 1)
	offset := sessionUint(ctx, "auto_increment_offset", 1)
	count := stmt.insertedRows(t.Name())
	first, err := src.NextAutoIncrement(t.v.Table, uint64(count), step, offset)
	if err != nil {
		return 0, err
	}
	if count > 1 {
		if stmt.reserved == nil {
			stmt.reserved = map[uint32]*reservation{}
		}
		stmt.reserved[id] = &reservation{next: first + step, step: step, left: count - 1}
	}
	return first, nil
}

// insertedRows is the number of rows that the statement is going to insert
// into the table, as far as that is known in advance; otherwise 1.
func (s *Statement) insertedRows(table string) int {
	ins, ok := s.AST.(*sqlparser.Insert)
	if !ok || !strings.EqualFold(ins.Table.Name.String(), table) || s.counted {
		return 1
	}
	vals, ok := ins.Rows.(*sqlparser.AliasedValues)
	if !ok || len(vals.Values) == 0 {
		return 1
	}
	s.counted = true // rows beyond these are a trigger's
	return len(vals.Values)
}

func sessionUint(ctx *sql.Context, name string, otherwise uint64) uint64 {
	v, err := ctx.GetSessionVariable(ctx, name)
	if err != nil {
		return otherwise
	}
	n, _, err := types.Uint64.Convert(ctx, v)
	if err != nil {
		return otherwise
	}
	return n.(uint64)
}

// PeekNextAutoIncrementValue implements sql.AutoIncrementTable.
func (t *Table) PeekNextAutoIncrementValue(ctx *sql.Context) (uint64, error) {
	cur, err := t.current(ctx)
	if err != nil {
		return 0, err
	}
	src, err := cur.rows(ctx)
	if err != nil {
		return 0, err
	}
	next, err := src.PeekAutoIncrement(cur.v.Table)
	if err != nil || cur.v.Table.AutoIncrement < 0 {
		return next, err
	}
	return lastInRange(ctx, cur.v.Schema.Schema[cur.v.Table.AutoIncrement].Type, next), nil
}

// lastInRange is the counter as SHOW shows it: not beyond what the column can hold.
func lastInRange(ctx *sql.Context, typ sql.Type, next uint64) uint64 {
	if _, inRange, err := typ.Convert(ctx, next); err == nil && inRange != sql.InRange {
		return next - 1
	}
	return next
}

// SetAutoIncrementValue implements sql.AutoIncrementSetter.
func (e *editor) SetAutoIncrementValue(ctx *sql.Context, next uint64) error {
	if err := e.begin(ctx); err != nil {
		return err
	}
	cur, err := e.current(ctx)
	if err != nil {
		return err
	}
	return e.src.SetAutoIncrement(cur.v.Table, next)
}

// AcquireAutoIncrementLock implements sql.AutoIncrementSetter. Consecutive
// values are reserved together, so there is nothing to lock.
func (e *editor) AcquireAutoIncrementLock(*sql.Context) (func(), error) { return func() {}, nil }

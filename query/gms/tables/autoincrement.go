package tables

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/txn"
)

// GetNextAutoIncrementValue implements sql.AutoIncrementTable. A given value
// is used as it is; txn moves the counter when its row is inserted.
func (t *Table) GetNextAutoIncrementValue(ctx *sql.Context, given any) (uint64, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return 0, err
	}
	stmt := s.Statement()
	id := t.v.Table.ID()
	r := stmt.reserved[id]
	if r == nil {
		r = new(txn.Reservation)
		if stmt.reserved == nil {
			stmt.reserved = map[uint32]*txn.Reservation{}
		}
		stmt.reserved[id] = r
	}
	if given != nil {
		v, _, err := types.Uint64.Convert(ctx, given)
		if err != nil {
			return 0, err
		}
		r.Skip(v.(uint64))
		return v.(uint64), nil
	}
	if v, ok := r.Rest(); ok {
		return v, nil
	}
	src, err := t.rows(ctx)
	if err != nil {
		return 0, err
	}
	step := sessionUint(ctx, "auto_increment_increment", 1)
	offset := sessionUint(ctx, "auto_increment_offset", 1)
	if first := s.TakeInsertID(); first != 0 {
		r.Force(first, step, offset)
		return first, nil
	}
	return r.Next(src, t.v.Table, uint64(stmt.insertedRows(t.Name())), step, offset)
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

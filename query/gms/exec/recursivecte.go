package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/hash"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/memory"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// buildRecursiveCte makes the iterator of a recursive common table expression, which
// ends after max_recursive_iterations as MariaDB's does: with warning 1931 and the
// rows so far.
func (b *memoryBuilder) buildRecursiveCte(ctx *sql.Context, n *plan.RecursiveCte, row sql.Row) (sql.RowIter, error) {
	s := function.SessionOf(ctx)
	if s == nil {
		return nil, nil
	}
	if u := n.Union(); u.Limit != nil || u.Offset != nil || len(u.SortFields) > 0 {
		return nil, mysqlerr.New(mysqlerr.NotSupportedYet, "global ORDER_BY/LIMIT in recursive CTE spec")
	}
	if err := sameNumbers(ctx, n); err != nil {
		return nil, err
	}
	r := &recursiveRows{
		builder: b.base, session: s, node: n, row: row,
		distinct: n.Union().Distinct, iterationsMax: s.SysVars().Uint("max_recursive_iterations"),
	}
	for i, col := range n.Left().Schema(ctx) {
		if types.IsDateType(col.Type) {
			r.dates = append(r.dates, i)
		}
	}
	return r, nil
}

// sameNumbers refuses a column that has digits in the recursive query which it lacks in the first one: MariaDB's columns have the first query's
// types, and a row is rounded before the next iteration reads it.
func sameNumbers(ctx *sql.Context, n *plan.RecursiveCte) error {
	first, next := n.Left().Schema(ctx), n.Right().Schema(ctx)
	for i, col := range first {
		if i < len(next) && fewerDigits(col.Type, next[i].Type) {
			return mysqlerr.NotYet("column " + col.Name + " of a recursive query with more digits than in the first query; CAST it there")
		}
	}
	return nil
}

func fewerDigits(first, next sql.Type) bool {
	switch {
	case types.IsInteger(first):
		return types.IsDecimal(next) || types.IsFloat(next)
	case types.IsDecimal(first):
		d, ok := next.(sql.DecimalType)
		return types.IsFloat(next) || ok && d.Scale() > first.(sql.DecimalType).Scale()
	}
	return false
}

// recursiveRows yields the rows of the first query, then those that the recursive one
// makes of them, and so on until there are none.
type recursiveRows struct {
	builder       sql.NodeExecBuilder
	session       function.Session
	node          *plan.RecursiveCte
	row           sql.Row
	distinct      bool
	iterationsMax uint64
	dates         []int // columns that are a DATE in the first query

	current    sql.RowIter
	seen       map[uint64]struct{} // hashes, with distinct
	fresh      []sql.Row           // what the next iteration reads
	freshBytes int64
	readBytes  int64 // of the rows that the running one reads
	seenBytes  int64
	iterations uint64
	rows       uint64
}

// Next implements sql.RowIter.
func (r *recursiveRows) Next(ctx *sql.Context) (sql.Row, error) {
	if r.current == nil {
		if r.distinct {
			r.seen = map[uint64]struct{}{}
		}
		var err error
		if r.current, err = r.builder.Build(ctx, r.node.Left(), r.row); err != nil {
			return nil, err
		}
	}
	for {
		if r.rows++; r.rows&255 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		row, err := r.current.Next(ctx)
		if errors.Is(err, io.EOF) && len(r.fresh) > 0 {
			if err = r.iterate(ctx); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		if r.iterations > 0 {
			row = r.dated(row)
		}
		isNew, err := r.note(ctx, row)
		if err != nil {
			return nil, err
		}
		if isNew {
			return row, nil
		}
	}
}

// dated is a row of the recursive query with the first query's dates: without a time of day.
func (r *recursiveRows) dated(row sql.Row) sql.Row {
	cloned := false
	for _, i := range r.dates {
		t, ok := row[i].(time.Time)
		if !ok {
			continue
		}
		if day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location()); !day.Equal(t) {
			if !cloned {
				row, cloned = row.Copy(), true
			}
			row[i] = day
		}
	}
	return row
}

// note keeps a row for the next iteration, unless it was met before.
func (r *recursiveRows) note(ctx *sql.Context, row sql.Row) (isNew bool, err error) {
	if r.distinct {
		key, err := hash.HashOf(ctx, nil, row)
		if err != nil {
			return false, err
		}
		if _, met := r.seen[key]; met {
			return false, nil
		}
		r.seen[key] = struct{}{}
		r.seenBytes += memory.EntryBytes
		if err := r.session.Memory().Hold(memory.EntryBytes); err != nil {
			return false, err
		}
	}
	r.fresh = append(r.fresh, row)
	n := function.RowBytes(row)
	r.freshBytes += n
	return true, r.session.Memory().Hold(n)
}

// iterate begins the next iteration over what the last one yielded.
func (r *recursiveRows) iterate(ctx *sql.Context) error {
	if r.iterations >= r.iterationsMax {
		r.forget()
		if err := function.WarnOrFail(ctx, mysqlerr.QueryResultIncomplete, fmt.Sprintf("max_recursive_iterations = %d", r.iterationsMax)); err != nil {
			return err
		}
		return io.EOF
	}
	r.iterations++
	if err := r.current.Close(ctx); err != nil {
		return err
	}
	r.node.Working.Buf, r.fresh = r.fresh, nil
	r.session.Memory().Release(r.readBytes)
	r.readBytes, r.freshBytes = r.freshBytes, 0
	var err error
	r.current, err = r.builder.Build(ctx, r.node.Right(), r.row)
	return err
}

func (r *recursiveRows) forget() {
	r.session.Memory().Release(r.readBytes + r.freshBytes + r.seenBytes)
	r.readBytes, r.freshBytes, r.seenBytes = 0, 0, 0
	r.node.Working.Buf, r.fresh, r.seen = nil, nil, nil
}

// Close implements sql.RowIter.
func (r *recursiveRows) Close(ctx *sql.Context) error {
	r.forget()
	if r.current == nil {
		return nil
	}
	return r.current.Close(ctx)
}

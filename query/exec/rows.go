package exec

import (
	"context"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/txn"
)

// Reads is how the rows of a table are read.
type Reads struct {
	Rows txn.Rows
	Mode txn.ReadMode
	Wait txn.WaitPolicy
	// Found is set to how many rows a SELECT would have without LIMIT, if its plan says CountAll.
	Found *int64
	// First says that all rows are read before the first is given: what is done with them changes the table.
	First bool
}

// source walks over the rows of an access, span by span.
type source struct {
	reads  Reads
	table  *catalog.Table
	access plan.Access

	next int // span
	// passed are the spans that were read with locks, at the place of the last; see txn.Passed.
	passed *txn.Passed
	at     int
	onRow  bool // the cursor stands on one
	cursor txn.Walk
	rowKey []byte
	done   bool
	// partitions are those that are asked for; nil for all.
	partitions *places
}

// step moves to the next row; false at the end. The image lives until the next step.
func (s *source) step(ctx context.Context) (image []byte, ok bool, err error) {
	for n := 1; ; n++ {
		image, ok, err = s.row(ctx)
		if s.partitions == nil || !ok || err != nil {
			return image, ok, err
		}
		if has, err := s.partitions.selects(image); has || err != nil {
			return image, has, err
		}
		s.disregard(s.reads.Mode == txn.LockExclusive)
		if n&0xff == 0 && ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
	}
}

// row moves to the next row of all partitions.
func (s *source) row(ctx context.Context) (image []byte, ok bool, err error) {
	switch {
	case s.table == nil: // without a table there is one row
		ok, s.done = !s.done, true
		return nil, ok, nil
	case s.access.Row != nil:
		return s.get(ctx)
	case s.access.Points:
		return s.point(ctx)
	}
	for {
		if s.cursor == nil {
			if s.next == len(s.access.Spans) {
				return nil, false, nil
			}
			if err := s.open(ctx); err != nil {
				return nil, false, err
			}
		}
		if s.onRow = s.cursor.Next(); s.onRow {
			s.rowKey = s.cursor.RowKey()
			return s.cursor.Image(), true, nil
		}
		err := s.cursor.Err()
		if cerr := s.close(); err == nil {
			err = cerr
		}
		if err != nil {
			return nil, false, err
		}
	}
}

// disregard says that the row of the last step is not asked for. As in MariaDB, its lock may end then, unless an index was read, or a SELECT
// has looked for one row by its key.
func (s *source) disregard(changes bool) {
	if s.access.Index >= 0 || s.access.Row != nil && !changes || s.reads.Mode == txn.Snapshot || s.reads.Mode == txn.Alone || s.reads.Mode == txn.Latest {
		return
	}
	if tx, ok := s.reads.Rows.(*txn.Txn); ok {
		tx.Disregard(s.rowKey)
	}
}

// get is the row of a key.
func (s *source) get(ctx context.Context) (image []byte, ok bool, err error) {
	if s.done {
		return nil, false, nil
	}
	s.done = true
	s.rowKey = s.access.Row
	return s.reads.Rows.Get(ctx, s.table, s.access.Row, s.reads.Mode, s.reads.Wait)
}

// point is the next row of several keys.
func (s *source) point(ctx context.Context) (image []byte, ok bool, err error) {
	for s.next < len(s.access.Spans) && !ok && err == nil {
		if s.next&0xff == 0xff && ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		span := s.span()
		s.rowKey = span.Lower
		if s.locking() != nil {
			s.passed.Open(span.Lower, span.Upper)
		}
		if tx, is := s.reads.Rows.(*txn.Txn); is {
			image, ok, err = tx.GetPresent(ctx, s.table, s.rowKey, s.reads.Mode, s.reads.Wait)
		} else {
			image, ok, err = s.reads.Rows.Get(ctx, s.table, s.rowKey, s.reads.Mode, s.reads.Wait)
		}
	}
	return image, ok, err
}

// span is the next one.
func (s *source) span() plan.Span {
	at := s.next
	if s.access.Reverse {
		at = len(s.access.Spans) - 1 - at
	}
	s.next++
	return s.access.Spans[at]
}

func (s *source) open(ctx context.Context) (err error) {
	span := s.span()
	if s.locking() != nil {
		s.at = s.passed.Open(span.Lower, span.Upper)
	}
	s.cursor, err = s.reads.Rows.Walk(ctx, txn.ScanSpec{
		Table: s.table, Index: s.access.Index, Lower: span.Lower, Upper: span.Upper, Reverse: s.access.Reverse, Mode: s.reads.Mode, Wait: s.reads.Wait,
	})
	return err
}

// locking is the transaction, if rows of several spans are read with locks: a temporary table has nobody to be locked for.
func (s *source) locking() *txn.Txn {
	tx, ok := s.reads.Rows.(*txn.Txn)
	if !ok || !s.locks() {
		return nil
	}
	if s.passed == nil {
		s.passed = txn.NewPassed(tx, s.table, s.access.Index)
	}
	return tx
}

// locks reports whether rows are read with locks. Of those that others have locked and that are left out none is missed.
func (s *source) locks() bool {
	return len(s.access.Spans) > 1 && (s.reads.Mode == txn.LockShared || s.reads.Mode == txn.LockExclusive) && s.reads.Wait != txn.SkipLocked
}

// missed returns txn.ErrRowChanged if a row has come to where the source has been.
func (s *source) missed(ctx context.Context) error {
	if s.passed == nil {
		return nil
	}
	return s.passed.Missed(ctx)
}

func (s *source) close() error {
	if s.cursor == nil {
		return nil
	}
	if s.onRow && s.passed != nil {
		s.passed.CutShort(s.at, s.cursor.Key(), s.access.Reverse)
	}
	s.onRow = false
	err := s.cursor.Close()
	s.cursor = nil
	return err
}

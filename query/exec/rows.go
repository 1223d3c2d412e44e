package exec

import (
	"context"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/txn"
)

// Reads is how the rows of a table are read.
type Reads struct {
	Tx   *txn.Txn
	Mode txn.ReadMode
	Wait txn.WaitPolicy
}

// source walks over the rows of an access, span by span.
type source struct {
	reads  Reads
	table  *catalog.Table
	access plan.Access

	next   int // span
	cursor *txn.Cursor
	rowKey []byte
	done   bool
}

// step moves to the next row; false at the end. The image lives until the next step.
func (s *source) step(ctx context.Context) (image []byte, ok bool, err error) {
	if s.access.Row != nil {
		return s.get(ctx)
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
		if s.cursor.Next() {
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

// get is the row of a key.
func (s *source) get(ctx context.Context) (image []byte, ok bool, err error) {
	if s.done {
		return nil, false, nil
	}
	s.done = true
	s.rowKey = s.access.Row
	return s.reads.Tx.Get(ctx, s.table, s.access.Row, s.reads.Mode, s.reads.Wait)
}

func (s *source) open(ctx context.Context) (err error) {
	at := s.next
	if s.access.Reverse {
		at = len(s.access.Spans) - 1 - at
	}
	s.next++
	span := s.access.Spans[at]
	s.cursor, err = s.reads.Tx.Scan(ctx, txn.ScanSpec{
		Table: s.table, Index: s.access.Index, Lower: span.Lower, Upper: span.Upper, Reverse: s.access.Reverse, Mode: s.reads.Mode, Wait: s.reads.Wait,
	})
	return err
}

func (s *source) close() error {
	if s.cursor == nil {
		return nil
	}
	err := s.cursor.Close()
	s.cursor = nil
	return err
}

package txn

import (
	"bytes"
	"context"

	"github.com/duramendb/duramen/catalog"
)

// One locking scan of one range does not miss a row that another transaction moves meanwhile (see moved.go). But a statement may read several
// ranges of an index one after the other: those of an IN list, or one for each row of another table. A row that moves from a range
// that is read later to one that was read earlier is met in neither.
//
// So the ranges that a statement has read with locks are kept. If rows were moved within such an
// index since the first of them was opened, they are looked at again when the statement is done:
// every row there has to be one that the transaction has locked. If it is not, the statement runs again.

// passedMax is how many ranges of one index are kept. Of a statement that reads more it is only
// known whether rows were moved at all.
const passedMax = 1 << 16

// Passed are the ranges of one index that a statement has read with locks.
type Passed struct {
	t       *Txn
	tbl     *catalog.Table
	index   int
	moves   uint64 // see moved; before the first range was opened
	spans   []passedSpan
	first   [1]passedSpan // room for the only one that most statements have
	dropped bool          // there were more than passedMax
}

type passedSpan struct{ lower, upper []byte }

// NewPassed begins to keep the ranges of an index, of the rows themselves if index is -1. None of them may have been opened.
func NewPassed(t *Txn, tbl *catalog.Table, index int) *Passed {
	p := &Passed{t: t, tbl: tbl, index: index}
	p.moves = p.moved()
	p.spans = p.first[:0]
	return p
}

// Of reports whether the ranges are those of an index.
func (p *Passed) Of(tbl *catalog.Table, index int) bool { return p.tbl == tbl && p.index == index }

// moved is a number that rises when rows may have been moved within the index.
func (p *Passed) moved() uint64 {
	n := p.t.Moves(p.tbl, -1)
	if p.index >= 0 {
		n += p.t.Moves(p.tbl, p.index)
	}
	return n
}

// Open notes that a locking scan is about to read a range; nil is the index's own bound. It returns where the range is kept, -1 if it is not.
func (p *Passed) Open(lower, upper []byte) (at int) {
	if len(p.spans) == passedMax {
		p.dropped = true
		return -1
	}
	p.spans = append(p.spans, passedSpan{lower, upper})
	return len(p.spans) - 1
}

// CutShort notes that the range that Open has kept was read up to key only, which belongs to what was read.
func (p *Passed) CutShort(at int, key []byte, reverse bool) {
	if at < 0 {
		return
	}
	if reverse {
		p.spans[at].lower = bytes.Clone(key)
	} else {
		p.spans[at].upper = append(bytes.Clone(key), 0)
	}
}

// Missed returns ErrRowChanged if a row has come into a range after the statement has read it.
func (p *Passed) Missed(ctx context.Context) error {
	if len(p.spans) < 2 && !p.dropped || p.moved() == p.moves {
		return nil
	}
	if p.dropped {
		return rowError(p.tbl, ErrRowChanged)
	}
	for _, sp := range p.spans {
		if err := p.missedIn(ctx, sp); err != nil {
			return err
		}
	}
	return nil
}

func (p *Passed) missedIn(ctx context.Context, sp passedSpan) (err error) {
	c, err := p.t.Scan(ctx, ScanSpec{Table: p.tbl, Index: p.index, Lower: sp.lower, Upper: sp.upper, Mode: Latest})
	if err != nil {
		return err
	}
	defer func() {
		if cerr := c.Close(); err == nil {
			err = cerr
		}
	}()
	for c.Next() {
		held, err := p.t.Holds(c.RowKey())
		if err != nil {
			return err
		}
		if !held {
			return rowError(p.tbl, ErrRowChanged)
		}
	}
	return c.Err()
}

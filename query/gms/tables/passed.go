package tables

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn"
)

// One locking scan of one range does not miss a row that another transaction moves meanwhile
// (package txn sees to that). But a statement may read several ranges of an index one after the
// other: those of an IN list, or one for each row of another table. A row that moves from a range
// that is read later to one that was read earlier is met in neither.
//
// So the ranges that a statement has read with locks are kept. If rows were moved within such an
// index since the first of them was opened, they are looked at again when the statement is done:
// every row there has to be one that the transaction has locked. If it is not, the statement runs again.

// passedMax is how many ranges of one index are kept. Of a statement that reads more it is only
// known whether rows were moved at all.
const passedMax = 1 << 16

// passedSpans are the ranges of one index that a statement has read with locks.
type passedSpans struct {
	tbl     *catalog.Table
	index   int
	moves   uint64 // see movesOf; before the first range was opened
	spans   []span
	first   [1]span // room for the only one that most statements have
	dropped bool    // there were more than passedMax
}

// movesOf is a number that rises when rows may have been moved within an index.
func movesOf(tx *txn.Txn, tbl *catalog.Table, index int) uint64 {
	n := tx.Moves(tbl, -1)
	if index >= 0 {
		n += tx.Moves(tbl, index)
	}
	return n
}

// passing notes that a locking scan is about to read a range. It returns where the range is kept
// (see cutShort), -1 if it is not.
func (s *Statement) passing(tx *txn.Txn, tbl *catalog.Table, index int, sp span) (passed, at int) {
	i := slices.IndexFunc(s.passed, func(p *passedSpans) bool { return p.tbl == tbl && p.index == index })
	if i < 0 {
		i = len(s.passed)
		p := &passedSpans{tbl: tbl, index: index, moves: movesOf(tx, tbl, index)}
		p.spans = p.first[:0]
		s.passed = append(s.passed, p)
	}
	p := s.passed[i]
	if len(p.spans) == passedMax {
		p.dropped = true
		return i, -1
	}
	p.spans = append(p.spans, sp)
	return i, len(p.spans) - 1
}

// cutShort notes that a range was read up to key only.
func (s *Statement) cutShort(passed, at int, key []byte, reverse bool) {
	if at < 0 {
		return
	}
	sp := &s.passed[passed].spans[at]
	if reverse {
		sp.lower = bytes.Clone(key)
	} else {
		sp.upper = append(bytes.Clone(key), 0)
	}
}

// Missed returns txn.ErrRowChanged if a row has come into a range after the statement has read it.
func (s *Statement) Missed(ctx *sql.Context, tx *txn.Txn) error {
	for _, p := range s.passed {
		if len(p.spans) < 2 && !p.dropped || movesOf(tx, p.tbl, p.index) == p.moves {
			continue
		}
		if p.dropped {
			return fmt.Errorf("%s.%s: %w", p.tbl.Def.DB, p.tbl.Def.Name, txn.ErrRowChanged)
		}
		for _, sp := range p.spans {
			if err := p.missedIn(ctx, tx, sp); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *passedSpans) missedIn(ctx *sql.Context, tx *txn.Txn, sp span) (err error) {
	c, err := tx.Scan(ctx, txn.ScanSpec{Table: p.tbl, Index: p.index, Lower: sp.lower, Upper: sp.upper, Mode: txn.Latest})
	if err != nil {
		return err
	}
	defer func() {
		if cerr := c.Close(); err == nil {
			err = cerr
		}
	}()
	for c.Next() {
		held, err := tx.Holds(c.RowKey())
		if err != nil {
			return err
		}
		if !held {
			return fmt.Errorf("%s.%s: %w", p.tbl.Def.DB, p.tbl.Def.Name, txn.ErrRowChanged)
		}
	}
	return c.Err()
}

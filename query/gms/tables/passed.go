package tables

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn"
)

// passing notes that a locking scan is about to read a range. It returns where the range is kept, see txn.Passed.
func (s *Statement) passing(tx *txn.Txn, tbl *catalog.Table, index int, sp span) (p *txn.Passed, at int) {
	i := slices.IndexFunc(s.passed, func(p *txn.Passed) bool { return p.Of(tbl, index) })
	if i < 0 {
		i = len(s.passed)
		s.passed = append(s.passed, txn.NewPassed(tx, tbl, index))
	}
	return s.passed[i], s.passed[i].Open(sp.lower, sp.upper)
}

// Missed returns txn.ErrRowChanged if a row has come into a range after the statement has read it.
func (s *Statement) Missed(ctx *sql.Context) error {
	for _, p := range s.passed {
		if err := p.Missed(ctx); err != nil {
			return err
		}
	}
	return nil
}

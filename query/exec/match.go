package exec

import (
	"context"
	"errors"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/txn"
)

// countMatches counts all rows of the table for each MATCH, before the first row is asked for: how relevant one is depends on the others. With query
// expansion they are counted twice.
func (s *selection) countMatches() error {
	var first, again []*plan.Match
	for _, m := range s.p.Matches {
		searches, err := m.Begin(s.f)
		if err != nil {
			return err
		}
		if searches {
			first = append(first, m)
		}
	}
	if err := s.eachCounted(first, (*plan.Match).Count); err != nil {
		return err
	}
	for _, m := range first {
		if m.Again(s.f) {
			again = append(again, m)
		}
	}
	if err := s.eachCounted(again, (*plan.Match).Expand); err != nil {
		return err
	}
	for _, m := range again {
		m.Expanded(s.f)
	}
	return nil
}

// eachCounted counts each row of the table, as the statement sees it, for some of the statement's MATCHes. No row is locked.
func (s *selection) eachCounted(matches []*plan.Match, count func(*plan.Match, *eval.Frame) error) (err error) {
	if len(matches) == 0 {
		return nil
	}
	reads := s.source.reads
	if reads.Mode != txn.Snapshot {
		reads.Mode = txn.Latest
	}
	rows := source{reads: reads, table: s.source.table, access: plan.Access{Index: -1, Spans: []plan.Span{{}}}}
	defer func() { err = errors.Join(err, rows.close()) }()
	for {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		image, ok, err := rows.step(s.ctx)
		if !ok || err != nil {
			return err
		}
		s.f.Reset()
		s.reader.Set(image)
		for _, m := range matches {
			if err := count(m, s.f); err != nil {
				return err
			}
		}
		if err := s.f.Diag.Failed(); err != nil {
			return err
		}
		if err := s.reader.Err(); err != nil {
			return err
		}
	}
}

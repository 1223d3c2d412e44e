package exec

import (
	"bytes"
	"context"
	"slices"

	"github.com/duramendb/duramen/query/eval/key"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/types"
)

// outerRow is a row of a SELECT in parentheses.
type outerRow struct {
	image []byte
	kept  []types.Value
	key   []byte
}

// nested gives what run comes to, sorted and limited as is asked for around the parentheses, to emit.
func (s *selection) nested(run func() error) error {
	emit := s.emit
	var rows []outerRow
	s.emit = func() error {
		r := outerRow{image: bytes.Clone(s.image()), kept: make([]types.Value, len(s.p.OuterKept))}
		size := int64(len(r.image)) + sortedBytes
		for i, x := range s.p.OuterKept {
			r.kept[i] = x.Compute(s.f)
			r.kept[i].Text = bytes.Clone(r.kept[i].Text)
			size += keptBytes + int64(len(r.kept[i].Text))
		}
		if err := s.f.Diag.Failed(); err != nil {
			return err
		}
		if !s.charge(size) {
			return s.f.Diag.Failed()
		}
		rows = append(rows, r)
		return nil
	}
	if err := run(); err != nil {
		return err
	}
	for i := range s.p.Outer {
		var err error
		if rows, err = s.stage(&s.p.Outer[i], rows); err != nil {
			return err
		}
	}
	s.found = int64(len(rows))
	for i := range rows {
		if err := s.seeOuter(&rows[i]); err != nil {
			return err
		}
		s.f.Row = uint64(i) + 1
		if err := emit(); err != nil {
			return err
		}
	}
	return nil
}

// seeOuter makes a row the one that the frame shows.
func (s *selection) seeOuter(r *outerRow) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	s.f.Reset()
	s.set(r.image)
	s.f.Kept = r.kept
	return nil
}

// stage sorts rows, and takes those that LIMIT lets through.
func (s *selection) stage(o *plan.Outer, rows []outerRow) ([]outerRow, error) {
	var writers []*key.Writer
	for _, k := range o.Order {
		w, err := key.New(k.X, k.Desc)
		if err != nil {
			return nil, err
		}
		writers = append(writers, w)
	}
	for i := range rows {
		if writers == nil {
			break
		}
		r := &rows[i]
		if err := s.seeOuter(r); err != nil {
			return nil, err
		}
		r.key = nil
		for _, w := range writers {
			r.key = w.Append(r.key, s.f)
		}
		if err := s.f.Diag.Failed(); err != nil {
			return nil, err
		}
		if !s.charge(int64(len(r.key))) {
			return nil, s.f.Diag.Failed()
		}
	}
	if writers != nil {
		slices.SortStableFunc(rows, func(a, b outerRow) int { return bytes.Compare(a.key, b.key) })
	}
	if l := &o.Limit; l.Any {
		rows = rows[min(l.Offset, uint64(len(rows))):]
		rows = rows[:min(l.Count, uint64(len(rows)))]
	}
	return rows, nil
}

package exec

import (
	"bytes"
	"context"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn"
)

// Counts are how many rows a statement has found, and how many of them it has changed.
type Counts struct{ Matched, Changed uint64 }

// Write changes or deletes the row of a statement. strict says that warnings about its expressions are errors; those of DELETE never are.
func Write(ctx context.Context, w *plan.Write, tx *txn.Txn, f *eval.Frame, strict bool) (Counts, error) {
	if w.Nothing() {
		return Counts{}, nil
	}
	table := w.Source.Table
	reader := row.NewReader(table.Layout)
	f.Rows = []*row.Reader{reader}
	image, ok, err := tx.Get(ctx, table.Table, w.Access.Row, txn.LockExclusive, txn.Wait)
	if !ok || err != nil {
		return Counts{}, err
	}
	f.Reset()
	f.Row = 1
	reader.Set(image)
	s := &selection{p: w.Select, f: f, ctx: ctx, reader: reader}
	if ok, err = s.found(strict && !w.Delete); !ok || err != nil {
		return Counts{}, err
	}
	if w.Delete {
		return Counts{1, 1}, tx.Delete(ctx, table.Table, w.Access.Row, image)
	}
	after, err := updated(w, f, image)
	if err != nil || bytes.Equal(image, after) {
		return Counts{Matched: 1}, err
	}
	return Counts{1, 1}, tx.Update(ctx, table.Table, w.Access.Row, image, after)
}

// found reports whether the row is the one that is asked for. strict says that warnings are errors.
func (s *selection) found(strict bool) (bool, error) {
	d := s.f.Diag
	if d.Strict = nil; strict {
		d.Strict = func(uint16) bool { return true }
	}
	ok := s.wanted()
	if err := d.Failed(); err != nil {
		return false, err
	}
	return ok, s.reader.Err()
}

// updated is the image of a row after the assignments; the one before if they change nothing. The frame's row may be another one afterwards.
func updated(w *plan.Write, f *eval.Frame, image []byte) ([]byte, error) {
	reader := f.Rows[0]
	before := row.NewReader(w.Source.Table.Layout)
	before.Set(image)
	out := relation.NewImage(w.Source.Table)
	to := &assign.Context{Diag: f.Diag, Row: f.Row, Zone: f.Zone, Now: f.Started}
	for _, set := range w.Sets {
		if set.After { // it sees what was assigned
			now, err := out.Append(nil, before)
			if err != nil {
				return nil, err
			}
			reader.Set(now)
		}
		v := set.X.Compute(f)
		if err := f.Diag.Failed(); err != nil {
			return nil, err
		}
		if err := reader.Err(); err != nil {
			return nil, err
		}
		if set.Assign != nil {
			var ok bool
			if v, ok = set.Assign.Assign(to, v); !ok {
				return nil, f.Diag.Failed()
			}
		}
		if err := out.Set(set.Column, v); err != nil {
			return nil, err
		}
	}
	after, err := out.Append(make([]byte, 0, len(image)+len(image)/4), before)
	if err != nil || bytes.Equal(image, after) || len(w.OnUpdate) == 0 {
		return after, err
	}
	for _, column := range w.OnUpdate {
		if err := out.Set(column, w.Present(column, f)); err != nil {
			return nil, err
		}
	}
	return out.Append(after[:0], before)
}

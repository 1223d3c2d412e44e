package exec

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/row"
)

// virtual computes the VIRTUAL columns of rows that are read.
type virtual struct {
	p  *plan.Virtual
	of *eval.Frame // the statement's
	f  *eval.Frame
	to *assign.Context
	// reader shows the row as it is known so far, stored as it was read.
	reader, stored *row.Reader
	out            *relation.Image
	image          []byte
}

// newVirtual computes those of a plan; nil for none.
func newVirtual(p *plan.Virtual, table *relation.Table, of *eval.Frame) *virtual {
	if p == nil {
		return nil
	}
	v := &virtual{p: p, of: of, f: of.Beside(p.Env), reader: row.NewReader(table.Layout), stored: row.NewReader(table.Layout)}
	v.f.Rows = []*row.Reader{v.reader}
	v.to = &assign.Context{Zone: of.Zone, Now: of.Started}
	v.out = relation.NewImage(table)
	return v
}

// compute is the image of a row with the columns computed, which lives until the next row. Most often it is what was read. What expressions say
// are warnings, whatever the statement is; told says that it also tells of values that do not fit into their columns.
func (v *virtual) compute(image []byte, told bool) ([]byte, error) {
	if v == nil {
		return image, nil
	}
	diag := v.of.Diag
	strict := diag.Strict
	diag.Strict = nil
	defer func() { diag.Strict = strict }()
	v.f.Reset()
	v.to.Reset()
	v.out.Reset()
	v.f.Row, v.to.Row = v.of.Row, v.of.Row
	v.reader.Set(image)
	v.stored.Set(image)
	for i := range v.p.Columns {
		g := &v.p.Columns[i]
		value := g.X.Compute(v.f)
		if err := failed(v.f); err != nil {
			return nil, err
		}
		if err := v.reader.Err(); err != nil {
			return nil, err
		}
		if g.Assign != nil {
			v.to.Diag = &types.Diagnostics{Most: assignedMost, Strict: strict}
			if value, _ = g.Assign.Assign(v.to, value); told {
				warned(diag, v.to.Diag)
			}
		}
		if err := v.out.Set(g.Column, value); err != nil {
			return nil, err
		}
		if v.out.Same(g.Column, v.reader) {
			continue
		}
		var err error
		if v.image, err = v.out.Append(v.image[:0], v.stored); err != nil {
			return nil, err
		}
		v.reader.Set(v.image)
	}
	return v.reader.Image(), nil
}

// assignedMost is how many conditions one value that a column is given may have: one of the text that is no number, one of the number's size.
const assignedMost = 4

// warned adds conditions to those of a statement; what would be an error is a warning.
func warned(to, from *types.Diagnostics) {
	for _, c := range from.Conditions {
		if c.Level == types.Note {
			to.Notef(c.Number, "%s", c.Message)
		} else {
			to.Warnf(c.Number, "%s", c.Message)
		}
	}
}

// read makes a row that was read the one that the frame shows.
func (s *selection) read(image []byte) (err error) {
	s.stored = image
	switch {
	case s.virtual == nil && s.every == nil:
	case s.changes && !s.sorts() && !s.twice:
		return s.reread()
	default:
		query := s.p.Source.Place == plan.PlaceQuery
		image, err = s.virtual.compute(image, query && s.shown > 0)
	}
	s.set(image)
	return err
}

// reread computes all VIRTUAL columns of the row that is about to be changed; of one to be deleted twice, as MariaDB does.
func (s *selection) reread() error {
	if s.every == nil {
		return nil
	}
	image, err := s.every.compute(s.stored, !s.deletes)
	if err == nil && s.deletes {
		image, err = s.every.compute(s.stored, false)
	}
	s.set(image)
	return err
}

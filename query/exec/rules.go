package exec

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/row"
)

// rules hold the rows that are to be stored against the definition of their table.
type rules struct {
	p      *plan.Rules
	of     *eval.Frame // the statement's
	f      *eval.Frame
	reader *row.Reader
	table  *relation.Table
}

// newRules are those of a statement; nil for none.
func newRules(p *plan.Rules, table *relation.Table, of *eval.Frame) *rules {
	if p == nil {
		return nil
	}
	r := &rules{p: p, of: of, f: of.Beside(p.Env), reader: row.NewReader(table.Layout), table: table}
	r.f.Rows = []*row.Reader{r.reader}
	return r
}

// generate computes the generated columns of a row that is being made: those that are not set are before's.
func (r *rules) generate(out *relation.Image, to *assign.Context, before *row.Reader) error {
	if r == nil {
		return nil
	}
	for i := range r.p.Generated {
		g := &r.p.Generated[i]
		image, err := out.Append(nil, before)
		if err != nil {
			return err
		}
		r.f.Reset()
		r.f.Row = r.of.Row
		r.reader.Set(image)
		v := g.X.Compute(r.f)
		if err := failed(r.f); err != nil {
			return err
		}
		if err := r.reader.Err(); err != nil {
			return err
		}
		if g.Assign != nil {
			v, _ = g.Assign.Assign(to, v)
			if err := failed(r.f); err != nil {
				return err
			}
		}
		if err := out.Set(g.Column, v); err != nil {
			return err
		}
	}
	return nil
}

// again computes the generated columns of a row that is there, as MariaDB does of one that has a key of a new row: it has the same warnings.
func (r *rules) again(image []byte, to *assign.Context) error {
	if r == nil || len(r.p.Generated) == 0 {
		return nil
	}
	before := row.NewReader(r.table.Layout)
	before.Set(image)
	return r.generate(relation.NewImage(r.table), to, before)
}

// allow reports whether the constraints allow a row. If they do not, that is error 4025; or a warning, if the row is to be left out.
func (r *rules) allow(image []byte, ignore bool) (bool, error) {
	if r == nil {
		return true, nil
	}
	r.f.Reset()
	r.f.Row = r.of.Row
	r.reader.Set(image)
	for i := range r.p.Checks {
		c := &r.p.Checks[i]
		fails := c.Fails(r.f)
		if err := r.reader.Err(); err != nil {
			return false, err
		}
		if err := failed(r.f); err != nil {
			return false, err
		}
		if !fails {
			continue
		}
		if ignore {
			r.f.Diag.Warnf(mysqlerr.ConstraintFailed, "%s", c.Text)
			return false, nil
		}
		return false, mysqlerr.Newf(mysqlerr.ConstraintFailed, "%s", c.Text)
	}
	return true, nil
}

// allowed completes the row that was made by its generated columns, and reports whether the constraints allow it. Its AUTO_INCREMENT value is not known yet. MariaDB leaves out rows only
// of a statement that has several.
func (in *insertion) allowed(auto types.Value) (bool, error) {
	if in.rules == nil {
		return true, nil
	}
	if at := in.p.Auto; at >= 0 {
		if err := in.out.Set(at, auto); err != nil {
			return false, err
		}
	}
	if err := in.rules.generate(in.out, in.to, nil); err != nil {
		return false, err
	}
	image, err := in.out.Append(nil, nil)
	if err != nil {
		return false, err
	}
	allowed, err := in.rules.allow(image, in.p.Ignore && (in.p.Query != nil || in.p.Count > 1))
	if !allowed && err == nil {
		in.done.Refused++
	}
	return allowed, err
}

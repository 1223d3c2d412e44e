package exec

import (
	"cmp"

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

// computes reports whether there are generated columns.
func (r *rules) computes() bool { return r != nil && len(r.p.Generated) > 0 }

// generate computes the generated columns of a row that is being made: those that are not set are before's.
func (r *rules) generate(out *relation.Image, to *assign.Context, before *row.Reader) error {
	if r == nil {
		return nil
	}
	return r.compute(out, to, before, false)
}

// compute computes the generated columns, or only those that are made of what a row gets last. After the first error the others are computed all
// the same, for what there is to say of them.
func (r *rules) compute(out *relation.Image, to *assign.Context, before *row.Reader, late bool) error {
	var first *mysqlerr.Error
	for i := range r.p.Generated {
		g := &r.p.Generated[i]
		if late && !g.Late {
			continue
		}
		if err := r.one(g, out, to, before); err != nil {
			return err
		}
		if first == nil {
			first = r.f.Diag.Failed()
		}
		r.f.Diag.Forgive()
	}
	r.f.Diag.Blame(first)
	return failed(r.f)
}

// one computes a generated column.
func (r *rules) one(g *plan.Generated, out *relation.Image, to *assign.Context, before *row.Reader) error {
	image, err := out.Append(nil, before)
	if err != nil {
		return err
	}
	r.f.Reset()
	r.f.Row = r.of.Row
	r.reader.Set(image)
	v := g.X.Compute(r.f)
	if err := r.reader.Err(); err != nil {
		return err
	}
	if g.Assign != nil && failed(r.f) == nil {
		v, _ = g.Assign.Assign(to, v)
	}
	if failed(r.f) != nil {
		v = types.Value{Null: true}
	}
	return out.Set(g.Column, v)
}

// again computes the generated columns of a row that is there, as MariaDB does of one that has a key of a new row: it has the same warnings.
func (r *rules) again(image []byte, to *assign.Context) ([]byte, error) {
	if !r.computes() {
		return image, nil
	}
	before := row.NewReader(r.table.Layout)
	before.Set(image)
	out := relation.NewImage(r.table)
	if err := r.generate(out, to, before); err != nil {
		return nil, err
	}
	return out.Append(nil, before)
}

// Generator computes the generated columns of rows that are copied.
type Generator struct {
	rules *rules
	to    *assign.Context
}

// NewGenerator computes them in a frame.
func NewGenerator(p *plan.Rules, table *relation.Table, f *eval.Frame) *Generator {
	return &Generator{rules: newRules(p, table, f), to: &assign.Context{Diag: f.Diag, Zone: f.Zone, Now: f.Started}}
}

// Complete is the image of a row with its generated columns; number counts the rows from 1.
func (g *Generator) Complete(image []byte, number uint64) ([]byte, error) {
	g.rules.of.Row = number
	g.to.Reset()
	g.to.Row = number
	return g.rules.again(image, g.to)
}

// last computes once more those columns that are made of what the row has got last. What there is to say of them was said.
func (r *rules) last(out *relation.Image, before *row.Reader) error {
	if r == nil || !r.p.Late {
		return nil
	}
	diag := r.f.Diag
	r.f.Diag = &types.Diagnostics{Most: 1}
	defer func() { r.f.Diag = diag }()
	to := &assign.Context{Diag: r.f.Diag, Zone: r.f.Zone, Now: r.f.Started}
	return r.compute(out, to, before, true)
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
		number := cmp.Or(c.Number, mysqlerr.ConstraintFailed)
		if ignore {
			r.f.Diag.Warnf(number, "%s", c.Text)
			return false, nil
		}
		return false, mysqlerr.Newf(number, "%s", c.Text)
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
		auto.Null = false // it is 0 until it is known
		if err := in.out.Set(at, auto); err != nil {
			return false, err
		}
	}
	in.rules.f.Fills = in.p.Query != nil
	diag, strict := in.f.Diag, in.f.Diag.Strict
	if in.p.All && len(in.p.Columns) > 0 { // of rows that are given to all columns MariaDB computes the others without being strict
		diag.Strict = nil
	}
	err := in.rules.generate(in.out, in.to, nil)
	in.rules.f.Fills, diag.Strict = false, strict
	if err != nil {
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

package native

import (
	"context"
	"slices"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/exec"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/relation"
)

// Generation computes the generated columns of rows that ALTER TABLE copies, or that a primary has sent.
type Generation struct {
	session Session
	binding *binding
	rows    uint64
	gen     *exec.Generator
}

// Generation is that of a table as it will be; nil for one with expressions that are not understood, or without generated columns.
func (s Session) Generation(ctx context.Context, to *catalog.Table) (*Generation, error) {
	g, err := s.GenerationOf(ctx, to, func(int) bool { return true })
	if g != nil && g.binding.frame.Env.Mode.Strict() {
		g.binding.frame.Diag.Strict = func(uint16) bool { return true }
	}
	return g, err
}

// GenerationOf computes some of a table's generated columns, without regard to strict mode; the others are as they are in the rows. It is nil as Generation is.
func (s Session) GenerationOf(ctx context.Context, t *catalog.Table, computed func(column int) bool) (*Generation, error) {
	b, err := s.begin(ctx, nil)
	if err != nil {
		return nil, err
	}
	table := relation.Of(t)
	rules, err := plan.GeneratedColumns(b.binder, table)
	switch {
	case refused(err):
		return nil, nil //nolint:nilnil // see above
	case rules == nil || err != nil:
		return nil, err
	}
	rules.Generated = slices.DeleteFunc(rules.Generated, func(g plan.Generated) bool { return !computed(g.Column) })
	return &Generation{session: s, binding: b, gen: exec.NewGenerator(rules, table, b.frame)}, nil
}

// Complete is the image of a row with its generated columns, valid until the next call. The session gets what there is to say of them.
func (g *Generation) Complete(image []byte) ([]byte, error) {
	g.rows++
	diag := g.binding.frame.Diag
	out, err := g.gen.Complete(image, g.rows)
	if err == nil && len(diag.Conditions) > 0 {
		g.session.note(diag)
		diag.Reset(0)
	}
	return out, err
}

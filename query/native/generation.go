package native

import (
	"context"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/exec"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/relation"
)

// Generation computes the generated columns of rows that ALTER TABLE copies.
type Generation struct {
	session Session
	binding *binding
	rows    uint64
	gen     *exec.Generator
}

// Generation is that of a table as it will be; nil for one with expressions that are not understood, or without generated columns.
func (s Session) Generation(ctx context.Context, to *catalog.Table) (*Generation, error) {
	b, err := s.begin(ctx, nil)
	if err != nil {
		return nil, err
	}
	table := relation.Of(to)
	rules, err := plan.GeneratedColumns(b.binder, table)
	switch {
	case refused(err):
		return nil, nil //nolint:nilnil // see above
	case rules == nil || err != nil:
		return nil, err
	}
	if b.frame.Env.Mode.Strict() {
		b.frame.Diag.Strict = func(uint16) bool { return true }
	}
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

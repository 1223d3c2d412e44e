package gms

import (
	"bytes"
	"context"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
)

// changeRows runs, in place of a statement, what changes rows as a primary has logged them, with the triggers that the statement would fire. Statements of
// triggers are any others again.
func (p *planned) changeRows(r *session.Replicated) (err error) {
	defer p.s.engine.contain(p.c, &err)
	rows := r.Rows
	r.Rows = nil
	defer func() { r.Rows = rows }()
	f := &rowTriggers{p: p}
	if f.own, err = f.of(p.st); err != nil {
		return err
	}
	f.displaced = f.own
	if r.Displacing != "" {
		st, _, err := p.s.parseOne(innerText(p.s, r.Displacing))
		if err != nil {
			return err
		}
		if f.displaced, err = f.of(st); err != nil {
			return err
		}
	}
	return rows(p.c, f)
}

// firedTriggers are the triggers that one kind of changes fires, in their order.
type firedTriggers struct{ before, after []*triggerBuilder }

// of finds the triggers that a statement fires.
func (f *rowTriggers) of(st *syntax.Statement) (*firedTriggers, error) {
	node, _, _, err := f.p.s.engine.analyzed(f.p.c, st, f.p.b)
	if err != nil {
		return nil, err
	}
	fired := &firedTriggers{}
	f.collect(fired, node)
	slices.Reverse(fired.before) // the innermost fires first
	slices.Reverse(fired.after)
	for _, t := range slices.Concat(fired.before, fired.after) {
		if f.table != nil {
			break
		}
		if f.table, err = f.p.s.triggerTable(f.p.c, t.trigger); err != nil {
			return nil, err
		}
	}
	return fired, nil
}

// triggerTable is the table that a trigger is of.
func (s *Session) triggerTable(c *sql.Context, t *plan.TriggerExecutor) (*tables.Images, error) {
	text := t.TriggerDefinition.CreateStatement
	ast, err := s.parseUnder(s.definers.modes[text], text)
	if err != nil {
		return nil, err
	}
	d, ok := ast.(*sqlparser.DDL)
	if !ok || d.TriggerSpec == nil {
		return nil, mysqlerr.NotYet("such a trigger")
	}
	table, _, err := s.engine.gms.Analyzer.Catalog.Table(c, d.TriggerSpec.TrigName.Qualifier.String(), d.Table.Name.String())
	if err != nil {
		return nil, err
	}
	for {
		if own, ok := table.(*tables.Table); ok {
			return tables.ImagesOf(c, own), nil
		}
		w, ok := table.(sql.TableWrapper)
		if !ok {
			return nil, mysqlerr.NotYet("a trigger of such a table")
		}
		table = w.Underlying()
	}
}

// rowTriggers are the triggers that changes of a table's rows fire.
type rowTriggers struct {
	p *planned
	// own are those of the statement; displaced those of deletions, which are the same if it is a DELETE.
	own, displaced *firedTriggers
	table          *tables.Images // nil without triggers
}

var _ session.RowTriggers = (*rowTriggers)(nil)

// collect finds triggers, those that fire last first.
func (f *rowTriggers) collect(fired *firedTriggers, n sql.Node) {
	switch n := n.(type) {
	case *plan.TriggerExecutor:
		b := &triggerBuilder{base: f.p.s.engine.gms.Analyzer.ExecBuilder, trigger: n}
		if n.TriggerTime == plan.TriggerTime(sqlparser.BeforeStr) {
			fired.before = append(fired.before, b)
		} else {
			fired.after = append(fired.after, b)
		}
		f.collect(fired, n.Left())
		return
	case *plan.InsertInto:
		f.collect(fired, n.Source)
	case *plan.ForeignKeyHandler:
		f.collect(fired, n.OriginalNode)
	}
	for _, child := range n.Children() {
		f.collect(fired, child)
	}
}

// rows are the old and the new row as one.
func (f *rowTriggers) rows(c *sql.Context, old, new []byte) (sql.Row, error) {
	var both sql.Row
	for _, image := range [][]byte{old, new} {
		if image == nil {
			continue
		}
		row, err := f.table.Row(c, bytes.Clone(image)) // what a trigger keeps of it may share its memory
		if err != nil {
			return nil, err
		}
		both = append(both, row...)
	}
	return both, nil
}

// firedBy are the triggers that a change fires, by its new row.
func (f *rowTriggers) firedBy(new []byte) *firedTriggers {
	if new == nil {
		return f.displaced
	}
	return f.own
}

// Before implements session.RowTriggers.
func (f *rowTriggers) Before(ctx context.Context, old, new []byte) ([]byte, error) {
	fired := f.firedBy(new)
	if len(fired.before) == 0 {
		return new, nil
	}
	c := f.p.c.WithContext(ctx)
	row, err := f.rows(c, old, new)
	if err != nil {
		return nil, err
	}
	for _, t := range fired.before {
		if row, err = t.fire(c, row); err != nil {
			return nil, err
		}
	}
	if new == nil {
		return nil, nil
	}
	return f.table.Image(c, row[len(row)-f.table.Columns():])
}

// After implements session.RowTriggers.
func (f *rowTriggers) After(ctx context.Context, old, new []byte) error {
	fired := f.firedBy(new)
	if len(fired.after) == 0 {
		return nil
	}
	c := f.p.c.WithContext(ctx)
	row, err := f.rows(c, old, new)
	if err != nil {
		return err
	}
	for _, t := range fired.after {
		if _, err := t.fire(c, row); err != nil {
			return err
		}
	}
	return nil
}

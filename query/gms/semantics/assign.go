package semantics

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// stored is the right side of an assignment to a column: the value as the column
// keeps it.
type stored struct {
	expression.UnaryExpressionStub
	column *sql.Column
	ignore bool
	// nullable is false in an UPDATE, where NULL is an error or the type's zero.
	nullable bool
	// nullFails says that NULL is an error even without strict mode.
	nullFails bool
	rows      *int64
	// old is the column that the value is for. Where an outer join has found no row to change, it is NULL
	// although it cannot be, and nothing is stored.
	old *expression.GetField
	// assignment is how values become those of the column; nil where it is not known.
	assignment *assignment
}

var _ sql.Expression = (*stored)(nil)

// storedFields wraps the right sides of assignments to columns, which are over the rows that are known.
func storedFields(ctx *sql.Context, in *column.Arguments, exprs []sql.Expression, ignore, nullable bool) (_ []sql.Expression, changed bool) {
	out := make([]sql.Expression, len(exprs))
	copy(out, exprs)
	for i, e := range exprs {
		if own, ok := storedField(ctx, in, e, ignore, nullable); ok {
			out[i], changed = own, true
		}
	}
	return out, changed
}

func storedField(ctx *sql.Context, in *column.Arguments, e sql.Expression, ignore, nullable bool) (sql.Expression, bool) {
	set, ok := e.(*expression.SetField)
	if !ok {
		return nil, false
	}
	field, ok := set.LeftChild.(*expression.GetField)
	if !ok {
		return nil, false
	}
	if _, already := set.RightChild.(*stored); already {
		return nil, false
	}
	s := &struct { // one allocation for every statement
		stored
		of    sql.Column
		count int64
	}{
		stored: stored{ignore: ignore, nullable: nullable || field.IsNullable(nil)},
		of:     sql.Column{Name: field.Name(), Source: field.Table(), DatabaseSource: field.Database(), Type: field.Type(nil)},
	}
	s.Child, s.column, s.rows, s.old = set.RightChild, &s.of, &s.count, field
	value := set.RightChild
	if w, ok := value.(*expression.Wrapper); ok && w.Unwrap() != nil {
		value = w.Unwrap()
	}
	if d, ok := value.(*sql.ColumnDefaultValue); ok && d.Expr != nil && d.Resolved() {
		s.Child = d.Expr // which does not convert by rules of its own
	}
	if in != nil {
		s.assignment = quotientBy(ctx, receives(s.column, in), in, s.Child)
	}
	if s.assignment == nil {
		s.assignment = assignmentBy(ctx, s.column, in, s.Child)
	}
	return expression.NewSetField(field, &s.stored), true
}

// storesFields reports whether storedFields has seen the assignments of an UPDATE.
func storesFields(n *plan.UpdateSource) bool {
	for _, e := range n.UpdateExprs.AllExpressions() {
		if set, ok := e.(*expression.SetField); ok {
			if _, ok := set.RightChild.(*stored); ok {
				return true
			}
		}
	}
	return false
}

// storedVariable does the same for a variable of a trigger.
func storedVariable(ctx *sql.Context, in *column.Arguments, e sql.Expression) (sql.Expression, bool) {
	set, ok := e.(*expression.SetField)
	if !ok {
		return nil, false
	}
	variable, ok := set.LeftChild.(*expression.ProcedureParam)
	if !ok {
		return nil, false
	}
	if _, already := set.RightChild.(*stored); already {
		return nil, false
	}
	s := &stored{nullable: true, rows: new(int64), column: &sql.Column{Name: variable.Name(), Type: variable.Type(nil)}}
	s.Child = set.RightChild
	to := receiving{Column: s.column}
	to.own, to.known = variableType(s.column.Type)
	if s.assignment = quotientBy(ctx, to, in, s.Child); s.assignment == nil && in != nil {
		if known, _ := in.Of(s.Child); known.Quotient {
			s.assignment = &assignment{refused: loose}
		}
	}
	return expression.NewSetField(variable, s), true
}

// storedSet does the same for the SET NEW.x of a trigger, and for its variables. NULL may stay in NEW.x: a
// later trigger may replace it.
func storedSet(ctx *sql.Context, n *plan.Set) (*plan.Set, bool) {
	changed := false
	exprs := make([]sql.Expression, len(n.Exprs))
	copy(exprs, n.Exprs)
	var in *column.Arguments
	if s, ok := ctx.Session.(column.TriggerSession); ok {
		in = argumentsOf(ctx, s.TriggerRow())
	}
	for i, e := range exprs {
		own, ok := storedField(ctx, in, e, false, true)
		if !ok {
			own, ok = storedVariable(ctx, in, e)
		}
		if ok {
			exprs[i], changed = own, true
		}
	}
	return plan.NewSet(exprs), changed
}

// Type implements sql.Expression.
func (s *stored) Type(*sql.Context) sql.Type { return s.column.Type }

// IsNullable implements sql.Expression.
func (s *stored) IsNullable(ctx *sql.Context) bool { return s.Child.IsNullable(ctx) }

// String implements sql.Expression.
func (s *stored) String() string { return s.Child.String() }

// WithChildren implements sql.Expression.
func (s *stored) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	own := *s
	own.Child = children[0]
	return &own, nil
}

// Eval implements sql.Expression.
func (s *stored) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if !s.nullable {
		if old, err := s.old.Eval(ctx, row); err != nil || old == nil {
			return nil, err
		}
	}
	if s.assignment != nil && s.assignment.exact {
		return s.exactly(ctx, row)
	}
	v, err := s.Child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	return s.kept(ctx, v)
}

// exactly stores a quotient with all its digits.
func (s *stored) exactly(ctx *sql.Context, row sql.Row) (any, error) {
	e, ok := s.Child.(exactly)
	if !ok {
		return nil, mysqlerr.NotYet(loose)
	}
	v, ok, err := e.Exactly(ctx, row)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, mysqlerr.NotYet(loose)
	case v.Null:
		return s.kept(ctx, nil)
	}
	t := target{ctx: ctx, column: s.column, row: *s.rows + 1, strict: strict(ctx) && !s.ignore}
	if err := evaluated(ctx, t.strict); err != nil {
		return nil, err
	}
	*s.rows++
	return t.keep(s.assignment, v)
}

// kept is a value as the column keeps it.
func (s *stored) kept(ctx *sql.Context, v any) (any, error) {
	*s.rows++
	t := target{ctx: ctx, column: s.column, row: *s.rows, strict: strict(ctx) && !s.ignore, assignment: s.assignment}
	if err := evaluated(ctx, t.strict); err != nil {
		return nil, err
	}
	if v == nil {
		if s.nullable {
			return nil, nil
		}
		if tables.IsTimestamp(s.column.Type) {
			return tables.Present(ctx, s.column.Type), nil
		}
		if t.strict || s.nullFails {
			return nil, mysqlerr.New(mysqlerr.BadNull, s.column.Name)
		}
		t.warn(mysqlerr.New(mysqlerr.BadNull, s.column.Name))
		return t.zero()
	}
	return t.store(v, s.Child.Type(ctx))
}

// evaluated makes an error of what evaluation has only warned of, where strict mode
// wants that: a division by zero and texts that are no numbers.
func evaluated(ctx *sql.Context, strict bool) error {
	s, ok := ctx.Session.(tables.Session)
	if !ok || !strict {
		return nil
	}
	if w := s.Statement().StrictWarning; w != nil {
		return mysqlerr.Newf(uint16(w.Code), "%s", w.Message)
	}
	return nil
}

// storedAutoIncrement makes the values that are given for an AUTO_INCREMENT column those that it keeps before
// go-mysql-server looks whether one is to be generated: it takes every text that is no number for 0.
func storedAutoIncrement(ctx *sql.Context, source sql.Node, schema sql.Schema, ignore bool) (sql.Node, error) {
	switch n := source.(type) {
	case *plan.TriggerExecutor:
		left, err := storedAutoIncrement(ctx, n.Left(), schema, ignore)
		if err != nil {
			return nil, err
		}
		return n.WithChildren(ctx, left, n.Right())
	case *plan.Project:
		exprs, below := slices.Clone(n.Projections), n.Child.Schema(ctx)
		for i, e := range exprs {
			auto, ok := e.(*expression.AutoIncrement)
			if !ok || i >= len(schema) {
				continue
			}
			given := &stored{column: schema[i], ignore: ignore, nullable: true, rows: new(int64)}
			given.Child = auto.Child
			if f, ok := auto.Child.(*expression.GetField); ok && f.Index() < len(below) { // says the type of the column
				given.Child = expression.NewGetField(f.Index(), below[f.Index()].Type, f.Name(), true)
			}
			own, err := auto.WithChildren(ctx, given)
			if err != nil {
				return nil, err
			}
			exprs[i] = own
		}
		return n.WithExpressions(ctx, exprs...)
	}
	return source, nil
}

// conversion is what the rows of an INSERT become.
type conversion struct {
	schema           sql.Schema
	generated        *generated // nil without generated columns
	ignore, manyRows bool
	triggers         bool // BEFORE INSERT triggers may change values
	omitted          map[int]bool
	// auto makes the values of the AUTO_INCREMENT column at autoAt behind the triggers; nil without these.
	auto   *expression.AutoIncrement
	autoAt int
	// autoOmitted says that it is given nothing.
	autoOmitted bool
	row         *column.Arguments // of the table
	// defaults are the assignments of values that are not given.
	defaults map[int]*assignment
	rows     int64
}

// storeSource puts a conversion above the source of an INSERT, below its BEFORE
// triggers, and a replacement of NULL above those.
func storeSource(ctx *sql.Context, source sql.Node, c *conversion) sql.Node {
	inner := &storedRows{c: c}
	var place func(n sql.Node) sql.Node
	place = func(n sql.Node) sql.Node {
		if t, ok := n.(*plan.TriggerExecutor); ok {
			c.triggers = true
			if own, err := t.WithChildren(ctx, place(t.Left()), t.Right()); err == nil {
				return own
			}
		}
		inner.rows, inner.types = n, sourceTypes(ctx, n)
		inner.assign(ctx)
		return inner
	}
	return &storedRows{rows: place(source), c: c, nulls: true}
}

// sourceTypes are the types of a source's values. The projection above an INSERT's
// query says those of the columns that they go to.
func sourceTypes(ctx *sql.Context, n sql.Node) []sql.Type {
	schema := n.Schema(ctx)
	out := make([]sql.Type, len(schema))
	for i, c := range schema {
		out[i] = c.Type
	}
	p, ok := n.(*plan.Project)
	if !ok || len(p.Projections) != len(out) {
		return out
	}
	below := p.Child.Schema(ctx)
	for i, e := range p.Projections {
		if f, ok := e.(*expression.GetField); ok && f.Index() < len(below) {
			out[i] = below[f.Index()].Type
		}
	}
	return out
}

// converts reports whether a source has its conversion.
func converts(n sql.Node) bool {
	_, ok := n.(*storedRows)
	return ok
}

// storedRows yields the rows of another node as a table keeps them.
type storedRows struct {
	rows  sql.Node
	types []sql.Type
	// assignments are how values become those of the columns; nil where it is not known.
	assignments []*assignment
	c           *conversion
	// nulls says that only NULL is to be replaced.
	nulls bool
}

var _ sql.Node = (*storedRows)(nil)

// Schema implements sql.Node.
func (s *storedRows) Schema(ctx *sql.Context) sql.Schema { return s.rows.Schema(ctx) }

// Resolved implements sql.Node.
func (s *storedRows) Resolved() bool { return s.rows.Resolved() }

// IsReadOnly implements sql.Node.
func (s *storedRows) IsReadOnly() bool { return s.rows.IsReadOnly() }

// String implements sql.Node.
func (s *storedRows) String() string { return s.rows.String() }

// Children implements sql.Node.
func (s *storedRows) Children() []sql.Node { return []sql.Node{s.rows} }

// WithChildren implements sql.Node.
func (s *storedRows) WithChildren(ctx *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	own := *s
	own.rows = children[0]
	if !s.nulls {
		own.types = sourceTypes(ctx, own.rows) // the source of LOAD DATA comes after analysis
		own.assign(ctx)
	}
	return &own, nil
}

// assign finds the assignments of the columns.
func (s *storedRows) assign(ctx *sql.Context) {
	s.assignments = make([]*assignment, len(s.c.schema))
	known := column.KnownOf(ctx, s.rows)
	if p, ok := s.rows.(*plan.Project); ok && len(known) == len(p.Projections) { // above the query, whose columns it takes by their places
		below := column.KnownOf(ctx, p.Child)
		for i, e := range p.Projections {
			if f, ok := e.(*expression.GetField); ok && f.Index() < len(below) {
				known[i] = below[f.Index()]
			}
		}
	}
	for i, col := range s.c.schema {
		if own := s.c.defaults[i]; own != nil {
			s.assignments[i] = own
		} else if i < len(known) && i < len(s.types) {
			s.assignments[i] = assignmentOf(ctx, receives(col, s.c.row), known[i], known[i].Sure, s.types[i])
		}
	}
}

func (s *storedRows) build(ctx *sql.Context, base sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	iter, err := base.Build(ctx, s.rows, row)
	if err != nil {
		return nil, err
	}
	return &storedIter{storedRows: s, iter: iter, strict: strict(ctx) && !s.c.ignore}, nil
}

type storedIter struct {
	*storedRows
	iter      sql.RowIter
	strict    bool
	generated bool  // an AUTO_INCREMENT value was made
	first     int64 // the first of them
}

// Close implements sql.RowIter.
func (i *storedIter) Close(ctx *sql.Context) error { return i.iter.Close(ctx) }

// Next implements sql.RowIter.
func (i *storedIter) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := i.iter.Next(ctx)
	if err != nil {
		i.ended(ctx)
		return nil, err
	}
	if !i.nulls {
		i.c.rows++
	}
	if err := evaluated(ctx, i.strict); err != nil {
		return nil, err
	}
	// Rows of an outer statement may precede the values.
	start := len(row) - len(i.c.schema)
	if start < 0 {
		return row, nil
	}
	out, values, filled := row, row[start:], false
	for at, v := range values {
		own, err := i.value(ctx, at, v)
		if err != nil {
			return nil, err
		}
		if own == nil && v == nil {
			continue
		}
		if &out[0] == &row[0] {
			out = row.Copy()
		}
		filled = filled || v == nil
		out[start+at] = own
	}
	if i.nulls && i.c.auto != nil {
		if len(out) > 0 && &out[0] == &row[0] {
			out = row.Copy()
		}
		if err := i.numbered(ctx, out[start:]); err != nil {
			return nil, err
		}
	}
	if i.c.generated == nil || i.nulls && !filled && !i.c.triggers {
		return out, nil
	}
	if len(out) > 0 && &out[0] == &row[0] {
		out = row.Copy()
	}
	return out, i.c.generated.compute(ctx, out[start:], i.c.rows, i.strict)
}

func (i *storedIter) value(ctx *sql.Context, at int, v any) (any, error) {
	col := i.c.schema[at]
	t := target{ctx: ctx, column: col, row: i.c.rows, strict: i.strict}
	if at < len(i.assignments) {
		t.assignment = i.assignments[at]
	}
	switch {
	case i.nulls && v == nil:
		return i.null(&t, at)
	case i.nulls || v == nil:
		return v, nil
	}
	var from sql.Type
	if at < len(i.types) {
		from = i.types[at]
	}
	return t.store(v, from)
}

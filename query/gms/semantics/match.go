package semantics

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/fulltext"
	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
)

// match is MATCH ... AGAINST: package fulltext searches. It stands in the place of go-mysql-server's.
type match struct {
	against sql.Expression
	columns []sql.Expression // those of the index, in its order
	names   []string
	mode    fulltext.Mode
	table   *tables.Table
	c       *charset.Collation
	state   *matchState // of all copies of the expression
}

// matchState is what a run of the statement knows.
type matchState struct {
	text   string // that was searched for
	search *fulltext.Search
}

var _ sql.Expression = (*match)(nil)

// newMatch makes a match of go-mysql-server's.
func newMatch(ctx *sql.Context, e *expression.MatchAgainst) (sql.Expression, error) {
	table, ok := e.ParentTable.(*tables.Table)
	if !ok {
		return nil, mysqlerr.NotYet("MATCH of such a table")
	}
	m := &match{table: table, against: e.Expr, names: tables.Documents(e.GetIndex()), state: &matchState{}}
	if a, ok := m.against.(*function.Against); ok {
		if m.against, m.mode = a.Child, fulltext.Boolean; a.Mode == function.AgainstExpansion {
			m.mode = fulltext.Expansion
		}
	}
	foreign := false
	transform.InspectExpr(ctx, m.against, func(_ *sql.Context, x sql.Expression) bool {
		field, ok := x.(*expression.GetField)
		foreign = foreign || ok && !strings.EqualFold(field.Table(), "new") && !strings.EqualFold(field.Table(), "old")
		return false
	})
	if foreign {
		return nil, mysqlerr.New(mysqlerr.WrongArguments, "AGAINST")
	}
	fields := e.ColumnsAsGetFields()
	for _, name := range m.names {
		at := slices.IndexFunc(fields, func(f *expression.GetField) bool { return strings.EqualFold(f.Name(), name) })
		if at < 0 {
			return nil, mysqlerr.New(mysqlerr.FTMatchingKeyNotFound)
		}
		m.columns = append(m.columns, fields[at])
		def := table.Definition()
		for i := range def.Columns {
			if def.Columns[i].Name == name {
				m.c, _ = charset.ByID(def.Columns[i].Collation)
			}
		}
	}
	if m.c == nil {
		return nil, mysqlerr.New(mysqlerr.FTMatchingKeyNotFound)
	}
	return m, nil
}

// Resolved implements sql.Expression.
func (m *match) Resolved() bool { return expression.ExpressionsResolved(m.Children()...) }

// String implements sql.Expression.
func (m *match) String() string {
	return "MATCH (" + strings.Join(m.names, ",") + ") AGAINST (" + m.against.String() + ")"
}

// Type implements sql.Expression.
func (m *match) Type(*sql.Context) sql.Type { return types.Float64 }

// IsNullable implements sql.Expression.
func (m *match) IsNullable(*sql.Context) bool { return true }

// Children implements sql.Expression.
func (m *match) Children() []sql.Expression { return append(slices.Clone(m.columns), m.against) }

// WithChildren implements sql.Expression.
func (m *match) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(m.columns)+1 {
		return nil, sql.ErrInvalidChildrenNumber.New(m, len(children), len(m.columns)+1)
	}
	own := *m
	own.columns, own.against = children[:len(m.columns)], children[len(m.columns)]
	return &own, nil
}

// Eval implements sql.Expression.
func (m *match) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	text, err := m.textOf(ctx, m.against, row)
	if err != nil {
		return nil, err
	}
	if m.state.search == nil || m.state.text != string(text) {
		if err := m.begin(ctx, text); err != nil {
			return nil, err
		}
	}
	doc := make([][]byte, len(m.columns))
	for i, column := range m.columns {
		if doc[i], err = m.textOf(ctx, column, row); err != nil {
			return nil, err
		}
	}
	rank := m.state.search.Rank(doc)
	return rank, m.state.search.Err()
}

// textOf is the value of an expression in the character set of the columns; nil for NULL.
func (m *match) textOf(ctx *sql.Context, e sql.Expression, row sql.Row) ([]byte, error) {
	v, err := e.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	return m.convert(ctx, v, e.Type(ctx))
}

func (m *match) convert(ctx *sql.Context, v any, t sql.Type) ([]byte, error) {
	v, err := sql.UnwrapAny(ctx, v)
	if err != nil || v == nil {
		return nil, err
	}
	text, _, err := types.ConvertToCollatedString(ctx, v, t)
	if err != nil {
		return nil, err
	}
	utf8mb4, _ := charset.SetByName("utf8mb4")
	if m.c.Set() == utf8mb4 {
		return []byte(text), nil
	}
	out, _ := charset.Convert(nil, m.c.Set(), utf8mb4, []byte(text))
	return out, nil
}

// begin counts all rows of the table.
func (m *match) begin(ctx *sql.Context, text []byte) error {
	var charge func(n int64) error
	if own := function.SessionOf(ctx); own != nil {
		charge = own.Memory().Hold
		if err := charge(fulltext.Size(text)); err != nil {
			return err
		}
	}
	s, err := fulltext.New(m.c, m.mode, text)
	if err != nil {
		return err
	}
	s.Charge = charge
	s.Interrupted = func() error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return nil
	}
	if !s.Nothing() {
		if err := m.each(ctx, s.Count); err != nil {
			return err
		}
		if s.Again() {
			if err := m.each(ctx, s.Expand); err != nil {
				return err
			}
			s.Expanded()
		}
	}
	m.state.text, m.state.search = string(text), s
	return nil
}

// each calls f for each row of the table, as the statement sees it.
func (m *match) each(ctx *sql.Context, f func(doc [][]byte) error) (err error) {
	table, err := m.table.Whole(ctx, m.names)
	if err != nil {
		return err
	}
	sch := table.Schema(ctx)
	rows, err := table.PartitionRows(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close(ctx)) }()
	doc := make([][]byte, len(m.names))
	for {
		row, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i, name := range m.names {
			at := sch.IndexOfColName(strings.ToLower(name))
			if doc[i], err = m.convert(ctx, row[at], sch[at].Type); err != nil {
				return err
			}
		}
		if err := f(doc); err != nil {
			return err
		}
	}
}

// hasMatch reports whether a plan that was bound has a MATCH.
func hasMatch(ctx *sql.Context, n sql.Node) (found bool) {
	transform.InspectWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) bool {
		if x, ok := n.(sql.Expressioner); ok && !found {
			for _, e := range x.Expressions() {
				transform.InspectExpr(ctx, e, func(ctx *sql.Context, e sql.Expression) bool {
					switch e := e.(type) {
					case *expression.MatchAgainst:
						found = true
					case sql.ExpressionWithNodes:
						for _, below := range e.NodeChildren() {
							found = found || hasMatch(ctx, below)
						}
					}
					return found
				})
			}
		}
		return !found
	})
	return found
}

// noteFloats notes the FLOAT columns of a table.
func (r replacer) noteFloats(ctx *sql.Context, n sql.Node) {
	if r.floats == nil {
		return
	}
	switch n.(type) {
	case *plan.ResolvedTable, *plan.TableAlias:
		for _, c := range n.Schema(ctx) {
			if c.Type == types.Float32 {
				r.floats[[2]string{strings.ToLower(c.Source), strings.ToLower(c.Name)}] = true
			}
		}
	}
}

// ofMatch is a reference to what a MATCH has given: a DOUBLE, where go-mysql-server has said FLOAT.
func (r replacer) ofMatch(ctx *sql.Context, f *expression.GetField) sql.Expression {
	if r.floats == nil || f.Type(ctx) != types.Float32 || r.floats[[2]string{strings.ToLower(f.Table()), strings.ToLower(f.Name())}] {
		return nil
	}
	return expression.NewGetFieldWithTable(f.Index(), int(f.TableId()), types.Float64, f.Database(), f.Table(), f.Name(), f.IsNullable(ctx)).WithId(f.Id())
}

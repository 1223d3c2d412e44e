package semantics

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/gms/fault"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// generated computes the generated columns of a table from the other values of a row, as MariaDB does:
// when a row has got its values, and once more after each BEFORE trigger. go-mysql-server computes them
// once, before defaults and triggers have set the columns that they are made of.
type generated struct {
	schema  sql.Schema
	columns []generatedColumn // in the order of the table: one may name those before it
}

type generatedColumn struct {
	at   int // in the row
	expr sql.Expression
	// assignment is how the expression's values become the column's; nil where it is not known.
	assignment *assignment
}

// generatedOf binds the expressions of the generated columns of a table to its rows, those of a node of the plan; nil if it has none.
// The schema is the table's; what of it is not resolved yet is resolved with cat.
func generatedOf(ctx *sql.Context, cat sql.Catalog, db string, of sql.Table, rows sql.Node, schema sql.Schema) (*generated, error) {
	table := of.Name()
	some, unresolved := false, false
	for _, c := range schema {
		if c.Generated == nil {
			continue
		}
		some = true
		_, text := c.Generated.Expr.(*sql.UnresolvedColumnDefault)
		unresolved = unresolved || text
	}
	if !some {
		return nil, nil // nothing is to be computed
	}
	bound := schema
	if unresolved {
		var err error
		if bound, err = resolveGenerated(ctx, cat, db, table, schema); err != nil {
			return nil, err
		}
	}
	g, in := &generated{schema: schema}, argumentsOf(ctx, rows)
	r := newReplacerOfExpression()
	r.decimals.add(ctx, of, table)
	for i, c := range bound {
		if c.Generated == nil {
			continue
		}
		e, _, err := transform.Expr(ctx, c.Generated.Expr, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			f, ok := e.(*expression.GetField)
			if !ok {
				return r.expr(ctx, e)
			}
			at := schema.IndexOfColName(f.Name())
			if at < 0 {
				return nil, transform.SameTree, sql.ErrColumnNotFound.New(f.Name())
			}
			return f.WithIndex(at), transform.NewTree, nil
		})
		if err != nil {
			return nil, err
		}
		g.columns = append(g.columns, generatedColumn{at: i, expr: e, assignment: assignmentBy(ctx, c, in, e)})
	}
	return g, nil
}

// resolveGenerated makes expressions of the texts of generated columns. The builder panics about what it
// cannot resolve.
func resolveGenerated(ctx *sql.Context, cat sql.Catalog, db, table string, schema sql.Schema) (_ sql.Schema, err error) {
	defer func() {
		if err != nil {
			err = mysqlerr.Newf(mysqlerr.UnknownError, "generated columns of %s: %v", table, err)
		}
	}()
	defer fault.Catch(&err)
	plain := schema.Copy()
	for _, c := range plain {
		c.Default, c.OnUpdate = nil, nil
	}
	return planbuilder.New(ctx, cat, nil).ResolveSchemaDefaults(db, table, plain), nil
}

// compute replaces the generated values of a row. number counts the statement's rows from 1.
func (g *generated) compute(ctx *sql.Context, row sql.Row, number int64, strict bool) error {
	for _, c := range g.columns {
		v, err := c.expr.Eval(ctx, row)
		if err != nil {
			return err
		}
		if err := evaluated(ctx, strict); err != nil {
			return err
		}
		if v != nil {
			t := target{ctx: ctx, column: g.schema[c.at], row: number, strict: strict, assignment: c.assignment}
			if v, err = t.store(v, c.expr.Type(ctx)); err != nil {
				return err
			}
		}
		row[c.at] = v
	}
	return nil
}

// withoutGenerated takes the generated columns' values from the source of an INSERT: they are computed
// from whole rows, later. What the source has for them can only be DEFAULT, or NULL for a table that an
// old dump fills.
func withoutGenerated(ctx *sql.Context, n *plan.InsertInto, g *generated, source sql.Node) (sql.Node, error) {
	own := map[string]bool{}
	for _, c := range g.columns {
		own[strings.ToLower(g.schema[c.at].Name)] = true
	}
	null := expression.NewLiteral(nil, types.Null)
	switch s := source.(type) {
	case *plan.TriggerExecutor:
		left, err := withoutGenerated(ctx, n, g, s.Left())
		if err != nil {
			return nil, err
		}
		return s.WithChildren(ctx, left, s.Right())
	case *plan.Project:
		if len(s.Projections) != len(g.schema) {
			return source, nil
		}
		exprs := append([]sql.Expression{}, s.Projections...)
		for _, c := range g.columns {
			exprs[c.at] = null
		}
		child, err := withoutGenerated(ctx, n, g, s.Child)
		if err != nil {
			return nil, err
		}
		return plan.NewProject(ctx, exprs, child), nil
	case *plan.Values:
		names := n.ColumnNames
		rows := make([][]sql.Expression, len(s.ExpressionTuples))
		for i, row := range s.ExpressionTuples {
			rows[i] = row
			if len(row) != len(names) {
				continue
			}
			rows[i] = append([]sql.Expression{}, row...)
			for j, name := range names {
				if own[strings.ToLower(name)] {
					rows[i][j] = null
				}
			}
		}
		return plan.NewValuesWithAlias(s.AliasName, s.ColumnNames, rows), nil
	}
	return source, nil
}

// computedRows yields the rows of an UPDATE, old and new values, with the generated columns computed
// after the BEFORE triggers.
type computedRows struct {
	rows   sql.Node
	g      *generated
	ignore bool
}

var _ sql.Node = (*computedRows)(nil)

// Schema implements sql.Node.
func (c *computedRows) Schema(ctx *sql.Context) sql.Schema { return c.rows.Schema(ctx) }

// Resolved implements sql.Node.
func (c *computedRows) Resolved() bool { return c.rows.Resolved() }

// IsReadOnly implements sql.Node.
func (c *computedRows) IsReadOnly() bool { return c.rows.IsReadOnly() }

// String implements sql.Node.
func (c *computedRows) String() string { return c.rows.String() }

// Children implements sql.Node.
func (c *computedRows) Children() []sql.Node { return []sql.Node{c.rows} }

// WithChildren implements sql.Node.
func (c *computedRows) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 1)
	}
	own := *c
	own.rows = children[0]
	return &own, nil
}

func (c *computedRows) build(ctx *sql.Context, base sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	iter, err := base.Build(ctx, c.rows, row)
	if err != nil {
		return nil, err
	}
	return &computedIter{computedRows: c, RowIter: iter, strict: strict(ctx) && !c.ignore}, nil
}

type computedIter struct {
	*computedRows
	sql.RowIter
	strict bool
	number int64
}

// Next implements sql.RowIter.
func (i *computedIter) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := i.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	i.number++
	width := len(i.g.schema)
	if len(row) < 2*width {
		return row, nil
	}
	row = row.Copy()
	old, values := row[len(row)-2*width:len(row)-width], row[len(row)-width:]
	if same, err := old.Equals(ctx, values, exactSchema(i.g.schema)); err != nil || same {
		return row, err
	}
	return row, i.g.compute(ctx, values, i.number, i.strict)
}

// computeUpdated puts the computation of generated columns above the BEFORE triggers of an UPDATE.
// Without triggers the UPDATE's own assignments compute them.
func (b *builder) computeUpdated(ctx *sql.Context, n *plan.Update, child sql.Node) (sql.Node, error) {
	triggers := false
	var join *plan.UpdateJoin
	transform.Inspect(child, func(n sql.Node) bool {
		switch n := n.(type) {
		case *plan.TriggerExecutor:
			triggers = true
		case *plan.UpdateJoin:
			join = n
		}
		return true
	})
	if !triggers {
		return child, nil
	}
	if join != nil {
		for _, target := range join.UpdateTargets {
			t, err := plan.GetUpdatable(target)
			if err != nil {
				return nil, err
			}
			for _, c := range t.Schema(ctx) {
				if c.Generated != nil {
					return nil, mysqlerr.New(mysqlerr.NotSupportedYet, "multi-table UPDATE with BEFORE UPDATE triggers and generated columns")
				}
			}
		}
		return child, nil
	}
	table, err := plan.GetUpdatable(child)
	if err != nil {
		return nil, err
	}
	g, err := generatedOf(ctx, b.catalog, "", table, child, table.Schema(ctx))
	if err != nil || g == nil {
		return child, err
	}
	return &computedRows{rows: child, g: g, ignore: n.Ignore}, nil
}

// orderDerived puts the assignments that follow from others in the order of MariaDB: ON UPDATE
// CURRENT_TIMESTAMP first, as generated columns may be made of it.
func orderDerived(ctx *sql.Context, exprs []sql.Expression, explicit int) []sql.Expression {
	out := append([]sql.Expression{}, exprs[:explicit]...)
	var later []sql.Expression
	for _, e := range exprs[explicit:] {
		reads := false
		if set, ok := e.(*expression.SetField); ok {
			sql.Inspect(ctx, set.RightChild, func(_ *sql.Context, e sql.Expression) bool {
				_, field := e.(*expression.GetField)
				reads = reads || field
				return !reads
			})
		}
		if reads {
			later = append(later, e)
			continue
		}
		out = append(out, e)
	}
	return append(out, later...)
}

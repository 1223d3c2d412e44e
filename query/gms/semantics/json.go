package semantics

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/gms/computed"
	"github.com/duramendb/duramen/query/gms/evalcall"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// newReplacerOfExpression is for an expression outside of a plan.
func newReplacerOfExpression() replacer {
	return replacer{decimals: decimals{}, documents: map[sql.ColumnId]sql.Type{}}
}

// definedJSON gives the column that an ALTER TABLE defines the type that JSON columns have here: its default is written to rows.
func definedJSON(n sql.Node) {
	var col *sql.Column
	switch n := n.(type) {
	case *plan.AddColumn:
		col = n.Column()
	case *plan.ModifyColumn:
		col = n.NewColumn()
	}
	if col == nil || !types.IsJSON(col.Type) {
		return
	}
	col.Type = schema.ColumnJSON
	for _, v := range []*sql.ColumnDefaultValue{col.Default, col.Generated, col.OnUpdate} {
		if v != nil && types.IsJSON(v.OutType) {
			v.OutType = col.Type
		}
	}
}

// plainJSON is JSON as a text like others: for what does not ask whether it is JSON.
type plainJSON struct {
	expression.UnaryExpressionStub
}

var (
	_ sql.Expression         = (*plainJSON)(nil)
	_ sql.CollationCoercible = (*plainJSON)(nil)
)

// Type implements sql.Expression.
func (p *plainJSON) Type(ctx *sql.Context) sql.Type {
	if t, ok := p.Child.Type(ctx).(schema.JSON); ok {
		return t.StringType
	}
	return schema.ColumnJSON.StringType
}

// CollationCoercibility implements sql.CollationCoercible.
func (p *plainJSON) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, p.Child)
}

// String implements sql.Expression.
func (p *plainJSON) String() string { return p.Child.String() }

// WithChildren implements sql.Expression.
func (p *plainJSON) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(p, len(children), 1)
	}
	own := *p
	own.Child = children[0]
	return &own, nil
}

// Eval implements sql.Expression.
func (p *plainJSON) Eval(ctx *sql.Context, row sql.Row) (any, error) { return p.Child.Eval(ctx, row) }

// json replaces what is about JSON; nil if e stays, whose children were here.
func (r replacer) json(ctx *sql.Context, e sql.Expression) (sql.Expression, error) {
	switch x := e.(type) {
	case *evalcall.Call:
		if !x.Resolved() {
			return nil, nil
		}
		own, err := r.withTexts(ctx, x)
		if err != nil {
			return nil, err
		}
		if own != nil {
			x = own.(*evalcall.Call)
		}
		if err := r.certain(ctx, x.Children()); err != nil {
			return nil, err
		}
		return own, x.Bind(ctx)
	case *aggregation.JsonArray, *aggregation.JSONObjectAgg:
		own, err := r.withTexts(ctx, e)
		if err != nil {
			return nil, err
		}
		if own == nil {
			own = e
		}
		if err := r.certain(ctx, own.Children()); err != nil {
			return nil, err
		}
		a, _ := evalcall.NewAggregate(own.(sql.IdExpression).WithId(e.(sql.IdExpression).Id()).(sql.Expression))
		if err := a.Bind(ctx); err != nil {
			return nil, err
		}
		if r.documents != nil {
			r.documents[a.Id()] = a.Type(ctx)
		}
		return a, nil
	case *expression.GetField:
		if !types.IsJSON(x.Type(ctx)) {
			return nil, nil
		}
		t, ok := r.documents[x.Id()]
		if !ok {
			t = schema.ColumnJSON.StringType // of JSON_TABLE, which MariaDB does not take for JSON
		}
		return expression.NewGetFieldWithTable(x.Index(), int(x.TableId()), t, x.Database(), x.Table(), x.Name(), x.IsNullable(ctx)).WithId(x.Id()), nil
	}
	return r.withPlainJSON(ctx, e)
}

// withPlainJSON makes plain texts of the arguments that are JSON where an expression does not ask for it; nil if none is.
func (r replacer) withPlainJSON(ctx *sql.Context, e sql.Expression) (sql.Expression, error) {
	children := e.Children()
	some := false
	for _, c := range children {
		if c == nil || !c.Resolved() {
			return nil, nil
		}
		some = some || schema.IsJSON(c.Type(ctx))
	}
	if !some {
		return nil, nil
	}
	from := keepsJSON(ctx, e, children)
	var out []sql.Expression
	for i, c := range children {
		if _, ok := c.(*sql.ColumnDefaultValue); ok || from[i] || !schema.IsJSON(c.Type(ctx)) {
			continue
		}
		if out == nil {
			out = append([]sql.Expression{}, children...)
		}
		out[i] = &plainJSON{expression.UnaryExpressionStub{Child: c}}
	}
	if out == nil {
		return nil, nil
	}
	own, err := e.WithChildren(ctx, out...)
	if err != nil {
		return nil, err
	}
	if a, ok := e.(sql.Aggregation); ok {
		own = own.(sql.IdExpression).WithId(a.Id()).(sql.Expression)
	}
	replaced, _, err := r.expr(ctx, own)
	return replaced, err
}

// noteDocuments notes what the columns of a derived table are that aggregate functions make: go-mysql-server has its own type of JSON for them.
func (r replacer) noteDocuments(ctx *sql.Context, n *plan.SubqueryAlias) {
	if r.documents == nil {
		return
	}
	sch, at := n.Child.Schema(ctx), 0
	n.Columns().ForEach(func(id sql.ColumnId) {
		if at < len(sch) {
			if t, ok := sch[at].Type.(sql.StringType); ok && !types.IsJSON(t) {
				r.documents[id] = t
			}
		}
		at++
	})
}

// keepsJSON tells which arguments an expression takes as what they are.
func keepsJSON(ctx *sql.Context, e sql.Expression, children []sql.Expression) []bool {
	keeps := make([]bool, len(children))
	all := func(list []bool) {
		for i := range list {
			list[i] = true
		}
	}
	onlyJSON := func(values []int) {
		for _, i := range values {
			if t := children[i].Type(ctx); !schema.IsJSON(t) && t != types.Null {
				return
			}
		}
		for _, i := range values {
			keeps[i] = true
		}
	}
	switch x := e.(type) {
	case *plainJSON, *expression.Alias, *expression.SetField, *stored, *aggregation.Max, *aggregation.Min, *aggregation.First, *aggregation.Last,
		*sql.ColumnDefaultValue, *evalcall.Aggregate, *computed.Window:
		all(keeps)
	case *plan.InSubquery:
		keeps[1] = true
	case *function.NullIf:
		keeps[0] = true
	case *function.If:
		onlyJSON([]int{1, 2})
	case *function.IfNull, *function.Coalesce:
		var values []int
		for i := range children {
			values = append(values, i)
		}
		onlyJSON(values)
	case *expression.Case:
		var values []int
		at := 0
		if x.Expr != nil {
			at++
		}
		for range x.Branches {
			values = append(values, at+1)
			at += 2
		}
		if x.Else != nil {
			values = append(values, at)
		}
		onlyJSON(values)
	}
	return keeps
}

// certain refuses columns of derived tables that are conditions: MariaDB's JSON has true for them where it takes the query into the other one, and 1 where
// it does not.
func (r replacer) certain(ctx *sql.Context, args []sql.Expression) error {
	for _, a := range args {
		f, ok := a.(*expression.GetField)
		if ok && f.Table() == "" && f.Type(ctx) == types.Boolean { // of an aggregate function
			return mysqlerr.NotYet("JSON of MAX or MIN of a condition, in a statement of several tables; use IF(c, 1, 0) or IF(c, 'true', 'false')")
		}
		if ok && r.truths[[2]string{strings.ToLower(f.Table()), strings.ToLower(f.Name())}] {
			return mysqlerr.NotYet("JSON of a condition that a view or a derived table has; use IF(c, 1, 0) or IF(c, 'true', 'false')")
		}
	}
	return nil
}

// noteTruth notes a column of a derived table that is a condition.
func (r *replacer) noteTruth(ctx *sql.Context, alias *plan.SubqueryAlias, at int, c *sql.Column) {
	if c.Type != types.Boolean || !truthColumn(ctx, alias.Child, at) {
		return
	}
	if r.truths == nil {
		r.truths = map[[2]string]bool{}
	}
	r.truths[[2]string{strings.ToLower(alias.Name()), strings.ToLower(c.Name)}] = true
}

// truthColumn reports whether a column of a query is a condition, or may be.
func truthColumn(ctx *sql.Context, n sql.Node, at int) bool {
	switch n := n.(type) {
	case *plan.Project:
		return at < len(n.Projections) && truthExpression(ctx, n.Child, n.Projections[at])
	case *plan.SetOp, *plan.RecursiveCte: // which is kept in a table
		return false
	case *plan.SubqueryAlias:
		return truthColumn(ctx, n.Child, at)
	}
	if c := n.Children(); len(c) == 1 && len(c[0].Schema(ctx)) == len(n.Schema(ctx)) {
		return truthColumn(ctx, c[0], at)
	}
	return false
}

func truthExpression(ctx *sql.Context, below sql.Node, e sql.Expression) bool {
	if alias, ok := e.(*expression.Alias); ok {
		return truthExpression(ctx, below, alias.Child)
	}
	f, ok := e.(*expression.GetField)
	if !ok {
		return e.Type(ctx) == types.Boolean
	}
	found := false
	transform.Inspect(below, func(n sql.Node) bool {
		if alias, ok := n.(*plan.SubqueryAlias); ok && strings.EqualFold(alias.Name(), f.Table()) {
			for i, c := range alias.Schema(ctx) {
				found = found || strings.EqualFold(c.Name, f.Name()) && truthColumn(ctx, alias.Child, i)
			}
		}
		return !found
	})
	return found
}

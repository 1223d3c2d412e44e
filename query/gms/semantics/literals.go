package semantics

import (
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// signedLiteral gives a whole number a signed type, as long as one holds it:
// go-mysql-server takes the smallest type, so that 200 is unsigned and 100 is not.
func signedLiteral(ctx *sql.Context, l *expression.Literal) sql.Expression {
	switch v := l.Value().(type) {
	case uint8:
		return expression.NewLiteral(int16(v), types.Int16)
	case uint16:
		return expression.NewLiteral(int32(v), types.Int32)
	case uint32:
		return expression.NewLiteral(int64(v), types.Int64)
	case uint64:
		if v <= math.MaxInt64 && l.Type(ctx) == types.Uint64 {
			return expression.NewLiteral(int64(v), types.Int64)
		}
	}
	return nil
}

// newReplacer notes which columns of the derived tables in a plan are literals:
// the references to them have got go-mysql-server's type already.
func newReplacer(ctx *sql.Context, n sql.Node) replacer {
	r := newReplacerOfExpression()
	if hasMatch(ctx, n) {
		r.floats = map[[2]string]bool{}
	}
	transform.InspectWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) bool {
		r.noteFloats(ctx, n)
		r.decimals.addNode(ctx, n)
		alias, ok := n.(*plan.SubqueryAlias)
		if !ok || !alias.Resolved() {
			return true
		}
		for i, c := range alias.Schema(ctx) {
			r.noteTruth(ctx, alias, i, c)
			if smallUnsigned(c.Type) && literalColumn(alias.Child, i) {
				if r.signed == nil {
					r.signed = map[[2]string]bool{}
				}
				r.signed[[2]string{strings.ToLower(alias.Name()), strings.ToLower(c.Name)}] = true
			}
		}
		return true
	})
	return r
}

func smallUnsigned(t sql.Type) bool {
	return t == types.Uint8 || t == types.Uint16 || t == types.Uint32
}

// literalColumn reports whether a column of a query is made of literals only.
func literalColumn(n sql.Node, at int) bool {
	switch n := n.(type) {
	case *plan.Project:
		return at < len(n.Projections) && literalOnly(n.Projections[at])
	case *plan.SetOp:
		return literalColumn(n.Left(), at) && literalColumn(n.Right(), at)
	case *plan.RecursiveCte:
		return literalColumn(n.Left(), at)
	}
	if c := n.Children(); len(c) == 1 {
		return literalColumn(c[0], at)
	}
	return false
}

func literalOnly(e sql.Expression) bool {
	switch e.(type) {
	case *expression.GetField, *expression.Convert, *plan.Subquery:
		return false
	}
	for _, c := range e.Children() {
		if !literalOnly(c) {
			return false
		}
	}
	return true
}

// signedColumn gives a reference to a column of literals their type.
func (r replacer) signedColumn(ctx *sql.Context, f *expression.GetField) sql.Expression {
	if len(r.signed) == 0 || !smallUnsigned(f.Type(ctx)) || !r.signed[[2]string{strings.ToLower(f.Table()), strings.ToLower(f.Name())}] {
		return nil
	}
	return expression.NewGetFieldWithTable(f.Index(), int(f.TableId()), types.Int64, f.Database(), f.Table(), f.Name(), f.IsNullable(ctx)).WithId(f.Id())
}

package function

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Quantified is the left operand of a comparison with ANY or ALL, which stands as an IN in the tree until package compare takes it out.
type Quantified struct {
	expression.UnaryExpressionStub
	Operator string // < <= > >= = <>
	All      bool
}

var (
	_ sql.FunctionExpression = (*Quantified)(nil)
	_ sql.CollationCoercible = (*Quantified)(nil)
)

// quantifiedWords are the operators as names of functions have them.
var quantifiedWords = map[string]string{"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "=": "eq", "<>": "ne"}

// QuantifiedName is the name of the function that says which comparison it is: "<= ALL".
func QuantifiedName(comparison string) string {
	op, word, _ := strings.Cut(strings.TrimSpace(comparison), " ")
	return "quantified_" + quantifiedWords[op] + "_" + strings.ToLower(word)
}

func quantifiedFunctions() map[string]sql.Function {
	out := map[string]sql.Function{}
	for op := range quantifiedWords {
		for _, word := range []string{"ANY", "ALL"} {
			name := QuantifiedName(op + " " + word)
			out[name] = sql.Function1{Name: name, Fn: func(_ *sql.Context, e sql.Expression) sql.Expression {
				return &Quantified{expression.UnaryExpressionStub{Child: e}, op, word == "ALL"}
			}}
		}
	}
	return out
}

// FunctionName implements sql.FunctionExpression.
func (q *Quantified) FunctionName() string { return "quantified" }

// Description implements sql.FunctionExpression.
func (q *Quantified) Description() string { return "the left operand of a comparison with ANY or ALL" }

// Type implements sql.Expression.
func (q *Quantified) Type(ctx *sql.Context) sql.Type { return q.Child.Type(ctx) }

// CollationCoercibility implements sql.CollationCoercible.
func (q *Quantified) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, q.Child)
}

// String implements sql.Expression.
func (q *Quantified) String() string { return q.Child.String() }

// Eval implements sql.Expression.
func (q *Quantified) Eval(*sql.Context, sql.Row) (any, error) {
	return nil, mysqlerr.NotYet("a comparison with ANY or ALL in this place")
}

// WithChildren implements sql.Expression.
func (q *Quantified) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(q, len(children), 1)
	}
	own := *q
	own.Child = children[0]
	return &own, nil
}

package computed

import (
	"context"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// Session is what a session of go-mysql-server has for expressions of ours.
type Session interface {
	// Evaluation is how expressions are bound and computed in the running statement. Several expressions use the same frame, one after the other.
	Evaluation(ctx *sql.Context) (*bind.Binder, *eval.Frame, error)
}

// source is an expression in a syntax tree: its children are what it is for go-mysql-server, and what that yields.
type source struct {
	x    tree.Expr
	text string // as it was written
	// condition: it is compared in a condition, perhaps of columns.
	condition bool
	// truth: it is the truth of a column.
	truth bool
	// json: there is a function of JSON in it.
	json bool
}

// String is the expression as it was: it is part of the text of a subquery.
func (s *source) String() string { return s.text }

// WithResolvedChildren implements sqlparser.Injectable.
func (s *source) WithResolvedChildren(_ context.Context, children []any) (any, error) {
	e := &Expr{source: s}
	for i, child := range children {
		x, ok := child.(sql.Expression)
		if !ok {
			return nil, fmt.Errorf("an argument that is no expression: %T", child)
		}
		if i == 0 {
			e.theirs = x
		} else {
			e.args = append(e.args, x)
		}
	}
	return e, nil
}

// Expr is an expression that SQL of our own computes, or may. Before Settle has decided it is what go-mysql-server makes of it.
type Expr struct {
	source *source
	theirs sql.Expression
	args   []sql.Expression
	own    *program // nil before Settle
}

var (
	_ sql.Expression         = (*Expr)(nil)
	_ sql.CollationCoercible = (*Expr)(nil)
)

// MariaDBType is the type that the value has in MariaDB.
func (e *Expr) MariaDBType() types.Type { return e.own.x.Type }

// Known reports whether MariaDBType is known.
func (e *Expr) Known() bool { return e.own != nil }

// Divides reports whether a quotient is part of the expression.
func (e *Expr) Divides() (found bool) {
	tree.Walk(e.source.x, func(n tree.Node) bool {
		b, ok := n.(*tree.Binary)
		found = found || ok && b.Op == tree.OpDivide
		return !found
	})
	return found
}

// Exact reports whether each DECIMAL value has as many digits as its type says, also as a text: that of a sum, a difference, a product.
func (e *Expr) Exact() bool {
	exact := true
	tree.Walk(e.source.x, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Binary:
			exact = exact && (n.Op == tree.OpPlus || n.Op == tree.OpMinus || n.Op == tree.OpTimes)
		case *tree.Unary:
			exact = exact && (n.Op == tree.OpNegate || n.Op == tree.OpPositive)
		case *tree.ColumnRef, *tree.NumberLit, *tree.Ident:
		default:
			exact = false
		}
		return exact
	})
	return exact
}

// Resolved implements sql.Expression.
func (e *Expr) Resolved() bool { return expression.ExpressionsResolved(e.args...) }

// String implements sql.Expression: go-mysql-server finds expressions that are the same by their texts.
func (e *Expr) String() string { return e.theirs.String() }

// DebugString implements sql.DebugStringer.
func (e *Expr) DebugString(ctx *sql.Context) string { return sql.DebugString(ctx, e.theirs) }

// Type implements sql.Expression.
func (e *Expr) Type(ctx *sql.Context) sql.Type {
	if e.own != nil {
		return e.own.gms
	}
	return e.theirs.Type(ctx)
}

// IsNullable implements sql.Expression.
func (e *Expr) IsNullable(ctx *sql.Context) bool {
	if e.own != nil {
		return e.own.x.Type.Nullable
	}
	return e.theirs.IsNullable(ctx)
}

// CollationCoercibility implements sql.CollationCoercible.
func (e *Expr) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if e.own == nil {
		return sql.GetCoercibility(ctx, e.theirs)
	}
	return coercibilityOf(e.own.x.Type)
}

// coercibilityOf is the collation of a type, and how strong it is.
func coercibilityOf(t types.Type) (sql.CollationID, byte) {
	if t.Collation == nil || t.Kind.Class() != types.ClassText {
		return sql.Collation_binary, 5
	}
	return sql.CollationID(t.Collation.ID()), coercibilities[t.Derivation]
}

var coercibilities = map[charset.Derivation]byte{
	charset.Explicit: 0, charset.None: 1, charset.Implicit: 2, charset.SysConst: 3, charset.Coercible: 4, charset.Numeric: 5, charset.Ignorable: 6,
}

// Children implements sql.Expression. Before Settle the expression of go-mysql-server is one of them, the last, so that what goes over all expressions of a
// plan finds it.
func (e *Expr) Children() []sql.Expression {
	if e.own != nil {
		return e.args
	}
	return append(append(make([]sql.Expression, 0, len(e.args)+1), e.args...), e.theirs)
}

// WithChildren implements sql.Expression.
func (e *Expr) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(e.Children()) {
		return nil, sql.ErrInvalidChildrenNumber.New(e, len(children), len(e.Children()))
	}
	out := *e
	out.args = children[:len(e.args)]
	if e.own == nil {
		out.theirs = children[len(e.args)]
	}
	return &out, nil
}

// Eval implements sql.Expression.
func (e *Expr) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if e.own == nil {
		return e.theirs.Eval(ctx, row)
	}
	values, err := e.arguments(ctx, row)
	if err != nil {
		return nil, err
	}
	return e.own.compute(ctx, values)
}

func (e *Expr) arguments(ctx *sql.Context, row sql.Row) ([]types.Value, error) {
	values := make([]types.Value, len(e.args))
	for i, arg := range e.args {
		v, err := arg.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		if values[i], err = e.own.leaves[i].value(ctx, v); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// Exactly is the value with all digits that a quotient has before it is stored; it is valid until the next one is computed. ok is false for an expression
// of go-mysql-server's.
func (e *Expr) Exactly(ctx *sql.Context, row sql.Row) (v types.Value, ok bool, err error) {
	if e.own == nil {
		return v, false, nil
	}
	values, err := e.arguments(ctx, row)
	if err != nil {
		return v, false, err
	}
	v, err = e.own.value(ctx, values)
	return v, err == nil, err
}

// program is an expression that was bound.
type program struct {
	x      *eval.Expr
	frame  *eval.Frame // in whose memory it has its places
	gms    sql.Type
	leaves []leaf
}

func (p *program) compute(ctx *sql.Context, values []types.Value) (any, error) {
	v, err := p.value(ctx, values)
	if err != nil || v.Null {
		return nil, err
	}
	return given(p.x.Type, p.gms, v)
}

func (p *program) value(ctx *sql.Context, values []types.Value) (v types.Value, err error) {
	s, ok := ctx.Session.(Session)
	if !ok {
		return v, mysqlerr.NotYet("an expression outside of a session")
	}
	_, now, err := s.Evaluation(ctx)
	if err != nil {
		return v, err
	}
	f := p.frame
	f.Diag.Strict = now.Diag.Strict
	f.Reset()
	f.Kept = values
	f.Diag.Reset(0)
	v = p.x.Compute(f)
	return v, tell(ctx, f)
}

// tell hands the conditions that a frame has collected on to the session; an error among them is returned.
func tell(ctx *sql.Context, f *eval.Frame) error {
	for _, c := range f.Diag.Conditions {
		if c.Level != types.Error {
			ctx.Session.Warn(&sql.Warning{Level: c.Level.String(), Code: int(c.Number), Message: c.Message})
		}
	}
	if failed := f.Diag.Failed(); failed != nil {
		return failed
	}
	return nil
}

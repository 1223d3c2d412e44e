package semantics

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// whole is + - * DIV % of whole numbers: 64 bits, unsigned if an operand is, and
// error 1690 when the result leaves that range.
type whole struct {
	expression.BinaryExpressionStub
	op string
}

var (
	_ sql.Expression         = (*whole)(nil)
	_ sql.CollationCoercible = (*whole)(nil)
)

// newWhole gives nil if an operand is no whole number.
func newWhole(ctx *sql.Context, left, right sql.Expression, op string) sql.Expression {
	if !isWhole(ctx, left) || !isWhole(ctx, right) {
		return nil
	}
	return &whole{expression.BinaryExpressionStub{LeftChild: left, RightChild: right}, strings.ToLower(op)}
}

// newArithmetic replaces + - *: of whole numbers altogether, of doubles by the
// same with a check of the range, of times by DATE_ADD and DATE_SUB.
func newArithmetic(ctx *sql.Context, e *expression.Arithmetic) sql.Expression {
	if isInterval(e.LeftChild) || isInterval(e.RightChild) {
		return addInterval(ctx, e)
	}
	if !e.Resolved() {
		return nil
	}
	if own := newWhole(ctx, e.LeftChild, e.RightChild, e.Op); own != nil {
		return own
	}
	if t := e.Type(ctx); t == types.Float64 {
		return &checkedDouble{e}
	}
	return nil
}

// addInterval is DATE_ADD or DATE_SUB, which know NULL; the operator does not.
func addInterval(ctx *sql.Context, e *expression.Arithmetic) sql.Expression {
	left, right := e.LeftChild, e.RightChild
	if isInterval(left) {
		left, right = right, left
	}
	if !left.Resolved() {
		return nil
	}
	add := function.NewDateAdd
	if e.Op == sqlparser.MinusStr {
		add = function.NewDateSub
	}
	own, err := add(ctx, left, right)
	if err != nil {
		return nil
	}
	return own
}

func isInterval(e sql.Expression) bool {
	_, ok := e.(*expression.Interval)
	return ok
}

func isWhole(ctx *sql.Context, e sql.Expression) bool {
	if !e.Resolved() {
		return false
	}
	t := e.Type(ctx)
	return !types.IsNull(ctx, e) && (types.IsInteger(t) || types.IsYear(t) || types.IsBit(t))
}

func isUnsigned(ctx *sql.Context, e sql.Expression) bool {
	t := e.Type(ctx)
	return types.IsUnsigned(t) || types.IsYear(t) || types.IsBit(t)
}

// Type implements sql.Expression.
func (w *whole) Type(ctx *sql.Context) sql.Type {
	if w.unsigned(ctx) {
		return types.Uint64
	}
	return types.Int64
}

func (w *whole) unsigned(ctx *sql.Context) bool {
	left, right := isUnsigned(ctx, w.LeftChild), isUnsigned(ctx, w.RightChild)
	switch w.op {
	case sqlparser.ModStr:
		return left // the remainder has the sign of the left operand
	case sqlparser.MinusStr:
		return (left || right) && !hasMode(ctx, "NO_UNSIGNED_SUBTRACTION")
	}
	return left || right
}

// IsNullable implements sql.Expression.
func (w *whole) IsNullable(ctx *sql.Context) bool {
	switch w.op {
	case sqlparser.ModStr, sqlparser.IntDivStr:
		return true
	}
	return w.BinaryExpressionStub.IsNullable(ctx)
}

// CollationCoercibility implements sql.CollationCoercible.
func (*whole) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// String implements sql.Expression.
func (w *whole) String() string { return fmt.Sprintf("(%s %s %s)", w.LeftChild, w.op, w.RightChild) }

// WithChildren implements sql.Expression.
func (w *whole) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(w, len(children), 2)
	}
	return &whole{expression.BinaryExpressionStub{LeftChild: children[0], RightChild: children[1]}, w.op}, nil
}

// Eval implements sql.Expression.
func (w *whole) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	l, err := wholeValue(ctx, w.LeftChild, row)
	if err != nil || l.null {
		return nil, err
	}
	r, err := wholeValue(ctx, w.RightChild, row)
	if err != nil || r.null {
		return nil, err
	}
	var out number
	fits := true
	switch w.op {
	case sqlparser.PlusStr:
		out, fits = l.add(r)
	case sqlparser.MinusStr:
		out, fits = l.add(number{neg: !r.neg, abs: r.abs})
	case sqlparser.MultStr:
		hi, lo := bits.Mul64(l.abs, r.abs)
		out, fits = number{neg: l.neg != r.neg, abs: lo}, hi == 0
	default:
		if r.abs == 0 {
			warnDivision(ctx)
			return nil, nil
		}
		if w.op == sqlparser.ModStr {
			out = number{neg: l.neg, abs: l.abs % r.abs}
		} else {
			out = number{neg: l.neg != r.neg, abs: l.abs / r.abs}
		}
	}
	unsigned := w.unsigned(ctx)
	if v, ok := out.value(unsigned); fits && ok {
		return v, nil
	}
	kind := "BIGINT"
	if unsigned {
		kind = "BIGINT UNSIGNED"
	}
	return nil, mysqlerr.New(mysqlerr.DataOutOfRange, kind, printed(w))
}

func warnDivision(ctx *sql.Context) {
	if hasMode(ctx, "ERROR_FOR_DIVISION_BY_ZERO") {
		ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: int(mysqlerr.DivisionByZero), Message: "Division by 0"})
	}
}

// number is a whole number between -(2^64-1) and 2^64-1, or NULL.
type number struct {
	null, neg bool
	abs       uint64
}

func signed(v int64) number {
	if v < 0 {
		return number{neg: true, abs: -uint64(v)}
	}
	return number{abs: uint64(v)}
}

func (n number) add(m number) (number, bool) {
	switch {
	case n.neg == m.neg:
		sum, carry := bits.Add64(n.abs, m.abs, 0)
		return number{neg: n.neg, abs: sum}, carry == 0
	case n.abs >= m.abs:
		return number{neg: n.neg, abs: n.abs - m.abs}, true
	}
	return number{neg: m.neg, abs: m.abs - n.abs}, true
}

// value is the number as int64 or uint64, if it fits.
func (n number) value(unsigned bool) (any, bool) {
	if unsigned {
		return n.abs, !n.neg || n.abs == 0
	}
	if n.neg {
		return int64(-n.abs), n.abs <= 1<<63
	}
	return int64(n.abs), n.abs <= math.MaxInt64
}

// wholeValue evaluates an expression of a whole type.
func wholeValue(ctx *sql.Context, e sql.Expression, row sql.Row) (number, error) {
	v, err := e.Eval(ctx, row)
	if err != nil {
		return number{}, err
	}
	for {
		switch n := v.(type) {
		case nil:
			return number{null: true}, nil
		case bool:
			if n {
				return number{abs: 1}, nil
			}
			return number{}, nil
		case int:
			return signed(int64(n)), nil
		case int8:
			return signed(int64(n)), nil
		case int16:
			return signed(int64(n)), nil
		case int32:
			return signed(int64(n)), nil
		case int64:
			return signed(n), nil
		case uint:
			return number{abs: uint64(n)}, nil
		case uint8:
			return number{abs: uint64(n)}, nil
		case uint16:
			return number{abs: uint64(n)}, nil
		case uint32:
			return number{abs: uint64(n)}, nil
		case uint64:
			return number{abs: n}, nil
		}
		to := types.Int64
		if isUnsigned(ctx, e) {
			to = types.Uint64
		}
		if v, _, err = to.Convert(ctx, v); err != nil {
			return number{}, err
		}
	}
}

// negation is unary minus of a whole number that is no literal.
type negation struct{ expression.UnaryExpressionStub }

var (
	_ sql.Expression         = (*negation)(nil)
	_ sql.CollationCoercible = (*negation)(nil)
)

func newNegation(ctx *sql.Context, e *expression.UnaryMinus) sql.Expression {
	if !isWhole(ctx, e.Child) {
		return nil
	}
	if l, ok := e.Child.(*expression.Literal); ok {
		n, err := wholeValue(ctx, l, nil)
		if err != nil || n.null {
			return nil
		}
		if v, ok := (number{neg: !n.neg, abs: n.abs}).value(false); ok {
			return expression.NewLiteral(v, types.Int64)
		}
		// Beyond 64 bits it is a DECIMAL.
		d := new(apd.Decimal)
		d.Coeff.SetUint64(n.abs)
		d.Negative = !n.neg
		return expression.NewLiteral(d, types.MustCreateDecimalType(20, 0))
	}
	return &negation{expression.UnaryExpressionStub{Child: e.Child}}
}

// Type implements sql.Expression.
func (*negation) Type(*sql.Context) sql.Type { return types.Int64 }

// CollationCoercibility implements sql.CollationCoercible.
func (*negation) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// String implements sql.Expression.
func (n *negation) String() string { return fmt.Sprintf("-%s", n.Child) }

// WithChildren implements sql.Expression.
func (n *negation) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 1)
	}
	return &negation{expression.UnaryExpressionStub{Child: children[0]}}, nil
}

// Eval implements sql.Expression.
func (n *negation) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := wholeValue(ctx, n.Child, row)
	if err != nil || v.null {
		return nil, err
	}
	if out, ok := (number{neg: !v.neg, abs: v.abs}).value(false); ok {
		return out, nil
	}
	return nil, mysqlerr.New(mysqlerr.DataOutOfRange, "BIGINT", printed(n))
}

// checkedDouble is + - * of doubles, whose result must be finite.
type checkedDouble struct{ *expression.Arithmetic }

// WithChildren implements sql.Expression.
func (c *checkedDouble) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := c.Arithmetic.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &checkedDouble{e.(*expression.Arithmetic)}, nil
}

// Eval implements sql.Expression.
func (c *checkedDouble) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Arithmetic.Eval(ctx, row)
	if f, ok := v.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
		return nil, mysqlerr.New(mysqlerr.DataOutOfRange, "DOUBLE", printed(c))
	}
	return v, err
}

// printed is an expression as MariaDB's messages show it.
func printed(e sql.Expression) string {
	operand := func(e sql.Expression) string {
		switch e.(type) {
		case *whole, *checkedDouble:
			return "(" + printed(e) + ")"
		}
		return printed(e)
	}
	switch e := e.(type) {
	case *whole:
		return operand(e.LeftChild) + " " + e.op + " " + operand(e.RightChild)
	case *checkedDouble:
		return operand(e.LeftChild) + " " + e.Op + " " + operand(e.RightChild)
	case *negation:
		return "-" + operand(e.Child)
	case *expression.GetField:
		out := "`" + e.Name() + "`"
		if e.Table() != "" {
			out = "`" + e.Table() + "`." + out
			if e.Database() != "" {
				out = "`" + e.Database() + "`." + out
			}
		}
		return out
	}
	return e.String()
}

package operator

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Name is how messages call an operator.
func Name(op tree.Op) string {
	if op == tree.OpModulo {
		return "MOD"
	}
	if op == tree.OpIntDivide {
		return "DIV"
	}
	return strings.ToLower(op.String())
}

// Binary is x op y.
func Binary(b *eval.Builder, op tree.Op, x, y *eval.Expr) (*eval.Expr, error) {
	switch op {
	case tree.OpOr, tree.OpAnd, tree.OpXor:
		return logic(b, op, x, y)
	case tree.OpEqual, tree.OpNullSafeEqual, tree.OpNotEqual, tree.OpLess, tree.OpLessEqual, tree.OpGreater, tree.OpGreaterEqual:
		return compare(b, op, x, y)
	case tree.OpBitOr, tree.OpBitAnd, tree.OpBitXor, tree.OpShiftLeft, tree.OpShiftRight:
		return bitwise(b, op, x, y)
	case tree.OpPlus, tree.OpMinus, tree.OpTimes, tree.OpDivide, tree.OpIntDivide, tree.OpModulo:
		return arithmetic(b, op, x, y)
	}
	return nil, mysqlerr.NotYet("operator " + op.String())
}

// Unary is op x.
func Unary(b *eval.Builder, op tree.Op, x *eval.Expr) (*eval.Expr, error) {
	switch op {
	case tree.OpNegate:
		return negate(b, x)
	case tree.OpPositive:
		return x, nil
	case tree.OpBitNot:
		return bitNot(b, x)
	case tree.OpNot:
		return Not(b, x)
	}
	return nil, mysqlerr.NotYet("operator " + op.String())
}

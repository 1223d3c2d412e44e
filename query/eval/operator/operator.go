package operator

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Binary is x op y.
func Binary(b *eval.Builder, op tree.Op, x, y *eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("operator " + op.String())
}

// Unary is op x.
func Unary(b *eval.Builder, op tree.Op, x *eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("operator " + op.String())
}

// IsNull is x IS NULL.
func IsNull(b *eval.Builder, x *eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("IS NULL")
}

// IsTruth is x IS TRUE, or IS FALSE.
func IsTruth(b *eval.Builder, x *eval.Expr, truth bool) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("IS TRUE")
}

// In is x IN (list).
func In(b *eval.Builder, x *eval.Expr, list []*eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("IN")
}

// Between is x BETWEEN low AND high.
func Between(b *eval.Builder, x, low, high *eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("BETWEEN")
}

// Not is NOT x, as IN, BETWEEN, LIKE and IS with a NOT have it.
func Not(b *eval.Builder, x *eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("NOT")
}

// When is an arm of CASE.
type When struct{ If, Then *eval.Expr }

// Case is CASE x WHEN ... END; x and otherwise may be nil.
func Case(b *eval.Builder, x *eval.Expr, whens []When, otherwise *eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("CASE")
}

// Cast is CAST(x AS type).
func Cast(b *eval.Builder, x *eval.Expr, t *tree.CastType) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("CAST")
}

// CompareRows is (x ...) op (y ...) of rows, whose items may be rows again: see Row.
func CompareRows(b *eval.Builder, op tree.Op, x, y []*eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("rows")
}

// Functions are those of the package that are called by name: IF, IFNULL, COALESCE, NULLIF, NVL, NVL2, LEAST, GREATEST, ISNULL, INTERVAL,
// MOD and so on.
var Functions []eval.Def

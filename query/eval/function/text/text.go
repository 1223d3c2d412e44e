// Package text is the functions of SQL over strings.
package text

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Functions are those called by name.
var Functions []eval.Def

// Collate is x COLLATE name.
func Collate(b *eval.Builder, x *eval.Expr, name string) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("COLLATE")
}

// ConvertUsing is CONVERT(x USING set).
func ConvertUsing(b *eval.Builder, x *eval.Expr, set string) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("CONVERT")
}

// Like is x LIKE pattern ESCAPE escape; escape is nil if it is not written.
func Like(b *eval.Builder, x, pattern, escape *eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("LIKE")
}

// Regexp is x REGEXP pattern.
func Regexp(b *eval.Builder, x, pattern *eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("REGEXP")
}

// SoundsLike is x SOUNDS LIKE y.
func SoundsLike(b *eval.Builder, x, y *eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("SOUNDS LIKE")
}

// Trim is TRIM(side chars FROM x); chars is nil for spaces.
func Trim(b *eval.Builder, side tree.TrimSide, chars, x *eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("TRIM")
}

// CharOf is CHAR(args USING set); set is empty without USING.
func CharOf(b *eval.Builder, args []*eval.Expr, set string) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("CHAR")
}

// WeightString is WEIGHT_STRING.
func WeightString(b *eval.Builder, x *eval.Expr, n *tree.WeightString) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("WEIGHT_STRING")
}

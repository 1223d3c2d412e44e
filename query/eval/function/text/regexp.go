package text

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Regexp is x REGEXP pattern.
func Regexp(b *eval.Builder, x, pattern *eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("REGEXP")
}

// WeightString is WEIGHT_STRING.
func WeightString(b *eval.Builder, x *eval.Expr, n *tree.WeightString) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("WEIGHT_STRING")
}

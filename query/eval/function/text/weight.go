package text

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// WeightString is WEIGHT_STRING.
func WeightString(b *eval.Builder, x *eval.Expr, n *tree.WeightString) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("WEIGHT_STRING")
}

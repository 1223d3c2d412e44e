package operator

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Cast is CAST(x AS type).
func Cast(b *eval.Builder, x *eval.Expr, t *tree.CastType) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("CAST")
}

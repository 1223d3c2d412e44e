package json

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
)

func mergePreserve(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("JSON_MERGE_PRESERVE")
}

func mergePatch(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("JSON_MERGE_PATCH")
}

func overlaps(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("JSON_OVERLAPS")
}

func search(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("JSON_SEARCH")
}

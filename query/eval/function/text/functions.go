package text

import (
	"slices"

	"github.com/duramendb/duramen/query/eval"
)

// any number of arguments.
const many = -1

// Functions are those called by name.
var Functions = slices.Concat(lengths, joins, cuts, pads, changes, trims, sounds, finds, codes, formats, patterns, naturals, sformats, oracles)

// named makes an entry for each name of a function. The binder is given the name that messages have.
func named(message string, low, high int, bind binder, names ...string) []eval.Def {
	out := make([]eval.Def, len(names))
	for i, n := range names {
		out[i] = eval.Def{Name: n, Min: low, Max: high, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
			return bind(b, message, args)
		}}
	}
	return out
}

// binder makes a function's node; name is what messages call it.
type binder func(b *eval.Builder, name string, args []*eval.Expr) (*eval.Expr, error)

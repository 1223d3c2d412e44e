package bind

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
)

// userVariable is @name, with the type of the value that it has now. A statement that sets variables is refused, so the value stays.
func (b *Binder) userVariable(n *tree.UserVariable) (*eval.Expr, error) {
	v, t, ok := b.Scratch.Session.UserVariable(n.Name)
	if !ok {
		return nil, Refusal("a user variable of this kind")
	}
	t.Nullable = true
	print := func(dst []byte) []byte { return append(append(dst, '@'), n.Name...) }
	return eval.NewValue(t, v).With(eval.Session).Printed(print), nil
}

package bind

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
)

// System is what a system variable is to the session that runs the statement.
type System struct {
	Name   string // as it is printed, with global. before it if that is asked for
	Type   types.Type
	Value  types.Value
	Truth  bool         // an integer that is ON or OFF as text
	Number func() int64 // of an integer that the statement itself may change before the variable is read; nil of others
}

// systemVariable is @@name: a constant of the statement.
func (b *Binder) systemVariable(n *tree.SystemVariable) (*eval.Expr, error) {
	if b.System == nil {
		return nil, Refusal("a system variable here")
	}
	v, err := b.System(n)
	if err != nil {
		return nil, err
	}
	if v.Number != nil {
		return b.SystemNumber(v.Name, v.Type, v.Number), nil
	}
	return b.SystemVariable(v.Name, v.Type, v.Value, v.Truth), nil
}

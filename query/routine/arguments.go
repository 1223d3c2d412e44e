package routine

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/types"
)

// Arguments is a result.Sink for one row: values that others have computed, as expressions.
type Arguments struct{ captured }

var _ result.Sink = (*Arguments)(nil)

// NewArguments is an empty one.
func NewArguments() *Arguments {
	return &Arguments{captured{hold: func(int64) error { return nil }, rowsMost: 1}}
}

// Expressions are the values of the row.
func (a *Arguments) Expressions() ([]tree.Expr, error) {
	if len(a.rows) == 0 {
		return nil, nil
	}
	out := make([]tree.Expr, len(a.rows[0]))
	for i, v := range a.rows[0] {
		if v.Null {
			out[i] = &tree.NullLit{}
			continue
		}
		x, err := (&variable{t: widest(a.kinds[i]), value: v}).expression(anyForm)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

// widest is the type of a number without what a declaration would say of it.
func widest(t types.Type) types.Type {
	if t.Kind == types.Float || t.Kind == types.Double {
		t.Decimals = types.NotFixed
	}
	return t
}

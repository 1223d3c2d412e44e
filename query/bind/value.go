package bind

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// noValue is VALUE(column) where nothing is inserted: NULL.
func (b *Binder) noValue(n *tree.ColumnRef) (*eval.Expr, error) {
	x, err := b.Column(n)
	if err != nil {
		return nil, err
	}
	if _, _, ok := x.Column(); !ok {
		return nil, mysqlerr.New(mysqlerr.BadField, "", "VALUES() function") // an item of the select list
	}
	set, _ := charset.SetByName("binary")
	t := types.StringType(0, set.Default(), charset.Implicit, false).OrNull()
	t.Kind, t.Decimals = types.Char, 0
	return eval.New("value", t, func(*eval.Frame) ([]byte, bool) { return nil, true }, x), nil
}

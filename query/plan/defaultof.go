package plan

import (
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// defaultOf is DEFAULT(column): bind.Binder.Default. It has the column's type, and is no constant. Error 1364 says that there is no default.
func (s *scope) defaultOf(n *tree.ColumnRef) (*eval.Expr, error) {
	at, err := s.ordinal(n)
	if err != nil {
		return nil, err
	}
	if at < 0 {
		return nil, s.unknown(n)
	}
	x, err := s.at(at)
	if err != nil {
		return nil, err
	}
	col := &s.src.Table.Columns[at]
	if !col.Def.HasDefault && !col.Type.Nullable && !col.Def.AutoIncrement {
		return nil, mysqlerr.New(mysqlerr.NoDefaultForField, col.Def.Name)
	}
	d := DefaultOf(s.src.Table, at)
	if d.Refused != "" || d.Present || col.Type.Kind == types.Timestamp {
		return nil, bind.Refusal("DEFAULT of this column")
	}
	v := d.Value
	if v.Null && !col.Type.Nullable {
		v = types.Value{} // of AUTO_INCREMENT
	}
	printed := x.String()
	return eval.NewFixed(col.Type, v).Printed(func(dst []byte) []byte { return append(append(append(dst, "default("...), printed...), ')') }), nil
}

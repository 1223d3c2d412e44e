package evalcall

import (
	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

var utf8mb4, _ = charset.SetByName("utf8mb4")

// value is a value of an argument, which go-mysql-server has computed.
func (a *argument) value(ctx *sql.Context, v any) (types.Value, error) {
	v, err := sql.UnwrapAny(ctx, v)
	if err != nil || v == nil {
		return types.Value{Null: true}, err
	}
	if a.unspelled {
		return types.Value{}, refusedArgument("a time or a member of ENUM or SET")
	}
	switch a.typ.Class() {
	case types.ClassInt:
		return integer(v)
	case types.ClassFloat:
		switch x := v.(type) {
		case float32:
			return types.Value{Float: float64(x)}, nil
		case float64:
			return types.Value{Float: x}, nil
		}
		if n, err := integer(v); err == nil {
			return types.Value{Float: float64(n.Int)}, nil
		}
	case types.ClassDec:
		text := ""
		switch x := v.(type) {
		case *apd.Decimal:
			text = x.Text('f')
		case string:
			text = x
		}
		if d, used, cond := decimal.Parse([]byte(text)); text != "" && used == len(text) && cond == 0 {
			return types.Value{Dec: d}, nil
		}
	case types.ClassText:
		return a.text(ctx, v)
	}
	return types.Value{}, refusedArgument("an expression whose values are of another type than it says")
}

func integer(v any) (types.Value, error) {
	switch x := v.(type) {
	case bool:
		if x {
			return types.Value{Int: 1}, nil
		}
		return types.Value{}, nil
	case int:
		return types.Value{Int: int64(x)}, nil
	case int8:
		return types.Value{Int: int64(x)}, nil
	case int16:
		return types.Value{Int: int64(x)}, nil
	case int32:
		return types.Value{Int: int64(x)}, nil
	case int64:
		return types.Value{Int: x}, nil
	case uint8:
		return types.Value{Int: int64(x)}, nil
	case uint16:
		return types.Value{Int: int64(x)}, nil
	case uint32:
		return types.Value{Int: int64(x)}, nil
	case uint64:
		return types.Value{Int: int64(x)}, nil
	}
	return types.Value{}, refusedArgument("an expression whose values are of another type than it says")
}

// text is a value as text in the character set of its type: go-mysql-server's are in UTF-8.
func (a *argument) text(ctx *sql.Context, v any) (types.Value, error) {
	var text []byte
	switch x := v.(type) {
	case string:
		text = []byte(x)
	case []byte:
		text = x
	case sql.JSONWrapper: // of its own functions, which write it in another order
		return types.Value{}, refusedArgument("this document")
	default:
		s, _, err := gmstypes.ConvertToCollatedString(ctx, v, a.expr.Type(ctx))
		if err != nil {
			return types.Value{}, err
		}
		text = []byte(s)
	}
	if a.typ.Binary() || a.typ.Collation == nil || a.typ.Collation.Set() == utf8mb4 || a.typ.Collation.Set().Name() == "utf8mb3" {
		return types.Value{Text: text}, nil
	}
	out, done := charset.Convert(nil, a.typ.Collation.Set(), utf8mb4, text)
	if !done.OK() {
		return types.Value{}, refusedArgument("a text that " + a.typ.Collation.Set().Name() + " lacks")
	}
	return types.Value{Text: out}, nil
}

// EngineValue is a result as go-mysql-server has it. It does not share memory with the frame.
func EngineValue(t types.Type, v types.Value) (any, error) {
	if v.Null {
		return nil, nil //nolint:nilnil // NULL
	}
	switch t.Class() {
	case types.ClassInt:
		return v.Int, nil
	case types.ClassText:
		set := utf8mb4
		if t.Collation != nil {
			set = t.Collation.Set()
		}
		switch {
		case t.Binary():
			return append([]byte{}, v.Text...), nil
		case set == utf8mb4 || set.Name() == "utf8mb3":
			return string(v.Text), nil
		}
		text, _ := charset.Convert(nil, utf8mb4, set, v.Text)
		return string(text), nil
	}
	return nil, mysqlerr.NotYet("a function of this type in a statement of several tables")
}

// EngineType is the type of a result as go-mysql-server has it.
func EngineType(t types.Type) (sql.Type, error) {
	switch {
	case t.Class() == types.ClassInt:
		return gmstypes.Int64, nil
	case t.Kind == types.Null:
		return gmstypes.LongText, nil
	case t.Class() != types.ClassText:
		return nil, mysqlerr.NotYet("a function of this type in a statement of several tables")
	case t.Binary():
		return gmstypes.LongBlob, nil
	}
	id, err := collation.Engine(t.Collation.ID())
	if err != nil {
		return nil, err
	}
	of, err := gmstypes.CreateString(sqltypes.Text, gmstypes.LongTextBlobMax, id)
	if err != nil || !t.JSON {
		return of, err
	}
	return schema.JSON{StringType: of}, nil
}

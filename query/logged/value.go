package logged

import (
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/query/eval/function/number"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

// Variable is a user variable of a statement.
type Variable struct {
	Name  string
	Value types.Value
	Type  types.Type
}

// VariableOf reads a USER_VAR event. Error 22 is about a collation that this server does not know.
func VariableOf(v *event.UserVarInfo) (Variable, error) {
	b := Variable{Name: v.Name, Value: types.Value{Null: v.Null}}
	c, ok := charset.ByID(known(uint16(min(v.Charset, 1<<16-1))))
	switch {
	case v.Null:
		utf8, _ := charset.SetByName("utf8mb4")
		b.Type = types.StringType(0, utf8.Default(), charset.Implicit, false)
	case v.Type == event.UserVarInt:
		b.Value.Int, b.Type = int64(v.Int()), types.BigintType(20, v.Unsigned)
	case v.Type == event.UserVarReal:
		b.Value.Float, b.Type = v.Real(), types.DoubleType()
	case v.Type == event.UserVarDecimal:
		precision, scale := int(v.Value[0]), int(v.Value[1])
		p, err := decimal.NewPacked(precision, scale)
		if err == nil {
			b.Value.Dec, err = p.Decode(v.Value[2:])
		}
		if err != nil {
			return b, mysqlerr.Newf(mysqlerr.UnknownError, "user variable %s of the log: %v", v.Name, err)
		}
		b.Type = types.DecimalType(decimal.Type{Precision: precision, Scale: scale})
	case v.Type != event.UserVarString:
		return b, mysqlerr.Newf(mysqlerr.UnknownError, "user variable %s of the log has the unknown type %d", v.Name, v.Type)
	case !ok:
		return b, badCollation(v.Charset)
	default:
		b.Value.Text, b.Type = append([]byte{}, v.Value...), types.StringType(uint64(len(v.Value)), c, charset.Implicit, false)
	}
	return b, nil
}

// Random are the numbers that RAND() makes in a statement.
func Random(r *event.RandInfo) interface{ Float64() float64 } {
	return number.NewSeeded(r.Seed1, r.Seed2)
}

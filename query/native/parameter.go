package native

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// parameters are the values of a client for placeholders, and the types that MariaDB gives them; false for one that is not understood.
// They are nullable, as MariaDB takes them to be within an expression.
func parameters(f *eval.Frame, given []result.Value) ([]types.Value, []types.Type, bool) {
	values, kinds := make([]types.Value, len(given)), make([]types.Type, len(given))
	for i, v := range given {
		var ok bool
		if values[i], kinds[i], ok = parameter(f, v); !ok {
			return nil, nil, false
		}
		kinds[i].Nullable = true
	}
	return values, kinds, true
}

// integerLength is the length of an integer parameter of 64 bits.
const integerLength = 21

// integerParameter is the type of an integer in as many bytes as the client has sent.
func integerParameter(v result.Value, unsigned bool) types.Type {
	t := types.BigintType(integerLength, unsigned)
	switch v.Width() {
	case 1:
		t.Kind, t.Length = types.Tinyint, 4
	case 2:
		t.Kind, t.Length = types.Smallint, 6
	case 4:
		t.Kind, t.Length = types.Int, 11
	}
	return t
}

func parameter(f *eval.Frame, v result.Value) (types.Value, types.Type, bool) {
	switch v.Kind() {
	case result.Null:
		return types.Value{Null: true}, types.NullType(), true
	case result.KindSigned:
		return types.Value{Int: v.Int()}, integerParameter(v, false), true
	case result.KindUnsigned, result.KindYear:
		return types.Value{Int: int64(v.Uint())}, integerParameter(v, true), true
	case result.KindFloat:
		t := types.DoubleType()
		t.Kind = types.Float
		return types.Value{Float: v.Float()}, t, true
	case result.KindDouble:
		return types.Value{Float: v.Float()}, types.DoubleType(), true
	case result.KindDecimal:
		d, used, cond := decimal.Parse(v.Raw())
		return types.Value{Dec: d}, types.DecimalType(decimal.LiteralType(d)), cond == 0 && used == len(v.Raw())
	case result.KindText:
		return textParameter(f.Env, v.Raw())
	case result.KindBytes:
		set, _ := charset.SetByName("binary")
		return types.Value{Text: v.Raw()}, types.StringType(uint64(len(v.Raw())), set.Default(), charset.Coercible, set.IsASCII(v.Raw())), true
	case result.KindDate, result.KindDatetime, result.KindTime:
		return timeParameter(f, v)
	}
	return types.Value{}, types.Type{}, false
}

// textParameter is a text, in the character set of the client, in that of the connection.
func textParameter(env *types.Env, text []byte) (types.Value, types.Type, bool) {
	c := env.Connection
	if env.Client != c.Set() {
		converted, cond := charset.Convert(nil, c.Set(), env.Client, text)
		if !cond.OK() {
			return types.Value{}, types.Type{}, false
		}
		text = converted
	}
	t := types.StringType(uint64(c.Set().Len(text)), c, charset.Coercible, c.Set().IsASCII(text))
	if t.Kind == types.Varchar {
		t.Kind = types.Char
	}
	return types.Value{Text: text}, t, true
}

// timeParameter is a date or a time, of which clients send up to six digits of a fraction. What no clock and no calendar has is zero, with a
// warning whatever sql_mode says.
func timeParameter(f *eval.Frame, v result.Value) (types.Value, types.Type, bool) {
	var m temporal.Mode
	kind, context := types.Datetime, temporal.InDate
	switch v.Kind() {
	case result.KindDate:
		kind = types.Date
	case result.KindTime:
		kind, context = types.Time, temporal.InTime
	}
	m.InvalidDates = true // as it was sent
	r := m.Parse(v.AppendText(nil), context)
	if r.Cond != 0 {
		f.Warn(mysqlerr.TruncatedWrongValue, kind.String(), string(v.AppendText(nil)))
		return types.Value{}, types.TemporalType(kind, 0), true
	}
	return types.Value{Time: r.Value.Packed}, types.TemporalType(kind, int(r.Digits)), true
}

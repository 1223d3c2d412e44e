package gms

import (
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

// userVariable is the value of a user variable with its type, beside what go-mysql-server keeps of it.
type userVariable struct {
	value types.Value
	t     types.Type
}

// userTextMax is how long, in characters, the text of a user variable may be.
const userTextMax = 1<<24 - 1

// textVariable is the type of a user variable that is text.
func textVariable(c *charset.Collation, length uint64) types.Type {
	t := types.StringType(length, c, charset.Implicit, false)
	t.Kind, t.Nullable, t.Octets = types.Longtext, true, uint32(length)
	return t
}

// UserVariable is the value of a user variable and its type; ok is false for a value that package types has no kind for. It is not changed.
func (k Kept) UserVariable(name string) (v types.Value, t types.Type, ok bool) {
	if known, ok := k.s.variables[strings.ToLower(name)]; ok {
		return known.value, known.t, true
	}
	typ, boxed, err := k.s.base.GetUserVariable(nil, name)
	if err != nil || boxed != nil {
		return v, t, false
	}
	binary, _ := charset.SetByName("binary")
	length := uint64(userTextMax)
	if typ == nil {
		length++ // it was never set
	}
	return types.Value{Null: true}, textVariable(binary.Default(), length), true
}

// SetUserVariable gives a user variable a value, which is copied. Its type becomes that of variables: BIGINT, DOUBLE, DECIMAL or text. An error
// says that there is no memory for it.
func (k Kept) SetUserVariable(name string, v types.Value, t types.Type) error {
	var boxed any
	var typ sql.Type
	u := userVariable{value: v}
	switch t.Class() {
	case types.ClassInt:
		u.t = types.BigintType(20, t.Unsigned)
		if boxed, typ = v.Int, gmstypes.Int64; t.Unsigned {
			boxed, typ = uint64(v.Int), gmstypes.Uint64
		}
	case types.ClassFloat:
		u.t = types.DoubleType()
		boxed, typ = v.Float, gmstypes.Float64
	case types.ClassDec:
		u.t = variableDecimal()
		d, _, err := apd.NewFromString(v.Dec.String())
		if err != nil {
			return err
		}
		boxed, typ = d, gmstypes.MustCreateDecimalType(gmstypes.DecimalTypeMaxPrecision, uint8(min(v.Dec.Scale(), gmstypes.DecimalTypeMaxScale)))
	default:
		u.t = textVariable(t.Collation, userTextMax)
		u.value.Text = append([]byte{}, v.Text...)
		utf8, _ := charset.SetByName("utf8mb4")
		if set := t.Collation.Set(); set.Name() == "binary" {
			boxed, typ = u.value.Text, gmstypes.LongBlob
		} else {
			text, _ := charset.Convert(nil, utf8, set, v.Text)
			boxed, typ = string(text), gmstypes.LongText
		}
	}
	u.t.Nullable = true
	if v.Null {
		boxed, typ = nil, gmstypes.Null
	}
	if err := k.s.setUserVariable(nil, name, boxed, typ); err != nil {
		return err
	}
	k.s.variables[strings.ToLower(name)] = u
	return nil
}

// variableDecimal is the type of a user variable that is DECIMAL: whatever its value, it may have all digits.
func variableDecimal() types.Type {
	t := types.DecimalType(decimal.Type{Precision: 81, Scale: decimal.ScaleMax})
	t.OwnScale = true
	return t
}

// noteVariable notes the type of a value that go-mysql-server gives a user variable. Text is in the connection's character set, as its literals are.
func noteVariable(s *Session, name string, boxed any) {
	if s.variables == nil {
		s.variables = map[string]userVariable{}
	}
	u := userVariable{}
	switch x := boxed.(type) {
	case int64:
		u.value.Int, u.t = x, types.BigintType(20, false)
	case uint64:
		u.value.Int, u.t = int64(x), types.BigintType(20, true)
	case float64:
		u.value.Float, u.t = x, types.DoubleType()
	case *apd.Decimal:
		d, _, cond := decimal.Parse([]byte(x.Text('f')))
		if cond != 0 {
			delete(s.variables, strings.ToLower(name))
			return
		}
		u.value.Dec, u.t = d, variableDecimal()
	case []byte:
		binary, _ := charset.SetByName("binary")
		u.value.Text, u.t = x, textVariable(binary.Default(), userTextMax)
	case string:
		c, known := charset.ByName(s.Vars.Str("collation_connection"))
		utf8, _ := charset.SetByName("utf8mb4")
		text, cond := []byte(x), charset.Conversion{Bad: -1, Unmapped: -1}
		if known && c.Set() != utf8 {
			text, cond = charset.Convert(nil, c.Set(), utf8, text)
		}
		if !known || !cond.OK() {
			delete(s.variables, strings.ToLower(name))
			return
		}
		u.value.Text, u.t = text, textVariable(c, userTextMax)
	default:
		delete(s.variables, strings.ToLower(name))
		return
	}
	u.t.Nullable = true
	s.variables[strings.ToLower(name)] = u
}

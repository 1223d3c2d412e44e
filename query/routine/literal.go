package routine

import (
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/temporal"
)

// form is how a value has to be written.
type form int

const (
	anyForm    form = iota
	bareNumber      // an integer as its digits
	noNumber        // an integer as an expression
)

// expression is the value of a variable as an expression of its type.
func (v *variable) expression(f form) (tree.Expr, error) {
	n, _, err := grammar.Parse("SELECT "+v.literal(f), grammar.Options{})
	if err != nil {
		return nil, fmt.Errorf("routine: the value of %s as an expression: %w", v.name, err)
	}
	return n.(*tree.Select).Items[0].X, nil
}

func (v *variable) literal(f form) string {
	t := &v.t
	unsigned := t.Unsigned || t.Kind == types.Year || t.Kind == types.Bit
	number := strconv.FormatInt(v.value.Int, 10)
	if unsigned {
		number = strconv.FormatUint(uint64(v.value.Int), 10)
	}
	switch {
	case f == bareNumber && v.value.Null: // as MariaDB
		return "0"
	case t.Kind.Integer() && !v.value.Null && (f == bareNumber || f == anyForm && !unsigned && v.value.Int >= 0):
		return number
	case t.Kind.Integer() || t.Kind == types.Year:
		return cast(v.value.Null, number, signed(unsigned))
	case t.Kind == types.Bit:
		if v.value.Null {
			return "NULL"
		}
		return "b'" + fmt.Sprintf("%0*b", int(t.Length+7)/8*8, uint64(v.value.Int)) + "'"
	case t.Kind == types.Decimal:
		return cast(v.value.Null, string(v.value.Dec.Append(nil)), fmt.Sprintf("DECIMAL(%d,%d)", t.Dec.Precision, t.Dec.Scale))
	case (t.Kind == types.Float || t.Kind == types.Double) && t.Decimals < types.NotFixed:
		return cast(v.value.Null, strconv.FormatFloat(v.value.Float, 'e', -1, 64), fmt.Sprintf("DOUBLE(%d,%d)", t.Length, t.Decimals))
	case t.Kind == types.Float:
		return cast(v.value.Null, strconv.FormatFloat(v.value.Float, 'e', -1, 64), "FLOAT")
	case t.Kind == types.Double:
		return cast(v.value.Null, strconv.FormatFloat(v.value.Float, 'e', -1, 64), "DOUBLE")
	case t.Kind.Temporal():
		value := temporal.Value{Packed: v.value.Time, Kind: temporalKind(t.Kind)}
		as := t.Kind.String()
		if t.Decimals > 0 {
			as += "(" + strconv.Itoa(int(t.Decimals)) + ")"
		}
		return cast(v.value.Null, "'"+string(value.Append(nil, int(t.Decimals)))+"'", as)
	}
	return v.text()
}

func cast(null bool, literal, as string) string {
	if null {
		literal = "NULL"
	}
	return "CAST(" + literal + " AS " + as + ")"
}

func signed(unsigned bool) string {
	if unsigned {
		return "UNSIGNED"
	}
	return "SIGNED"
}

func temporalKind(k types.Kind) temporal.Kind {
	switch k {
	case types.Date:
		return temporal.Date
	case types.Time:
		return temporal.Time
	}
	return temporal.DateTime
}

// text is a value of text in its character set. With the set's default collation it gives way to columns, as a variable of the database's
// collation does; with another one it does not, and where MariaDB has an error of two collations its own may be taken.
func (v *variable) text() string {
	coll := v.t.Collation
	if v.value.Null {
		return "CONVERT(NULL USING " + coll.Set().Name() + ")"
	}
	literal := "_" + coll.Set().Name() + " x'" + hex.EncodeToString(v.value.Text) + "'"
	if coll != coll.Set().Default() {
		literal += " COLLATE " + coll.Name()
	}
	return literal
}

// setUser gives a user variable a value. Times are texts there.
func (r *run) setUser(name string, v types.Value, t types.Type) error {
	if t.Kind.Temporal() && !v.Null {
		coll, ok := charset.ByName(r.Vars.Str("collation_connection"))
		if !ok {
			return mysqlerr.New(mysqlerr.UnknownCollation, r.Vars.Str("collation_connection"))
		}
		value := temporal.Value{Packed: v.Time, Kind: temporalKind(t.Kind)}
		text := value.Append(nil, int(t.Decimals))
		v, t = types.Value{Text: text}, types.StringType(uint64(len(text)), coll, charset.Implicit, true)
	}
	return r.host.SetUserVariable(name, v, t)
}

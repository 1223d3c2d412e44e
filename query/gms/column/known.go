package column

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/result"
	typedresult "github.com/duramendb/duramen/query/result/typed"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

// Known is what is known of a column of a query in MariaDB.
type Known struct {
	Type  types.Type
	Value types.Value // of a literal text
	Props eval.Props
	// Plain: a column of a table or a literal, of which everything is known.
	Plain bool
	// Sure: the type is known as far as values depend on it.
	Sure bool
	// Quotient: a DECIMAL that is made of a quotient, of which MariaDB has more digits than the type while it has not stored it.
	Quotient bool
	// Loose: a DECIMAL that as a text may have other digits than its type: those of the value that a function has chosen, or more than its type.
	Loose bool
}

// typed is an expression that says what its type is in MariaDB, if it knows.
type typed interface {
	MariaDBType() types.Type
	Known() bool
}

func typeOf(e sql.Expression) (t types.Type, ok bool) {
	if own, is := e.(typed); is && own.Known() {
		return own.MariaDBType(), true
	}
	return t, false
}

// bound is an expression that says it where it is not refused.
type bound interface {
	Known(ctx *sql.Context) (t types.Type, ok bool)
}

// saidType is the type that an expression says it has in MariaDB.
func saidType(c *sql.Context, e sql.Expression) (t types.Type, ok bool) {
	switch x := e.(type) {
	case typed:
		return typeOf(e)
	case bound:
		return x.Known(c)
	}
	return t, false
}

// KnownOf finds the types that the columns of a bound query have in MariaDB; nil if its plan has a shape that is not known.
func KnownOf(c *sql.Context, n sql.Node) []Known {
	schema, from := n.Schema(c), Origins(c, n)
	if len(from) != len(schema) {
		return nil
	}
	out := make([]Known, len(schema))
	for i := range schema {
		out[i] = known(c, schema[i], from[i])
		out[i].Type.Nullable = out[i].Type.Nullable || schema[i].Nullable || from[i].outer
	}
	return out
}

func known(c *sql.Context, col *sql.Column, o Origin) Known {
	if col.Type == nil { // a column that is given nothing, and has no default
		return Known{}
	}
	k := typeKnown(c, col, o)
	if k.Type.Class() == types.ClassDec && o.Facts == nil && !o.stored && !o.materialized {
		k.Quotient, k.Loose = quotient(c, o.expr), loose(o.expr)
	}
	return k
}

// divider is an expression that says whether a quotient is part of it, and whether there is nothing in it but sums, differences and products.
type divider interface {
	Divides() bool
	Exact() bool
}

// loose reports whether DECIMAL values of an expression may have other digits than their type.
func loose(e sql.Expression) bool {
	switch e := e.(type) {
	case nil, *expression.GetField, *expression.Literal, *expression.Convert:
		return false
	case divider:
		return !e.Exact()
	case sql.Aggregation:
		f, ok := e.(sql.FunctionExpression)
		return !ok || !slices.Contains([]string{"min", "max", "sum"}, strings.ToLower(f.FunctionName()))
	}
	return true
}

// quotient reports whether a quotient is part of an expression.
func quotient(c *sql.Context, e sql.Expression) (found bool) {
	if e == nil {
		return false
	}
	sql.Inspect(c, e, func(_ *sql.Context, e sql.Expression) bool {
		if own, ok := e.(divider); ok && own.Divides() {
			found = true
		}
		if _, ok := e.(*expression.Div); ok {
			found = true
		}
		_, aggregate := e.(sql.Aggregation) // which rounds what it adds up
		return !found && !aggregate
	})
	return found
}

func typeKnown(c *sql.Context, col *sql.Column, o Origin) Known {
	if t, ok := saidType(c, o.expr); ok {
		return Known{Type: t, Plain: true, Sure: true}
	}
	if o.Facts != nil {
		t, ok := o.Facts.Values()
		return Known{Type: t, Plain: ok, Sure: ok}
	}
	_, isLiteral := o.expr.(*expression.Literal)
	_, variable := o.expr.(*expression.ProcedureParam) // which MariaDB has as a column
	k := Known{Plain: isLiteral || variable, Sure: true}
	if isLiteral {
		k.Props = eval.Constant | eval.Literal
	}
	wire := asSent(c, col, o)
	switch wire.Type {
	case mysql.MYSQL_TYPE_NULL:
		return Known{Type: types.NullType(), Props: k.Props, Plain: true, Sure: col.Type == gmstypes.Null}
	case mysql.MYSQL_TYPE_LONG, mysql.MYSQL_TYPE_LONGLONG:
		k.Type = types.BigintType(wire.Length, wire.Flags&mysql.UNSIGNED_FLAG != 0)
		if wire.Type == mysql.MYSQL_TYPE_LONG {
			k.Type.Kind = types.Int
		}
	case mysql.MYSQL_TYPE_FLOAT, mysql.MYSQL_TYPE_DOUBLE:
		k.Sure = floating(c, o.expr)
		k.Type = types.DoubleType()
		if wire.Type == mysql.MYSQL_TYPE_FLOAT {
			k.Type.Kind = types.Float
			k.Type.Length = wire.Length
		}
	case mysql.MYSQL_TYPE_NEWDECIMAL:
		k.Type, k.Sure = decimalType(c, col.Type, o.expr)
	case mysql.MYSQL_TYPE_DATE:
		k.Type = types.TemporalType(types.Date, 0)
	case mysql.MYSQL_TYPE_TIME, mysql.MYSQL_TYPE_DATETIME:
		kind, digits := types.Datetime, int(wire.Decimals)
		if wire.Type == mysql.MYSQL_TYPE_TIME {
			kind, digits = types.Time, o.timeDigits()
		}
		_, current := currentDigits(o.expr)
		_, cast := o.expr.(*expression.Convert)
		k.Type, k.Sure = types.TemporalType(kind, max(digits, 0)), digits >= 0 && digits <= 6 && (current || cast)
	case mysql.MYSQL_TYPE_YEAR: // what a function or MIN makes of one has no zeros in front
		k.Type = types.Type{Kind: types.Year, Length: 4, Unsigned: true, Zerofill: o.materialized || o.stored, Derivation: charset.Numeric, ASCII: true}
	case mysql.MYSQL_TYPE_BIT:
		k.Type = types.Type{Kind: types.Bit, Length: wire.Length, Unsigned: true, Derivation: charset.Numeric, ASCII: true}
	case mysql.MYSQL_TYPE_VAR_STRING:
		k.text(c, col, o)
	case mysql.MYSQL_TYPE_LONG_BLOB: // JSON
		set, _ := charset.ByName("utf8mb4_bin")
		k.Type = types.StringType(math.MaxUint32, set, charset.Implicit, false)
		k.Type.Kind, k.Type.JSON = types.Longtext, schema.IsJSON(col.Type)
	default:
		k.Sure = false
	}
	return k
}

func asSent(c *sql.Context, col *sql.Column, o Origin) result.Column {
	return expressionColumn(c, col, o, true, sql.CharacterSet_Unspecified)
}

// floating reports whether what go-mysql-server computes as a DOUBLE is one in MariaDB.
func floating(c *sql.Context, e sql.Expression) bool {
	switch x := e.(type) {
	case *expression.GetField, *expression.Literal, *expression.Convert:
		return true
	case *expression.Arithmetic, *expression.Div, *expression.UnaryMinus, sql.Aggregation:
		return slices.ContainsFunc(e.Children(), func(x sql.Expression) bool { return gmstypes.IsFloat(x.Type(c)) && floating(c, x) })
	case sql.FunctionExpression:
		return slices.Contains([]string{
			"sqrt", "pow", "power", "exp", "ln", "log", "log2", "log10", "rand", "pi", "degrees", "radians", "sin", "cos", "tan", "asin", "acos", "atan", "atan2",
		}, strings.ToLower(x.FunctionName()))
	}
	return false
}

// decimalType is the type of a DECIMAL expression; ok is false for functions of which the digits are not known.
func decimalType(c *sql.Context, t sql.Type, e sql.Expression) (out types.Type, ok bool) {
	scale, ok := ScaleOf(c, e)
	d, is := t.(sql.DecimalType)
	if !is || !ok {
		return out, false
	}
	precision := int(d.Precision())
	if l, is := e.(*expression.Literal); is {
		whole, fraction, _ := strings.Cut(strings.TrimLeft(l.String(), "-"), ".")
		precision = max(len(strings.TrimLeft(whole, "0"))+len(fraction), 1)
	}
	return types.DecimalType(decimal.Type{Precision: max(precision, scale), Scale: scale}), true
}

// ScaleOf is how many digits behind the point a number has that an expression computes exactly.
func ScaleOf(c *sql.Context, e sql.Expression) (scale int, ok bool) {
	if e == nil || e.Type(c) == gmstypes.Null {
		return 0, e != nil
	}
	longest := func(list []sql.Expression) (scale int, ok bool) {
		for _, x := range list {
			n, ok := ScaleOf(c, x)
			if !ok {
				return 0, false
			}
			scale = max(scale, n)
		}
		return scale, true
	}
	switch x := e.(type) {
	case *expression.Alias:
		return ScaleOf(c, x.Child)
	case *expression.UnaryMinus:
		return ScaleOf(c, x.Child)
	case *expression.Literal:
		_, fraction, _ := strings.Cut(x.String(), ".")
		return len(fraction), gmstypes.IsDecimal(x.Type(c)) || gmstypes.IsInteger(x.Type(c))
	case *expression.GetField, *expression.Convert, *expression.Div, *plan.Subquery, sql.Aggregation:
		if f, is := x.(sql.Aggregation); is {
			named, is := f.(sql.FunctionExpression)
			if !is || !slices.Contains([]string{"sum", "avg", "min", "max", "count"}, strings.ToLower(named.FunctionName())) {
				return 0, false
			}
		}
		if d, is := e.Type(c).(sql.DecimalType); is {
			return int(d.Scale()), true
		}
		return 0, gmstypes.IsInteger(e.Type(c))
	case *expression.Arithmetic:
		l, ok1 := ScaleOf(c, x.LeftChild)
		r, ok2 := ScaleOf(c, x.RightChild)
		switch x.Op {
		case "+", "-":
			return max(l, r), ok1 && ok2
		case "*":
			return l + r, ok1 && ok2
		}
	case *expression.Case:
		var list []sql.Expression
		for _, b := range x.Branches {
			list = append(list, b.Value)
		}
		if x.Else != nil {
			list = append(list, x.Else)
		}
		return longest(list)
	case sql.FunctionExpression:
		switch strings.ToLower(x.FunctionName()) {
		case "ifnull", "nvl", "coalesce", "greatest", "least":
			return longest(e.Children())
		case "if":
			return longest(e.Children()[1:])
		case "abs":
			return ScaleOf(c, e.Children()[0])
		case "round", "truncate":
			args := e.Children()
			scale, ok := ScaleOf(c, args[0])
			if len(args) == 1 {
				return 0, ok
			}
			digits, written := literalInt(args[1])
			return int(min(max(digits, 0), int64(scale))), ok && written
		}
	}
	return 0, false
}

// text is the type of a text expression.
func (k *Known) text(c *sql.Context, col *sql.Column, o Origin) {
	t, ok := col.Type.(sql.StringType)
	if !ok {
		k.Sure = false
		return
	}
	if gmstypes.IsBinaryType(t) {
		length := uint64(min(t.MaxByteLength(), math.MaxUint32))
		if l, is := o.expr.(*expression.Literal); is {
			if bytes, is := l.Value().([]byte); is {
				length = uint64(len(bytes))
			}
		}
		set, _ := charset.SetByName("binary")
		k.Type = types.StringType(length, set.Default(), charset.Coercible, false)
		return
	}
	id, strength := t.Collation(), byte(2)
	if o.expr != nil {
		id, strength = sql.GetCoercibility(c, o.expr)
	}
	if id == sql.Collation_Unspecified {
		id = sql.Collation_Default
	}
	coll, ok := charset.ByID(uint16(id))
	if !ok || foreign(id) {
		coll, ok = charset.ByID(uint16(c.GetCollation()))
	}
	if !ok {
		k.Sure = false
		return
	}
	derivations := [...]charset.Derivation{charset.Explicit, charset.None, charset.Implicit, charset.SysConst, charset.Coercible, charset.Numeric, charset.Ignorable}
	derivation := derivations[min(int(strength), len(derivations)-1)]
	if derivation == charset.Numeric || derivation == charset.Ignorable {
		derivation = charset.Coercible
	}
	m := &madeColumns{}
	length, _, known := m.text(c, o.expr)
	if !known {
		length = min(t.MaxCharacterLength(), math.MaxUint32)
	}
	k.Type = types.StringType(uint64(length), coll, derivation, onlyASCII(c, o.expr))
	if text, ok := literalText(o.expr); ok {
		k.Value = types.Value{Text: []byte(text)}
	}
}

func foreign(id sql.CollationID) bool {
	return strings.Contains(id.Name(), "_0900_")
}

func literalText(e sql.Expression) (string, bool) {
	if l, ok := e.(*expression.Literal); ok {
		s, ok := l.Value().(string)
		return s, ok
	}
	return "", false
}

// onlyASCII reports whether a text is made of constants of ASCII and numbers alone.
func onlyASCII(c *sql.Context, e sql.Expression) bool {
	only := e != nil
	if e == nil {
		return false
	}
	sql.Inspect(c, e, func(c *sql.Context, e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.GetField:
			only = only && !gmstypes.IsText(e.Type(c))
		case *expression.Literal:
			s, _ := e.Value().(string)
			for i := 0; i < len(s); i++ {
				only = only && s[i] < utf8.RuneSelf
			}
		}
		return only
	})
	return only
}

// ofType describes a column of a set operation.
func ofType(out *result.Column, t types.Type, col *sql.Column, o Origin, results sql.CharacterSetID) {
	var set *charset.Set
	if converts(results) {
		set, _ = charset.SetByName(results.Name())
	}
	t.Nullable = col.Nullable || o.outer
	own := typedresult.Column(col.Name, t, set)
	out.Type, out.Flags, out.Length, out.Decimals, out.Charset = own.Type, own.Flags, own.Length, own.Decimals, own.Charset
	if t.Kind == types.Null {
		out.Type = mysql.MYSQL_TYPE_STRING
	}
	if !o.stored {
		return
	}
	if out.OrgName == "" {
		out.OrgName = col.Name
	}
	switch class := t.Class(); {
	case t.Kind.Blob():
		chars := uint64(sizes[t.Kind]) / uint64(t.Collation.Set().MinLen()) // as many as there can be
		if set != nil && !t.Binary() {
			chars *= uint64(set.MaxLen())
		}
		out.Type, out.Decimals, out.Length = mysql.MYSQL_TYPE_BLOB, 0, uint32(min(chars, math.MaxUint32))
		out.Flags |= mysql.BLOB_FLAG
	case class == types.ClassText:
		out.Decimals = 0
	case class != types.ClassTime:
		out.Flags &^= mysql.BINARY_FLAG
	}
}

// sizes are the bytes that columns of the TEXT and BLOB types have room for.
var sizes = [...]uint32{types.Tinytext: 1<<8 - 1, types.Text: 1<<16 - 1, types.Mediumtext: 1<<24 - 1, types.Longtext: math.MaxUint32}

// declaration is a type as a definition says it.
func declaration(t types.Type) string {
	if t.Kind == types.Null {
		return "BINARY(0)"
	}
	t.JSON = false // it is declared as the text that it is
	text := strings.ToUpper(t.Name())
	switch {
	case t.Kind.Integer():
		text = strings.ToUpper(t.Kind.String()) + "(" + strconv.Itoa(int(t.Length)) + ")"
		if t.Unsigned {
			text += " UNSIGNED"
		}
	case t.Kind == types.Bit:
		text += "(" + strconv.Itoa(int(t.Length)) + ")"
	case t.Kind == types.Decimal:
		text += "(" + strconv.Itoa(t.Dec.Precision) + "," + strconv.Itoa(t.Dec.Scale) + ")"
	case t.Class() == types.ClassFloat && t.Decimals < types.NotFixed:
		text += "(" + strconv.Itoa(int(t.Length)) + "," + strconv.Itoa(int(t.Decimals)) + ")"
	case t.Kind.Temporal() && t.Decimals > 0:
		text += "(" + strconv.Itoa(int(t.Decimals)) + ")"
	case t.Binary() && t.Kind.Blob():
		text = [...]string{"TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB"}[t.Kind-types.Tinytext]
	case t.Kind.IsString() && !t.Kind.Blob():
		text += "(" + strconv.Itoa(int(t.Length)) + ")"
	}
	if t.Collation != nil && !t.Binary() {
		text += " COLLATE " + t.Collation.Name()
	}
	return text
}

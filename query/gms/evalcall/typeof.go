package evalcall

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

// Spelled is a value that package semantics has made the text of which MariaDB makes of it.
type Spelled interface {
	sql.Expression
	// Spelled is the value itself, and the digits of a fraction in its text; below zero: as many as it has, or they are not known.
	Spelled() (of sql.Expression, digits int)
}

// argument is an expression of a plan with its type in MariaDB.
type argument struct {
	expr    sql.Expression
	typ     types.Type
	truth   bool
	literal bool
	written types.Value // of a literal
	// unspelled: the type is known, but not the text of a value.
	unspelled bool
}

// refusedArgument is error 1235 of an argument whose type is not known well enough.
func refusedArgument(what string) error {
	return mysqlerr.NotYet("a function of JSON over " + what + ", in a statement of several tables; CAST it")
}

// argumentOf finds the type that an expression has in MariaDB.
func argumentOf(ctx *sql.Context, env *types.Env, e sql.Expression) (a argument, err error) {
	a.expr = unaliased(e)
	if s, ok := a.expr.(Spelled); ok {
		of, digits := s.Spelled()
		if gmstypes.IsFloat(of.Type(ctx)) {
			a.expr = of
			a.typ, err = number(ctx, of.Type(ctx))
			if digits >= 0 {
				a.typ.Decimals = uint8(digits)
			}
			return a, err
		}
		a.typ, err = spelled(ctx, env, of, s)
		return a, err
	}
	if c, ok := a.expr.(*Call); ok {
		b := c.settled(ctx)
		if b.err != nil {
			return a, b.err
		}
		a.typ, a.truth = b.expr.Type, b.expr.Is(eval.Bool)
		return a, nil
	}
	t := a.expr.Type(ctx)
	if t == gmstypes.Boolean {
		if a.truth, err = truth(ctx, a.expr); err != nil {
			return a, err
		}
	}
	if l, ok := a.expr.(*expression.Literal); ok {
		return a, a.ofLiteral(ctx, env, l)
	}
	switch of := t.(type) {
	case schema.JSON, sql.StringType:
		a.typ, err = text(ctx, env, a.expr, of.(sql.StringType))
		return a, err
	}
	if gmstypes.IsTime(t) || gmstypes.IsTimespan(t) || gmstypes.IsEnum(t) || gmstypes.IsSet(t) {
		a.unspelled = true // the plan is one that package semantics has not seen
		a.typ, err = spelled(ctx, env, a.expr, a.expr)
		return a, err
	}
	a.typ, err = number(ctx, t)
	return a, err
}

func unaliased(e sql.Expression) sql.Expression {
	for {
		alias, ok := e.(*expression.Alias)
		if !ok {
			return e
		}
		e = alias.Child
	}
}

// node is the node of an argument that is in a place of Frame.Kept.
func (a *argument) node(at int) *eval.Expr {
	if a.typ.Kind == types.Null {
		return eval.NewNull("NULL")
	}
	var x *eval.Expr
	if a.literal {
		x = eval.NewLiteral(a.typ, a.written, a.written.Text)
	} else {
		x = eval.NewKept(eval.NewValue(a.typ, types.Value{Null: true}), at)
	}
	if a.truth {
		x = x.With(eval.Bool)
	}
	return x
}

// ofLiteral is about a literal, or the value of a placeholder.
func (a *argument) ofLiteral(ctx *sql.Context, env *types.Env, l *expression.Literal) (err error) {
	v := l.Value()
	if v == nil {
		a.typ = types.NullType()
		return nil
	}
	if b, ok := v.(bool); ok {
		a.typ, a.truth, a.literal = types.BoolType(), true, true
		if b {
			a.written.Int = 1
		}
		return nil
	}
	t := l.Type(ctx)
	if of, ok := t.(sql.StringType); ok {
		if a.typ, err = text(ctx, env, l, of); err != nil {
			return err
		}
		a.written, err = a.value(ctx, v)
		a.literal = err == nil
		if s, is := v.(string); is {
			a.typ.Length = uint32(min(utf8.RuneCountInString(s), math.MaxUint32))
			a.typ.ASCII = ascii(s)
		} else {
			a.typ.Length, a.typ.Hybrid = uint32(len(a.written.Text)), true
		}
		a.typ.Octets = 0
		return err
	}
	if a.typ, err = number(ctx, t); err != nil {
		return err
	}
	if a.written, err = a.value(ctx, v); err != nil {
		return err
	}
	a.literal = true
	switch a.typ.Class() {
	case types.ClassInt:
		a.typ.Length = uint32(len(l.String()))
	case types.ClassDec:
		d := a.written.Dec
		a.typ = types.DecimalType(decimal.Type{Precision: max(d.IntDigits()+d.Scale(), 1), Scale: d.Scale()})
	}
	return nil
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

var integers = map[query.Type]types.Type{
	sqltypes.Int8: {Kind: types.Tinyint, Length: 4}, sqltypes.Uint8: {Kind: types.Tinyint, Length: 3, Unsigned: true},
	sqltypes.Int16: {Kind: types.Smallint, Length: 6}, sqltypes.Uint16: {Kind: types.Smallint, Length: 5, Unsigned: true},
	sqltypes.Int24: {Kind: types.Mediumint, Length: 9}, sqltypes.Uint24: {Kind: types.Mediumint, Length: 8, Unsigned: true},
	sqltypes.Int32: {Kind: types.Int, Length: 11}, sqltypes.Uint32: {Kind: types.Int, Length: 10, Unsigned: true},
	sqltypes.Int64: {Kind: types.Bigint, Length: 20}, sqltypes.Uint64: {Kind: types.Bigint, Length: 20, Unsigned: true},
}

// number is the type of what is no text.
func number(ctx *sql.Context, t sql.Type) (out types.Type, err error) {
	if t == gmstypes.Null {
		return types.NullType(), nil
	}
	out, ok := integers[t.Type()]
	switch {
	case gmstypes.IsBit(t):
		return out, refusedArgument("BIT")
	case gmstypes.IsYear(t):
		out = types.Type{Kind: types.Year, Length: 4, Unsigned: true, Zerofill: true}
	case ok:
		if t == gmstypes.Boolean {
			out.Length = 1
		}
	case gmstypes.IsFloat(t):
		out = types.DoubleType()
		if t == gmstypes.Float32 {
			out.Kind, out.Length = types.Float, 12
		}
	default:
		d, is := t.(sql.DecimalType)
		if !is {
			return out, refusedArgument(strings.ToLower(t.String()))
		}
		out = types.DecimalType(decimal.Type{Precision: int(d.Precision()), Scale: min(int(d.Scale()), decimal.ScaleMax)})
		out.OwnScale = true // of a computed one it is not known how many digits MariaDB's has
	}
	out.Nullable, out.Derivation, out.ASCII = true, charset.Numeric, true
	return out, nil
}

// strengths are go-mysql-server's coercibilities.
var strengths = map[charset.Derivation]byte{
	charset.Explicit: 0, charset.None: 1, charset.Implicit: 2, charset.SysConst: 3, charset.Coercible: 4, charset.Numeric: 5, charset.Ignorable: 6,
}

// collationOf is the collation that an expression has in MariaDB.
func collationOf(ctx *sql.Context, env *types.Env, e sql.Expression) (*charset.Collation, charset.Derivation, error) {
	id, strength := sql.GetCoercibility(ctx, e)
	derivation := charset.Coercible
	for d, s := range strengths {
		if s == strength {
			derivation = d
		}
	}
	if id == sql.Collation_Unspecified || strings.Contains(id.Name(), "_0900_") || id == sql.Collation_binary {
		return env.Connection, derivation, nil // go-mysql-server's default for what it makes up
	}
	c, ok := charset.ByID(collation.ID(id))
	if !ok {
		return nil, derivation, refusedArgument("a text in " + id.Name())
	}
	if derivation == charset.Ignorable || derivation == charset.None {
		derivation = charset.Coercible
	}
	return c, derivation, nil
}

// text is the type of a text.
func text(ctx *sql.Context, env *types.Env, e sql.Expression, t sql.StringType) (out types.Type, err error) {
	if t.Type() == sqltypes.Geometry {
		return out, refusedArgument("shapes")
	}
	if address, ok := t.(*schema.Address); ok {
		return types.StringType(uint64(address.MaxCharacterLength()), env.Connection, charset.Numeric, true).OrNull(), nil
	}
	if gmstypes.IsBinaryType(t) {
		binary, _ := charset.SetByName("binary")
		out = types.StringType(uint64(t.MaxByteLength()), binary.Default(), charset.Implicit, false)
	} else {
		c, derivation, err := collationOf(ctx, env, e)
		if err != nil {
			return out, err
		}
		out = types.StringType(uint64(t.MaxCharacterLength()), c, derivation, false)
	}
	if gmstypes.IsTextBlob(t) {
		size := t.MaxByteLength()
		for i, most := range []int64{math.MaxUint8, math.MaxUint16, 1<<24 - 1, math.MaxUint32} {
			if size <= most {
				out.Kind = types.Tinytext + types.Kind(i)
				break
			}
		}
		out.Octets = uint32(min(size, math.MaxUint32))
		out.Length = out.Octets / uint32(out.Collation.Set().MaxLen())
	}
	out.JSON = schema.IsJSON(t)
	return out.OrNull(), nil
}

// spelled is the type of a text that stands for another value.
func spelled(ctx *sql.Context, env *types.Env, of, e sql.Expression) (types.Type, error) {
	t := of.Type(ctx)
	chars := uint64(len("2026-01-02 03:04:05.000000"))
	switch own := t.(type) {
	case sql.EnumType:
		chars = longest(own.Values())
	case sql.SetType:
		chars = uint64(len(strings.Join(own.Values(), ",")))
	default:
		if gmstypes.IsBit(t) {
			return types.Type{}, refusedArgument("BIT")
		}
		if gmstypes.IsYear(t) || gmstypes.IsDecimal(t) {
			return number(ctx, t)
		}
		if gmstypes.IsDateType(t) {
			chars = uint64(len("2026-01-02"))
		} else if d, is := t.(sql.DatetimeType); is {
			if chars = uint64(len("2026-01-02 03:04:05")); d.Precision() > 0 {
				chars += 1 + uint64(d.Precision())
			}
		}
		return types.StringType(chars, env.Connection, charset.Numeric, true).OrNull(), nil
	}
	c, derivation, err := collationOf(ctx, env, e)
	return types.StringType(chars, c, derivation, false).OrNull(), err
}

func longest(texts []string) (n uint64) {
	for _, s := range texts {
		n = max(n, uint64(utf8.RuneCountInString(s)))
	}
	return n
}

// truth reports whether an expression of go-mysql-server's type of conditions is a condition in MariaDB, whose JSON has true and false for it. Columns of
// that type are TINYINT(1).
func truth(ctx *sql.Context, e sql.Expression) (bool, error) {
	switch x := unaliased(e).(type) {
	case *expression.GetField, *expression.UserVar, *expression.SystemVar, *expression.Convert, *expression.BindVar:
		return false, nil
	case *expression.Literal:
		_, is := x.Value().(bool)
		return is, nil
	case *Call:
		return x.Truth(ctx), nil
	case *plan.Subquery:
		return false, refusedArgument("a subquery of a condition")
	case *expression.Case:
		var values []sql.Expression
		for _, b := range x.Branches {
			values = append(values, b.Value)
		}
		if x.Else != nil {
			values = append(values, x.Else)
		}
		return truths(ctx, "CASE", values)
	case sql.FunctionExpression, sql.Aggregation:
		name := ""
		if f, ok := x.(sql.FunctionExpression); ok {
			name = strings.ToLower(f.FunctionName())
		}
		switch name {
		case "isnull", "regexp_like", "regexp":
			return true, nil
		case "if":
			return truths(ctx, name, x.Children()[1:])
		case "ifnull", "coalesce", "nvl", "max", "min":
			return truths(ctx, name, x.Children())
		case "nullif", "greatest", "least":
			if is, err := truths(ctx, name, x.Children()); is || err != nil {
				return false, refusedArgument(strings.ToUpper(name) + " of conditions")
			}
		}
		return false, nil
	}
	return true, nil // comparisons, AND, OR, NOT, IS, IN, LIKE, BETWEEN, EXISTS
}

// truths reports whether a function has conditions for its values: all of them are, but NULL.
func truths(ctx *sql.Context, name string, values []sql.Expression) (bool, error) {
	some, others := false, false
	for _, v := range values {
		t := v.Type(ctx)
		if t == gmstypes.Null {
			continue
		}
		is := false
		if t == gmstypes.Boolean {
			var err error
			if is, err = truth(ctx, v); err != nil {
				return false, err
			}
		}
		some, others = some || is, others || !is
	}
	if some && others {
		return false, refusedArgument(strings.ToUpper(name) + " of conditions and others")
	}
	return some, nil
}

package decimal_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/types/decimal"
)

// expression is a tree whose SQL a server can be asked, and whose value and type this package computes.
type expression struct {
	op     string // "num", "int", "float", "cast", "col", an operator, a function
	text   string // of a literal, a column's name
	kids   []*expression
	places int
	typ    decimal.Type // of "cast" and "col"
}

func num(s string) *expression { return &expression{op: "num", text: s} }
func whole(s string) *expression {
	return &expression{op: "int", text: s}
}
func op(o string, kids ...*expression) *expression { return &expression{op: o, kids: kids} }
func places(o string, n int, kid *expression) *expression {
	return &expression{op: o, places: n, kids: []*expression{kid}}
}
func cast(text string, precision, scale int) *expression {
	return &expression{op: "cast", typ: decimal.Type{Precision: precision, Scale: scale}, kids: []*expression{{op: "text", text: text}}}
}

func (e *expression) sql() string {
	switch e.op {
	case "num", "int", "float", "col":
		return e.text
	case "text":
		return "'" + e.text + "'"
	case "cast":
		return fmt.Sprintf("CAST(%s AS DECIMAL(%d,%d))", e.kids[0].sql(), e.typ.Precision, e.typ.Scale)
	case "neg":
		return "(-" + e.kids[0].sql() + ")"
	case "ROUND", "TRUNCATE":
		return fmt.Sprintf("%s(%s,%d)", e.op, e.kids[0].sql(), e.places)
	case "CEIL", "FLOOR", "ABS", "SUM", "AVG":
		return e.op + "(" + e.kids[0].sql() + ")"
	}
	return "(" + e.kids[0].sql() + e.op + e.kids[1].sql() + ")"
}

// isInt reports whether it is no DECIMAL, so that an operator on it may compute otherwise.
func (e *expression) isInt() bool { return e.op == "int" }

// rowOf are the columns that an expression may name.
type rowOf map[string]decimal.Dec

// state is what may end an expression.
type state int

const (
	fine state = iota
	null
	overflow
)

type evaluation struct {
	increment int
	row       rowOf
	types     map[string]decimal.Type
	state     state
}

func (v *evaluation) check(d decimal.Dec, cond decimal.Cond) decimal.Dec {
	switch {
	case v.state != fine:
	case cond&decimal.DivZero != 0:
		v.state = null
	case cond&decimal.Overflow != 0:
		v.state = overflow
	}
	return d
}

// value computes e as an operand: not rounded to its type.
func (v *evaluation) value(e *expression) decimal.Dec {
	if v.state != fine {
		return decimal.Dec{}
	}
	switch e.op {
	case "num":
		d, _, _ := decimal.Parse([]byte(e.text))
		return d
	case "int":
		n, _ := strconv.ParseUint(e.text, 10, 64)
		return decimal.FromUint64(n)
	case "float":
		f, _ := strconv.ParseFloat(e.text, 64)
		d, _ := decimal.FromFloat64(f)
		return d
	case "text":
		d, _, _ := decimal.Parse([]byte(e.text))
		return d
	case "col":
		return v.row[e.text]
	}
	a := v.value(e.kids[0])
	switch e.op {
	case "cast":
		d, _ := a.Cast(e.typ.Precision, e.typ.Scale)
		return d
	case "neg":
		return a.Neg()
	case "ABS":
		return a.Abs()
	case "ROUND":
		return v.check(a.Round(min(e.places, v.typeOf(e).Scale), decimal.HalfUp))
	case "TRUNCATE":
		return v.check(a.Round(min(e.places, v.typeOf(e).Scale), decimal.Truncate))
	case "CEIL":
		return v.integral(e, a, decimal.Ceiling)
	case "FLOOR":
		return v.integral(e, a, decimal.Floor)
	}
	b := v.value(e.kids[1])
	switch e.op {
	case "+":
		return v.check(decimal.Add(a, b))
	case "-":
		return v.check(decimal.Sub(a, b))
	case "*":
		return v.check(decimal.Mul(a, b))
	case "/":
		return v.check(decimal.Div(a, b, v.increment))
	case "%":
		return v.check(decimal.Mod(a, b))
	}
	panic("no value: " + e.op)
}

// integral is CEIL and FLOOR, an integer or a DECIMAL.
func (v *evaluation) integral(e *expression, a decimal.Dec, mode decimal.Mode) decimal.Dec {
	if _, integer := decimal.IntegralType(v.typeOf(e.kids[0]), mode); integer {
		n, _ := a.Int64(mode)
		return decimal.FromInt64(n)
	}
	return v.check(a.Round(0, mode))
}

// typeOf returns the type by the rules.
func (v *evaluation) typeOf(e *expression) decimal.Type {
	switch e.op {
	case "num":
		d, _, _ := decimal.Parse([]byte(e.text))
		return decimal.LiteralType(d)
	case "int":
		return decimal.IntType(len(e.text), false)
	case "cast":
		return e.typ
	case "col":
		return v.types[e.text]
	}
	a := v.typeOf(e.kids[0])
	switch e.op {
	case "neg":
		if a.Literal {
			return a
		}
		return decimal.NegType(a)
	case "ABS":
		return decimal.AbsType(a)
	case "ROUND":
		return decimal.RoundType(a, e.places, decimal.HalfUp)
	case "TRUNCATE":
		return decimal.RoundType(a, e.places, decimal.Truncate)
	case "CEIL":
		t, _ := decimal.IntegralType(a, decimal.Ceiling)
		return t
	case "FLOOR":
		t, _ := decimal.IntegralType(a, decimal.Floor)
		return t
	case "SUM":
		return decimal.SumType(a)
	case "AVG":
		return decimal.AvgType(a, v.increment)
	}
	b := v.typeOf(e.kids[1])
	switch e.op {
	case "+", "-":
		return decimal.AddType(a, b)
	case "*":
		return decimal.MulType(a, b)
	case "/":
		return decimal.DivType(a, b, v.increment)
	case "%":
		return decimal.ModType(a, b)
	}
	panic("no type: " + e.op)
}

// printed is a value as a server prints it: rounded to its type's scale.
func printed(d decimal.Dec, t decimal.Type) string {
	d, _ = d.Round(t.Scale, decimal.HalfUp)
	return d.String()
}

// answer is what a server says, or should say.
type answer struct {
	text             string // "NULL" and "E1690" included
	length, decimals int
}

func (v *evaluation) answer(e *expression) answer {
	v.state = fine
	switch e.op {
	case "=", "<", "<=>":
		return v.compared(e)
	}
	t := v.typeOf(e)
	d := v.value(e)
	switch v.state {
	case null:
		return answer{"NULL", t.Length(), t.Scale}
	case overflow:
		return answer{"E1690", 0, 0}
	}
	return answer{printed(d, t), t.Length(), t.Scale}
}

// compared is the answer to a comparison, for which operands are rounded to their types' scales before.
func (v *evaluation) compared(e *expression) answer {
	var d [2]decimal.Dec
	var isNull [2]bool
	for i, kid := range e.kids {
		t := v.typeOf(kid)
		d[i], _ = v.value(kid).Round(t.Scale, decimal.HalfUp)
		if v.state == overflow {
			return answer{"E1690", 0, 0}
		}
		isNull[i], v.state = v.state == null, fine
		if isNull[i] && e.op != "<=>" {
			return answer{"NULL", 1, 0} // MariaDB does not look at the other operand
		}
	}
	c := decimal.Cmp(d[0], d[1])
	if isNull[0] || isNull[1] {
		c = 0
		if isNull[0] != isNull[1] {
			c = 1
		}
	}
	if c < 0 && e.op == "<" || c == 0 && e.op != "<" {
		return answer{"1", 1, 0}
	}
	return answer{"0", 1, 0}
}

// root returns an expression as it stands in a statement: an operator whose result is no DECIMAL may be the outermost.
func (g *generator) root(depth int) *expression {
	e := g.draw(depth)
	switch g.rnd.IntN(20) {
	case 0:
		return op("CEIL", e)
	case 1:
		return op("FLOOR", e)
	case 2:
		return op("=", e, places("ROUND", g.rnd.IntN(30), e))
	case 3, 4:
		other := g.draw(depth)
		if g.rnd.IntN(2) == 0 {
			other = op("+", e, num("0.0"))
		}
		return op(g.pick([]string{"=", "<", "<=>"}), e, other)
	}
	return e
}

// generator draws expressions; the same seed draws the same ones.
type generator struct {
	rnd  *rand.Rand
	cols []string
}

var numbers = []string{
	"0.0", "0.5", "1.5", "2.5", "0.05", "1.0", "10.0", "9.9", "0.1", "0.3", "99.99", "100.00", "0.000000001", "0.9999999995", "999999999.0",
	"999999999.999999999", "1000000000.0", "0.999999999999999999", "123456789.987654321", "1.23456789", "4294967296.5", "18446744073709551615.5",
	"9999999999999999999.9", "0.00000000000000000000000000000000000001", "99999999999999999999999999999999999999", "100000000000000000000000000000000000000",
	"0.99999999999999999999999999999999999999", "170141183460469231731687303715884105727", "170141183460469231731687303715884105728.5",
	"99999999999999999999999999999999999999999999999999999999999999999", "9999999999999999999999999999999999999.9999999999999999999999999999",
	"100000000000000000000000000000000000000000000000000000000000000000000000000000000", "1000000000000000000000000.000000000000000000000000001",
	"12345678901234567890123456789012345.678901234567890123456789", "3.14159265358979323846264338327950288419", "7000000000000.0", "0.7", "1e0",
	"9999999999999999999999999999", "500000000000000000.000000000000000005", "0.10000", "00012.50", "555555555555555555.5", "12345678901234567890.5",
	".5", ".000000000000000000000000000000000000000000000000001", "1.00000000000000000000000000000000000000000000000000000001",
	"123456789012345678901234567890.12345678901234567890123456789012345678901234567890",
}

var wholes = []string{"0", "1", "2", "3", "7", "9", "10", "11", "99", "1000", "999999999", "1000000000", "3000000000", "7000000000000", "999999999999999999", "9223372036854775807"}

func (g *generator) pick(from []string) string { return from[g.rnd.IntN(len(from))] }

// digits draws a number of up to n digits.
func (g *generator) digits(n int) string {
	b := make([]byte, 1+g.rnd.IntN(n))
	for i := range b {
		switch g.rnd.IntN(4) {
		case 0:
			b[i] = '9'
		case 1:
			b[i] = '0'
		default:
			b[i] = '0' + byte(g.rnd.IntN(10))
		}
	}
	return string(b)
}

func (g *generator) leaf() *expression {
	switch g.rnd.IntN(12) {
	case 0, 1, 2:
		if n := g.pick(numbers); strings.Contains(n, ".") {
			return num(n)
		}
		return num(g.digits(20) + "." + g.digits(9))
	case 3:
		return whole(g.pick(wholes))
	case 4:
		return num(strings.TrimLeft(g.digits(12), "0") + "0." + g.digits(6))
	case 5:
		return num(g.digits(40) + "." + g.digits(38))
	case 6:
		return cast(g.pick(numbers), 65, g.rnd.IntN(39))
	case 7:
		p := 1 + g.rnd.IntN(65)
		return cast(g.digits(40)+"."+g.digits(30), p, g.rnd.IntN(min(p, 38)+1))
	case 8:
		text := strconv.FormatFloat(g.rnd.Float64()*1000, 'e', -1, 64)
		return &expression{op: "cast", typ: decimal.Type{Precision: 40, Scale: g.rnd.IntN(25)}, kids: []*expression{{op: "float", text: text}}}
	default:
		return &expression{op: "col", text: g.pick(g.cols)}
	}
}

// draw returns an expression of at most that depth which is a DECIMAL.
func (g *generator) draw(depth int) *expression {
	if depth == 0 {
		for {
			if e := g.leaf(); !e.isInt() {
				return e
			}
		}
	}
	switch g.rnd.IntN(20) {
	case 0:
		return op("neg", g.draw(depth-1))
	case 1:
		return op("ABS", g.draw(depth-1))
	case 2, 3:
		return places("ROUND", g.rnd.IntN(50)-10, g.draw(depth-1))
	case 4:
		return places("TRUNCATE", g.rnd.IntN(50)-10, g.draw(depth-1))
	case 5:
		p := 1 + g.rnd.IntN(65)
		return &expression{op: "cast", typ: decimal.Type{Precision: p, Scale: g.rnd.IntN(min(p, 38) + 1)}, kids: []*expression{g.draw(depth - 1)}}
	}
	operator := g.pick([]string{"+", "-", "*", "*", "/", "/", "%"})
	a, b := g.operand(depth-1), g.operand(depth-1)
	if a.isInt() && b.isInt() && operator != "/" {
		a = g.draw(depth - 1)
	}
	return op(operator, a, b)
}

func (g *generator) operand(depth int) *expression {
	if depth == 0 || g.rnd.IntN(4) == 0 {
		return g.leaf()
	}
	return g.draw(depth)
}

// fixedExpressions come first: what design and facts speak of, and what has been wrong once.
func fixedExpressions() []*expression {
	tinyDivisor := op("/", cast("0.99999999999999999999999999999999999999", 38, 38), num("690620.0750899040404040404040404040404040404"))
	third := op("/", whole("1"), whole("3"))
	tiny := op("/", num("-1.0"), whole("999999999999999999"))
	return []*expression{
		third,
		op("*", third, whole("3000000000")),
		op("*", op("/", whole("1"), whole("7")), whole("7000000000000")),
		op("/", num("1.0"), num("3.0")),
		op("/", num("1.23456789"), whole("3")),
		op("*", third, whole("3")),
		op("*", third, whole("300000")),
		op("/", third, third),
		op("*", op("/", op("+", op("-", num("1.5"), num("1.5")), whole("1")), whole("3")), whole("3000000000")),
		op("%", whole("7"), num("2.5")),
		op("%", num("-4.0"), num("2.0")),
		op("%", cast("-4000000000", 20, 0), cast("2000000000", 20, 0)),
		op("/", num("43835751182475040634091881606944.802"), op("%", num("347.790828"), tinyDivisor)),
		op("/", num("1.5"), op("%", whole("999999999999999999"), op("/", cast("1", 38, 38), cast("99999", 39, 35)))),
		op("%", num("0.000000000001"), num("1.0")),
		op("%", num("1.0"), num("0.000000000003")),
		tiny,
		op("*", tiny, whole("10")),
		op("neg", num("0.0")),
		op("neg", op("*", num("0.0"), whole("1"))),
		op("*", num("100.0"), num("1.15")),
		places("ROUND", 5, num("1.5")),
		places("TRUNCATE", 10, num("1.5")),
		places("ROUND", 0, num("-2.5")),
		places("ROUND", -1, num("5.0")),
		places("ROUND", -2, num("50.0")),
		places("ROUND", 0, num("0.5")),
		places("TRUNCATE", 0, num("-0.5")),
		op("/", num("1.0"), num("0.0")),
		op("%", num("1.0"), num("0.0")),
		op("/", num("0.0"), whole("3")),
		op("*", num("99999999999999999999999999999999999999999999.9"), num("99999999999999999999999999999999999999999999.9")),
		op("*", cast("123456789012345678901234567890123456789012345", 65, 0), num("1.123456789123456789123456789123456789")),
		op("*", cast("123456789123456789123456789123456789123456789123456789", 65, 0), num("123456789.123456789123456789123456789123456789")),
		op("+", cast("999999999999999999999999999999999999999999999999999999999999999", 65, 0), num("0.5555555555555555555555555555")),
	}
}

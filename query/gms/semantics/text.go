package semantics

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/gms/evalcall"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// text is a value of another type as the text that MariaDB makes of it, where a function takes texts.
// go-mysql-server makes a date and time of each DATE, cuts the zeros from the end of a fraction of a
// second, and takes no TIME.
type text struct {
	expression.UnaryExpressionStub
	// digits are those of the fraction of a second or of a FLOAT(M,D): fractionAsIs, fractionUnknown.
	digits int
	// date: it is a DATE, though the type of the expression tells of a date and time.
	date bool
}

const (
	// fractionAsIs: six digits of a second, or none if they are zeros; the shortest text of a FLOAT.
	fractionAsIs = -1
	// fractionUnknown: a TIME of a column whose declaration is not at hand; its text is refused.
	fractionUnknown = -2
)

var (
	_ sql.Expression         = (*text)(nil)
	_ sql.CollationCoercible = (*text)(nil)
)

// Type implements sql.Expression.
func (t *text) Type(ctx *sql.Context) sql.Type {
	typ := t.Child.Type(ctx)
	if types.IsBit(typ) {
		return types.LongBlob
	}
	if c, ok := typ.(sql.TypeWithCollation); ok {
		return types.CreateLongText(c.Collation())
	}
	return types.LongText
}

// CollationCoercibility implements sql.CollationCoercible.
func (t *text) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	typ := t.Child.Type(ctx)
	switch {
	case types.IsEnum(typ), types.IsSet(typ):
		return sql.GetCoercibility(ctx, t.Child)
	case types.IsBit(typ):
		return sql.Collation_binary, 5
	}
	return ctx.GetCollation(), 5
}

// Spelled implements evalcall.Spelled.
func (t *text) Spelled() (of sql.Expression, digits int) { return t.Child, t.digits }

// String implements sql.Expression.
func (t *text) String() string { return t.Child.String() }

// WithChildren implements sql.Expression.
func (t *text) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(t, len(children), 1)
	}
	own := *t
	own.Child = children[0]
	return &own, nil
}

// Eval implements sql.Expression.
func (t *text) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := t.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	typ := t.Child.Type(ctx)
	switch v := v.(type) {
	case time.Time:
		if (t.date || types.IsDateType(typ)) && v.Equal(v.Truncate(24*time.Hour)) {
			return v.Format("2006-01-02"), nil
		}
		return v.Format("2006-01-02 15:04:05") + fraction(int64(v.Nanosecond()/1000), t.digits), nil
	case types.Timespan:
		if t.digits == fractionUnknown {
			return nil, mysqlerr.New(mysqlerr.NotSupportedYet, "the text of this TIME; CAST it in a query of its table")
		}
		whole, _, _ := strings.Cut(v.String(), ".")
		micros := int64(v) % 1_000_000
		return whole + fraction(max(micros, -micros), t.digits), nil
	case *apd.Decimal:
		return v.Text('f'), nil
	case float32:
		return string(t.float(float64(v), true)), nil
	case float64:
		return string(t.float(v, types.Float32.Equals(typ))), nil
	}
	switch {
	case types.IsYear(typ):
		if n, err := wholeValue(ctx, expression.NewLiteral(v, typ), nil); err == nil {
			if _, subquery := t.Child.(*plan.Subquery); subquery {
				return strconv.FormatUint(n.abs, 10), nil
			}
			return fmt.Sprintf("%04d", n.abs), nil
		}
	case types.IsBit(typ):
		n, ok := v.(uint64)
		bits, isBits := typ.(types.BitType)
		if ok && isBits {
			out := make([]byte, (int(bits.NumberOfBits())+7)/8)
			for i := range out {
				out[len(out)-1-i] = byte(n >> (8 * i))
			}
			return out, nil
		}
	case types.IsEnum(typ), types.IsSet(typ):
		s, _, err := types.ConvertToCollatedString(ctx, v, typ)
		return s, err
	}
	return v, nil
}

// fraction prints microseconds with so many digits.
func fraction(micros int64, digits int) string {
	if digits < 0 {
		if micros == 0 {
			return ""
		}
		digits = 6
	}
	if digits == 0 {
		return ""
	}
	return "." + fmt.Sprintf("%06d", micros)[:min(digits, 6)]
}

func (t *text) float(v float64, single bool) []byte {
	if t.digits >= 0 {
		return strconv.AppendFloat(nil, v, 'f', t.digits, 64)
	}
	return floattext.Append(nil, v, single)
}

// How MariaDB's functions take their arguments.
const (
	_ = iota // texts
	// asValues: numbers stay numbers, as in documents of JSON and in HEX.
	asValues
	// asMembers: so do those of JSON, but FLOAT(M,D) has as many digits as it was declared with.
	asMembers
)

// textual tells which arguments of a function are texts: their places from 0, and from which place on all are.
type textual struct {
	places []int
	from   int // -1: no more
	how    int
}

var (
	firstText = textual{places: []int{0}, from: -1}
	allTexts  = textual{from: 0}
	documents = textual{from: 0, how: asMembers}
)

var textualFunctions = map[string]textual{
	"length": firstText, "octet_length": firstText, "lengthb": firstText, "char_length": firstText,
	"character_length": firstText, "bit_length": firstText, "ascii": firstText, "ord": firstText,
	"concat": allTexts, "concat_ws": allTexts, "replace": allTexts, "strcmp": allTexts, "find_in_set": allTexts,
	"trim": allTexts, "ltrim": firstText, "rtrim": firstText,
	"left": firstText, "right": firstText, "substr": firstText, "substring": firstText, "mid": firstText,
	"upper": firstText, "ucase": firstText, "lower": firstText, "lcase": firstText, "reverse": firstText,
	"repeat": firstText, "quote": firstText, "soundex": firstText, "unhex": firstText, "compress": firstText,
	"md5": firstText, "sha": firstText, "sha1": firstText, "sha2": firstText, "crc32": firstText,
	"to_base64": firstText, "from_base64": firstText, nativeHash: firstText,
	"insert": {places: []int{0, 3}, from: -1}, "lpad": {places: []int{0, 2}, from: -1}, "rpad": {places: []int{0, 2}, from: -1},
	"locate": {places: []int{0, 1}, from: -1}, "position": {places: []int{0, 1}, from: -1}, "instr": {places: []int{0, 1}, from: -1},
	"substring_index": {places: []int{0, 1}, from: -1}, "elt": {from: 1}, "make_set": {from: 1},
	"export_set": {places: []int{1, 2, 3}, from: -1}, "field": {from: 0, how: asValues},
	"regexp_like": {places: []int{0, 1}, from: -1}, "regexp_instr": {places: []int{0, 1}, from: -1},
	"regexp_substr": {places: []int{0, 1}, from: -1}, "regexp_replace": {places: []int{0, 1, 2}, from: -1},
	"hex": {places: []int{0}, from: -1, how: asValues},
}

// nativeHash is the name under which PASSWORD() is registered.
const nativeHash = "native_password_hash"

// withTexts puts text above the arguments of an expression that takes texts; nil if none needs it. An error says that
// the mixture of types has no right answer here.
func (r replacer) withTexts(ctx *sql.Context, e sql.Expression) (sql.Expression, error) {
	children := e.Children()
	for _, c := range children {
		if c == nil || !c.Resolved() {
			return nil, nil // it is asked for once more when it is resolved
		}
	}
	t, err := takenTexts(ctx, e, children)
	if err != nil || t == nil {
		return nil, err
	}
	var out []sql.Expression
	wrap := func(i int) {
		if i >= len(children) {
			return
		}
		own := r.asText(ctx, children[i], t.how)
		if own == nil {
			return
		}
		if out == nil {
			out = append([]sql.Expression{}, children...)
		}
		out[i] = own
	}
	for _, at := range t.places {
		wrap(at)
	}
	for i := t.from; i >= 0 && i < len(children); i++ {
		wrap(i)
	}
	if out == nil {
		return nil, nil // nothing is to be changed
	}
	return e.WithChildren(ctx, out...)
}

// takenTexts finds the arguments that an expression takes as texts; nil for none.
func takenTexts(ctx *sql.Context, e sql.Expression, children []sql.Expression) (*textual, error) {
	switch e := e.(type) {
	case *expression.Like:
		return &textual{places: []int{0, 1}, from: -1}, nil
	case *expression.Convert:
		if types.IsText(e.Type(ctx)) {
			return &firstText, nil
		}
		return nil, nil // no text
	case *expression.Case:
		values := append([]sql.Expression{}, e.Else)
		for _, b := range e.Branches {
			values = append(values, b.Value)
		}
		if err := refuseMixed(ctx, "CASE", values); err != nil {
			return nil, err
		}
		if !types.IsText(e.Type(ctx)) {
			return nil, nil // no text
		}
		t := textual{from: -1}
		at := 0
		if e.Expr != nil {
			at++
		}
		for range e.Branches {
			t.places = append(t.places, at+1)
			at += 2
		}
		if e.Else != nil {
			t.places = append(t.places, at)
		}
		return &t, nil
	}
	switch e := e.(type) {
	case *evalcall.Call, *aggregation.JsonArray, *aggregation.JSONObjectAgg:
		return &documents, nil
	case *aggregation.GroupConcat: // what it is sorted by comes first, and is compared as what it is
		return &textual{from: len(children) - len(e.OutputExpressions())}, nil
	}
	f, ok := e.(sql.FunctionExpression)
	if !ok {
		return nil, nil // no function
	}
	name := strings.ToLower(f.FunctionName())
	switch name {
	case "ifnull", "nvl", "coalesce":
		if err := refuseMixed(ctx, strings.ToUpper(name)+"()", children); err != nil {
			return nil, err
		}
		if types.IsText(e.Type(ctx)) && !onlyTimes(ctx, children) {
			return &allTexts, nil
		}
		return nil, nil // no text
	case "if":
		if err := refuseMixed(ctx, "IF()", children[1:]); err != nil {
			return nil, err
		}
		if types.IsText(e.Type(ctx)) && !onlyTimes(ctx, children[1:]) {
			return &textual{from: 1}, nil
		}
		return nil, nil // no text
	case "greatest", "least":
		times := 0
		for _, c := range children {
			if isTemporal(c.Type(ctx)) {
				times++
			}
		}
		if times > 0 && times < len(children) {
			return nil, mysqlerr.New(mysqlerr.NotSupportedYet, strings.ToUpper(name)+"() of times and other values; CAST them to one type")
		}
		return nil, nil // no text
	}
	if t, ok := textualFunctions[name]; ok {
		return &t, nil
	}
	return nil, nil // no text
}

// memberText is the text of a member of ENUM or SET, as which MAX and MIN compare it; nil for other values.
func memberText(ctx *sql.Context, e sql.Expression) sql.Expression {
	if !e.Resolved() {
		return nil
	}
	if t := e.Type(ctx); !types.IsEnum(t) && !types.IsSet(t) {
		return nil
	}
	return &text{expression.UnaryExpressionStub{Child: e}, fractionAsIs, false}
}

// onlyTimes reports whether all values are times or NULL: MariaDB makes a time of them, no text.
func onlyTimes(ctx *sql.Context, exprs []sql.Expression) bool {
	for _, e := range exprs {
		if t := e.Type(ctx); !isTemporal(t) && t != types.Null {
			return false
		}
	}
	return true
}

// onlyDates reports whether an expression is the greatest or least of dates.
func onlyDates(ctx *sql.Context, e sql.Expression) bool {
	f, ok := e.(sql.FunctionExpression)
	if !ok {
		return false
	}
	switch strings.ToLower(f.FunctionName()) {
	case "greatest", "least":
	default:
		return false
	}
	for _, c := range f.Children() {
		if !types.IsDateType(c.Type(ctx)) {
			return false
		}
	}
	return true
}

func isTemporal(t sql.Type) bool { return types.IsTime(t) || types.IsTimespan(t) }

// asText gives nil for an expression that is a text already, or whose text is right.
func (r replacer) asText(ctx *sql.Context, e sql.Expression, how int) sql.Expression {
	typ := e.Type(ctx)
	switch {
	case isTemporal(typ):
		return &text{expression.UnaryExpressionStub{Child: e}, r.fractionOf(ctx, e), onlyDates(ctx, e)}
	case types.IsEnum(typ), types.IsSet(typ):
		return &text{expression.UnaryExpressionStub{Child: e}, fractionAsIs, false}
	case how == asValues:
		return nil
	case types.IsFloat(typ):
		digits, known := r.declared(e)
		if !known || digits >= notFixed {
			if how == asMembers {
				return nil
			}
			digits = fractionAsIs
		}
		return &text{expression.UnaryExpressionStub{Child: e}, digits, false}
	case how == asMembers:
		return nil
	case types.IsYear(typ), types.IsBit(typ), types.IsDecimal(typ):
		return &text{expression.UnaryExpressionStub{Child: e}, fractionAsIs, false}
	}
	return nil
}

// padding is what a type does not keep at the end of its values.
func padding(t sql.StringType) string {
	if t.Type() == query.Type_CHAR {
		return " "
	}
	return ""
}

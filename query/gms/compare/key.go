package compare

import (
	"context"
	stdbinary "encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// key is a value as bytes that are equal, and ordered, as it is in a comparison.
type key struct {
	expression.UnaryExpressionStub
	how how
}

var (
	_ sql.Expression         = (*key)(nil)
	_ sql.CollationCoercible = (*key)(nil)
)

func keyOf(e sql.Expression, h how) sql.Expression {
	return &key{expression.UnaryExpressionStub{Child: e}, h}
}

// Type implements sql.Expression.
func (*key) Type(*sql.Context) sql.Type { return types.LongBlob }

// CollationCoercibility implements sql.CollationCoercible.
func (*key) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 2
}

// String implements sql.Expression.
func (k *key) String() string { return "key(" + k.Child.String() + ")" } // indexes are found by the names of columns

// WithChildren implements sql.Expression.
func (k *key) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(k, len(children), 1)
	}
	return keyOf(children[0], k.how), nil
}

// Eval implements sql.Expression.
func (k *key) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := k.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	out, err := k.how.append(ctx, nil, v, k.Child.Type(ctx))
	if err != nil {
		return nil, err
	}
	return out, nil
}

// append adds the key of a value, which is not NULL.
func (h how) append(ctx *sql.Context, dst []byte, v any, t sql.Type) ([]byte, error) {
	v, err := sql.UnwrapAny(ctx, v)
	if err != nil {
		return nil, err
	}
	switch h.kind {
	case text, binary:
		s, err := textOf(ctx, v, t)
		if err != nil {
			return nil, err
		}
		if h.kind == binary {
			return append(dst, s...), nil
		}
		if h.coder == nil {
			return h.order.AppendKey(dst, []byte(s)), nil
		}
		coded, ok := h.coder.Encode(nil, s)
		if !ok {
			return nil, mysqlerr.NotYet("a comparison in " + h.order.Collation().Name() + " with a text that its character set lacks")
		}
		return h.order.AppendKey(dst, coded), nil
	case address:
		s, err := textOf(ctx, v, t)
		if err != nil {
			return nil, err
		}
		out, ok := h.of.AppendKey(dst, s)
		if !ok {
			return nil, refuseAddress(h.of)
		}
		return out, nil
	case exact, float:
		if s, ok := v.(string); ok {
			var err error
			if v, err = h.number(ctx, s); err != nil {
				return nil, err
			}
		}
		if h.kind == exact {
			return appendExact(ctx, dst, v)
		}
		return appendFloat(ctx, dst, v)
	case moment:
		if s, ok := v.(string); ok && !day.MatchString(s) {
			return nil, mysqlerr.NotYet("a comparison of the text '" + shortened(s) + "' with dates; CAST it")
		}
		return appendMoment(ctx, dst, v)
	case span:
		d, err := types.Time.ConvertToTimespan(v)
		return stdbinary.BigEndian.AppendUint64(dst, uint64(d)^1<<63), err
	}
	return nil, fmt.Errorf("no key of a %T", v)
}

// How texts begin that are numbers, and texts whose dates are beyond doubt.
var (
	leading = regexp.MustCompile(`^[ \t\n\r\v\f]*([-+]?(?:[0-9]{1,60}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][-+]?[0-9]{1,2})?)`)
	day     = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?)?$`)
)

// number is what of a text counts beside numbers: how it begins. In a statement that changes rows the rest may be an error, or nothing.
func (h how) number(ctx *sql.Context, s string) (string, error) {
	number := leading.FindStringSubmatch(s)
	if number != nil && number[1] == s {
		return s, nil
	}
	own := function.SessionOf(ctx)
	if own == nil {
		return "", mysqlerr.NotYet("a comparison of the text '" + shortened(s) + "' with numbers; CAST it")
	}
	if stores, _ := own.Storing(); stores {
		return "", mysqlerr.NotYet("a comparison of the text '" + shortened(s) + "' with numbers in a statement that changes rows; CAST it")
	}
	word := "DECIMAL"
	if h.kind == float {
		word = "DOUBLE"
	}
	ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: int(mysqlerr.TruncatedWrongValue), Message: "Truncated incorrect " + word + " value: '" + shortened(s) + "'"})
	if number == nil {
		return "0", nil
	}
	return number[1], nil
}

func shortened(s string) string {
	if len(s) > 40 {
		s = s[:40]
	}
	return strings.ToValidUTF8(s, "?")
}

func textOf(ctx context.Context, v any, t sql.Type) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	}
	s, _, err := types.ConvertToCollatedString(ctx, v, t)
	return s, err
}

// Digits of keys: DECIMAL has 65 at most, 38 of them behind the point, and products of DECIMALs more than that.
const (
	wholeDigits    = 90
	fractionDigits = 60
)

// appendExact adds the digits of a number, with their complements if it is negative.
func appendExact(ctx *sql.Context, dst []byte, v any) ([]byte, error) {
	if b, ok := v.(bool); ok {
		v = int8(0)
		if b {
			v = int8(1)
		}
	}
	converted, _, err := types.InternalDecimalType.Convert(ctx, v)
	if err != nil {
		return nil, err
	}
	d, ok := converted.(*apd.Decimal)
	if !ok {
		return nil, fmt.Errorf("no number: %T", converted)
	}
	number, fraction, _ := strings.Cut(strings.TrimPrefix(d.Text('f'), "-"), ".")
	number = strings.TrimLeft(number, "0")
	fraction = strings.TrimRight(fraction, "0")
	if len(number) > wholeDigits || len(fraction) > fractionDigits {
		return nil, fmt.Errorf("a number of too many digits: %s", d)
	}
	negative := d.Negative && number+fraction != ""
	at := len(dst)
	dst = append(dst, '1')
	dst = append(dst, strings.Repeat("0", wholeDigits-len(number))...)
	dst = append(dst, number...)
	dst = append(dst, fraction...)
	if !negative {
		return dst, nil
	}
	dst[at] = '0'
	for i := at + 1; i < len(dst); i++ {
		dst[i] = '0' + '9' - dst[i]
	}
	return append(dst, '~'), nil // -1.5 comes before -1
}

func appendFloat(ctx *sql.Context, dst []byte, v any) ([]byte, error) {
	converted, _, err := types.Float64.Convert(ctx, v)
	if err != nil {
		return nil, err
	}
	f, ok := converted.(float64)
	if !ok {
		return nil, fmt.Errorf("no number: %T", converted)
	}
	bits := math.Float64bits(f + 0) // -0 is 0
	if bits>>63 != 0 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	return stdbinary.BigEndian.AppendUint64(dst, bits), nil
}

func appendMoment(ctx *sql.Context, dst []byte, v any) ([]byte, error) {
	t, ok := v.(time.Time)
	if !ok {
		converted, _, err := types.DatetimeMaxPrecision.Convert(ctx, v)
		if err != nil {
			return nil, err
		}
		if t, ok = converted.(time.Time); !ok {
			return nil, fmt.Errorf("no time: %T", converted)
		}
	}
	return stdbinary.BigEndian.AppendUint64(dst, uint64(t.UnixMicro())^1<<63), nil
}

package computed

import (
	"fmt"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// leaf is something that go-mysql-server yields.
type leaf struct {
	t   types.Type
	gms sql.Type
}

// reads says what is known of the values of an expression; ok is false if they cannot be read.
func (l *leaf) reads(ctx *sql.Context, e sql.Expression, known column.Known) (ok bool) {
	l.t, l.gms = known.Type, e.Type(ctx)
	switch e.(type) {
	case *expression.UserVar, *expression.SystemVar, *expression.BindVar: // of which the type may be another one when it comes
		return false
	}
	switch l.gms.(type) {
	case sql.SpatialColumnType, gmstypes.VectorType, gmstypes.TupleType:
		return false
	}
	k := l.t.Kind
	return !k.Address() && k != types.Bit && // which is bytes as a text of a column, and a number elsewhere
		(k.Class() != types.ClassText || l.t.Collation != nil || k == types.Null)
}

// value is a value of go-mysql-server as one of ours.
func (l *leaf) value(ctx *sql.Context, v any) (out types.Value, err error) {
	if v == nil || l.t.Kind == types.Null {
		return types.Value{Null: true}, nil
	}
	if _, json := v.(gmstypes.JSONBytes); !json {
		if v, err = sql.UnwrapAny(ctx, v); err != nil || v == nil {
			return types.Value{Null: true}, err
		}
	}
	switch l.t.Class() {
	case types.ClassInt:
		out.Int, err = l.integer(ctx, v)
	case types.ClassFloat:
		var n any
		if n, _, err = gmstypes.Float64.Convert(ctx, v); err == nil {
			out.Float, _ = n.(float64)
		}
	case types.ClassDec:
		out.Dec, err = l.decimal(ctx, v)
	case types.ClassTime:
		out.Time, err = l.moment(ctx, v)
	default:
		out.Text, err = l.text(ctx, v)
	}
	return out, err
}

// FromEngine is a value of go-mysql-server as one of ours: of a type that its expression has in MariaDB, and gms there.
func FromEngine(ctx *sql.Context, t types.Type, gms sql.Type, v any) (types.Value, error) {
	l := leaf{t: t, gms: gms}
	return l.value(ctx, v)
}

func (l *leaf) integer(ctx *sql.Context, v any) (int64, error) {
	switch n := v.(type) {
	case bool:
		if n {
			return 1, nil
		}
		return 0, nil
	case uint64:
		return int64(n), nil
	}
	if l.t.Kind == types.Enum || l.t.Kind == types.Set || l.t.Kind == types.Bit || l.t.Kind == types.Year {
		converted, _, err := l.gms.Convert(ctx, v)
		if err != nil {
			return 0, err
		}
		v = converted
	}
	if l.t.Unsigned || l.t.Kind == types.Bit || l.t.Kind == types.Set {
		n, _, err := gmstypes.Uint64.Convert(ctx, v)
		if err != nil {
			return 0, err
		}
		return int64(n.(uint64)), nil
	}
	n, _, err := gmstypes.Int64.Convert(ctx, v)
	if err != nil {
		return 0, err
	}
	return n.(int64), nil
}

func (l *leaf) decimal(ctx *sql.Context, v any) (out decimal.Dec, err error) {
	if b, ok := v.(bool); ok {
		v = int8(0)
		if b {
			v = int8(1)
		}
	}
	n, _, err := gmstypes.InternalDecimalType.Convert(ctx, v)
	if err != nil {
		return out, err
	}
	d, ok := n.(*apd.Decimal)
	if !ok {
		return out, fmt.Errorf("no number: %T", n)
	}
	out, _, cond := decimal.Parse([]byte(d.Text('f')))
	if cond&^decimal.Truncated != 0 {
		return out, mysqlerr.NotYet("a number of so many digits in a statement of several tables")
	}
	rounded, _ := out.Round(int(l.t.Decimals), decimal.HalfUp)
	if decimal.Cmp(rounded, out) != 0 {
		return out, mysqlerr.NotYet("a number with more digits than its type has; CAST it")
	}
	return rounded, nil
}

func (l *leaf) moment(ctx *sql.Context, v any) (temporal.Packed, error) {
	if span, ok := v.(gmstypes.Timespan); ok && l.t.Kind == types.Time {
		micros := int64(span)
		p := temporal.Parts{Negative: micros < 0}
		micros = max(micros, -micros)
		seconds := micros / 1e6
		p.Hour, p.Minute, p.Second, p.Micro = int(seconds/3600), int(seconds/60%60), int(seconds%60), int(micros%1e6)
		return p.PackTime(), nil
	}
	t, ok := v.(time.Time)
	if !ok {
		converted, _, err := l.gms.Convert(ctx, v)
		if err != nil {
			return 0, err
		}
		if t, ok = converted.(time.Time); !ok {
			return 0, mysqlerr.NotYet(fmt.Sprintf("a time that is %T", converted))
		}
	}
	if t.Equal(gmstypes.ZeroTime) {
		return 0, nil
	}
	p := temporal.Parts{
		Year: t.Year(), Month: int(t.Month()), Day: t.Day(), Hour: t.Hour(), Minute: t.Minute(), Second: t.Second(), Micro: t.Nanosecond() / 1000,
	}
	if l.t.Kind == types.Date {
		p.Hour, p.Minute, p.Second, p.Micro = 0, 0, 0, 0
	}
	return p.PackDate(), nil
}

var utf8mb4, _ = charset.SetByName("utf8mb4")

func (l *leaf) text(ctx *sql.Context, v any) ([]byte, error) {
	var text []byte
	switch v := v.(type) {
	case string:
		text = []byte(v)
	case []byte:
		if l.t.Binary() {
			return v, nil
		}
		text = v
	case gmstypes.JSONBytes:
		return gmstypes.MarshallJson(ctx, v)
	default:
		s, _, err := gmstypes.ConvertToCollatedString(ctx, v, l.gms)
		if err != nil {
			return nil, err
		}
		text = []byte(s)
	}
	if set := l.t.Collation.Set(); set != utf8mb4 && !l.t.Binary() {
		text, _ = charset.Convert(nil, set, utf8mb4, text)
	}
	return text, nil
}

// ToEngine is a value that a column of a type keeps as go-mysql-server's of its type there.
func ToEngine(t types.Type, gms sql.Type, v types.Value) (any, error) {
	switch {
	case v.Null:
		return nil, nil
	case t.Kind == types.Enum:
		return uint16(v.Int), nil
	case t.Kind == types.Set:
		return uint64(v.Int), nil
	}
	return given(t, gms, v)
}

// given is a value as go-mysql-server's of a type.
func given(t types.Type, gms sql.Type, v types.Value) (any, error) {
	switch t.Kind {
	case types.Null:
		return nil, nil
	case types.Float:
		return float32(v.Float), nil
	case types.Bit:
		return uint64(v.Int), nil
	case types.Year:
		return int16(v.Int), nil
	case types.Date, types.Datetime, types.Timestamp:
		return dateOf(v.Time)
	case types.Time:
		p := v.Time.TimeParts()
		micros := ((int64(p.Hour)*60+int64(p.Minute))*60+int64(p.Second))*1e6 + int64(p.Micro)
		if p.Negative {
			micros = -micros
		}
		return gmstypes.Timespan(micros), nil
	}
	switch t.Class() {
	case types.ClassInt:
		return integerOf(t, gms, v.Int), nil
	case types.ClassFloat:
		return v.Float, nil
	case types.ClassDec:
		d := v.Dec
		if !t.OwnScale {
			d, _ = d.Round(int(t.Decimals), decimal.HalfUp)
		}
		n, _, err := apd.NewFromString(string(d.Append(nil)))
		return n, err
	}
	if t.Binary() {
		return append([]byte{}, v.Text...), nil
	}
	if set := t.Collation.Set(); set != utf8mb4 {
		text, _ := charset.Convert(nil, utf8mb4, set, v.Text)
		return string(text), nil
	}
	return string(v.Text), nil
}

func dateOf(v temporal.Packed) (any, error) {
	if v == 0 {
		return gmstypes.ZeroTime, nil
	}
	p := v.DateParts()
	t := time.Date(p.Year, time.Month(p.Month), p.Day, p.Hour, p.Minute, p.Second, p.Micro*1000, time.UTC)
	if p.Month == 0 || p.Day == 0 || t.Day() != p.Day || p.Year == 0 {
		return nil, mysqlerr.NotYet("a date without a month or a day as a value in a statement of several tables; CAST it to CHAR")
	}
	return t, nil
}

func integerOf(t types.Type, gms sql.Type, n int64) any {
	switch gms.Type() {
	case sqltypes.Int8:
		return int8(n)
	case sqltypes.Int16:
		return int16(n)
	case sqltypes.Int24, sqltypes.Int32:
		return int32(n)
	case sqltypes.Uint8:
		return uint8(n)
	case sqltypes.Uint16:
		return uint16(n)
	case sqltypes.Uint24, sqltypes.Uint32:
		return uint32(n)
	}
	if t.Unsigned {
		return uint64(n)
	}
	return n
}

package setop

import (
	"fmt"
	"strconv"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// converted is a column of a query in the type of the set operation that the query belongs to.
type converted struct {
	expression.UnaryExpressionStub
	from, to types.Type
	own      sql.Type
}

var (
	_ sql.Expression         = (*converted)(nil)
	_ sql.CollationCoercible = (*converted)(nil)
)

// MariaDBType is the type that the column has in MariaDB.
func (c *converted) MariaDBType() types.Type { return c.to }

// Type implements sql.Expression.
func (c *converted) Type(*sql.Context) sql.Type { return c.own }

// CollationCoercibility implements sql.CollationCoercible.
func (c *converted) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	if t, ok := c.own.(sql.TypeWithCollation); ok {
		return t.Collation(), 2
	}
	return sql.Collation_binary, 5
}

// String implements sql.Expression.
func (c *converted) String() string { return c.Child.String() }

// WithChildren implements sql.Expression.
func (c *converted) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 1)
	}
	out := *c
	out.Child = children[0]
	return &out, nil
}

// Eval implements sql.Expression.
func (c *converted) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	if _, json := v.(gmstypes.JSONBytes); !json {
		if v, err = sql.UnwrapAny(ctx, v); err != nil {
			return nil, err
		}
	}
	switch c.to.Class() {
	case types.ClassText:
		s, err := c.text(ctx, v)
		switch {
		case err != nil || !c.to.Binary():
			return string(s), err
		case uint64(len(s)) > c.to.Bytes():
			return nil, mysqlerr.NotYet("a set operation of binary strings with a text of so many bytes; CAST it to BINARY")
		}
		return s, nil
	case types.ClassDec:
		return c.decimal(ctx, v)
	case types.ClassTime:
		return c.moment(ctx, v)
	}
	v, _, err = c.own.Convert(ctx, v)
	return v, err
}

// exactly is for numbers of all digits that DECIMAL may have.
var exactly = apd.Context{Precision: 200, MaxExponent: 1000, MinExponent: -1000, Rounding: apd.RoundHalfUp}

func (c *converted) decimal(ctx *sql.Context, v any) (any, error) {
	if b, ok := v.(bool); ok {
		v = int8(0)
		if b {
			v = int8(1)
		}
	}
	n, _, err := gmstypes.InternalDecimalType.Convert(ctx, v)
	if err != nil {
		return nil, err
	}
	d, ok := n.(*apd.Decimal)
	if !ok {
		return nil, fmt.Errorf("no number: %T", n)
	}
	out := new(apd.Decimal)
	_, err = exactly.Quantize(out, d, -int32(c.to.Decimals))
	return out, err
}

// moment is a date or a time; a TIME among dates is one of the statement's day.
func (c *converted) moment(ctx *sql.Context, v any) (any, error) {
	span, ok := v.(gmstypes.Timespan)
	if !ok || c.to.Kind == types.Time {
		return v, nil
	}
	zone, err := function.SessionTimeZone(ctx)
	if err != nil {
		return nil, err
	}
	now, ok := sql.ConvertTimeZone(ctx.QueryTime(), sql.SystemTimezoneOffset(), zone)
	if !ok {
		return nil, sql.ErrInvalidTimeZone.New(zone)
	}
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	return day.Add(time.Duration(int64(span)) * time.Microsecond), nil
}

// text is a value as MariaDB makes it a text of its type.
func (c *converted) text(ctx *sql.Context, v any) ([]byte, error) {
	switch v := v.(type) {
	case string:
		return c.encoded(v)
	case []byte:
		return v, nil
	case gmstypes.JSONBytes: // as it is stored
		return gmstypes.MarshallJson(ctx, v)
	case sql.JSONWrapper:
		s, err := gmstypes.JsonToMySqlString(ctx, v)
		return []byte(s), err
	case bool:
		if v {
			return []byte("1"), nil
		}
		return []byte("0"), nil
	case time.Time:
		layout := "2006-01-02 15:04:05"
		if c.from.Kind == types.Date {
			layout = "2006-01-02"
		} else if c.from.Decimals > 0 {
			layout += ".000000"[:1+c.from.Decimals]
		}
		if v.Equal(gmstypes.ZeroTime) { // which is no date of Go's
			return zeros(layout), nil
		}
		return v.AppendFormat(nil, layout), nil
	case gmstypes.Timespan:
		whole := v.String()
		if at := len("-000:00:00"); len(whole) > at {
			whole = whole[:max(0, lastColon(whole)+3)]
		}
		if c.from.Decimals == 0 {
			return []byte(whole), nil
		}
		micros := int64(v) % 1_000_000
		return append([]byte(whole), fmt.Sprintf(".%06d", max(micros, -micros))[:1+c.from.Decimals]...), nil
	case *apd.Decimal:
		return []byte(v.Text('f')), nil
	case float32:
		return floattext.Append(nil, float64(v), true), nil
	case float64:
		return floattext.Append(nil, v, c.from.Kind == types.Float), nil
	}
	if c.from.Class() == types.ClassInt && c.from.Kind != types.Enum && c.from.Kind != types.Set {
		if u, ok := v.(uint64); ok {
			return strconv.AppendUint(nil, u, 10), nil
		}
		n, _, err := gmstypes.Int64.Convert(ctx, v)
		if err != nil {
			return nil, err
		}
		return fmt.Appendf(nil, "%d", n), nil
	}
	s, _, err := gmstypes.ConvertToCollatedString(ctx, v, c.Child.Type(ctx))
	if err != nil {
		return nil, err
	}
	return c.encoded(s)
}

func lastColon(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == ':' {
			return i
		}
	}
	return -1
}

func zeros(layout string) []byte {
	out := []byte(layout)
	for i, b := range out {
		if b >= '0' && b <= '9' {
			out[i] = '0'
		}
	}
	return out
}

// encoded is a text; among binary strings it is the bytes of its character set.
func (c *converted) encoded(s string) ([]byte, error) {
	if !c.to.Binary() || c.from.Collation == nil {
		return []byte(s), nil
	}
	coder := collation.TranscoderOf(c.from.Collation.ID())
	if coder == nil {
		return []byte(s), nil
	}
	out, ok := coder.Encode(nil, s)
	if !ok {
		return nil, mysqlerr.NotYet("a set operation of binary strings with a text that its character set lacks")
	}
	return out, nil
}

// engineType is a type as go-mysql-server has it.
func engineType(t types.Type) (sql.Type, error) {
	switch t.Kind {
	case types.Null:
		return gmstypes.Null, nil
	case types.Tinyint:
		return signed(t, gmstypes.Int8, gmstypes.Uint8), nil
	case types.Smallint:
		return signed(t, gmstypes.Int16, gmstypes.Uint16), nil
	case types.Mediumint:
		return signed(t, gmstypes.Int24, gmstypes.Uint24), nil
	case types.Int:
		return signed(t, gmstypes.Int32, gmstypes.Uint32), nil
	case types.Bigint:
		return signed(t, gmstypes.Int64, gmstypes.Uint64), nil
	case types.Bit:
		return gmstypes.CreateBitType(uint8(t.Length))
	case types.Year:
		return gmstypes.Year, nil
	case types.Decimal:
		if t.Dec.Scale > gmstypes.DecimalTypeMaxScale {
			return nil, mysqlerr.NotYet("a set operation of DECIMAL with so many digits; CAST one to the type of the other")
		}
		return gmstypes.CreateDecimalType(uint8(t.Dec.Precision), uint8(t.Dec.Scale))
	case types.Float:
		return gmstypes.Float32, nil
	case types.Double:
		return gmstypes.Float64, nil
	case types.Date:
		return gmstypes.Date, nil
	case types.Time:
		return gmstypes.Time, nil
	case types.Datetime, types.Timestamp:
		return gmstypes.CreateDatetimeType(sqltypes.Datetime, int(t.Decimals))
	}
	if !t.Kind.IsString() || t.Collation == nil {
		return nil, mysqlerr.NotYet("a set operation of " + t.Name())
	}
	c := sql.CollationID(t.Collation.ID())
	if c.Name() != t.Collation.Name() && c != sql.Collation_binary {
		return nil, mysqlerr.NotYet("a set operation of texts in " + t.Collation.Name())
	}
	switch {
	case t.JSON:
		of, err := gmstypes.CreateString(sqltypes.Text, gmstypes.LongTextBlobMax, c)
		return schema.JSON{StringType: of}, err
	case t.Kind.Blob():
		return gmstypes.CreateString(sqltypes.Text, int64(min(t.Bytes(), 1<<32-1)), c)
	case t.Kind == types.Char && t.Length <= 255:
		return gmstypes.CreateString(sqltypes.Char, int64(t.Length), c)
	}
	return gmstypes.CreateString(sqltypes.VarChar, int64(t.Length), c)
}

func signed(t types.Type, with, without sql.Type) sql.Type {
	if t.Unsigned {
		return without
	}
	return with
}

package tables

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/gms/schema"
)

// Values of a column whose type changes become what MariaDB makes of them: a replica converts its
// rows by itself. The conversions here are those that were compared with MariaDB's (test/ddlreplica);
// others are refused. They are strict whatever sql_mode says: a value that does not fit is an error.

// class is a group of column types whose values are converted alike.
type class byte

const (
	classOther class = iota
	classInteger
	classDecimal
	classFloat
	classText
	classBinary
	classDate
	classDatetime
	classTime
	classEnum
)

func classOf(typ sql.Type) class {
	switch t := typ.(type) {
	case sql.StringType:
		if types.IsBinaryType(t) {
			return classBinary
		}
		return classText
	case sql.DecimalType:
		return classDecimal
	case sql.EnumType:
		return classEnum
	case types.TimeType:
		return classTime
	case sql.DatetimeType:
		if typ.Type() == sqltypes.Date {
			return classDate
		}
		return classDatetime
	}
	switch {
	case types.IsInteger(typ):
		return classInteger
	case types.IsFloat(typ):
		return classFloat
	}
	return classOther
}

// ErrConversion is for changes of a column's type that are not done here while there are values.
var ErrConversion = sql.ErrUnsupportedFeature

// converter makes values of column a new from values of column a old. digits is the number of
// fractional digits of the new column, if it is a DATETIME or TIMESTAMP.
func converter(old, to *sql.Column, was *catalog.ColumnDef) func(ctx *sql.Context, v any) (any, error) {
	from, into := classOf(old.Type), classOf(to.Type)
	convert := func(ctx *sql.Context, v any) (any, error) {
		return nil, ErrConversion.New(fmt.Sprintf("changing column %s from %s to %s while it has values; add a column, UPDATE it, and drop the old one",
			old.Name, old.Type, to.Type))
	}
	switch {
	case old.Type.Equals(to.Type) && from != classOther:
		return func(_ *sql.Context, v any) (any, error) { return v, nil }
	case old.Type.String() == to.Type.String() && from == classOther:
		return func(_ *sql.Context, v any) (any, error) { return v, nil }
	case schema.IsJSON(to.Type): // not every text is
	case into == classInteger || into == classDecimal || into == classFloat:
		if n := numberOf(from, old.Type); n != nil {
			convert = func(ctx *sql.Context, v any) (any, error) { return toNumber(ctx, to, into, v, n) }
		}
	case into == classText:
		if s := textOf(from, old.Type, was); s != nil {
			convert = func(ctx *sql.Context, v any) (any, error) {
				text, err := s(ctx, v)
				if err != nil {
					return nil, err
				}
				out, _, err := to.Type.Convert(ctx, text)
				return out, err
			}
		}
	case into == classBinary && from == classBinary:
		convert = func(ctx *sql.Context, v any) (any, error) {
			out, _, err := to.Type.Convert(ctx, v)
			return out, err
		}
	case into == classEnum && (from == classText || from == classEnum):
		convert = func(ctx *sql.Context, v any) (any, error) { return toEnum(ctx, old, to, v) }
	case (into == classDate || into == classDatetime) && (from == classDate || from == classDatetime):
		convert = func(_ *sql.Context, v any) (any, error) { return toMoment(to, into, v) }
	case (into == classDate || into == classDatetime) && from == classText:
		convert = func(_ *sql.Context, v any) (any, error) { return momentOf(to, into, v) }
	}
	return convert
}

// numberOf turns values into exact decimals; nil for classes that have none.
func numberOf(from class, typ sql.Type) func(ctx *sql.Context, v any) (*apd.Decimal, error) {
	switch from {
	case classInteger, classDecimal, classFloat:
		return func(_ *sql.Context, v any) (*apd.Decimal, error) {
			if d, ok := v.(*apd.Decimal); ok {
				return d, nil
			}
			switch f := v.(type) {
			case float32:
				v = strconv.FormatFloat(float64(f), 'g', -1, 32)
			case float64:
				v = strconv.FormatFloat(f, 'g', -1, 64)
			}
			d, _, err := apd.NewFromString(fmt.Sprint(v))
			return d, err
		}
	case classText:
		return func(ctx *sql.Context, v any) (*apd.Decimal, error) {
			s, err := unwrapText(ctx, v)
			if err != nil {
				return nil, err
			}
			d, _, err := apd.NewFromString(strings.TrimSpace(s))
			if err != nil || d.Form != apd.Finite {
				return nil, errIncorrect.New(s, typ.String())
			}
			return d, nil
		}
	}
	return nil
}

var errIncorrect = sql.ErrInvalidValue

func unwrapText(ctx *sql.Context, v any) (string, error) {
	u, err := sql.UnwrapAny(ctx, v)
	if err != nil {
		return "", err
	}
	switch s := u.(type) {
	case string:
		return s, nil
	case []byte:
		return string(s), nil
	}
	return "", fmt.Errorf("tables: %T is no text", u)
}

var exact = apd.Context{Precision: 100, MaxExponent: 2000, MinExponent: -2000, Rounding: apd.RoundHalfUp}

func toNumber(ctx *sql.Context, to *sql.Column, into class, v any, number func(*sql.Context, any) (*apd.Decimal, error)) (any, error) {
	d, err := number(ctx, v)
	if err != nil {
		return nil, err
	}
	var value any
	switch into {
	case classFloat:
		f, err := d.Float64()
		if err != nil || math.IsInf(f, 0) {
			return nil, sql.ErrValueOutOfRange.New(d, to.Type)
		}
		value = f
	case classInteger:
		var n apd.Decimal
		rounding := exact
		switch v.(type) {
		case float32, float64:
			rounding.Rounding = apd.RoundHalfEven // as the processor rounds
		}
		if _, err := rounding.Quantize(&n, d, 0); err != nil {
			return nil, sql.ErrValueOutOfRange.New(d, to.Type)
		}
		text := n.Text('f')
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			value = i
		} else if u, err := strconv.ParseUint(text, 10, 64); err == nil {
			value = u
		} else {
			return nil, sql.ErrValueOutOfRange.New(d, to.Type)
		}
	default:
		var n apd.Decimal
		if _, err := exact.Quantize(&n, d, -int32(to.Type.(sql.DecimalType).Scale())); err != nil {
			return nil, sql.ErrValueOutOfRange.New(d, to.Type)
		}
		value = &n
	}
	out, inRange, err := to.Type.Convert(ctx, value)
	if err != nil {
		return nil, err
	}
	if inRange != sql.InRange {
		return nil, sql.ErrValueOutOfRange.New(d, to.Type)
	}
	return out, nil
}

// textOf turns values into the text that a query of them gives; nil for classes whose text is not certain.
func textOf(from class, typ sql.Type, was *catalog.ColumnDef) func(ctx *sql.Context, v any) (string, error) {
	switch from {
	case classText:
		return unwrapText
	case classInteger, classDecimal, classEnum, classDate, classDatetime:
	case classTime:
		if was == nil || was.Type != mysql.MYSQL_TYPE_TIME2 || was.Meta != 0 {
			return nil
		}
	default:
		return nil
	}
	return func(ctx *sql.Context, v any) (string, error) {
		if t, ok := v.(time.Time); ok {
			layout := "2006-01-02"
			if dt, is := typ.(sql.DatetimeType); is && from == classDatetime {
				layout += " 15:04:05"
				if p := dt.Precision(); p > 0 {
					layout += "." + strings.Repeat("0", p)
				}
			}
			if t.Equal(types.ZeroTime) {
				return strings.NewReplacer("2006", "0000", "01", "00", "02", "00", "15", "00", "04", "00", "05", "00").Replace(layout), nil
			}
			return t.Format(layout), nil
		}
		out, err := typ.SQL(ctx, nil, v)
		return out.ToString(), err
	}
}

func toEnum(ctx *sql.Context, old, to *sql.Column, v any) (any, error) {
	var name string
	if e, ok := old.Type.(sql.EnumType); ok {
		n, ok := v.(uint16)
		if !ok {
			return nil, fmt.Errorf("tables: %T is no ENUM", v)
		}
		if n == 0 {
			return n, nil
		}
		name, _ = e.At(int(n))
	} else {
		var err error
		if name, err = unwrapText(ctx, v); err != nil {
			return nil, err
		}
	}
	at := to.Type.(sql.EnumType).IndexOf(strings.TrimRight(name, " "))
	if at < 1 {
		return nil, types.ErrDataTruncatedForColumnAtRow.New(to.Name, 1)
	}
	return uint16(at), nil
}

// toMoment cuts what the new type does not hold, as MariaDB does without TIME_ROUND_FRACTIONAL.
func toMoment(to *sql.Column, into class, v any) (any, error) {
	t, ok := v.(time.Time)
	if !ok {
		return nil, fmt.Errorf("tables: %T is no date", v)
	}
	if t.Equal(types.ZeroTime) {
		return t, nil
	}
	if into == classDate {
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location()), nil
	}
	unit := time.Second
	for range to.Type.(sql.DatetimeType).Precision() {
		unit /= 10
	}
	t = t.Truncate(unit)
	if to.Type.Type() == sqltypes.Timestamp && (t.Year() < 1970 || t.Unix() <= 0 || t.Unix() > math.MaxInt32) {
		return nil, errIncorrect.New(t.Format("2006-01-02 15:04:05"), to.Type.String())
	}
	return t, nil
}

// momentOf reads dates that are written in full.
func momentOf(to *sql.Column, into class, v any) (any, error) {
	s, ok := v.(string)
	if ok {
		for _, layout := range []string{"2006-01-02", "2006-01-02 15:04:05", "2006-01-02 15:04:05.999999"} {
			if t, err := time.ParseInLocation(layout, s, time.UTC); err == nil && t.Year() > 0 {
				return toMoment(to, into, t)
			}
		}
	}
	return nil, errIncorrect.New(v, to.Type.String())
}

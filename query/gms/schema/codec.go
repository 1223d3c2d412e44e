package schema

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/row"
)

// toStore turns a non-NULL value of the SQL engine into one that package row
// encodes; fromStore is the way back.
type (
	toStore   func(ctx context.Context, v any) (any, error)
	fromStore func(v any) (any, error)
)

// Codec converts the values of one table version. It is immutable and safe for
// concurrent use.
type Codec struct {
	names []string
	to    []toStore
	from  []fromStore
}

// NewCodec makes the codec of a table whose columns have the types of schema.
func NewCodec(def *catalog.TableDef, schema sql.Schema) (*Codec, error) {
	c := &Codec{
		names: make([]string, len(schema)),
		to:    make([]toStore, len(schema)),
		from:  make([]fromStore, len(schema)),
	}
	for i, col := range schema {
		c.names[i] = col.Name
		var err error
		if c.to[i], c.from[i], err = converters(col.Type, &def.Columns[i]); err != nil {
			return nil, fmt.Errorf("column %s: %w", col.Name, err)
		}
		c.to[i] = checked(col.Type, &def.Columns[i], c.to[i])
	}
	return c, nil
}

// Columns is the number of columns of the table.
func (c *Codec) Columns() int { return len(c.to) }

// ToStore converts a row of the SQL engine into dst, which it returns, grown
// where it is too short.
func (c *Codec) ToStore(ctx context.Context, dst []any, row sql.Row) ([]any, error) {
	if len(row) != len(c.to) {
		return nil, fmt.Errorf("schema: row has %d values, table has %d columns", len(row), len(c.to))
	}
	dst = dst[:0]
	for i, v := range row {
		s, err := c.Value(ctx, i, v)
		if err != nil {
			return nil, err
		}
		dst = append(dst, s)
	}
	return dst, nil
}

// Value converts one value of column i.
func (c *Codec) Value(ctx context.Context, i int, v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	s, err := c.to[i](ctx, v)
	if sql.ErrValueOutOfRange.Is(err) {
		return nil, err // has its number in MariaDB
	}
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", c.names[i], err)
	}
	return s, nil
}

// FromStore converts a decoded value of column i.
func (c *Codec) FromStore(i int, v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	s, err := c.from[i](v)
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", c.names[i], err)
	}
	return s, nil
}

var errType = errors.New("schema: value has the wrong type")

func wrongType(v any, want string) error {
	return fmt.Errorf("%w: %T for %s", errType, v, want)
}

func same(_ context.Context, v any) (any, error) { return v, nil }

func converters(typ sql.Type, def *catalog.ColumnDef) (toStore, fromStore, error) {
	switch t := typ.(type) {
	case *Address:
		return t.toStore, t.fromStore, nil
	case JSON, types.JsonType: // the second one of a column that a statement defines
		return textOfJSON, textFromJSON, nil
	case sql.StringType:
		if types.IsBinaryType(t) {
			return bytesToStore, bytesFromStore, nil
		}
		return textToStore(def), textFromStore(def), nil
	case sql.DecimalType:
		return same, decimalFromStore, nil
	case sql.EnumType:
		return convertFirst(t), func(v any) (any, error) {
			n, ok := v.(uint64)
			if !ok {
				return nil, wrongType(v, "ENUM")
			}
			return uint16(n), nil
		}, nil
	case sql.SetType:
		return convertFirst(t), uint64FromStore, nil
	case types.BitType:
		return convertFirst(t), uint64FromStore, nil
	case sql.DatetimeType:
		return timeToStore, timeFromStore, nil
	case types.TimeType:
		return timespanToStore, timespanFromStore, nil
	case types.VectorType:
		return bytesToStore, bytesFromStore, nil
	case sql.SpatialColumnType:
		return geometryToStore, geometryFromStore, nil
	}
	from, ok := numberFromStore[typ.Type()]
	if !ok {
		return nil, nil, fmt.Errorf("schema: type %s cannot be stored", typ)
	}
	return numberToStore, from, nil
}

// convertFirst is for types whose values may still be names or numbers.
func convertFirst(t sql.Type) toStore {
	return func(ctx context.Context, v any) (any, error) {
		switch v.(type) {
		case uint64, uint16:
			return v, nil
		}
		out, _, err := t.Convert(ctx, v)
		return out, err
	}
}

func numberToStore(_ context.Context, v any) (any, error) {
	if b, ok := v.(bool); ok {
		if b {
			return int64(1), nil
		}
		return int64(0), nil
	}
	return v, nil
}

func uint64FromStore(v any) (any, error) {
	n, ok := v.(uint64)
	if !ok {
		return nil, wrongType(v, "SET or BIT")
	}
	return n, nil
}

func decimalFromStore(v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, wrongType(v, "DECIMAL")
	}
	d, _, err := apd.NewFromString(s)
	return d, err
}

func bytesToStore(ctx context.Context, v any) (any, error) {
	switch v := v.(type) {
	case []byte:
		return v, nil
	case string:
		return []byte(v), nil
	}
	u, err := sql.UnwrapAny(ctx, v)
	if err != nil {
		return nil, err
	}
	if b, ok := u.([]byte); ok {
		return b, nil
	}
	return nil, wrongType(v, "a binary string")
}

func bytesFromStore(v any) (any, error) {
	switch v := v.(type) {
	case []byte:
		return v, nil
	case string:
		return []byte(v), nil
	}
	return nil, wrongType(v, "a binary string")
}

func textToStore(def *catalog.ColumnDef) toStore {
	coder := collation.TranscoderOf(def.Collation)
	name := collation.Name(def.Collation)
	return func(ctx context.Context, v any) (any, error) {
		s, ok := v.(string)
		if !ok {
			switch t := v.(type) {
			case []byte:
				s = string(t)
			default:
				u, err := sql.UnwrapAny(ctx, v)
				if err != nil {
					return nil, err
				}
				if s, ok = u.(string); !ok {
					return nil, wrongType(v, "a string")
				}
			}
		}
		if coder == nil {
			return s, nil
		}
		b, ok := coder.Encode(make([]byte, 0, len(s)), s)
		if !ok {
			return nil, sql.ErrCharSetFailedToEncode.New(name, true, s)
		}
		return string(b), nil
	}
}

func textFromStore(def *catalog.ColumnDef) fromStore {
	coder := collation.TranscoderOf(def.Collation)
	return func(v any) (any, error) {
		s, ok := v.(string)
		if !ok {
			return nil, wrongType(v, "a string")
		}
		if coder == nil {
			return s, nil
		}
		return string(coder.Decode(make([]byte, 0, len(s)), []byte(s))), nil
	}
}

// The engine's value of '0000-00-00' is the Go date of year 0, month 0, day 0;
// the storage's is the zero time.Time, which in turn is a valid date to the
// engine.
func timeToStore(_ context.Context, v any) (any, error) {
	t, ok := v.(time.Time)
	if !ok {
		return nil, wrongType(v, "a date")
	}
	if t.Equal(types.ZeroTime) {
		return time.Time{}, nil
	}
	if t.IsZero() {
		return row.Date{Year: 1, Month: 1, Day: 1}, nil
	}
	return t.UTC(), nil
}

func timeFromStore(v any) (any, error) {
	switch t := v.(type) {
	case time.Time:
		if t.IsZero() {
			return types.ZeroTime, nil
		}
		return t, nil
	case row.Date:
		// Go moves a day that is no date, such as the 31st of June, to the next
		// one that is; the engine has no other way to hold it.
		return time.Date(t.Year, time.Month(t.Month), t.Day, t.Hour, t.Minute, t.Second, t.Microsecond*1000, time.UTC), nil
	}
	return nil, wrongType(v, "a date")
}

func timespanToStore(_ context.Context, v any) (any, error) {
	switch v := v.(type) {
	case types.Timespan:
		return v.AsTimeDuration(), nil
	case time.Duration:
		return v, nil
	}
	return nil, wrongType(v, "TIME")
}

func timespanFromStore(v any) (any, error) {
	d, ok := v.(time.Duration)
	if !ok {
		return nil, wrongType(v, "TIME")
	}
	return types.Timespan(d.Microseconds()), nil
}

func geometryToStore(ctx context.Context, v any) (any, error) {
	switch g := v.(type) {
	case types.GeometryValue:
		return g.Serialize(), nil
	case []byte:
		return g, nil
	}
	g, err := types.UnwrapGeometry(ctx, v)
	if err != nil {
		return nil, err
	}
	return g.Serialize(), nil
}

func geometryFromStore(v any) (any, error) {
	b, ok := v.([]byte)
	if !ok {
		return nil, wrongType(v, "a geometry")
	}
	out, _, err := types.GeometryType{}.Convert(context.Background(), b)
	return out, err
}

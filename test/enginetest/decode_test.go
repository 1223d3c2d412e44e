package enginetest

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query"
)

// decode gives the Go value that the suite compares with what a client is sent.
func decode(v sqltypes.Value) (any, error) {
	raw := string(v.ToBytes())
	switch t := v.Type(); {
	case v.IsNull():
		return nil, nil
	case sqltypes.IsSigned(t), t == sqltypes.Year:
		return strconv.ParseInt(raw, 10, 64)
	case sqltypes.IsUnsigned(t):
		return strconv.ParseUint(raw, 10, 64)
	case t == sqltypes.Float32, t == sqltypes.Float64:
		return strconv.ParseFloat(raw, 64)
	case t == sqltypes.Date, t == sqltypes.Datetime, t == sqltypes.Timestamp:
		return moment(raw)
	case t == sqltypes.Time:
		d, _, err := types.Time.Convert(context.Background(), raw)
		return d, err
	case t == sqltypes.TypeJSON:
		d, _, err := types.JSON.Convert(context.Background(), raw)
		return d, err
	case t == sqltypes.Bit:
		b := make([]byte, 8)
		if len(raw) > len(b) {
			return nil, fmt.Errorf("a BIT of %d bytes", len(raw))
		}
		copy(b[len(b)-len(raw):], raw)
		return binary.BigEndian.Uint64(b), nil
	case t == sqltypes.Geometry:
		g, _, err := types.GeometryType{}.Convert(context.Background(), []byte(raw))
		return g, err
	case t == sqltypes.Blob, t == sqltypes.Binary, t == sqltypes.VarBinary, t == sqltypes.Vector:
		return []byte(raw), nil
	}
	return raw, nil
}

// moment reads a date, with or without a time of day.
func moment(raw string) (time.Time, error) {
	if len(raw) >= 10 && raw[:10] == "0000-00-00" {
		return types.ZeroTime, nil
	}
	if len(raw) == len(time.DateOnly) {
		return time.Parse(time.DateOnly, raw)
	}
	return time.Parse(time.DateTime, raw) // reads a fraction, too
}

// columnType is the type of a result's column, as far as the protocol tells it.
func columnType(c query.Column) sql.Type {
	unsigned := c.Flags&mysql.UNSIGNED_FLAG != 0
	switch c.Type {
	case mysql.MYSQL_TYPE_TINY, mysql.MYSQL_TYPE_SHORT, mysql.MYSQL_TYPE_LONG, mysql.MYSQL_TYPE_LONGLONG, mysql.MYSQL_TYPE_INT24:
		if unsigned {
			return types.Uint64
		}
		return types.Int64
	case mysql.MYSQL_TYPE_FLOAT:
		return types.Float32
	case mysql.MYSQL_TYPE_DOUBLE:
		return types.Float64
	case mysql.MYSQL_TYPE_NULL:
		return types.Null
	case mysql.MYSQL_TYPE_TIMESTAMP, mysql.MYSQL_TYPE_DATETIME:
		return types.Datetime
	case mysql.MYSQL_TYPE_DATE:
		return types.Date
	case mysql.MYSQL_TYPE_TIME:
		return types.Time
	case mysql.MYSQL_TYPE_YEAR:
		return types.Year
	case mysql.MYSQL_TYPE_BIT:
		return types.MustCreateBitType(64)
	case mysql.MYSQL_TYPE_NEWDECIMAL:
		return types.MustCreateDecimalType(65, min(c.Decimals, 30))
	case mysql.MYSQL_TYPE_GEOMETRY:
		return types.GeometryType{}
	}
	if c.Charset == mysql.Collation_binary {
		return types.LongBlob
	}
	return types.LongText
}

package enginetest

import (
	"context"
	"strconv"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/result"
)

// decode gives the Go value that the suite compares with what a client is sent.
func decode(col *result.Column, v result.Value, text string) (any, error) {
	switch v.Kind() {
	case result.Null:
		return nil, nil
	case result.KindSigned:
		return v.Int(), nil
	case result.KindYear:
		return int64(v.Uint()), nil
	case result.KindUnsigned, result.KindBit:
		return v.Uint(), nil
	case result.KindFloat, result.KindDouble:
		return strconv.ParseFloat(text, 64)
	case result.KindDate, result.KindDatetime:
		return moment(text)
	case result.KindTime:
		d, _, err := types.Time.Convert(context.Background(), text)
		return d, err
	case result.KindJSON:
		d, _, err := types.JSON.Convert(context.Background(), text)
		return d, err
	case result.KindBytes:
		if col.Type == mysql.MYSQL_TYPE_GEOMETRY {
			g, _, err := types.GeometryType{}.Convert(context.Background(), []byte(text))
			return g, err
		}
		return []byte(text), nil
	}
	return text, nil
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
func columnType(c result.Column) sql.Type {
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

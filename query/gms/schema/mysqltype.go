package schema

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/gms/collation"
)

// jsonCollation is what MariaDB gives its JSON columns: utf8mb4_bin.
const jsonCollation = uint16(sql.Collation_utf8mb4_bin)

// Storage is how a column type is stored and logged.
type Storage struct {
	Type      byte
	Meta      uint16
	Unsigned  bool
	Collation uint16 // mysql.Collation_binary for everything that is not text
	Values    []string
}

var numbers = map[query.Type]Storage{
	sqltypes.Int8:    {Type: mysql.MYSQL_TYPE_TINY},
	sqltypes.Int16:   {Type: mysql.MYSQL_TYPE_SHORT},
	sqltypes.Int24:   {Type: mysql.MYSQL_TYPE_INT24},
	sqltypes.Int32:   {Type: mysql.MYSQL_TYPE_LONG},
	sqltypes.Int64:   {Type: mysql.MYSQL_TYPE_LONGLONG},
	sqltypes.Uint8:   {Type: mysql.MYSQL_TYPE_TINY, Unsigned: true},
	sqltypes.Uint16:  {Type: mysql.MYSQL_TYPE_SHORT, Unsigned: true},
	sqltypes.Uint24:  {Type: mysql.MYSQL_TYPE_INT24, Unsigned: true},
	sqltypes.Uint32:  {Type: mysql.MYSQL_TYPE_LONG, Unsigned: true},
	sqltypes.Uint64:  {Type: mysql.MYSQL_TYPE_LONGLONG, Unsigned: true},
	sqltypes.Float32: {Type: mysql.MYSQL_TYPE_FLOAT, Meta: 4},
	sqltypes.Float64: {Type: mysql.MYSQL_TYPE_DOUBLE, Meta: 8},
	sqltypes.Year:    {Type: mysql.MYSQL_TYPE_YEAR},
	sqltypes.Date:    {Type: mysql.MYSQL_TYPE_DATE},
}

// StorageOf says how values of an SQL type are stored. timePrecision is the
// declared number of fractional digits of a TIME column, which the type itself
// does not know; it is ignored for other types.
func StorageOf(typ sql.Type, timePrecision int) (Storage, error) {
	if s, ok := numbers[typ.Type()]; ok {
		s.Collation = mysql.Collation_binary
		return s, nil
	}
	s := Storage{Collation: mysql.Collation_binary}
	switch t := typ.(type) {
	case *Address:
		s.Type, s.Meta = mysql.MYSQL_TYPE_STRING, mysql.StringMeta(t.size())
	case JSON, types.JsonType:
		s.Type, s.Meta, s.Collation = mysql.MYSQL_TYPE_BLOB, 4, jsonCollation
	case sql.StringType:
		return stringStorage(t)
	case sql.DecimalType:
		s.Type, s.Meta = mysql.MYSQL_TYPE_NEWDECIMAL, mysql.DecimalMeta(int(t.Precision()), int(t.Scale()))
	case sql.EnumType:
		s.Type, s.Values, s.Collation = mysql.MYSQL_TYPE_ENUM, t.Values(), collation.ID(t.Collation())
		s.Meta = mysql.EnumMeta(len(s.Values))
	case sql.SetType:
		s.Type, s.Values, s.Collation = mysql.MYSQL_TYPE_SET, t.Values(), collation.ID(t.Collation())
		s.Meta = mysql.SetMeta(len(s.Values))
	case types.BitType:
		s.Type, s.Meta = mysql.MYSQL_TYPE_BIT, mysql.BitMeta(int(t.NumberOfBits()))
	case sql.DatetimeType:
		s.Meta = uint16(t.Precision())
		s.Type = mysql.MYSQL_TYPE_DATETIME2
		if t.Type() == sqltypes.Timestamp {
			s.Type = mysql.MYSQL_TYPE_TIMESTAMP2
		}
	case types.TimeType:
		s.Type, s.Meta = mysql.MYSQL_TYPE_TIME2, uint16(timePrecision)
	case types.VectorType:
		s.Type, s.Meta = mysql.MYSQL_TYPE_BLOB, 4
	case sql.SpatialColumnType:
		s.Type, s.Meta = mysql.MYSQL_TYPE_GEOMETRY, 4
	default:
		if typ.Type() == sqltypes.Null { // CREATE TABLE ... SELECT NULL
			s.Type, s.Meta = mysql.MYSQL_TYPE_STRING, mysql.StringMeta(0)
			return s, nil
		}
		return s, fmt.Errorf("schema: type %s cannot be stored", typ)
	}
	return s, nil
}

func stringStorage(t sql.StringType) (Storage, error) {
	s := Storage{Collation: collation.ID(t.Collation())}
	if s.Collation == 0 {
		s.Collation = uint16(sql.Collation_Default)
	}
	length := uint16(min(t.MaxByteLength(), 65535))
	switch t.Type() {
	case sqltypes.Char, sqltypes.Binary:
		s.Type, s.Meta = mysql.MYSQL_TYPE_STRING, mysql.StringMeta(int(length))
	case sqltypes.VarChar, sqltypes.VarBinary:
		s.Type, s.Meta = mysql.MYSQL_TYPE_VARCHAR, length
	case sqltypes.Text, sqltypes.Blob:
		s.Type = mysql.MYSQL_TYPE_BLOB
		switch n := t.MaxByteLength(); {
		case n <= types.TinyTextBlobMax:
			s.Meta = 1
		case n <= types.TextBlobMax:
			s.Meta = 2
		case n <= types.MediumTextBlobMax:
			s.Meta = 3
		default:
			s.Meta = 4
		}
	default:
		return s, fmt.Errorf("schema: type %s cannot be stored", t)
	}
	return s, nil
}

// TypeText is the text of a type as it is kept in ColumnDef.SQLType, without
// collation.
func TypeText(typ sql.Type, timePrecision int) string {
	switch t := typ.(type) {
	case *Address:
		return t.String()
	case JSON:
		return t.String()
	case types.TimeType:
		if timePrecision == 0 {
			return "time"
		}
		return fmt.Sprintf("time(%d)", timePrecision)
	case sql.TypeWithCollation:
		return t.StringWithTableCollation(t.Collation())
	case sql.SpatialColumnType:
		name, _, _ := strings.Cut(typ.String(), " ")
		if srid, has := t.GetSpatialTypeSRID(); has {
			return fmt.Sprintf("%s SRID %d", name, srid)
		}
		return name
	}
	if typ.Type() == sqltypes.Null {
		return "binary(0)"
	}
	return typ.String()
}

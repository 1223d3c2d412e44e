package computed

import (
	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// Type is a type as go-mysql-server has it; error 1235 for one that it does not have.
func Type(t types.Type) (sql.Type, error) {
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
			return nil, mysqlerr.NotYet("a DECIMAL with so many digits in a statement of several tables; CAST it")
		}
		return gmstypes.CreateDecimalType(uint8(min(t.Dec.Precision, gmstypes.DecimalTypeMaxPrecision)), uint8(t.Dec.Scale))
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
		return nil, mysqlerr.NotYet("a value of type " + t.Name() + " in a statement of several tables")
	}
	c := sql.CollationID(t.Collation.ID())
	if c.Name() != t.Collation.Name() && c != sql.Collation_binary {
		return nil, mysqlerr.NotYet("a statement of several tables with texts in " + t.Collation.Name())
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

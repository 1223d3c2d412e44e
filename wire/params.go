package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/mysql"
)

// paramType is a parameter's type as the client declares it.
type paramType struct {
	kind     byte
	unsigned bool
}

// executeHead is the fixed part of COM_STMT_EXECUTE.
type executeHead struct {
	stmtID     uint32
	flags      byte // cursor type
	iterations uint32
}

func parseExecuteHead(c *cursor) (executeHead, error) {
	h := executeHead{stmtID: c.u32(), flags: c.u8(), iterations: c.u32()}
	return h, c.err()
}

// parseParams decodes the parameters that follow an executeHead. types are the
// declarations of an earlier execution, used when the client sends none; the
// declarations in force are returned. long[i] is not nil where the value has
// come by COM_STMT_SEND_LONG_DATA.
func parseParams(c *cursor, count int, types []paramType, long [][]byte) ([]sqltypes.Value, []paramType, error) {
	if count == 0 {
		return nil, types, nil
	}
	nulls := c.bytes(uint64(count+7) / 8)
	if c.u8() == 1 {
		declared := c.bytes(uint64(count) * 2)
		if c.failed {
			return nil, types, errMalformed
		}
		types = make([]paramType, count)
		for i := range types {
			types[i] = paramType{kind: declared[2*i], unsigned: declared[2*i+1]&0x80 != 0}
		}
	}
	if c.failed || len(types) != count {
		return nil, types, errMalformed
	}
	vals := make([]sqltypes.Value, count)
	for i := range vals {
		switch {
		case i < len(long) && long[i] != nil:
			vals[i] = longValue(types[i].kind, long[i])
		case nulls[i/8]&(1<<(i%8)) != 0:
			vals[i] = sqltypes.NULL
		default:
			v, err := c.param(types[i])
			if err != nil {
				return nil, types, fmt.Errorf("parameter %d: %w", i+1, err)
			}
			vals[i] = v
		}
	}
	return vals, types, c.err()
}

func longValue(kind byte, data []byte) sqltypes.Value {
	if isBlob(kind) {
		return sqltypes.MakeTrusted(sqltypes.VarBinary, data)
	}
	return sqltypes.MakeTrusted(sqltypes.VarChar, data)
}

func isBlob(kind byte) bool {
	switch kind {
	case mysql.MYSQL_TYPE_TINY_BLOB, mysql.MYSQL_TYPE_BLOB, mysql.MYSQL_TYPE_MEDIUM_BLOB, mysql.MYSQL_TYPE_LONG_BLOB, mysql.MYSQL_TYPE_GEOMETRY:
		return true
	}
	return false
}

// param decodes one value; the result does not alias the packet.
func (c *cursor) param(t paramType) (sqltypes.Value, error) {
	integer := func(signed int64, unsigned uint64) sqltypes.Value {
		if t.unsigned {
			return sqltypes.NewUint64(unsigned)
		}
		return sqltypes.NewInt64(signed)
	}
	var v sqltypes.Value
	switch t.kind {
	case mysql.MYSQL_TYPE_NULL:
		return sqltypes.NULL, nil
	case mysql.MYSQL_TYPE_TINY:
		n := c.u8()
		v = integer(int64(int8(n)), uint64(n))
	case mysql.MYSQL_TYPE_SHORT, mysql.MYSQL_TYPE_YEAR:
		n := c.u16()
		v = integer(int64(int16(n)), uint64(n))
	case mysql.MYSQL_TYPE_LONG, mysql.MYSQL_TYPE_INT24:
		n := c.u32()
		v = integer(int64(int32(n)), uint64(n))
	case mysql.MYSQL_TYPE_LONGLONG:
		n := c.u64()
		v = integer(int64(n), n)
	case mysql.MYSQL_TYPE_FLOAT:
		f := math.Float32frombits(c.u32())
		v = sqltypes.MakeTrusted(sqltypes.Float32, strconv.AppendFloat(nil, float64(f), 'g', -1, 32))
	case mysql.MYSQL_TYPE_DOUBLE:
		v = sqltypes.NewFloat64(math.Float64frombits(c.u64()))
	case mysql.MYSQL_TYPE_DATE, mysql.MYSQL_TYPE_NEWDATE, mysql.MYSQL_TYPE_DATETIME, mysql.MYSQL_TYPE_TIMESTAMP:
		text, err := c.datetimeText(t.kind == mysql.MYSQL_TYPE_DATE || t.kind == mysql.MYSQL_TYPE_NEWDATE)
		if err != nil {
			return v, err
		}
		kind := sqltypes.Datetime
		switch t.kind {
		case mysql.MYSQL_TYPE_DATE, mysql.MYSQL_TYPE_NEWDATE:
			kind = sqltypes.Date
		case mysql.MYSQL_TYPE_TIMESTAMP:
			kind = sqltypes.Timestamp
		}
		v = sqltypes.MakeTrusted(kind, text)
	case mysql.MYSQL_TYPE_TIME:
		text, err := c.timeText()
		if err != nil {
			return v, err
		}
		v = sqltypes.MakeTrusted(sqltypes.Time, text)
	case mysql.MYSQL_TYPE_DECIMAL, mysql.MYSQL_TYPE_NEWDECIMAL:
		v = sqltypes.MakeTrusted(sqltypes.Decimal, append([]byte{}, c.lenencBytes()...))
	case mysql.MYSQL_TYPE_BIT:
		v = sqltypes.MakeTrusted(sqltypes.VarBinary, append([]byte{}, c.lenencBytes()...))
	case mysql.MYSQL_TYPE_TINY_BLOB, mysql.MYSQL_TYPE_BLOB, mysql.MYSQL_TYPE_MEDIUM_BLOB, mysql.MYSQL_TYPE_LONG_BLOB, mysql.MYSQL_TYPE_GEOMETRY,
		mysql.MYSQL_TYPE_VARCHAR, mysql.MYSQL_TYPE_VAR_STRING, mysql.MYSQL_TYPE_STRING, mysql.MYSQL_TYPE_ENUM, mysql.MYSQL_TYPE_SET, mysql.MYSQL_TYPE_JSON:
		v = longValue(t.kind, append([]byte{}, c.lenencBytes()...))
	default:
		return v, fmt.Errorf("%w: type %d", errMalformed, t.kind)
	}
	return v, c.err()
}

// datetimeText reads a DATE or DATETIME of 0, 4, 7 or 11 bytes.
func (c *cursor) datetimeText(dateOnly bool) ([]byte, error) {
	length := c.u8()
	b := c.bytes(uint64(length))
	if c.failed || (length != 0 && length != 4 && length != 7 && length != 11) {
		return nil, errMalformed
	}
	var p [11]byte
	copy(p[:], b)
	text := fmt.Appendf(nil, "%04d-%02d-%02d", binary.LittleEndian.Uint16(p[:]), p[2], p[3])
	if dateOnly && length <= 4 {
		return text, nil
	}
	text = fmt.Appendf(text, " %02d:%02d:%02d", p[4], p[5], p[6])
	if length == 11 {
		text = fmt.Appendf(text, ".%06d", binary.LittleEndian.Uint32(p[7:]))
	}
	return text, nil
}

// timeText reads a TIME of 0, 8 or 12 bytes.
func (c *cursor) timeText() ([]byte, error) {
	length := c.u8()
	b := c.bytes(uint64(length))
	if c.failed || (length != 0 && length != 8 && length != 12) {
		return nil, errMalformed
	}
	var p [12]byte
	copy(p[:], b)
	var text []byte
	if p[0] != 0 {
		text = append(text, '-')
	}
	hours := uint64(binary.LittleEndian.Uint32(p[1:]))*24 + uint64(p[5])
	text = fmt.Appendf(text, "%02d:%02d:%02d", hours, p[6], p[7])
	if length == 12 {
		text = fmt.Appendf(text, ".%06d", binary.LittleEndian.Uint32(p[8:]))
	}
	return text, nil
}

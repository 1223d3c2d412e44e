package wire

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/result"
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

func parseExecuteHead(c *payloadReader) (executeHead, error) {
	h := executeHead{stmtID: c.u32(), flags: c.u8(), iterations: c.u32()}
	return h, c.err()
}

// parseParams decodes the parameters that follow an executeHead into vals. types are the
// declarations of an earlier execution, used when the client sends none; the
// declarations in force are returned. long[i] is not nil where the value has
// come by COM_STMT_SEND_LONG_DATA. A text without characters is NULL if the session's sql_mode says so, but for one that has come in pieces.
func parseParams(c *payloadReader, vals []result.Value, types []paramType, long [][]byte, emptyIsNull bool) ([]paramType, error) {
	count := len(vals)
	if count == 0 {
		return types, nil
	}
	nulls := c.bytes(uint64(count+7) / 8)
	if c.u8() == 1 {
		types = c.types(count, types)
	}
	if c.failed {
		return types, errMalformed
	}
	for i := range vals {
		vals[i] = result.Value{}
		switch {
		case nulls[i/8]&(1<<(i%8)) != 0 && (i >= len(long) || long[i] == nil):
			// Where all are NULL, some clients declare no types.
		case len(types) != count:
			return types, errMalformed
		case i < len(long) && long[i] != nil:
			if !types[i].text() {
				return types, fmt.Errorf("parameter %d: type %d has come in pieces", i+1, types[i].kind)
			}
			vals[i] = longValue(types[i].kind, long[i])
		default:
			v, err := c.param(types[i])
			if err != nil {
				return types, fmt.Errorf("parameter %d: %w", i+1, err)
			}
			if emptyIsNull && types[i].text() && len(v.Raw()) == 0 {
				v = result.Value{}
			}
			vals[i] = v
		}
	}
	return types, c.err()
}

// types reads the declarations of so many parameters. Those of before are returned if they say the same, which most clients do
// with each execution; they are never changed, as the packet may turn out to be wrong.
func (c *payloadReader) types(count int, before []paramType) []paramType {
	declared := c.bytes(uint64(count) * 2)
	if c.failed {
		return before
	}
	at := func(i int) paramType {
		return paramType{kind: declared[2*i], unsigned: declared[2*i+1]&0x80 != 0}
	}
	same := len(before) == count
	for i := 0; same && i < count; i++ {
		same = before[i] == at(i)
	}
	if same {
		return before
	}
	types := make([]paramType, count)
	for i := range types {
		types[i] = at(i)
	}
	return types
}

// text reports whether values of the type are texts or bytes; only these may come in pieces.
func (t paramType) text() bool {
	switch t.kind {
	case mysql.MYSQL_TYPE_TINY_BLOB, mysql.MYSQL_TYPE_BLOB, mysql.MYSQL_TYPE_MEDIUM_BLOB, mysql.MYSQL_TYPE_LONG_BLOB, mysql.MYSQL_TYPE_GEOMETRY,
		mysql.MYSQL_TYPE_VARCHAR, mysql.MYSQL_TYPE_VAR_STRING, mysql.MYSQL_TYPE_STRING, mysql.MYSQL_TYPE_ENUM, mysql.MYSQL_TYPE_SET:
		return true
	}
	return false
}

func longValue(kind byte, data []byte) result.Value {
	switch kind {
	case mysql.MYSQL_TYPE_TINY_BLOB, mysql.MYSQL_TYPE_BLOB, mysql.MYSQL_TYPE_MEDIUM_BLOB, mysql.MYSQL_TYPE_LONG_BLOB, mysql.MYSQL_TYPE_GEOMETRY:
		return result.Bytes(data)
	}
	return result.Text(data)
}

// param decodes one value; the result does not alias the packet.
func (c *payloadReader) param(t paramType) (result.Value, error) {
	integer := func(signed int64, unsigned uint64) result.Value {
		if t.unsigned {
			return result.Unsigned(unsigned)
		}
		return result.Signed(signed)
	}
	var v result.Value
	switch t.kind {
	case mysql.MYSQL_TYPE_NULL, mysql.MYSQL_TYPE_YEAR, mysql.MYSQL_TYPE_INT24, mysql.MYSQL_TYPE_BIT:
		return v, nil // MariaDB takes no value of the last three: they are NULL, and no byte is read
	case mysql.MYSQL_TYPE_TINY:
		n := c.u8()
		v = integer(int64(int8(n)), uint64(n)).Narrow(1)
	case mysql.MYSQL_TYPE_SHORT:
		n := c.u16()
		v = integer(int64(int16(n)), uint64(n)).Narrow(2)
	case mysql.MYSQL_TYPE_LONG:
		n := c.u32()
		v = integer(int64(int32(n)), uint64(n)).Narrow(4)
	case mysql.MYSQL_TYPE_LONGLONG:
		n := c.u64()
		v = integer(int64(n), n)
	case mysql.MYSQL_TYPE_FLOAT:
		v = result.Float(math.Float32frombits(c.u32()))
	case mysql.MYSQL_TYPE_DOUBLE:
		v = result.Double(math.Float64frombits(c.u64()))
	case mysql.MYSQL_TYPE_DATE, mysql.MYSQL_TYPE_NEWDATE, mysql.MYSQL_TYPE_DATETIME, mysql.MYSQL_TYPE_TIMESTAMP:
		return c.moment(t.kind == mysql.MYSQL_TYPE_DATE || t.kind == mysql.MYSQL_TYPE_NEWDATE)
	case mysql.MYSQL_TYPE_TIME:
		return c.span()
	case mysql.MYSQL_TYPE_DECIMAL, mysql.MYSQL_TYPE_NEWDECIMAL:
		v = result.Decimal(c.ownBytes())
	case mysql.MYSQL_TYPE_TINY_BLOB, mysql.MYSQL_TYPE_BLOB, mysql.MYSQL_TYPE_MEDIUM_BLOB, mysql.MYSQL_TYPE_LONG_BLOB, mysql.MYSQL_TYPE_GEOMETRY,
		mysql.MYSQL_TYPE_VARCHAR, mysql.MYSQL_TYPE_VAR_STRING, mysql.MYSQL_TYPE_STRING, mysql.MYSQL_TYPE_ENUM, mysql.MYSQL_TYPE_SET:
		v = longValue(t.kind, c.ownBytes())
	default:
		return v, fmt.Errorf("%w: type %d", errMalformed, t.kind)
	}
	return v, c.err()
}

// moment reads a DATE or DATETIME of 0, 4, 7 or 11 bytes. A DATE that has a time of day is a DATETIME.
func (c *payloadReader) moment(date bool) (result.Value, error) {
	length := c.u8()
	b := c.bytes(uint64(length))
	if c.failed || (length != 0 && length != 4 && length != 7 && length != 11) {
		return result.Value{}, errMalformed
	}
	var p [11]byte
	copy(p[:], b)
	m := result.Moment{
		Year: binary.LittleEndian.Uint16(p[:]), Month: p[2], Day: p[3],
		Hour: p[4], Minute: p[5], Second: p[6], Micro: binary.LittleEndian.Uint32(p[7:]),
	}
	switch {
	case m.Micro > microMax:
		return result.Value{}, errMalformed
	case date && length <= 4:
		return result.Date(m), nil
	case m.Micro > 0: // zero microseconds that are sent are no digits of a fraction, either
		return result.Datetime(m, 6), nil
	}
	return result.Datetime(m, 0), nil
}

// microMax, daysMax and hoursMax bound what a client may send as a time: a second has no more microseconds, and the hours of
// so many days are counted in 32 bits.
const (
	microMax = 999_999
	daysMax  = (1<<32 - 1 - 255) / 24
	hoursMax = 838
)

// span reads a TIME of 0, 8 or 12 bytes.
func (c *payloadReader) span() (result.Value, error) {
	length := c.u8()
	b := c.bytes(uint64(length))
	if c.failed || (length != 0 && length != 8 && length != 12) {
		return result.Value{}, errMalformed
	}
	var p [12]byte
	copy(p[:], b)
	days := binary.LittleEndian.Uint32(p[1:])
	s := result.Span{Negative: p[0] != 0, Minute: p[6], Second: p[7], Micro: binary.LittleEndian.Uint32(p[8:])}
	if days > daysMax || s.Micro > microMax {
		return result.Value{}, errMalformed
	}
	if s.Hours = days*24 + uint32(p[5]); s.Hours > hoursMax {
		s.Hours, s.Minute, s.Second = hoursMax, 59, 59 // as MariaDB takes it, without a word
	}
	if s.Micro > 0 {
		return result.Time(s, 6), nil
	}
	return result.Time(s, 0), nil
}

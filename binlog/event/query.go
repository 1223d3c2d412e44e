package event

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Codes of the status variables of a QUERY event.
const (
	qFlags2           = 0
	qSQLMode          = 1
	qCatalog          = 2
	qAutoIncrement    = 3
	qCharset          = 4
	qTimeZone         = 5
	qCatalogNZ        = 6
	qLCTimeNames      = 7
	qCharsetDatabase  = 8
	qTableMapForUpd   = 9
	qMasterDataWritte = 10
	qInvoker          = 11
	qUpdatedDBNames   = 12
	qMicroseconds     = 13
	// Of MySQL.
	qExplicitTimestamp = 16
	qDDLXID            = 17
	qDefaultUTF8MB4    = 18
	qRequirePrimaryKey = 19
	qDefaultEncryption = 20
	// Of MariaDB.
	qHRNow      = 128
	qXID        = 129
	qGTIDFlags3 = 130
)

// Bits of Query.Flags2: session options that a replay has to set.
// With MariaDB's defaults only Flags2ExplicitTimestamp is set.
const (
	Flags2AutoIsNull         uint32 = 1 << 14 // @@sql_auto_is_null
	Flags2NoCheckConstraint  uint32 = 1 << 15 // check_constraint_checks=0
	Flags2NotAutocommit      uint32 = 1 << 19 // autocommit=0
	Flags2ExplicitTimestamp  uint32 = 1 << 24 // @@explicit_defaults_for_timestamp
	Flags2NoForeignKeyChecks uint32 = 1 << 26 // foreign_key_checks=0
	Flags2NoUniqueChecks     uint32 = 1 << 27 // unique_checks=0
	Flags2IfExists           uint32 = 1 << 28 // @@sql_if_exists
	Flags2InsertHistory      uint32 = 1 << 30 // @@system_versioning_insert_history
)

// Query is a QUERY event: a statement to be run as it is (all DDL; BEGIN,
// COMMIT and ROLLBACK of non-transactional groups).
type Query struct {
	ThreadID  uint32
	ExecTime  uint32 // seconds
	ErrorCode uint16
	Schema    string // current database, "" for none; at most 255 bytes
	SQL       string

	Flags2  uint32
	SQLMode uint64
	// Charset holds the ids of character_set_client, collation_connection and
	// collation_server. All 0: not logged.
	Charset [3]uint16
	// AutoIncrementIncrement and -Offset are logged unless both are 1 or both 0.
	AutoIncrementIncrement uint16
	AutoIncrementOffset    uint16
	TimeZone               string // "" unless the statement depends on it
	LCTimeNames            uint16 // 0 (en_US) is not logged
	CharsetDatabase        uint16 // 0 is not logged
	TableMapForUpdate      uint64
	InvokerUser            string // with InvokerHost: who CURRENT_USER is for the statement
	InvokerHost            string
	// Microseconds of the statement's time, logged if HasMicroseconds (the
	// statement uses NOW with a precision).
	Microseconds    uint32
	HasMicroseconds bool
	XID             uint64 // of a DDL statement, 0 for none
	// GTIDFlags3 is the extra flags byte of a two-phase ALTER, with its
	// sequence number; 0 for none.
	GTIDFlags3 byte
	AlterSeq   uint64
	// DefaultUTF8MB4 is the collation that a MySQL takes for utf8mb4 where none is named; 0: not logged. It is read only.
	DefaultUTF8MB4 uint16
}

const queryFixedSize = 13

// AppendQuery appends a QUERY event with the status variables in MariaDB's order.
func AppendQuery(dst []byte, m Meta, q Query) []byte {
	schema := q.Schema[:min(len(q.Schema), 255)]
	dst, start := Begin(dst, m, QueryEvent)
	dst = binary.LittleEndian.AppendUint32(dst, q.ThreadID)
	dst = binary.LittleEndian.AppendUint32(dst, q.ExecTime)
	dst = append(dst, byte(len(schema)))
	dst = binary.LittleEndian.AppendUint16(dst, q.ErrorCode)
	dst = append(dst, 0, 0) // length of the status variables
	vars := len(dst)
	dst = q.appendVars(dst)
	binary.LittleEndian.PutUint16(dst[vars-2:], uint16(len(dst)-vars))
	dst = append(dst, schema...)
	dst = append(dst, 0)
	dst = append(dst, q.SQL...)
	return End(dst, start)
}

func (q *Query) appendVars(dst []byte) []byte {
	dst = append(dst, qFlags2)
	dst = binary.LittleEndian.AppendUint32(dst, q.Flags2)
	dst = append(dst, qSQLMode)
	dst = binary.LittleEndian.AppendUint64(dst, q.SQLMode)
	dst = append(dst, qCatalogNZ, 3, 's', 't', 'd')
	if inc, off := q.AutoIncrementIncrement, q.AutoIncrementOffset; (inc > 1 || off > 1) && inc != 0 {
		dst = append(dst, qAutoIncrement)
		dst = binary.LittleEndian.AppendUint16(dst, inc)
		dst = binary.LittleEndian.AppendUint16(dst, off)
	}
	if q.Charset != [3]uint16{} {
		dst = append(dst, qCharset)
		for _, id := range q.Charset {
			dst = binary.LittleEndian.AppendUint16(dst, id)
		}
	}
	if tz := q.TimeZone; tz != "" && len(tz) <= 255 {
		dst = appendString8(append(dst, qTimeZone), tz)
	}
	if q.LCTimeNames != 0 {
		dst = binary.LittleEndian.AppendUint16(append(dst, qLCTimeNames), q.LCTimeNames)
	}
	if q.CharsetDatabase != 0 {
		dst = binary.LittleEndian.AppendUint16(append(dst, qCharsetDatabase), q.CharsetDatabase)
	}
	if q.TableMapForUpdate != 0 {
		dst = binary.LittleEndian.AppendUint64(append(dst, qTableMapForUpd), q.TableMapForUpdate)
	}
	if u, h := q.InvokerUser, q.InvokerHost; u != "" && len(u) <= 255 && len(h) <= 255 {
		dst = appendString8(appendString8(append(dst, qInvoker), u), h)
	}
	if q.HasMicroseconds {
		dst = append(dst, qHRNow, byte(q.Microseconds), byte(q.Microseconds>>8), byte(q.Microseconds>>16))
	}
	if q.XID != 0 {
		dst = binary.LittleEndian.AppendUint64(append(dst, qXID), q.XID)
	}
	if q.GTIDFlags3 != 0 {
		dst = append(dst, qGTIDFlags3, q.GTIDFlags3)
		if q.GTIDFlags3&(FLExtraCommitAlter|FLExtraRollbackAlter) != 0 {
			dst = binary.LittleEndian.AppendUint64(dst, q.AlterSeq)
		}
	}
	return dst
}

func appendString8(dst []byte, s string) []byte {
	return append(append(dst, byte(len(s))), s...)
}

// decodeQuery decodes the body of a QUERY or QUERY_COMPRESSED event.
func decodeQuery(b []byte, compressed bool) (*Query, error) {
	if len(b) < queryFixedSize {
		return nil, tooShort(QueryEvent, b)
	}
	q := &Query{
		ThreadID:  binary.LittleEndian.Uint32(b),
		ExecTime:  binary.LittleEndian.Uint32(b[4:]),
		ErrorCode: binary.LittleEndian.Uint16(b[9:]),
	}
	schemaLen, varsLen := int(b[8]), int(binary.LittleEndian.Uint16(b[11:]))
	b = b[queryFixedSize:]
	if len(b) < varsLen+schemaLen+1 {
		return nil, tooShort(QueryEvent, b)
	}
	if err := q.decodeVars(b[:varsLen]); err != nil {
		return nil, err
	}
	b = b[varsLen:]
	q.Schema = string(b[:schemaLen])
	text := b[schemaLen+1:]
	if compressed {
		plain, err := uncompress(text)
		if err != nil {
			return nil, fmt.Errorf("compressed query: %w", err)
		}
		text = plain
	}
	q.SQL = string(text)
	return q, nil
}

// decodeVars reads the status variables. As in the server, the first unknown
// code ends it: what follows cannot be told apart.
func (q *Query) decodeVars(b []byte) error {
	r := reader{b: b}
	for len(r.b) > 0 && !r.failed {
		switch r.u8() {
		case qFlags2:
			q.Flags2 = r.u32()
		case qSQLMode:
			q.SQLMode = r.u64()
		case qCatalog: // with a terminating zero, before MariaDB 5.0.4
			r.take(int(r.u8()) + 1)
		case qCatalogNZ:
			r.take(int(r.u8()))
		case qAutoIncrement:
			q.AutoIncrementIncrement, q.AutoIncrementOffset = r.u16(), r.u16()
		case qCharset:
			q.Charset = [3]uint16{r.u16(), r.u16(), r.u16()}
		case qTimeZone:
			q.TimeZone = string(r.take(int(r.u8())))
		case qLCTimeNames:
			q.LCTimeNames = r.u16()
		case qCharsetDatabase:
			q.CharsetDatabase = r.u16()
		case qTableMapForUpd:
			q.TableMapForUpdate = r.u64()
		case qMasterDataWritte:
			r.take(4)
		case qInvoker:
			q.InvokerUser = string(r.take(int(r.u8())))
			q.InvokerHost = string(r.take(int(r.u8())))
		case qUpdatedDBNames: // MySQL: count, then names with a terminating zero; 254 means too many
			if n := r.u8(); n != 254 {
				for ; n > 0 && !r.failed; n-- {
					i := bytes.IndexByte(r.b, 0)
					r.take(i + 1)
				}
			}
		case qMicroseconds:
			q.Microseconds, q.HasMicroseconds = r.u24(), true
		case qExplicitTimestamp, qRequirePrimaryKey, qDefaultEncryption:
			r.take(1)
		case qDDLXID:
			r.take(8)
		case qDefaultUTF8MB4:
			q.DefaultUTF8MB4 = r.u16()
		case qHRNow:
			q.Microseconds, q.HasMicroseconds = r.u24(), true
		case qXID:
			q.XID = r.u64()
		case qGTIDFlags3:
			q.GTIDFlags3 = r.u8()
			if q.GTIDFlags3&(FLExtraCommitAlter|FLExtraRollbackAlter) != 0 {
				q.AlterSeq = r.u64()
			}
		default:
			return nil
		}
	}
	if r.failed {
		return fmt.Errorf("%w: status variables of a query event are cut short", ErrMalformed)
	}
	return nil
}

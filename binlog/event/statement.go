package event

import (
	"encoding/binary"
	"math"
)

// IntvarInfo is an INTVAR event: a value that the next statement uses.
type IntvarInfo struct {
	LastInsertID bool // LAST_INSERT_ID() rather than the auto-increment value to use (INSERT_ID)
	Value        uint64
}

func decodeIntvar(b []byte) (*IntvarInfo, error) {
	if len(b) < 9 {
		return nil, tooShort(Intvar, b)
	}
	return &IntvarInfo{LastInsertID: b[0] == 1, Value: binary.LittleEndian.Uint64(b[1:])}, nil
}

// RandInfo is a RAND event: the seeds of RAND() for the next statement.
type RandInfo struct{ Seed1, Seed2 uint64 }

func decodeRand(b []byte) (*RandInfo, error) {
	if len(b) < 16 {
		return nil, tooShort(Rand, b)
	}
	return &RandInfo{Seed1: binary.LittleEndian.Uint64(b), Seed2: binary.LittleEndian.Uint64(b[8:])}, nil
}

// Result types of a user variable.
const (
	UserVarString  byte = 0
	UserVarReal    byte = 1
	UserVarInt     byte = 2
	UserVarDecimal byte = 4
)

// UserVarInfo is a USER_VAR event: a user variable that the next statement
// reads. Value shares the decoded event's memory: a string's bytes, a real's or integer's
// eight little-endian bytes, or a decimal: precision, scale, NEWDECIMAL bytes.
type UserVarInfo struct {
	Name     string
	Null     bool
	Type     byte
	Charset  uint32 // collation id
	Value    []byte
	Unsigned bool
}

func decodeUserVar(b []byte) (*UserVarInfo, error) {
	r := reader{b: b}
	v := &UserVarInfo{}
	n := r.u32()
	if uint64(n) > uint64(len(r.b)) {
		return nil, tooShort(UserVar, b)
	}
	v.Name = string(r.take(int(n)))
	if v.Null = r.u8() != 0; !v.Null {
		v.Type = r.u8()
		v.Charset = r.u32()
		size := r.u32()
		if uint64(size) > uint64(len(r.b)) {
			return nil, tooShort(UserVar, b)
		}
		v.Value = r.take(int(size))
		if len(r.b) > 0 { // missing before MariaDB 5.5
			v.Unsigned = r.u8()&1 != 0
		}
	}
	if r.failed || (v.Type == UserVarReal || v.Type == UserVarInt) && !v.Null && len(v.Value) != 8 ||
		v.Type == UserVarDecimal && !v.Null && len(v.Value) < 2 {
		return nil, tooShort(UserVar, b)
	}
	return v, nil
}

// Int is the value of an integer variable.
func (v *UserVarInfo) Int() uint64 { return binary.LittleEndian.Uint64(v.Value) }

// Real is the value of a real variable.
func (v *UserVarInfo) Real() float64 { return math.Float64frombits(v.Int()) }

// LoadBlock is a BEGIN_LOAD_QUERY or APPEND_BLOCK event: the first piece, or another, of the file of a LOAD DATA.
type LoadBlock struct {
	FileID uint32
	Data   []byte // shares the decoded event's memory
}

func decodeLoadBlock(b []byte) (*LoadBlock, error) {
	if len(b) < 4 {
		return nil, tooShort(BeginLoadQuery, b)
	}
	return &LoadBlock{FileID: binary.LittleEndian.Uint32(b), Data: b[4:]}, nil
}

// LoadQuery is an EXECUTE_LOAD_QUERY event: a LOAD DATA statement whose file
// came in LoadBlocks.
type LoadQuery struct {
	Query
	FileID uint32
	// FnStart and FnEnd delimit in SQL the part that names the file.
	FnStart, FnEnd uint32
	DupHandling    byte // 0 error, 1 ignore, 2 replace
}

func decodeLoadQuery(b []byte) (*LoadQuery, error) {
	const extra = 13 // between the fixed part of a QUERY and its status variables
	if len(b) < queryFixedSize+extra {
		return nil, tooShort(ExecuteLoadQuery, b)
	}
	x := b[queryFixedSize:]
	l := &LoadQuery{
		FileID:      binary.LittleEndian.Uint32(x),
		FnStart:     binary.LittleEndian.Uint32(x[4:]),
		FnEnd:       binary.LittleEndian.Uint32(x[8:]),
		DupHandling: x[12],
	}
	plain := append(append(make([]byte, 0, len(b)-extra), b[:queryFixedSize]...), x[extra:]...)
	q, err := decodeQuery(plain, false)
	if err != nil {
		return nil, err
	}
	l.Query = *q
	return l, nil
}

// IncidentInfo is an INCIDENT event: the source lost events; a replica stops.
type IncidentInfo struct {
	Number  uint16
	Message string
}

func decodeIncident(b []byte) (*IncidentInfo, error) {
	r := reader{b: b}
	i := &IncidentInfo{Number: r.u16()}
	i.Message = string(r.take(int(r.u8())))
	if r.failed {
		return nil, tooShort(Incident, b)
	}
	return i, nil
}

// XAPrepareInfo is an XA_PREPARE event: it ends a group as XID does.
type XAPrepareInfo struct {
	OnePhase     bool
	FormatID     uint32
	GTRID, BQUAL []byte // share the decoded event's memory
}

func decodeXAPrepare(b []byte) (*XAPrepareInfo, error) {
	r := reader{b: b}
	x := &XAPrepareInfo{OnePhase: r.u8() != 0, FormatID: r.u32()}
	g, q := r.u32(), r.u32()
	if g > 64 || q > 64 {
		return nil, tooShort(XAPrepare, b)
	}
	x.GTRID, x.BQUAL = r.take(int(g)), r.take(int(q))
	if r.failed {
		return nil, tooShort(XAPrepare, b)
	}
	return x, nil
}

// EncryptionInfo is a START_ENCRYPTION event. What follows it in the file is
// encrypted, so this package cannot read on.
type EncryptionInfo struct {
	Scheme     byte
	KeyVersion uint32
	Nonce      []byte
}

func decodeEncryption(b []byte) (*EncryptionInfo, error) {
	r := reader{b: b}
	e := &EncryptionInfo{Scheme: r.u8(), KeyVersion: r.u32(), Nonce: r.take(12)}
	if r.failed {
		return nil, tooShort(StartEncryption, b)
	}
	return e, nil
}

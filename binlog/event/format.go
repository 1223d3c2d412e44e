package event

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// postHeaderLengths is what MariaDB 10.11 writes into a format description:
// for each type code from 1 on, the size of the event's fixed part.
var postHeaderLengths = func() (a [171]byte) {
	set := func(t Type, n byte) { a[t-1] = n }
	set(StartV3, 56)
	set(QueryEvent, 13)
	set(RotateEvent, 8)
	set(6, 18) // 6 to 12: events of LOAD DATA before MySQL 5.0
	set(8, 4)
	set(9, 4)
	set(10, 4)
	set(11, 4)
	set(12, 18)
	set(FormatDescription, 2+serverVersionSize+4+1+171)
	set(BeginLoadQuery, 4)
	set(ExecuteLoadQuery, 26)
	set(TableMap, 8)
	for _, t := range []Type{WriteRowsV1, UpdateRowsV1, DeleteRowsV1} {
		set(t, 8)
		set(t-WriteRowsV1+WriteRowsV2, 10)
		set(t-WriteRowsV1+39, 10) // of MySQL 8
		set(t-WriteRowsV1+WriteRowsCompressedV1, 8)
		set(t-WriteRowsV1+WriteRowsCompressed, 10)
	}
	set(Incident, 2)
	set(BinlogCheckpoint, 4)
	set(GTIDEvent, gtidFixedSize)
	set(GTIDList, 4)
	set(QueryCompressed, 13)
	return a
}()

// checksumCRC32 is the algorithm byte at the end of a format description; 0 is none.
const checksumCRC32 = 1

const serverVersionSize = 50

// Format is a FORMAT_DESCRIPTION event.
type Format struct {
	BinlogVersion     uint16
	ServerVersion     string
	Created           uint32 // when the server started, 0 if the file only continues an earlier one
	HeaderLength      byte
	PostHeaderLengths []byte
	Checksum          bool // events of this file end with a CRC32
}

// AppendFormatDescription appends the event every file starts with.
// serverVersion is cut to 50 bytes. A created time other than 0 tells replicas that the
// server was restarted, so that temporary tables of earlier sessions are gone.
func AppendFormatDescription(dst []byte, m Meta, serverVersion string, created uint32) []byte {
	dst, start := Begin(dst, m, FormatDescription)
	dst = append(dst, 4, 0)
	var version [serverVersionSize]byte
	copy(version[:], serverVersion)
	dst = append(dst, version[:]...)
	dst = binary.LittleEndian.AppendUint32(dst, created)
	dst = append(dst, HeaderSize)
	dst = append(dst, postHeaderLengths[:]...)
	dst = append(dst, checksumCRC32)
	return End(dst, start)
}

// SetInUse sets or clears the in-use flag of a format description in place.
// Its checksum stays valid.
func SetInUse(ev []byte, inUse bool) {
	if inUse {
		ev[offFlags] |= byte(FlagInUse)
	} else {
		ev[offFlags] &^= byte(FlagInUse)
	}
}

// decodeFormat gets the body including the checksum, because only the body
// itself tells whether there is one: a format description since MariaDB 5.3 /
// MySQL 5.6 always ends with the algorithm byte and four bytes of checksum.
func decodeFormat(body []byte) (*Format, error) {
	const fixed = 2 + serverVersionSize + 4 + 1
	if len(body) < fixed {
		return nil, fmt.Errorf("%w: format description of %d bytes", ErrMalformed, len(body))
	}
	f := &Format{
		BinlogVersion: binary.LittleEndian.Uint16(body),
		Created:       binary.LittleEndian.Uint32(body[2+serverVersionSize:]),
		HeaderLength:  body[fixed-1],
	}
	version := body[2 : 2+serverVersionSize]
	if i := bytes.IndexByte(version, 0); i >= 0 {
		version = version[:i]
	}
	f.ServerVersion = string(version)
	if f.HeaderLength < HeaderSize {
		return nil, fmt.Errorf("%w: format description with header length %d", ErrMalformed, f.HeaderLength)
	}
	rest := body[fixed:]
	if len(rest) < 1+ChecksumSize {
		return nil, fmt.Errorf("%w: format description without checksum algorithm", ErrMalformed)
	}
	alg := rest[len(rest)-1-ChecksumSize]
	if alg > checksumCRC32 {
		return nil, fmt.Errorf("%w: checksum algorithm %d", ErrMalformed, alg)
	}
	f.Checksum = alg == checksumCRC32
	f.PostHeaderLengths = bytes.Clone(rest[:len(rest)-1-ChecksumSize])
	return f, nil
}

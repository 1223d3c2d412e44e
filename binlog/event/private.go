package event

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// PrivateKind says what a private record holds.
type PrivateKind byte

// Kinds of private records. A number is never reused.
const (
	// PrivateCatalog: the catalog changes of the DDL statement it precedes, JSON.
	PrivateCatalog PrivateKind = 1
	// PrivateLocal: a whole transaction run under sql_log_bin=0; the payload is its events.
	PrivateLocal PrivateKind = 2
	// PrivateRowIDs: the hidden row ids of the preceding rows event: a
	// uvarint count, then 8 bytes each (AppendRowIDs, RowIDs).
	PrivateRowIDs PrivateKind = 3
	// PrivateWriteMark: what package binlog notes about each of its writes.
	PrivateWriteMark PrivateKind = 4
	// PrivateSlavePos: a gtid.Reposition as text; it is alone in a local transaction.
	PrivateSlavePos PrivateKind = 6
	// PrivateMySQLGTID: what a MySQL, from which the group came, calls it (gtid.DecodeMySQL). It stands before the group's other events.
	PrivateMySQLGTID PrivateKind = 7
	// PrivateExecuted: a gtid.ExecutedChange as text; it is alone in a local transaction.
	PrivateExecuted PrivateKind = 8
	// PrivatePadding: fills space, between groups only. Its payload means nothing.
	PrivatePadding PrivateKind = 5
)

// privateMagic tells our ignorable events from those of other servers.
const privateMagic = "DRMN"

// Private is a private record. Payload shares the decoded event's memory.
type Private struct {
	Kind    PrivateKind
	Payload []byte
}

// AppendPrivate appends a private record.
func AppendPrivate(dst []byte, m Meta, kind PrivateKind, payload []byte) []byte {
	dst, start := BeginPrivate(dst, m, kind)
	dst = append(dst, payload...)
	return End(dst, start)
}

// BeginPrivate starts a private record whose payload the caller appends
// itself; End completes it.
func BeginPrivate(dst []byte, m Meta, kind PrivateKind) (out []byte, start int) {
	m.Flags |= FlagIgnorable
	dst, start = Begin(dst, m, Ignorable)
	dst = append(dst, privateMagic...)
	return append(dst, byte(kind)), start
}

// IsPrivate reports whether the event (header included) is a private record.
func IsPrivate(ev []byte) bool {
	return len(ev) > HeaderSize+len(privateMagic) && Type(ev[offType]) == Ignorable &&
		string(ev[HeaderSize:HeaderSize+len(privateMagic)]) == privateMagic
}

func decodePrivate(b []byte) (*Private, bool) {
	rest, ok := bytes.CutPrefix(b, []byte(privateMagic))
	if !ok || len(rest) == 0 {
		return nil, false
	}
	return &Private{Kind: PrivateKind(rest[0]), Payload: rest[1:]}, true
}

// AppendRowIDs appends the payload of a PrivateRowIDs record.
func AppendRowIDs(dst []byte, ids []uint64) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(ids)))
	for _, id := range ids {
		dst = binary.BigEndian.AppendUint64(dst, id)
	}
	return dst
}

// RowIDs appends to ids what AppendRowIDs wrote.
func RowIDs(ids []uint64, payload []byte) ([]uint64, error) {
	n, used := binary.Uvarint(payload)
	if used <= 0 || n != uint64(len(payload)-used)/8 || (len(payload)-used)%8 != 0 {
		return ids, fmt.Errorf("%w: row ids record of %d bytes", ErrMalformed, len(payload))
	}
	for b := payload[used:]; len(b) > 0; b = b[8:] {
		ids = append(ids, binary.BigEndian.Uint64(b))
	}
	return ids, nil
}

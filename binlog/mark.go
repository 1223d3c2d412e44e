package binlog

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/duramendb/duramen/binlog/event"
)

// PrivateWriteMark is the kind of the private record that begins every write of groups. It holds
// what recovery needs to tell a torn tail from damage: which part of the
// segment was already durable when the write was issued.
const PrivateWriteMark = event.PrivateWriteMark

// PrivatePadding is the kind of the private record that fills the space between the end of a
// group and a block boundary, or what is left of an area that was reserved. It stands between
// groups, and means nothing.
const PrivatePadding = event.PrivatePadding

// MinPadding is the size in bytes of the smallest padding record.
const MinPadding = event.HeaderSize + markPrefix + event.ChecksumSize

// AppendPadding appends a padding record of exactly size bytes; event.Finalize has to
// follow. It panics if size is less than MinPadding.
func AppendPadding(dst []byte, m event.Meta, size int) []byte {
	if size < MinPadding {
		panic(fmt.Sprintf("binlog: padding of %d bytes", size))
	}
	dst, start := event.BeginPrivate(dst, m, PrivatePadding)
	n := len(dst)
	dst = slices.Grow(dst, size-MinPadding)[:n+size-MinPadding]
	clear(dst[n:])
	return event.End(dst, start)
}

// IsPadding reports whether ev, an event of the log, is a padding record.
func IsPadding(ev []byte) bool {
	return len(ev) >= MinPadding && event.IsPrivate(ev) && event.PrivateKind(ev[event.HeaderSize+markPrefix-1]) == PrivatePadding
}

// markPayload is the durable offset and the number of bytes of the write that
// follow the mark, 8 bytes each.
const markPayload = 16

// markSize is the size of the whole event.
const markSize = event.HeaderSize + markPrefix + markPayload + event.ChecksumSize

// markPrefix is the magic and kind of a private record.
const markPrefix = 5

// appendMark appends a write mark; Finalize has to follow.
func appendMark(dst []byte, m event.Meta, durable uint64, length int) []byte {
	var p [markPayload]byte
	binary.LittleEndian.PutUint64(p[:], durable)
	binary.LittleEndian.PutUint64(p[8:], uint64(length))
	return event.AppendPrivate(dst, m, PrivateWriteMark, p[:])
}

// parseMark reads a write mark that is valid at offset at.
func parseMark(ev []byte, at uint64) (durable, length uint64, ok bool) {
	if !IsWriteMark(ev) {
		return 0, 0, false
	}
	if binary.LittleEndian.Uint32(ev[13:]) != uint32(at+markSize) || event.Verify(ev) != nil {
		return 0, 0, false
	}
	p := ev[event.HeaderSize+markPrefix:]
	return binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:]), true
}

// IsWriteMark reports whether ev, an event of the log, is a write mark. It
// stands between groups.
func IsWriteMark(ev []byte) bool {
	return len(ev) == markSize && event.IsPrivate(ev) && event.PrivateKind(ev[event.HeaderSize+markPrefix-1]) == PrivateWriteMark
}

// markMagic is what every write mark has at the same place.
var markMagic = func() []byte {
	ev := appendMark(nil, event.Meta{}, 0, 0)
	return bytes.Clone(ev[event.HeaderSize : event.HeaderSize+markPrefix])
}()

package logpos

import (
	"encoding/binary"
	"fmt"
)

// Pos is a place in the log. It stands for everything before it: the bytes of
// file number Segment below Offset, and all files with lower numbers. The zero
// value is before everything; files are counted from 1. Positions are
// comparable with ==.
type Pos struct {
	Segment uint64 // number of the file, as in binlog.000042
	Offset  uint64 // bytes from the start of the file, its magic number included
}

// At is the place offset bytes after the start of file number segment.
func At(segment, offset uint64) Pos { return Pos{Segment: segment, Offset: offset} }

// IsZero reports whether p is before everything.
func (p Pos) IsZero() bool { return p == Pos{} }

// Before reports whether p lies before q; a place is not before itself.
func (p Pos) Before(q Pos) bool {
	if p.Segment != q.Segment {
		return p.Segment < q.Segment
	}
	return p.Offset < q.Offset
}

// Compare is negative if p lies before q, 0 if they are the same, positive
// if p lies after q.
func (p Pos) Compare(q Pos) int {
	switch {
	case p.Before(q):
		return -1
	case q.Before(p):
		return 1
	}
	return 0
}

// Max is the later of two places.
func Max(p, q Pos) Pos {
	if p.Before(q) {
		return q
	}
	return p
}

// Plus is the place that many bytes after p, in the same file.
func (p Pos) Plus(bytes int) Pos { return Pos{Segment: p.Segment, Offset: p.Offset + uint64(bytes)} }

// String is p without the name of the log, as "000042:4711", for messages of
// packages that do not know that name.
func (p Pos) String() string { return fmt.Sprintf("%06d:%d", p.Segment, p.Offset) }

// In is p as operators read and write it, "binlog.000042:4711", in a log whose
// files are named basename.number.
func (p Pos) In(basename string) string {
	return fmt.Sprintf("%s:%d", FileName(basename, p.Segment), p.Offset)
}

// Append appends the encoding of p that engines and the log store, the two
// numbers as uvarints, to dst.
func Append(dst []byte, p Pos) []byte {
	dst = binary.AppendUvarint(dst, p.Segment)
	return binary.AppendUvarint(dst, p.Offset)
}

// Read reads what Append has written from the start of b, and returns its
// length; 0 if b does not start with one.
func Read(b []byte) (p Pos, size int) {
	segment, n := binary.Uvarint(b)
	if n <= 0 {
		return Pos{}, 0
	}
	offset, m := binary.Uvarint(b[n:])
	if m <= 0 {
		return Pos{}, 0
	}
	return At(segment, offset), n + m
}

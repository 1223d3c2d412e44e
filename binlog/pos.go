package binlog

import "fmt"

// Pos is a place in the log: everything before Offset in segment Segment, and
// all earlier segments. The zero value is before everything.
type Pos struct {
	Segment uint64 // n of the file <basename>.n
	Offset  uint64 // bytes from the start of the file
}

// Less reports whether p lies before q.
func (p Pos) Less(q Pos) bool {
	if p.Segment != q.Segment {
		return p.Segment < q.Segment
	}
	return p.Offset < q.Offset
}

// String formats p as segment:offset.
func (p Pos) String() string { return fmt.Sprintf("%06d:%d", p.Segment, p.Offset) }

func maxPos(a, b Pos) Pos {
	if a.Less(b) {
		return b
	}
	return a
}

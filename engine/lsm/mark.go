package lsm

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/duramendb/duramen/engine"
)

// markKey lies in the meta space (table 0, part 0) that package catalog
// leaves to the engine.
var markKey = []byte("\x00\x00\x00\x00\x00\x00\x00\x00mark")

// ErrCorrupt is wrapped by errors about contents that cannot be ours.
var ErrCorrupt = errors.New("lsm: corrupt")

func appendMark(dst []byte, m engine.Mark) []byte {
	dst = binary.AppendUvarint(dst, m.Position.Segment)
	dst = binary.AppendUvarint(dst, m.Position.Offset)
	return append(dst, m.GTIDState...)
}

func parseMark(b []byte) (engine.Mark, error) {
	var m engine.Mark
	var n int
	full := b
	if m.Position.Segment, n = binary.Uvarint(b); n <= 0 {
		return engine.Mark{}, fmt.Errorf("%w: log mark %x", ErrCorrupt, full)
	}
	b = b[n:]
	if m.Position.Offset, n = binary.Uvarint(b); n <= 0 {
		return engine.Mark{}, fmt.Errorf("%w: log mark %x", ErrCorrupt, full)
	}
	m.GTIDState = string(b[n:])
	return m, nil
}

package lsm

import (
	"errors"
	"fmt"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// markKey lies in the meta space (table 0, part 0) that package catalog
// leaves to the engine.
var markKey = []byte("\x00\x00\x00\x00\x00\x00\x00\x00mark")

// ErrCorrupt is wrapped by errors about contents that cannot be ours.
var ErrCorrupt = errors.New("lsm: corrupt")

func appendMark(dst []byte, m engine.Mark) []byte {
	return append(logpos.Append(dst, m.Position), m.GTIDState...)
}

func parseMark(b []byte) (engine.Mark, error) {
	pos, n := logpos.Read(b)
	if n == 0 {
		return engine.Mark{}, fmt.Errorf("%w: log mark %x", ErrCorrupt, b)
	}
	return engine.Mark{Position: pos, GTIDState: string(b[n:])}, nil
}

package btree

import (
	"errors"
	"fmt"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// ErrCorrupt is wrapped by errors about contents that cannot be ours. It is engine.ErrDamaged, too.
var ErrCorrupt = fmt.Errorf("btree: corrupt: %w", engine.ErrDamaged)

var errMark = errors.New("not a log mark")

func appendMark(dst []byte, m engine.Mark) []byte {
	return append(logpos.Append(dst, m.Position), m.GTIDState...)
}

func parseMark(b []byte) (engine.Mark, error) {
	pos, n := logpos.Read(b)
	if n == 0 {
		return engine.Mark{}, fmt.Errorf("%w: %w: %x", ErrCorrupt, errMark, b)
	}
	return engine.Mark{Position: pos, GTIDState: string(b[n:])}, nil
}

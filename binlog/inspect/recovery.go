package inspect

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"

	"github.com/cockroachdb/errors/oserror"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/logpos"
)

// lastOnly makes recovery's scan read only the last file as a whole: the others have been verified.
var lastOnly = binlog.ScanSpec{Engine: logpos.Pos{Segment: math.MaxUint64}}

// recoveryRetries is how often the whole is looked at again while a server rotates and purges.
const recoveryRetries = 50

var discard = slog.New(slog.DiscardHandler)

// recovery asks the server's own recovery about a data directory of Duramen.
func (v *verifier) recovery(ctx context.Context) error {
	if v.set.Dir == "" || !v.ours || v.set.Index == "" && !IsDataDir(v.set.FS, v.set.Dir) {
		return nil
	}
	var damage error
	for try := 0; ; try++ {
		before := damage
		plan, err := binlog.Scan(binlog.Options{FS: v.set.FS, Dir: v.set.Dir, Basename: v.set.Basename, ServerID: 1, Logger: discard}, lastOnly)
		switch {
		// A purge removes files, a rotation cuts the preallocated rest off.
		case err != nil && !oserror.IsNotExist(err) && !errors.Is(err, io.ErrUnexpectedEOF):
			return err
		case err != nil:
			damage = err
		case plan.Damage == nil:
			return nil
		default:
			damage = plan.Damage
		}
		// Beside a running server a scan may see a file of one moment and a file of another. A mark that was
		// read before says what had to be there when it was looked at again.
		if before != nil && before.Error() == damage.Error() && try >= 2 || try >= recoveryRetries {
			break
		}
		if err := v.o.pause(ctx); err != nil {
			return err
		}
	}
	rep := &Report{File: v.set.Basename + ".index", State: StateDamaged, Problems: []Problem{}, Notes: []string{}}
	var ce *binlog.CorruptError
	if errors.As(damage, &ce) && v.problems > 0 {
		return nil // it was found, and told, above
	}
	rep.problem(0, "the server will not start: %v", damage)
	v.problems++
	return v.emit(rep)
}

package inspect

import (
	"context"
	"errors"
	"log/slog"
	"math"

	"github.com/duramendb/duramen/binlog"
)

// lastOnly makes recovery's scan read only the last file as a whole: the others have been verified.
var lastOnly = binlog.ScanSpec{Engine: binlog.Pos{Segment: math.MaxUint64}}

var discard = slog.New(slog.DiscardHandler)

// recovery asks the server's own recovery about a data directory of Duramen.
func (v *verifier) recovery(ctx context.Context) error {
	if v.set.Dir == "" || !v.ours || v.set.Index == "" && !IsDataDir(v.set.FS, v.set.Dir) {
		return nil
	}
	var plan *binlog.Plan
	for try := 0; ; try++ {
		before := plan
		var err error
		if plan, err = binlog.Scan(binlog.Options{FS: v.set.FS, Dir: v.set.Dir, Basename: v.set.Basename, ServerID: 1, Logger: discard}, lastOnly); err != nil {
			return err
		}
		if plan.Damage == nil {
			return nil
		}
		// Beside a running server a scan may see a file of one moment and a file of another. A mark that was
		// read before says what had to be there when it was looked at again.
		if before != nil && before.Damage.Error() == plan.Damage.Error() && try >= 2 || try >= retries {
			break
		}
		if err := v.o.pause(ctx); err != nil {
			return err
		}
	}
	rep := &Report{File: v.set.Basename + ".index", State: StateDamaged, Problems: []Problem{}, Notes: []string{}}
	var ce *binlog.CorruptError
	if errors.As(plan.Damage, &ce) && v.problems > 0 {
		return nil // it was found, and told, above
	}
	rep.problem(0, "the server will not start: %v", plan.Damage)
	v.problems++
	return v.emit(rep)
}

package gms

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// gtidWaits counts the calls of MASTER_GTID_WAIT.
type gtidWaits struct{ count, timeouts, micros atomic.Uint64 }

func (w *gtidWaits) Status(add func(string, any)) {
	add("Master_gtid_wait_count", w.count.Load())
	add("Master_gtid_wait_timeouts", w.timeouts.Load())
	add("Master_gtid_wait_time", w.micros.Load())
}

// masterGTIDWait is MASTER_GTID_WAIT(list[, timeout]): 0 when everything in the list is applied, -1 after the
// timeout (in seconds; none if it is NULL or negative). A MariaDB that is no replica waits in vain for
// what it has itself; here, it is there.
func (e *Engine) masterGTIDWait(ctx *sql.Context, args []any) (any, error) {
	if args[0] == nil {
		return nil, nil
	}
	limit := -1.0
	if len(args) > 1 && args[1] != nil {
		v, _, err := types.Float64.Convert(ctx, args[1])
		if err != nil {
			return nil, err
		}
		limit = v.(float64)
	}
	ok, err := e.waitGTIDs(ctx, fmt.Sprint(args[0]), limit, limit >= 0)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return int64(-1), nil
	}
	return int64(0), nil
}

// WaitGTIDs waits until everything in a list is applied, for so many seconds if they are limited.
func (k Kept) WaitGTIDs(ctx context.Context, list string, seconds float64, limited bool) (bool, error) {
	return k.s.engine.waitGTIDs(ctx, list, seconds, limited)
}

func (e *Engine) waitGTIDs(ctx context.Context, list string, seconds float64, limited bool) (bool, error) {
	want, err := waitList(list)
	if err != nil {
		return false, mysqlerr.New(mysqlerr.IncorrectGTIDState).WithCause(err)
	}
	wait := ctx
	if limited {
		var cancel context.CancelFunc
		wait, cancel = context.WithTimeout(ctx, time.Duration(min(seconds, 1e9)*float64(time.Second)))
		defer cancel()
	}
	if len(want) > 0 {
		started := time.Now()
		e.Waits.count.Add(1)
		defer func() { e.Waits.micros.Add(uint64(time.Since(started).Microseconds())) }()
	}
	for {
		from := e.Store.Log().Visible()
		if reached(e.VisibleState().Position(), want) {
			return true, nil
		}
		from.Offset++
		err := e.Store.Log().WaitVisible(wait, from)
		switch {
		case ctx.Err() != nil:
			return false, context.Cause(ctx)
		case err == nil, errors.Is(err, binlog.ErrReset):
		case errors.Is(err, context.DeadlineExceeded):
			e.Waits.timeouts.Add(1)
			return false, nil
		default:
			return false, err
		}
	}
}

// waitList reads a list of GTIDs, of which a domain may have several.
func waitList(text string) (gtid.Position, error) {
	want := gtid.Position{}
	if strings.TrimSpace(text) == "" {
		return want, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		g, err := gtid.Parse(part)
		if err != nil {
			return nil, err
		}
		if want[g.Domain].Seq <= g.Seq {
			want[g.Domain] = g
		}
	}
	return want, nil
}

func reached(have, want gtid.Position) bool {
	for domain, g := range want {
		if have[domain].Seq < g.Seq {
			return false
		}
	}
	return true
}

// masterPosWait is MASTER_POS_WAIT(file, position[, timeout[, connection]]), which waits for what a replica
// has applied: NULL, as this server is none.
func masterPosWait(ctx *sql.Context, args []any) (any, error) {
	if len(args) > 3 && args[3] != nil && args[3] != "" {
		ctx.Warn(1617, "There is no master connection '%v'", args[3])
	}
	return nil, nil
}

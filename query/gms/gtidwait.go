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
		if reached(e.VisibleState().Position(), e.SlavePos(), want) {
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

// reached reports whether all that is wanted is in the log, or not later than gtid_slave_pos: what came with a dump is not in the log.
func reached(logged, replicated, want gtid.Position) bool {
	for domain, g := range want {
		if max(logged[domain].Seq, replicated[domain].Seq) < g.Seq {
			return false
		}
	}
	return true
}

// masterPosWait is MASTER_POS_WAIT(file, position[, timeout[, connection]]).
func masterPosWait(ctx *sql.Context, args []any) (any, error) {
	s := sessionOf(ctx)
	connection, limit := s.Vars.Str("default_master_connection"), 0.0
	pos, _, err := types.Int64.Convert(ctx, args[1])
	if err != nil || args[0] == nil || pos == nil {
		return nil, err
	}
	if len(args) > 2 && args[2] != nil {
		v, _, err := types.Float64.Convert(ctx, args[2])
		if err != nil {
			return nil, err
		}
		limit = v.(float64)
	}
	if len(args) > 3 && args[3] != nil {
		connection = fmt.Sprint(args[3])
	}
	events, ok, err := Kept{s}.WaitPlace(ctx, connection, fmt.Sprint(args[0]), pos.(int64), limit)
	var no *mysqlerr.Error
	switch {
	case errors.As(err, &no) && no.Number == mysqlerr.NoMasterConnection:
		ctx.Warn(int(no.Number), "%s", no.Message)
		return nil, nil
	case err != nil || !ok:
		return nil, err
	}
	return events, nil
}

// WaitPlace waits until a connection has executed its primary's log up to a place, for so many seconds if that is more than 0: -1 is their end.
// ok is false if the place does not come; error 1617 says that there is no such connection.
func (k Kept) WaitPlace(ctx context.Context, connection, file string, pos int64, seconds float64) (moves int64, ok bool, err error) {
	e := k.s.engine
	if e.config.WaitPlace == nil {
		return 0, false, nil
	}
	wait := ctx
	if seconds > 0 {
		var cancel context.CancelFunc
		wait, cancel = context.WithTimeout(ctx, time.Duration(min(seconds, 1e9)*float64(time.Second)))
		defer cancel()
	}
	moves, ok, err = e.config.WaitPlace(wait, connection, file, uint64(max(pos, 0)))
	if err != nil && ctx.Err() == nil && wait.Err() != nil {
		return -1, true, nil
	}
	return moves, ok, err
}

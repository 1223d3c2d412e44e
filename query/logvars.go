package query

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/store"
)

// retention holds the limits of the log. binlog_expire_logs_seconds and expire_logs_days are one value.
type retention struct {
	seconds  atomic.Uint64
	bytes    atomic.Uint64
	replicas atomic.Uint64
}

const secondsPerDay = 24 * 60 * 60

// wireLogVariables connects the variables of the log's files and GTIDs.
func (e *Engine) wireLogVariables() {
	g := e.Globals
	r := &e.retention
	r.seconds.Store(g.Uint("binlog_expire_logs_seconds"))
	if days, ok := g.Get("expire_logs_days"); ok && r.seconds.Load() == 0 {
		r.seconds.Store(daysToSeconds(days))
	}
	r.bytes.Store(max(g.Uint("max_binlog_total_size"), g.Uint("binlog_space_limit")))
	r.replicas.Store(g.Uint("slave_connections_needed_for_purge"))
	e.Store.SetRetention(r.limits())

	change := func(name string, set func(v any)) {
		g.OnSet(name, func(ctx context.Context, v any) (any, error) {
			set(v)
			e.Store.SetRetention(r.limits())
			_, err := e.Store.ApplyRetention(ctx)
			return v, err
		})
	}
	change("binlog_expire_logs_seconds", func(v any) { r.seconds.Store(session.UintOf(v)) })
	change("expire_logs_days", func(v any) { r.seconds.Store(daysToSeconds(v)) })
	change("max_binlog_total_size", func(v any) { r.bytes.Store(session.UintOf(v)) })
	change("binlog_space_limit", func(v any) { r.bytes.Store(session.UintOf(v)) })
	change("slave_connections_needed_for_purge", func(v any) { r.replicas.Store(session.UintOf(v)) })
	g.Computed("binlog_expire_logs_seconds", func() any { return r.seconds.Load() })
	g.Computed("expire_logs_days", func() any { return math.Round(float64(r.seconds.Load())/secondsPerDay*1e6) / 1e6 })
	g.Computed("max_binlog_total_size", func() any { return r.bytes.Load() })
	g.Computed("binlog_space_limit", func() any { return r.bytes.Load() })

	g.OnSet("gtid_binlog_state", func(ctx context.Context, v any) (any, error) {
		text, ok := v.(string)
		if !ok {
			return nil, mysqlerr.New(mysqlerr.WrongArguments, "SET")
		}
		state, err := gtid.ParseState(text)
		if err != nil {
			return nil, mysqlerr.New(mysqlerr.IncorrectGTIDState).WithCause(err)
		}
		return text, e.admin.ResetLog(ctx, 1, state, true)
	})
	g.Computed("gtid_binlog_state", func() any { return e.VisibleState().String() })
	g.Computed("gtid_binlog_pos", func() any { return e.VisibleState().Position().String() })
	g.Computed("gtid_slave_pos", func() any { return e.SlavePos().String() })
	for _, name := range []string{"gtid_executed", "gtid_purged"} { // nobody can ask this server for what a MySQL calls them
		g.Computed(name, func() any { return e.Executed().String() })
	}
	g.Computed("gtid_current_pos", func() any { return e.currentPos().String() })
}

func daysToSeconds(v any) uint64 {
	days, _ := v.(float64)
	return uint64(math.Round(days * secondsPerDay))
}

func (r *retention) limits() store.Retention {
	return store.Retention{
		MaxAge:      time.Duration(r.seconds.Load()) * time.Second,
		MaxBytes:    int64(min(r.bytes.Load(), math.MaxInt64)),
		MinReplicas: int(min(r.replicas.Load(), math.MaxInt32)),
	}
}

// currentPos is gtid_current_pos: gtid_slave_pos, but for the domains that this server has written last itself, later than that.
func (e *Engine) currentPos() gtid.Position {
	own := uint32(e.GlobalUint("server_id"))
	pos := e.SlavePos().Clone()
	for domain, g := range e.VisibleState().Position() {
		if g.Server == own && g.Seq > pos[domain].Seq {
			pos[domain] = g
		}
	}
	return pos
}

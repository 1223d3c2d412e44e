package query

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/replication/source/semisync"
)

// wireSemiSync connects the variables of semi-synchronous replication, and has commits wait as they say.
// rpl_semi_sync_master_trace_level may be set, as everything worth a line in the log has one.
func (e *Engine) wireSemiSync() {
	g := e.Globals
	var mu sync.Mutex
	settings := semisync.Settings{
		Enabled: g.On("rpl_semi_sync_master_enabled"), Timeout: milliseconds(g.Uint("rpl_semi_sync_master_timeout")),
		Point: waitPoint(g.Str("rpl_semi_sync_master_wait_point")), WaitNoReplica: g.On("rpl_semi_sync_master_wait_no_slave"),
		Replicas: int(g.Uint("rpl_semi_sync_master_wait_for_slave_count")),
	}
	e.setSemiSync(settings)
	change := func(name string, set func(v any)) {
		g.OnSet(name, func(_ context.Context, v any) (any, error) {
			mu.Lock()
			defer mu.Unlock()
			set(v)
			e.setSemiSync(settings)
			return v, nil
		})
	}
	change("rpl_semi_sync_master_enabled", func(v any) { settings.Enabled = v == int8(1) })
	change("rpl_semi_sync_master_timeout", func(v any) { settings.Timeout = milliseconds(session.UintOf(v)) })
	change("rpl_semi_sync_master_wait_point", func(v any) { settings.Point = waitPoint(v) })
	change("rpl_semi_sync_master_wait_no_slave", func(v any) { settings.WaitNoReplica = v == int8(1) })
	change("rpl_semi_sync_master_wait_for_slave_count", func(v any) { settings.Replicas = int(session.UintOf(v)) })
}

// setSemiSync has commits wait as the settings say; while they do not, the pipeline knows nothing of it.
func (e *Engine) setSemiSync(s semisync.Settings) {
	e.SemiSync.Set(s)
	hooks := commit.SemiSync{Reset: e.SemiSync.Reset}
	switch {
	case s.Enabled && s.Point == semisync.AfterSync:
		hooks.BeforeOffered, hooks.BeforeVisible = e.SemiSync.Announce, e.SemiSync.AfterSync
	case s.Enabled:
		hooks.BeforeAnswer = e.SemiSync.AfterCommit
	}
	e.Store.Pipeline().SetSemiSync(hooks)
}

// milliseconds is a duration, as far as anything can take so long.
func milliseconds(n uint64) time.Duration {
	return time.Duration(min(n, math.MaxInt64/uint64(time.Millisecond))) * time.Millisecond
}

func waitPoint(v any) semisync.WaitPoint {
	if v == "AFTER_COMMIT" {
		return semisync.AfterCommit
	}
	return semisync.AfterSync
}

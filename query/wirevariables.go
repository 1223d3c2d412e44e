package query

import (
	"context"
	"strings"
	"time"

	"github.com/duramendb/duramen/query/engines"
	"github.com/duramendb/duramen/query/gms"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
)

// wireVariables connects global variables with what they control.
func (e *Engine) wireVariables() {
	g := e.Globals
	pipeline, log := e.Store.Pipeline(), e.Store.Log()
	g.OnSet("sync_binlog", func(_ context.Context, v any) (any, error) {
		pipeline.SetSyncBinlog(session.UintOf(v))
		return v, nil
	})
	g.OnSet("binlog_commit_wait_count", func(_ context.Context, v any) (any, error) {
		pipeline.SetWait(int(min(session.UintOf(v), 1<<30)), time.Duration(g.Uint("binlog_commit_wait_usec"))*time.Microsecond)
		return v, nil
	})
	g.OnSet("binlog_commit_wait_usec", func(_ context.Context, v any) (any, error) {
		pipeline.SetWait(int(min(g.Uint("binlog_commit_wait_count"), 1<<30)), time.Duration(session.UintOf(v))*time.Microsecond)
		return v, nil
	})
	g.OnSet("max_binlog_size", func(_ context.Context, v any) (any, error) {
		log.SetMaxSize(int64(session.UintOf(v)))
		return v, nil
	})
	txns := e.Store.Txns()
	g.OnSet("binlog_cache_size", func(_ context.Context, v any) (any, error) {
		txns.SetBinlogCacheSize(bytesOf(v))
		return v, nil
	})
	g.OnSet("max_binlog_cache_size", func(_ context.Context, v any) (any, error) {
		txns.SetMaxTransactionBytes(bytesOf(v))
		return v, nil
	})
	g.OnSet("binlog_large_commit_threshold", func(_ context.Context, v any) (any, error) {
		txns.SetLargeCommitThreshold(bytesOf(v))
		return v, nil
	})
	g.OnSet("checkpoint_log_size", func(_ context.Context, v any) (any, error) {
		e.Store.SetCheckpointLogSize(bytesOf(v))
		return v, nil
	})
	g.OnSet("checkpoint_interval", func(_ context.Context, v any) (any, error) {
		e.Store.SetCheckpointInterval(time.Duration(session.UintOf(v)) * time.Second)
		return v, nil
	})
	txns.SetRowMetadata(rowMetadata(g.Str("binlog_row_metadata")))
	g.OnSet("binlog_row_metadata", func(_ context.Context, v any) (any, error) {
		txns.SetRowMetadata(rowMetadata(v))
		return v, nil
	})
	g.OnSet("binlog_checksum", func(_ context.Context, v any) (any, error) {
		if v != "CRC32" {
			return nil, mysqlerr.New(mysqlerr.WrongValueForVar, "binlog_checksum", v)
		}
		return v, nil
	})
	e.wireLogVariables()
	e.wireSemiSync()
	for _, name := range engines.Variables {
		g.OnSet(name, func(ctx context.Context, v any) (any, error) { return e.Engines.Variable(ctx, name, v) })
	}
	g.OnSet("time_zone", func(ctx context.Context, v any) (any, error) { return gms.Charsets{}.CheckCharset(ctx, "time_zone", v) })
	for _, name := range []string{"character_set_server", "character_set_filesystem", "collation_server", "character_set_client", "character_set_connection", "collation_connection", "character_set_results"} {
		g.OnSet(name, func(_ context.Context, v any) (any, error) {
			if strings.HasPrefix(name, "collation") {
				return gms.CollationValue(v)
			}
			return gms.CharsetValue(name, v)
		})
	}
}

// bytesOf is a size, as far as anything can be so large.
func bytesOf(v any) int64 { return int64(min(session.UintOf(v), 1<<62)) }

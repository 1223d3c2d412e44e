package query

import (
	"context"
	"fmt"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/query/sysvar"
)

// unsupported are variables that say what happens to data, its log and its replicas, and that nothing here
// obeys: each keeps the value that says what this server does. To set another one is refused, for that
// its meaning would be lost without anybody noticing. Only those are here whose meaning matters while this
// server follows nobody; how a replica would work is asked of no one.
var unsupported = map[string]any{
	"rpl_semi_sync_master_enabled":     int8(0), // a commit waits for no replica
	"rpl_semi_sync_slave_enabled":      int8(0),
	"binlog_format":                    "ROW",
	"binlog_alter_two_phase":           int8(0),
	"log_bin_compress":                 int8(0),
	"read_binlog_speed_limit":          uint64(0),
	"replicate_events_marked_for_skip": "REPLICATE",
	"replicate_do_db":                  "",
	"replicate_do_table":               "",
	"replicate_ignore_db":              "",
	"replicate_ignore_table":           "",
	"replicate_rewrite_db":             "",
	"replicate_wild_do_table":          "",
	"replicate_wild_ignore_table":      "",
	"enforce_storage_engine":           "",
	"event_scheduler":                  "OFF",
	"init_connect":                     "",
}

// refuseUnsupported refuses to give a variable a value that would have no effect.
func refuseUnsupported(d *sysvar.Def, v any) error {
	only, listed := unsupported[d.Name]
	if !listed || v == only || v == nil {
		return nil
	}
	text, _ := d.Format(v)
	return mysqlerr.New(mysqlerr.NotSupportedYet, fmt.Sprintf("%s=%s", d.Name, text))
}

// refuseMarked refuses to change anything under skip_replication: the events would have to say so, for replicas
// that leave them out. The variable itself may be set: a replica does so to have them left out of what it is sent.
func refuseMarked(s *Session, st *syntax.Statement) error {
	if st.Kind != statement.Write && st.Kind != statement.Definition || s.vars.Value(varSkipReplication) == int8(0) {
		return nil
	}
	return mysqlerr.New(mysqlerr.NotSupportedYet, "skip_replication=ON")
}

// wireUnsupported makes SET GLOBAL refuse them, and looks at what the options say.
func (e *Engine) wireUnsupported() error {
	for name := range unsupported {
		d := mustVar(name)
		if err := refuseUnsupported(d, e.globals.Value(d)); err != nil {
			return fmt.Errorf("option %s: %w", name, err)
		}
		e.globals.OnSet(name, func(_ context.Context, v any) (any, error) { return v, refuseUnsupported(d, v) })
	}
	return nil
}

// rowMetadata is the value of binlog_row_metadata as the log knows it.
func rowMetadata(v any) event.RowMetadata {
	switch v {
	case "MINIMAL":
		return event.RowMetadataMinimal
	case "FULL":
		return event.RowMetadataFull
	}
	return event.RowMetadataNoLog
}

package session

import (
	"fmt"
	"strings"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/sysvar"
)

// Unsupported are variables that say what happens to data, its log and its replicas, and that nothing here
// obeys: each keeps the value that says what this server does. To set another one is refused, for that
// its meaning would be lost without anybody noticing. Only those are here whose meaning matters while this
// server follows nobody; how a replica would work is asked of no one.
var Unsupported = map[string]any{
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
	"event_scheduler":                  "OFF",
	"init_connect":                     "",
	"innodb_read_only_compressed":      int8(0), // tables are the same whatever ROW_FORMAT says
}

// zeroDateCast is the part of old_mode by which a TIME becomes a DATETIME of the day 0 rather than of today.
const zeroDateCast = "ZERO_DATE_TIME_CAST"

// RefuseUnsupported refuses to give a variable a value that would have no effect.
func RefuseUnsupported(d *sysvar.Def, v any) error {
	only, listed := Unsupported[d.Name]
	if d.Fixed {
		only, listed = d.Default, true
	}
	if modes, ok := v.(string); ok && d.Name == "old_mode" && strings.Contains(modes, zeroDateCast) {
		return mysqlerr.NotYet("old_mode=" + zeroDateCast)
	}
	if !listed || v == only || v == nil {
		return nil
	}
	text, _ := d.Format(v)
	return mysqlerr.New(mysqlerr.NotSupportedYet, fmt.Sprintf("%s=%s", d.Name, text))
}

package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/sysvar"
)

// unsupported are variables that say what happens to data, its log and its replicas, and that nothing here
// obeys: each keeps the value that says what this server does. To set another one is refused, for that
// its meaning would be lost without anybody noticing.
var unsupported = map[string]any{
	"binlog_format":                    "ROW",
	"binlog_alter_two_phase":           int8(0),
	"log_bin_compress":                 int8(0),
	"read_binlog_speed_limit":          uint64(0),
	"replicate_events_marked_for_skip": "REPLICATE",
	"event_scheduler":                  "OFF",
	"init_connect":                     "",
	"explicit_defaults_for_timestamp":  int8(1), // a TIMESTAMP without a default has none
	"sql_if_exists":                    int8(0),
	"completion_type":                  "NO_CHAIN", // COMMIT AND CHAIN and COMMIT RELEASE are there
	"rand_seed1":                       uint64(0),  // RAND() has seeds of its own
	"rand_seed2":                       uint64(0),
	"innodb_read_only_compressed":      int8(0), // tables are the same whatever ROW_FORMAT says
}

// unsupportedParts are members of sets of which the same is true.
var unsupportedParts = map[string][]string{
	"old_mode": {"ZERO_DATE_TIME_CAST", "NO_DUP_KEY_WARNINGS_WITH_IGNORE"}, // a TIME becomes a DATETIME of today; IGNORE warns
}

// requiredParts are members without which a set would have another meaning.
var requiredParts = map[string]string{
	"old_mode": "UTF8_IS_UTF8MB3", // in definitions it is, always
}

// Refuses reports whether there are values that RefuseUnsupported refuses.
func Refuses(d *sysvar.Def) bool {
	_, listed := unsupported[d.Name]
	return listed || d.Fixed || unsupportedParts[d.Name] != nil
}

// RefuseUnsupported refuses to give a variable a value that would have no effect.
func RefuseUnsupported(d *sysvar.Def, v any) error {
	only, listed := unsupported[d.Name]
	if d.Fixed {
		only, listed = d.Default, true
	}
	if set, ok := v.(string); ok {
		members := strings.Split(set, ",")
		for _, part := range unsupportedParts[d.Name] {
			if slices.Contains(members, part) {
				return mysqlerr.NotYet(d.Name + "=" + part)
			}
		}
		if part := requiredParts[d.Name]; part != "" && !slices.Contains(members, part) {
			return mysqlerr.NotYet(d.Name + " without " + part)
		}
	}
	if !listed || v == only || v == nil {
		return nil
	}
	text, _ := d.Format(v)
	return mysqlerr.New(mysqlerr.NotSupportedYet, fmt.Sprintf("%s=%s", d.Name, text))
}

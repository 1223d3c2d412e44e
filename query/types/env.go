package types

import (
	"strings"

	"github.com/duramendb/duramen/query/types/charset"
)

// Env is everything of a session that changes what an expression means: a compiled expression belongs to one. It is comparable, and
// immutable. What is only read when an expression runs (time zone, time, max_allowed_packet) is in eval.Frame.
type Env struct {
	Mode         Mode
	Connection   *charset.Collation // collation_connection: of literals, and of text made of numbers
	Client       *charset.Set       // character_set_client: of the text of statements
	Results      *charset.Set       // character_set_results; nil: as they are
	Server       *charset.Collation // collation_server
	Database     *charset.Collation // collation_database
	DivIncrement uint8              // div_precision_increment, 0 to 30
	Utf8mb3      bool               // "utf8" means utf8mb3 (old_mode UTF8_IS_UTF8MB3), else utf8mb4
	Names        string             // lc_time_names
	WeekFormat   uint8              // default_week_format, 0 to 7
	ConcatMax    uint64             // group_concat_max_len, in bytes
	SafeUpdates  bool               // sql_safe_updates: what changes rows needs a condition on a key
}

// CollationNamed is the name of a collation by the name that a statement has: utf8_bin is one of what utf8 means.
func (e *Env) CollationNamed(name string) string {
	if rest, ok := strings.CutPrefix(strings.ToLower(name), "utf8_"); ok {
		if name = "utf8mb4_"; e.Utf8mb3 {
			name = "utf8mb3_"
		}
		name += rest
	}
	return name
}

// CharsetNamed finds a character set by a name that a statement has.
func (e *Env) CharsetNamed(name string) (*charset.Set, bool) {
	if len(name) == 4 && (name[0]|0x20) == 'u' && (name[1]|0x20) == 't' && (name[2]|0x20) == 'f' && name[3] == '8' {
		if name = "utf8mb4"; e.Utf8mb3 {
			name = "utf8mb3"
		}
	}
	return charset.SetByName(name)
}

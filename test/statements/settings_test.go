package statements

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// setting is what a session of both servers is set to before a statement.
type setting struct{ mode, zone, results, more string }

var (
	modes = []string{
		"", "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION",
		"NO_ZERO_DATE,NO_ZERO_IN_DATE,STRICT_ALL_TABLES",
		"PAD_CHAR_TO_FULL_LENGTH", "ALLOW_INVALID_DATES", "PIPES_AS_CONCAT,HIGH_NOT_PRECEDENCE", "ONLY_FULL_GROUP_BY", "NO_UNSIGNED_SUBTRACTION",
		"TIME_ROUND_FRACTIONAL", "NO_BACKSLASH_ESCAPES", "TRADITIONAL,STRICT_ALL_TABLES",
	}
	// flags are put together as they come.
	flags = []string{
		"STRICT_TRANS_TABLES", "STRICT_ALL_TABLES", "NO_ZERO_DATE", "NO_ZERO_IN_DATE", "ERROR_FOR_DIVISION_BY_ZERO", "PAD_CHAR_TO_FULL_LENGTH", "ALLOW_INVALID_DATES",
		"PIPES_AS_CONCAT", "HIGH_NOT_PRECEDENCE", "NO_UNSIGNED_SUBTRACTION", "TIME_ROUND_FRACTIONAL", "NO_BACKSLASH_ESCAPES", "REAL_AS_FLOAT",
		"NO_AUTO_VALUE_ON_ZERO", "EMPTY_STRING_IS_NULL", "IGNORE_SPACE", "ANSI_QUOTES", "SIMULTANEOUS_ASSIGNMENT",
	}
	// variables have a meaning for statements; the first value is the default.
	variables = [][]string{
		{"div_precision_increment", "4", "0", "1", "7", "30"},
		{"default_week_format", "0", "1", "3", "6"},
		{"lc_time_names", "'en_US'", "'de_DE'", "'ja_JP'"},
		{"collation_connection", "utf8mb4_general_ci", "utf8mb4_bin", "utf8mb4_nopad_bin", "utf8mb4_unicode_ci", "utf8mb3_general_ci"},
		{"big_tables", "0", "1"},
		{"low_priority_updates", "0", "1"},
		{"eq_range_index_dive_limit", "200", "1", "0"},
		{"unique_checks", "1", "0"},
		{"check_constraint_checks", "1", "0"},
		{"auto_increment_increment", "1", "1", "5"},
		{"sql_notes", "1", "0"},
		{"group_concat_max_len", "1048576", "4", "10"},
	}
	zones   = []string{"+00:00", "+02:00", "-05:30", berlin, berlin}
	results = []string{"utf8mb4", "utf8mb4", "latin1", "NULL", "binary"}
)

func drawSetting(r *rand.Rand) setting {
	return setting{drawMode(r), pick(r, zones), pick(r, results), drawVariables(r)}
}

func drawMode(r *rand.Rand) string {
	if oneIn(r, 2) {
		return pick(r, modes)
	}
	var some []string
	for _, f := range flags {
		if oneIn(r, 6) {
			some = append(some, f)
		}
	}
	return strings.Join(some, ",")
}

// drawVariables are assignments of all variables, so that none is left as it was.
func drawVariables(r *rand.Rand) string {
	var out []string
	for _, v := range variables {
		value := v[1]
		if oneIn(r, 5) {
			value = pick(r, v[1:])
		}
		out = append(out, v[0]+"="+value)
	}
	return strings.Join(out, ", ")
}

// statements set a session.
func (s setting) statements() []string {
	return []string{
		"SET sql_mode=DEFAULT", // in EMPTY_STRING_IS_NULL '' is none
		fmt.Sprintf("SET sql_mode='%s', time_zone='%s'", s.mode, s.zone), "SET character_set_results=" + s.results, "SET timestamp=1700000000",
		"SET " + s.more,
	}
}

func (s setting) String() string { return strings.Join(s.statements(), "; ") }

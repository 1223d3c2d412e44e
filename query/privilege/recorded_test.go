package privilege

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// notRecorded are the rules that MariaDB cannot be asked about, with the reason.
var notRecorded = map[string]string{
	"SHOW EXTENDED COLUMNS":  "MySQL's; a syntax error in MariaDB",
	"SHOW EXTENDED FIELDS":   "MySQL's; a syntax error in MariaDB",
	"SHOW BINARY LOG STATUS": "MySQL's; a syntax error in MariaDB",
	"HELP":                   "refused to everybody: 1235",
	"SHOW AUTHORS":           "refused to everybody: 1064",
	"SHOW CONTRIBUTORS":      "refused to everybody: 1064",
	"SHOW PROFILE":           "refused to everybody: 1064",
	"XA":                     "refused to everybody: 1235",
	"START ALL":              "allowed to everybody in a MariaDB that replicates from nowhere, as in the scripts",
}

// TestEveryRuleIsRecorded says that MariaDB was asked about every statement of rules: the scripts
// test/dialect/testdata/privileges_* have a line for each.
func TestEveryRuleIsRecorded(t *testing.T) {
	recorded := recordedStatements(t)
	for _, key := range slices.Sorted(maps.Keys(rules)) {
		there := slices.ContainsFunc(recorded, func(s string) bool { return begins(s, key) })
		if reason := notRecorded[key]; there != (reason == "") {
			t.Errorf("%s: recorded in test/dialect/testdata/privileges_*: %v; reason why not: %q", key, there, reason)
		}
	}
}

// begins reports whether a statement begins with the words of a rule.
func begins(statement, key string) bool {
	rest, ok := strings.CutPrefix(statement, key)
	return ok && (rest == "" || strings.ContainsAny(rest[:1], " ("))
}

// recordedStatements are the statements of the blocks "privileges", with one blank between their words.
func recordedStatements(t *testing.T) []string {
	files, err := filepath.Glob("../../test/dialect/testdata/privileges_*")
	require.NoError(t, err)
	var out []string
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		for block := range strings.SplitSeq(string(b), "\n\n") {
			input, _, _ := strings.Cut(block, "\n----")
			if !strings.HasPrefix(input, "privileges") {
				continue
			}
			for line := range strings.Lines(input) {
				_, statement, _ := strings.Cut(line, " | ")
				for one := range strings.SplitSeq(statement, ";; ") {
					out = append(out, strings.ToUpper(strings.Join(strings.Fields(one), " ")))
				}
			}
		}
	}
	return out
}

package privilege

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/dialecttest"
	"github.com/duramendb/duramen/query/dialect/own"
)

// statementForms are the first words of all statements of the server's own: one value may be said in several ways.
var statementForms = []string{
	"BEGIN", "START TRANSACTION", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "XA", "UNLOCK", "PREPARE", "EXECUTE", "DEALLOCATE",
	"DROP PREPARE", "DO", "HELP", "CREATE OR REPLACE", "KILL", "SET", "SET STATEMENT", "SET NAMES", "SET CHARACTER", "SET CHARSET",
	"SET TRANSACTION", "SET SESSION TRANSACTION", "SET LOCAL TRANSACTION", "SET GLOBAL TRANSACTION", "FLUSH", "RESET", "BACKUP",
	"SHUTDOWN", "FLUSH TABLES", "FLUSH TABLE", "PURGE", "BINLOG", "CHANGE", "START SLAVE", "START REPLICA", "START ALL", "STOP",
	"INSTALL", "UNINSTALL", "LOCK TABLES", "LOCK TABLE", "CHECK", "CHECKSUM", "ANALYZE", "OPTIMIZE", "REPAIR", "HANDLER", "ALTER TABLE",
	"DESCRIBE", "DESC", "SHOW MASTER STATUS", "SHOW BINLOG STATUS", "SHOW BINARY LOG STATUS", "SHOW BINARY LOGS", "SHOW MASTER LOGS",
	"SHOW BINLOG EVENTS", "SHOW RELAYLOG", "SHOW SLAVE HOSTS", "SHOW REPLICA HOSTS", "SHOW SLAVE", "SHOW REPLICA", "SHOW ALL SLAVES",
	"SHOW ALL REPLICAS", "SHOW ENGINE", "SHOW ENGINES", "SHOW STORAGE ENGINES", "SHOW PLUGINS", "SHOW PACKAGE", "SHOW OPEN TABLES",
	"SHOW PROFILES", "SHOW PROFILE", "SHOW WARNINGS", "SHOW ERRORS", "SHOW COUNT", "SHOW PRIVILEGES", "SHOW AUTHORS",
	"SHOW CONTRIBUTORS", "SHOW CHARACTER", "SHOW CHARSET", "SHOW COLLATION", "SHOW VARIABLES", "SHOW STATUS", "SHOW GLOBAL",
	"SHOW SESSION", "SHOW LOCAL", "SHOW PROCESSLIST", "SHOW FULL PROCESSLIST", "SHOW DATABASES", "SHOW SCHEMAS", "SHOW PROCEDURE",
	"SHOW FUNCTION", "SHOW COLUMNS", "SHOW FIELDS", "SHOW FULL COLUMNS", "SHOW FULL FIELDS", "SHOW EXTENDED COLUMNS",
	"SHOW EXTENDED FIELDS", "SHOW INDEX", "SHOW INDEXES", "SHOW KEYS", "SHOW TABLES", "SHOW FULL TABLES", "SHOW TABLE STATUS",
	"SHOW TRIGGERS", "SHOW EVENTS", "SHOW CREATE TABLE", "SHOW CREATE TRIGGER", "SHOW CREATE PROCEDURE", "SHOW CREATE EVENT",
	"SHOW CREATE VIEW", "SHOW CREATE DATABASE", "SHOW CREATE SCHEMA",
	"CREATE USER", "CREATE ROLE", "DROP USER", "DROP ROLE", "RENAME USER", "ALTER USER", "GRANT", "REVOKE", "CREATE OR REPLACE USER",
	"CREATE OR REPLACE ROLE", "SET PASSWORD", "SET ROLE", "SET DEFAULT ROLE", "SHOW CREATE USER", "SHOW GRANTS",
}

// notRecorded are the forms that MariaDB cannot be asked about, with the reason.
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

// TestEveryFormIsRecorded says that MariaDB was asked about every statement, in every form: the scripts
// test/dialect/testdata/privileges_* have a line for each.
func TestEveryFormIsRecorded(t *testing.T) {
	recorded := recordedStatements(t)
	for _, key := range statementForms {
		there := slices.ContainsFunc(recorded, func(s string) bool { return begins(s, key) })
		if reason := notRecorded[key]; there != (reason == "") {
			t.Errorf("%s: recorded in test/dialect/testdata/privileges_*: %v; reason why not: %q", key, there, reason)
		}
	}
}

// notRecordedValues are the statements of package dialect that no line of the scripts is, with the reason.
var notRecordedValues = map[string]string{
	"Help":             "refused to everybody: 1235",
	"ShowDuramenClone": "not MariaDB's; test/clone asks for its privileges",
	"XA":               "refused to everybody: 1235",
}

// TestEveryStatementIsRecorded says that the scripts have a line that is such a statement.
func TestEveryStatementIsRecorded(t *testing.T) {
	there := map[string]bool{}
	for _, sql := range recordedStatements(t) {
		st, _, err := own.Parse(sql, dialect.Mode{})
		if err == nil && st != nil {
			there[reflect.TypeOf(st).Name()] = true
		}
	}
	for _, name := range dialecttest.Statements(t, "../dialect") {
		if reason := notRecordedValues[name]; there[name] != (reason == "") {
			t.Errorf("%s: recorded in test/dialect/testdata/privileges_*: %v; reason why not: %q", name, there[name], reason)
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

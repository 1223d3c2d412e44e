package statements

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/stretchr/testify/require"

	own "github.com/duramendb/duramen/mysql"
)

var record = flag.Bool("record", false, "write the answers of testdata anew, by a MariaDB")

// What scripts of testdata ask, our server answers as a MariaDB did when it was asked. A script has a statement a line; each SELECT and VALUES, in
// parentheses or not, EXECUTE, DO and SET of user variables has its answer in the file beside it. Lines that begin with -- are comments.
func TestRecorded(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	for _, script := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(script), ".sql"), func(t *testing.T) {
			file := strings.TrimSuffix(script, ".sql") + ".answers"
			if *record {
				require.NoError(t, os.WriteFile(file, []byte(strings.Join(answers(t, maria(t), script), "\n")), 0o644))
			}
			recorded, err := os.ReadFile(file)
			require.NoError(t, err, "record the answers")
			want := strings.Split(string(recorded), "\n\n")
			got := strings.Split(strings.Join(answers(t, duramen(t), script), "\n"), "\n\n")
			for i, answer := range want {
				require.Less(t, i, len(got), "there is no answer to %s", answer)
				if got[i] != answer {
					t.Errorf("recorded:\n%s\nours:\n%s", answer, got[i])
				}
			}
			require.Len(t, got, len(want), "record the answers again")
		})
	}
}

// answers are what a server says to a script: each SELECT with its answer, and an empty line behind it.
func answers(t *testing.T, s session, script string) (out []string) {
	t.Helper()
	text, err := os.ReadFile(script)
	require.NoError(t, err)
	for _, st := range []string{
		"DROP DATABASE IF EXISTS recorded", "CREATE DATABASE recorded", "USE recorded", "SET NAMES utf8mb4, time_zone='+00:00'",
		"CREATE TABLE first (a INT)", "DROP TABLE first", // what names a table drops the warnings
	} {
		s.must(t, st)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(strings.TrimSpace(line), ";")
		switch {
		case line == "" || strings.HasPrefix(line, "--"):
		case slices.ContainsFunc([]string{"SELECT", "VALUES", "(", "EXECUTE", "DO ", "SET @"}, func(head string) bool { return strings.HasPrefix(line, head) }):
			out = append(out, line)
			out = append(out, s.ask(t, line).lines(strings.Contains(line, "ORDER BY") || strings.Contains(line, "ROLLUP"), strings.Contains(line, "GROUP BY"))...)
			out = append(out, "")
		default:
			s.must(t, line)
		}
	}
	return out
}

// lines show an answer, but not the flag that says that MariaDB made a temporary table, nor for groups those that columns have only without one.
func (a answer) lines(ordered, groups bool) []string {
	if a.failure != "" {
		return []string{"error " + a.failure}
	}
	var out []string
	mask := uint16(mysql.GROUP_FLAG)
	if groups {
		mask = keyFlags | own.BINARY_FLAG
	}
	for i, c := range a.columns {
		out = append(out, "column "+c+fmt.Sprintf(" flags %x", a.flags[i]&^mask))
	}
	rows := slices.Clone(a.rows)
	if !ordered {
		slices.Sort(rows)
	}
	for _, r := range rows {
		out = append(out, "row "+r)
	}
	for _, w := range a.warnings {
		out = append(out, "warning "+w)
	}
	return out
}

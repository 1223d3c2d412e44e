package parse_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/gms/fault"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/test/corpus"
)

var mariadbs = flag.String("mariadbs", "", "look at the statements of MariaDB's tests in this directory as well")

// texts calls each for the statements of scripts and of the grammar's tests.
func texts(t *testing.T, each func(text string)) {
	scripts, err := filepath.Glob("../../../test/dialect/testdata/*")
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	for _, file := range scripts {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		input := false
		var lines []string
		for line := range strings.Lines(string(data)) {
			line = strings.TrimRight(line, "\n")
			switch {
			case line == "sql" || strings.HasPrefix(line, "sql "):
				input, lines = true, nil
			case line == "----":
				input = false
			case input:
				lines = append(lines, line)
				if text, ok := strings.CutSuffix(strings.TrimSpace(line), ";"); ok {
					lines[len(lines)-1] = text
					each(strings.Join(lines, "\n"))
					lines = nil
				}
			}
		}
	}
	files, err := filepath.Glob("../../dialect/grammar/testdata/[a-h]*.verdicts")
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			if v, text, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t"); v == "ok" {
				each(strings.ReplaceAll(text, "⏎", "\n"))
			}
		}
	}
	if *mariadbs == "" {
		return
	}
	list, _, err := corpus.Load(*mariadbs)
	require.NoError(t, err)
	for _, j := range list {
		if j.Mode == "" {
			each(j.Text)
		}
	}
}

// unreadable are statements that no routine runs, by how they begin, and some that are no more than an error: what they print is not made readable.
var unreadable = []string{
	"create role", "drop role", "grant", "revoke", "set transaction", "savepoint", "purge", "create user", "alter user",
	"create definer", "create procedure", "create trigger", "delete `history`", "select _filename",
}

// TestReadable: of what go-mysql-server's parser makes of a statement MariaDB's grammar says the same as of the statement.
func TestReadable(t *testing.T) {
	reader := &parse.Reader{
		DB: "d", System: func(sqlparser.Statement, string, string) {}, Definer: func(sql string) string { return sql }, Fault: func(*fault.Fault) {},
	}
	compared := 0
	seen := map[string]bool{}
	texts(t, func(text string) {
		if seen[text] {
			return
		}
		seen[text] = true
		whole := source.New(text, dialect.Mode{}, nil)
		want, err := whole.Facts()
		if err != nil || want.Placeholders > 0 {
			return
		}
		ast, _, rest, err := func() (a sqlparser.Statement, b, c string, err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("panic: %v", r)
				}
			}()
			return reader.Text(whole)
		}()
		if err != nil || rest != "" {
			return
		}
		if strings.Contains(strings.ToLower(text), "exchange partition") { // refused in routines: the tree does not print it
			return
		}
		printed := parse.Readable(ast)
		for _, p := range unreadable {
			if strings.HasPrefix(printed, p) || printed == "select " {
				return
			}
		}
		again := source.New(printed, dialect.Mode{}, nil)
		got, err := again.Facts()
		if err != nil {
			t.Errorf("%v\nof %s\nprinted: %s", err, text, printed)
			return
		}
		a, _, _ := whole.Statement()
		b, _, _ := again.Statement()
		if x, y := described(statement.Of(a, want)), described(statement.Of(b, got)); x != y {
			t.Errorf("%s\nprinted: %s\nwritten: %s\nprinted: %s", text, printed, x, y)
		}
		compared++
	})
	require.Greater(t, compared, 2800)
	t.Logf("%d statements compared", compared)
}

// described is what a session is told of a statement.
func described(st statement.Statement) string {
	return strings.ToLower(fmt.Sprintf("%+v", st))
}

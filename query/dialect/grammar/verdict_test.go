package grammar_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/mysqlerr"
)

var (
	server  = flag.String("server", "", "address of a MariaDB 10.11 without passwords, to compare with instead of what was recorded")
	rewrite = flag.Bool("rewrite", false, "record the verdicts of -server anew")
)

// A verdict is ok, or the line and the text of an error in the syntax. Other errors of the server are about what the statement means: ok.
// In the files, each line is a verdict, a tab and a statement, in which ⏎ is a newline.
const (
	between = "\t"
	newline = "⏎"
)

// TestVerdicts: statements are accepted and refused as a real server did, with the same place in the error.
func TestVerdicts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.verdicts")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var c *client.Conn
	if *server != "" {
		c, err = client.Connect(*server, "root", "", "")
		require.NoError(t, err)
		defer c.Close()
		for _, text := range []string{"create database if not exists test", "use test", "set names utf8mb4"} {
			_, err = c.Execute(text)
			require.NoError(t, err)
		}
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			out, wrong := "", 0
			for line := range strings.Lines(string(data)) {
				line = strings.TrimRight(line, "\n")
				want, text, ok := strings.Cut(line, between)
				if !ok {
					want, text = "", line
				}
				statement := strings.ReplaceAll(text, newline, "\n")
				mode, options := modeOf(file)
				if c != nil {
					want = serverVerdict(t, c, mode, statement)
				}
				out += want + between + text + "\n"
				if got := verdict(statement, options); got != want {
					wrong++
					t.Errorf("%s\n  here:   %s\n  server: %s", text, got, want)
				}
			}
			t.Logf("%d statements, %d wrong", strings.Count(out, "\n"), wrong)
			if *rewrite {
				require.NotNil(t, c, "-rewrite needs -server")
				require.NoError(t, os.WriteFile(file, []byte(out), 0o644))
			}
		})
	}
}

// modeOf is the sql_mode that a file's name asks for.
func modeOf(file string) (string, grammar.Options) {
	switch {
	case strings.Contains(file, "pipes"):
		return "PIPES_AS_CONCAT", grammar.Options{Mode: lex.PipesAsConcat}
	case strings.Contains(file, "mssql"):
		return "MSSQL", grammar.Options{Mode: lex.Brackets | lex.PipesAsConcat | lex.AnsiQuotes | lex.IgnoreSpace}
	case strings.Contains(file, "highnot"):
		return "HIGH_NOT_PRECEDENCE", grammar.Options{Mode: lex.HighNotPrecedence}
	case strings.Contains(file, "ignorespace"):
		return "IGNORE_SPACE", grammar.Options{Mode: lex.IgnoreSpace}
	case strings.Contains(file, "ansiquotes"):
		return "ANSI_QUOTES", grammar.Options{Mode: lex.AnsiQuotes}
	}
	return "", grammar.Options{}
}

func serverVerdict(t *testing.T, c *client.Conn, mode, text string) string {
	if number, message := serverError(t, c, mode, text); number == mysqlerr.Parse {
		return place(message)
	}
	return "ok"
}

// serverError is the error that a server has when it prepares a text, 0: none.
func serverError(t *testing.T, c *client.Conn, mode, text string) (number uint16, message string) {
	_, err := c.Execute("set sql_mode='" + mode + "'")
	require.NoError(t, err)
	s, err := c.Prepare(text)
	if err == nil {
		require.NoError(t, s.Close())
		return 0, ""
	}
	var e *mysql.MyError
	require.ErrorAs(t, err, &e, "%s", text)
	return e.Code, e.Message
}

func verdict(text string, o grammar.Options) string {
	_, _, err := grammar.Parse(text, o)
	var e *mysqlerr.Error
	if errors.As(err, &e) && e.Number == mysqlerr.Parse {
		return place(e.Error())
	}
	return "ok"
}

// place is where an error says that the text is wrong.
func place(message string) string {
	_, near, _ := strings.Cut(message, "near '")
	i := strings.LastIndex(near, "' at line ")
	if i < 0 {
		return message
	}
	return fmt.Sprintf("line %s near %s", near[i+len("' at line "):], strings.ReplaceAll(near[:i], "\n", newline))
}

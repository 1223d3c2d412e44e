package grammar_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/mysqlerr"
)

const errorsFile = "testdata/errors.tsv"

// TestErrors: the errors that come while a text is read, of all numbers, are those of a real server. Each line of the file is the number, the
// state, the message and the statement.
func TestErrors(t *testing.T) {
	data, err := os.ReadFile(errorsFile)
	require.NoError(t, err)
	var c *client.Conn
	if *server != "" {
		c, err = client.Connect(*server, "root", "", "test")
		require.NoError(t, err)
		defer c.Close()
	}
	var out strings.Builder
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\n")
		i := strings.LastIndex(line, between)
		want, text := line[:i], strings.ReplaceAll(line[i+1:], newline, "\n")
		if c != nil {
			_, err := c.Prepare(text)
			var e *mysql.MyError
			require.ErrorAs(t, err, &e, "%s", text)
			want = fmt.Sprintf("%d\t%s\t%s", e.Code, e.State, e.Message)
		}
		out.WriteString(want + between + line[i+1:] + "\n")
		_, _, err := grammar.Parse(text, grammar.Options{})
		var e *mysqlerr.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v, want %s", text, err, want)
			continue
		}
		if got := fmt.Sprintf("%d\t%s\t%s", e.Number, e.State, e.Message); got != want {
			t.Errorf("%s\n  here:   %s\n  server: %s", text, got, want)
		}
	}
	if *rewrite {
		require.NotNil(t, c, "-rewrite needs -server")
		require.NoError(t, os.WriteFile(errorsFile, []byte(out.String()), 0o644))
	}
}

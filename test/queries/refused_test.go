package queries

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/stretchr/testify/require"
)

// refusedCase is a statement of testdata/refused, with MariaDB's answer.
type refusedCase struct {
	number, statement string
	answer            []string
}

// What docs/refused.md lists is refused with 1235, or answered as MariaDB does: then its line there, and its case here, are to go.
// testdata/refused has cases that begin with a number and a statement, with the rows that MariaDB 10.11 answered; set up by the lines before them.
func TestRefused(t *testing.T) {
	setup, cases := readRefused(t)
	ours := dial(t, *ourAddr, startDuramen)
	execute(t, ours, setup)
	for _, c := range cases {
		got := ask(t, ours, question{text: c.statement})
		switch {
		case got.failure == "1235/42000":
		case got.failure != "" || !slices.Equal(got.rows, c.answer):
			t.Errorf("line %s of docs/refused.md: %s\n  expected 1235, or %q\n  ours     %s %q", c.number, c.statement, c.answer, got.failure, got.rows)
		default:
			t.Errorf("%s\nis answered as MariaDB does: take line %s out of docs/refused.md, and its case out of testdata/refused", c.statement, c.number)
		}
	}
}

// The cases' answers are a real MariaDB's, and each has a line in the document.
func TestRefusedRecorded(t *testing.T) {
	setup, cases := readRefused(t)
	page, err := os.ReadFile("../../docs/refused.md")
	require.NoError(t, err)
	theirs := dial(t, *theirAddr, startMariaDB)
	execute(t, theirs, setup)
	for _, c := range cases {
		require.Contains(t, string(page), "\n| "+c.number+" |", "no line for %s", c.statement)
		got := ask(t, theirs, question{text: c.statement})
		if got.failure != "" || !slices.Equal(got.rows, c.answer) {
			t.Errorf("%s\n  recorded %q\n  MariaDB  %s %q", c.statement, c.answer, got.failure, got.rows)
		}
	}
}

func execute(t *testing.T, s *client.Conn, statements []string) {
	t.Helper()
	for _, st := range statements {
		_, err := s.Execute(st)
		require.NoError(t, err, st)
	}
}

func readRefused(t *testing.T) (setup []string, cases []refusedCase) {
	t.Helper()
	text, err := os.ReadFile("testdata/refused")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		number, statement, isCase := strings.Cut(line, " | ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "  "):
			last := &cases[len(cases)-1]
			last.answer = append(last.answer, line[2:])
		case isCase && len(number) <= 2:
			cases = append(cases, refusedCase{number: number, statement: statement})
		default:
			setup = append(setup, line)
		}
	}
	require.NotEmpty(t, cases)
	return setup, cases
}

package grammar_test

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/mysqlerr"
)

const (
	mutationsLive     = 20_000
	mutationsRecorded = 500
	// mutationsWrong is how many in a thousand may differ: there are places where the server's parser reads a token more, or less.
	mutationsWrong = 1
)

// TestMutations damages accepted statements, and compares where the error is with a real server. Some of those that agree are recorded for
// TestVerdicts, which is what there is without -server.
func TestMutations(t *testing.T) {
	if *server == "" {
		t.Skip("needs -server")
	}
	c, err := client.Connect(*server, "root", "", "")
	require.NoError(t, err)
	defer c.Close()
	for _, text := range []string{"create database if not exists test", "use test", "set names utf8mb4"} {
		_, err = c.Execute(text)
		require.NoError(t, err)
	}
	var texts []string
	for _, name := range []string{"expressions", "queries", "changes", "session"} {
		data, err := os.ReadFile("testdata/" + name + ".verdicts")
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			if v, text, _ := strings.Cut(strings.TrimRight(line, "\n"), between); v == "ok" && len(text) < 200 {
				texts = append(texts, strings.ReplaceAll(text, newline, "\n"))
			}
		}
	}
	r := rand.New(rand.NewPCG(33, 44))
	var record strings.Builder
	wrong, compared, recorded := 0, 0, 0
	for range mutationsLive {
		text := damage(r, texts[r.IntN(len(texts))], texts[r.IntN(len(texts))])
		if strings.Contains(text, ";") { // several statements are not prepared
			continue
		}
		here, there := verdict(text, grammar.Options{}), "ok"
		switch number, message := serverError(t, c, "", text); number {
		case 0:
		case mysqlerr.Parse:
			there = place(message)
		default: // it may have stopped there, before what is wrong
			continue
		}
		if compared++; here != there {
			wrong++
			t.Logf("%s\n  here:   %s\n  server: %s", text, here, there)
			continue
		}
		if recorded++; recorded <= mutationsRecorded {
			record.WriteString(there + between + strings.ReplaceAll(text, "\n", newline) + "\n")
		}
	}
	t.Logf("%d of %d otherwise", wrong, compared)
	require.LessOrEqual(t, wrong*1000, compared*mutationsWrong)
	if *rewrite {
		require.NoError(t, os.WriteFile("testdata/damaged.verdicts", []byte(record.String()), 0o644))
	}
}

// damage takes a token away, puts one of another text in, or cuts the text off.
func damage(r *rand.Rand, text, other string) string {
	at := tokensOf(text)
	i := at[r.IntN(len(at))]
	switch r.IntN(4) {
	case 0:
		return text[:i[0]] + text[i[1]:]
	case 1:
		return text[:i[0]]
	}
	foreign := tokensOf(other)
	j := foreign[r.IntN(len(foreign))]
	if r.IntN(2) == 0 {
		return text[:i[0]] + " " + other[j[0]:j[1]] + " " + text[i[0]:]
	}
	return text[:i[0]] + " " + other[j[0]:j[1]] + " " + text[i[1]:]
}

// tokensOf are the places of the tokens of a text.
func tokensOf(text string) [][2]int32 {
	var all [][2]int32
	l := lex.New(text, 0, nil)
	for tok := l.Next(); tok.Kind != lex.EOF && tok.Kind != lex.Bad; tok = l.Next() {
		all = append(all, [2]int32{tok.Start, tok.End})
	}
	return append(all, [2]int32{int32(len(text)), int32(len(text))})
}

package charset

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

var onlyCollations = flag.String("collations", "", "regular expression of the collations to ask about")

func seedOf(t *testing.T) uint64 {
	s := os.Getenv("SEED")
	if s == "" {
		return 1
	}
	seed, err := strconv.ParseUint(s, 10, 64)
	require.NoError(t, err)
	return seed
}

// TestAnswers asks MariaDB about random strings in every collation.
func TestAnswers(t *testing.T) {
	peer.RequireMariaDB(t)
	db := peer.StartMariaDB(t, peer.Options{}).DB("")
	seed, only := seedOf(t), regexp.MustCompile(*onlyCollations)
	perCollation := peer.Scaled(20, 400)
	cases, wrong := 0, map[string]int{}
	for _, c := range Collations() {
		if _, err := c.Order(); err != nil || !only.MatchString(c.name) {
			continue
		}
		rng := rand.New(rand.NewPCG(seed, uint64(c.id)))
		for n := 0; n < perCollation; n += 20 {
			list := drawQuestions(rng, c, 20)
			ask(t, db, list)
			for i := range list {
				cases++
				if what := list[i].check(); what != "" {
					if wrong[c.name]++; wrong[c.name] <= 2 {
						t.Error(what)
					}
				}
			}
		}
	}
	t.Logf("seed %d: %d cases, %d collations with differences", seed, cases, len(wrong))
}

const answersFile = "testdata/answers.tsv"

// TestRecordedAnswers is a slice of what TestAnswers asks, for where MariaDB is not installed: three questions for each collation.
func TestRecordedAnswers(t *testing.T) {
	if *record {
		recordAnswers(t)
	}
	text, err := os.ReadFile(answersFile)
	require.NoError(t, err)
	count := 0
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		var q question
		f := strings.Split(line, "\t")
		require.Len(t, f, 12, line)
		q.collation, q.weights, q.upper, q.low = f[0], f[7], f[8], f[9]
		for i, into := range []*[]byte{&q.a, &q.b, &q.pattern} {
			_, err := fmt.Sscanf(f[1+i]+" ", "%x", into)
			if f[1+i] != "" {
				require.NoError(t, err, line)
			}
		}
		_, err := fmt.Sscan(strings.Join([]string{f[4], f[5], f[6], f[10], f[11]}, " "), &q.strcmp, &q.equal, &q.like, &q.length, &q.prefix)
		require.NoError(t, err, line)
		if what := q.check(); what != "" {
			t.Error(what)
		}
		count++
	}
	require.Greater(t, count, 3000)
}

func recordAnswers(t *testing.T) {
	peer.RequireMariaDB(t)
	db := peer.StartMariaDB(t, peer.Options{}).DB("")
	var out strings.Builder
	for _, c := range Collations() {
		if _, err := c.Order(); err != nil {
			continue
		}
		list := drawQuestions(rand.New(rand.NewPCG(99, uint64(c.id))), c, 3)
		ask(t, db, list)
		for _, q := range list {
			fmt.Fprintf(&out, "%s\t%x\t%x\t%x\t%d\t%t\t%t\t%s\t%s\t%s\t%d\t%d\n", q.collation, q.a, q.b, q.pattern, q.strcmp, q.equal, q.like, q.weights, q.upper, q.low, q.length, q.prefix)
		}
	}
	require.NoError(t, os.WriteFile(answersFile, []byte(out.String()), 0o644))
}

// TestConversions has MariaDB convert random text, good and bad, between all pairs of sets.
func TestConversions(t *testing.T) {
	peer.RequireMariaDB(t)
	db := peer.StartMariaDB(t, peer.Options{}).DB("")
	rng := rand.New(rand.NewPCG(seedOf(t), 5))
	cases, wrong := 0, 0
	for _, from := range Sets() {
		var texts [][]byte
		var q []string
		for range 6 {
			text := in(from, drawText(rng)+drawText(rng))
			if rng.IntN(2) == 0 && len(text) > 0 {
				text[rng.IntN(len(text))] = byte(rng.Uint32())
			}
			if from.Valid(text) >= 0 {
				continue // the server refuses it at the door
			}
			texts = append(texts, text)
			for _, to := range Sets() {
				q = append(q, fmt.Sprintf("HEX(CONVERT(CONVERT(X'%x' USING %s) USING %s))", text, from.name, to.name))
			}
		}
		if len(q) == 0 {
			continue
		}
		var answer string
		require.NoError(t, db.QueryRow("SELECT CONCAT_WS(',',"+strings.Join(q, ",")+")").Scan(&answer))
		answers := strings.Split(answer, ",")
		require.Len(t, answers, len(q))
		for i, text := range texts {
			for j, to := range Sets() {
				got, done := Convert(nil, to, from, text)
				if from.binary() && to.minLen > 1 && done.Bad >= 0 {
					continue // refused
				}
				want := answers[i*len(sets)+j]
				if cases++; upHex(got) != want {
					if wrong++; wrong <= 10 {
						t.Errorf("%x from %s to %s: %x, MariaDB has %s", text, from.name, to.name, got, want)
					}
				}
				if again, back := Convert(nil, from, to, got); done.OK() && back.OK() && !to.binary() && from.Unicode() {
					require.Equal(t, text, again, "%s to %s and back", from.name, to.name)
				}
			}
		}
	}
	t.Logf("%d conversions", cases)
}

// TestNames compares the directory with information_schema.
func TestNames(t *testing.T) {
	peer.RequireMariaDB(t)
	db := peer.StartMariaDB(t, peer.Options{}).DB("")
	rows := peer.MustRows(t, db, `SELECT CONCAT_WS(' ', a.ID, a.FULL_COLLATION_NAME, a.CHARACTER_SET_NAME, a.IS_DEFAULT='Yes', c.SORTLEN, s.DEFAULT_COLLATE_NAME, s.MAXLEN)
		FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY a JOIN information_schema.COLLATIONS c ON c.COLLATION_NAME = a.COLLATION_NAME
		JOIN information_schema.CHARACTER_SETS s ON s.CHARACTER_SET_NAME = a.CHARACTER_SET_NAME GROUP BY a.ID ORDER BY a.ID`)
	all := Collations()
	require.Len(t, rows, len(all))
	for i, c := range all {
		standard := 0
		if c.IsDefault() {
			standard = 1
		}
		want := fmt.Sprintf("%d %s %s %d %d %s %d", c.ID(), c.Name(), c.Set().Name(), standard, c.SortLen(), c.Set().Default().Name(), c.Set().MaxLen())
		require.Contains(t, rows[i], want)
		byName, ok := ByName(strings.ToUpper(c.Name()))
		require.True(t, ok)
		byID, _ := ByID(c.ID())
		require.Same(t, byName, byID)
	}
}

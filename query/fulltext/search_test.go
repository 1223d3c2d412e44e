package fulltext

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/types/charset"
)

func collationOf(t testing.TB, name string) *charset.Collation {
	t.Helper()
	c, ok := charset.ByName(name)
	require.True(t, ok, name)
	return c
}

// ranks are the relevances of some documents.
func ranks(t testing.TB, c *charset.Collation, mode Mode, query string, docs ...[]string) ([]float64, error) {
	t.Helper()
	s, err := New(c, mode, []byte(query))
	if err != nil {
		return nil, err
	}
	texts := make([][][]byte, len(docs))
	for i, doc := range docs {
		for _, text := range doc {
			texts[i] = append(texts[i], []byte(text))
		}
		if err := s.Count(texts[i]); err != nil {
			return nil, err
		}
	}
	if s.Again() {
		for _, doc := range texts {
			if err := s.Expand(doc); err != nil {
				return nil, err
			}
		}
		s.Expanded()
	}
	out := make([]float64, len(docs))
	for i, doc := range texts {
		out[i] = s.Rank(doc)
	}
	return out, s.Err()
}

var articles = [][]string{
	{"MySQL Tutorial", "DBMS stands for DataBase ..."}, {"How To Use MySQL Well", "After you went through a ..."},
	{"Optimizing MySQL", "In this tutorial we will show ..."}, {"1001 MySQL Tricks", "1. Never run mysqld as root. 2. ..."},
	{"MySQL vs. YourSQL", "In the following database comparison ..."}, {"MySQL Security", "When configured properly, MySQL ..."},
}

// The relevances are those of MariaDB 10.11.
func TestRank(t *testing.T) {
	const all = 0.000000001885928302414186 // of a word that all rows have
	for _, tt := range []struct {
		mode  Mode
		query string
		want  []float64
	}{
		{Natural, "database", []float64{0.22764469683170319, 0, 0, 0, 0.22764469683170319, 0}},
		{Natural, "mysql", []float64{all, all, all, all, all, 0.000000003771856604828372}},
		{Natural, "the of", make([]float64, 6)},
		{Natural, "", make([]float64, 6)},
		{Boolean, "mysql*", []float64{0.004481872543692589, 0.004481872543692589, 0.004481872543692589, 0.004481872543692589, 0.004481872543692589, 0.008963745087385178}},
		{Boolean, "+mysql -tutorial", []float64{0, all, 0, all, all, 0.000000003771856604828372}},
		{Boolean, "-mysql", make([]float64, 6)},
		{Boolean, "+the +mysql", make([]float64, 6)},
		{Boolean, ">mysql <tutorial ~security", []float64{0.22764469683170319, 1, 0.22764469683170319, 1, 1, 0.6055193543434143}},
		{Boolean, `"mysql tutorial"`, []float64{0.22764469683170319, 0, 0, 0, 0, 0}},
		{Expansion, "database", []float64{1.6663280725479126, all, 0.22764469683170319, all, 2.0442028045654297, 0.000000003771856604828372}},
	} {
		got, err := ranks(t, collationOf(t, "latin1_swedish_ci"), tt.mode, tt.query, articles...)
		require.NoError(t, err, tt.query)
		require.Equal(t, tt.want, got, tt.query)
	}
}

func TestErrors(t *testing.T) {
	const more = ", expecting FTS_TERM or FTS_NUMB or '*'"
	for query, want := range map[string]string{
		"+": "unexpected $end", "++a": "unexpected '+'", "+(": "unexpected $end", "a@b": "unexpected '@', expecting $end", "a)": "unexpected ')', expecting $end",
		`"a"*`: "unexpected $end" + more, `* "a"`: "unexpected FTS_TEXT" + more, `"a" @b`: "unexpected FTS_TERM, expecting FTS_NUMB", "(a @b": "unexpected '@'",
	} {
		_, err := New(collationOf(t, "latin1_swedish_ci"), Boolean, []byte(query))
		require.ErrorContains(t, err, "syntax error, "+want, query)
		require.True(t, strings.HasSuffix(err.Error(), want), "%s: %v", query, err)
	}
}

func TestBounds(t *testing.T) {
	c := collationOf(t, "utf8mb4_general_ci")
	nested := func(n int, s string) string { return strings.Repeat("(", n) + s + strings.Repeat(")", n) }
	_, err := ranks(t, c, Boolean, nested(deepest, "word"), []string{"word"})
	require.NoError(t, err)
	_, err = ranks(t, c, Boolean, nested(deepest+1, "word"), []string{"word"})
	require.ErrorContains(t, err, "out of memory")
	_, err = ranks(t, c, Boolean, strings.Repeat("(", nestingMost+1))
	require.ErrorContains(t, err, "memory exhausted")
	_, err = ranks(t, c, Boolean, strings.Repeat("(a)", listsMost+1))
	require.ErrorContains(t, err, "out of memory")
	_, err = ranks(t, c, Boolean, `"`+strings.Repeat("word ", phraseMost+1)+`"`)
	require.ErrorContains(t, err, "Too many words")

	s, err := New(c, Expansion, []byte("word"))
	require.NoError(t, err)
	full := errors.New("full")
	s.Charge = func(int64) error { return full }
	require.ErrorIs(t, s.Count([][]byte{[]byte("word and others")}), full)

	s, err = New(c, Boolean, []byte(strings.Repeat("wor* ", 3)))
	require.NoError(t, err)
	s.Interrupted = func() error { return full }
	require.ErrorIs(t, s.Count([][]byte{[]byte(strings.Repeat("word ", 1<<17))}), full)
}

// Words are compared by the collation, whatever the character set.
func TestCollations(t *testing.T) {
	for _, tt := range []struct {
		collation, query string
		found            bool
	}{
		{"utf8mb4_general_ci", "cafe", true}, {"utf8mb4_bin", "cafe", false}, {"utf8mb4_bin", "CAFÉ", false}, {"utf8mb4_bin", "café", true},
		{"utf8mb4_general_ci", "CAF*", true}, {"utf8mb4_general_ci", "o'caf\u00e9", true}, {"utf8mb4_unicode_ci", `"un café"`, true},
	} {
		got, err := ranks(t, collationOf(t, tt.collation), Boolean, tt.query, []string{"un café"}, []string{"rien"})
		require.NoError(t, err)
		require.Equal(t, tt.found, got[0] > 0, "%s: %s", tt.collation, tt.query)
		require.Zero(t, got[1])
	}
	wide := collationOf(t, "utf16_general_ci")
	in := func(text string) string {
		var out []byte
		for _, r := range text {
			out, _ = wide.Set().Append(out, r)
		}
		return string(out)
	}
	got, err := ranks(t, wide, Natural, in("café the"), []string{in("un café")}, []string{in("the")})
	require.NoError(t, err)
	require.Greater(t, got[0], 0.0)
	require.Zero(t, got[1])
}

// Whatever is asked for, a search ends, without a row that has none of the words, and twice with the same answer.
func FuzzSearch(f *testing.F) {
	for _, query := range []string{`+word -"two words"@3 (>a* <b)`, `~x ((a) (b)) "`, "12 %\n* *a", "+a.b -c'd"} {
		f.Add(query, "two words, and a word", true)
		f.Add(query, "", false)
	}
	f.Fuzz(func(t *testing.T, query, text string, boolean bool) {
		mode := Natural
		if boolean {
			mode = Boolean
		}
		c := collationOf(t, "utf8mb4_general_ci")
		docs := [][]string{{text, query}, {"... - !"}, {query}}
		got, err := ranks(t, c, mode, query, docs...)
		if err != nil {
			return
		}
		require.Zero(t, got[1])
		again, err := ranks(t, c, mode, query, docs...)
		require.NoError(t, err)
		require.Equal(t, got, again)
		if got, err = ranks(t, c, Expansion, query, docs...); err == nil {
			require.Zero(t, got[1])
		}
	})
}

package query

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpenComments(t *testing.T) {
	for _, c := range [][2]string{
		{"select 1", "select 1"},
		{"/*!40101 SET NAMES utf8 */", "  SET NAMES utf8  "},
		{"a /*!999999 b */ c", "a   c"},
		{"a /*! b */ c", "a   b   c"},
		{"a /*!50701 b */ c", "a   c"},
		{"a /*M!50701 b */ c", "a   b   c"},
		{"a /*!40101 b /* inner */ c */ d", "a   b /* inner */ c   d"},
		{"a /*!999999 b /* inner */ c */ d", "a   d"},
		{"'/*!40101 x */'", "'/*!40101 x */'"},
		{"`/*!` /*!40101 x", "`/*!`   x"},
	} {
		require.Equal(t, c[1], openComments(c[0], lexMode{}), c[0])
	}
}

func TestTokens(t *testing.T) {
	words := func(sql string, mode lexMode) string {
		var out []string
		for _, tok := range tokens(sql, mode, 0) {
			out = append(out, tok.text)
		}
		return strings.Join(out, "|")
	}
	require.Equal(t, "a|,|b c|x'y|@v|1|=|?", words("a, `b c` 'x''y' @v -- gone\n 1 # gone\n= /* gone */ ?", lexMode{}))
	require.Equal(t, "it's", words(`'it\'s'`, lexMode{}))
	require.Equal(t, `a\`, words(`'a\'`, lexMode{noBackslashEscapes: true}))
	require.Equal(t, "1|-|-|2", words("1--2", lexMode{}))
	require.Equal(t, tokIdent, tokens(`"a"`, lexMode{ansiQuotes: true}, 0)[0].kind)
	require.Equal(t, tokString, tokens(`"a"`, lexMode{}, 0)[0].kind)
}

func TestSplitAtSemicolon(t *testing.T) {
	for _, c := range [][3]string{
		{"a; b", "a", " b"}, {"a ';' b; c", "a ';' b", " c"}, {"a -- ;\n; b", "a -- ;\n", " b"}, {"a", "a", ""}, {";", "", ""},
	} {
		first, rest := splitAtSemicolon(c[0], lexMode{})
		require.Equal(t, c[1], first)
		require.Equal(t, c[2], rest)
	}
}

func TestWithoutPasswords(t *testing.T) {
	require.Equal(t, "create user a@b identified by PASSWORD '*14E65567ABDB5135D0CFD9A70B3032C179A49EE7'",
		withoutPasswords("create user a@b identified by 'secret'"))
	require.Equal(t, "grant usage on *.* to a identified by '' , b IDENTIFIED BY PASSWORD '*667F407DE7C6AD07358FA38DAED7828A72014B4E' x",
		withoutPasswords("grant usage on *.* to a identified by '' , b IDENTIFIED BY \"a\" x"))
	require.Equal(t, "select 'identified by'", withoutPasswords("select 'identified by'"))
}

func TestLikeMatch(t *testing.T) {
	for _, c := range []struct {
		text, pattern string
		want          bool
	}{
		{"autocommit", "AUTO%", true}, {"autocommit", "auto", false}, {"a_b", `a\_b`, true}, {"axb", `a\_b`, false},
		{"axb", "a_b", true}, {"", "%", true}, {"abc", "%c", true}, {"abc", "%%b%", true}, {"é", "_", true},
	} {
		require.Equal(t, c.want, likeMatch(c.text, c.pattern), "%q like %q", c.text, c.pattern)
	}
}

// FuzzScan checks that no text makes the scanner loop, panic or lose its place.
func FuzzScan(f *testing.F) {
	for _, s := range []string{"select 1; /*!40101 x */ 'a\\'b' \"c\" `d` -- e\n#f\n/* g", "/*M!999999\\- */", "'", "/*", "/*!", "/*!5", "\\", "''''"} {
		f.Add(s, false, false)
	}
	f.Fuzz(func(t *testing.T, sql string, ansi, noEscapes bool) {
		mode := lexMode{ansiQuotes: ansi, noBackslashEscapes: noEscapes}
		last := 0
		for _, tok := range tokens(sql, mode, 0) {
			if tok.start < last || tok.end <= tok.start || tok.end > len(sql) {
				t.Fatalf("token %+v after %d", tok, last)
			}
			last = tok.end
		}
		openComments(sql, mode)
		trimSQL(sql, mode)
		first, rest := splitAtSemicolon(sql, mode)
		if len(first)+len(rest) > len(sql) {
			t.Fatalf("%q and %q of %q", first, rest, sql)
		}
		withoutPasswords(sql)
		placeholdersOf(sql, mode)
	})
}

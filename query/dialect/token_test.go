package dialect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpenComments(t *testing.T) {
	for _, c := range [][2]string{
		{"select 1", "select 1"},
		{"/*!40101 SET NAMES utf8 */", " SET NAMES utf8 "},
		{"a /*!999999 b */ c", "a  c"},
		{"a /*! b */ c", "a  b  c"},
		{"a /*!50701 b */ c", "a  c"},
		{"a /*! b /*! c */ d */ e", "a  b  c  d */ e"}, // the first end is that of both
		{"a /*M!50701 b */ c", "a  b  c"},
		{"a /*!40101 b /* inner */ c */ d", "a  b /* inner */ c  d"},
		{"a /*!999999 b /* inner */ c */ d", "a  d"},
		{"a/*!b*/c/*!(*/1)", "a b c (1)"},
		{"'/*!40101 x */'", "'/*!40101 x */'"},
		{"`/*!` /*!40101 x", "`/*!`  x"},
	} {
		require.Equal(t, c[1], OpenComments(c[0], Mode{}), c[0])
	}
}

func TestTokens(t *testing.T) {
	words := func(sql string, mode Mode) string {
		var out []string
		for _, tok := range Tokens(sql, mode, 0) {
			out = append(out, tok.Text)
		}
		return strings.Join(out, "|")
	}
	require.Equal(t, "a|,|b c|x'y|@v|1|=|?", words("a, `b c` 'x''y' @v -- gone\n 1 # gone\n= /* gone */ ?", Mode{}))
	require.Equal(t, "it's", words(`'it\'s'`, Mode{}))
	require.Equal(t, `a\`, words(`'a\'`, Mode{NoBackslashEscapes: true}))
	require.Equal(t, "1|-|-|2", words("1--2", Mode{}))
	require.Equal(t, Quoted, Tokens(`"a"`, Mode{AnsiQuotes: true}, 0)[0].Kind)
	require.Equal(t, String, Tokens(`"a"`, Mode{}, 0)[0].Kind)
}

func TestSplitAtSemicolon(t *testing.T) {
	for _, c := range [][3]string{
		{"a; b", "a", " b"}, {"a ';' b; c", "a ';' b", " c"}, {"a -- ;\n; b", "a -- ;\n", " b"}, {"a", "a", ""}, {";", "", ""},
	} {
		first, rest := Split(c[0], Mode{})
		require.Equal(t, c[1], first)
		require.Equal(t, c[2], rest)
	}
}

// FuzzScan checks that no text makes the scanner loop, panic or lose its place.
func FuzzScan(f *testing.F) {
	for _, s := range []string{"select 1; /*!40101 x */ 'a\\'b' \"c\" `d` -- e\n#f\n/* g", "/*M!999999\\- */", "'", "/*", "/*!", "/*!5", "\\", "''''"} {
		f.Add(s, false, false)
	}
	f.Fuzz(func(t *testing.T, sql string, ansi, noEscapes bool) {
		mode := Mode{AnsiQuotes: ansi, NoBackslashEscapes: noEscapes}
		last := 0
		for _, tok := range Tokens(sql, mode, 0) {
			if tok.Start < last || tok.End <= tok.Start || tok.End > len(sql) {
				t.Fatalf("token %+v after %d", tok, last)
			}
			last = tok.End
		}
		OpenComments(sql, mode)
		Trim(sql, mode)
		first, rest := Split(sql, mode)
		if len(first)+len(rest) > len(sql) {
			t.Fatalf("%q and %q of %q", first, rest, sql)
		}
	})
}

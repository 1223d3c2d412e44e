package lex

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tokens are the tokens of a text, as kind:text, until the first that is EOF or Bad.
func tokens(text string, mode Mode) string {
	l := New(text, mode, nil)
	var out []string
	for {
		t := l.Next()
		if t.Kind == EOF {
			return strings.Join(out, " ")
		}
		name := fmt.Sprint(uint8(t.Kind))
		if t.Kind > ' ' {
			name = "op"
		}
		if t.Word != NoWord {
			name = "kw"
		}
		out = append(out, name+":"+l.Text(t))
		if t.Kind == Bad {
			return strings.Join(out, " ")
		}
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		"select a from t":                  "kw:select 2:a kw:from 2:t",
		"1 1.5 .5 1. 1e5 1.e-5 1e":         "4:1 5:1.5 5:.5 5:1. 6:1e5 6:1.e-5 2:1e",
		"1ea10 1a 0x1F 0x1G 0b01 0b2":      "2:1ea10 2:1a 7:0x1F 2:0x1G 9:0b01 2:0b2",
		"x'1f' X'' b'01' n'a'":             "8:x'1f' 8:X'' 10:b'01' 12:n'a'",
		"t.1 t.select t.1a":                "2:t op:. 2:1 2:t op:. 2:select 2:t op:. 2:1a",
		"1..10":                            "4:1 24:.. 4:10",
		"@a.b @'x' @@global.y u@h-1":       "op:@ 14:a.b op:@ 11:'x' 13:@@ kw:global op:. 2:y 2:u op:@ 14:h op:- 4:1",
		"a<=>b<=c<>d!=e<<f>>g||h&&i":       "2:a 18:<=> 2:b 15:<= 2:c 17:<> 2:d 17:!= 2:e 19:<< 2:f 20:>> 2:g 21:|| 2:h 22:&& 2:i",
		"a/*x*/b#c\nd-- e\nf--g":           "2:a 2:b 2:d 2:f op:- op:- 2:g",
		"/*!40000 a*/ /*!50700 b*/ c":      "2:a 2:c",
		"/*M!100100 a*//*!99999999b*/":     "2:a",
		"/*! a /*! b */ c */":              "2:a 2:b 2:c op:* op:/",
		"/* a":                             "1:/* a",
		"'a''b' 'a\\'b' 'c":                "11:'a''b' 11:'a\\'b' 1:'c",
		"\\":                               "1:\\",
		"_latin1'a' _nosuch'a' a._utf8":    "25:_latin1 11:'a' 2:_nosuch 11:'a' 2:a op:. 2:_utf8",
		"count(a) count (a) sum .b left.a": "kw:count op:( 2:a op:) 2:count op:( 2:a op:) 2:sum op:. 2:b 2:left op:. 2:a",
		"a. order a.order @@x @@ x":        "2:a op:. kw:order 2:a op:. 2:order 13:@@ 2:x 13:@@ 1: x",
		"\\N ?a":                           "kw:\\N 1:?",
		"1.5e 1.e":                         "1:1.5",
	} {
		require.Equal(t, want, tokens(text, 0), "%s", text)
	}
	require.Equal(t, "kw:count op:( op:*", tokens("count (*", IgnoreSpace))
	require.Equal(t, "3:[a]]b] op:,", tokens("[a]]b],", Brackets))
	require.Equal(t, `3:"a" 11:'b\'`, tokens(`"a" 'b\'`, AnsiQuotes|NoBackslashEscapes))
}

// TestLines: errors count newlines between tokens only.
func TestLines(t *testing.T) {
	l := New("a\n'b\nc'\n/* d\n*/ e -- f\n g", 0, nil)
	var lines []int32
	for tok := l.Next(); tok.Kind != EOF; tok = l.Next() {
		lines = append(lines, tok.Line)
	}
	require.Equal(t, []int32{1, 2, 4, 5}, lines)
}

func TestUnquote(t *testing.T) {
	for text, want := range map[string]string{
		`'a''b'`: "a'b", `'a\nb\%\_\x\0'`: "a\nb\\%\\_x\x00", "`a``b`": "a`b", "`a\\b`": `a\b`, `"a""b'"`: `a"b'`, "n'x'": "x", "name": "name",
	} {
		l := New(text, 0, nil)
		require.Equal(t, want, l.Unquote(l.Next()), "%s", text)
	}
	sjis := func(s string) int { return min(2, len(s)) }
	l := New("'\x83\\'", 0, sjis)
	tok := l.Next()
	require.Equal(t, String, tok.Kind)
	require.Equal(t, "\x83\\", l.Unquote(tok))
}

func TestKeywords(t *testing.T) {
	require.Equal(t, WSelect, Keyword("sElEcT"))
	require.True(t, WSelect.Reserved())
	require.False(t, WBegin.Reserved())
	require.Equal(t, NoWord, Keyword("selec"))
	require.Equal(t, NoWord, Keyword(strings.Repeat("a", 100)))
	for w := NoWord + 1; w < wordCount; w++ {
		require.Equal(t, w, Keyword(strings.ToLower(w.String())))
	}
}

func FuzzTokens(f *testing.F) {
	f.Add("select 'a', `b` /*!40000 + 1*/ -- c\n", uint8(0))
	f.Fuzz(func(t *testing.T, text string, mode uint8) {
		l := New(text, Mode(mode), nil)
		end := int32(0)
		for {
			tok := l.Next()
			require.LessOrEqual(t, end, tok.Start)
			end = tok.End
			if tok.Kind == EOF || tok.Kind == Bad {
				return
			}
			require.Less(t, tok.Start, tok.End)
			l.Unquote(tok)
		}
	})
}

func BenchmarkTokens(b *testing.B) {
	const text = "SELECT c FROM sbtest1 WHERE id BETWEEN 5012 AND 5111 ORDER BY c /* note */"
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		l := New(text, 0, nil)
		for l.Next().Kind != EOF {
		}
	}
}

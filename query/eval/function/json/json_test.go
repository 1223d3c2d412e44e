package json

import (
	stdjson "encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/eval"
)

// faultOf is what is wrong with a document, and where.
func faultOf(doc string) (fault, int) {
	s := scanner{text: []byte(doc), utf8: true}
	s.rest()
	return s.fault, s.at
}

// The faults and positions are those that a MariaDB 10.11 reports; test/expressions has many more.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		doc  string
		what fault
		at   int
	}{
		{`{"a": [1, 2.50, true, "\u0041"]}`, fine, 32},
		{`[1,]`, syntax, 4},
		{`[1`, ended, 2},
		{"[\"a\nb\"]", disallowed, 4},
		{"1é", broken, 1},
		{`"\ud83d"`, syntax, 7},
		{`[-,1]`, fine, 5},
		{strings.Repeat("[", 31) + strings.Repeat("]", 31), fine, 62},
		{strings.Repeat("[", 32), tooDeep, 32},
	} {
		what, at := faultOf(c.doc)
		require.Equal(t, c.what, what, c.doc)
		require.Equal(t, c.at, at, c.doc)
	}
}

// A path of 32 steps and the root is one too many.
func TestPathDepth(t *testing.T) {
	require.Equal(t, fine, parsePath([]byte("$"+strings.Repeat(".a", 31))).fault)
	p := parsePath([]byte("$" + strings.Repeat(".a", 32)))
	require.Equal(t, tooDeep, p.fault)
	require.Equal(t, 65, p.at)
}

// formatted is a document in a style.
func formatted(doc []byte, how style) ([]byte, bool) {
	w := formatter{scanner: scanner{text: doc, utf8: true}, style: how, tab: 4, most: 1 << 30}
	ok := w.run()
	return w.out, ok
}

// incomplete reports whether a document is a number like -, which is one only if something follows.
func incomplete(doc []byte) bool {
	last := doc[len(doc)-1]
	return (isDigit(doc[0]) || doc[0] == '-') && !isDigit(last) && last != '.'
}

// What the standard library takes for JSON is JSON here; blanks change nothing else; nothing makes the scanner run out of the text.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{`{"a": [1, 2.50, {"b": null}]}`, `[-,1e+-]`, `"\ud83d\ude00"`, `{"a":1,"a":2}`, "[\"\xff\"]", `{"a" 1}`, "[1\x01]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		what, at := faultOf(string(doc))
		require.LessOrEqual(t, at, len(doc))
		if stdjson.Valid(doc) && utf8.Valid(doc) && what != fine && what != tooDeep {
			require.Contains(t, string(doc), `\u`, "only surrogates without the other half are refused: %q", doc)
		}
		packed, ok := formatted(doc, styleCompact)
		require.Equal(t, what == fine, ok)
		if !ok || incomplete(packed) {
			return
		}
		for _, how := range []style{styleLoose, styleDetailed} {
			other, ok := formatted(doc, how)
			require.True(t, ok)
			again, ok := formatted(other, styleCompact)
			require.True(t, ok)
			require.Equal(t, string(packed), string(again))
		}
		w := normalizer{f: &eval.Frame{}}
		w.value(opened(doc, true))
		n := normalizer{f: &eval.Frame{}}
		n.value(opened(w.dst, true))
		require.Equal(t, string(w.dst), string(n.dst), "the normal form of a normal form")
	})
}

// A path that was read has bounded steps, and what it finds in a document are values of the document.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"$", "lax $.a", `$."a b"[last-1]`, "$**.a", "$[0 to last].*", "$[-1][*]", "$[ ]", "$.a**.b", "$[1 -1]"} {
		f.Add([]byte(seed), []byte(`{"a": [1, {"b": "x", "a": [[2], 3]}], "a b": [4]}`))
	}
	f.Fuzz(func(t *testing.T, text, doc []byte) {
		p := parsePath(text)
		if p.fault != fine {
			require.LessOrEqual(t, p.at, len(text)+1)
			return
		}
		require.Less(t, len(p.steps), depthLimit)
		for _, plain := range []bool{false, true} {
			m := newMatcher(doc, true, p)
			m.plain = plain
			for m.find() {
				value := m.scanner
				if !value.skip() {
					break
				}
				what, _ := faultOf(string(doc[value.start:value.end]) + " ")
				require.Equal(t, fine, what)
			}
		}
	})
}

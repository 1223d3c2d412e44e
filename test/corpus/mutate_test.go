package corpus

import (
	"slices"
	"strings"
	"testing"
)

// TestMutants looks at what is made of statements: the same in each run, of accepted ones only, and each kind of spoiling.
func TestMutants(t *testing.T) {
	list := []Judged{
		{Statement: Statement{Text: "SELECT 'a b' /* c */ + `d`", Charset: utf8Charset}},
		{Statement: Statement{Text: "REFUSED"}, Verdict: Verdict{Kind: Refused}},
		{Statement: Statement{Text: "ORACLE STATEMENT", Mode: "ORACLE"}},
	}
	var got []string
	for _, s := range Mutants(list, 300, 1) {
		got = append(got, s.Text)
	}
	for _, want := range []string{
		"'a b' /* c */ + `d`", "SELECT 'a b' /* c */ + + `d`", "SELECT 'a b' /* c */", "SELECT 'a b' + /* c */ `d`", "SELECT 'a b' /* c */ + SELECT", "SELECT `d`'a b' /* c */ + `d`",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not among\n%s", want, strings.Join(got, "\n"))
		}
	}
	for _, other := range []string{"REFUSED", "ORACLE"} {
		if strings.Contains(strings.Join(got, " "), other) {
			t.Errorf("%q in %q", other, got)
		}
	}
	again := Mutants(list, 300, 1)
	if !slices.EqualFunc(again, got, func(s Statement, text string) bool { return s.Text == text }) {
		t.Error("the same seed gives others")
	}
	if len(Mutants(list[1:], 10, 1)) != 0 {
		t.Error("there is nothing to be spoiled")
	}
}

// FuzzPieces takes any text apart: the pieces are the text.
func FuzzPieces(f *testing.F) {
	f.Add("SELECT 'a''b\\'' /* c */ + `d` -- x\n\"y")
	f.Fuzz(func(t *testing.T, s string) {
		for _, mode := range []string{"", "NO_BACKSLASH_ESCAPES"} {
			if got := strings.Join(pieces(s, mode), ""); got != s {
				t.Errorf("%q became %q", s, got)
			}
		}
	})
}

// TestExpressions looks at the drawn queries: the same in each run, different from each other, and every operator among them.
func TestExpressions(t *testing.T) {
	list := Expressions(2000, 1)
	if !slices.EqualFunc(list, Expressions(2000, 1), func(a, b Statement) bool { return a.Key() == b.Key() }) {
		t.Error("the same seed gives others")
	}
	var all strings.Builder
	for _, s := range list {
		if !computable(s.Text) {
			t.Errorf("%s is not computed", s.Text)
		}
		all.WriteString(s.Text + " \n")
	}
	for _, word := range slices.Concat(operands, prefixes, suffixes, infixes) {
		if first, _, _ := strings.Cut(word, " _ "); !strings.Contains(all.String(), " "+first+" ") {
			t.Errorf("%s is missing", word)
		}
	}
}

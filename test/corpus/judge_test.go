package corpus

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// refusal is MariaDB's error for a syntax error.
func refusal(near string, line int) *mysqlerr.Error {
	return mysqlerr.New(mysqlerr.Parse, mysqlerr.SyntaxErrorText, near, line)
}

// node is the toy's tree.
type node struct {
	Span
	Verb string
}

type Span struct{ Start, End int }

// toy is a parser that does with each text what the text says.
func toy(sql, _, _ string) (any, string, error) {
	verb, rest, _ := strings.Cut(sql, " ")
	tree := &node{Span{0, len(sql)}, verb}
	switch verb {
	case "good":
		return tree, "good", nil
	case "print":
		return tree, rest, nil
	case "same":
		return tree, "again", nil
	case "again":
		return tree, "again", nil
	case "near":
		return nil, "", refusal(rest, 1)
	case "below":
		return nil, "", refusal(rest, 2)
	case "other":
		return nil, "", mysqlerr.New(mysqlerr.Syntax)
	case "panic":
		panic(rest)
	}
	return nil, "", errors.New("no such verb")
}

func TestFindings(t *testing.T) {
	accepted := func(text string) Judged {
		return Judged{Statement: Statement{Text: text, Charset: utf8Charset}}
	}
	refused := func(text string) Judged {
		j := accepted(text)
		j.Kind, j.Number, j.Message = Refused, syntaxError, refusal("x y", 1).Message
		return j
	}
	stopped := func(text string) Judged {
		j := accepted(text)
		j.Kind, j.Number = Stopped, mysqlerr.Syntax
		return j
	}
	oracle := accepted("near x")
	oracle.Mode = "ORACLE"
	list := []Judged{
		accepted("good"), accepted("print good"), accepted("near x"), accepted("other"), accepted("print near x"), accepted("print print a"), accepted("panic now"), accepted("same"),
		refused("near x y"), refused("near z"), refused("below x y"), refused("good"), refused("other"), refused("panic then"),
		stopped("other"), stopped("good"), stopped("near x"), oracle,
	}
	f := Judge(list, toy)
	if f.Accepted != 8 || f.Agreed != 5 || f.Refused != 6 || f.Oracle != 1 || len(f.Printed) != f.Agreed {
		t.Errorf("%+v", f)
	}
	if s := f.Stopped[mysqlerr.Syntax]; s.Same != 1 || s.Accepted != 1 || s.Refused != 1 || s.Example.Text != "good" {
		t.Errorf("%+v", s)
	}
	var got []string
	for _, d := range f.Differences {
		got = append(got, d.Text+" | "+string(d.Cause)+" | "+d.Group)
	}
	want := []string{
		"near x | " + string(TooStrict) + " | NEAR X … X",
		"other | " + string(TooStrict) + " | OTHER … error 1149",
		"print near x | " + string(NotAgain) + " | PRINT NEAR … X",
		"print print a | " + string(Changed) + " | PRINT PRINT",
		"print good | " + string(OtherTree) + " | PRINT GOOD … node.Verb",
		"same | " + string(OtherTree) + " | SAME … node.Verb",
		"panic now | " + string(Panicked) + " | PANIC NOW … corpus.toy",
		"panic now | " + string(TooStrict) + " | PANIC NOW",
		"near z | " + string(OtherText) + " | NEAR Z … X",
		"below x y | " + string(OtherLine) + " | BELOW X",
		"good | " + string(TooLoose) + " | GOOD … X",
		"other | " + string(NotMySQL) + " | OTHER … X",
	}
	for _, line := range want {
		if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, line) }) {
			t.Errorf("missing: %s\nin\n%s", line, strings.Join(got, "\n"))
		}
	}
	var out bytes.Buffer
	if err := f.Report(&out, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"62.500 %", "== the server accepts, the parser refuses: 3 in 3 groups", "1  GOOD … X", "!  \"z\", wanted  \"x y\"", "1149           1        1        1"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("missing %q in\n%s", line, out.String())
		}
	}
}

// TestNear compares what messages show of texts in several character sets.
func TestNear(t *testing.T) {
	for _, c := range []struct {
		charset, got, want string
		same               bool
	}{
		{utf8Charset, "a 'ä'", "a 'ä'", true}, {utf8Charset, "a 'ä'", "a '?'", false},
		{"sjis", "a '\x83\x5c' b", "a 'ソ' b", true}, {"sjis", "b '\x83\x5c' b", "a 'ソ' b", false}, {"sjis", "a '\x83\x5c'", "a '?'", true}, {"latin1", "", "\xe4", true},
	} {
		j := &Judged{Statement: Statement{Charset: c.charset}}
		if got := sameNear(j, c.got, c.want); got != c.same {
			t.Errorf("%s %q %q: %v", c.charset, c.got, c.want, got)
		}
	}
}

// TestModesOfPrinted looks at the modes under which a parser has to read again what it printed.
func TestModesOfPrinted(t *testing.T) {
	var got []string
	Judge([]Judged{
		{Statement: Statement{Text: "a", Mode: "ANSI_QUOTES,NO_BACKSLASH_ESCAPES"}}, {Statement: Statement{Text: "b", Mode: "NO_BACKSLASH_ESCAPES"}}, {Statement: Statement{Text: "c"}},
	}, func(sql, mode, _ string) (any, string, error) {
		got = append(got, sql+":"+mode)
		return nil, sql, nil
	})
	if want := []string{"a:ANSI_QUOTES,NO_BACKSLASH_ESCAPES", "a:ANSI_QUOTES", "a:", "b:NO_BACKSLASH_ESCAPES", "b:", "c:", "c:"}; !slices.Equal(got, want) {
		t.Errorf("%q, wanted %q", got, want)
	}
}

// TestKept writes and reads verdicts.
func TestKept(t *testing.T) {
	list := []Judged{
		{Statement{Text: "SELECT '\xff'", Mode: "ANSI_QUOTES", Charset: "gbk", File: "f", Line: 3, Errors: []string{"1064"}}, Verdict{Kind: Stopped, Number: 1, Message: "m", Columns: "c"}},
		{},
	}
	var b bytes.Buffer
	if err := Save(&b, list); err != nil {
		t.Fatal(err)
	}
	got, err := Restore(&b)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(got, list, func(a, b Judged) bool {
		return a.Key() == b.Key() && a.Verdict == b.Verdict && a.File == b.File && a.Line == b.Line && slices.Equal(a.Errors, b.Errors)
	}) {
		t.Errorf("%+v", got)
	}
}

package pcre_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/eval/function/text/pcre"
)

func find(t testing.TB, pattern, text string) []string {
	p, err := pcre.Compile(pattern, pcre.Options{})
	require.NoError(t, err, pattern)
	var m pcre.Machine
	at, err := m.Find(p, []byte(text), 0)
	require.NoError(t, err, pattern)
	var out []string
	for i := 0; i < len(at); i += 2 {
		if at[i] < 0 {
			out = append(out, "-")
			continue
		}
		out = append(out, text[at[i]:at[i+1]])
	}
	return out
}

// TestFind has what package regexp lacks; test/statements compares hundreds of patterns with a MariaDB.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          []string
	}{
		{`(?<=a|bc)x`, "axbcx", []string{"x"}},
		{`(?<!a)x`, "axbx", []string{"x"}},
		{`(a|b)\1`, "abba", []string{"bb", "b"}},
		{`a++a`, "aaa", nil},
		{`(?>a|ab)c`, "abc", nil},
		{`^(\((?:[^()]|(?1))*\))$`, "((a)(b))", []string{"((a)(b))", "((a)(b))"}},
		{`^(?:(?=(a+))\1b)*$`, "aabab", []string{"aabab", "a"}},
		{`(?(1)x|(a))+`, "ax", []string{"ax", "a"}},
		{`(a|b\1)+`, "aba", []string{"aba", "ba"}},
		{`foo\Kbar`, "foobar", []string{"bar"}},
		{`(?<q>['"]).*?\k<q>`, `x"a'b"`, []string{`"a'b"`, `"`}},
		{`(a*)*`, "aa", []string{"aa", ""}},
		{`\bвася\b`, "вася ", []string{"вася"}},
		{`(?i)ß\w`, "ẞa", []string{"ẞa"}},
		{`a\Q.*\E+b`, "a.**b", []string{"a.**b"}},
		{`^(.)(?:(?R)|.?)\1$`, "abba", nil},
		{`\A(?:(.)((?0))?\1|.)`, "a", []string{"a", "-", "-"}},
	} {
		require.Equal(t, c.want, find(t, c.pattern, c.text), c.pattern)
	}
}

func TestErrors(t *testing.T) {
	for pattern, want := range map[string]string{
		"(": "missing closing parenthesis at offset 1", ")": "unmatched closing parenthesis at offset 0", "*": "quantifier does not follow a repeatable item at offset 0",
		"a**": "quantifier does not follow a repeatable item at offset 2", `\1`: "reference to non-existent subpattern at offset 1", "[b-a]": "range out of order in character class at offset 3",
		"é[b-a]": "range out of order in character class at offset 5", "(?<=a+)b": "lookbehind assertion is not fixed length at offset 0", `\`: `\ at end of pattern at offset 1`,
		strings.Repeat("(", 300): "parentheses are too deeply nested at offset 251", "a{2,1}": "numbers out of order in {} quantifier at offset 5",
	} {
		_, err := pcre.Compile(pattern, pcre.Options{})
		var wrong *pcre.SyntaxError
		require.ErrorAs(t, err, &wrong, pattern)
		require.Equal(t, want, wrong.Error())
	}
	for _, pattern := range []string{"(*ACCEPT)", `\X`, `\C`, "(?|a)", "a\x00", "\xff", `(?:a{1000}b){60000}`, "(?:(?:(?:(?:){60000}){60000}){60000}){60000}", "(?J)a"} {
		_, err := pcre.Compile(pattern, pcre.Options{})
		require.ErrorIs(t, err, pcre.ErrUnsupported, pattern)
	}
}

// TestBounds: what takes too many steps, too much memory or too long ends.
func TestBounds(t *testing.T) {
	var m pcre.Machine
	run := func(pattern, text string) error {
		p, err := pcre.Compile(pattern, pcre.Options{})
		require.NoError(t, err)
		_, err = m.Find(p, []byte(text), 0)
		return err
	}
	require.ErrorIs(t, run(`^(a+)+$`, strings.Repeat("a", 40)+"!"), pcre.ErrMatchLimit)
	require.ErrorIs(t, run(`(?R)`, "a"), pcre.ErrRecursion)
	require.ErrorIs(t, run(`(\((?1)*)`, strings.Repeat("(", 50000)), pcre.ErrTooLarge)
	require.ErrorIs(t, run(`(?:a|b)*c`, strings.Repeat("a", 1<<21)), pcre.ErrTooLarge)
	require.ErrorIs(t, run(`((?>a(?1)?))`, strings.Repeat("a", 50000)), pcre.ErrTooLarge)
	m.Release()

	killed := errors.New("killed")
	m.Interrupted = func() error { return killed }
	require.ErrorIs(t, run(`^(a+)+$`, strings.Repeat("a", 40)+"!"), killed)

	held, full := int64(0), errors.New("full")
	m = pcre.Machine{Charge: func(n int64) error {
		if held += n; held > 1<<20 {
			return full
		}
		return nil
	}}
	require.ErrorIs(t, run(`(?:a|b)*c`, strings.Repeat("a", 1<<20)), full)
	m.Release()
	require.Zero(t, held)
}

// FuzzFind: no pattern panics, and what is found lies in the text.
func FuzzFind(f *testing.F) {
	f.Add(`(?<=a|bc)x(?1)*(\((?1)?\)|a)++\1{0,3}?`, "axbc(a)", true, false)
	f.Add(`(?(1)a|b)(?<n>\Q.\E)\k<n>[^[:alpha:]\d-z]\R\K`, "a\r\n", false, true)
	f.Fuzz(func(t *testing.T, pattern, text string, fold, bytes bool) {
		p, err := pcre.Compile(pattern, pcre.Options{Fold: fold, Bytes: bytes})
		if err != nil || len(text) > 100 {
			return
		}
		calls := 0
		m := pcre.Machine{Interrupted: func() error {
			if calls++; calls > 3 {
				return errors.New("long enough")
			}
			return nil
		}}
		at, err := m.Find(p, []byte(text), 0)
		if err != nil || at == nil {
			return
		}
		for i := 0; i < len(at); i += 2 {
			if at[i] < 0 != (at[i+1] < 0) || at[i] > at[i+1] && i == 0 || at[i+1] > len(text) {
				t.Fatalf("%q in %q: %v", pattern, text, at)
			}
		}
	})
}

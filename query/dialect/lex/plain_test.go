package lex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/lex"
)

// TestPlain: what Plain takes is the token that Next takes there, and it takes nothing else.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		text string
		mode lex.Mode
		ok   bool
	}{
		{"1,", 0, true},
		{"  12)", 0, true},
		{"00012345678901234567890,", 0, true},
		{"1.5,", 0, true},
		{"1.)", 0, true},
		{"1e5)", 0, true},
		{"'',", 0, true},
		{"'abc')", 0, true},
		{"'it''s',", 0, true},
		{`'a\'b\\',`, 0, true},
		{`'a\',`, lex.NoBackslashEscapes, true},
		{"'a\nb',", 0, true},
		{"NULL,", 0, true},
		{"null)", 0, true},
		{"nulls,", 0, false},
		{"nul,", 0, false},
		{"null", 0, false},
		{"1", 0, false},
		{"1 ,", 0, false},
		{"1+1,", 0, false},
		{"-1,", 0, false},
		{"1a,", 0, false},
		{"0x1F,", 0, false},
		{"x'1F',", 0, false},
		{"n'a',", 0, false},
		{`"a",`, 0, false},
		{"'a' 'b',", 0, false},
		{"'a'\n,", 0, false},
		{"'a',", 0, true},
		{"'abc", 0, false},
		{`'abc\',`, 0, false},
		{"/* c */ 1,", 0, false},
		{"default,", 0, false},
		{"", 0, false},
	} {
		l := lex.New(c.text, c.mode, nil)
		got, ok := l.Plain()
		require.Equal(t, c.ok, ok, c.text)
		want := lex.New(c.text, c.mode, nil)
		if ok {
			token := want.Next()
			got.Glued, got.Line = token.Glued, token.Line
			require.Equal(t, token, got, c.text)
			require.Equal(t, want.Unquote(token), l.Unquote(got), c.text)
		}
		after, expected := l.Next(), want.Next()
		after.Glued = expected.Glued // spaces may have been skipped
		require.Equal(t, expected, after, "behind it: %s", c.text)
	}
}

// TestPlainWide: the second byte of a character is no quote.
func TestPlainWide(t *testing.T) {
	wide := func(s string) int {
		if s[0] >= 0x80 {
			return 2
		}
		return 1
	}
	l := lex.New("'\x81'a',", 0, wide)
	got, ok := l.Plain()
	require.True(t, ok)
	require.Equal(t, "\x81'a", l.Unquote(got))
}

package clienttext_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/clienttext"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/types/charset"
)

func set(t *testing.T, name string) *charset.Set {
	s, ok := charset.SetByName(name)
	require.True(t, ok)
	return s
}

func TestEncode(t *testing.T) {
	noEscapes, ansi := dialect.Mode{NoBackslashEscapes: true}, dialect.Mode{AnsiQuotes: true}
	for _, c := range []struct {
		set, text string
		mode      dialect.Mode
		want      string
	}{
		{"utf8mb4", "SELECT 'é\xff'", dialect.Mode{}, "SELECT 'é\xff'"},
		{"binary", "SELECT '\x95\x5c'", dialect.Mode{}, "SELECT '\x95\x5c'"},
		{"latin1", "SELECT '\xe9' \xe9", dialect.Mode{}, "SELECT 'é' é"},
		{"sjis", "SELECT '\x95\x5c', `\x95\x5c`, \"\x95\x5c\" -- \x95\x5c", dialect.Mode{}, "SELECT '表', `表`, \"表\" -- 表"},
		{"sjis", "SELECT '\\\x95\x5c''", dialect.Mode{}, "SELECT '\\\xed\xb2\x95\x5c''"}, // the backslash takes the first byte only
		{"sjis", "SELECT '\\\x95\x5c'", noEscapes, "SELECT '\\表'"},
		{"sjis", "SELECT \"\\\x95\x5c\"", ansi, "SELECT \"\\表\""},
		{"sjis", "/* ' \\\x95\x5c */ '\x95\x5c'", dialect.Mode{}, "/* ' \\表 */ '表'"},
		{"sjis", "# ' \\\x95\x5c\n'\x95\x5c'", dialect.Mode{}, "# ' \\表\n'表'"},
		{"sjis", "'\xf0\x40'", dialect.Mode{}, "'\xed\xb3\xb0\xed\xb1\x80'"},                // no character of Unicode
		{"sjis", "'\x95'", dialect.Mode{}, "'\xed\xb2\x95'"},                                // no character
		{"cp932", "'\xed\x40\xfa\x5c'", dialect.Mode{}, "'\xed\xb3\xad\xed\xb1\x80\u7e8a'"}, // both are U+7E8A, the second is what it becomes
		{"gbk", "'\xbf''", dialect.Mode{}, "'\xed\xb2\xbf''"},                               // a quote is never a second byte
	} {
		got, err := clienttext.Encode(c.text, set(t, c.set), c.mode)
		require.NoError(t, err)
		require.Equal(t, c.want, got, "%s %q", c.set, c.text)
		back, lossy := clienttext.Decode(got, set(t, c.set))
		require.False(t, lossy)
		require.Equal(t, c.text, string(back))
	}
	_, err := clienttext.Encode("SELECT `a\x95`", set(t, "ascii"), dialect.Mode{})
	require.EqualError(t, err, `ERROR 1300 (HY000): Invalid ascii character string: 'a\x95'`)
	_, err = clienttext.Encode("SELECT 1 AS \"\x95\"", set(t, "ascii"), ansi)
	require.Error(t, err)
}

func TestShown(t *testing.T) {
	sjis := set(t, "sjis")
	text, err := clienttext.Encode("'\xf0\x40\x95\x5c\x95'", sjis, dialect.Mode{})
	require.NoError(t, err)
	require.False(t, clienttext.Exact(text))
	require.Equal(t, "'?表?'", clienttext.Shown(text, sjis))
	require.True(t, clienttext.Exact("\uD7FF í 表"))
	_, lossy := clienttext.Decode("'é'", sjis)
	require.True(t, lossy)
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT 'é'": true, "SELECT _latin1'e', 'é'": true, "SELECT _latin1'é'": false, "SELECT _latin1 'e' 'é'": false, "SELECT '\xed\xb2\x95'": false,
	} {
		require.Equal(t, want, clienttext.Plain(text, dialect.Mode{}), text)
	}
}

func TestMessage(t *testing.T) {
	require.Equal(t, "\xe9"+` \8868 \+01F600`, clienttext.Message("é 表 \U0001F600", set(t, "latin1")))
	require.Equal(t, "\x81\x5f00E9", clienttext.Message("é", set(t, "sjis")))
}

// FuzzEncode: what a client has sent comes back, and no quote of the text is new.
func FuzzEncode(f *testing.F) {
	names := []string{"sjis", "cp932", "big5", "gbk", "euckr", "ujis", "gb2312", "latin1", "tis620", "swe7", "ascii"}
	for i := range names {
		f.Add(uint8(i), "SELECT '\x95\x5c\\\x95\x5c\xbf\x27', _binary\"\xa4\xa2\" -- '\xf0\x40\n", false)
	}
	f.Fuzz(func(t *testing.T, which uint8, text string, noEscapes bool) {
		s := set(t, names[int(which)%len(names)])
		out, err := clienttext.Encode(text, s, dialect.Mode{NoBackslashEscapes: noEscapes})
		if err != nil {
			return
		}
		back, lossy := clienttext.Decode(out, s)
		if lossy || string(back) != text {
			t.Fatalf("%s: %q became %q, and that %q", s.Name(), text, out, back)
		}
		if len(out) > 3*len(text) {
			t.Fatalf("%q became %q", text, out)
		}
	})
}

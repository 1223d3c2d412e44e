package charset

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func setOf(t testing.TB, name string) *Set {
	t.Helper()
	s, ok := SetByName(name)
	require.True(t, ok, name)
	return s
}

func TestConvertTellsWhatWentWrong(t *testing.T) {
	for _, c := range []struct {
		from, to, text, want string
		bad, unmapped        int
	}{
		{"utf8mb4", "latin1", "a\u20ac\u00e9", "a\x80\xe9", -1, -1},
		{"utf8mb4", "latin1", "a\u044eb\U0001F600", "a?b?", -1, 1},
		{"utf8mb4", "utf8mb3", "a\U0001F600", "a?", -1, 1},
		{"utf8mb4", "latin1", "a\xff\u044e", "a??", 1, 2},
		{"latin1", "utf8mb4", "\x80", "\u20ac", -1, -1},
		{"gbk", "utf8mb4", "\xd6\xd0\x81", "\u4e2d?", 2, -1},
		{"utf16", "utf8mb4", "\xd8\x3d\xde\x00\x00a", "\U0001F600a", -1, -1},
		{"utf8mb4", "utf16le", "a\U0001F600", "a\x00\x3d\xd8\x00\xde", -1, -1},
		{"binary", "ucs2", "a", "\x00a", -1, -1},
		{"binary", "utf16", "\xdc\x00", "\x00?\x00?", 0, -1},
		{"binary", "utf32", "\x20\xff\xff\x00\x00\x00a", "\x00\x00\x00?\x00\x00\x00a", 0, -1},
		{"binary", "utf8mb4", "a\xff", "a?", 1, -1},
		{"utf8mb4", "binary", "\u044e", "\u044e", -1, -1},
	} {
		got, done := Convert([]byte("x"), setOf(t, c.to), setOf(t, c.from), []byte(c.text))
		require.Equal(t, "x"+c.want, string(got), "%q from %s to %s", c.text, c.from, c.to)
		require.Equal(t, Conversion{c.bad, c.unmapped}, done, "%q from %s to %s", c.text, c.from, c.to)
		require.Equal(t, c.bad < 0 && c.unmapped < 0, done.OK())
	}
}

func TestValid(t *testing.T) {
	for _, c := range []struct {
		set, text string
		want      int
	}{
		{"utf8mb4", "a\u00e9\U0001F600", -1},
		{"utf8mb3", "a\U0001F600", 1},
		{"utf8mb4", "a\xe9", 1},
		{"utf8mb4", "\xc0\x80", 0},
		{"utf8mb4", "ab\xf4\x90\x80\x80", 2},
		{"utf16", "\x00a\xd8\x00\x00a", 2},
		{"utf32", "\x00\x11\x00\x00", 0},
		{"ucs2", "\x00", 0},
		{"sjis", "\xb1\x83\x5c", -1},
		{"ujis", "\x8f\xa1\xa1\x8e\xb1\x8f\xa1", 5},
		{"latin1", "\x81\xff", -1},
	} {
		require.Equal(t, c.want, setOf(t, c.set).Valid([]byte(c.text)), "%s %q", c.set, c.text)
	}
}

func TestNamesOfCollations(t *testing.T) {
	c, ok := InSet(setOf(t, "utf8mb3"), "UCA1400_ai_ci")
	require.True(t, ok)
	require.Equal(t, "utf8mb3_uca1400_ai_ci", c.Name())
	_, ok = InSet(setOf(t, "utf8mb4"), "latin1_bin")
	require.False(t, ok)
	_, ok = ByName("utf8mb4_0900_ai_ci")
	require.False(t, ok, "MySQL's")
	_, ok = ByID(17)
	require.False(t, ok)
	require.Len(t, Collations(), 1242)
	require.Len(t, orders(t), 1242)
	require.Len(t, Sets(), 40)
	require.True(t, setOf(t, "latin1").IsASCII([]byte("abc")))
	require.False(t, setOf(t, "utf16").IsASCII([]byte("\x20\xac")))
	require.True(t, setOf(t, "utf16").IsASCII([]byte("\x00a")))
}

// TestNoAllocation holds that comparing, hashing and matching take no memory, in any kind of collation.
func TestNoAllocation(t *testing.T) {
	for _, name := range append([]string{"latin1_german2_ci", "ucs2_bin", "binary", "utf16_czech_ci", "sjis_japanese_nopad_ci"}, benchCollations...) {
		o, err := collationOf(t, name).Order()
		require.NoError(t, err)
		a, b := in(o.set, "Straße chlapec \u4e2d\u6587 \U0001F600"), in(o.set, "STRASSE CHLAPEC \u4e2d\u6587 \U0001F600 ")
		pattern := in(o.set, "%\u4e2d_ %")
		key := make([]byte, 0, 1000)
		require.Zero(t, testing.AllocsPerRun(10, func() {
			o.Compare(a, b)
			o.Equal(a, b)
			o.Hash(1, a)
			o.Like(a, pattern, '\\')
			key = o.AppendKey(key[:0], a)
			key = o.c.AppendLower(key[:0], a)
		}), name)
	}
}

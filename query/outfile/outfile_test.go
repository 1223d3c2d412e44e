package outfile

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
)

// TestFormats: what a row with a number, two texts and NULL becomes, and the warnings. All of it is MariaDB's.
func TestFormats(t *testing.T) {
	of := func(change func(*Format)) Format {
		f := Default()
		change(&f)
		return f
	}
	for _, c := range []struct {
		format   Format
		want     string
		warnings []uint16
	}{
		{Default(), "-1\ta,\\\tn\\\n\tq\"\\\\\\0\t\\N\n", nil},
		{of(func(f *Format) { f.Terminated, f.Enclosed = ASCII(","), ASCII(`"`) }), "\"-1\",\"a,\tn\\\n\",\"q\\\"\\\\\\0\",\\N\n", nil},
		{
			of(func(f *Format) { f.Terminated, f.Enclosed, f.Optionally = ASCII(","), ASCII(`"`), true }),
			"-1,\"a,\tn\\\n\",\"q\\\"\\\\\\0\",\\N\n", nil,
		},
		{of(func(f *Format) { f.Escaped = ASCII("") }), "-1\ta,\tn\n\tq\"\\\x00\tNULL\n", nil},
		{of(func(f *Format) { f.Starting, f.Lines = ASCII(">"), ASCII("") }), ">-1\ta,\\\tn\n\tq\"\\\\\\0\t\\N\t", nil},
		{of(func(f *Format) { f.Terminated = ASCII("") }), "-1a,\tn\\\n   q\"\\\\\\0        \n", nil},
		{of(func(f *Format) { f.Terminated = ASCII("n") }), "-1na,\tn\\\nnq\"\\\\\\0n\\N\n", []uint16{mysqlerr.AmbiguousFieldTerm}},
		{of(func(f *Format) { f.Terminated = ASCII("1") }), "-11a,\tn\\\n1q\"\\\\\\01\\N\n", []uint16{mysqlerr.AmbiguousFieldTerm}},
		{of(func(f *Format) { f.Enclosed = ASCII("n") }), "n-1n\tna,\tnn\\\nn\tnq\"\\\\\\0n\t\\N\n", nil},
		{of(func(f *Format) { f.Enclosed = ASCII("1") }), "1-\\11\t1a,\tn\\\n1\t1q\"\\\\\\01\t\\N\n", nil},
		{of(func(f *Format) { f.Terminated = Separator{Bytes: []byte("\xc3\xbc"), Chars: 1} }), "-1\xc3\xbca,\tn\\\n\xc3\xbcq\"\\\\\\0\xc3\xbc\\N\n", []uint16{mysqlerr.NonASCIISeparator}},
		{Format{Dump: true}, "-1a,\tn\nq\"\\\x00\x00", nil},
	} {
		var out bytes.Buffer
		w, warnings, err := New(&out, c.format, []Column{{Length: 2}, {Text: true, Length: 8}, {Text: true, Length: 8}, {Text: true, Length: 4}}, nil)
		require.NoError(t, err)
		require.Equal(t, c.warnings, warnings, "%+v", c.format)
		latin1, _ := charset.SetByName("latin1")
		require.NoError(t, w.Row())
		for i, text := range []string{"-1", "a,\tn\n", "q\"\\\x00"} {
			require.NoError(t, w.Value(i, []byte(text), latin1))
		}
		require.NoError(t, w.Null(3))
		require.NoError(t, w.Flush())
		require.Equal(t, c.want, out.String(), "%+v", c.format)
		require.Equal(t, 1, w.Rows())
	}
}

// TestErrors: an enclosure has one character, and DUMPFILE fails at the third row.
func TestErrors(t *testing.T) {
	f := Default()
	f.Enclosed = ASCII("ab")
	_, _, err := New(&bytes.Buffer{}, f, nil, nil)
	require.ErrorContains(t, err, "Field separator argument is not what is expected")
	w, _, err := New(&bytes.Buffer{}, Format{Dump: true}, nil, nil)
	require.NoError(t, err)
	require.NoError(t, w.Row())
	require.NoError(t, w.Row())
	require.ErrorContains(t, w.Row(), "more than one row")
}

// TestSeveralBytes: a byte in a character of several is not special; of binary text it is escaped together with the byte before, if the client would
// take the two for a character.
func TestSeveralBytes(t *testing.T) {
	for _, c := range []struct{ set, client, text, want string }{
		{"sjis", "utf8mb4", "\x83\\a\\", "\x83\\a\\\\\n"},
		{"binary", "utf8mb4", "\x83\\a", "\x83\\\\a\n"},
		{"binary", "sjis", "\x83\\\x83a", "\\\x83\\\\\x83a\n"},
		{"ucs2", "utf8mb4", "\x00\\\x00\t\x5c\x00", "\x00\\\x00\t\x5c\x00\n"},
	} {
		set, _ := charset.SetByName(c.set)
		client, _ := charset.SetByName(c.client)
		var out bytes.Buffer
		w, _, err := New(&out, Default(), []Column{{Text: true}}, client)
		require.NoError(t, err)
		require.NoError(t, w.Row())
		require.NoError(t, w.Value(0, []byte(c.text), set))
		require.NoError(t, w.Flush())
		require.Equal(t, c.want, out.String(), "%+v", c)
	}
}

package loadfile

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// lines reads a file, two columns a line.
func lines(in io.Reader, f Format, limit int) (out []string) {
	r := NewReader(in, f, limit)
	for {
		var line []string
		for range 2 {
			field, ok, err := r.Field()
			if err != nil {
				return append(out, err.Error())
			}
			if !ok {
				break
			}
			line = append(line, fmt.Sprintf("%q %v", field.Data, field.Null))
		}
		if len(line) == 0 {
			return out
		}
		extra, more, err := r.EndLine()
		out = append(out, fmt.Sprint(strings.Join(line, ", "), " ", extra))
		if err != nil || !more {
			return append(out, fmt.Sprint(err))
		}
	}
}

var formats = []Format{
	{FieldsTerminatedBy: "\t", LinesTerminatedBy: "\n", EscapedBy: `\`},
	{FieldsTerminatedBy: ",", LinesTerminatedBy: "\r\n", EnclosedBy: `"`, EscapedBy: `\`},
	{FieldsTerminatedBy: ",", LinesTerminatedBy: "\n", EnclosedBy: `"`, EscapedBy: `"`},
	{FieldsTerminatedBy: "||", LinesTerminatedBy: "|\n", LinesStartingBy: ">>", EscapedBy: ""},
	{FieldsTerminatedBy: ",", LinesTerminatedBy: ",", EscapedBy: `\`},
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		format int
		file   string
		want   []string
	}{
		{0, "a\tb\nc\\td\t\\N\n", []string{`"a" false, "b" false false`, `"c\td" false, "N" true false`}},
		{0, "a\\\nb\tc\td\n", []string{`"a\nb" false, "c" false true`}},
		{1, "\"a,b\",c\r\n\"\"\"\",\"x\r\n", []string{`"a,b" false, "c" false false`, `"\"" false, "\"x\r\n" false false`, "<nil>"}},
		{2, "\"a\"\"b\",NULL\n", []string{`"a\"b" false, "NULL" true false`}},
		{3, "none>>a|b||c|\n", []string{`"a|b" false, "c" false false`}},
	} {
		require.Equal(t, c.want, lines(strings.NewReader(c.file), formats[c.format], 1000), c.file)
	}
}

// FuzzLines: what is read does not depend on how the file comes, and fields do not take more than is allowed.
func FuzzLines(f *testing.F) {
	for i := range formats {
		f.Add(i, "a\tb,c\n\"x\",\"y\"\"z\"\r\n>>1||2|\n\\N,\\\\\"\\", 8)
	}
	f.Fuzz(func(t *testing.T, format int, file string, limit int) {
		o := formats[uint(format)%uint(len(formats))]
		limit = 1 + int(uint(limit)%64)
		want := lines(strings.NewReader(file), o, limit)
		require.Equal(t, want, lines(iotest.OneByteReader(strings.NewReader(file)), o, limit))
		r := NewReader(strings.NewReader(file), o, limit)
		for {
			field, ok, err := r.Field()
			require.LessOrEqual(t, len(field.Data), limit)
			if err != nil {
				require.True(t, errors.Is(err, ErrTooLong))
				return
			}
			if !ok {
				return
			}
		}
	})
}

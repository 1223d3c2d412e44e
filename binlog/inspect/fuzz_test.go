package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/mysql"
)

// FuzzFiles shows, lists and verifies arbitrary files: every offset that is told lies in
// the file, every line of JSON is JSON, and no byte of them can upset a terminal.
func FuzzFiles(f *testing.F) {
	fs := sampleLog(f)
	f.Add(read(f, fs, "binlog.000001"), uint16(0), byte(0), true)
	f.Add(bytes.TrimRight(read(f, fs, "binlog.000002"), "\x00"), uint16(700), byte(0x10), true)
	files, err := filepath.Glob(filepath.Join("..", "event", "testdata", "*", "binlog.*"))
	require.NoError(f, err)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(data, uint16(len(data)/2), byte(0x04), true)
		f.Add(data[:len(data)/3], uint16(0), byte(0), false)
	}
	f.Fuzz(func(t *testing.T, b []byte, at uint16, change byte, reseal bool) {
		b = bytes.Clone(b)
		if int(at) < len(b) {
			b[at] ^= change
		}
		if reseal {
			resealEvents(b)
		}
		fs := vfs.NewMem()
		require.NoError(t, fs.MkdirAll(testDir, 0o755))
		write(t, fs, "x.000001", b)
		set, err := Open(fs, []string{testDir + "/x.000001"}, "")
		if err != nil {
			require.ErrorIs(t, err, ErrNoLog)
			return
		}
		for _, o := range []ShowOptions{{Private: true}, {Plain: true}, {JSON: true, Private: true}, {Filter: Filter{Tables: []TableName{{"", "t"}}}}} {
			o.Logger = slog.New(slog.DiscardHandler)
			var out bytes.Buffer
			if err := Show(context.Background(), openSet(t, fs, testDir+"/x.000001"), o, &out); err != nil {
				checkError(t, err, len(b))
			}
			for line := range strings.Lines(out.String()) {
				require.True(t, !o.JSON || json.Valid([]byte(line)), "%q", line)
				require.NotContains(t, line, "\x1b")
			}
		}
		var out bytes.Buffer
		_, err = Verify(context.Background(), set, VerifyOptions{JSON: true}, &out)
		require.True(t, err == nil || errors.Is(err, ErrEncrypted), "%v", err)
		var rep Report
		require.NoError(t, json.Unmarshal(out.Bytes(), &rep))
		require.LessOrEqual(t, rep.End, uint64(len(b)))
		for _, p := range rep.Problems {
			require.LessOrEqual(t, p.Offset, uint64(len(b)))
		}
		require.NoError(t, List(context.Background(), set, ListOptions{}, &out))
	})
}

// checkError makes sure that an error says where, and that the place is in the file.
func checkError(t *testing.T, err error, size int) {
	t.Helper()
	var ce *binlog.CorruptError
	if errors.As(err, &ce) {
		require.LessOrEqual(t, ce.Offset, uint64(size))
		return
	}
	require.True(t, errors.Is(err, ErrEncrypted) || errors.Is(err, event.ErrMalformed) || errors.Is(err, event.ErrShort), "%v", err)
}

// resealEvents gives the events of a file their checksums and end positions.
func resealEvents(b []byte) {
	for at := len(event.Magic); at+event.HeaderSize+event.ChecksumSize <= len(b); {
		h, err := event.ParseHeader(b[at:])
		if err != nil || int(h.Size) < event.HeaderSize+event.ChecksumSize || int(h.Size) > len(b)-at {
			return
		}
		if event.Finalize(b[at:at+int(h.Size)], uint64(at)) != nil {
			return
		}
		at += int(h.Size)
	}
}

// FuzzValue renders an arbitrary value of an arbitrary column: JSON is JSON, and text
// has no control characters.
func FuzzValue(f *testing.F) {
	for typ := range 256 {
		for _, m := range []uint16{0, 1, 6, 0x0a02, 0xf702, 0xf808, 300} {
			f.Add(byte(typ), m, byte(typ), []byte{3, 0, 'a', 'b', 'c', 0xff, 0, 1, 2})
		}
	}
	f.Fuzz(func(t *testing.T, typ byte, m uint16, known byte, b []byte) {
		c := &column{ColumnMeta: event.ColumnMeta{Type: typ, Meta: m, Unsigned: known&2 != 0, Charset: uint16(known)}, known: known&1 != 0}
		if known&4 != 0 {
			c.Values = []string{"a", "it's"}
		}
		if n, err := mysql.ValueSize(typ, m, b); err == nil {
			b = b[:n]
		}
		text, err := appendText(nil, c, b)
		if err == nil {
			require.Equal(t, -1, bytes.IndexFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }), "%q", text)
		} else {
			require.True(t, errors.Is(err, event.ErrMalformed) || errors.Is(err, mysql.ErrShort) || errors.Is(err, mysql.ErrMalformed), "%v", err)
		}
		js, jerr := appendJSON(nil, c, b)
		require.Equal(t, err == nil, jerr == nil, "%v; %v", err, jerr)
		if jerr == nil {
			require.True(t, json.Valid(js), "%q", js)
		}
	})
}

// FuzzFilter: what is read as a filter is written as something that reads the same.
func FuzzFilter(f *testing.F) {
	for _, s := range []string{"0-1-2", "0-1-2..9, 5-*-..", "0-1-..7", "4711", "0-1-2,3-4-5", "db.t,x", "2026-11-21 11:14:50", "2026-11-21T11:14:50Z", "-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if list, err := ParseGTIDRanges(text); err == nil {
			var parts []string
			for _, r := range list {
				require.LessOrEqual(t, r.First, r.Last)
				parts = append(parts, r.String())
			}
			again, err := ParseGTIDRanges(strings.Join(parts, ","))
			require.NoError(t, err)
			require.Equal(t, list, again)
		}
		if b, err := ParseBound(text); err == nil && b.GTIDs != nil {
			again, err := ParseBound(b.GTIDs.String())
			require.NoError(t, err)
			require.Equal(t, b, again)
		}
		if tables, err := ParseTables(text); err == nil {
			for _, name := range tables {
				require.NotEmpty(t, name.Table)
			}
		}
		_, _ = ParseTime(text)
		(&Filter{Tables: []TableName{{"", "t"}}, Databases: []string{"d"}}).statement("x", text)
	})
}

// FuzzIndex: a foreign index is read as names that can be names.
func FuzzIndex(f *testing.F) {
	f.Add([]byte("./mysql-bin.000001\n./mysql-bin.000002\n"))
	f.Add([]byte("/var/log/b.000001\r\n\r\nb.000002"))
	f.Add([]byte("\x00\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		names, err := parseIndex(data)
		if err != nil {
			return
		}
		for _, name := range names {
			require.NotContains(t, name, "\n")
			base, n := splitName(name)
			require.True(t, n == 0 || len(base) < len(name))
		}
		again, err := parseIndex([]byte(strings.Join(names, "\n")))
		require.NoError(t, err)
		require.Len(t, again, len(names))
	})
}

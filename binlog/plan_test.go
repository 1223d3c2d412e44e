package binlog

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// tree is every file below a directory, with its bytes.
func tree(t testing.TB, fs vfs.FS, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	names, err := fs.List(dir)
	require.NoError(t, err)
	for _, name := range names {
		path := fs.PathJoin(dir, name)
		info, err := fs.Stat(path)
		require.NoError(t, err)
		if info.IsDir() {
			for k, v := range tree(t, fs, path) {
				files[name+"/"+k] = v
			}
			continue
		}
		f, err := fs.Open(path)
		require.NoError(t, err)
		b, err := io.ReadAll(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		files[name] = string(b)
	}
	return files
}

// threeSegments is a crashed log: transactions 1 to 3 in segment 1, 4 to 6 in 2, 7 to 9 in 3.
func threeSegments(t *testing.T) (im *image, ends map[uint64]logpos.Pos) {
	ends = map[uint64]logpos.Pos{}
	im = crashed(t, func(l *Log) {
		for n := uint64(1); n <= 9; n++ {
			committed(t, l, transaction(n, 300))
			ends[n] = l.End()
			if n == 3 || n == 6 {
				rotate(t, l)
			}
		}
	})
	im.o.MaxSize = 16 << 10
	return im, ends
}

// damage flips a byte of a file.
func damage(t testing.TB, fs vfs.FS, name string, at uint64) {
	b := readFile(t, fs, name)
	b[at] ^= 0x40
	writeFile(t, fs, name, b)
}

func TestScanChangesNothing(t *testing.T) {
	im, ends := threeSegments(t)
	for name, edit := range map[string]func(){
		"crashed": func() {},
		"torn":    func() { damage(t, im.fs, testOptionsName(3), ends[9].Offset-40) },
		"leftovers": func() {
			writeFile(t, im.fs, "binlog.next.tmp", []byte("x"))
			writeFile(t, im.fs, "binlog.large-1.tmp", []byte("x"))
		},
		"damage": func() { damage(t, im.fs, testOptionsName(2), ends[4].Offset-40) },
	} {
		edit()
		before := tree(t, im.fs, testDir)
		plan, err := Scan(im.o, ScanSpec{})
		require.NoError(t, err, name)
		require.Equal(t, before, tree(t, im.fs, testDir), name)
		if plan.Damage != nil {
			_, err := plan.Open()
			require.ErrorIs(t, err, ErrCorrupt)
			require.Equal(t, before, tree(t, im.fs, testDir), "refused")
			require.Equal(t, ends[3], logpos.At(1, ends[3].Offset))
			require.Equal(t, ends[4].Segment, plan.End.Segment)
		}
	}
}

// TestVerifyFrom: what engines will replay is verified, event by event, before anything is changed;
// older segments only when all is to be verified.
func TestVerifyFrom(t *testing.T) {
	im, ends := threeSegments(t)
	damage(t, im.fs, testOptionsName(1), ends[2].Offset-40)
	plan, err := Scan(im.o, ScanSpec{Engine: ends[4]})
	require.NoError(t, err)
	require.NoError(t, plan.Damage)
	require.True(t, plan.Boundary)
	for _, spec := range []ScanSpec{{}, {Engine: ends[1]}, {Engine: ends[4], VerifyAll: true}} {
		plan, err := Scan(im.o, spec)
		require.NoError(t, err)
		var ce *CorruptError
		require.ErrorAs(t, plan.Damage, &ce)
		require.Contains(t, ce.File, testOptionsName(1))
		require.Greater(t, ce.Offset, ends[1].Offset)
		require.Less(t, ce.Offset, ends[2].Offset)
		require.Equal(t, ends[1], plan.End)
		require.Equal(t, plan.Row, ce.Row)
	}
	plan, err = Scan(im.o, ScanSpec{Engine: logpos.At(2, ends[4].Offset-1)})
	require.NoError(t, err)
	require.False(t, plan.Boundary)
}

// TestForeignSegment is row 11: a valid file of another time under the right name.
func TestForeignSegment(t *testing.T) {
	im, _ := threeSegments(t)
	other := crashed(t, func(l *Log) {
		committed(t, l, transaction(1, 300))
		rotate(t, l)
		committed(t, l, transaction(2, 300))
		rotate(t, l)
	})
	writeFile(t, im.fs, testOptionsName(2), readFile(t, other.fs, testOptionsName(2)))
	plan, err := Scan(im.o, ScanSpec{})
	require.NoError(t, err)
	require.ErrorIs(t, plan.Damage, ErrCorrupt)
	require.Contains(t, plan.Row, "11")
}

// TestLeadsTo: states of neighbouring segments.
func TestLeadsTo(t *testing.T) {
	state := func(text string) *gtid.State {
		s, err := gtid.ParseState(text)
		require.NoError(t, err)
		return s
	}
	for _, c := range []struct {
		start, end, next string
		want             bool
	}{
		{"", "0-1-5", "0-1-5", true},
		{"", "0-1-5", "0-1-4", false},
		{"", "0-1-5", "0-1-6", false},
		{"", "0-1-5", "", false},
		{"0-1-5", "0-1-5", "", true}, // a domain was deleted
		{"0-1-5,3-1-9", "0-1-6,3-1-9", "0-1-6", true},
		{"0-1-5,3-1-9", "0-1-6,3-1-10", "0-1-6", false},
		{"0-1-5,3-1-9", "0-1-6,3-1-9", "0-1-5", false},
		{"0-1-5", "0-1-6", "0-1-6,3-1-1", false},
	} {
		require.Equal(t, c.want, (&segmentStates{state(c.start), state(c.end)}).leadsTo(state(c.next)), "%+v", c)
	}
	require.True(t, (*segmentStates)(nil).leadsTo(state("0-1-1")))
}

// TestRowsOfEarlierSegments has rows 12 to 14.
func TestRowsOfEarlierSegments(t *testing.T) {
	for name, c := range map[string]struct {
		row  string
		edit func(b []byte) []byte
	}{
		"in use":        {"12", func(b []byte) []byte { b[flagsOffset] |= 1; return b }},
		"cut short":     {"13", func(b []byte) []byte { return b[:len(b)-7] }},
		"cut at event":  {"13", func(b []byte) []byte { return b[:len(b)-minEventSize-8-len(testOptionsName(1))] }},
		"grown":         {"13", func(b []byte) []byte { return append(b, 1) }},
		"zeros after":   {"13", func(b []byte) []byte { return append(b, make([]byte, 100)...) }},
		"changed":       {"13", func(b []byte) []byte { b[len(b)/2] ^= 1; return b }},
		"magic":         {"9", func(b []byte) []byte { b[0] = 0; return b }},
		"empty":         {"9", func(b []byte) []byte { return nil }},
		"as it was":     {"8", func(b []byte) []byte { return b }},
		"end elsewhere": {"13", func(b []byte) []byte { return otherRotate(b) }},
	} {
		t.Run(name, func(t *testing.T) {
			im, _ := threeSegments(t)
			writeFile(t, im.fs, testOptionsName(2), c.edit(readFile(t, im.fs, testOptionsName(2))))
			plan, err := Scan(im.o, ScanSpec{})
			require.NoError(t, err)
			require.Equal(t, c.row, strings.Fields(plan.Row)[0], "%v", plan.Damage)
			require.Equal(t, c.row != "8", plan.Damage != nil)
			if plan.Damage != nil {
				require.Contains(t, plan.Damage.Error(), testOptionsName(2))
			}
		})
	}
}

// otherRotate makes the file go on to another one than the next.
func otherRotate(b []byte) []byte {
	o := testOptions(nil)
	o.EnsureDefaults()
	p := &Plan{o: o, dir: o.dir()}
	seg := &segment{n: 6, size: uint64(len(b) - minEventSize - 8 - len(testOptionsName(1)))}
	mem := vfs.NewMem()
	f, err := mem.Create("x", vfs.WriteCategoryUnspecified)
	if err == nil {
		_, err = f.Write(b[:seg.size])
	}
	if err == nil {
		err = p.appendRotate(f, seg)
	}
	if err == nil {
		b, err = mem.UnsafeGetFileDataBuffer("x")
	}
	if err != nil {
		panic(err)
	}
	return bytes.Clone(b)
}

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	p := newProgress(slog.New(slog.NewTextHandler(&out, nil)), "reading", 100<<20, 10*time.Second, func() time.Time { return now })
	for range 50 {
		now = now.Add(time.Second / 2)
		p.Add(1 << 20)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], "reading: 20 % (20 MiB of 100 MiB, 2 MiB/s, 40s left)")
	require.Contains(t, lines[1], "reading: 40 % (40 MiB of 100 MiB, 2 MiB/s, 30s left)")
	(*Progress)(nil).Add(1)
}

func TestParseUntil(t *testing.T) {
	for text, want := range map[string]Until{
		"binlog.000003:4711":      {Pos: logpos.At(3, 4711)},
		"./data/binlog.000003:55": {Pos: logpos.At(3, 55)},
		"0-1-77":                  {GTID: gtid.GTID{Server: 1, Seq: 77}},
	} {
		got, err := ParseUntil(text, "")
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"", "x", "binlog.000003", "binlog.000003:", "binlog.000003:-1", "binlog.000003:0", "other.000003:4", "0-1-0", "1-2"} {
		_, err := ParseUntil(text, "")
		require.Error(t, err, text)
	}
}

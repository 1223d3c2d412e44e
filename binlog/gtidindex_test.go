package binlog

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// countingFS counts the bytes that are read of segments.
type countingFS struct {
	vfs.FS
	read int64
}

func (fs *countingFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := fs.FS.Open(name, opts...)
	if err != nil {
		return nil, err
	}
	return &countingFile{f, fs}, nil
}

type countingFile struct {
	vfs.File
	fs *countingFS
}

func (f *countingFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	f.fs.read += int64(n)
	return n, err
}

func (f *countingFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.fs.read += int64(n)
	return n, err
}

// indexedLog is a log of three closed segments of about 4 MiB and a live one. It returns the file
// system and the end of every group.
func indexedLog(t *testing.T) (*Log, *countingFS, Options, []logpos.Pos) {
	t.Helper()
	fs := &countingFS{FS: vfs.NewMem()}
	o := testOptions(fs)
	o.MaxSize = 16 << 20
	l, _ := mustOpen(t, o)
	var ends []logpos.Pos
	for n := uint64(1); n <= 160; n++ {
		ends = append(ends, commit(t, l, transaction(n, 100<<10)))
		if n%40 == 0 && n < 160 {
			rotate(t, l)
		}
	}
	return l, fs, o, ends
}

func exists(fs vfs.FS, name string) bool {
	_, err := fs.Stat(fs.PathJoin(testDir, name))
	return err == nil
}

// TestGTIDIndexServesLookUps: with the index files a look-up reads little, also after a restart,
// and gives what the samples in memory gave.
func TestGTIDIndexServesLookUps(t *testing.T) {
	l, fs, o, ends := indexedLog(t)
	for _, name := range []string{"binlog.000001.idx", "binlog.000002.idx", "binlog.000003.idx"} {
		require.True(t, exists(fs, name), name)
	}
	require.False(t, exists(fs, "binlog.000004.idx"))
	check := func(l *Log) {
		t.Helper()
		for seq := uint64(1); seq <= 160; seq += 7 {
			fs.read = 0
			want := gtid.Position{0: {Server: 1, Seq: seq}}
			at, state, err := l.FindGTID(want)
			require.NoError(t, err)
			first, _ := state.Lookup(0, 1)
			require.LessOrEqual(t, first, seq)
			require.Less(t, seq-first, uint64(12))
			require.Less(t, fs.read, int64(400<<10), "bytes read to find %d", seq)
			pos, err := l.GTIDPosAt(ends[seq-1])
			require.NoError(t, err)
			require.Equal(t, want, pos)
			if first > 0 {
				require.False(t, at.Before(ends[first-1]))
			}
		}
	}
	check(l)
	hits, misses := l.GTIDIndexStats()
	require.NotZero(t, hits)
	require.Zero(t, misses)
	require.NoError(t, l.Close())
	require.True(t, exists(fs, "binlog.000004.idx"), "closing writes that of the live segment")
	l, _ = mustOpen(t, o)
	check(l)
	_, misses = l.GTIDIndexStats()
	require.Zero(t, misses)
}

// TestGTIDIndexIsRebuilt: a missing or damaged index, or that of another file, is made anew.
func TestGTIDIndexIsRebuilt(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, fs vfs.FS, good []byte){
		"missing": func(t *testing.T, fs vfs.FS, _ []byte) {
			require.NoError(t, fs.Remove(fs.PathJoin(testDir, "binlog.000002.idx")))
		},
		"empty":   func(t *testing.T, fs vfs.FS, _ []byte) { writeFile(t, fs, "binlog.000002.idx", nil) },
		"torn":    func(t *testing.T, fs vfs.FS, b []byte) { writeFile(t, fs, "binlog.000002.idx", b[:len(b)-3]) },
		"longer":  func(t *testing.T, fs vfs.FS, b []byte) { writeFile(t, fs, "binlog.000002.idx", append(b, 0)) },
		"flipped": func(t *testing.T, fs vfs.FS, b []byte) { b[len(b)-2] ^= 4; writeFile(t, fs, "binlog.000002.idx", b) },
		"of another": func(t *testing.T, fs vfs.FS, _ []byte) {
			writeFile(t, fs, "binlog.000002.idx", readFile(t, fs, "binlog.000001.idx"))
		},
		"old magic":     func(t *testing.T, fs vfs.FS, b []byte) { b[6]++; writeFile(t, fs, "binlog.000002.idx", b) },
		"zeros instead": func(t *testing.T, fs vfs.FS, b []byte) { writeFile(t, fs, "binlog.000002.idx", make([]byte, len(b))) },
	} {
		t.Run(name, func(t *testing.T) {
			l, fs, o, _ := indexedLog(t)
			require.NoError(t, l.Close())
			good := readFile(t, fs, "binlog.000002.idx")
			spoil(t, fs, append([]byte(nil), good...))
			l, _ = mustOpen(t, o)
			for range 2 {
				at, _, err := l.FindGTID(gtid.Position{0: {Server: 1, Seq: 75}})
				require.NoError(t, err)
				require.Equal(t, uint64(2), at.Segment)
				require.Greater(t, at.Offset, uint64(1<<20))
			}
			hits, misses := l.GTIDIndexStats()
			require.EqualValues(t, 1, misses)
			require.EqualValues(t, 1, hits, "the second look-up finds the new one")
			require.Equal(t, good, readFile(t, fs, "binlog.000002.idx"))
		})
	}
}

// TestGTIDIndexGoesWithItsSegment: a purge takes it along, and Open removes what is left over.
func TestGTIDIndexGoesWithItsSegment(t *testing.T) {
	l, fs, o, _ := indexedLog(t)
	l.SetRecoveryStart(l.End())
	gone, err := l.PurgeTo(3)
	require.NoError(t, err)
	require.Len(t, gone, 2)
	require.False(t, exists(fs, "binlog.000001.idx"))
	require.False(t, exists(fs, "binlog.000002.idx"))
	require.True(t, exists(fs, "binlog.000003.idx"))
	require.NoError(t, l.Close())
	writeFile(t, fs, "binlog.000001.idx", []byte("left over"))
	writeFile(t, fs, "binlog.000077.idx", []byte("left over"))
	_, _ = mustOpen(t, o)
	require.False(t, exists(fs, "binlog.000001.idx"))
	require.False(t, exists(fs, "binlog.000077.idx"))
	require.True(t, exists(fs, "binlog.000003.idx"))
}

// TestGTIDIndexRoundTrip: several domains and servers, one of which writes again after another.
func TestGTIDIndexRoundTrip(t *testing.T) {
	first, err := gtid.ParseState("0-1-5,0-2-6,7-1-1")
	require.NoError(t, err)
	var samples []sample
	state := first.Clone()
	for i, text := range []string{"0-1-7", "0-2-8,0-1-9", "", "9-3-1,7-2-2", "7-1-1,0-2-8"} {
		list, err := gtid.ParseState(text)
		require.NoError(t, err)
		for _, g := range list.List() {
			state.Update(g)
		}
		samples = append(samples, sample{uint64(1000 * (i + 1)), state.Clone()})
	}
	b := encodeGTIDIndex(5000, first, samples)
	x, err := decodeGTIDIndex(b, 5000, first)
	require.NoError(t, err)
	i := 0
	require.NoError(t, x.walk(first.Clone(), func(off uint64, s *gtid.State) bool {
		require.Equal(t, samples[i].off, off)
		require.Equal(t, samples[i].state.String(), s.String())
		require.True(t, samples[i].state.Equal(s))
		i++
		return true
	}))
	require.Len(t, samples, i)
	_, err = decodeGTIDIndex(b, 5001, first)
	require.ErrorIs(t, err, errIndexBroken)
	_, err = decodeGTIDIndex(b, 5000, samples[0].state)
	require.ErrorIs(t, err, errIndexBroken)
}

// FuzzGTIDIndex: nothing makes the decoder fail otherwise than by its error, and what it takes
// is encoded to the same samples.
func FuzzGTIDIndex(f *testing.F) {
	first := gtid.StateFromList([]gtid.GTID{{Domain: 0, Server: 1, Seq: 5}})
	next := gtid.StateFromList([]gtid.GTID{{Domain: 0, Server: 1, Seq: 6}, {Domain: 2, Server: 1, Seq: 1}})
	f.Add(encodeGTIDIndex(9000, first, nil)[indexPrefix:], uint64(9000))
	f.Add(encodeGTIDIndex(9000, first, []sample{{100, next}})[indexPrefix:], uint64(9000))
	f.Add(encodeGTIDIndex(1<<40, first, []sample{{100, first}, {1 << 39, next}})[indexPrefix:], uint64(1<<40))
	f.Fuzz(func(t *testing.T, body []byte, size uint64) {
		b := append(append([]byte(indexMagic), 0, 0, 0, 0), body...)
		sealGTIDIndex(b) // the checksum is not what is tested
		x, err := decodeGTIDIndex(b, size, first)
		if err != nil {
			require.ErrorIs(t, err, errIndexBroken)
			return
		}
		var samples []sample
		require.NoError(t, x.walk(first.Clone(), func(off uint64, s *gtid.State) bool {
			require.LessOrEqual(t, off, size)
			samples = append(samples, sample{off, s.Clone()})
			return true
		}))
		again, err := decodeGTIDIndex(encodeGTIDIndex(size, first, samples), size, first)
		require.NoError(t, err)
		i := 0
		require.NoError(t, again.walk(first.Clone(), func(off uint64, s *gtid.State) bool {
			require.Equal(t, samples[i].off, off)
			require.True(t, samples[i].state.Equal(s), "%s, %s", samples[i].state, s)
			i++
			return true
		}))
	})
}

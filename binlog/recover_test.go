package binlog

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/logpos"
)

// image is a log directory as a crash left it: what follows edits its last
// segment and opens it.
type image struct {
	fs   *vfs.MemFS
	o    Options
	name string // of the live segment
	b    []byte // its content
}

// crashed runs fn on a new log and takes a crash image in which everything written is there.
func crashed(t testing.TB, fn func(l *Log)) *image {
	t.Helper()
	fs := vfs.NewCrashableMem()
	o := testOptions(fs)
	l, rec, err := Open(o)
	require.NoError(t, err)
	require.Zero(t, rec.End)
	fn(l)
	im := &image{o: o, name: l.live.seg.name, b: bytes.Clone(readFile(t, fs, l.live.seg.name))}
	im.fs = fs.CrashClone(vfs.CrashCloneCfg{})
	im.o.FS = im.fs
	_ = l.Close()
	return im
}

// open writes the edited segment and opens the log.
func (im *image) open(t *testing.T) (*Log, *Recovered, error) {
	t.Helper()
	writeFile(t, im.fs, im.name, im.b)
	l, rec, err := Open(im.o)
	if err == nil {
		t.Cleanup(func() { _ = l.Close() })
	}
	return l, rec, err
}

// wantCut expects recovery to keep exactly the first n transactions.
func (im *image) wantCut(t *testing.T, n uint64, torn bool) {
	t.Helper()
	before := bytes.Clone(im.b)
	l, rec, err := im.open(t)
	require.NoError(t, err)
	require.Equal(t, torn, rec.TornBytes > 0, "torn bytes: %d", rec.TornBytes)
	require.Equal(t, gtids(1, n), contentsOf(t, l))
	commit(t, l, transaction(n+1, 10))
	require.Equal(t, gtids(1, n+1), contentsOf(t, l))
	after := readFile(t, im.fs, im.name)
	require.GreaterOrEqual(t, len(after), int(rec.End.Offset))
	before[flagsOffset], after[flagsOffset] = 0, 0
	require.Equal(t, before[:rec.End.Offset], after[:rec.End.Offset], "good bytes are never rewritten")
}

// wantDamage expects a refusal that names file and offset and changes nothing.
func (im *image) wantDamage(t *testing.T, offset uint64) {
	t.Helper()
	_, _, err := im.open(t)
	require.ErrorIs(t, err, ErrCorrupt)
	var ce *CorruptError
	require.True(t, errors.As(err, &ce))
	require.Contains(t, ce.File, im.name)
	require.Equal(t, offset, ce.Offset, "%v", err)
	require.Equal(t, im.b, readFile(t, im.fs, im.name))
}

func (im *image) zero(from, to uint64) { clear(im.b[from:to]) }

// span is where one write lies, its mark included.
type span struct{ mark, start, end uint64 }

func appendOnly(t testing.TB, l *Log, groups []byte) span {
	t.Helper()
	mark := l.End().Offset
	require.NoError(t, l.Reserve(int64(len(groups))))
	start, end, err := l.Append(groups)
	require.NoError(t, err)
	return span{mark, start.Offset, end.Offset}
}

func committed(t testing.TB, l *Log, groups []byte) span {
	t.Helper()
	s := appendOnly(t, l, groups)
	require.NoError(t, l.Sync())
	l.SetVisible(l.End())
	return s
}

// TestRecoveryTable has a case for every row of the table in the package comment.
func TestRecoveryTable(t *testing.T) {
	three := func(s *[3]span, synced bool) func(l *Log) {
		return func(l *Log) {
			for i := range s {
				if synced {
					s[i] = committed(t, l, transaction(uint64(i+1), 2000))
				} else {
					s[i] = appendOnly(t, l, transaction(uint64(i+1), 2000))
				}
			}
		}
	}
	closedImage := func(t *testing.T) *image {
		var s [3]span
		im := crashed(t, three(&s, true))
		l, _, err := im.open(t)
		require.NoError(t, err)
		require.NoError(t, l.Close())
		im.name = l.dir.segmentName(2)
		im.b = bytes.Clone(readFile(t, im.fs, im.name))
		return im
	}
	setInUse := func(im *image) { im.b[flagsOffset] |= byte(event.FlagInUse) }

	t.Run("row 1: closed", func(t *testing.T) {
		im := closedImage(t)
		im.wantCut(t, 3, false)
	})
	t.Run("row 1: closing event durable, flag not", func(t *testing.T) {
		im := closedImage(t)
		setInUse(im)
		im.wantCut(t, 3, false)
	})
	t.Run("row 2: zeros not cut yet", func(t *testing.T) {
		for _, inUse := range []bool{false, true} {
			im := closedImage(t)
			im.b = append(im.b, make([]byte, 5000)...)
			if inUse {
				setInUse(im)
			}
			im.wantCut(t, 3, false)
		}
	})
	t.Run("row 3: data after the end", func(t *testing.T) {
		im := closedImage(t)
		end := uint64(len(im.b))
		im.b = append(im.b, 0, 0, 7)
		im.wantDamage(t, end)
		setInUse(im)
		im.wantDamage(t, end)
	})
	t.Run("row 4: not in use, but cut short", func(t *testing.T) {
		im := closedImage(t)
		im.b = im.b[:len(im.b)-minEventSize]
		im.wantDamage(t, uint64(len(im.b)))
	})
	t.Run("row 5: a durable write is gone or changed", func(t *testing.T) {
		var s [3]span
		base := crashed(t, three(&s, true))
		for name, edit := range map[string]func(im *image){
			"zeros":     func(im *image) { im.zero(s[0].start, s[1].mark) },
			"flipped":   func(im *image) { im.b[s[0].start+200] ^= 1 },
			"with mark": func(im *image) { im.zero(s[0].mark, s[1].mark) },
			"size":      func(im *image) { im.b[s[0].mark+9] = 255 },
		} {
			t.Run(name, func(t *testing.T) {
				im := *base
				im.b = bytes.Clone(base.b)
				edit(&im)
				_, _, err := im.open(t)
				require.ErrorIs(t, err, ErrCorrupt)
				require.Equal(t, im.b, readFile(t, im.fs, im.name))
			})
		}
		im := *base
		im.b = bytes.Clone(base.b)
		im.zero(s[1].mark, s[1].end)
		im.wantDamage(t, s[1].mark)
	})
	t.Run("row 6: hole in the last write, valid transactions after it", func(t *testing.T) {
		var first, last span
		var two uint64
		im := crashed(t, func(l *Log) {
			first = committed(t, l, transaction(1, 2000))
			g := transaction(2, 2000)
			two = uint64(len(g))
			last = appendOnly(t, l, slices.Concat(g, transaction(3, 2000), transaction(4, 2000)))
		})
		_ = first
		im.zero(last.start+two+500, last.start+two+900)
		im.wantCut(t, 2, true)
		im.zero(last.start+5, last.start+6)
		im.wantCutAgain(t, 1)
	})
	t.Run("row 6: several writes since the last sync, the first one lost", func(t *testing.T) {
		var s [3]span
		im := crashed(t, func(l *Log) {
			committed(t, l, transaction(1, 2000))
			for i := range s {
				s[i] = appendOnly(t, l, transaction(uint64(i+2), 2000))
			}
		})
		im.zero(s[0].start+100, s[0].start+700)
		im.wantCut(t, 1, true)
	})
	t.Run("row 6: the last write lost its tail, its head, its mark", func(t *testing.T) {
		var s [3]span
		base := crashed(t, three(&s, true))
		for _, hole := range [][2]uint64{{s[2].end - 1000, s[2].end}, {s[2].mark, s[2].start + 900}, {s[2].mark, s[2].start}, {s[2].start + 1, s[2].start + 2}} {
			im := *base
			im.b = bytes.Clone(base.b)
			im.zero(hole[0], hole[1])
			im.fs = base.fs.CrashClone(vfs.CrashCloneCfg{})
			im.o.FS = im.fs
			im.wantCut(t, 2, true)
		}
	})
	t.Run("row 6: an event that belongs elsewhere", func(t *testing.T) {
		var s [3]span
		im := crashed(t, three(&s, true))
		write := bytes.Clone(im.b[s[1].mark:s[1].end]) // valid where it was
		copy(im.b[s[2].mark:], write)
		im.wantCut(t, 2, true)
	})
	t.Run("row 7: an incomplete group", func(t *testing.T) {
		for _, fileEnds := range []bool{false, true} {
			var s [3]span
			im := crashed(t, three(&s, true))
			xid := uint64(minEventSize + 8)
			im.zero(s[2].end-xid, s[2].end)
			if fileEnds {
				im.b = im.b[:s[2].end-xid]
			}
			im.wantCut(t, 2, true)
		}
	})
	t.Run("row 8: between two writes", func(t *testing.T) {
		for _, fileEnds := range []bool{false, true} {
			var s [3]span
			im := crashed(t, three(&s, true))
			if fileEnds {
				im.b = im.b[:s[2].end]
			}
			im.wantCut(t, 3, false)
		}
	})
	t.Run("row 9: broken header", func(t *testing.T) {
		var s [3]span
		base := crashed(t, three(&s, true))
		for at := uint64(0); at < s[0].mark; at++ {
			if at == flagsOffset {
				continue
			}
			im := *base
			im.b = bytes.Clone(base.b)
			im.b[at] ^= 4
			_, _, err := im.open(t)
			require.ErrorIs(t, err, ErrCorrupt, "byte %d", at)
		}
	})
	t.Run("row 10: impossible order", func(t *testing.T) {
		m := event.Meta{ServerID: 1}
		gtid := transaction(1, 10)[:event.HeaderSize+19+event.ChecksumSize]
		for _, groups := range [][]byte{
			event.AppendXID(nil, m, 1),
			gtid,
			slices.Concat(gtid, event.AppendBinlogCheckpoint(nil, m, "binlog.000001")),
		} {
			im := crashed(t, func(l *Log) {
				_, _, err := l.Append(bytes.Clone(groups))
				require.Error(t, err, "Append does not write such groups")
				committed(t, l, transaction(1, 10))
				_, _, err = l.write(groups, nil)
				require.NoError(t, err)
				committed(t, l, transaction(2, 10))
			})
			_, _, err := im.open(t)
			require.ErrorIs(t, err, ErrCorrupt)
		}
	})
	t.Run("row 11: an earlier segment", func(t *testing.T) {
		closed := func(t *testing.T) *image {
			im := crashed(t, func(l *Log) {
				committed(t, l, transaction(1, 100))
				rotate(t, l)
				committed(t, l, transaction(2, 100))
			})
			im.name = testOptionsName(1)
			im.b = bytes.Clone(readFile(t, im.fs, im.name))
			return im
		}
		im := closed(t)
		im.wantDamageAfter(t, func() { setInUse(im) })
		im = closed(t)
		im.wantDamageAfter(t, func() { im.b = im.b[:len(im.b)-1] })
		im = closed(t)
		im.wantDamageAfter(t, func() { im.b = append(im.b, 0) })
		im = closed(t)
		im.wantDamageAfter(t, func() { im.b[len(im.b)-10] ^= 1 })
	})
}

func testOptionsName(n uint64) string {
	o := testOptions(nil)
	o.EnsureDefaults()
	return o.dir().segmentName(n)
}

func (im *image) wantDamageAfter(t *testing.T, edit func()) {
	t.Helper()
	edit()
	_, _, err := im.open(t)
	require.ErrorIs(t, err, ErrCorrupt)
}

// wantCutAgain is wantCut on a fresh copy of the same image.
func (im *image) wantCutAgain(t *testing.T, n uint64) {
	t.Helper()
	fs := vfs.NewCrashableMem()
	require.NoError(t, fs.MkdirAll(testDir, 0o755))
	o := testOptions(fs)
	o.EnsureDefaults()
	writeFile(t, fs, o.dir().indexName(), o.dir().formatIndex([]uint64{1}))
	again := &image{fs: fs, o: o, name: im.name, b: im.b}
	again.wantCut(t, n, true)
}

// TestEveryByteFlipped: a changed byte in a durable write that another durable write follows is
// always found, and never taken for a torn tail; in the last write nothing wrong is ever replayed.
func TestEveryByteFlipped(t *testing.T) {
	var s [3]span
	base := crashed(t, func(l *Log) {
		for i := range s {
			s[i] = committed(t, l, transaction(uint64(i+1), 100))
		}
	})
	for at := s[0].mark; at < s[2].end; at++ {
		for _, bit := range []byte{1, 0x80} {
			im := *base
			im.b = bytes.Clone(base.b)
			im.b[at] ^= bit
			im.fs = base.fs.CrashClone(vfs.CrashCloneCfg{})
			im.o.FS = im.fs
			l, rec, err := im.open(t)
			if at < s[2].mark {
				require.ErrorIs(t, err, ErrCorrupt, "byte %d", at)
				continue
			}
			require.NoError(t, err, "byte %d", at)
			require.Positive(t, rec.TornBytes, "byte %d", at)
			require.Equal(t, gtids(1, 2), contentsOf(t, l), "byte %d", at)
			require.NoError(t, l.Close())
		}
	}
}

// TestClosedSegmentFlipped: every byte of a closed segment is covered too: found when
// the log is opened or, at the latest, read.
func TestClosedSegmentFlipped(t *testing.T) {
	base := crashed(t, func(l *Log) {
		for n := uint64(1); n <= 3; n++ {
			committed(t, l, transaction(n, 50))
		}
		rotate(t, l)
	})
	base.name = testOptionsName(1)
	base.b = readFile(t, base.fs, base.name)
	for at := range base.b {
		im := *base
		im.b = bytes.Clone(base.b)
		im.b[at] ^= 0x10
		im.fs = base.fs.CrashClone(vfs.CrashCloneCfg{})
		im.o.FS = im.fs
		l, _, err := im.open(t)
		if err == nil {
			r, rerr := l.NewReader(logpos.Pos{Segment: 1})
			require.NoError(t, rerr)
			for err == nil {
				_, _, err = r.NextNoWait()
			}
			require.NoError(t, r.Close())
			require.NoError(t, l.Close())
		}
		require.ErrorIs(t, err, ErrCorrupt, "byte %d", at)
		require.Contains(t, err.Error(), im.name, "byte %d", at)
	}
}

func TestReconcile(t *testing.T) {
	o := testOptions(nil)
	o.EnsureDefaults()
	for _, c := range []struct {
		name         string
		index, files []uint64
		kind         unlisted
		remove       []uint64
		adopt        []uint64
		fails        bool
	}{
		{name: "new", index: nil, files: nil},
		{name: "as listed", index: []uint64{3, 4}, files: []uint64{3, 4}},
		{name: "missing in the middle", index: []uint64{3, 4, 5}, files: []uint64{3, 5}, fails: true},
		{name: "missing first", index: []uint64{3, 4}, files: []uint64{4}, fails: true},
		{name: "missing last", index: []uint64{3, 4}, files: []uint64{3}, fails: true},
		{name: "interrupted purge", index: []uint64{3, 4}, files: []uint64{1, 2, 3, 4}, remove: []uint64{1, 2}},
		{name: "interrupted rotation", index: []uint64{3}, files: []uint64{3, 4}, kind: unlistedFresh, remove: []uint64{4}},
		{name: "unlisted with events", index: []uint64{3}, files: []uint64{3, 4}, fails: true},
		{name: "unlisted far away", index: []uint64{3}, files: []uint64{3, 5}, kind: unlistedFresh, fails: true},
		{name: "rotation to a large transaction", index: []uint64{3}, files: []uint64{3, 4}, kind: unlistedNext, adopt: []uint64{4}},
		{name: "and its recovery interrupted", index: []uint64{3}, files: []uint64{3, 4, 5}, kind: unlistedNext, adopt: []uint64{4, 5}},
		{name: "interrupted first start", index: nil, files: []uint64{1}, kind: unlistedFresh, remove: []uint64{1}},
		{name: "index lost", index: nil, files: []uint64{1}, fails: true},
		{name: "index lost, several", index: nil, files: []uint64{1, 2}, kind: unlistedFresh, fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			remove, adopt, err := o.dir().reconcile(c.index, c.files, func(uint64) (unlisted, error) { return c.kind, nil })
			if c.fails {
				require.ErrorIs(t, err, ErrIndex)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.remove, remove)
			require.Equal(t, c.adopt, adopt)
		})
	}
}

// TestUsedNextFileIsNotAdopted: a rotation that crashed after it had written the header leaves a next
// file that is not all zeros.
func TestUsedNextFileIsNotAdopted(t *testing.T) {
	for _, name := range []string{"clean", "used", "wrong size"} {
		im := crashed(t, func(l *Log) { committed(t, l, transaction(1, 10)) })
		im.o.EnsureDefaults()
		next := make([]byte, im.o.MaxSize)
		switch name {
		case "used":
			copy(next[3000:], "rest of a header whose first block was lost")
		case "wrong size":
			next = next[:len(next)-1]
		}
		writeFile(t, im.fs, im.o.dir().nextName(), next)
		l, _, err := im.open(t)
		require.NoError(t, err)
		commit(t, l, transaction(2, 10))
		require.Equal(t, gtids(1, 2), contentsOf(t, l))
		live := readFile(t, im.fs, l.live.seg.name)
		require.Len(t, live, int(im.o.MaxSize), name)
		require.True(t, allZero(live[l.End().Offset:]), name)
	}
}

func TestMissingSegmentIsNamed(t *testing.T) {
	im := crashed(t, func(l *Log) {
		for n := uint64(1); n <= 3; n++ {
			committed(t, l, transaction(n, 10))
			rotate(t, l)
		}
	})
	require.NoError(t, im.fs.Remove(testDir+"/"+testOptionsName(2)))
	_, _, err := Open(im.o)
	require.ErrorIs(t, err, ErrIndex)
	require.Contains(t, err.Error(), testOptionsName(2))
}

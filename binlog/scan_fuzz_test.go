package binlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// fuzzSegments are a small live segment, and the same closed.
func fuzzSegments(f *testing.F) [][]byte {
	im := crashed(f, func(l *Log) {
		committed(f, l, transaction(1, 30))
		committed(f, l, ddl(2, "CREATE TABLE t (a INT)"))
	})
	end := len(bytes.TrimRight(im.b, "\x00"))
	live := im.b[:end+50]
	closed := append(bytes.Clone(im.b[:end]), event.AppendStop(nil, event.Meta{ServerID: 1})...)
	if err := event.Finalize(closed[end:], uint64(end)); err != nil {
		f.Fatal(err)
	}
	event.SetInUse(closed[4:], false)
	return [][]byte{live, closed}
}

// FuzzScanSegment reads arbitrary bytes as a segment: what the scan says lies inside the
// file, in order; a scan of what was valid gives the same; and FileScanner sees the same events.
func FuzzScanSegment(f *testing.F) {
	for _, b := range fuzzSegments(f) {
		f.Add(b, uint16(0), byte(0), false)
		f.Add(b, uint16(len(b)/2), byte(0x40), true)
		f.Add(b[:len(b)*3/4], uint16(0), byte(0), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, at uint16, change byte, reseal bool) {
		b = bytes.Clone(b)
		if int(at) < len(b) {
			b[at] ^= change
		}
		if reseal { // so that checksums keep the fuzzer out of less
			resealEvents(b)
		}
		size := uint64(len(b))
		c, err := scanSegment(&scanner{f: bytes.NewReader(b), limit: size, chunk: 512}, "x")
		if err != nil {
			var ce *CorruptError
			require.ErrorAs(t, err, &ce)
			require.LessOrEqual(t, ce.Offset, size)
			return
		}
		require.LessOrEqual(t, c.header.end, c.unitEnd)
		require.LessOrEqual(t, c.unitEnd, c.evEnd)
		require.LessOrEqual(t, c.evEnd, size)
		tl, err := scanTail(bytes.NewReader(b), c.evEnd, size)
		require.NoError(t, err)
		require.Equal(t, max(c.evEnd, uint64(len(bytes.TrimRight(b, "\x00")))), tl.dataEnd)
		found := concluded(c, tl)
		require.Equal(t, found.row.decision == damaged, found.damage != nil)

		valid := b[:c.evEnd]
		again, err := scanSegment(&scanner{f: bytes.NewReader(valid), limit: c.evEnd, chunk: 64}, "x")
		require.NoError(t, err)
		require.Equal(t, c.unitEnd, again.unitEnd)
		require.Equal(t, c.evEnd, again.evEnd)
		require.True(t, c.state.Equal(again.state))

		events, skimmed := NewFileScanner(bytes.NewReader(b), size, 4), NewFileScanner(bytes.NewReader(b), size, 4)
		for {
			ev, at, err := events.Next()
			h, skimAt, skimErr := skimmed.Skim()
			if err != nil {
				require.Equal(t, at, events.Offset())
				break
			}
			require.NoError(t, skimErr)
			require.Equal(t, at, skimAt)
			require.EqualValues(t, len(ev), h.Size)
			require.Equal(t, at+uint64(len(ev)), events.Offset())
		}
		require.GreaterOrEqual(t, events.Offset(), c.evEnd)
	})
}

// resealEvents gives the events of a file their checksums, as far as they can be told apart.
func resealEvents(b []byte) {
	for at := 4; at+minEventSize <= len(b); {
		size := int(binary.LittleEndian.Uint32(b[at+9:]))
		if size < minEventSize || size > len(b)-at {
			return
		}
		event.SetChecksum(b[at : at+size])
		at += size
	}
}

// FuzzMark: what is taken for a write mark is one that appendMark writes, and it is found
// wherever it stands in a tail.
func FuzzMark(f *testing.F) {
	ev := appendMark(nil, event.Meta{Timestamp: 5, ServerID: 1}, 300, 77)
	if err := event.Finalize(ev, 400); err != nil {
		f.Fatal(err)
	}
	f.Add(ev, uint64(400), uint16(100))
	f.Add(ev[:len(ev)-1], uint64(0), uint16(0))
	f.Add(bytes.Repeat([]byte(privateStart), 10), uint64(0), uint16(3))
	f.Fuzz(func(t *testing.T, b []byte, at uint64, zeros uint16) {
		at %= 1 << 40
		if durable, length, ok := parseMark(b, at); ok {
			m := event.Meta{Timestamp: binary.LittleEndian.Uint32(b), ServerID: binary.LittleEndian.Uint32(b[5:]), Flags: binary.LittleEndian.Uint16(b[17:])}
			again := appendMark(nil, m, durable, int(length))
			require.NoError(t, event.Finalize(again, at))
			require.Equal(t, b, again)
		}
		mark := appendMark(nil, event.Meta{ServerID: 1}, uint64(zeros)/2, len(b))
		require.NoError(t, event.Finalize(mark, uint64(len(b))+uint64(zeros)))
		file := append(append(bytes.Clone(b), make([]byte, zeros)...), mark...)
		tl, err := scanTail(bytes.NewReader(file), 0, uint64(len(file)))
		require.NoError(t, err)
		require.EqualValues(t, len(bytes.TrimRight(file, "\x00")), tl.dataEnd) // a checksum may end with zeros
		require.GreaterOrEqual(t, tl.durable, uint64(zeros)/2)
	})
}

const privateStart = "DRMN\x04"

// FuzzGroups: in whatever order events come, a group ends only after it began, and the GTID is that of its start.
func FuzzGroups(f *testing.F) {
	f.Add([]byte{0, 1, 2, 0, 3, 4, 0, 5})
	f.Add([]byte{0, 0})
	m := event.Meta{ServerID: 1}
	begin := func(seq uint64, flags byte) []byte {
		return event.AppendGTID(nil, m, event.GTIDInfo{GTID: gtid.GTID{Server: 1, Seq: seq}, Flags: flags})
	}
	kinds := [][]byte{
		begin(1, event.FLTransactional), event.AppendAnnotateRows(nil, m, "x"), event.AppendXID(nil, m, 1),
		event.AppendQuery(nil, m, event.Query{SQL: "COMMIT"}), event.AppendQuery(nil, m, event.Query{SQL: "DROP TABLE t"}),
		begin(2, event.FLStandalone), event.AppendStop(nil, m), event.AppendPrivate(nil, m, PrivatePadding, nil), event.AppendBinlogCheckpoint(nil, m, "x"),
	}
	f.Fuzz(func(t *testing.T, order []byte) {
		var g Groups
		for _, n := range order {
			ev := kinds[int(n)%len(kinds)]
			open, was := g.Open, g.GTID
			ended, err := g.Next(ev)
			if err != nil {
				return
			}
			begins := event.Type(ev[4]) == event.GTIDEvent
			if ended {
				require.True(t, open)
				require.False(t, g.Open)
			}
			require.Equal(t, open && !ended || begins, g.Open)
			if !begins {
				require.Equal(t, was, g.GTID)
			}
		}
	})
}

// FuzzOpen starts a log on an arbitrary last segment and index: it opens, or refuses and
// has changed nothing.
func FuzzOpen(f *testing.F) {
	segments := fuzzSegments(f)
	f.Add(segments[0], []byte("./binlog.000001\n"), false)
	f.Add(segments[1], []byte("./binlog.000001\n"), true)
	f.Add(segments[0][:300], []byte("./binlog.000001"), true)
	f.Fuzz(func(t *testing.T, segment, index []byte, reseal bool) {
		if reseal {
			segment = bytes.Clone(segment)
			resealEvents(segment)
		}
		fs := vfs.NewMem()
		require.NoError(t, fs.MkdirAll(testDir, 0o755))
		writeFile(t, fs, "binlog.000001", segment)
		writeFile(t, fs, "binlog.index", index)
		o := testOptions(fs)
		o.PrepareInline = true
		l, rec, err := Open(o)
		if err != nil {
			require.True(t, errors.Is(err, ErrCorrupt) || errors.Is(err, ErrIndex), "%v", err)
			require.Equal(t, segment, readFile(t, fs, "binlog.000001"))
			require.Equal(t, index, readFile(t, fs, "binlog.index"))
			return
		}
		require.LessOrEqual(t, rec.End.Offset, uint64(len(segment)))
		r, err := l.NewReader(logpos.Pos{Segment: 1})
		require.NoError(t, err)
		for {
			if _, _, err = r.NextNoWait(); err != nil {
				break
			}
		}
		require.ErrorIs(t, err, io.EOF)
		require.NoError(t, r.Close())
		require.NoError(t, l.Close())
		again, _, err := Open(o)
		require.NoError(t, err)
		require.NoError(t, again.Close())
	})
}

package binlog

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

const testDir = "/log"

func testOptions(fs vfs.FS) Options {
	return Options{
		FS: fs, Dir: testDir, ServerID: 1, MaxSize: 64 << 10,
		Logger:        slog.New(slog.NewTextHandler(io.Discard, nil)),
		nowForTesting: func() time.Time { return time.Unix(1_700_000_000, 0) },
	}
}

// mustOpen opens and recovers a log.
func mustOpen(t testing.TB, o Options) (*Log, *Recovered) {
	t.Helper()
	l, rec, err := Open(o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l, rec
}

// transaction builds a group of the given sequence number with size bytes of payload.
func transaction(seq uint64, size int) []byte {
	m := event.Meta{Timestamp: 1_700_000_000, ServerID: 1}
	b := event.AppendGTID(nil, m, event.GTIDInfo{GTID: gtid.GTID{Domain: 0, Server: 1, Seq: seq}, Flags: event.FLTransactional})
	payload := make([]byte, size)
	for i := range payload {
		payload[i] = byte(seq)*31 + byte(i)
	}
	b = event.AppendAnnotateRows(b, m, string(payload))
	return event.AppendXID(b, m, seq)
}

// ddl builds a standalone group with a private record.
func ddl(seq uint64, sql string) []byte {
	m := event.Meta{Timestamp: 1_700_000_000, ServerID: 1}
	b := event.AppendGTID(nil, m, event.GTIDInfo{GTID: gtid.GTID{Domain: 0, Server: 1, Seq: seq}, Flags: event.FLStandalone | event.FLDDL})
	b = event.AppendPrivate(b, m, event.PrivateCatalog, []byte("{}"))
	return event.AppendQuery(b, m, event.Query{Schema: "test", SQL: sql})
}

// commit appends groups and makes them durable and visible.
func commit(t testing.TB, l *Log, groups []byte) logpos.Pos {
	t.Helper()
	require.NoError(t, l.Reserve(int64(len(groups))))
	_, end, err := l.Append(groups)
	require.NoError(t, err)
	require.NoError(t, l.Sync())
	l.SetVisible(end)
	return end
}

// contentsOf reads the whole visible log and returns the GTIDs of its complete groups in
// order, "local" for PrivateLocal records.
func contentsOf(t testing.TB, l *Log) []string {
	t.Helper()
	r, err := l.NewReader(logpos.Pos{Segment: l.Segments()[0].Segment})
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	var list []string
	var groups Groups
	for {
		ev, at, err := r.NextNoWait()
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(t, err, "at %v", at)
		ended, err := groups.Next(ev)
		require.NoError(t, err, "at %v", at)
		if ended {
			list = append(list, groups.GTID.String())
		}
		if !groups.Open && event.IsPrivate(ev) && event.PrivateKind(ev[event.HeaderSize+4]) == event.PrivateLocal {
			list = append(list, "local")
		}
	}
}

func gtids(from, to uint64) []string {
	var list []string
	for n := from; n <= to; n++ {
		list = append(list, fmt.Sprintf("0-1-%d", n))
	}
	return list
}

func readFile(t testing.TB, fs vfs.FS, name string) []byte {
	t.Helper()
	f, err := fs.Open(fs.PathJoin(testDir, name))
	require.NoError(t, err)
	b, err := io.ReadAll(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return b
}

func writeFile(t testing.TB, fs vfs.FS, name string, b []byte) {
	t.Helper()
	f, err := fs.Create(fs.PathJoin(testDir, name), vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = f.Write(append([]byte(nil), b...))
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.NoError(t, f.Close())
	d, err := fs.OpenDir(testDir)
	require.NoError(t, err)
	require.NoError(t, d.Sync())
	require.NoError(t, d.Close())
}

// rotate goes on to the next segment, and waits until the one before is closed and the index lists both.
func rotate(t testing.TB, l *Log) {
	t.Helper()
	require.NoError(t, l.Rotate())
	require.NoError(t, l.AwaitClosed())
}

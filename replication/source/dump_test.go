package source

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

func newLog(t *testing.T) *binlog.Log {
	t.Helper()
	l, _, err := binlog.Open(binlog.Options{
		FS: vfs.NewMem(), Dir: "/log", ServerID: 7, MaxSize: 64 << 10,
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

var meta = event.Meta{Timestamp: 1_700_000_000, ServerID: 7}

func parse(t *testing.T, s string) gtid.GTID {
	t.Helper()
	g, err := gtid.Parse(s)
	require.NoError(t, err)
	return g
}

func position(t *testing.T, s string) gtid.Position {
	t.Helper()
	p, err := gtid.ParsePosition(s)
	require.NoError(t, err)
	return p
}

// add commits one transaction, or a DDL statement if ddl is set.
func add(t *testing.T, l *binlog.Log, g string, ddl bool) logpos.Pos {
	t.Helper()
	id := parse(t, g)
	var b []byte
	if ddl {
		b = event.AppendGTID(b, meta, event.GTIDInfo{GTID: id, Flags: event.FLStandalone | event.FLDDL})
		b = event.AppendPrivate(b, meta, event.PrivateCatalog, []byte("{}"))
		b = event.AppendQuery(b, meta, event.Query{SQL: "CREATE TABLE t (a INT)"})
	} else {
		b = event.AppendGTID(b, meta, event.GTIDInfo{GTID: id, Flags: event.FLTransactional})
		b = event.AppendAnnotateRows(b, meta, "INSERT")
		b = event.AppendPrivate(b, meta, event.PrivateRowIDs, event.AppendRowIDs(nil, []uint64{1}))
		b = event.AppendXID(b, meta, id.Seq)
	}
	return write(t, l, b)
}

func write(t *testing.T, l *binlog.Log, b []byte) logpos.Pos {
	t.Helper()
	require.NoError(t, l.Reserve(int64(len(b))))
	_, end, err := l.Append(b)
	require.NoError(t, err)
	require.NoError(t, l.Sync())
	l.SetVisible(end)
	return end
}

// describe makes one line of an event as a replica sees it.
func describe(t *testing.T, d *event.Decoder, ev []byte) string {
	t.Helper()
	dec, err := d.Decode(ev)
	require.NoError(t, err)
	if d.Checksum {
		require.NoError(t, event.Verify(ev))
	}
	fake := ""
	if dec.Header.Flags&event.FlagArtificial != 0 {
		fake = "fake "
	}
	switch b := dec.Body.(type) {
	case *event.Rotate:
		return fmt.Sprintf("%srotate %s:%d", fake, b.File, b.Pos)
	case *event.Format:
		require.Zero(t, dec.Header.Flags&event.FlagInUse)
		require.Equal(t, d.Checksum, b.Checksum)
		s := "format"
		if b.Created != 0 {
			s += " created"
		}
		if dec.Header.LogPos == 0 {
			s += " nopos"
		}
		return s
	case *event.List:
		s := fake + "list " + gtid.StateFromList(b.GTIDs).String()
		if b.Flags&event.ListFlagUntilReached != 0 {
			s += " until"
		}
		return s
	case *event.GTIDInfo:
		return b.GTID.String()
	case *event.Query:
		return strings.Fields(b.SQL)[0]
	default:
		return strings.ToLower(dec.Header.Type.String())
	}
}

// collect runs a dump up to the end of the log.
func collect(t *testing.T, l *binlog.Log, req Request) ([]string, error) {
	t.Helper()
	req.NonBlock = true
	d := event.Decoder{Checksum: req.Checksum == ChecksumCRC32}
	var lines []string
	err := Dump(context.Background(), l, req, func(ev []byte) error {
		lines = append(lines, describe(t, &d, ev))
		return nil
	})
	return lines, err
}

func replica() Request {
	return Request{ServerID: 2, Capability: CapabilityGTID, Checksum: ChecksumCRC32}
}

func byGTID(t *testing.T, at string) Request {
	r := replica()
	r.GTIDMode, r.ConnectState = true, position(t, at)
	return r
}

func lines(s string) []string { return strings.Split(strings.TrimSpace(s), "\n") }

func TestDumpFromStart(t *testing.T) {
	l := newLog(t)
	add(t, l, "0-7-1", true)
	add(t, l, "0-7-2", false)
	require.NoError(t, l.Rotate())
	add(t, l, "0-7-3", false)

	for _, sum := range []Checksum{ChecksumCRC32, ChecksumNone} {
		req := replica()
		req.Pos, req.Checksum, req.Annotate = 4, sum, true
		got, err := collect(t, l, req)
		require.NoError(t, err)
		if sum == ChecksumNone { // a tool, which may be copying: private records leave a gap of their length
			require.Contains(t, got, "ignorable")
			got = slices.DeleteFunc(got, func(line string) bool { return line == "ignorable" })
		}
		require.Equal(t, lines(`
fake rotate binlog.000001:4
format created
list 
binlog_checkpoint
0-7-1
CREATE
0-7-2
annotate_rows
xid
rotate binlog.000002:4
fake rotate binlog.000002:4
format
list 0-7-2
binlog_checkpoint
0-7-3
annotate_rows
xid`), got)
	}

	req := replica()
	req.Pos, req.Capability = 4, CapabilityUnknown
	got, err := collect(t, l, req)
	require.NoError(t, err)
	require.Equal(t, lines(`
fake rotate binlog.000001:4
format created
CREATE
BEGIN
xid
rotate binlog.000002:4
fake rotate binlog.000002:4
format
BEGIN
xid`), got)
}

func TestDumpFromFilePosition(t *testing.T) {
	l := newLog(t)
	add(t, l, "0-7-1", false)
	p := add(t, l, "0-7-2", false)
	add(t, l, "0-7-3", false)
	req := replica()
	req.File, req.Pos = "binlog.000001", p.Offset
	got, err := collect(t, l, req)
	require.NoError(t, err)
	require.Equal(t, lines(fmt.Sprintf("fake rotate binlog.000001:%d\nformat nopos\n0-7-3\nxid", p.Offset)), got)

	// In the middle of a group, as an IO thread reconnects.
	req.Pos = p.Offset - 31
	got, err = collect(t, l, req)
	require.NoError(t, err)
	require.Equal(t, []string{"xid", "0-7-3", "xid"}, got[2:])

	// At the very end: nothing.
	req.Pos = l.Visible().Offset
	got, err = collect(t, l, req)
	require.NoError(t, err)
	require.Len(t, got, 2)
}

// TestEndPositions: coordinates end where SHOW MASTER STATUS says, even if the last events are
// not sent.
func TestEndPositions(t *testing.T) {
	l := newLog(t)
	add(t, l, "0-7-1", false)
	write(t, l, event.AppendPrivate(nil, meta, event.PrivateLocal, []byte("secret")))
	req := replica()
	req.Pos, req.NonBlock = 4, true
	var last uint32
	var kinds []string
	require.NoError(t, Dump(context.Background(), l, req, func(ev []byte) error {
		require.NotContains(t, string(ev), "secret")
		require.False(t, event.IsPrivate(ev))
		last = binary.LittleEndian.Uint32(ev[offLogPos:])
		kinds = append(kinds, event.Type(ev[offType]).String())
		return nil
	}))
	require.Equal(t, uint32(l.Visible().Offset), last)
	require.Equal(t, "Ignorable", kinds[len(kinds)-1])
	require.Equal(t, "Xid", kinds[len(kinds)-2])

	// Also from a position in the middle, and in GTID mode.
	write(t, l, event.AppendPrivate(nil, meta, event.PrivateLocal, []byte("secret")))
	req.File, req.Pos = "binlog.000001", uint64(last)
	got, err := collect(t, l, req)
	require.NoError(t, err)
	require.Equal(t, []string{"format nopos", "ignorable"}, got[1:])
	got, err = collect(t, l, byGTID(t, "0-7-1"))
	require.NoError(t, err)
	require.Equal(t, []string{"fake list 0-7-1", "fake list 0-7-1"}, got[len(got)-2:])
}

func TestDumpByGTID(t *testing.T) {
	l := newLog(t)
	for n := 1; n <= 6; n++ {
		add(t, l, fmt.Sprintf("0-7-%d", n), n%2 == 0)
		if n == 2 {
			add(t, l, "1-8-1", false)
		}
		if n == 3 || n == 4 {
			require.NoError(t, l.Rotate())
		}
	}
	groups := func(req Request) string {
		got, err := collect(t, l, req)
		require.NoError(t, err)
		var list []string
		for _, line := range got {
			if strings.Contains(line, "list") || line[0] >= '0' && line[0] <= '9' || strings.HasPrefix(line, "format") {
				list = append(list, line)
			}
		}
		return strings.Join(list, "; ")
	}
	for _, c := range []struct{ at, want string }{
		{"", "format created; list ; 0-7-1; 0-7-2; 1-8-1; 0-7-3; format; list 0-7-3,1-8-1; 0-7-4; format; list 0-7-4,1-8-1; 0-7-5; 0-7-6"},
		{"0-7-3,1-8-1", "format; list 0-7-3,1-8-1; 0-7-4; format; list 0-7-4,1-8-1; 0-7-5; 0-7-6"},
		{"0-7-5,1-8-1", "format; list 0-7-4,1-8-1; fake list 0-7-5,1-8-1; 0-7-6"},
		{"0-7-6,1-8-1", "format; list 0-7-4,1-8-1; fake list 0-7-6,1-8-1"},
		{"0-7-6", "format; list ; 1-8-1; format; list 0-7-3,1-8-1; format; list 0-7-4,1-8-1; fake list 0-7-6,1-8-1"},
		{"0-7-5,1-8-1,5-5-5", "format; list 0-7-4,1-8-1; fake list 0-7-5,1-8-1; 0-7-6"},
	} {
		require.Equal(t, c.want, groups(byGTID(t, c.at)), "at %q", c.at)
	}

	until := byGTID(t, "0-7-1,1-8-1")
	until.UntilGTID = position(t, "0-7-3")
	require.Equal(t, "format; list ; fake list 0-7-1; 0-7-2; fake list 0-7-2,1-8-1; 0-7-3; fake list 0-7-3,1-8-1 until", groups(until))
	until.UntilGTID = position(t, "")
	require.Equal(t, "format; fake list  until", groups(until))
	until = byGTID(t, "0-7-9,1-8-1")
	until.UntilGTID = position(t, "0-7-3")
	require.Contains(t, groups(until), "until")
	until = byGTID(t, "0-7-4,1-8-1")
	until.UntilGTID = position(t, "0-7-5,1-8-1")
	require.NotContains(t, groups(until), "0-7-6")
}

func TestDumpErrors(t *testing.T) {
	l := newLog(t)
	add(t, l, "0-7-1", false)
	add(t, l, "0-7-5", false)
	end := add(t, l, "0-7-6", false)
	for _, c := range []struct {
		name  string
		req   func() Request
		class error
		text  string
	}{
		{"no checksums", func() Request { r := replica(); r.Checksum = ChecksumUnaware; return r }, ErrChecksum,
			"Slave can not handle replication events with the checksum that master is configured to log"},
		{"unknown file", func() Request { r := replica(); r.File, r.Pos = "binlog.000009", 4; return r }, ErrUnknownFile,
			"Could not find first log file name in binary log index file"},
		{"below 4", func() Request { r := replica(); r.File, r.Pos = "binlog.000001", 1; return r }, ErrPosition, "position < 4"},
		{"after the end", func() Request { r := replica(); r.File, r.Pos = "binlog.000001", end.Offset+1; return r }, ErrPosition,
			"Client requested master to start replication from impossible position"},
		{"between events", func() Request { r := replica(); r.File, r.Pos = "binlog.000001", end.Offset-3; return r }, ErrPosition,
			"bogus data in log event"},
		{"future", func() Request { return byGTID(t, "0-7-9") }, ErrDiverged,
			"Error: connecting slave requested to start from GTID 0-7-9, which is not in the master's binlog"},
		{"diverged", func() Request { return byGTID(t, "0-3-4") }, ErrDiverged,
			"Error: connecting slave requested to start from GTID 0-3-4, which is not in the master's binlog. Since the master's binlog contains GTIDs with higher sequence numbers, it probably means that the slave has diverged due to executing extra erroneous transactions"},
		{"hole", func() Request { r := byGTID(t, "0-7-3"); r.StrictMode = true; return r }, ErrHole,
			"The binlog on the master is missing the GTID 0-7-3 requested by the slave (even though both a prior and a subsequent sequence number does exist), and GTID strict mode is enabled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := collect(t, l, c.req())
			var e *Error
			require.True(t, errors.As(err, &e), "%v", err)
			require.ErrorIs(t, err, c.class)
			require.Contains(t, e.Message, c.text)
		})
	}

	r := byGTID(t, "0-7-9")
	r.IgnoreDuplicates = true
	_, err := collect(t, l, r)
	require.NoError(t, err)
	_, err = collect(t, l, byGTID(t, "0-7-3"))
	require.NoError(t, err, "a hole is allowed without strict mode")

	require.NoError(t, l.Rotate())
	add(t, l, "0-7-7", false)
	l.SetRecoveryStart(logpos.Pos{Segment: 2})
	_, err = l.PurgeTo(2)
	require.NoError(t, err)
	_, err = collect(t, l, byGTID(t, "0-7-1"))
	require.ErrorIs(t, err, ErrPurged)
	_, err = collect(t, l, byGTID(t, ""))
	require.ErrorIs(t, err, ErrPurged)
	r = replica()
	r.File, r.Pos = "binlog.000001", 4
	_, err = collect(t, l, r)
	require.ErrorIs(t, err, ErrUnknownFile)
}

// TestEmptyDomainIsCheckedLater: a position in a domain that this log does not
// have is accepted, until the log has something else there.
func TestEmptyDomainIsCheckedLater(t *testing.T) {
	l := newLog(t)
	add(t, l, "0-7-1", false)
	require.NoError(t, l.Rotate())
	ctx := t.Context()
	req := byGTID(t, "0-7-1,3-9-5")
	waiting := make(chan struct{}, 10)
	req.Flush = func() error { waiting <- struct{}{}; return nil }
	done := make(chan error, 1)
	go func() { done <- Dump(ctx, l, req, func([]byte) error { return nil }) }()
	<-waiting
	add(t, l, "3-7-1", false)
	require.ErrorIs(t, <-done, ErrDiverged)
}

func TestDumpFollowsAndBeats(t *testing.T) {
	l := newLog(t)
	add(t, l, "0-7-1", false)
	ctx, cancel := context.WithCancel(t.Context())
	req := replica()
	req.Pos, req.HeartbeatPeriod = 4, time.Millisecond
	events := make(chan string, 100)
	done := make(chan error, 1)
	d := event.Decoder{Checksum: true}
	go func() {
		done <- Dump(ctx, l, req, func(ev []byte) error {
			s := describe(t, &d, ev)
			if s == "heartbeat" {
				s = fmt.Sprintf("heartbeat %d", binary.LittleEndian.Uint32(ev[offLogPos:]))
			}
			select {
			case events <- s:
			case <-ctx.Done():
			}
			return nil
		})
	}()
	next := func(want string) {
		t.Helper()
		for {
			s := <-events
			if s == want {
				return
			}
			require.False(t, strings.HasPrefix(want, "0-7") && strings.HasPrefix(s, "0-7"), "%s before %s", s, want)
		}
	}
	next("0-7-1")
	next(fmt.Sprintf("heartbeat %d", l.Visible().Offset))
	add(t, l, "0-7-2", true)
	next("0-7-2")
	require.NoError(t, l.Rotate())
	next("fake rotate binlog.000002:4")
	add(t, l, "0-7-3", true)
	next("0-7-3")
	next(fmt.Sprintf("heartbeat %d", l.Visible().Offset))
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

// TestNothingUnsyncedIsSent: with relaxed durability the dump syncs first.
func TestNothingUnsyncedIsSent(t *testing.T) {
	l := newLog(t)
	b := event.AppendGTID(nil, meta, event.GTIDInfo{GTID: parse(t, "0-7-1"), Flags: event.FLStandalone})
	b = event.AppendQuery(b, meta, event.Query{SQL: "CREATE TABLE t (a INT)"})
	_, end, err := l.Append(b)
	require.NoError(t, err)
	l.SetVisible(end)
	require.True(t, l.Synced().Before(end))
	req := replica()
	req.Pos, req.NonBlock = 4, true
	require.NoError(t, Dump(t.Context(), l, req, func(ev []byte) error {
		if event.Type(ev[offType]) == event.GTIDEvent {
			require.Equal(t, end, l.Synced())
		}
		return nil
	}))
}

func TestSendErrorEndsDump(t *testing.T) {
	l := newLog(t)
	broken := errors.New("connection reset")
	for n := range 4 {
		req := replica()
		req.Pos, req.NonBlock = 4, true
		err := Dump(t.Context(), l, req, func([]byte) error {
			if n--; n < 0 {
				return broken
			}
			return nil
		})
		require.ErrorIs(t, err, broken)
	}
	l.SetRecoveryStart(logpos.Pos{Segment: 2})
	require.NoError(t, l.Rotate())
	gone, err := l.PurgeTo(2)
	require.NoError(t, err)
	require.Len(t, gone, 1, "ended dumps hold nothing")
}

// TestDumpEndsWithTheLog: when nothing more will be logged, a dump ends once everything is sent, with and without heartbeats, whether it waits or sends.
func TestDumpEndsWithTheLog(t *testing.T) {
	for _, heartbeats := range []time.Duration{0, time.Hour} {
		l := newLog(t)
		add(t, l, "0-7-1", false)
		last, end := context.WithCancel(context.Background())
		req := replica()
		req.Pos, req.HeartbeatPeriod, req.Last = 4, heartbeats, last
		waits := make(chan struct{}, 100)
		req.Flush = func() error { waits <- struct{}{}; return nil }
		sent := 0
		done := make(chan error, 1)
		go func() {
			done <- Dump(t.Context(), l, req, func(ev []byte) error {
				if event.Type(ev[offType]) == event.GTIDEvent {
					if sent++; sent == 2 {
						add(t, l, "0-7-3", false) // what is logged while the end is known is sent, too
						end()
					}
				}
				return nil
			})
		}()
		<-waits
		add(t, l, "0-7-2", false)
		require.NoError(t, <-done)
		require.Equal(t, 3, sent)

		// It waits when the end comes.
		last, end = context.WithCancel(context.Background())
		req.Last, waits = last, make(chan struct{}, 100)
		go func() { done <- Dump(t.Context(), l, req, func([]byte) error { return nil }) }()
		<-waits
		end()
		require.NoError(t, <-done)
	}
}

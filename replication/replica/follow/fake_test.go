package follow

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/replication/replica/primary"
)

func TestGroups(t *testing.T) {
	for _, c := range []struct {
		name   string
		script func() *script
		want   string
		number uint16 // of the error at the end; 0: the end of the connection
		text   string
	}{
		{"transaction", func() *script { s := begun(mariadbVersion, 0); s.transaction(1, 1); return s }, "0-3-1:TWX", 0, ""},
		{"restarted", func() *script { s := begun(mariadbVersion, 1); s.transaction(1, 1); return s }, "restarted 0-3-1:TWX", 0, ""},
		{"standalone", func() *script {
			s := begun(mariadbVersion, 0)
			s.gtid(1, event.FLStandalone|event.FLDDL)
			s.query("CREATE TABLE t (a INT)")
			s.gtid(2, event.FLStandalone)
			s.event(event.AppendAnnotateRows(nil, meta, "INSERT"))
			s.rows(1)
			return s
		}, "0-3-1:(CREATE TABLE t (a INT)) 0-3-2:ATW", 0, ""},
		{"not transactional", func() *script {
			s := begun(mariadbVersion, 0)
			s.gtid(1, 0)
			s.query("INSERT INTO t VALUES (1)")
			s.query("SAVEPOINT a")
			s.query("COMMIT")
			s.gtid(2, 0)
			s.query("INSERT INTO t VALUES (1)")
			s.query("ROLLBACK")
			return s
		}, "0-3-1:(INSERT INTO t VALUES (1))(SAVEPOINT a)(COMMIT) 0-3-2:(INSERT INTO t VALUES (1))(ROLLBACK)", 0, ""},
		{"half a group", func() *script {
			s := begun(mariadbVersion, 0)
			s.gtid(1, event.FLTransactional)
			s.rows(1)
			s.transaction(2, 1)
			s.gtid(3, event.FLTransactional)
			s.rows(1)
			s.event(event.AppendFormatDescription(nil, meta, mariadbVersion, 5))
			s.gtid(4, event.FLTransactional)
			s.rows(1)
			s.artificial(event.AppendRotate(nil, meta, 4, "log.000002"))
			s.transaction(5, 1)
			s.gtid(6, event.FLTransactional)
			s.rows(1)
			return s
		}, "0-3-2:TWX restarted 0-3-5:TWX", 0, ""},
		{"no end of a standalone group", func() *script {
			s := begun(mariadbVersion, 0)
			s.gtid(1, event.FLStandalone)
			s.event(event.AppendXID(nil, meta, 1))
			return s
		}, "", erSlaveFatal, "does not belong to a transaction"},
		{"outside", func() *script { s := begun(mariadbVersion, 0); s.query("INSERT INTO t VALUES (1)"); return s }, "", erSlaveFatal, "start from its beginning"},
		{"outside of MySQL", func() *script { s := begun(mysqlVersion, 0); s.rows(1); return s }, "", erSlaveFatal, "start from its beginning"},
		{"old MySQL", func() *script {
			s := begun("5.6.51-log", 0)
			s.query("CREATE TABLE t (a INT)")
			s.query("BEGIN")
			s.rows(1)
			s.event(event.AppendXID(nil, meta, 1))
			s.query("BEGIN")
			s.query("INSERT INTO t VALUES (1)")
			s.query("COMMIT")
			return s
		}, "0-3-0:(CREATE TABLE t (a INT)) 0-3-0:TWX 0-3-0:(INSERT INTO t VALUES (1))(COMMIT)", 0, ""},
		{"inside of an old MySQL's", func() *script { s := begun("5.6.51-log", 0); s.rows(1); return s }, "", erSlaveFatal, "start from its beginning"},
		{"MySQL", func() *script {
			s := begun(mysqlVersion, 0)
			s.mysqlGTID(event.MySQLAnonymousGTID)
			s.query("CREATE TABLE t (a INT)")
			s.mysqlGTID(event.MySQLGTID)
			s.query("BEGIN")
			s.rows(1)
			s.event(event.AppendXID(nil, meta, 1))
			s.mysqlGTID(event.MySQLGTID)
			s.query("BEGIN")
			s.rows(1)
			s.mysqlGTID(event.MySQLGTID)
			s.query("XA START X'78',X'',1")
			s.rows(1)
			s.query("XA END X'78',X'',1")
			ev, start := event.Begin(nil, meta, event.XAPrepare)
			s.event(event.End(append(ev, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 'x'), start))
			return s
		}, "0-3-0:(CREATE TABLE t (a INT)) 7-1:TWX 7-3:(XA START X'78',X'',1)TW(XA END X'78',X'',1)X", 0, ""},
		{"unknown", func() *script {
			s := begun(mariadbVersion, 0)
			s.gtid(1, event.FLTransactional)
			ev, start := event.Begin(nil, event.Meta{Flags: event.FlagIgnorable}, 200)
			s.event(event.End(append(ev, 1, 2, 3), start))
			s.rows(1)
			s.event(event.AppendXID(nil, meta, 1))
			ev, start = event.Begin(nil, meta, 201)
			s.event(event.End(append(ev, 1, 2, 3), start))
			return s
		}, "0-3-1:TWX", erUnreadable, "Unknown(201)"},
		{"parts of JSON", func() *script { return unsupported(partialUpdateRows) }, "", erUnreadable, "binlog_row_value_options=''"},
		{"tagged", func() *script { return unsupported(mysqlTaggedGTID) }, "", erUnreadable, "gtid_next"},
		{"incident", func() *script {
			s := begun(mariadbVersion, 0)
			s.transaction(1, 1)
			ev, start := event.Begin(nil, meta, event.Incident)
			s.event(event.End(append(ev, 1, 0, 4, 'l', 'o', 's', 't'), start))
			return s
		}, "0-3-1:TWX", erIncident, "The incident LOST_EVENTS occurred on the master. Message: lost"},
		{"until", func() *script {
			s := begun(mariadbVersion, 0)
			s.transaction(1, 1)
			ev := event.AppendGTIDList(nil, meta, []gtid.GTID{{Server: 3, Seq: 1}})
			ev[event.HeaderSize+3] |= event.ListFlagUntilReached << 4
			s.artificial(ev)
			return s
		}, "0-3-1:TWX until", 0, ""},
		{"load", func() *script {
			s := begun(mariadbVersion, 0)
			s.gtid(1, event.FLStandalone)
			for _, kind := range []event.Type{event.BeginLoadQuery, event.AppendBlock} {
				ev, start := event.Begin(nil, meta, kind)
				s.event(event.End(append(ev, 9, 0, 0, 0, 'x'), start))
			}
			ev, start := event.Begin(nil, meta, event.ExecuteLoadQuery)
			ev = append(ev, make([]byte, 4+4+1+2+2)...)
			ev = append(ev, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
			s.event(event.End(append(ev, "LOAD DATA"...), start))
			return s
		}, "0-3-1:BAE", 0, ""},
		{"heartbeat from the past", func() *script {
			s := begun(mariadbVersion, 0)
			s.transaction(1, 1)
			s.artificial(event.AppendHeartbeat(nil, meta, "log.000001", 10))
			return s
		}, "0-3-1:TWX", erHeartbeat, "Unexpected master's heartbeat data: heartbeat is not compatible with local info;the event's data: log_file_name log.000001 log_pos 10"},
		{"primary's error", func() *script {
			s := begun(mariadbVersion, 0)
			s.packet(append([]byte{packetError, 0xd4, 0x04}, "#HY000it was purged"...))
			return s
		}, "", erMasterFatal, "Got fatal error 1236 from master when reading data from binary log: 'it was purged'"},
		{"no format description", func() *script { s := &script{}; s.transaction(1, 1); return s }, "", erUnreadable, "before the format description"},
	} {
		t.Run(c.name, func(t *testing.T) {
			number, text := c.number, c.text
			if number == 0 {
				number, text = crServerLost, "Lost connection"
			}
			for _, step := range []int{0, 1, 7, 1000} {
				_, parts, err := received(t, c.script(), func(_ *Options, wire *canned) { wire.step = step })
				// Places are told of as often as one waits.
				if got := summary(slices.DeleteFunc(parts, isMoved)); got != c.want {
					t.Errorf("step %d: got %q, want %q (%v)", step, got, c.want, err)
				}
				if err.Number != number || !strings.Contains(err.Text, text) || err.Retry != (number == crServerLost) {
					t.Errorf("step %d: got %v, want %d %s", step, err, number, text)
				}
			}
		})
	}
}

func isMoved(p *primary.Part) bool { return p.Kind == primary.Moved }

// TestPostHeaders has format descriptions of other sizes: 0 is for rows of a version that a MySQL 9 does not write any more.
func TestPostHeaders(t *testing.T) {
	const at = event.HeaderSize + 2 + 50 + 4 + 1 - 1 // of type 0, which there is not
	for _, c := range []struct {
		of   event.Type
		size byte
		want string
	}{
		{event.WriteRowsV1, 0, ""}, {event.WriteRowsV1, 6, "have 6 bytes of post-header"}, {event.TableMap, 0, "have 0 bytes of post-header"},
	} {
		s := begun("9.7.4", 0)
		s = &script{b: s.b[:len(s.b)-packetHeader-1-len(event.AppendFormatDescription(nil, meta, "9.7.4", 0))], pos: 4}
		ev := event.AppendFormatDescription(nil, meta, "9.7.4", 0)
		ev[at+int(c.of)] = c.size
		s.event(ev)
		_, _, err := received(t, s, nil)
		if found := strings.Contains(err.Text, "post-header"); found != (c.want != "") || !strings.Contains(err.Text, c.want) {
			t.Errorf("%s with %d bytes: %s", c.of, c.size, err.Text)
		}
	}
}

// Places without groups are told of once for all that has come, with the last of them.
func TestPlaces(t *testing.T) {
	s := begun(mariadbVersion, 0)
	s.event(event.AppendBinlogCheckpoint(nil, meta, "log.000001"))
	s.artificial(event.AppendHeartbeat(nil, meta, "log.000001", s.pos+1))
	_, parts, _ := received(t, s, nil)
	if got := summary(parts); got != "moved" || parts[0].Place != (primary.Place{File: "log.000001", Pos: s.pos + 1}) {
		t.Errorf("got %s, %+v", got, parts[0])
	}
}

func unsupported(kind event.Type) *script {
	s := begun(mysqlVersion, 0)
	s.mysqlGTID(event.MySQLGTID)
	ev, start := event.Begin(nil, meta, kind)
	s.event(event.End(append(ev, 1, 2, 3), start))
	return s
}

// Whatever is cut off, or has a bit changed, in a stream with checksums: no group comes of it that was not sent.
func TestDamage(t *testing.T) {
	s := begun(mariadbVersion, 0)
	for i := range uint64(3) {
		s.transaction(i+1, 10)
	}
	whole := "0-3-1:TWX 0-3-2:TWX 0-3-3:TWX"
	groups := func(parts []*primary.Part) string {
		return summary(slices.DeleteFunc(parts, func(p *primary.Part) bool { return p.Kind != primary.Group }))
	}
	for i := range s.b {
		_, parts, err := received(t, &script{b: s.b[:i]}, nil)
		if got := groups(parts); !strings.HasPrefix(whole, got) || err.Number != crServerLost {
			t.Fatalf("cut at %d: %s, %v", i, got, err)
		}
		changed := bytes.Clone(s.b)
		changed[i] ^= 1
		_, parts, err = received(t, &script{b: changed}, nil)
		if got := groups(parts); !strings.HasPrefix(whole, got) {
			t.Fatalf("changed at %d: %s, %v", i, got, err)
		}
	}
	checked := bytes.Clone(s.b)
	checked[len(checked)-1] ^= 1
	_, _, err := received(t, &script{b: checked}, nil)
	wantError(t, err, erNetworkChecksum, false, "Replication event checksum verification failed while reading from network")
}

// Events of 16 MiB and more come in several packets, and whatever has more than slave_max_allowed_packet is refused before it is read.
func TestLarge(t *testing.T) {
	for _, n := range []int{slabBytes, fragmentMax - 100, fragmentMax, fragmentMax + 1, 2*fragmentMax + 12345} {
		s := begun(mariadbVersion, 0)
		s.gtid(1, event.FLTransactional)
		overhead := len(event.AppendQuery(nil, meta, event.Query{Schema: "d"})) + 1
		s.query(strings.Repeat("x", n-overhead))
		s.query("COMMIT")
		s.transaction(2, 3)
		_, parts, err := received(t, s, func(_ *Options, wire *canned) { wire.step = 1 << 20 })
		var sizes []int
		for _, p := range parts {
			for _, e := range p.Events {
				if q, ok := e.Body.(*event.Query); ok {
					sizes = append(sizes, len(q.SQL)+overhead)
				}
			}
		}
		if len(sizes) != 2 || sizes[0] != n || err.Number != crServerLost || parts[len(parts)-1].GTID.GTID.Seq != 2 {
			t.Errorf("%d: %v, %v", n, sizes, err)
		}
		c, _, err := received(t, s, func(o *Options, _ *canned) { o.MaxPacket = n - 2 }) // the event has one less than its packet
		wantError(t, err, erNetPacketTooLarge, false, "Got a packet bigger than 'slave_max_allowed_packet' bytes")
		if len(c.in.slab) > max(slabBytes, n) {
			t.Errorf("a slab of %d bytes was made for what is refused", len(c.in.slab))
		}
	}
}

// A group that is larger than a part is cut, and what is kept of it is small at any time.
func TestCut(t *testing.T) {
	s := begun(mariadbVersion, 0)
	s.gtid(1, event.FLTransactional)
	for range 10 {
		s.rows(primary.PartBytes/2 - 1000)
	}
	s.event(event.AppendXID(nil, meta, 1))
	s.transaction(2, 1)
	_, parts, _ := received(t, s, nil)
	if got, want := summary(parts), "0-3-1:TWTWTW+ 0-3-1:+TWTWTW+ 0-3-1:+TWTWTW+ 0-3-1:+TWX 0-3-2:TWX"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if end := parts[len(parts)-1].Place; end.File != "log.000001" || end.Pos != s.pos {
		t.Errorf("the end is %v, want %d", end, s.pos)
	}
}

func TestMoved(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		at   uint64
		low  uint32
		want uint64
		ok   bool
	}{
		{4, 100, 100, true}, {100, 100, 100, true}, {100, 4, 100, false}, {4, 3*gib + 5, 3*gib + 5, true},
		{4*gib - 1, 10, 4*gib + 10, true}, {4*gib + 10, 20, 4*gib + 20, true}, {8*gib - 5, 0xffffffff, 8*gib - 1, true},
		{8*gib - 1, 7, 8*gib + 7, true}, {3 * gib, 2 * gib, 3 * gib, false},
	} {
		if pos, ok := moved(c.at, c.low); pos != c.want || ok != c.ok {
			t.Errorf("moved(%d, %d) = %d, %t; want %d, %t", c.at, c.low, pos, ok, c.want, c.ok)
		}
	}
}

// Behind 4 GiB, a heartbeat carries its position in eight bytes before the name.
func TestLargeHeartbeat(t *testing.T) {
	s := begun(mariadbVersion, 0)
	s.pos = 5<<32 + 1000
	s.artificial(event.AppendRotate(nil, meta, s.pos, "log.000001"))
	s.transaction(1, 1)
	s.artificial(event.AppendHeartbeat(nil, meta, "log.000001", s.pos+77))
	c, parts, err := received(t, s, nil)
	if got := parts[len(parts)-1]; got.Place != (primary.Place{File: "log.000001", Pos: s.pos + 77}) || c.Info().Heartbeats != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	if got := parts[len(parts)-2]; got.Place.Pos != s.pos {
		t.Errorf("got %+v, want the place %d", got, s.pos)
	}
}

// An acknowledgement names the end of its group, and does nothing once the connection is closed.
func TestAcknowledgement(t *testing.T) {
	s := &script{semiSync: true}
	s.start(mariadbVersion, 0)
	s.transaction(1, 1)
	s.raw([]byte{1}, false)
	wire := &canned{b: s.b}
	c := attached(wire, true, nil)
	p, err := c.Next(t.Context())
	if err != nil || p.Acknowledge == nil {
		t.Fatal(p, err)
	}
	p.Acknowledge(logpos.Pos{})
	want := append([]byte{1 + 8 + 10, 0, 0, 0, semiSyncMagic}, binary.LittleEndian.AppendUint64(nil, s.pos)...)
	if want = append(want, "log.000001"...); !bytes.Equal(wire.written.Bytes(), want) {
		t.Errorf("wrote %x, want %x", wire.written.Bytes(), want)
	}
	_ = c.Close()
	p.Acknowledge(logpos.Pos{})
	if wire.written.Len() != len(want) {
		t.Error("something was written after Close")
	}
	for _, b := range [][]byte{{packetOK}, {packetOK, 1, 1, 1}} {
		bad := &script{semiSync: true}
		bad.packet(b)
		_, _, err := received(t, bad, nil)
		wantError(t, err, erSlaveFatal, false, "Malformed semi-sync packet")
	}
}

package follow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// Whatever a primary sends instead of its log: nothing panics, no group is whole without its end, and no more is made of the bytes than there
// are.
func FuzzStream(f *testing.F) {
	for _, semiSync := range []bool{false, true} {
		s := &script{semiSync: semiSync}
		s.start(mariadbVersion, 1)
		s.transaction(1, 10)
		s.gtid(2, event.FLStandalone)
		s.query("CREATE TABLE t (a INT)")
		s.gtid(3, 0)
		s.query("COMMIT")
		s.artificial(event.AppendHeartbeat(nil, meta, "log.000001", s.pos))
		f.Add(s.b, semiSync, true, true)
	}
	s := begun("5.6.51-log", 0)
	s.query("BEGIN")
	s.rows(1)
	s.query("ROLLBACK")
	s.event(event.AppendStop(nil, meta))
	f.Add(s.b, false, false, true)
	s = begun(mysqlVersion, 0)
	s.mysqlGTID(event.MySQLGTID)
	s.query("XA START 'x'")
	f.Add(s.b, false, false, true)
	f.Add([]byte{0xff, 0xff, 0xff, 0, 0}, false, false, false)
	f.Add([]byte{0xfe, 0xff, 0xff, 0, 0}, false, false, false)
	f.Fuzz(func(t *testing.T, b []byte, semiSync, checksum, repaired bool) {
		if len(b) > 1<<16 {
			return
		}
		if repaired {
			b = repair(b, semiSync)
		}
		wire := &canned{b: b}
		c := attached(wire, semiSync, nil)
		c.stream.decoder.Checksum = checksum
		open, received := false, 0
		for {
			p, err := c.Next(t.Context())
			if err != nil {
				var e *primary.Error
				if !errors.As(err, &e) || e.Number == 0 || e.Text == "" || len(e.Text) > textMax {
					t.Fatalf("error %#v", err)
				}
				break
			}
			received += p.Bytes
			if p.Kind != primary.Group {
				continue
			}
			if !p.First && !open {
				t.Fatal("a part continues nothing")
			}
			open = !p.Last
			if p.Acknowledge != nil && !p.Last {
				t.Fatal("half a group is acknowledged")
			}
			if p.Last && !ends(p) {
				t.Fatalf("a group without its end: %+v", p)
			}
		}
		if received > len(b) {
			t.Fatalf("%d bytes came of %d", received, len(b))
		}
		if n := len(c.in.slab); n > packetHeader+fragmentMax {
			t.Fatalf("a slab of %d bytes", n)
		}
	})
}

// repair gives every event its size and its checksum: without it few changed bytes get past them.
func repair(b []byte, semiSync bool) []byte {
	b = bytes.Clone(b)
	before := 1
	if semiSync {
		before = 3
	}
	for rest := b; size(rest) >= 0 && size(rest) <= len(rest)-packetHeader; {
		payload := rest[packetHeader:][:size(rest)]
		rest = rest[packetHeader+len(payload):]
		if len(payload) < before+event.HeaderSize+event.ChecksumSize {
			continue
		}
		ev := payload[before:]
		binary.LittleEndian.PutUint32(ev[9:], uint32(len(ev)))
		event.SetChecksum(ev)
	}
	return b
}

// ends tells whether the last event of a part can be that of a group.
func ends(p *primary.Part) bool {
	if len(p.Events) == 0 {
		return false
	}
	switch body := p.Events[len(p.Events)-1].Body.(type) {
	case *event.Xid, *event.XAPrepareInfo:
		return p.GTID.Flags&event.FLStandalone == 0
	case *event.Query:
		return p.GTID.Flags&event.FLStandalone != 0 || body.SQL == "COMMIT" || body.SQL == "ROLLBACK"
	case *event.LoadQuery:
		return p.GTID.Flags&event.FLStandalone != 0
	case *event.RowsInfo:
		return p.GTID.Flags&event.FLStandalone != 0 && body.Flags&event.RowsStmtEnd != 0
	}
	return false
}

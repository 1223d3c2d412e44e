package binlog

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
)

// Groups follows the event groups in a sequence of events: GTID … XID (or a COMMIT or ROLLBACK
// query, or XA_PREPARE), GTID and one statement for a standalone group. The
// zero value stands outside any group.
type Groups struct {
	// GTID is that of the current or, outside of a group, the last group.
	GTID gtid.GTID
	// Open says that a group has begun and not ended.
	Open bool

	standalone bool
}

// Next takes the next event (whose checksum is known to be right) and reports
// whether a group ended with it. An event in the wrong place is an error.
func (g *Groups) Next(ev []byte) (ended bool, err error) {
	t := event.Type(ev[4])
	switch t {
	case event.GTIDEvent:
		if g.Open {
			return false, fmt.Errorf("group %v has no end: the next one begins", g.GTID)
		}
		id, flags, err := gtidOf(ev)
		if err != nil {
			return false, err
		}
		g.GTID, g.Open, g.standalone = id, true, flags&event.FLStandalone != 0
		return false, nil
	case event.FormatDescription, event.GTIDList, event.BinlogCheckpoint, event.RotateEvent, event.StopEvent, event.StartEncryption:
		if g.Open {
			return false, fmt.Errorf("%v event inside group %v", t, g.GTID)
		}
		return false, nil
	case event.Ignorable:
		return false, nil
	}
	if !g.Open {
		return false, fmt.Errorf("%v event outside of a group", t)
	}
	switch {
	case t == event.XID || t == event.XAPrepare:
		ended = true
	case g.standalone:
		ended = !precedesStatement(t)
	case t == event.QueryEvent:
		ended = endsTransaction(querySQL(ev))
	}
	g.Open = !ended
	return ended, nil
}

// precedesStatement tells events that only prepare the statement of a
// standalone group.
func precedesStatement(t event.Type) bool {
	switch t {
	case event.Intvar, event.Rand, event.UserVar, event.BeginLoadQuery, event.AnnotateRows, event.TableMap:
		return true
	}
	return false
}

func endsTransaction(sql string) bool {
	return strings.EqualFold(sql, "COMMIT") || strings.EqualFold(sql, "ROLLBACK")
}

// gtidOf reads a GTID event without allocating.
func gtidOf(ev []byte) (gtid.GTID, byte, error) {
	const fixed = event.HeaderSize + 13
	if len(ev) < fixed {
		return gtid.GTID{}, 0, fmt.Errorf("GTID event of %d bytes", len(ev))
	}
	body := ev[event.HeaderSize:]
	return gtid.GTID{
		Domain: binary.LittleEndian.Uint32(body[8:]),
		Server: binary.LittleEndian.Uint32(ev[5:]),
		Seq:    binary.LittleEndian.Uint64(body),
	}, body[12], nil
}

// querySQL returns the statement of a QUERY event with a checksum, "" if it is malformed.
func querySQL(ev []byte) string {
	body := ev[event.HeaderSize : len(ev)-event.ChecksumSize]
	if len(body) < 13 {
		return ""
	}
	start := 13 + int(binary.LittleEndian.Uint16(body[11:])) + int(body[8]) + 1
	if start > len(body) {
		return ""
	}
	return string(body[start:])
}

// Standalone reports whether the current or last group has no XID or COMMIT.
func (g *Groups) Standalone() bool { return g.standalone }

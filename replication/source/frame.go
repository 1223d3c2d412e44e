package source

import (
	"encoding/binary"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
)

// framer makes what is sent besides the log's own events.
type framer struct {
	// checksum is false only before the first format description, for a replica that
	// announced NONE.
	checksum bool
	serverID uint32
	buf      []byte
}

// Offsets in an event.
const (
	offType   = 4
	offSize   = 9
	offLogPos = 13
	offFlags  = 17
	// offCreated is where a format description has its creation time.
	offCreated = event.HeaderSize + 2 + 50
)

// format prepares a format description. passed: the replica has seen this
// point of the log before. The result of this and the other methods is valid until the next call.
func (f *framer) format(ev []byte, passed, keepPos bool) []byte {
	f.buf = append(f.buf[:0], ev...)
	event.SetInUse(f.buf, false)
	if passed {
		binary.LittleEndian.PutUint32(f.buf[offCreated:], 0)
	}
	if !keepPos {
		binary.LittleEndian.PutUint32(f.buf[offLogPos:], 0)
	}
	event.SetChecksum(f.buf)
	f.checksum = true
	return f.buf
}

// artificial completes the event that was appended to an empty buf, as one that ends at endPos.
func (f *framer) artificial(endPos uint64, flags uint16) []byte {
	binary.LittleEndian.PutUint32(f.buf[offLogPos:], uint32(endPos))
	return f.complete(flags)
}

// complete is artificial for an event that has its position.
func (f *framer) complete(flags uint16) []byte {
	binary.LittleEndian.PutUint16(f.buf[offFlags:], flags)
	if !f.checksum {
		f.buf = f.buf[:len(f.buf)-event.ChecksumSize]
		binary.LittleEndian.PutUint32(f.buf[offSize:], uint32(len(f.buf)))
		return f.buf
	}
	event.SetChecksum(f.buf)
	return f.buf
}

func (f *framer) meta() event.Meta { return event.Meta{ServerID: f.serverID} }

// rotate is a fake ROTATE: it tells the replica where it is. A timestamp of 0
// tells it from a real one.
func (f *framer) rotate(file string, pos uint64) []byte {
	f.buf = event.AppendRotate(f.buf[:0], f.meta(), pos, file)
	return f.artificial(0, event.FlagArtificial)
}

// list is a fake GTID_LIST at endPos.
func (f *framer) list(list []gtid.GTID, flags byte, endPos uint64) []byte {
	f.buf = event.AppendGTIDList(f.buf[:0], f.meta(), list)
	f.buf[event.HeaderSize+3] |= flags << 4
	return f.artificial(endPos, event.FlagArtificial)
}

func (f *framer) heartbeat(file string, pos uint64) []byte {
	f.buf = event.AppendHeartbeat(f.buf[:0], f.meta(), file, pos)
	return f.complete(0)
}

// filler is an event without content that moves the replica's position to endPos.
func (f *framer) filler(endPos uint64) []byte {
	b, start := event.Begin(f.buf[:0], f.meta(), event.Ignorable)
	f.buf = event.End(b, start)
	return f.artificial(endPos, event.FlagIgnorable)
}

// blank stands for a private record: an event of the same length at the same place, that says nothing.
func (f *framer) blank(ev []byte) []byte {
	f.buf = append(f.buf[:0], ev...)
	clear(f.buf[event.HeaderSize:])
	event.SetChecksum(f.buf)
	return f.buf
}

// begin stands for the GTID event of a transaction, for a replica that does not know GTIDs.
func (f *framer) begin(ev []byte) []byte {
	h, _ := event.ParseHeader(ev) // it was read as an event, so it has a header
	m := event.Meta{Timestamp: h.Timestamp, ServerID: h.ServerID}
	f.buf = event.AppendQuery(f.buf[:0], m, event.Query{SQL: "BEGIN"})
	return f.artificial(uint64(h.LogPos), event.FlagSuppressUse)
}

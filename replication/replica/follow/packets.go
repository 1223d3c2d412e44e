package follow

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/duramendb/duramen/binlog/event"
)

const (
	packetHeader = 4
	// fragmentMax is the payload of a packet that another one continues.
	fragmentMax = 1<<24 - 1
	slabBytes   = 256 << 10
	// slabRest is how little room makes reading into the rest of a slab not worth a system call.
	slabRest = 8 << 10
)

var errTooLarge = errors.New("packet is larger than slave_max_allowed_packet")

// packets cuts a byte stream into packets. What it hands out lies in slabs that it reads into and never reads into again, so that it is never copied,
// except for packets that continue, and for what lies across the end of a slab.
//
// Sequence numbers are not looked at: a primary starts them anew when it asks for an acknowledgement, and events are checked otherwise.
type packets struct {
	r    io.Reader
	slab []byte
	// slab[start:end] was read and not handed out.
	start, end int
	// max is how many bytes the payload of a packet may have.
	max int
}

// size is the payload's length according to the header at the start of b, or -1 if b is too short.
func size(b []byte) int {
	if len(b) < packetHeader {
		return -1
	}
	return int(b[0]) | int(b[1])<<8 | int(b[2])<<16
}

// ready tells whether next returns without waiting.
func (p *packets) ready() bool {
	b := p.slab[p.start:p.end]
	n := size(b)
	return n >= 0 && n < fragmentMax && len(b)-packetHeader >= n
}

// next gives the payload of the next packet, and how many bytes it took on the wire.
func (p *packets) next() (payload []byte, wire int, err error) {
	for {
		b := p.slab[p.start:p.end]
		n := size(b)
		switch {
		case n > p.max:
			return nil, 0, errTooLarge
		case n == fragmentMax:
			return p.long()
		case n >= 0 && len(b)-packetHeader >= n:
			wire = packetHeader + n
			p.start += wire
			return b[packetHeader:wire:wire], wire, nil
		}
		if err := p.fill(packetHeader + max(n, 0)); err != nil {
			return nil, 0, err
		}
	}
}

// fill reads some more bytes, into a place where the need bytes from p.start on lie together.
func (p *packets) fill(need int) error {
	room, rest, have := len(p.slab)-p.start, len(p.slab)-p.end, p.end-p.start
	if room < need || rest < slabRest && have < slabRest {
		slab := make([]byte, max(slabBytes, need))
		p.end = copy(slab, p.slab[p.start:p.end])
		p.slab, p.start = slab, 0
	}
	n, err := p.r.Read(p.slab[p.end:])
	p.end += n
	if n > 0 {
		return nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// long puts a packet that others continue together.
func (p *packets) long() (payload []byte, wire int, err error) {
	for {
		for size(p.slab[p.start:p.end]) < 0 {
			if err := p.fill(packetHeader); err != nil {
				return nil, 0, err
			}
		}
		n := size(p.slab[p.start:p.end])
		if len(payload)+n > p.max {
			return nil, 0, errTooLarge
		}
		p.start += packetHeader
		at := len(payload)
		// No more than one fragment's room is given on the word of a header.
		payload = slices.Grow(payload, n)[:at+n]
		have := copy(payload[at:], p.slab[p.start:p.end])
		p.start += have
		if _, err := io.ReadFull(p.r, payload[at+have:]); err != nil {
			return nil, 0, err
		}
		wire += packetHeader + n
		if n < fragmentMax {
			return payload[:len(payload):len(payload)], wire, nil
		}
	}
}

// command starts a packet that holds a command; Conn.WritePacket fills in the four bytes at its start.
func command(code byte) []byte { return []byte{0, 0, 0, 0, code} }

const (
	comRegisterSlave = 0x15
	comBinlogDump    = 0x12
	// comBinlogDumpGTID is MySQL's.
	comBinlogDumpGTID = 0x1e

	dumpSendAnnotate = 2
	// dumpThroughGTID says that the set counts, not the position (BINLOG_THROUGH_GTID in MySQL's rpl_constants.h).
	dumpThroughGTID = 4
)

func registerCommand(o *Options) []byte {
	host := o.ReportHost[:min(len(o.ReportHost), 255)]
	b := binary.LittleEndian.AppendUint32(command(comRegisterSlave), o.ServerID)
	b = append(append(b, byte(len(host))), host...)
	b = append(b, 0, 0) // no user and no password: nobody should see them in SHOW SLAVE HOSTS
	b = binary.LittleEndian.AppendUint16(b, o.ReportPort)
	return append(b, 0, 0, 0, 0, 0, 0, 0, 0) // rank and the primary's id: unused
}

// dumpSetCommand asks for what is not in the set, from the first file that has some of it.
func dumpSetCommand(o *Options) []byte {
	b := binary.LittleEndian.AppendUint16(command(comBinlogDumpGTID), dumpThroughGTID)
	b = binary.LittleEndian.AppendUint32(b, o.ServerID)
	b = binary.LittleEndian.AppendUint32(b, 0) // no file name
	b = binary.LittleEndian.AppendUint64(b, uint64(len(event.Magic)))
	set := o.Executed.AppendBinary(nil)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(set)))
	return append(b, set...)
}

func dumpCommand(o *Options, pos uint32, file string, flags uint16) []byte {
	b := binary.LittleEndian.AppendUint32(command(comBinlogDump), pos)
	b = binary.LittleEndian.AppendUint16(b, flags)
	b = binary.LittleEndian.AppendUint32(b, o.ServerID)
	return append(b, file...)
}

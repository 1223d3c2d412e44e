package event

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

const (
	// HeaderSize is the size of the header every event starts with.
	HeaderSize = 19
	// ChecksumSize is the size of the CRC32 every event of our files ends with.
	ChecksumSize = 4
	// Magic is what a binlog file starts with; the first event is at offset 4.
	Magic = "\xfebin"

	offType   = 4
	offSize   = 9
	offLogPos = 13
	offFlags  = 17
)

var (
	// ErrShort says that the buffer ends before the event does.
	ErrShort = errors.New("binlog event is cut short")
	// ErrMalformed says that an event's bytes contradict its format.
	ErrMalformed = errors.New("malformed binlog event")
	// ErrChecksum says that an event's CRC32 does not match.
	ErrChecksum = errors.New("binlog event checksum mismatch")
)

// Header is the common header of an event.
type Header struct {
	Timestamp uint32 // Unix seconds
	Type      Type
	ServerID  uint32
	Size      uint32 // of the whole event, header and checksum included
	LogPos    uint32 // end of the event in its file (low 32 bits); 0 for artificial events
	Flags     uint16
}

// Meta is what the caller of an Append function decides about the header.
type Meta struct {
	Timestamp uint32 // Unix seconds
	ServerID  uint32
	Flags     uint16 // or-ed with the flags the event type always has
}

// ParseHeader reads the header at the start of b. It checks only that b is
// long enough and that the size can hold a header.
func ParseHeader(b []byte) (Header, error) {
	if len(b) < HeaderSize {
		return Header{}, fmt.Errorf("%w: header needs %d bytes, have %d", ErrShort, HeaderSize, len(b))
	}
	h := Header{
		Timestamp: binary.LittleEndian.Uint32(b),
		Type:      Type(b[offType]),
		ServerID:  binary.LittleEndian.Uint32(b[5:]),
		Size:      binary.LittleEndian.Uint32(b[offSize:]),
		LogPos:    binary.LittleEndian.Uint32(b[offLogPos:]),
		Flags:     binary.LittleEndian.Uint16(b[offFlags:]),
	}
	if h.Size < HeaderSize {
		return h, fmt.Errorf("%w: size %d is less than a header", ErrMalformed, h.Size)
	}
	return h, nil
}

// AppendHeader appends h as it is. Senders of artificial events use it.
func AppendHeader(dst []byte, h Header) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, h.Timestamp)
	dst = append(dst, byte(h.Type))
	dst = binary.LittleEndian.AppendUint32(dst, h.ServerID)
	dst = binary.LittleEndian.AppendUint32(dst, h.Size)
	dst = binary.LittleEndian.AppendUint32(dst, h.LogPos)
	return binary.LittleEndian.AppendUint16(dst, h.Flags)
}

// Next splits the first event off buf. Both results share buf's memory.
// The checksum is not looked at.
func Next(buf []byte) (ev, rest []byte, err error) {
	h, err := ParseHeader(buf)
	if err != nil {
		return nil, buf, err
	}
	if uint64(h.Size) > uint64(len(buf)) {
		return nil, buf, fmt.Errorf("%w: %s event of %d bytes, have %d", ErrShort, h.Type, h.Size, len(buf))
	}
	return buf[:h.Size:h.Size], buf[h.Size:], nil
}

// Begin appends the header of an event whose size is not known yet and
// returns the place where it starts, for End.
func Begin(dst []byte, m Meta, t Type) (out []byte, start int) {
	start = len(dst)
	return AppendHeader(dst, Header{Timestamp: m.Timestamp, Type: t, ServerID: m.ServerID, Flags: m.Flags}), start
}

// End completes the event that Begin started: it appends the room for the
// checksum and sets the size.
func End(dst []byte, start int) []byte {
	dst = append(dst, 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(dst[start+offSize:], uint32(len(dst)-start))
	return dst
}

// Finalize gives every event of a group its end position and checksum, in
// place. startPos is the offset in the file of the first byte of events.
func Finalize(events []byte, startPos uint64) error {
	pos := startPos
	for rest := events; len(rest) > 0; {
		ev, tail, err := Next(rest)
		if err != nil {
			return fmt.Errorf("finalize at offset %d: %w", pos, err)
		}
		if len(ev) < HeaderSize+ChecksumSize {
			return fmt.Errorf("finalize at offset %d: %w: no room for a checksum", pos, ErrMalformed)
		}
		pos += uint64(len(ev))
		binary.LittleEndian.PutUint32(ev[offLogPos:], uint32(pos))
		SetChecksum(ev)
		rest = tail
	}
	return nil
}

// SetChecksum computes the checksum of one complete event and stores it in its
// last four bytes.
func SetChecksum(ev []byte) {
	binary.LittleEndian.PutUint32(ev[len(ev)-ChecksumSize:], checksum(ev))
}

// checksum is the CRC32 of all but the last four bytes. The in-use flag of a
// format description changes when the file is closed, so it counts as 0.
func checksum(ev []byte) uint32 {
	body := ev[:len(ev)-ChecksumSize]
	if Type(ev[offType]) != FormatDescription || ev[offFlags]&byte(FlagInUse) == 0 {
		return crc32.ChecksumIEEE(body)
	}
	masked := [1]byte{ev[offFlags] &^ byte(FlagInUse)}
	sum := crc32.ChecksumIEEE(body[:offFlags])
	sum = crc32.Update(sum, crc32.IEEETable, masked[:])
	return crc32.Update(sum, crc32.IEEETable, body[offFlags+1:])
}

// Verify checks that ev is exactly one event with a matching checksum.
func Verify(ev []byte) error {
	h, err := ParseHeader(ev)
	if err != nil {
		return err
	}
	if uint64(h.Size) != uint64(len(ev)) {
		return fmt.Errorf("%w: size %d in header, %d bytes given", ErrMalformed, h.Size, len(ev))
	}
	if len(ev) < HeaderSize+ChecksumSize {
		return fmt.Errorf("%w: no room for a checksum", ErrMalformed)
	}
	stored := binary.LittleEndian.Uint32(ev[len(ev)-ChecksumSize:])
	if sum := checksum(ev); sum != stored {
		return fmt.Errorf("%w: %s event holds %08x, computed %08x", ErrChecksum, h.Type, stored, sum)
	}
	return nil
}

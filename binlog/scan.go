package binlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/duramendb/duramen/binlog/event"
)

// errZeros is returned where an event should start but the header is all
// zeros: the untouched rest of a preallocated segment, or a block that was
// never written.
var errZeros = errors.New("zeros instead of an event")

// errRead marks a failure of the disk, which says nothing about the bytes.
var errRead = errors.New("cannot read")

// minEventSize is an event without a body.
const minEventSize = event.HeaderSize + event.ChecksumSize

// scanner reads the events of one file in order. It never reads at or after
// limit, which the owner may raise.
type scanner struct {
	f     io.ReaderAt
	off   uint64 // where the next event starts
	limit uint64
	chunk int
	// noChecksum: events end without a CRC32, as MariaDB writes them with binlog_checksum=NONE.
	noChecksum bool

	buf  []byte
	base uint64 // file offset of buf[0]
}

// next returns the next event and where it starts. The bytes are valid until
// the following call. At limit the error is io.EOF; after any error the
// scanner stays where it is.
func (s *scanner) next() (ev []byte, at uint64, err error) {
	at = s.off
	h, err := s.header()
	if err != nil {
		return nil, at, err
	}
	if ev, err = s.peek(int(h.Size)); err != nil {
		return nil, at, err
	}
	// A format description has a checksum in any case.
	if !s.noChecksum || h.Type == event.FormatDescription {
		if err := event.Verify(ev); err != nil {
			return nil, at, err
		}
	}
	s.off = at + uint64(h.Size)
	return ev, at, nil
}

// header reads the header of the next event, and checks the event's size and
// end position.
func (s *scanner) header() (event.Header, error) {
	at := s.off
	if at >= s.limit {
		return event.Header{}, io.EOF
	}
	least := uint64(minEventSize)
	if s.noChecksum {
		least = event.HeaderSize
	}
	left := s.limit - at
	if left < least {
		b, err := s.peek(int(left))
		if err != nil {
			return event.Header{}, err
		}
		if allZero(b) {
			return event.Header{}, errZeros
		}
		return event.Header{}, fmt.Errorf("%d bytes are left, less than an event", left)
	}
	b, err := s.peek(int(least))
	if err != nil {
		return event.Header{}, err
	}
	if allZero(b[:event.HeaderSize]) {
		return event.Header{}, errZeros
	}
	h, err := event.ParseHeader(b)
	switch {
	case err != nil || uint64(h.Size) < least || uint64(h.Size) > left:
		return h, fmt.Errorf("event size %d with %d bytes left", h.Size, left)
	case h.LogPos != uint32(at+uint64(h.Size)):
		return h, fmt.Errorf("event says it ends at %d, not at %d", h.LogPos, at+uint64(h.Size))
	}
	return h, nil
}

// peek returns n bytes at off, which must lie before limit.
func (s *scanner) peek(n int) ([]byte, error) {
	if s.off >= s.base && s.off+uint64(n) <= s.base+uint64(len(s.buf)) {
		i := s.off - s.base
		return s.buf[i : i+uint64(n)], nil
	}
	want := int(min(uint64(max(n, s.chunk)), s.limit-s.off))
	var have []byte
	if s.off >= s.base && s.off < s.base+uint64(len(s.buf)) {
		have = s.buf[s.off-s.base:]
	}
	buf := s.buf
	if cap(buf) < want || cap(buf) > 4*max(want, s.chunk) {
		buf = make([]byte, want)
	}
	buf = buf[:want]
	got := copy(buf, have)
	read, err := s.f.ReadAt(buf[got:], int64(s.off)+int64(got))
	if got+read < n {
		s.buf = s.buf[:0]
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("%w %d bytes at offset %d: %w", errRead, n, s.off, err)
	}
	s.buf, s.base = buf[:got+read], s.off
	return s.buf[:n], nil
}

// seek moves to an event boundary.
func (s *scanner) seek(off uint64) { s.off = off }

func allZero(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b) != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

package event

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// How a payload is compressed, as MySQL numbers it.
const (
	PayloadZstd  = 0
	PayloadPlain = 255
)

// Payload is a TRANSACTION_PAYLOAD event of a MySQL: all events of a transaction behind its GTID event, compressed together.
type Payload struct {
	Compression uint64
	// Size is how many bytes the events have that are in it, according to the event.
	Size uint64
	Data []byte
}

// payloadField is the type of a field before the data: type, length and value follow each other, all of them length-encoded.
type payloadField uint64

const (
	payloadEnd payloadField = iota
	payloadDataSize
	payloadCompression
	payloadSize
)

func decodePayload(b []byte) (*Payload, error) {
	p := &Payload{Compression: PayloadPlain}
	size, sized := uint64(0), false
	for {
		field, rest, ok := lenenc(b)
		if !ok {
			return nil, tooShort(TransactionPayload, b)
		}
		if b = rest; payloadField(field) == payloadEnd {
			break
		}
		n, rest, ok := lenenc(b)
		if !ok || n > uint64(len(rest)) {
			return nil, tooShort(TransactionPayload, b)
		}
		value := rest[:n]
		b = rest[n:]
		at := map[payloadField]*uint64{payloadDataSize: &size, payloadCompression: &p.Compression, payloadSize: &p.Size}[payloadField(field)]
		if at == nil {
			continue // of a later version, which says that it may be skipped
		}
		if *at, rest, ok = lenenc(value); !ok || len(rest) > 0 {
			return nil, fmt.Errorf("%w: field %d of a transaction's payload has the value %x", ErrMalformed, field, value)
		}
		sized = sized || payloadField(field) == payloadDataSize
	}
	if !sized || size != uint64(len(b)) {
		return nil, fmt.Errorf("%w: a transaction's payload of %d bytes has %d", ErrMalformed, size, len(b))
	}
	if p.Data = b; p.Compression == PayloadPlain {
		p.Size = uint64(len(b))
	}
	return p, nil
}

// lenenc takes a length-encoded number off the front of b.
func lenenc(b []byte) (n uint64, rest []byte, ok bool) {
	if len(b) == 0 {
		return 0, nil, false
	}
	size := map[byte]int{0xfc: 2, 0xfd: 3, 0xfe: 8}[b[0]]
	switch {
	case b[0] < 0xfb:
		return uint64(b[0]), b[1:], true
	case size == 0 || len(b) <= size:
		return 0, nil, false
	}
	var wide [8]byte
	copy(wide[:], b[1:1+size])
	return binary.LittleEndian.Uint64(wide[:]), b[1+size:], true
}

// payloadWindowMax bounds what a decompressor remembers, in bytes: what zstd's highest level asks for, which MySQL's binlog_transaction_compression_level_zstd may
// be.
const payloadWindowMax = 128 << 20

// PayloadReader takes the events out of a payload one after the other, so that no more of them is in memory than the caller keeps.
type PayloadReader struct {
	r    io.Reader
	zstd *zstd.Decoder
	// left is how many bytes are still to come according to the event, max how many an event may have.
	left uint64
	max  int
}

// Open begins to read. No event may have more than eventMax bytes. Close has to be called.
func (p *Payload) Open(eventMax int) (*PayloadReader, error) {
	r := &PayloadReader{r: bytes.NewReader(p.Data), left: p.Size, max: eventMax}
	switch p.Compression {
	case PayloadPlain:
		return r, nil
	case PayloadZstd:
	default:
		return nil, fmt.Errorf("%w: a transaction is compressed by method %d; this server knows zstd (0) and none (255)", ErrMalformed, p.Compression)
	}
	d, err := zstd.NewReader(r.r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(payloadWindowMax))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	r.r, r.zstd = d, d
	return r, nil
}

// ErrTooLarge is for an event in a payload that has more bytes than one may.
var ErrTooLarge = errors.New("an event of a compressed transaction is too large")

// Next gives the next event, in memory of its own, and io.EOF behind the last one, if that is where the payload says.
func (r *PayloadReader) Next() ([]byte, error) {
	if r.left == 0 {
		// Decompression may check something at its end, and there must not be more.
		switch n, err := io.CopyN(io.Discard, r.r, 1); {
		case n > 0:
			return nil, fmt.Errorf("%w: a transaction's payload has more than it says", ErrMalformed)
		case !errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		return nil, io.EOF
	}
	var ev bytes.Buffer
	if err := r.read(&ev, HeaderSize); err != nil {
		return nil, err
	}
	h, err := ParseHeader(ev.Bytes())
	if err != nil {
		return nil, err
	}
	if int64(h.Size) > int64(r.max) {
		return nil, fmt.Errorf("%w: it has %d bytes, %d are allowed", ErrTooLarge, h.Size, r.max)
	}
	if err := r.read(&ev, uint64(h.Size)-HeaderSize); err != nil {
		return nil, err
	}
	return ev.Bytes(), nil
}

// read appends n bytes to b, whose room grows with what is there.
func (r *PayloadReader) read(b *bytes.Buffer, n uint64) error {
	if n > r.left {
		return fmt.Errorf("%w: a transaction's payload ends within an event", ErrMalformed)
	}
	b.Grow(int(min(n, inflateRoom)))
	if _, err := io.CopyN(b, r.r, int64(n)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("%w: a transaction's payload: %w", ErrMalformed, err)
	}
	r.left -= n
	return nil
}

// Close frees what decompression took.
func (r *PayloadReader) Close() {
	if r.zstd != nil {
		r.zstd.Close()
	}
}

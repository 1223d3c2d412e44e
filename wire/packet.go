package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"
)

const (
	readBufferSize  = 4 << 10  // of the buffered reader; large payloads bypass it
	flushSize       = 16 << 10 // rows are collected up to this many bytes
	keepBufferSize  = 64 << 10 // larger buffers are given back after a command
	readChunkSize   = 64 << 10 // a payload buffer grows by what has really arrived
	readStepMax     = 1 << 20  // each step has the whole timeout
	writeStepMax    = 1 << 20
	handshakeMaxLen = 128 << 10
)

// lastWriteMax is how long a killed connection may take to write: its client is told, unless it does not read.
const lastWriteMax = time.Second

// keepDeadline tells readPacket that the caller has set the read deadline.
const keepDeadline time.Duration = -1

var (
	errPacketTooLarge = errors.New("packet larger than max_allowed_packet")
	errOutOfOrder     = errors.New("packets out of order")
)

// packetConn frames payloads. It is used by one goroutine at a time.
type packetConn struct {
	net.Conn
	timed *timedConn // what Conn is, or what TLS is above
	br    *bufio.Reader
	// frames is what br reads from and flush writes to if the client compresses; nil if not.
	frames *compressed
	in     []byte // the last payload read; reused by the next read
	out    []byte // packets not yet written
	seq    uint8
	head   [4]byte // of the packet that is read; here, as it would be allocated for each otherwise

	readTimeout, writeTimeout time.Duration
	bytesIn, bytesOut         uint64
}

func newPacketConn(c net.Conn) *packetConn {
	timed := &timedConn{Conn: c}
	return &packetConn{Conn: timed, timed: timed, br: bufio.NewReaderSize(timed, readBufferSize)}
}

// secured is a packetConn above a TLS connection, which is above that of c.
func (c *packetConn) secured(above net.Conn) *packetConn {
	s := &packetConn{Conn: above, timed: c.timed, br: bufio.NewReaderSize(above, readBufferSize)}
	s.seq, s.bytesIn, s.bytesOut = c.seq, c.bytesIn, c.bytesOut
	s.readTimeout, s.writeTimeout = c.readTimeout, c.writeTimeout
	return s
}

// compress has all packets from now on in frames.
func (c *packetConn) compress() {
	c.frames = newCompressed(c.br, c.Conn, 1)
	c.br = bufio.NewReaderSize(c.frames, readBufferSize)
}

// resetSequence starts a new command.
func (c *packetConn) resetSequence() {
	c.seq = 0
	if c.frames != nil {
		c.frames.restart()
	}
}

// readPacket returns the next payload, put together from its packets; it is
// valid until the next call. It waits idle for the first byte. A payload
// longer than limit is skipped to its end and reported as errPacketTooLarge:
// the connection stays usable.
func (c *packetConn) readPacket(limit int, idle time.Duration) ([]byte, error) {
	if cap(c.in) > keepBufferSize {
		c.in = nil
	}
	c.in = c.in[:0]
	if idle != keepDeadline {
		if err := c.setReadDeadline(idle); err != nil {
			return nil, err
		}
	}
	tooLarge := false
	for first := true; ; first = false {
		head := c.head[:]
		if _, err := io.ReadFull(c.br, head); err != nil {
			if !first {
				err = unexpectedEOF(err)
			}
			return nil, err
		}
		n := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
		if c.frames != nil {
			c.seq = head[3] // frames are counted instead
		}
		if head[3] != c.seq {
			return nil, fmt.Errorf("%w: got %d, expected %d", errOutOfOrder, head[3], c.seq)
		}
		c.seq++
		c.bytesIn += uint64(n) + 4
		if tooLarge = tooLarge || len(c.in)+n > limit; tooLarge {
			c.in = nil
			if err := c.skipPayload(n); err != nil {
				return nil, unexpectedEOF(err)
			}
		} else if err := c.readPayload(n); err != nil {
			return nil, unexpectedEOF(err)
		}
		if n < maxPayload {
			break
		}
	}
	if tooLarge {
		return nil, errPacketTooLarge
	}
	return c.in, nil
}

// readPayload appends n bytes to c.in. The length comes from a stranger, so
// memory is taken as the bytes arrive.
func (c *packetConn) readPayload(n int) error {
	for n > 0 {
		step := min(n, max(readChunkSize, len(c.in)), readStepMax)
		if err := c.expect(step); err != nil {
			return err
		}
		c.in = slices.Grow(c.in, step)
		at := len(c.in)
		c.in = c.in[:at+step]
		if _, err := io.ReadFull(c.br, c.in[at:]); err != nil {
			return err
		}
		n -= step
	}
	return nil
}

// skipPayload reads n bytes and forgets them.
func (c *packetConn) skipPayload(n int) error {
	for n > 0 {
		step := min(n, readStepMax)
		if err := c.expect(step); err != nil {
			return err
		}
		if _, err := c.br.Discard(step); err != nil {
			return err
		}
		n -= step
	}
	return nil
}

// expect gives the next n bytes of a payload the read timeout, unless they are
// here already.
func (c *packetConn) expect(n int) error {
	if c.br.Buffered() >= n {
		return nil
	}
	return c.setReadDeadline(c.readTimeout)
}

func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// awaitPacket waits until a packet begins, or ctx ends: then nothing of one was taken.
func (c *packetConn) awaitPacket(ctx context.Context, atMost time.Duration) error {
	if err := c.setReadDeadline(atMost); err != nil {
		return err
	}
	c.timed.during = ctx
	awake := make(chan struct{})
	wakeUp := context.AfterFunc(ctx, func() {
		c.timed.rouse()
		close(awake)
	})
	_, err := c.br.Peek(4)
	if !wakeUp() {
		<-awake // a packet came at the same time: what is read next is roused for no reason, and goes on
	}
	c.timed.during = nil
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return unexpectedEOF(err)
}

// setReadDeadline gives what is read next so much time; zero means to wait for ever.
func (c *packetConn) setReadDeadline(d time.Duration) error { return c.readWithin(d, time.Now()) }

// readWithin is setReadDeadline for who knows what time it is.
func (c *packetConn) readWithin(d time.Duration, now time.Time) error {
	if d <= 0 {
		return c.timed.SetReadDeadline(time.Time{})
	}
	return c.timed.SetReadDeadline(now.Add(d))
}

// begin opens a packet in the output buffer; the payload is appended to c.out
// and end closes it.
func (c *packetConn) begin() (start int) {
	start = len(c.out)
	c.out = append(c.out, 0, 0, 0, 0)
	return start
}

func (c *packetConn) end(start int) {
	n := len(c.out) - start - 4
	if n < maxPayload {
		h := c.out[start : start+4]
		h[0], h[1], h[2], h[3] = byte(n), byte(n>>8), byte(n>>16), c.seq
		c.seq++
		return
	}
	// A long payload goes out in pieces, ended by one shorter than the maximum
	// (it may be empty).
	payload := slices.Clone(c.out[start+4:])
	c.out = c.out[:start]
	for {
		piece := payload[:min(len(payload), maxPayload)]
		payload = payload[len(piece):]
		c.out = append(c.out, byte(len(piece)), byte(len(piece)>>8), byte(len(piece)>>16), c.seq)
		c.out = append(c.out, piece...)
		c.seq++
		if len(piece) < maxPayload {
			return
		}
	}
}

// abandon takes back a packet that was begun.
func (c *packetConn) abandon(start int) { c.out = c.out[:start] }

// writePayload queues one payload.
func (c *packetConn) writePayload(payload []byte) {
	start := c.begin()
	c.out = append(c.out, payload...)
	c.end(start)
}

// flushIfFull writes when enough has been collected.
func (c *packetConn) flushIfFull() error {
	if len(c.out) < flushSize {
		return nil
	}
	return c.flush()
}

// flush writes everything queued.
func (c *packetConn) flush() error {
	if len(c.out) == 0 {
		return nil
	}
	var err error
	for rest := c.out; len(rest) > 0 && err == nil; {
		piece := rest[:min(len(rest), writeStepMax)]
		var until time.Time // the one of the handshake does not count any more
		if c.writeTimeout > 0 {
			until = time.Now().Add(c.writeTimeout)
		}
		if err = c.timed.SetWriteDeadline(until); err != nil {
			break
		}
		var n int
		if c.frames != nil {
			n, err = c.frames.Write(piece)
		} else {
			n, err = c.Write(piece)
		}
		c.bytesOut += uint64(n)
		rest = rest[len(piece):]
	}
	if cap(c.out) > keepBufferSize {
		c.out = nil
	}
	c.out = c.out[:0]
	if err != nil {
		return fmt.Errorf("write to client: %w", err)
	}
	return nil
}

// replayConn lets TLS begin with bytes that the packet reader has already
// taken from the socket.
type replayConn struct {
	net.Conn
	br *bufio.Reader
}

func (c replayConn) Read(p []byte) (int, error) {
	if c.br.Buffered() > 0 {
		return c.br.Read(p)
	}
	return c.Conn.Read(p)
}

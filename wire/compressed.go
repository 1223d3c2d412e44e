package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/klauspost/compress/zlib"
)

// compressed frames the bytes of packets once more for a client that has asked for CLIENT_COMPRESS, both ways, from after the login on:
//
//	0  length of the data, 3 bytes
//	3  number of the frame; a command begins with 0, and the numbers of packets within do not count then
//	4  length of what the data is when inflated, 3 bytes; 0: it is not compressed
//	7  data: zlib
//
// Frames and packets have nothing to do with each other. What a client sends is inflated as it is asked for, in a window of a fixed size,
// and never further than the length that the frame has declared; so max_allowed_packet bounds what a packet takes, compressed or not.
// See https://mariadb.com/kb/en/0-packet/#compressed-packet.
type compressed struct {
	in  *bufio.Reader
	out io.Writer

	seq   uint8
	begun bool // a frame was read or written since the command began
	// answer is the number of a frame that is written if the command has begun with none: a client may send two commands in one. It is 1
	// for a server, and 0 for a client.
	answer uint8

	// The frame that is read: bytes that are left, of the data and inflated, and what inflates.
	data     io.LimitedReader
	left     int
	inflater io.ReadCloser // nil if it is not compressed

	buf bytes.Buffer // the frame that is written
}

const (
	frameHead       = 7
	frameMax        = 1<<24 - 1
	compressMin     = 150 // as in MariaDB: less is not worth it
	keepFrameBuffer = 64 << 10
)

func newCompressed(in *bufio.Reader, out io.Writer, answer uint8) *compressed {
	c := &compressed{in: in, out: out, answer: answer}
	c.data.R = in
	return c
}

// Both have large tables; who is between two frames needs none.
var (
	inflaters sync.Pool
	deflaters = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}
)

// restart begins a new command.
func (c *compressed) restart() { c.seq, c.begun = 0, false }

// Read implements io.Reader: the bytes within frames.
func (c *compressed) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for c.left == 0 {
		if err := c.nextFrame(); err != nil {
			return 0, err
		}
	}
	var n int
	var err error
	if c.inflater == nil {
		n, err = c.data.Read(p[:min(len(p), c.left)])
	} else {
		n, err = c.inflater.Read(p[:min(len(p), c.left)])
	}
	if c.left -= n; c.left == 0 {
		return n, c.endFrame()
	}
	if n > 0 {
		return n, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return 0, c.failed(err)
}

// failed is the error for a frame that could not be read. What the network says is passed on, what zlib says is a malformed packet.
func (c *compressed) failed(err error) error {
	var network net.Error
	switch {
	case errors.As(err, &network), errors.Is(err, net.ErrClosed):
		return err
	case c.data.N > 0 && errors.Is(err, io.ErrUnexpectedEOF):
		return err // the client has gone
	}
	return fmt.Errorf("%w: compressed: %v", errMalformed, err) //nolint:errorlint // it is about the data
}

// nextFrame reads a frame's head. At the end of the connection it returns io.EOF. Who is roused while it waits has taken nothing.
func (c *compressed) nextFrame() error {
	head, err := c.in.Peek(frameHead)
	if err != nil {
		if len(head) > 0 {
			err = unexpectedEOF(err)
		}
		return err
	}
	seq, n := head[3], int(head[0])|int(head[1])<<8|int(head[2])<<16
	c.left, c.data.N = int(head[4])|int(head[5])<<8|int(head[6])<<16, int64(n)
	_, _ = c.in.Discard(frameHead) // they are there
	if seq != c.seq {
		c.left = 0
		return fmt.Errorf("%w: frame %d, expected %d", errOutOfOrder, seq, c.seq)
	}
	c.seq++
	c.begun = true
	if c.left == 0 {
		c.left = n
		return nil
	}
	if pooled, ok := inflaters.Get().(io.ReadCloser); ok {
		if err := pooled.(zlib.Resetter).Reset(&c.data, nil); err != nil {
			c.left = 0
			return c.failed(err)
		}
		c.inflater = pooled
		return nil
	}
	fresh, err := zlib.NewReader(&c.data)
	if err != nil {
		c.left = 0
		return c.failed(err)
	}
	c.inflater = fresh
	return nil
}

// endFrame looks whether a frame ends where it should.
func (c *compressed) endFrame() error {
	if c.inflater == nil {
		return nil
	}
	var more [1]byte
	n, err := c.inflater.Read(more[:])
	if n == 0 && errors.Is(err, io.EOF) && c.data.N == 0 {
		inflaters.Put(c.inflater)
		c.inflater = nil
		return nil
	}
	if n > 0 || err == nil || errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: a compressed frame is longer than it says", errMalformed)
	}
	return c.failed(err)
}

// Write implements io.Writer: it sends one frame, or several if there is more than one can hold.
func (c *compressed) Write(p []byte) (int, error) {
	if !c.begun {
		c.seq, c.begun = c.answer, true
	}
	written := 0
	for written < len(p) {
		piece := p[written:min(len(p), written+frameMax)]
		if err := c.writeFrame(piece); err != nil {
			return written, err
		}
		written += len(piece)
	}
	return written, nil
}

func (c *compressed) writeFrame(piece []byte) error {
	var head [frameHead]byte
	c.buf.Reset()
	c.buf.Write(head[:])
	inflated := len(piece)
	if inflated >= compressMin {
		w := deflaters.Get().(*zlib.Writer)
		w.Reset(&c.buf)
		_, err := w.Write(piece)
		if err = errors.Join(err, w.Close()); err != nil {
			return fmt.Errorf("compress: %w", err)
		}
		deflaters.Put(w)
	}
	if n := c.buf.Len() - frameHead; n == 0 || n >= inflated {
		c.buf.Truncate(frameHead)
		c.buf.Write(piece)
		inflated = 0
	}
	b := c.buf.Bytes()
	n := len(b) - frameHead
	b[0], b[1], b[2], b[3] = byte(n), byte(n>>8), byte(n>>16), c.seq
	b[4], b[5], b[6] = byte(inflated), byte(inflated>>8), byte(inflated>>16)
	c.seq++
	_, err := c.out.Write(b)
	if c.buf.Cap() > keepFrameBuffer {
		c.buf = bytes.Buffer{}
	}
	return err
}

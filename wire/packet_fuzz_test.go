package wire

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// bytesConn is a connection whose client has sent all it is going to send.
type bytesConn struct {
	net.Conn
	in  *bytes.Reader
	out bytes.Buffer
}

func (c *bytesConn) Read(p []byte) (int, error)  { return c.in.Read(p) }
func (c *bytesConn) Write(p []byte) (int, error) { return c.out.Write(p) }

// Nobody waits for a client that has sent all.
func (c *bytesConn) SetReadDeadline(time.Time) error { return nil }

// FuzzPackets reads an arbitrary stream as packets: payloads stay within the limit, memory within what has
// arrived, and what was read can be written and is then read again.
func FuzzPackets(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0x0e}, uint16(100))
	f.Add([]byte{3, 0, 0, 0, 1, 2, 3, 1, 0, 0, 1, 7}, uint16(2))
	f.Add([]byte{0xff, 0xff, 0xff, 0, 1, 2, 3}, uint16(65535))
	f.Add([]byte{0, 0, 0, 5}, uint16(0))
	f.Fuzz(func(t *testing.T, stream []byte, limit uint16) {
		c := newPacketConn(&bytesConn{in: bytes.NewReader(stream)})
		var payloads [][]byte
		for {
			p, err := c.readPacket(int(limit), keepDeadline)
			if errors.Is(err, errPacketTooLarge) {
				require.LessOrEqual(t, cap(c.in), max(int(limit), keepBufferSize)+readStepMax)
				continue
			}
			if err != nil {
				require.True(t, errors.Is(err, errOutOfOrder) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF), "%v", err)
				break
			}
			require.LessOrEqual(t, len(p), int(limit))
			payloads = append(payloads, bytes.Clone(p))
		}
		require.LessOrEqual(t, cap(c.in), 4*len(stream)+2*readChunkSize)
		sent := &bytesConn{}
		w := newPacketConn(sent)
		for _, p := range payloads {
			w.writePayload(p)
		}
		require.NoError(t, w.flush())
		r := newPacketConn(&bytesConn{in: bytes.NewReader(sent.out.Bytes())})
		for _, p := range payloads {
			got, err := r.readPacket(int(limit), keepDeadline)
			require.NoError(t, err)
			require.True(t, bytes.Equal(p, got))
		}
		_, err := r.readPacket(int(limit), keepDeadline)
		require.ErrorIs(t, err, io.EOF)
	})
}

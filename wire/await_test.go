package wire

import (
	"bytes"
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// lateDeadline sets a deadline in the past only when somebody has read what the client sent.
type lateDeadline struct {
	bytesConn
	read chan struct{} // closed by the first Read
	past atomic.Int32
}

func (c *lateDeadline) Read(p []byte) (int, error) {
	n, err := c.bytesConn.Read(p)
	select {
	case <-c.read:
	default:
		close(c.read)
	}
	return n, err
}

func (c *lateDeadline) SetReadDeadline(at time.Time) error {
	if !at.IsZero() && at.Before(time.Now()) {
		<-c.read
		c.past.Add(1)
	}
	return nil
}

// TestKillBesideAPacket: a statement that is killed while its client sends a packet leaves no deadline behind, which would end what is
// read next, and with that the connection.
func TestKillBesideAPacket(t *testing.T) {
	for range 300 { // who is first is not certain otherwise
		nc := &lateDeadline{bytesConn: bytesConn{in: bytes.NewReader([]byte{1, 0, 0, 0, 7})}, read: make(chan struct{})}
		c := newPacketConn(nc)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		require.ErrorIs(t, c.awaitPacket(ctx, 0), context.Canceled)
		require.EqualValues(t, 1, nc.past.Load(), "it was set before the wait was over")
		p, err := c.readPacket(10, keepDeadline)
		require.NoError(t, err)
		require.Equal(t, []byte{7}, p)
	}
}

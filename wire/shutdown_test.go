package wire

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
)

// TestShutdownAbandons: a statement that ignores its cancellation does not hold up the shutdown.
func TestShutdownAbandons(t *testing.T) {
	b := newFakeBackend()
	s := NewServer(b, Options{AbandonAfter: time.Millisecond})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	login(t, l.Addr().String(), testClientCaps, "").start(mysql.COM_QUERY, []byte("deaf")...)
	<-b.blocked
	now, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.Shutdown(now), ErrAbandoned)
	require.ErrorIs(t, <-served, ErrServerClosed)
	close(b.hear)
	s.wg.Wait()
}

// TestShutdown: an idle connection is closed, a running statement is finished
// or, at the deadline, cancelled.
func TestShutdown(t *testing.T) {
	b := newFakeBackend()
	s, addr := startServer(t, b, Options{})
	idle := login(t, addr, testClientCaps, "")
	busy := login(t, addr, testClientCaps, "")
	busy.start(mysql.COM_QUERY, []byte("block")...)
	<-b.blocked
	ctx, cancel := context.WithCancel(context.Background())
	down := make(chan error, 1)
	go func() { down <- s.Shutdown(ctx) }()
	_, err := idle.conn.readPacket(1<<20, keepDeadline)
	require.ErrorIs(t, err, io.EOF)
	cancel()
	require.ErrorIs(t, <-down, context.Canceled)
	require.ErrorIs(t, <-b.ended, errShutdown())
	requireError(t, 1053, "08S01", busy.read())
	require.Zero(t, b.sessions.Load())
	_, err = net.Dial("tcp", addr)
	require.Error(t, err)
}

// TestKilled: a statement that begins while its connection is killed is told that, as one that is told by its own cancellation.
func TestKilled(t *testing.T) {
	b := newFakeBackend()
	_, addr := startServer(t, b, Options{})
	c := login(t, addr, testClientCaps, "")
	requireError(t, 1927, "70100", c.command(mysql.COM_QUERY, []byte("suicide")...))
	_, err := c.conn.readPacket(1<<20, keepDeadline)
	require.ErrorIs(t, err, io.EOF)
}

// requireError finds the number and the state of an error in an answer.
func requireError(t *testing.T, number uint16, state string, answer []byte) {
	t.Helper()
	require.Equal(t, byte(0xff), answer[0], "%q", answer)
	require.Equal(t, number, binary.LittleEndian.Uint16(answer[1:]), "%q", answer)
	require.Equal(t, "#"+state, string(answer[3:9]), "%q", answer)
}

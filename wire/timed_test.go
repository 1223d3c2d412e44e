package wire

import (
	"context"
	"io"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
)

// scriptedConn answers each Read and Write with the next of its answers, and counts the deadlines that it is told.
type scriptedConn struct {
	net.Conn
	answers     []answer
	told        []time.Time // of Read
	toldToWrite []time.Time
}

type answer struct {
	n      int
	err    error
	before func()
}

func (c *scriptedConn) next() (int, error) {
	a := c.answers[0]
	c.answers = c.answers[1:]
	if a.before != nil {
		a.before()
	}
	return a.n, a.err
}

func (c *scriptedConn) Read([]byte) (int, error)  { return c.next() }
func (c *scriptedConn) Write([]byte) (int, error) { return c.next() }

func (c *scriptedConn) SetReadDeadline(t time.Time) error {
	c.told = append(c.told, t)
	return nil
}

func (c *scriptedConn) SetWriteDeadline(t time.Time) error {
	c.toldToWrite = append(c.toldToWrite, t)
	return nil
}

var late = answer{err: os.ErrDeadlineExceeded}

// TestDeadlinesAreToldRarely: one deadline serves many commands, and none is later than what counts.
func TestDeadlinesAreToldRarely(t *testing.T) {
	below := &scriptedConn{}
	c := &timedConn{Conn: below}
	now := time.Now()
	for i := range 100 {
		require.NoError(t, c.SetReadDeadline(now.Add(time.Hour+time.Duration(i)*time.Second)))
		require.NoError(t, c.SetWriteDeadline(now.Add(time.Minute+time.Duration(i)*time.Second)))
	}
	require.Equal(t, []time.Time{now.Add(time.Hour)}, below.told)
	require.Equal(t, []time.Time{now.Add(time.Minute)}, below.toldToWrite)
	require.NoError(t, c.SetReadDeadline(now.Add(time.Second)))
	require.Equal(t, now.Add(time.Second), below.told[1], "an earlier one counts at once")
	require.NoError(t, c.SetDeadline(time.Time{}))
	require.NoError(t, c.SetReadDeadline(now.Add(time.Second)))
	require.Len(t, below.told, 2)
}

// TestReadGoesOn: a deadline that passes is renewed as long as the one that counts has not passed.
func TestReadGoesOn(t *testing.T) {
	hour := time.Now().Add(time.Hour)
	for name, tc := range map[string]struct {
		until   time.Time
		prepare func(c *timedConn)
		answers []answer
		n       int
		told    []time.Time
	}{
		"renewed":              {until: hour, answers: []answer{late, {n: 5}}, n: 5, told: []time.Time{hour}},
		"for ever":             {answers: []answer{late, late, {n: 1}}, n: 1, told: []time.Time{{}, {}}},
		"bytes count":          {until: longPast, answers: []answer{{n: 2, err: os.ErrDeadlineExceeded}}, n: 2},
		"passed":               {until: longPast, answers: []answer{late}},
		"killed":               {until: hour, prepare: (*timedConn).doom, answers: []answer{late}, told: []time.Time{hour}},
		"shutdown":             {until: hour, prepare: func(c *timedConn) { c.idle = true; c.draining.Store(true) }, answers: []answer{late}, told: []time.Time{hour}},
		"shutdown, no command": {until: hour, prepare: func(c *timedConn) { c.draining.Store(true) }, answers: []answer{late, {n: 3}}, n: 3, told: []time.Time{hour}},
		"end of a statement": {until: hour, prepare: func(c *timedConn) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			c.during = ctx
		}, answers: []answer{late}, told: []time.Time{hour}},
	} {
		t.Run(name, func(t *testing.T) {
			below := &scriptedConn{answers: tc.answers}
			c := &timedConn{Conn: below, draining: new(atomic.Bool), read: deadline{until: tc.until, told: longPast}}
			if tc.prepare != nil {
				tc.prepare(c)
			}
			n, err := c.Read(nil)
			require.Equal(t, tc.n, n)
			if tc.n == 0 {
				require.ErrorIs(t, err, os.ErrDeadlineExceeded)
			}
			require.Equal(t, tc.told, below.told)
			require.Empty(t, below.answers)
		})
	}
}

// TestWriteGoesOn: what a Write has written before its deadline was renewed is not written again; a killed connection has no more than its last moment.
func TestWriteGoesOn(t *testing.T) {
	hour := time.Now().Add(time.Hour)
	below := &scriptedConn{answers: []answer{{n: 3, err: os.ErrDeadlineExceeded}, {n: 4}}}
	c := &timedConn{Conn: below, write: deadline{until: hour, told: longPast}}
	n, err := c.Write(make([]byte, 7))
	require.NoError(t, err)
	require.Equal(t, 7, n)
	require.Equal(t, []time.Time{hour}, below.toldToWrite)

	c.write.until = longPast
	below.answers = []answer{late}
	_, err = c.Write(make([]byte, 7))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)

	for _, until := range []time.Time{hour, {}} {
		below.answers, below.toldToWrite, c.write.until = []answer{{n: 1, err: os.ErrDeadlineExceeded, before: c.doom}, {n: 6}}, nil, until
		_, err = c.Write(make([]byte, 7))
		require.NoError(t, err)
		last := time.Unix(0, c.lastWrite.Load())
		require.Equal(t, last, below.toldToWrite[len(below.toldToWrite)-1])
		require.True(t, last.Before(hour))
	}
	c.lastWrite.Store(longPast.UnixNano())
	below.answers = []answer{late}
	_, err = c.Write(make([]byte, 7))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}

// TestTurn: a connection gives way when its turn has lasted, and only then.
func TestTurn(t *testing.T) {
	var turn turn
	var open atomic.Int64
	open.Store(1000)
	now := time.Now()
	turn.giveWay(now, &open)
	require.Equal(t, now, turn.since)
	turn.giveWay(now.Add(turnMax-1), &open)
	require.Equal(t, now, turn.since)
	turn.giveWay(now.Add(turnMax), &open)
	require.Equal(t, now.Add(turnMax), turn.since)
}

// TestNetTimeouts: a client that stops in the middle of a packet, and one that does not read its answer, are not waited for for ever.
func TestNetTimeouts(t *testing.T) {
	b := newFakeBackend()
	_, addr := startServer(t, b, Options{})
	t.Run("net_read_timeout", func(t *testing.T) {
		c := login(t, addr, testClientCaps, "")
		require.Equal(t, byte(0), c.command(mysql.COM_QUERY, []byte("set net_read_timeout = 1")...)[0])
		_, err := c.conn.Write([]byte{200, 0, 0, 0, mysql.COM_QUERY, 'x'})
		require.NoError(t, err)
		_, err = c.conn.readPacket(1<<20, keepDeadline)
		require.ErrorIs(t, err, io.EOF)
	})
	t.Run("net_write_timeout", func(t *testing.T) {
		c := login(t, addr, testClientCaps, "")
		require.Equal(t, byte(0), c.command(mysql.COM_QUERY, []byte("set net_write_timeout = 1")...)[0])
		c.start(mysql.COM_QUERY, []byte("blob 60000000")...)
		require.Eventually(t, func() bool { return b.sessions.Load() == 0 }, 30*time.Second, time.Millisecond)
	})
}

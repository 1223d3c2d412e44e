package wire

import (
	"context"
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// timedConn is a network connection whose deadlines cost nothing while it is in use. Telling the runtime a
// deadline with each command costs more than many a command does. So a deadline that is told stays
// for as long as it is not too late: when it passes, and the one that counts has not, it is told that one, and waiting goes on.
//
// It belongs to the connection's goroutine, but for rouse, doom and hurry.
type timedConn struct {
	net.Conn
	read, write deadline

	// idle says that a command is waited for: then a shutdown ends the wait.
	idle     bool
	draining *atomic.Bool // the server shuts down; nil in some tests
	// during ends a wait that belongs to a statement; nil if there is none.
	during context.Context
	// lastWrite is the moment, in nanoseconds since 1970, until which a killed connection may write; 0 if it was not killed.
	lastWrite atomic.Int64
}

// deadline is when a wait ends. Always told <= until, unless told is zero and until is too.
type deadline struct {
	until time.Time // that counts; zero: never
	told  time.Time // that the connection below has; zero: none
}

// set makes t the deadline that counts, and reports whether the connection below has to be told.
func (d *deadline) set(t time.Time) (tell bool) {
	d.until = t
	if t.IsZero() || (!d.told.IsZero() && !d.told.After(t)) {
		return false
	}
	d.told = t
	return true
}

// longPast is a deadline that ends a wait at once.
var longPast = time.Unix(1, 0)

// SetReadDeadline implements net.Conn.
func (c *timedConn) SetReadDeadline(t time.Time) error {
	if !c.read.set(t) {
		return nil
	}
	return c.Conn.SetReadDeadline(t)
}

// SetWriteDeadline implements net.Conn.
func (c *timedConn) SetWriteDeadline(t time.Time) error {
	if !c.write.set(t) {
		return nil
	}
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline implements net.Conn.
func (c *timedConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// Read implements net.Conn.
func (c *timedConn) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if n > 0 || err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if t := c.read.until; !t.IsZero() && !time.Now().Before(t) {
			return 0, err
		}
		c.read.told = c.read.until
		if err := c.Conn.SetReadDeadline(c.read.until); err != nil {
			return 0, err
		}
		// Who rouses the connection says why before setting its deadline: either that came after ours, or the reason is seen here.
		if c.roused() {
			return 0, err
		}
	}
}

// Write implements net.Conn.
func (c *timedConn) Write(p []byte) (int, error) {
	for done := 0; ; {
		n, err := c.Conn.Write(p[done:])
		done += n
		if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			return done, err
		}
		until := c.write.until
		if last := c.lastWrite.Load(); last != 0 {
			if last := time.Unix(0, last); until.IsZero() || last.Before(until) {
				until = last
			}
		}
		if !until.IsZero() && !time.Now().Before(until) {
			return done, err
		}
		c.write = deadline{until: until, told: until}
		if err := c.Conn.SetWriteDeadline(until); err != nil {
			return done, err
		}
		if c.killed() { // which may have come before the deadline
			if err := c.Conn.SetWriteDeadline(time.Unix(0, c.lastWrite.Load())); err != nil {
				return done, err
			}
		}
	}
}

// roused reports whether a wait for the client has to end before its time.
func (c *timedConn) roused() bool {
	return c.killed() || (c.idle && c.draining != nil && c.draining.Load()) || (c.during != nil && c.during.Err() != nil)
}

func (c *timedConn) killed() bool { return c.lastWrite.Load() != 0 }

// rouse has a Read look whether it has to end; the reason has to be there before. It may be called by any goroutine.
func (c *timedConn) rouse() {
	_ = c.Conn.SetReadDeadline(longPast) // an error means that the connection is closed already
}

// doom says that the connection is to end, and hurry ends a Read at once and a Write soon. They may be called by any
// goroutine, in this order.
func (c *timedConn) doom() { c.lastWrite.CompareAndSwap(0, time.Now().Add(lastWriteMax).UnixNano()) }

func (c *timedConn) hurry() {
	c.rouse()
	_ = c.Conn.SetWriteDeadline(time.Now().Add(lastWriteMax)) // an error means that the connection is closed already
}

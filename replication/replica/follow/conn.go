package follow

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// Conn is a connection that the primary sends its log on. Next is called by one goroutine; the functions Acknowledge of its parts, Info and Close by any.
type Conn struct {
	o    Options
	info Info
	// wire is what carries packets, raw the connection below it: the same without TLS.
	wire, raw net.Conn
	in        packets
	// before is how many bytes of a packet stand before its event: a status, and two more of semi-sync.
	before int
	stream stream
	beats  atomic.Uint64

	// watched is the context whose end closes the connection, unwatch ends that.
	watched context.Context
	unwatch func() bool
	// failed is what Next has given and always gives from then on.
	failed error

	closing, killing sync.Once
	closed           atomic.Bool
	// gone says that it was the primary who ended the connection, or what it has sent.
	gone atomic.Bool
	// write is held while an acknowledgement is written.
	write struct {
		sync.Mutex
		buf []byte
	}
}

func newConn(o Options, info Info, wire, raw net.Conn) *Conn {
	c := &Conn{o: o, info: info, wire: wire, raw: raw}
	c.before = 1
	if info.SemiSync {
		c.before = 3
	}
	c.in = packets{r: wire, max: o.MaxPacket + c.before}
	c.stream.log, c.stream.eventMax = o.Logger, o.MaxPacket
	return c
}

// Info says what is known of the primary.
func (c *Conn) Info() Info {
	info := c.info
	info.Heartbeats = c.beats.Load()
	return info
}

// Next gives the next part of the log. It waits until there is one; the end of ctx closes the connection and makes Next return ctx's error.
// All other errors are of the type *primary.Error. After an error all calls return it. After a part UntilReached nothing comes but the end of the
// connection, an error that says to try again: the caller knows better.
//
// A caller that connects again asks from the last group of which it got the part Last; what it got of a group without, it gets again.
func (c *Conn) Next(ctx context.Context) (*primary.Part, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	c.watch(ctx)
	part, err := c.next()
	if err != nil {
		// Whatever a closed connection says: the caller has ended it.
		if ended := ctx.Err(); ended != nil {
			err = ended
		} else {
			c.gone.Store(true)
		}
		c.failed = err
		c.unwatch()
		c.hangUp()
		return nil, err
	}
	return part, nil
}

// watch closes the connection at the end of ctx.
func (c *Conn) watch(ctx context.Context) {
	if c.watched == ctx {
		return
	}
	if c.unwatch != nil {
		c.unwatch()
	}
	c.watched, c.unwatch = ctx, context.AfterFunc(ctx, c.hangUp)
}

func (c *Conn) next() (*primary.Part, error) {
	for {
		part, failed := c.stream.more()
		if failed != nil {
			return nil, failed
		}
		if part != nil {
			return c.toAcknowledge(part), nil
		}
		// A new place alone is worth a part only when nothing else is there to carry it.
		if c.stream.moved && c.stream.group.ends == outside && !c.in.ready() {
			return c.stream.alone(primary.Moved), nil
		}
		payload, wire, err := c.in.next()
		if err != nil {
			return nil, c.readError(err)
		}
		ev, err := c.unwrap(payload)
		if err != nil {
			return nil, err
		}
		if part, failed = c.stream.take(ev, wire); failed != nil {
			return nil, failed
		}
		if c.stream.beats != 0 {
			c.beats.Add(c.stream.beats)
			c.stream.beats = 0
		}
		if part == nil {
			continue
		}
		return c.toAcknowledge(part), nil
	}
}

// toAcknowledge gives the end of a group that the primary waits for what tells it.
func (c *Conn) toAcknowledge(part *primary.Part) *primary.Part {
	if c.stream.acknowledge && part.Last {
		c.stream.acknowledge = false
		place := part.Place
		part.Acknowledge = func(logpos.Pos) { c.acknowledge(place) }
	}
	return part
}

func (c *Conn) readError(err error) *primary.Error {
	if errors.Is(err, errTooLarge) {
		c.o.Logger.Error("an event of the primary's log is larger than slave_max_allowed_packet; if it is right, set a higher value of it",
			"slave_max_allowed_packet", c.o.MaxPacket)
		return fail(erNetPacketTooLarge, false, err, "Got a packet bigger than 'slave_max_allowed_packet' bytes")
	}
	return lost(err)
}

// Bytes that packets begin with.
const (
	packetOK    = 0x00
	packetError = 0xff
	packetEOF   = 0xfe
	// semiSyncMagic stands before each event of a semi-synchronous primary, and before each acknowledgement.
	semiSyncMagic = 0xef
)

// unwrap gives the event in a packet.
func (c *Conn) unwrap(b []byte) ([]byte, error) {
	switch {
	case len(b) == 0:
		return nil, fail(crMalformedPacket, true, nil, "Malformed packet")
	case b[0] == packetError:
		return nil, c.said(b)
	case b[0] == packetEOF && len(b) < 9:
		return nil, lost(io.EOF) // the primary is being shut down
	case b[0] != packetOK:
		return nil, fail(crMalformedPacket, true, nil, "Malformed packet")
	}
	if !c.info.SemiSync {
		return b[1:], nil
	}
	if len(b) < c.before || b[1] != semiSyncMagic {
		return nil, fatal("Malformed semi-sync packet")
	}
	if b[2]&1 != 0 {
		c.stream.acknowledge = true
	}
	return b[c.before:], nil
}

// said is the error that the primary has sent instead of its log.
func (c *Conn) said(b []byte) *primary.Error {
	number, text := errorPacket(b)
	switch number {
	case erMasterFatal:
		return fail(number, false, nil, "Got fatal error %d from master when reading data from binary log: '%.320s'%s", number, text, c.remedy(text))
	case erOutOfResources:
		return fail(number, false, nil, "%s", text)
	case 0:
		return fail(crMalformedPacket, true, nil, "Malformed packet")
	}
	return fail(number, true, nil, "%s", text)
}

// remedy says what to do about an error of a MySQL that has no more of its log what is not in the set.
func (c *Conn) remedy(text string) string {
	if !c.info.Set || !strings.Contains(text, "purged") {
		return ""
	}
	return ". Make this replica anew from a dump of the primary, and SET GLOBAL gtid_purged to the set that the dump has; or, if the transactions that are missing are here, " +
		"SET GLOBAL gtid_purged='+<these>'"
}

// errorPacket takes an ERR packet apart; number 0 is none.
func errorPacket(b []byte) (number uint16, text string) {
	if len(b) < 3 {
		return 0, ""
	}
	number, b = binary.LittleEndian.Uint16(b[1:]), b[3:]
	if len(b) >= 6 && b[0] == '#' {
		b = b[6:] // the SQLSTATE
	}
	return number, string(b)
}

// acknowledge tells the primary that we have everything up to place. A connection that does not take it is closed, so that Next sees it.
func (c *Conn) acknowledge(place primary.Place) {
	c.write.Lock()
	defer c.write.Unlock()
	if c.closed.Load() {
		return
	}
	n := 1 + 8 + len(place.File)
	b := append(c.write.buf[:0], byte(n), byte(n>>8), byte(n>>16), 0, semiSyncMagic)
	b = binary.LittleEndian.AppendUint64(b, place.Pos)
	c.write.buf = append(b, place.File...)
	if _, err := c.wire.Write(c.write.buf); err != nil {
		c.hangUp()
	}
}

// hangUp closes the connection. It does not wait for anybody.
func (c *Conn) hangUp() {
	c.closing.Do(func() {
		c.closed.Store(true)
		_ = c.raw.Close() // nothing is lost with it
	})
}

// Close ends the connection and with it a Next that waits. A primary that waits for acknowledgements of it is told; see Options.KillTimeout.
func (c *Conn) Close() error {
	c.hangUp()
	if c.info.SemiSync && c.o.KillTimeout > 0 && !c.gone.Load() {
		c.killing.Do(c.kill)
	}
	return nil
}

// timed is a connection on which nothing waits for ever.
type timed struct {
	net.Conn
	timeout time.Duration
	// left is how many bytes may still be read, negative without a limit: what a server says before its log is short.
	left int64
}

var errTalkative = errors.New("the server sends more than a handshake needs")

func (t *timed) Read(b []byte) (int, error) {
	if t.left == 0 {
		return 0, errTalkative
	}
	if err := t.SetReadDeadline(time.Now().Add(t.timeout)); err != nil {
		return 0, err
	}
	if t.left > 0 {
		b = b[:min(int64(len(b)), t.left)]
	}
	n, err := t.Conn.Read(b)
	if t.left > 0 {
		t.left -= int64(n)
	}
	return n, err
}

// writeTimeout is how long a write may take: what a primary is told fits into the buffers of a connection, and commits wait for an acknowledgement.
const writeTimeout = 10 * time.Second

func (t *timed) Write(b []byte) (int, error) {
	if err := t.SetWriteDeadline(time.Now().Add(min(t.timeout, writeTimeout))); err != nil {
		return 0, err
	}
	return t.Conn.Write(b)
}

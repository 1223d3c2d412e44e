package wire

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
)

// conn is one client. See the package comment for who may touch what.
type conn struct {
	*packetConn
	srv      *Server
	timed    *timedConn // for kill and rouse by other goroutines, while TLS may take the place of packetConn
	id       uint32
	network  net.Conn        // as accepted, below TLS
	socket   syscall.RawConn // of the network connection, below TLS; nil in some tests
	address  string          // host:port, or the host for a unix socket
	host     string          // as accounts name it: an address, or localhost
	unix     bool
	tls      bool
	log      *slog.Logger
	scramble []byte
	response bool // the client's capabilities are known

	caps    uint32
	ext     uint32 // MariaDB's extended capabilities
	user    string
	session Session
	knownDB string // the default database as the client knows it
	stmts   map[uint32]*stmt
	stmtID  uint32
	lastID  uint32 // of the statement that was prepared last; 0 if there is none
	replica bool   // COM_REGISTER_SLAVE was seen

	limits limits
	turn   turn
	ctx    context.Context // ends when the connection is killed or lost
	cancel context.CancelCauseFunc
	// busy is odd while a command runs and changes with every command.
	busy atomic.Uint64
	// dumping is set while a replica is served, which has no end of its own.
	dumping atomic.Bool
	// acknowledging is set while such a replica acknowledges what commits wait for.
	acknowledging atomic.Bool
}

// limits are the session variables that concern the connection itself.
type limits struct {
	maxAllowedPacket int
	idle             time.Duration
}

var (
	errClientGone = errors.New("client has disconnected")
	errQuit       = errors.New("client quit")
)

// errKilled and errShutdown are what a statement that they end is told: one may begin while its connection is being killed, and then knows of it
// only from the connection's context. Each is made anew, as who gets it may add to it.
func errKilled() error { return mysqlerr.New(mysqlerr.ConnectionKilled) }

func errShutdown() error { return mysqlerr.New(mysqlerr.ServerShutdown) }

// newConn prepares a connection that the listener accepted.
func newConn(srv *Server, nc net.Conn, id uint32) *conn {
	c := &conn{packetConn: newPacketConn(nc), srv: srv, id: id, network: nc}
	c.limits = limits{maxAllowedPacket: defaultMaxAllowedPacket, idle: defaultWaitTimeout}
	c.timed = c.packetConn.timed
	c.timed.draining = &srv.draining
	c.ctx, c.cancel = context.WithCancelCause(srv.ctx)
	if sc, ok := nc.(syscall.Conn); ok {
		if raw, err := sc.SyscallConn(); err == nil {
			c.socket = raw
		}
	}
	if nc.RemoteAddr() != nil && nc.RemoteAddr().Network() == "unix" {
		c.unix, c.host, c.address = true, "localhost", "localhost"
	} else if nc.RemoteAddr() != nil {
		c.address = nc.RemoteAddr().String()
		c.host = c.address
		if host, _, err := net.SplitHostPort(c.address); err == nil {
			c.host = host
		}
	}
	c.log = srv.log.With("conn", id, "client", c.address)
	return c
}

// serve runs the connection to its end.
func (c *conn) serve() {
	defer func() {
		if p := recover(); p != nil {
			c.srv.stats.panics.Add(1)
			c.log.Error("panic in connection", "panic", p, "stack", string(debug.Stack()))
		}
		c.close()
	}()
	err := c.handshake()
	if err == nil {
		err = c.commands()
	}
	switch {
	case err == nil, errors.Is(err, errQuit):
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, errClientGone):
		c.aborted()
		c.log.Debug("connection lost", "user", c.user, "err", err)
	case c.timed.killed():
		c.log.Debug("connection killed", "user", c.user)
	case errors.Is(err, os.ErrDeadlineExceeded):
		if !c.srv.draining.Load() {
			c.aborted()
			c.log.Info("connection timed out", "user", c.user)
		}
	default:
		c.aborted()
		c.log.Info("connection aborted", "user", c.user, "err", err)
	}
}

// aborted counts a connection that did not end as it should.
func (c *conn) aborted() {
	c.srv.stats.aborted.Add(1)
	if c.session == nil {
		c.srv.backend.CountStatus("Aborted_connects", 1)
	} else {
		c.srv.backend.CountStatus("Aborted_clients", 1)
	}
}

// close gives everything back. The session goes first: it holds locks.
func (c *conn) close() {
	c.cancel(errClientGone)
	if c.session != nil {
		func() {
			defer func() {
				if p := recover(); p != nil {
					c.log.Error("panic while closing session", "panic", p, "stack", string(debug.Stack()))
				}
			}()
			c.unregisterReplica()
			c.closeStmts()
			c.session.Close()
		}()
	}
	c.srv.remove(c)
	if err := c.Conn.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		c.log.Debug("close connection", "err", err)
	}
}

// kill ends the connection from another goroutine: the running statement is
// cancelled, a waiting read returns, a waiting write soon.
func (c *conn) kill(cause error) {
	c.timed.doom()
	c.cancel(cause)
	c.timed.hurry()
}

// handshake greets, authenticates and starts the session.
func (c *conn) handshake() error {
	c.readTimeout = c.srv.opts.ConnectTimeout
	c.writeTimeout = c.srv.opts.ConnectTimeout
	c.scramble = newScramble()
	caps := serverCapabilities
	if c.srv.identity != nil {
		caps |= mysql.CLIENT_SSL
	}
	start := c.begin()
	c.out = appendGreeting(c.out, greetingPrefix+c.srv.opts.ServerVersion, c.id, c.scramble, caps, extendedCapabilities, c.srv.opts.Collation, mysql.SERVER_STATUS_AUTOCOMMIT)
	c.end(start)
	if err := c.flush(); err != nil {
		return err
	}
	r, err := c.readHandshakeResponse()
	if err != nil {
		return err
	}
	c.user = r.user
	if required := c.srv.opts.RequireTLS; required != nil && !c.tls && !c.unix && required() {
		return c.refuse(&mysqlerr.Error{Number: 3159, State: "08004",
			Message: "Connections using insecure transport are prohibited while --require_secure_transport=ON."})
	}
	account, err := c.authenticate(r.user, r.plugin, r.auth)
	if err != nil {
		return c.refuse(err)
	}
	c.session, err = c.srv.backend.NewSession(c.info(account, r.user, r.db, r.collation, r.attributes))
	if err != nil {
		return c.refuse(err)
	}
	c.knownDB = r.db
	c.refreshLimits()
	c.writeOK(0x00, result.OK{Status: c.session.StatusFlags()})
	if err := c.flush(); err != nil {
		return err
	}
	if c.caps&mysql.CLIENT_COMPRESS != 0 {
		c.compress()
	}
	return nil
}

// info is what the session needs to know of the connection.
func (c *conn) info(a account.Login, user, db string, collation byte, attributes map[string]string) session.ConnInfo {
	ci := session.ConnInfo{
		ID: c.id, User: user, Host: c.host, Login: true, Expired: a.Expired, Address: c.address, DB: db, Capabilities: c.caps,
		Collation: collation, Attributes: attributes, Kill: func() { c.kill(errKilled()) },
	}
	if secure, ok := c.Conn.(*tls.Conn); ok {
		state := secure.ConnectionState()
		ci.TLSCipher, ci.TLSVersion = cipherName(state.CipherSuite), protocolName(state.Version)
	}
	return ci
}

// readHandshakeResponse reads the client's answer, by way of TLS if it asks for it.
func (c *conn) readHandshakeResponse() (handshakeResponse, error) {
	for {
		payload, err := c.readPacket(handshakeMaxLen, c.srv.opts.ConnectTimeout)
		if err != nil {
			if errors.Is(err, errOutOfOrder) || errors.Is(err, errPacketTooLarge) {
				return handshakeResponse{}, c.refuse(mysqlerr.New(mysqlerr.Handshake))
			}
			return handshakeResponse{}, err
		}
		r, err := parseHandshakeResponse(payload)
		if err != nil || (r.tlsRequest && (c.tls || c.srv.identity == nil)) {
			return r, c.refuse(mysqlerr.New(mysqlerr.Handshake))
		}
		c.caps = r.capabilities & (serverCapabilities | mysql.CLIENT_SSL)
		c.ext = r.extended & extendedCapabilities
		c.response = true
		if !r.tlsRequest {
			return r, nil
		}
		if err := c.startTLS(); err != nil {
			return r, err
		}
	}
}

func (c *conn) startTLS() error {
	secure := tls.Server(replayConn{Conn: c.Conn, br: c.br}, c.srv.identity.TLS)
	if err := secure.SetDeadline(time.Now().Add(c.srv.opts.ConnectTimeout)); err != nil {
		return err
	}
	if err := secure.HandshakeContext(c.ctx); err != nil {
		return fmt.Errorf("TLS handshake: %w", err)
	}
	c.packetConn = c.secured(secure)
	c.tls = true
	c.srv.backend.CountStatus("Ssl_accepts", 1)
	return secure.SetDeadline(time.Time{})
}

// refuse sends an error and returns it.
func (c *conn) refuse(err error) error {
	c.writeError(err)
	if flushErr := c.flush(); flushErr != nil {
		return errors.Join(err, flushErr)
	}
	return err
}

// writeError queues an ERR packet.
func (c *conn) writeError(err error) {
	start := c.begin()
	c.out = appendError(c.out, protocolError(err), c.response)
	c.end(start)
}

// refreshLimits takes over the session's settings.
func (c *conn) refreshLimits() {
	seconds := func(name string) time.Duration {
		return time.Duration(c.session.VarUint(name)) * time.Second
	}
	c.limits.maxAllowedPacket = int(c.session.VarUint("max_allowed_packet"))
	// wait_timeout of an interactive client starts as interactive_timeout; that
	// is done by the session, which knows the client's flags.
	c.limits.idle = seconds("wait_timeout")
	c.readTimeout = seconds("net_read_timeout")
	c.writeTimeout = seconds("net_write_timeout")
}

// newScramble makes the random bytes of a greeting: printable, because a zero
// byte would end them.
func newScramble() []byte {
	s := make([]byte, scrambleLen)
	if _, err := rand.Read(s); err != nil {
		panic(err) // crypto/rand does not fail
	}
	for i := range s {
		s[i] = s[i]%94 + 33
	}
	return s
}

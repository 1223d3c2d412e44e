package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// greetingPrefix is what MariaDB 10 puts before its version in the greeting:
// replicas of the 5.5 line believe that 10 is 1.
const greetingPrefix = "5.5.5-"

const (
	defaultMaxAllowedPacket = 16 << 20
	defaultWaitTimeout      = 8 * time.Hour
	defaultCollation        = mysql.Collation_utf8mb4_general_ci
)

// Options configures a Server. The zero value of each field means its default.
type Options struct {
	// ServerVersion as @@version shows it; the greeting adds its prefix.
	ServerVersion string
	// Identity is the certificate; without one there is no TLS.
	Identity *Identity
	// RequireTLS reports whether connections are refused that are neither encrypted nor local; nil: they are not.
	RequireTLS func() bool
	// ConnectTimeout bounds each step of the handshake; 10 s.
	ConnectTimeout time.Duration
	// WatchInterval is how often busy connections are looked at for clients
	// that have gone; 500 ms.
	WatchInterval time.Duration
	// AbandonAfter is how long Shutdown waits for statements that it has cancelled; 5 s.
	AbandonAfter time.Duration
	// Collation is the id told in the greeting; utf8mb4_general_ci.
	Collation byte
	Logger    *slog.Logger
}

func (o *Options) ensureDefaults() {
	if o.ServerVersion == "" {
		o.ServerVersion = "10.11.0-MariaDB-duramen"
	}
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = 10 * time.Second
	}
	if o.WatchInterval == 0 {
		o.WatchInterval = 500 * time.Millisecond
	}
	if o.AbandonAfter == 0 {
		o.AbandonAfter = 5 * time.Second
	}
	if o.Collation == 0 {
		o.Collation = defaultCollation
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
}

// Server accepts connections and serves them until Shutdown. It is safe for
// concurrent use.
type Server struct {
	opts      Options
	backend   Backend
	identity  *Identity
	log       *slog.Logger
	passwords passwordCache
	stats     stats

	ctx      context.Context // ends all connections
	cancel   context.CancelCauseFunc
	draining atomic.Bool
	stmts    atomic.Int64 // prepared statements of all connections
	open     atomic.Int64 // connections, as in mu.conns
	wg       sync.WaitGroup

	mu struct {
		sync.Mutex
		conns     map[uint32]*conn
		listeners map[net.Listener]struct{}
		maxUsed   int // most connections at one time
		closed    bool
	}
}

// NewServer makes a Server. It owns one goroutine (the watcher) until Shutdown.
func NewServer(backend Backend, opts Options) *Server {
	opts.ensureDefaults()
	s := &Server{opts: opts, backend: backend, identity: opts.Identity, log: opts.Logger}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.mu.conns = make(map[uint32]*conn)
	s.mu.listeners = make(map[net.Listener]struct{})
	s.wg.Add(1)
	go s.watch()
	return s
}

// ErrServerClosed is returned by Serve after Shutdown.
var ErrServerClosed = errors.New("wire: server closed")

// Serve accepts connections from l until Shutdown, or an error of l.
func (s *Server) Serve(l net.Listener) error {
	s.mu.Lock()
	if s.mu.closed {
		s.mu.Unlock()
		return ErrServerClosed
	}
	s.mu.listeners[l] = struct{}{}
	s.mu.Unlock()
	for pause := time.Duration(0); ; {
		nc, err := l.Accept()
		if err != nil {
			if s.draining.Load() || errors.Is(err, net.ErrClosed) {
				return ErrServerClosed
			}
			// Out of file descriptors, or a client that gave up early: others
			// may still be served, after a breath.
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			s.log.Error("accept failed", "listener", l.Addr().String(), "err", err, "retry_in", pause)
			select {
			case <-time.After(pause):
				continue
			case <-s.ctx.Done():
				return ErrServerClosed
			}
		}
		pause = 0
		s.start(nc)
	}
}

// start serves one accepted connection, or refuses it.
func (s *Server) start(nc net.Conn) {
	if tc, ok := nc.(*net.TCPConn); ok {
		// Both only fail on a connection that is already gone.
		_ = tc.SetNoDelay(true)
		_ = tc.SetKeepAlive(true)
	}
	id := s.backend.NextConnectionID()
	limit := int(s.backend.GlobalUint("max_connections"))
	c := newConn(s, nc, id)
	s.mu.Lock()
	closed, full := s.mu.closed, len(s.mu.conns) >= limit
	if !closed && !full {
		s.mu.conns[id] = c
		s.open.Add(1)
		s.wg.Add(1)
	}
	open := len(s.mu.conns)
	newMax := open > s.mu.maxUsed
	if newMax {
		s.mu.maxUsed = open
	}
	s.mu.Unlock()
	s.stats.accepted.Add(1)
	s.backend.CountStatus("Connections", 1)
	if newMax {
		s.backend.CountStatus("Max_used_connections", 1)
	}
	if closed || full {
		if full {
			s.stats.refused.Add(1)
			s.log.Warn("connection refused", "client", c.address, "max_connections", limit)
			_ = nc.SetWriteDeadline(time.Now().Add(time.Second))
			c.writeError(mysqlerr.New(mysqlerr.ConCount))
			_ = c.flush() // the client is refused either way
		}
		c.cancel(errKilled())
		_ = nc.Close()
		return
	}
	go func() {
		defer s.wg.Done()
		c.serve()
	}()
}

func (s *Server) remove(c *conn) {
	s.mu.Lock()
	delete(s.mu.conns, c.id)
	s.open.Add(-1)
	s.mu.Unlock()
	c.countBytes()
}

// Connections is the number of open connections.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.mu.conns)
}

// snapshot returns the open connections.
func (s *Server) snapshot() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*conn, 0, len(s.mu.conns))
	for _, c := range s.mu.conns {
		out = append(out, c)
	}
	return out
}

// Shutdown stops accepting, closes idle connections, lets running commands
// finish until ctx ends, and then cancels them. It returns when every
// connection has gone; the error tells whether some had to be cancelled. It is ErrAbandoned
// when statements go on although they were cancelled: their goroutines still use the session.
func (s *Server) Shutdown(ctx context.Context) error {
	errs := s.stopAccepting()
	// Whoever waits for a command wakes up; whoever runs one finds draining set
	// when it asks for the next.
	for _, c := range s.snapshot() {
		if c.acknowledging.Load() {
			continue // commits may wait for it: see endDumps
		}
		if c.dumping.Load() {
			c.kill(errKilled()) // a dump never ends by itself
			continue
		}
		c.timed.rouse()
	}
	done := make(chan struct{})
	go func() {
		s.wg.Wait()
		close(done)
	}()
	// The watcher ends with the context; connections end on their own.
	idle := time.NewTicker(10 * time.Millisecond)
	defer idle.Stop()
	for s.Connections() > 0 {
		select {
		case <-ctx.Done():
			errs = append(errs, fmt.Errorf("%d connections cancelled at shutdown: %w", s.Connections(), ctx.Err()))
			for _, c := range s.snapshot() {
				c.kill(errShutdown())
			}
			s.cancel(errShutdown())
			select {
			case <-done:
			case <-time.After(s.opts.AbandonAfter):
				errs = append(errs, fmt.Errorf("%w: %d connections", ErrAbandoned, s.Connections()))
			}
			return errors.Join(errs...)
		case <-idle.C:
			s.endDumps()
		}
	}
	s.cancel(errShutdown())
	<-done
	return errors.Join(errs...)
}

// stopAccepting closes the listeners. From now on no connection takes another command.
func (s *Server) stopAccepting() (errs []error) {
	s.mu.Lock()
	s.mu.closed = true
	s.draining.Store(true)
	listeners := s.mu.listeners
	s.mu.listeners = nil
	s.mu.Unlock()
	for l := range listeners {
		if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, fmt.Errorf("close listener: %w", err))
		}
	}
	return errs
}

// endDumps ends the dumps that are left when nothing else is.
func (s *Server) endDumps() {
	if !s.onlyDumps() {
		return
	}
	for _, c := range s.snapshot() {
		c.kill(errKilled())
	}
}

// ErrAbandoned says that Shutdown did not wait for statements that ignore their cancellation.
var ErrAbandoned = errors.New("statements did not end when they were cancelled")

func (s *Server) reserveStmt() bool {
	if s.stmts.Add(1) > int64(s.backend.GlobalUint("max_prepared_stmt_count")) {
		s.stmts.Add(-1)
		return false
	}
	return true
}

func (s *Server) releaseStmts(n int) { s.stmts.Add(-int64(n)) }

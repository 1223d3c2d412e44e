package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/replication/source"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/wire"
)

// Server is a running server. Its methods are safe for concurrent use.
type Server struct {
	cfg     Config
	log     *slog.Logger
	store   *store.Store
	engine  *query.Engine
	wire    *wire.Server
	metrics *metricsServer
	// replicas are those that dumps are served to.
	replicas source.Tracker
	tcp      []net.Listener
	unix     net.Listener
	serving  sync.WaitGroup

	shutdownOnce sync.Once
	shutdownErr  error
	// last ends when nothing more will be logged, and dumps end when they have sent everything.
	last     context.Context
	lastDump context.CancelFunc
}

// Start opens the data directory and serves it. Errors are ExitErrors where
// the exit code matters. See the package comment for the order.
func Start(ctx context.Context, cfg Config) (_ *Server, err error) {
	began := time.Now()
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	for _, w := range cfg.Warnings {
		cfg.Logger.Warn(w)
	}
	s := &Server{cfg: cfg, log: cfg.Logger}
	s.last, s.lastDump = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			s.undo()
		}
	}()
	if s.tcp, err = listenTCP(&s.cfg); err != nil {
		return nil, err
	}
	// The port may have been chosen just now.
	s.cfg.Variables = maps.Clone(s.cfg.Variables)
	s.cfg.Variables["port"] = uint64(s.cfg.Port)
	if err := s.openStore(ctx); err != nil {
		return nil, err
	}
	if err := s.openEngine(); err != nil {
		return nil, err
	}
	identity, err := s.identity()
	if err != nil {
		return nil, err
	}
	if err := s.refuseOpenRoot(); err != nil {
		return nil, err
	}
	if s.cfg.Socket != "" {
		if s.unix, err = listenUnix(s.cfg.Socket); err != nil {
			return nil, err
		}
	}
	if err := s.writePIDFile(); err != nil {
		return nil, err
	}
	s.wire = wire.NewServer(&backend{Engine: s.engine, s: s}, wire.Options{
		ServerVersion: ServerVersion, Identity: identity, RequireTLS: func() bool { return s.engine.GlobalOn("require_secure_transport") },
		ConnectTimeout: time.Duration(s.engine.GlobalUint("connect_timeout")) * time.Second,
		Logger:         s.log,
	})
	if s.cfg.MetricsAddress != "" {
		if s.metrics, err = startMetrics(&s.cfg, &collector{s: s}); err != nil {
			return nil, err
		}
		s.log.Info("metrics", "url", "http://"+s.metrics.addr.String()+"/metrics", "pprof", s.cfg.Pprof)
	}
	// Before clients are answered: who is let in does not find a replica whose threads are not there yet.
	if !s.cfg.SkipSlaveStart {
		s.engine.Replication().StartAtBoot(ctx)
	}
	for _, l := range s.listeners() {
		s.serving.Add(1)
		go func() {
			defer s.serving.Done()
			if err := s.wire.Serve(l); !errors.Is(err, wire.ErrServerClosed) {
				s.log.Error("listener ended", "address", l.Addr().String(), "err", err)
			}
		}()
	}
	s.log.Info("ready for connections", "version", ServerVersion, "build", build, "address", s.Addr(),
		"socket", s.cfg.Socket, "datadir", s.cfg.DataDir, "took", time.Since(began).Round(time.Millisecond))
	return s, nil
}

func (s *Server) listeners() []net.Listener {
	all := append([]net.Listener{}, s.tcp...)
	if s.unix != nil {
		all = append(all, s.unix)
	}
	return all
}

// undo takes back what a failed Start has done.
func (s *Server) undo() {
	for _, l := range s.listeners() {
		_ = l.Close() // Start's own error is the one to report
	}
	if s.wire != nil {
		_ = s.wire.Shutdown(context.Background())
		s.removePIDFile()
	}
	if err := s.closeData(); err != nil {
		s.log.Error("closing after a failed start", "err", err)
	}
}

// Addr is host:port of the first TCP listener, "" without TCP.
func (s *Server) Addr() string {
	if len(s.tcp) == 0 {
		return ""
	}
	return s.tcp[0].Addr().String()
}

// Socket is the path of the unix socket, "" without one.
func (s *Server) Socket() string { return s.cfg.Socket }

// MetricsAddr is the address of the metrics server, "" without one.
func (s *Server) MetricsAddr() string {
	if s.metrics == nil {
		return ""
	}
	return s.metrics.addr.String()
}

// lastAcksMax is how long a shutdown lets commits wait for the acknowledgements of connected replicas.
const lastAcksMax = time.Second

// Shutdown ends the server: statements may finish until ctx ends and are
// cancelled then, which is no error. It is idempotent.
func (s *Server) Shutdown(ctx context.Context) error { return s.shutdown(ctx, nil) }

// ShutdownAfterReplicas is Shutdown after the replicas that are connected were sent everything that is logged, and those that acknowledge have acknowledged it: SHUTDOWN WAIT
// FOR ALL SLAVES. The waiting ends at the end of patience; ctx is for statements only.
func (s *Server) ShutdownAfterReplicas(ctx, patience context.Context) error {
	return s.shutdown(ctx, patience)
}

// shutdown ends the server; patience is nil if replicas are not waited for.
func (s *Server) shutdown(ctx, patience context.Context) error {
	s.shutdownOnce.Do(func() {
		began := time.Now()
		following := s.endReplication()
		s.engine.SemiSync.BeginEnd()
		if patience != nil {
			if err := s.wire.FinishDumps(ctx, patience, s.lastDump); err != nil {
				s.log.Warn("ending before replicas have everything", "err", err)
			}
		}
		lastAcks := time.AfterFunc(lastAcksMax, s.engine.SemiSync.End)
		defer lastAcks.Stop()
		if err := s.wire.Shutdown(ctx); errors.Is(err, wire.ErrAbandoned) {
			s.shutdownErr = s.abandon(err)
			return
		} else if err != nil {
			s.log.Warn("connections ended by force", "err", err)
		}
		if following != nil {
			s.shutdownErr = s.abandon(following)
			return
		}
		s.serving.Wait()
		if s.metrics != nil {
			s.metrics.close()
		}
		s.shutdownErr = s.closeData()
		s.removePIDFile()
		if s.shutdownErr == nil {
			s.log.Info("shutdown complete", "took", time.Since(began).Round(time.Millisecond))
		}
	})
	return s.shutdownErr
}

// replicationEndMax is how long threads that follow primaries have to roll back what they are at, once they are told to end.
const replicationEndMax = 30 * time.Second

// endReplication ends what follows primaries. They are told to end at once, so the time that statements have does not matter to them.
func (s *Server) endReplication() error {
	ctx, cancel := context.WithTimeout(context.Background(), replicationEndMax)
	defer cancel()
	return s.engine.Replication().Close(ctx)
}

// abandon ends the server with statements that do not react to their cancellation. They may be in the
// middle of anything, so the store cannot be closed under them: the process ends as after a crash, with
// the log synced, and the next start recovers. What was acknowledged is in the log; an abandoned statement
// has not been, and its transaction is not in the log unless its commit was on its way.
func (s *Server) abandon(cause error) error {
	s.removePIDFile()
	return &ExitError{Code: ExitFailure, Err: fmt.Errorf("ended without closing the data directory: %w", errors.Join(cause, s.store.Log().Sync())),
		Hint: "Nothing acknowledged is lost; the next start recovers."}
}

// refuseOpenRoot refuses addresses that others can reach as long as root may
// log in without a password.
func (s *Server) refuseOpenRoot() error {
	if loopbackOnly(s.cfg.Bind) {
		return nil
	}
	if s.engine.RootHasPassword() {
		return nil
	}
	return &ExitError{Code: ExitUnsafe,
		Err: fmt.Errorf("refusing to listen on %s: an account 'root' has no password", strings.Join(s.cfg.Bind, ",")),
		Hint: "Start with the default --bind-address=127.0.0.1, set a password, and start again:\n" +
			"  ALTER USER 'root'@'localhost' IDENTIFIED BY '...';"}
}

func (s *Server) identity() (*wire.Identity, error) {
	if !s.cfg.TLS {
		return nil, nil // no TLS is not an error
	}
	var id *wire.Identity
	var err error
	if s.cfg.Cert != "" {
		id, err = wire.LoadIdentity(s.cfg.Cert, s.cfg.Key, s.cfg.CA)
	} else {
		id, err = wire.GeneratedIdentity(s.cfg.DataDir)
	}
	if err != nil {
		return nil, &ExitError{Code: ExitUsage, Err: err, Hint: "See --ssl-cert, --ssl-key, or --skip-ssl."}
	}
	return id, nil
}

func (s *Server) writePIDFile() error {
	if s.cfg.PIDFile == "" {
		return nil
	}
	err := os.WriteFile(s.cfg.PIDFile, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644)
	if errors.Is(err, syscall.ENOSPC) {
		// The engine may be trying to write just now. Whoever has to make room needs the server more than the file.
		s.log.Warn("the disk is full: no pid file", "file", s.cfg.PIDFile)
		return nil
	}
	if err != nil {
		return fmt.Errorf("write pid file: %w", err)
	}
	return nil
}

func (s *Server) removePIDFile() {
	if s.cfg.PIDFile == "" {
		return
	}
	if err := os.Remove(s.cfg.PIDFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		s.log.Warn("remove pid file", "err", err)
	}
}

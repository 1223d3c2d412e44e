package target

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/bench/child"
	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/profiles"
)

// Options of Start.
type Options struct {
	// Dir gets the option file and the log of the server, which are kept.
	Dir string
	// DataDir is made when the server is started, and removed when it is ended.
	DataDir string
	// CacheBytes is what every server may use to cache tables; 0 leaves it the default.
	CacheBytes int64
	// Extra are lines for the option file of a started server.
	Extra []string
	// ServerID is 1 unless set. A primary and its replicas need different ones.
	ServerID int
	// Replica: no database is made, it comes with the primary's log.
	Replica bool
}

// Server is a server that answers. Methods other than Stop may be called concurrently.
type Server struct {
	Contender Contender

	address load.Address
	pid     int
	dataDir string // "" if it is not on this machine
	db      *sql.DB
	process *child.Process // nil if Running
	sockets string         // temporary directory
	log     string
	options Options
	// installed: the data directory is ours.
	installed bool
}

// How long a server may take to begin and to end.
const (
	startPatience = 3 * time.Minute
	stopPatience  = 2 * time.Minute
)

// Start makes a data directory, starts the server on it and waits until it
// answers; of a Running server it only makes the database.
func Start(ctx context.Context, c Contender, o Options) (*Server, error) {
	s := &Server{Contender: c, options: o}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", c, err), s.Stop())
	}
	return s, nil
}

func (s *Server) start(ctx context.Context) error {
	if s.Contender.Kind == Running {
		return s.connectToRunning(ctx)
	}
	s.log = filepath.Join(s.options.Dir, "server.log")
	if err := os.MkdirAll(s.options.Dir, 0o700); err != nil {
		return fmt.Errorf("make a directory for the server: %w", err)
	}
	if exists(s.options.DataDir) {
		return fmt.Errorf("%s is there already", s.options.DataDir)
	}
	s.installed, s.dataDir = true, s.options.DataDir
	if err := s.install(ctx); err != nil {
		return err
	}
	if err := s.Restart(ctx); err != nil {
		return err
	}
	if s.options.Replica {
		return nil
	}
	if _, err := s.db.ExecContext(ctx, "CREATE DATABASE "+Database); err != nil {
		return fmt.Errorf("create the database: %w", err)
	}
	return nil
}

// Address is where it listens. It changes with a Restart.
func (s *Server) Address() load.Address { return s.address }

// Pid is the process id, 0 if it is not known.
func (s *Server) Pid() int { return s.pid }

// DataDir is where its data is, "" if that is not known or not on this machine.
func (s *Server) DataDir() string { return s.dataDir }

// Restart starts the server, which must not run, on the data directory that it has.
func (s *Server) Restart(ctx context.Context) error {
	if s.Contender.Kind == Running {
		return errors.New("it was not started by us, so it is not restarted")
	}
	s.closeConnections()
	port, err := freePort()
	if err != nil {
		return err
	}
	// The path of a unix socket is limited to about 100 bytes.
	if s.sockets, err = os.MkdirTemp("", "drm"); err != nil {
		return fmt.Errorf("make a directory for the socket: %w", err)
	}
	s.address = load.Address{Host: "127.0.0.1", Port: port, User: "root", Database: Database}
	file, err := s.writeOptions()
	if err != nil {
		return err
	}
	if s.process, err = s.run(exec.Command(s.Contender.Path, s.arguments(file)...)); err != nil {
		return err
	}
	s.pid = s.process.Pid()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr = "root", "tcp", net.JoinHostPort(s.address.Host, strconv.Itoa(port))
	return s.awaitReady(ctx, cfg)
}

// arguments of the server program.
func (s *Server) arguments(file string) []string {
	var args []string
	if s.Contender.Kind == Duramen {
		args = append(args, "serve")
	}
	args = append(args, "--defaults-file="+file)
	if s.Contender.Kind != Duramen && os.Getuid() == 0 {
		args = append(args, "--user=root")
	}
	return args
}

// run starts a program that writes to the server's log.
func (s *Server) run(cmd *exec.Cmd) (*child.Process, error) {
	out, err := os.OpenFile(s.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	return child.Start(cmd)
}

// writeOptions makes the option file: the profile, then what differs from server to server.
func (s *Server) writeOptions() (string, error) {
	text, err := profiles.Read(string(s.Contender.Kind), s.Contender.Profile)
	if err != nil {
		return "", err
	}
	lines := []string{"# Added by duramen bench run."}
	if s.options.CacheBytes > 0 {
		lines = append(lines, fmt.Sprintf("innodb-buffer-pool-size = %d", s.options.CacheBytes))
	}
	lines = append(lines, engineOptions(s.Contender, s.options.CacheBytes)...)
	lines = append(lines, s.options.Extra...)
	lines = append(lines,
		"datadir = "+s.options.DataDir, "bind-address = 127.0.0.1", "port = "+strconv.Itoa(s.address.Port), "server-id = "+strconv.Itoa(max(s.options.ServerID, 1)),
		"socket = "+filepath.Join(s.sockets, "s.sock"), "pid-file = "+filepath.Join(s.sockets, "pid"))
	if s.Contender.Kind != Duramen {
		lines = append(lines, "tmpdir = "+s.sockets) // a server that starts removes the temporary tables of others from it
	}
	path := filepath.Join(s.options.Dir, "server.cnf")
	if err := os.WriteFile(path, []byte(text+strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write the option file: %w", err)
	}
	return path, nil
}

// awaitReady waits until the server answers, has ended, or the time is over.
func (s *Server) awaitReady(ctx context.Context, cfg *mysql.Config) error {
	cfg.Timeout = 5 * time.Second
	cfg.Logger = &mysql.NopLogger{} // until it listens, connections fail
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	s.db = sql.OpenDB(connector)
	s.db.SetMaxOpenConns(2)
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var ended <-chan struct{}
	if s.process != nil {
		ended = s.process.Done()
	}
	for {
		err := s.db.PingContext(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ended:
			err := s.howItEnded()
			s.process = nil // nothing is left that Stop could end, and complain about
			return fmt.Errorf("it ended instead of starting: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("it does not answer: %w (%w)", err, context.Cause(ctx))
		case <-tick.C:
		}
	}
}

const logTailBytes = 2000

func (s *Server) logTail() string {
	b, err := os.ReadFile(s.log)
	if err != nil {
		return err.Error()
	}
	return strings.ToValidUTF8(strings.TrimSpace(string(b[max(0, len(b)-logTailBytes):])), "?")
}

// Alive tells whether the server's process runs; of a Running server whether it answers.
func (s *Server) Alive(ctx context.Context) error {
	if s.process != nil && !s.process.Running() {
		return fmt.Errorf("the server has ended: %w", s.howItEnded())
	}
	if err := s.db.PingContext(ctx); err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	return nil
}

// howItEnded describes the end of the process.
func (s *Server) howItEnded() error {
	err := s.process.Wait()
	if err == nil {
		err = errors.New("exit code 0")
	}
	return fmt.Errorf("%w; its log ends with:\n%s", err, s.logTail())
}

// Stop ends the server and removes its data. It may be called again.
func (s *Server) Stop() error {
	var errs []error
	if s.Contender.Kind == Running && s.db != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if _, err := s.db.ExecContext(ctx, "DROP DATABASE IF EXISTS "+Database); err != nil {
			errs = append(errs, fmt.Errorf("drop the database: %w", err))
		}
	}
	s.closeConnections()
	if s.process != nil {
		if err := s.process.Stop(stopPatience); err != nil {
			errs = append(errs, fmt.Errorf("end the server: %w; its log ends with:\n%s", err, s.logTail()))
		}
		s.process = nil
	}
	if s.sockets != "" {
		errs = append(errs, os.RemoveAll(s.sockets))
	}
	if s.installed {
		errs = append(errs, os.RemoveAll(s.options.DataDir))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%s: %w", s.Contender, err)
	}
	return nil
}

func (s *Server) closeConnections() {
	if s.db != nil {
		_ = s.db.Close() // a connection that is broken already is as good as closed
		s.db = nil
	}
	if s.process != nil && s.sockets != "" {
		_ = os.RemoveAll(s.sockets) // of a former run; a leftover in /tmp is no reason to fail
	}
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("look for a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

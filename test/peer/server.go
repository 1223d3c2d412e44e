package peer

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Servers are killed on purpose here: what the driver has to say about broken
// connections reaches the tests as errors.
func init() { _ = mysql.SetLogger(&mysql.NopLogger{}) }

// Kind says which server software a Server runs.
type Kind string

// The kinds of servers.
const (
	Duramen Kind = "duramen"
	MariaDB Kind = "mariadb"
	MySQL   Kind = "mysql"
)

// Options of a server. The zero value starts a fresh server in a directory of
// the test.
type Options struct {
	Kind Kind     // default: the server under test
	Dir  string   // data directory; a new one if empty
	Args []string // further options, such as "--sync_binlog=0"
	Env  []string // further environment variables
	// Wrap is put before the command line, such as {"strace", "-f"}.
	Wrap []string
	// ServerID is 1 unless set. A primary and its replica need different ones.
	ServerID int
	// Binlog makes a MariaDB write a binary log; Duramen always does.
	Binlog bool
	// Relays makes a MariaDB write what it applies as a replica into its binary log, too; Duramen always does.
	Relays bool
}

// Server is a running server process. It is not safe for concurrent use, except
// for DB, DSN and Addr.
type Server struct {
	Kind   Kind
	Dir    string
	Port   int
	Socket string
	Log    string // file with everything the server printed

	t    testing.TB
	opts Options
	cmd  *exec.Cmd
	done chan struct{} // closed when the process has ended
	err  error         // how it ended; valid after done
}

// Start starts the server under test and waits until it answers.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Kind == "" {
		o.Kind = underTest(t)
	}
	s := prepare(t, o)
	s.Up()
	return s
}

// StartMariaDB starts a real MariaDB; the test is skipped where there is none.
func StartMariaDB(t testing.TB, o Options) *Server {
	t.Helper()
	RequireMariaDB(t)
	o.Kind = MariaDB
	return Start(t, o)
}

// Prepare gives a Server that is not running yet: see Up and Launch.
func Prepare(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Kind == "" {
		o.Kind = underTest(t)
	}
	return prepare(t, o)
}

func underTest(t testing.TB) Kind {
	if os.Getenv("DURAMEN_TEST_PEER") == string(MariaDB) {
		RequireMariaDB(t)
		return MariaDB
	}
	return Duramen
}

func prepare(t testing.TB, o Options) *Server {
	t.Helper()
	base := t.TempDir()
	if o.Dir == "" {
		o.Dir = filepath.Join(base, "data")
	}
	if o.ServerID == 0 {
		o.ServerID = 1
	}
	// A unix socket's path has to stay under 108 bytes, which the directory of a
	// subtest with a long name does not.
	sockets, err := os.MkdirTemp("", "drm")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{
		Kind: o.Kind, Dir: o.Dir, Port: FreePort(t),
		Socket: filepath.Join(sockets, "s.sock"),
		Log:    filepath.Join(base, "server.log"),
		t:      t, opts: o,
	}
	t.Cleanup(func() {
		s.Kill()
		_ = os.RemoveAll(sockets) // in /tmp
		if t.Failed() {
			t.Logf("log of the %s server on port %d:\n%s", s.Kind, s.Port, s.LogTail(6000))
		}
	})
	return s
}

// FreePort gives a TCP port of the loopback address that nobody listens on.
func FreePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("looking for a free port: %v", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// Command is the command line that starts the server.
func (s *Server) Command() []string {
	common := []string{
		"--datadir=" + s.Dir, "--port=" + strconv.Itoa(s.Port), "--socket=" + s.Socket,
		"--bind-address=127.0.0.1", "--server-id=" + strconv.Itoa(s.opts.ServerID),
	}
	var line []string
	switch s.Kind {
	case Duramen:
		line = append([]string{Binary(s.t), "serve"}, common...)
	case MariaDB:
		line = append([]string{"mariadbd", "--no-defaults"}, common...)
		line = append(line, "--skip-log-error", "--character-set-server=utf8mb4", "--pid-file="+s.Socket+".pid", "--tmpdir="+s.tmp())
		if os.Getuid() == 0 {
			line = append(line, "--user=root")
		}
		if s.opts.Binlog || s.opts.Relays {
			line = append(line, "--log-bin=binlog", "--binlog-format=ROW")
		}
		if s.opts.Relays {
			line = append(line, "--log-slave-updates")
		}
	case MySQL:
		program, args := s.mysqlCommand()
		line = append(append([]string{program}, common...), args...)
	default:
		s.t.Fatalf("unknown kind of server %q", s.Kind)
	}
	line = append(line, s.opts.Args...)
	return append(append([]string{}, s.opts.Wrap...), line...)
}

// tmp is the directory for a MariaDB server's temporary tables. No two servers may share one: a server that starts
// removes everything called #sql… from it, and the other ends with signal 11 at its next temporary table.
func (s *Server) tmp() string { return filepath.Dir(s.Socket) }

// Launch starts the process and returns at once.
func (s *Server) Launch() {
	s.t.Helper()
	switch s.Kind {
	case MariaDB:
		s.installMariaDB()
	case MySQL:
		s.installMySQL()
	case Duramen:
	}
	line := s.Command()
	out, err := os.OpenFile(s.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		s.t.Fatal(err)
	}
	defer out.Close()
	s.cmd = exec.Command(line[0], line[1:]...)
	s.cmd.Stdout, s.cmd.Stderr = out, out
	s.cmd.Env = append(os.Environ(), s.opts.Env...)
	// A group of its own, so that a signal reaches the server behind a wrapper.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.done = make(chan struct{})
	if err := s.cmd.Start(); err != nil {
		s.t.Fatalf("starting %v: %v", line, err)
	}
	go func(cmd *exec.Cmd, done chan struct{}) {
		s.err = cmd.Wait()
		close(done)
	}(s.cmd, s.done)
}

// Up starts the process and waits until it answers a query.
func (s *Server) Up() {
	s.t.Helper()
	s.Launch()
	db := s.DB("")
	defer db.Close()
	deadline := time.Now().Add(90 * time.Second)
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		_, err := db.ExecContext(ctx, "DO 1")
		cancel()
		if err == nil {
			return
		}
		select {
		case <-s.done:
			s.t.Fatalf("the %s server ended instead of starting: %v\n%s", s.Kind, s.err, s.LogTail(4000))
		case <-tick.C:
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the %s server does not answer: %v\n%s", s.Kind, err, s.LogTail(4000))
		}
	}
}

// Pid is the process id of the server (of its wrapper, if there is one).
func (s *Server) Pid() int { return s.cmd.Process.Pid }

// Kill ends the process with SIGKILL, as a power cut would the machine.
func (s *Server) Kill() {
	if s.running() {
		_ = syscall.Kill(-s.Pid(), syscall.SIGKILL)
		<-s.done
	}
}

// Stop ends the process with SIGTERM and waits for a clean shutdown.
func (s *Server) Stop() {
	s.t.Helper()
	if !s.running() {
		return
	}
	_ = syscall.Kill(-s.Pid(), syscall.SIGTERM)
	if err := s.Wait(2 * time.Minute); err != nil {
		s.t.Fatalf("shutdown of the %s server: %v\n%s", s.Kind, err, s.LogTail(4000))
	}
}

// Restart is Stop and Up: same directory, same port.
func (s *Server) Restart() {
	s.t.Helper()
	s.Stop()
	s.Up()
}

// ErrStillRunning is what Wait returns when the process has not ended in time.
var ErrStillRunning = errors.New("the server is still running")

// Wait waits for the process to end and returns how it ended (nil: exit code 0).
func (s *Server) Wait(atMost time.Duration) error {
	select {
	case <-s.done:
		return s.err
	case <-time.After(atMost):
		return ErrStillRunning
	}
}

// ExitCode is the exit code of the ended process, or -1.
func (s *Server) ExitCode() int {
	if s.running() || s.cmd == nil {
		return -1
	}
	return s.cmd.ProcessState.ExitCode()
}

// Running tells whether the process was started and has not ended.
func (s *Server) Running() bool { return s.running() }

func (s *Server) running() bool {
	if s.done == nil {
		return false
	}
	select {
	case <-s.done:
		return false
	default:
		return true
	}
}

// LogTail gives the last n bytes of what the server printed.
func (s *Server) LogTail(n int) string {
	b, err := os.ReadFile(s.Log)
	if err != nil {
		return err.Error()
	}
	if len(b) > n {
		b = b[len(b)-n:]
	}
	return string(bytes.ToValidUTF8(b, []byte("?")))
}

// Addr is host:port.
func (s *Server) Addr() string { return "127.0.0.1:" + strconv.Itoa(s.Port) }

// DSN is the data source name for the Go driver, for user root.
func (s *Server) DSN(db string) string {
	return fmt.Sprintf("root@tcp(%s)/%s?timeout=5s", s.Addr(), db)
}

// DB opens a pool of connections for user root; db may be empty.
func (s *Server) DB(db string, params ...string) *sql.DB {
	dsn := s.DSN(db)
	for _, p := range params {
		dsn += "&" + p
	}
	pool, err := sql.Open("mysql", dsn)
	if err != nil {
		s.t.Fatalf("opening %s: %v", dsn, err)
	}
	return pool
}

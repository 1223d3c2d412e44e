package duramen

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/server"
)

// Version is the release of Duramen; ServerVersion is what SELECT VERSION() answers.
const (
	Version       = server.Version
	ServerVersion = server.ServerVersion
)

// Options say what to serve and where. Dir is required; the zero value of
// everything else is its default.
type Options struct {
	// Dir is the data directory. It is made if it does not exist.
	Dir string
	// Address is host:port to listen on; "" for a free port of 127.0.0.1, "-"
	// for no TCP. An address that others can reach is refused as long as root
	// has no password.
	Address string
	// Socket is the path of a unix socket; "" for none.
	Socket string
	// Args are further options as on the command line, such as
	// "--sync-binlog=0". They come after, and so win over, the fields above.
	Args []string
	// Logger is slog.Default if nil.
	Logger *slog.Logger
}

// Server is a running server.
type Server struct{ s *server.Server }

// Start opens the data directory, recovers it if need be, and serves it. A
// directory that another server uses, that is damaged or of another format, and
// an address in use are errors; server.ExitCode tells them apart.
func Start(ctx context.Context, o Options) (*Server, error) {
	args, err := arguments(o)
	if err != nil {
		return nil, err
	}
	cfg, err := server.ParseConfig(args)
	if err != nil {
		return nil, fmt.Errorf("duramen: %w", err)
	}
	if o.Socket == "" {
		cfg.Socket = ""
	}
	if cfg.Logger = o.Logger; cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	s, err := server.Start(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("duramen: %w", err)
	}
	return &Server{s: s}, nil
}

// Addr is the host:port that the server listens on, "" without TCP.
func (s *Server) Addr() string { return s.s.Addr() }

// DSN is a data source name for github.com/go-sql-driver/mysql.
func (s *Server) DSN(user, password string) string {
	if user != "" && password != "" {
		user += ":" + password
	}
	if s.Addr() == "" {
		return user + "@unix(" + s.s.Socket() + ")/"
	}
	return user + "@tcp(" + s.Addr() + ")/"
}

// Log is the server's binary log, for readers within this program
// (binlog.Log.NewReader). Nothing but the server may write to it.
func (s *Server) Log() *binlog.Log { return s.s.Log() }

// SetAfterSync has hook called for each group of transactions when it is
// durable, and neither acknowledged nor visible to other transactions. Readers
// of the log see it up to end by then. Groups come one at a time, in the order
// of the log, and wait for the hook: a program that copies the log there
// acknowledges nothing that it has not copied. nil removes the hook.
func (s *Server) SetAfterSync(hook func(end logpos.Pos)) { s.s.SetAfterSync(hook) }

// closeTimeout is how long Close lets statements run.
const closeTimeout = 10 * time.Second

// Close shuts the server down: statements that still run after ten seconds
// are cancelled.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	return s.Shutdown(ctx)
}

// Shutdown is Close with a deadline of the caller's.
func (s *Server) Shutdown(ctx context.Context) error { return s.s.Shutdown(ctx) }

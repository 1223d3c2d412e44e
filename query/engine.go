package query

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/admin"
	"github.com/duramendb/duramen/query/engines"
	"github.com/duramendb/duramen/query/gms"
	"github.com/duramendb/duramen/query/gms/variable"
	"github.com/duramendb/duramen/query/memory"
	"github.com/duramendb/duramen/query/native"
	"github.com/duramendb/duramen/query/process"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/status"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/replication/replica"
	"github.com/duramendb/duramen/replication/replica/apply"
	"github.com/duramendb/duramen/replication/replica/primary"
	"github.com/duramendb/duramen/replication/source/semisync"
	"github.com/duramendb/duramen/store"
)

// DefaultVersion is VERSION() if Config.Version is empty.
const DefaultVersion = "10.11.14-MariaDB-duramen-0.1"

// Config is what an Engine is made of.
type Config struct {
	// Store is the open data directory. The Engine does not close it.
	Store *store.Store
	// Version is what VERSION() and the handshake say; DefaultVersion if empty.
	Version string
	// Variables are values of system variables to start with (from the command
	// line and the option file), read-only ones included, by MariaDB's names and
	// in the Go types of package sysvar (a bool is taken too). Of those with HasRules it is a list of rules ([]string), or a text as SET takes it;
	// before their names the name of a connection and a point may stand.
	Variables map[string]any
	// Shutdown asks for the end of the server, which is to wait until replicas have everything if so, and returns at once; nil if it
	// cannot be asked for by SQL.
	Shutdown func(waitForReplicas bool)
	// Unfinished says that the data directory is being made of another server's (store.Options): its accounts do not count yet, but root without a
	// password does. No account is changed meanwhile.
	Unfinished bool
	// Logger is slog.Default if nil.
	Logger *slog.Logger
	// Replica is what connections to primaries are made of. The file's place and what options say is the caller's. Receive, Apply, SetSlavePos and the
	// positions are those of a real server if they are nil (tests have others), and the rest is filled in. Without FS the settings are in memory only.
	Replica replica.Config
}

// Engine runs SQL for all sessions of one server. It is safe for concurrent use.
type Engine struct {
	session.Server
	cfg Config
	sql *gms.Engine

	sessions   *admin.Sessions
	admin      admin.Server
	retention  retention
	lastID     atomic.Uint32
	executions executions
	// semiSyncReplicas are the connections to primaries that wait for acknowledgements, acksSent those that were sent.
	semiSyncReplicas atomic.Int64
	acksSent         atomic.Uint64
	// duplicates is shared by the appliers of all connections, for gtid_ignore_duplicates.
	duplicates *apply.Duplicates
	filters    *filters
	tables     native.Tables
	programs   native.Programs
}

// New makes an Engine over an open store. On the first start it makes the account
// root@localhost without a password.
func New(cfg Config) (*Engine, error) {
	if cfg.Version == "" {
		cfg.Version = DefaultVersion
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	e := &Engine{
		cfg: cfg, sessions: admin.NewSessions(), filters: newFilters(),
		Server: session.Server{
			Store: cfg.Store, Globals: sysvar.NewGlobals(), Log: cfg.Logger, Memory: memory.NewServer(memory.OfProcess()),
			Accounts: account.NewStore(), Status: status.New(), SemiSync: semisync.New(semisync.Config{FileName: cfg.Store.Log().SegmentName, Logger: cfg.Logger}), Engines: engines.Of(cfg.Store.Engine().Engines()), SQL: gms.Charsets{},
		},
	}
	variable.Serve(e.Globals)
	if err := e.setUpVariables(); err != nil {
		return nil, err
	}
	files, err := e.fileAccess()
	if err != nil {
		return nil, err
	}
	e.admin = admin.Server{Server: &e.Server, Sessions: e.sessions, Started: time.Now(), LastID: &e.lastID, Shutdown: cfg.Shutdown, Programs: e.programs.Size,
		SemiSyncReplica: func() (int64, uint64) { return e.semiSyncReplicas.Load(), e.acksSent.Load() }}
	e.sql = gms.New(&e.Server, gms.Config{
		Version: cfg.Version, Files: files, Kill: e.Kill, Processes: e.processes, Rows: e.admin.SchemaRows(),
		WaitPlace: func(ctx context.Context, connection, file string, pos uint64) (int64, bool, error) {
			moves, ok, err := e.Replication().WaitPlace(ctx, connection, primary.Place{File: file, Pos: pos})
			return moves, ok, admin.ReplicaError(err)
		},
	})
	e.admin.SQL = e.sql
	e.Store.Txns().SetTriggers(e.tables.HasTriggers)
	if err := e.openReplication(); err != nil {
		return nil, fmt.Errorf("replication: %w", err)
	}
	e.programs.SetSize(int64(e.Globals.Uint("duramen_direct_path_size")))
	e.Globals.OnSet("duramen_direct_path_size", func(_ context.Context, v any) (any, error) {
		e.programs.SetSize(int64(session.UintOf(v)))
		return v, nil
	})
	if err := e.loadAccounts(); err != nil {
		return nil, fmt.Errorf("load accounts: %w", err)
	}
	return e, nil
}

// processes are the connections.
func (e *Engine) processes() []process.Info {
	var out []process.Info
	for _, s := range e.sessions.All() {
		out = append(out, s.Proc.Info())
	}
	return out
}

// Close ends what follows primaries, and all sessions' statements. The store stays open.
func (e *Engine) Close() error {
	stopped := e.Replication().Close(context.Background())
	for _, s := range e.sessions.All() {
		s.Proc.Kill(true)
	}
	return errors.Join(stopped, e.sql.Close())
}

// Version is VERSION().
func (e *Engine) Version() string { return e.cfg.Version }

// Variables are the global system variables.
func (e *Engine) Variables() *sysvar.Globals { return e.Globals }

// GlobalUint returns the global value of an unsigned system variable.
func (e *Engine) GlobalUint(name string) uint64 { return e.Globals.Uint(name) }

// GlobalOn returns the global value of a system variable that is ON or OFF.
func (e *Engine) GlobalOn(name string) bool { return e.Globals.On(name) }

// GlobalString returns the global value of a text system variable.
func (e *Engine) GlobalString(name string) string { return e.Globals.Str(name) }

// NextConnectionID hands out connection ids.
func (e *Engine) NextConnectionID() uint32 {
	for {
		if id := e.lastID.Add(1); id != 0 {
			return id
		}
	}
}

// Kill ends the running statement of a session, and its connection unless
// queryOnly; false if there is no such session.
func (e *Engine) Kill(id uint32, queryOnly bool) bool {
	s := e.sessions.Get(id)
	if s == nil {
		return false
	}
	s.Proc.Kill(!queryOnly)
	return true
}

// RegisterReplica notes a replica for SHOW SLAVE HOSTS.
func (e *Engine) RegisterReplica(connID uint32, info admin.ReplicaInfo) {
	e.admin.Replicas.Put(connID, info)
}

// UnregisterReplica forgets it; Session.Close does so too.
func (e *Engine) UnregisterReplica(connID uint32) { e.admin.Replicas.Remove(connID) }

// CountStatus adds to a global status variable (Aborted_connects, Bytes_received ...).
func (e *Engine) CountStatus(name string, delta int64) { e.Status.Add(name, delta) }

func (e *Engine) setUpVariables() error {
	host, _ := os.Hostname()
	defaults := map[string]any{
		"version": e.cfg.Version, "version_comment": "Duramen, one log", "hostname": host,
		"version_compile_os": "Linux", "version_compile_machine": machine(), "version_ssl_library": "Go crypto/tls",
		"version_malloc_library": "Go", "datadir": e.Store.Dir(), "large_files_support": true,
		"log_bin_basename": e.Store.Dir() + "/binlog", "log_bin_index": e.Store.Dir() + "/binlog.index",
		"tmpdir": os.TempDir(), "system_time_zone": localZone(), "server_uid": "",
	}
	for name, v := range defaults {
		if err := e.Globals.Configure(name, v); err != nil {
			return err
		}
	}
	variables, err := e.filters.configure(e.cfg.Variables)
	if err != nil {
		return err
	}
	for name, v := range variables {
		name = strings.ReplaceAll(name, "-", "_")
		if err := e.Globals.Configure(name, v); err != nil {
			return fmt.Errorf("option %s: %w", name, err)
		}
	}
	if e.Globals.Uint("report_port") == 0 {
		if err := e.Globals.Configure("report_port", e.Globals.Uint("port")); err != nil {
			return err
		}
	}
	if err := e.setUpEngineVariables(); err != nil {
		return err
	}
	if err := e.setUpCharsetVariables(); err != nil {
		return err
	}
	e.wireVariables()
	return e.wireUnsupported()
}

// setUpCharsetVariables looks at the options character_set_server and collation_server, of which one may follow from
// the other. What new connections begin with follows from the clients' character sets, not from these.
func (e *Engine) setUpCharsetVariables() error {
	said := map[string]string{}
	for name, v := range e.cfg.Variables {
		said[strings.ReplaceAll(name, "-", "_")] = fmt.Sprint(v)
	}
	set, collation := said["character_set_server"], said["collation_server"]
	if set == "" && collation == "" {
		return nil
	}
	set, collation, err := gms.ServerCharset(set, collation)
	if err != nil {
		return fmt.Errorf("option character_set_server or collation_server: %w", err)
	}
	for name, v := range map[string]string{
		"character_set_server": set, "collation_server": collation, "character_set_database": set, "collation_database": collation,
	} {
		if err := e.Globals.Configure(name, v); err != nil {
			return err
		}
	}
	return nil
}

// setUpEngineVariables looks at the options that name storage engines.
func (e *Engine) setUpEngineVariables() error {
	for _, name := range engines.Variables {
		asked, _ := e.Globals.Get(name)
		v, err := e.Engines.Variable(context.Background(), name, asked)
		if err != nil {
			return fmt.Errorf("option %s: %w", name, err)
		}
		if v == asked {
			continue
		}
		if err := e.Globals.Configure(name, v); err != nil {
			return err
		}
		if e.Engines.Named(fmt.Sprint(asked)) == nil {
			e.Log.Warn("another storage engine stands in for the one that is asked for", "option", name, "asked", asked, "engine", v)
		}
	}
	return nil
}

func localZone() string {
	zone, _ := time.Now().Zone()
	return zone
}

func machine() string {
	if runtime.GOARCH == "amd64" {
		return "x86_64"
	}
	return runtime.GOARCH
}

// SQLEngine is the engine of go-mysql-server below, for its own test suite.
func (e *Engine) SQLEngine() *gms.Engine { return e.sql }

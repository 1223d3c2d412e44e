package enginetest

import (
	"context"
	"io"
	"log/slog"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	suite "github.com/dolthub/go-mysql-server/enginetest"
	"github.com/dolthub/go-mysql-server/enginetest/scriptgen/setup"
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/query/gms"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/server"
	"github.com/duramendb/duramen/store"
)

// slow are the functions that only the full run affords.
var slow = map[string]bool{}

// sessionBackend is the server's own: query.Session over a store on a file
// system in memory.
type sessionBackend struct{}

var _ backend = sessionBackend{}

func (sessionBackend) harness() harness  { return &sessionHarness{} }
func (sessionBackend) readOnly() harness { return &sessionHarness{} }

// root is the account that the suite runs as.
var root = sql.Client{User: "root", Address: "localhost"}

// sessionHarness makes engines over fresh stores. All contexts share one
// session, as those of go-mysql-server's memory harness do.
type sessionHarness struct {
	setup []setup.SetupScript

	engine  *query.Engine
	session *query.Session
	ran     string                        // the text of the last statement
	clients map[*query.Session]sql.Client // who is logged in
}

var (
	_ harness                       = (*sessionHarness)(nil)
	_ suite.TransactionHarness      = (*sessionHarness)(nil)
	_ suite.ResultEvaluationHarness = (*sessionHarness)(nil)
)

// Setup implements Harness.
func (h *sessionHarness) Setup(scripts ...[]setup.SetupScript) {
	h.setup = nil
	for _, s := range scripts {
		h.setup = append(h.setup, s...)
	}
}

// NewEngine implements Harness.
func (h *sessionHarness) NewEngine(t *testing.T) (suite.QueryEngine, error) {
	if err := h.open(t); err != nil {
		return nil, err
	}
	theJudge.begin()
	engine := &sessionEngine{h: h, engine: h.engine}
	scripts := h.setup
	if len(scripts) == 0 {
		scripts = setup.MydbData
	}
	ctx := suite.NewContext(h)
	for _, script := range scripts {
		for _, statement := range script {
			// What MariaDB has not (an index over an expression, say) is left out: the
			// tests that need it fail.
			if _, _, _, err := engine.Query(ctx, statement); err != nil {
				t.Logf("setting up: %v: %s", sent(err), statement)
			}
		}
	}
	h.session = nil // what the setup has set must not leak into the test
	return engine, nil
}

// expectations are the system variables that the suite's answers depend on,
// where MariaDB's defaults are not MySQL's.
func expectations() map[string]any {
	return map[string]any{
		"sql_mode":             suiteMode,
		"character_set_server": "utf8mb4",
		"collation_server":     "utf8mb4_bin",
		"secure_file_priv":     "",
		"local_infile":         true,

		"log_bin_trust_function_creators": true,
	}
}

const suiteMode = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION"

// open replaces the harness's engine by one over an empty store, which lives as
// long as the test.
func (h *sessionHarness) open(t *testing.T) error {
	syncNever := uint64(0) // nothing crashes here
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	st, err := store.Open(context.Background(), store.Options{
		FS: vfs.NewMem(), Dir: "/data", Engines: []engine.Kind{lsm.Kind{}}, ServerID: 1,
		MaxBinlogSize: 1 << 20, NoPreallocate: true, SyncBinlog: &syncNever,
		Collations: func(id uint16) (row.WeightFunc, bool) { return collation.Lookup(id) },
		Logger:     quiet,
	})
	if err != nil {
		return err
	}
	loud := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelError}))
	e, err := query.New(query.Config{Store: st, Version: server.ServerVersion, Variables: expectations(), Logger: loud})
	if err != nil {
		return err
	}
	h.engine, h.session, h.clients = e, nil, map[*query.Session]sql.Client{}
	sessions := h.clients
	t.Cleanup(func() {
		for s := range sessions {
			s.Close()
		}
		if err := e.Close(); err != nil {
			t.Errorf("closing the engine: %v", err)
		}
		if err := st.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return nil
}

func (h *sessionHarness) connInfo(client sql.Client) session.ConnInfo {
	return session.ConnInfo{User: client.User, Host: client.Address, Collation: mysql.Collation_utf8mb4_bin,
		Capabilities: mysql.CLIENT_LOCAL_FILES | mysql.CLIENT_MULTI_RESULTS}
}

func (h *sessionHarness) connect(client sql.Client) *query.Session {
	s, err := h.engine.NewSession(h.connInfo(client))
	if err != nil {
		panic(err) // the suite's interface knows no error here
	}
	h.clients[s] = client
	return s
}

// login makes the session that of the context's client: the suite changes
// clients within a session.
func (h *sessionHarness) login(s *query.Session, ctx *sql.Context) error {
	now, wanted := h.clients[s], ctx.Client()
	if wanted.User == now.User && wanted.Address == now.Address || wanted.User == "" {
		return nil
	}
	db := s.DB()
	if err := s.ChangeUser(context.Background(), h.connInfo(wanted)); err != nil {
		return err
	}
	ctx.Session = s.SQL().SQLContext(ctx).Session
	ctx.SetCurrentDatabase(db)
	h.clients[s] = sql.Client{User: wanted.User, Address: wanted.Address}
	theJudge.forget(s)
	return nil
}

// sessionOf is the session of a context, nil if it is none of ours.
func (h *sessionHarness) sessionOf(ctx *sql.Context) *query.Session {
	of := gms.SessionOf(ctx)
	for s := range h.clients {
		if s.SQL() == of {
			return s
		}
	}
	return nil
}

func contextOf(s *query.Session) *sql.Context {
	return s.SQL().SQLContext(context.Background())
}

// NewContext implements Harness.
func (h *sessionHarness) NewContext() *sql.Context {
	if h.session == nil {
		h.session = h.connect(root)
	}
	return contextOf(h.session)
}

// NewSession implements TransactionHarness.
func (h *sessionHarness) NewSession() *sql.Context {
	h.session = h.connect(root)
	return h.NewContext()
}

// NewContextWithClient implements ClientHarness.
func (h *sessionHarness) NewContextWithClient(client sql.Client) *sql.Context {
	return contextOf(h.connect(client))
}

// SupportsNativeIndexCreation implements IndexHarness.
func (*sessionHarness) SupportsNativeIndexCreation() bool { return true }

// SupportsForeignKeys implements ForeignKeyHarness.
func (*sessionHarness) SupportsForeignKeys() bool { return true }

// SupportsKeylessTables implements KeylessTableHarness.
func (*sessionHarness) SupportsKeylessTables() bool { return true }

// NewReadOnlyEngine implements ReadOnlyDatabaseHarness.
func (h *sessionHarness) NewReadOnlyEngine(sql.DatabaseProvider) (suite.QueryEngine, error) {
	s := h.connect(root)
	for _, statement := range []string{
		"CREATE USER reader@localhost", "GRANT ALL ON *.* TO reader@localhost",
		"REVOKE SUPER, READ_ONLY ADMIN ON *.* FROM reader@localhost", "SET GLOBAL read_only=1",
	} {
		var out sink
		err := s.Execute(context.Background(), statement, &out)
		theJudge.see(s, root, "", statement, out.worded(err))
		if err != nil {
			return nil, err
		}
	}
	h.session = h.connect(sql.Client{User: "reader", Address: "localhost"})
	return &sessionEngine{h: h, engine: h.engine}, nil
}

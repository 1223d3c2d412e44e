package enginetest

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	sqle "github.com/dolthub/go-mysql-server"
	suite "github.com/dolthub/go-mysql-server/enginetest"
	"github.com/dolthub/go-mysql-server/enginetest/scriptgen/setup"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/duramendb/duramen/collation"
	"github.com/duramendb/duramen/query/tables"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/store"
)

// slow are the functions that only the full run affords.
var slow = map[string]bool{}

// storeBackend is our storage, on a file system in memory.
type storeBackend struct{}

var _ backend = storeBackend{}

func (storeBackend) harness() harness        { return &storeHarness{} }
func (storeBackend) keepingSession() harness { return &storeHarness{keepSession: true} }
func (storeBackend) readOnly() harness       { return &storeHarness{} }

func (storeBackend) persistable(h harness) func(*sql.Context) sql.PersistableSession {
	return func(*sql.Context) sql.PersistableSession {
		s := h.(*storeHarness)
		s.session = nil
		return s.NewContext().Session.(*session)
	}
}

func (storeBackend) validating(count *int) func(*sql.Context) sql.PersistableSession {
	return func(ctx *sql.Context) sql.PersistableSession {
		s := ctx.Session.(*session)
		s.validated = func() { *count++ }
		return s
	}
}

// storeHarness makes engines over fresh stores. All contexts share one session,
// as those of the memory harness do.
type storeHarness struct {
	setup       []setup.SetupScript
	keepSession bool
	st          *store.Store
	session     *session

	mu       sync.Mutex
	sessions []*session // of the store; what they leave open ends with it
}

var (
	_ harness                  = (*storeHarness)(nil)
	_ suite.TransactionHarness = (*storeHarness)(nil)
)

// Setup implements Harness.
func (h *storeHarness) Setup(scripts ...[]setup.SetupScript) {
	h.setup = nil
	for _, s := range scripts {
		h.setup = append(h.setup, s...)
	}
}

// NewEngine implements Harness.
func (h *storeHarness) NewEngine(t *testing.T) (suite.QueryEngine, error) {
	if err := h.openStore(t); err != nil {
		return nil, err
	}
	provider := tables.NewProvider()
	for _, p := range memory.ExternalStoredProcedures {
		provider.RegisterProcedure(p)
	}
	engine := h.engineOver(provider)
	scripts := h.setup
	if len(scripts) == 0 {
		scripts = setup.MydbData
	}
	if _, err := suite.RunSetupScripts(suite.NewContext(h), engine, scripts, true); err != nil {
		return nil, err
	}
	if !h.keepSession {
		h.session = nil // what the setup has set must not leak into the test
	}
	return engine, nil
}

func (h *storeHarness) engineOver(provider sql.DatabaseProvider) *sqle.Engine {
	engine := suite.NewEngineWithProvider(nil, h, provider)
	engine.Analyzer.Catalog.StatsProvider = memory.NewStatsProv()
	builder := rowexec.NewBuilder(nil, sql.EngineOverrides{})
	builder.Runner = engine
	builder.PriorityBuilder = statements{base: builder}
	engine.Analyzer.ExecBuilder = builder
	return engine
}

// openStore replaces the harness's store by an empty one, which lives as long
// as the test.
func (h *storeHarness) openStore(t *testing.T) error {
	syncNever := uint64(0) // nothing crashes here
	st, err := store.Open(context.Background(), store.Options{
		FS: vfs.NewMem(), Dir: "data", ServerID: 1,
		MaxBinlogSize: 1 << 20, NoPreallocate: true, SyncBinlog: &syncNever,
		Collations: func(id uint16) (row.WeightFunc, bool) { return collation.Lookup(id) },
		Logger:     slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		return err
	}
	h.st, h.session = st, nil
	if t != nil {
		t.Cleanup(func() {
			h.rollBack(st)
			if err := st.Close(); err != nil {
				t.Errorf("closing the store: %v", err)
			}
		})
	}
	return nil
}

func (h *storeHarness) newSession(base *sql.BaseSession) *session {
	s := newSession(base, h.st)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions = append(h.sessions, s)
	return s
}

// rollBack ends the transactions that tests left open on the store.
func (h *storeHarness) rollBack(st *store.Store) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		if s.st == st {
			_ = s.Rollback(nil, nil)
		}
	}
}

// NewContext implements Harness.
func (h *storeHarness) NewContext() *sql.Context {
	if h.session == nil {
		h.session = h.newSession(suite.NewBaseSession())
	}
	return sql.NewContext(context.Background(), sql.WithSession(h.session))
}

// NewSession implements TransactionHarness.
func (h *storeHarness) NewSession() *sql.Context {
	h.session = h.newSession(suite.NewBaseSession())
	return h.NewContext()
}

// NewContextWithClient implements ClientHarness.
func (h *storeHarness) NewContextWithClient(client sql.Client) *sql.Context {
	s := h.newSession(sql.NewBaseSessionWithClientServer("address", client, 1))
	return sql.NewContext(context.Background(), sql.WithSession(s))
}

// SessionBuilder implements ServerHarness.
func (h *storeHarness) SessionBuilder() server.SessionBuilder {
	return func(_ context.Context, c *mysql.Conn, addr string) (sql.Session, error) {
		client := sql.Client{Capabilities: c.Capabilities}
		if u, ok := c.UserData.(sql.MysqlConnectionUser); ok {
			client.Address, client.User = u.Host, u.User
		}
		return h.newSession(sql.NewBaseSessionWithClientServer(addr, client, c.ConnectionID)), nil
	}
}

// SupportsNativeIndexCreation implements IndexHarness.
func (*storeHarness) SupportsNativeIndexCreation() bool { return true }

// SupportsForeignKeys implements ForeignKeyHarness.
func (*storeHarness) SupportsForeignKeys() bool { return true }

// SupportsKeylessTables implements KeylessTableHarness.
func (*storeHarness) SupportsKeylessTables() bool { return true }

// NewReadOnlyEngine implements ReadOnlyDatabaseHarness.
func (h *storeHarness) NewReadOnlyEngine(provider sql.DatabaseProvider) (suite.QueryEngine, error) {
	return h.engineOver(readOnlyProvider{provider.(*tables.Provider)}), nil
}

// readOnlyProvider says of every database that it is read-only.
type readOnlyProvider struct{ *tables.Provider }

type readOnlyDatabase struct{ *tables.Database }

// IsReadOnly implements sql.ReadOnlyDatabase.
func (readOnlyDatabase) IsReadOnly() bool { return true }

// Database implements sql.DatabaseProvider.
func (p readOnlyProvider) Database(ctx *sql.Context, name string) (sql.Database, error) {
	db, err := p.Provider.Database(ctx, name)
	if ours, ok := db.(*tables.Database); ok {
		return readOnlyDatabase{ours}, err
	}
	return db, err
}

// AllDatabases implements sql.DatabaseProvider.
func (p readOnlyProvider) AllDatabases(ctx *sql.Context) []sql.Database {
	all := p.Provider.AllDatabases(ctx)
	for i, db := range all {
		if ours, ok := db.(*tables.Database); ok {
			all[i] = readOnlyDatabase{ours}
		}
	}
	return all
}

package tables_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/collation"
	"github.com/duramendb/duramen/query/tables"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/txn"
)

// testServer is an SQL engine over a store in memory, without any of package
// query: just enough of a session to run statements.
type testServer struct {
	t      testing.TB
	fs     *vfs.MemFS
	store  *store.Store
	pro    *tables.Provider
	engine *sqle.Engine
	ids    atomic.Uint32

	mu       sync.Mutex
	sessions []*session
}

// endSessions rolls back what sessions have open.
func (s *testServer) endSessions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sess := range s.sessions {
		require.NoError(s.t, sess.stmt.Close())
		if sess.tx != nil {
			sess.tx.Rollback()
			sess.tx = nil
		}
	}
}

func newServer(t testing.TB) *testServer {
	t.Helper()
	s := &testServer{t: t, fs: vfs.NewCrashableMem()}
	s.open()
	t.Cleanup(func() {
		s.endSessions()
		require.NoError(t, s.store.Close())
	})
	return s
}

func (s *testServer) open() {
	var err error
	s.store, err = store.Open(context.Background(), store.Options{
		FS: s.fs, Dir: "/data", ServerID: 1, MaxBinlogSize: 1 << 20, NoPreallocate: true,
		Collations: func(id uint16) (row.WeightFunc, bool) { return collation.Lookup(id) },
		Logger:     slog.New(slog.NewTextHandler(io.Discard, nil)),
		Fatal:      func(err error) { panic(err) },
	})
	require.NoError(s.t, err)
	s.pro = tables.NewProvider()
	a := analyzer.NewDefault(s.pro)
	a.Catalog.MySQLDb.AddRootAccount()
	a.Catalog.InfoSchema = information_schema.NewInformationSchemaDatabase()
	s.engine = sqle.New(a, new(sqle.Config))
	a.Runner = s.engine
	a.ExecBuilder.Runner = s.engine
}

// restart closes the store and opens it again.
func (s *testServer) restart() {
	s.t.Helper()
	s.endSessions()
	require.NoError(s.t, s.store.Close())
	s.open()
}

// crash gives up the store and opens what a power failure would have left.
func (s *testServer) crash() {
	s.t.Helper()
	after := s.fs.CrashClone(vfs.CrashCloneCfg{})
	s.endSessions()
	require.NoError(s.t, s.store.Close())
	s.fs = after
	s.open()
}

// session implements tables.Session.
type session struct {
	*sql.BaseSession
	srv  *testServer
	tx   *txn.Txn
	temp tables.TempTables
	stmt *tables.Statement
	ddl  string
}

var (
	_ tables.Session         = (*session)(nil)
	_ sql.TransactionSession = (*session)(nil)
)

func (s *testServer) newSession() *session {
	id := s.ids.Add(1)
	base := sql.NewBaseSessionWithClientServer("address", sql.Client{Address: "localhost", User: "root"}, id)
	sess := &session{BaseSession: base, srv: s, stmt: &tables.Statement{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = append(s.sessions, sess)
	return sess
}

func (s *session) context(db string) *sql.Context {
	ctx := sql.NewContext(context.Background(), sql.WithSession(s))
	if db != "" {
		ctx.SetCurrentDatabase(db)
	}
	return ctx
}

func (s *session) Txn(*sql.Context) (*txn.Txn, error) {
	if s.tx == nil {
		s.tx = s.srv.store.Txns().Begin(txn.Options{ServerID: 1, ThreadID: s.ID()})
		s.tx.BeginStatement("", false)
		s.temp.BeginStatement()
		s.setDDL()
	}
	return s.tx, nil
}

func (s *session) setDDL() {
	if s.tx != nil && s.ddl != "" {
		s.tx.SetDDL(event.Query{Schema: s.GetCurrentDatabase(), SQL: s.ddl})
	}
}

func (s *session) Access(_, _ string) tables.Access {
	switch s.stmt.AST.(type) {
	case *sqlparser.Update, *sqlparser.Delete:
		return tables.Access{Mode: txn.LockExclusive}
	}
	return tables.Access{Mode: txn.Snapshot}
}

func (s *session) Statement() *tables.Statement  { return s.stmt }
func (s *session) Temporary() *tables.TempTables { return &s.temp }

type transaction struct{}

func (transaction) String() string   { return "transaction" }
func (transaction) IsReadOnly() bool { return false }

func (s *session) StartTransaction(*sql.Context, sql.TransactionCharacteristic) (sql.Transaction, error) {
	return transaction{}, nil
}

func (s *session) CommitTransaction(ctx *sql.Context, _ sql.Transaction) error {
	tx := s.tx
	s.tx = nil
	s.temp.Commit()
	if tx == nil {
		return nil
	}
	if s.ddl == "" && tx.Catalog() != s.srv.store.Catalog().Current() {
		// Statements that change the catalog without being DDL to the parser.
		tx.SetDDL(event.Query{Schema: s.GetCurrentDatabase(), SQL: ctx.Query()})
	}
	_, err := tx.Commit(ctx)
	return err
}

func (s *session) Rollback(*sql.Context, sql.Transaction) error {
	if s.tx != nil {
		s.tx.Rollback()
		s.tx = nil
	}
	s.temp.Rollback()
	return nil
}

func (s *session) CreateSavepoint(ctx *sql.Context, _ sql.Transaction, name string) error {
	tx, err := s.Txn(ctx)
	if err == nil {
		tx.Savepoint(name)
	}
	return err
}

func (s *session) RollbackToSavepoint(ctx *sql.Context, _ sql.Transaction, name string) error {
	tx, err := s.Txn(ctx)
	if err != nil {
		return err
	}
	return tx.RollbackTo(name)
}

func (s *session) ReleaseSavepoint(ctx *sql.Context, _ sql.Transaction, name string) error {
	tx, err := s.Txn(ctx)
	if err != nil {
		return err
	}
	return tx.Release(name)
}

// begin prepares the session for a statement.
func (s *session) begin(query string, ast sqlparser.Statement) {
	if ast == nil {
		ast, _ = sqlparser.Parse(query) // a syntax error is the engine's to report
	}
	require.NoError(s.srv.t, s.stmt.Close())
	s.stmt = &tables.Statement{AST: ast}
	s.ddl = ""
	switch ast.(type) {
	case *sqlparser.DDL, *sqlparser.AlterTable, *sqlparser.DBDDL:
		if s.ddl = query; s.ddl == "" {
			s.ddl = "DDL"
		}
	}
	if s.tx != nil {
		s.tx.BeginStatement(query, false)
		s.temp.BeginStatement()
		s.setDDL()
	}
}

// end ends the statement.
func (s *session) end(err error) {
	if err == nil {
		if s.tx != nil {
			s.tx.EndStatement()
		}
		s.temp.EndStatement()
		return
	}
	if s.tx != nil {
		s.tx.RollbackStatement()
		if s.GetTransaction() == nil || s.ddl != "" {
			s.tx.Rollback()
			s.tx = nil
		}
	}
	s.temp.RollbackStatement()
}

// query runs a statement and returns its rows.
func (s *session) query(ctx *sql.Context, query string) ([]sql.Row, error) {
	s.begin(query, nil)
	ctx = ctx.WithQuery(query)
	_, iter, _, err := s.srv.engine.Query(ctx, query)
	if err != nil {
		s.end(err)
		return nil, err
	}
	return sql.RowIterToRows(ctx, &statementIter{RowIter: iter, s: s})
}

// statementIter ends the statement with its iterator. A failed statement is
// rolled back at once: the engine commits when it closes its own iterator.
type statementIter struct {
	sql.RowIter
	s   *session
	err error
}

func (i *statementIter) Next(ctx *sql.Context) (sql.Row, error) {
	r, err := i.RowIter.Next(ctx)
	if err != nil && err != io.EOF {
		i.err = err
		i.s.end(err)
	}
	return r, err
}

func (i *statementIter) Close(ctx *sql.Context) error {
	err := i.RowIter.Close(ctx)
	if i.err == nil {
		i.s.end(err)
	}
	return err
}

// exec runs statements that must succeed.
func (s *session) exec(ctx *sql.Context, queries ...string) {
	s.srv.t.Helper()
	for _, q := range queries {
		_, err := s.query(ctx, q)
		require.NoError(s.srv.t, err, q)
	}
}

// rows gives the rows of a statement as text.
func (s *session) rows(ctx *sql.Context, query string) []string {
	s.srv.t.Helper()
	rows, err := s.query(ctx, query)
	require.NoError(s.srv.t, err, query)
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = strings.TrimSuffix(fmt.Sprintln(r...), "\n")
	}
	return out
}

package session

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/memory"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/query/status"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/replication/source/semisync"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/row/rowtest"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/txn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// How long a test waits for something to happen, and how often it looks.
const (
	waitMax  = 30 * time.Second
	waitStep = time.Millisecond
)

// harness is a server's sessions over a real store. The database test has the tables t and u: (id int primary key, k int).
type harness struct {
	testing.TB
	server *Server
	t, u   *catalog.Table
	lastID uint32
}

func newHarness(t testing.TB) *harness { return newHarnessOn(t, vfs.Default) }

func newHarnessOn(t testing.TB, fs vfs.FS) *harness {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	st, err := store.Open(ctx, store.Options{
		FS: fs, Dir: filepath.Join(t.TempDir(), "data"), Engines: []engine.Kind{lsm.Kind{CacheBytes: 1 << 20, MemTableBytes: 256 << 10}},
		ServerID: 1, MaxBinlogSize: 1 << 20, NoPreallocate: true, Logger: quiet,
		Fatal: func(err error) { t.Errorf("store failed: %v", err) },
	})
	require.NoError(t, err)
	h := &harness{TB: t, server: &Server{
		Store: st, Globals: sysvar.NewGlobals(), Log: quiet, Memory: memory.NewServer(0), Accounts: account.NewStore(),
		Status: status.New(), SQL: plainEngine{}, SemiSync: semisync.New(semisync.Config{FileName: st.Log().SegmentName, Logger: quiet}),
	}}
	set := accounts.New()
	set.Add(&accounts.Account{Name: accounts.Name{User: "root", Host: "localhost"}, Global: privilege.All})
	set.Add(&accounts.Account{Name: accounts.Name{User: "app", Host: "%"}, Global: privilege.Select})
	h.server.Accounts.Publish(set)
	h.t, h.u = h.create("t"), h.create("u")
	t.Cleanup(func() { // after the sessions' own
		require.Zero(t, st.Txns().Stats().Active, "transactions are open at the end")
		require.Zero(t, st.Txns().Locks().Count(), "locks are held at the end")
		require.NoError(t, st.Close())
	})
	return h
}

// slowLog lets the syncs of log files wait while it is held.
type slowLog struct {
	mu   sync.Mutex
	gate chan struct{} // closed when they go on; nil: they do not wait
}

// newSlowHarness is newHarness with a log whose syncs can be held up.
func newSlowHarness(t testing.TB) (*harness, *slowLog) {
	l := &slowLog{}
	return newHarnessOn(t, errorfs.Wrap(vfs.Default, l)), l
}

// String implements errorfs.Injector.
func (l *slowLog) String() string { return "slow log" }

// MaybeError implements errorfs.Injector.
func (l *slowLog) MaybeError(op errorfs.Op) error {
	if !strings.HasPrefix(filepath.Base(op.Path), "binlog.") || op.Kind != errorfs.OpFileSync && op.Kind != errorfs.OpFileSyncData {
		return nil
	}
	l.mu.Lock()
	gate := l.gate
	l.mu.Unlock()
	if gate != nil {
		<-gate
	}
	return nil
}

// hold holds syncs up until open is called, the first time.
func (l *slowLog) hold() (open func()) {
	gate := make(chan struct{})
	l.mu.Lock()
	l.gate = gate
	l.mu.Unlock()
	return sync.OnceFunc(func() {
		l.mu.Lock()
		l.gate = nil
		l.mu.Unlock()
		close(gate)
	})
}

func (h *harness) create(name string) *catalog.Table {
	column := func(name string) catalog.ColumnDef {
		return catalog.ColumnDef{Name: name, SQLType: "int(11)", Type: mysql.MYSQL_TYPE_LONG, Collation: 63}
	}
	h.define("CREATE TABLE "+name, func(x *txn.Txn) catalog.Change {
		return catalog.Change{Databases: []catalog.DatabaseDef{{Name: "test"}}, Tables: []*catalog.TableDef{{
			ID: x.NewTableID(), DB: "test", Name: name, Engine: "InnoDB",
			Columns: []catalog.ColumnDef{column("id"), column("k")}, Primary: []catalog.IndexPart{{Column: 0}}, NextIndexID: 1,
		}}}
	})
	return h.server.Store.Catalog().Current().Table("test", name)
}

func (h *harness) drop(tbl *catalog.Table) {
	h.define("DROP TABLE", func(*txn.Txn) catalog.Change { return catalog.Change{DropTables: []uint32{tbl.ID()}} })
}

// define changes the catalog in a transaction of its own.
func (h *harness) define(text string, change func(*txn.Txn) catalog.Change) {
	h.Helper()
	x := h.server.Store.Txns().Begin(txn.Options{})
	require.NoError(h, x.ChangeCatalog(change(x)))
	x.SetDDL(event.Query{Schema: "test", SQL: text})
	_, err := x.Commit(ctx)
	require.NoError(h, err)
}

// plainEngine is an Engine that knows one character set, and one table of the server.
type plainEngine struct{}

func (plainEngine) CharsetID(string) uint16 { return 33 }

func (plainEngine) CollationID(string) uint16 { return 45 }

func (plainEngine) SystemTable(db, name string) bool { return db == "mysql" && name == "proc" }

func (plainEngine) CheckCharset(_ context.Context, _ string, value any) (any, error) {
	if value == "klingon" {
		return nil, mysqlerr.New(mysqlerr.UnknownCharacterSet, value)
	}
	return value, nil
}

// tempTables are Temporary tables without rows, which note what the session tells them.
type tempTables struct {
	names []string // db.table
	told  []string
}

func (t *tempTables) note(what string) { t.told = append(t.told, what) }

func (t *tempTables) Has(db, name string) bool {
	return slices.ContainsFunc(t.names, func(n string) bool { return strings.EqualFold(n, db+"."+name) })
}
func (t *tempTables) Table(string, string) (*catalog.Table, txn.Rows) { return nil, nil }

func (t *tempTables) BeginStatement()        { t.note("begin") }
func (t *tempTables) EndStatement()          { t.note("end") }
func (t *tempTables) RollbackStatement()     { t.note("undo") }
func (t *tempTables) Savepoint(name string)  { t.note("savepoint " + name) }
func (t *tempTables) RollbackTo(name string) { t.note("rollback to " + name) }
func (t *tempTables) Release(name string)    { t.note("release " + name) }
func (t *tempTables) Commit()                { t.note("commit") }
func (t *tempTables) Rollback()              { t.note("rollback") }
func (t *tempTables) DropAll()               { t.names = nil }

// taken is what the session has told since the last call, in one line.
func (t *tempTables) taken() string {
	defer func() { t.told = nil }()
	return strings.Join(t.told, ", ")
}

// follower notes the variables that have changed.
type follower struct{ changed []string }

func (f *follower) Changed(d *sysvar.Def, _ any) { f.changed = append(f.changed, d.Name) }

// connection is a session with what it is told about.
type connection struct {
	*Session
	h     *harness
	temp  *tempTables
	other *follower
	rows  int // that perform has inserted, or tried to
}

// connect makes a session of root@localhost in the database test. It is disposed of at the end of the test.
func (h *harness) connect(options ...func(*ConnInfo)) *connection {
	h.lastID++
	ci := ConnInfo{ID: h.lastID, User: "root", Host: "localhost"}
	for _, o := range options {
		o(&ci)
	}
	c := &connection{Session: &Session{}, h: h, temp: &tempTables{}, other: &follower{}}
	c.Init(h.server, ci.ID, c.temp, c.other)
	c.SetUp(ci)
	c.SetDB("test")
	h.Cleanup(c.Dispose)
	return c
}

func (c *connection) set(name string, v any) {
	c.h.Helper()
	require.NoError(c.h, c.Vars.Set(ctx, name, v))
}

// write and read are statements as the language knows them.
var (
	write = &statement.Statement{Text: "UPDATE t", Kind: statement.Write, Locking: true, WaitSeconds: -1,
		Tables: []statement.Use{{Name: "t", Strength: statement.Exclusive}}}
	read = &statement.Statement{Text: "SELECT * FROM t", Kind: statement.Read, Result: true, WaitSeconds: -1, Tables: []statement.Use{{Name: "t"}}}
)

// statement runs f as a statement of the session, and what ends one: with autocommit, its transaction.
func (c *connection) statement(st *statement.Statement, f func(tx *txn.Txn) error) error {
	if err := c.MayChange(st); err != nil {
		return err
	}
	if err := c.Attempt(ctx, time.Time{}, st, &script{run: func(_ int, tx *txn.Txn) error { return f(tx) }}); err != nil {
		c.EndIdle()
		return err
	}
	if !c.InTransaction() {
		return c.CommitAll(ctx)
	}
	return nil
}

// insert runs INSERT INTO t VALUES (id, 0), or (id, k).
func (c *connection) insert(id int, k ...int) error {
	return c.statement(write, func(tx *txn.Txn) error { return insert(tx, c.h.t, id, k...) })
}

func insert(tx *txn.Txn, tbl *catalog.Table, id int, k ...int) error {
	image, err := row.Encode(nil, tbl.Columns, []any{id, append(k, 0)[0]})
	if err != nil {
		return err
	}
	return tx.Insert(ctx, tbl, image)
}

func key(tbl *catalog.Table, id int) []byte {
	k, err := row.AppendKeyValue(tbl.Prefix(-1), tbl.Columns[0], tbl.Primary[0], int64(id))
	if err != nil {
		panic(err)
	}
	return k
}

// lockRow locks a row of t, which need not be there.
func (c *connection) lockRow(tx *txn.Txn, id int) error {
	_, _, err := tx.Get(ctx, c.h.t, key(c.h.t, id), txn.LockExclusive, txn.NoWait)
	return err
}

// ids are those of t's rows, as a new transaction sees them.
func (h *harness) ids() (out []int64) {
	h.Helper()
	x := h.server.Store.Txns().Begin(txn.Options{})
	defer x.Rollback()
	return h.idsIn(x)
}

func (h *harness) idsIn(x *txn.Txn) (out []int64) {
	h.Helper()
	cursor, err := x.Scan(ctx, txn.ScanSpec{Table: h.t, Index: -1})
	require.NoError(h, err)
	for cursor.Next() {
		vals, err := rowtest.Decode(h.t.Columns, cursor.Image())
		require.NoError(h, err)
		out = append(out, vals[0].(int64))
	}
	require.NoError(h, errors.Join(cursor.Err(), cursor.Close()))
	return out
}

// number is that of an error that the client would get; 0 for none, -1 for another error.
func number(err error) int {
	var e *mysqlerr.Error
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return int(e.Number)
	}
	return -1
}

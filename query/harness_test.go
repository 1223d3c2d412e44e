package query_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/enginetest"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/replication/replica"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/store"
)

// server is an Engine over a store on a file system in memory.
type server struct {
	t     testing.TB
	fs    vfs.FS
	kinds []engine.Kind
	tune  func(*store.Options) // nil: as open makes them
	vars  map[string]any
	// replica is what connections to primaries are made of.
	replica replica.Config
	store   *store.Store
	engine  *query.Engine
}

func newServer(t testing.TB) *server {
	t.Helper()
	return newServerOf(t, lsm.Kind{})
}

// newServerOf makes a server with storage engines of these kinds.
func newServerOf(t testing.TB, kinds ...engine.Kind) *server {
	t.Helper()
	s := &server{t: t, fs: vfs.NewCrashableMem(), kinds: kinds}
	s.open()
	t.Cleanup(s.close)
	return s
}

func (s *server) open() {
	s.t.Helper()
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	opts := store.Options{
		FS: s.fs, Dir: "/data", Engines: s.kinds, ServerID: 1, MaxBinlogSize: 1 << 20, NoPreallocate: true,
		Collations: func(id uint16) (row.WeightFunc, bool) { return collation.Lookup(id) }, Logger: quiet,
		Fatal: func(err error) { s.t.Errorf("store failed: %v", err) },
	}
	if s.tune != nil {
		s.tune(&opts)
	}
	var err error
	s.store, err = store.Open(context.Background(), opts)
	require.NoError(s.t, err)
	s.engine, err = query.New(query.Config{Store: s.store, Variables: s.vars, Logger: slog.New(slog.NewTextHandler(testWriter{s.t}, nil)), Replica: s.replica})
	require.NoError(s.t, err)
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", p)
	return len(p), nil
}

func (s *server) close() {
	require.NoError(s.t, s.engine.Close())
	require.NoError(s.t, s.store.Close())
}

func (s *server) restart() {
	s.t.Helper()
	s.close()
	s.open()
}

// crash gives up the store and opens what a power failure would have left.
func (s *server) crash() {
	s.t.Helper()
	after := s.fs.(*vfs.MemFS).CrashClone(vfs.CrashCloneCfg{})
	for i, k := range s.kinds {
		if m, ok := k.(*enginetest.MemoryKind); ok { // the old store goes on with a disk of its own
			s.kinds[i] = &enginetest.MemoryKind{EngineName: m.EngineName, Disk: m.Disk.Clone()}
		}
	}
	s.close()
	s.fs = after
	s.open()
}

// client is a session with helpers.
type client struct {
	t testing.TB
	*query.Session
}

func (s *server) connect(opts ...func(*session.ConnInfo)) *client {
	s.t.Helper()
	ci := session.ConnInfo{User: "root", Host: "localhost", Capabilities: mysql.CLIENT_MULTI_STATEMENTS | mysql.CLIENT_MULTI_RESULTS}
	for _, o := range opts {
		o(&ci)
	}
	session, err := s.engine.NewSession(ci)
	require.NoError(s.t, err)
	return &client{s.t, session}
}

// resultSet is what one statement gave.
type resultSet struct {
	cols   []result.Column
	rows   [][]string
	ok     *result.OK
	status result.Status
}

// recorder is a result.Sink that keeps everything.
type recorder struct{ sets []*resultSet }

func (r *recorder) Columns(cols []result.Column) error {
	r.sets = append(r.sets, &resultSet{cols: cols})
	return nil
}

func (r *recorder) Row(got result.Row) error {
	set := r.sets[len(r.sets)-1]
	row := make([]string, len(set.cols))
	for i := range row {
		v := got.Value(i)
		row[i] = string(set.cols[i].AppendText(nil, v))
		if v.IsNull() {
			row[i] = "NULL"
		}
	}
	set.rows = append(set.rows, row)
	return nil
}

func (r *recorder) EndRows(st result.Status) error {
	r.sets[len(r.sets)-1].status = st
	return nil
}

func (r *recorder) OK(ok result.OK) error {
	r.sets = append(r.sets, &resultSet{ok: &ok})
	return nil
}

func (c *client) run(sql string) ([]*resultSet, error) {
	var r recorder
	err := c.Execute(context.Background(), sql, &r)
	return r.sets, err
}

// exec runs statements that must succeed and returns the last result.
func (c *client) exec(sql string, args ...any) *resultSet {
	c.t.Helper()
	if len(args) > 0 {
		sql = fmt.Sprintf(sql, args...)
	}
	sets, err := c.run(sql)
	require.NoError(c.t, err, sql)
	require.NotEmpty(c.t, sets, sql)
	return sets[len(sets)-1]
}

// query runs a statement and returns its rows, columns separated by | and rows by newlines.
func (c *client) query(sql string, args ...any) string {
	c.t.Helper()
	return c.exec(sql, args...).text()
}

func (r *resultSet) text() string {
	lines := make([]string, len(r.rows))
	for i, row := range r.rows {
		lines[i] = strings.Join(row, "|")
	}
	return strings.Join(lines, "\n")
}

// fails runs a statement that must end with an error number.
func (c *client) fails(number uint16, sql string, args ...any) *mysqlerr.Error {
	c.t.Helper()
	if len(args) > 0 {
		sql = fmt.Sprintf(sql, args...)
	}
	_, err := c.run(sql)
	require.Error(c.t, err, sql)
	var e *mysqlerr.Error
	require.True(c.t, errors.As(err, &e), "%s: %T %v", sql, err, err)
	require.Equal(c.t, int(number), int(e.Number), "%s: %v", sql, e)
	return e
}

// How long a test waits for something to happen, and how often it looks.
const (
	waitMax  = 30 * time.Second
	waitStep = 5 * time.Millisecond
)

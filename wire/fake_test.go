package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/admin"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
)

// fakeBackend answers a few fixed statements:
//
//	select <n>         n rows of one BIGINT column
//	blob <n>           one row with n bytes
//	echo ?             the parameters, as a row
//	block              waits for its context, then fails
//	suicide            kills its connection from below the statement
//	deaf               waits for the test, whatever its context says
//	two                two results
//	fail               error 1064
//	panic              panics
type fakeBackend struct {
	mu       sync.Mutex
	accounts map[string]account.Login
	globals  map[string]uint64
	replicas map[uint32]admin.ReplicaInfo
	userVars map[string]string
	sessions atomic.Int64
	ids      atomic.Uint32
	blocked  chan struct{} // gets a value when "block" has begun
	hear     chan struct{} // ends "deaf"
	ended    chan error    // gets the cause when "block" has ended
	dump     func(ctx context.Context, d Dump, out DumpWriter) error
}

func newFakeBackend() *fakeBackend {
	return &fakeBackend{
		accounts: map[string]account.Login{"root": {User: "root", Host: "%"}},
		globals:  map[string]uint64{"max_connections": 100, "max_prepared_stmt_count": 5},
		replicas: make(map[uint32]admin.ReplicaInfo),
		blocked:  make(chan struct{}, 8), ended: make(chan error, 8), hear: make(chan struct{}),
	}
}

func (b *fakeBackend) Auth(user, _ string) (account.Login, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a, ok := b.accounts[user]
	return a, ok
}

func (b *fakeBackend) NewSession(info session.ConnInfo) (Session, error) {
	if info.DB == "missing" {
		return nil, mysqlerr.New(mysqlerr.BadDB, "missing")
	}
	b.sessions.Add(1)
	return &fakeSession{b: b, info: info}, nil
}

func (b *fakeBackend) NextConnectionID() uint32 { return b.ids.Add(1) }

func (b *fakeBackend) GlobalUint(name string) uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.globals[name]
}

func (b *fakeBackend) setGlobal(name string, n uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.globals[name] = n
}

func (b *fakeBackend) CountStatus(string, int64) {}

func (b *fakeBackend) RegisterReplica(id uint32, r admin.ReplicaInfo) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replicas[id] = r
}

func (b *fakeBackend) UnregisterReplica(id uint32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.replicas, id)
}

func (b *fakeBackend) ServeDump(ctx context.Context, _ Session, d Dump, out DumpWriter) error {
	return b.dump(ctx, d, out)
}

type fakeSession struct {
	b                 *fakeBackend
	info              session.ConnInfo
	db                string
	multi             bool
	wait              uint64
	netRead, netWrite uint64
	max               uint64
	kept              int64
}

func (s *fakeSession) DB() string { return s.db }

func (s *fakeSession) KeepMemory(n int64) error {
	if s.kept+n > keptMax {
		return mysqlerr.New(mysqlerr.OptionPreventsStatement, "--max-session-mem-used")
	}
	s.kept += n
	return nil
}

// keptMax is what a session may keep, in bytes.
const keptMax = 1 << 20

var bigint = result.Column{Name: "n", Type: mysql.MYSQL_TYPE_LONGLONG, Charset: mysql.Collation_binary, Length: 20}

// oneValue is a row of one column.
func oneValue(col result.Column, v result.Value) result.Row {
	row := result.NewValues([]result.Column{col})
	row.Set(0, v)
	return row
}

func (s *fakeSession) Execute(ctx context.Context, sql string, sink result.Sink) error {
	var n int
	verb, arg, _ := strings.Cut(sql, " ")
	switch verb {
	case "select":
		if _, err := fmt.Sscan(arg, &n); err != nil {
			return err
		}
		if err := sink.Columns([]result.Column{bigint}); err != nil {
			return err
		}
		for i := range n {
			if err := sink.Row(oneValue(bigint, result.Signed(int64(i)))); err != nil {
				return err
			}
		}
		return sink.EndRows(result.Status{Flags: mysql.SERVER_STATUS_AUTOCOMMIT})
	case "blob":
		if _, err := fmt.Sscan(arg, &n); err != nil {
			return err
		}
		col := result.Column{Name: "b", Type: mysql.MYSQL_TYPE_LONG_BLOB, Charset: mysql.Collation_binary}
		if err := sink.Columns([]result.Column{col}); err != nil {
			return err
		}
		if err := sink.Row(oneValue(col, result.Bytes(bytes.Repeat([]byte("x"), n)))); err != nil {
			return err
		}
		return sink.EndRows(result.Status{})
	case "len":
		return sink.OK(result.OK{AffectedRows: uint64(len(sql))})
	case "block":
		s.b.blocked <- struct{}{}
		<-ctx.Done()
		err := context.Cause(ctx)
		s.b.ended <- err
		return err
	case "suicide":
		s.info.Kill()
		return context.Cause(ctx)
	case "deaf":
		s.b.blocked <- struct{}{}
		<-s.b.hear
		return mysqlerr.New(mysqlerr.QueryInterrupted)
	case "load":
		f, err := sink.(result.LocalInfileSink).LocalInfile(ctx, arg)
		if err != nil {
			return err
		}
		data, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		return sink.OK(result.OK{AffectedRows: uint64(len(data))})
	case "two":
		if err := sink.OK(result.OK{AffectedRows: 1, Status: mysql.SERVER_MORE_RESULTS_EXISTS}); err != nil {
			return err
		}
		return s.Execute(ctx, "select 2", sink)
	case "set":
		switch arg {
		case "wait_timeout = 1":
			s.wait = 1
		case "net_read_timeout = 1":
			s.netRead = 1
		case "net_write_timeout = 1":
			s.netWrite = 1
		default:
			s.max = 1024
		}
		return sink.OK(result.OK{})
	case "half":
		if err := sink.Columns([]result.Column{bigint}); err != nil {
			return err
		}
		return mysqlerr.New(mysqlerr.LockDeadlock)
	case "panic":
		panic("as asked")
	}
	return mysqlerr.New(mysqlerr.Parse, "syntax", sql, 1)
}

func (s *fakeSession) Prepare(_ context.Context, sql string) (*query.Stmt, error) {
	if sql == "fail" {
		return nil, mysqlerr.New(mysqlerr.Parse, "syntax", sql, 1)
	}
	params := strings.Count(sql, "?")
	st := &query.Stmt{ParamCount: params}
	for range params {
		st.Columns = append(st.Columns, result.Column{Name: "?", Type: mysql.MYSQL_TYPE_VAR_STRING})
	}
	return st, nil
}

// ExecuteStmt sends the parameters back, as columns of their types.
func (s *fakeSession) ExecuteStmt(_ context.Context, st *query.Stmt, params []result.Value, sink result.Sink) error {
	if st.ParamCount != len(params) {
		return errors.New("wrong number of parameters")
	}
	cols := make([]result.Column, len(params))
	for i, p := range params {
		cols[i] = result.Column{Name: "p", Type: mysql.MYSQL_TYPE_VAR_STRING, Charset: 45}
		switch p.Kind() {
		case result.KindUnsigned:
			cols[i].Type, cols[i].Flags = mysql.MYSQL_TYPE_LONGLONG, mysql.UNSIGNED_FLAG
		case result.KindSigned:
			cols[i].Type = mysql.MYSQL_TYPE_LONGLONG
		case result.KindDouble:
			cols[i].Type, cols[i].Decimals = mysql.MYSQL_TYPE_DOUBLE, mysql.NOT_FIXED_DEC
		case result.KindFloat:
			cols[i].Type, cols[i].Decimals = mysql.MYSQL_TYPE_FLOAT, mysql.NOT_FIXED_DEC
		case result.KindDatetime:
			cols[i].Type = mysql.MYSQL_TYPE_DATETIME
		case result.KindDate:
			cols[i].Type = mysql.MYSQL_TYPE_DATE
		case result.KindTime:
			cols[i].Type = mysql.MYSQL_TYPE_TIME
		case result.KindBytes:
			cols[i].Type, cols[i].Charset = mysql.MYSQL_TYPE_BLOB, mysql.Collation_binary
		}
	}
	if err := sink.Columns(cols); err != nil {
		return err
	}
	row := result.NewValues(cols)
	for i, p := range params {
		row.Set(i, p)
	}
	rows := 1
	if st.ParamCount == 2 && params[1].Kind() == result.KindSigned { // echo ? <n>: so many rows
		rows = int(params[1].Int())
	}
	for range rows {
		if err := sink.Row(row); err != nil {
			return err
		}
	}
	return sink.EndRows(result.Status{})
}

// ExecuteBulk counts the sets, and says as the number of an insert what their marks add up to.
func (s *fakeSession) ExecuteBulk(ctx context.Context, st *query.Stmt, sets query.Sets, sink result.Sink) error {
	var ok result.OK
	for {
		values, marks, err := sets()
		if errors.Is(err, io.EOF) {
			return sink.OK(ok)
		}
		if err != nil {
			return err
		}
		if len(values) != st.ParamCount || len(marks) != st.ParamCount {
			return errors.New("wrong number of parameters")
		}
		ok.AffectedRows++
		for _, m := range marks {
			ok.InsertID += uint64(m)
		}
	}
}

// OpensCursor is for all statements with parameters.
func (s *fakeSession) OpensCursor(st *query.Stmt) (bool, error) { return st.ParamCount > 0, nil }

func (s *fakeSession) CloseStmt(*query.Stmt) {}

func (s *fakeSession) UseDB(_ context.Context, name string) error {
	if name == "missing" {
		return mysqlerr.New(mysqlerr.BadDB, name)
	}
	s.db = name
	return nil
}

func (s *fakeSession) FieldList(_ context.Context, table, _ string) ([]result.Column, error) {
	if table == "missing" {
		return nil, mysqlerr.New(mysqlerr.NoSuchTable, "db", table)
	}
	return []result.Column{bigint}, nil
}

func (s *fakeSession) Reset(context.Context) error { s.db = ""; return nil }

func (s *fakeSession) ChangeUser(_ context.Context, info session.ConnInfo) error {
	s.info, s.db = info, info.DB
	return nil
}

func (s *fakeSession) StatusFlags() uint16       { return mysql.SERVER_STATUS_AUTOCOMMIT }
func (s *fakeSession) EmptyIsNull() bool         { return false }
func (s *fakeSession) SetMultiStatements(b bool) { s.multi = b }

func (s *fakeSession) VarUint(name string) uint64 {
	switch name {
	case "max_allowed_packet":
		if s.max != 0 {
			return s.max
		}
		return 64 << 20
	case "net_read_timeout":
		return s.netRead
	case "net_write_timeout":
		return s.netWrite
	case "wait_timeout":
		if s.wait != 0 {
			return s.wait
		}
		return 28800 // a slow machine takes its time over large packets
	}
	return 0
}

func (s *fakeSession) UserVar(name string) (string, bool) { v, ok := s.b.userVars[name]; return v, ok }
func (s *fakeSession) SetState(_, _ string)               {}
func (s *fakeSession) CanReplicate() error                { return nil }
func (s *fakeSession) CanRegister() error                 { return nil }
func (s *fakeSession) CanDebug() error                    { return nil }
func (s *fakeSession) Statistics() string                 { return "Uptime: 1  Threads: 1" }
func (s *fakeSession) Close()                             { s.b.sessions.Add(-1) }

// startServer serves the fake backend on a loopback port.
func startServer(t *testing.T, b Backend, o Options) (*Server, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.WatchInterval == 0 {
		o.WatchInterval = 5 * time.Millisecond
	}
	s := NewServer(b, o)
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		require.NoError(t, s.Shutdown(ctx))
		require.ErrorIs(t, <-served, ErrServerClosed)
		require.Zero(t, s.Connections())
	})
	return s, l.Addr().String()
}

package session

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/txn"
)

// TestSetUpResets changes one thing of a session after the other; Dispose and SetUp, which are COM_RESET_CONNECTION, make it what it is
// in a new session.
func TestSetUpResets(t *testing.T) {
	h := newHarness(t)
	variable := func(name string) func(c *connection) any {
		return func(c *connection) any { v, _ := c.Vars.Get(name); return v }
	}
	for name, c := range map[string]struct {
		change func(c *connection) error
		look   func(c *connection) any
	}{
		"fixed clock": {func(c *connection) error { return c.Vars.Set(ctx, "timestamp", 5) },
			func(c *connection) any { return c.Clock.Fixed }},
		"last_gtid": {func(c *connection) error { return c.insert(1) }, variable("last_gtid")},
		"warnings":  {func(c *connection) error { c.Warn("Error", 1, ""); return nil }, func(c *connection) any { return c.Warnings.Count() }},
		"next transaction": {func(c *connection) error { c.Next = readOnly; return nil },
			func(c *connection) any { return c.ReadOnlyTransaction() }},
		"next level": {func(c *connection) error {
			c.Next = NextTransaction{Isolation: txn.ReadCommitted, HasIsolation: true}
			return nil
		},
			func(c *connection) any { defer c.RollbackAll(); return c.EnsureTxn().Options().Isolation }},
		"running transaction": {func(c *connection) error { return c.StartTransaction(ctx, readOnly, true) },
			func(c *connection) any { return []any{c.Current, c.InTransaction(), c.StatusFlags(), c.Tx == nil} }},
		"autocommit": {func(c *connection) error { return c.Vars.Set(ctx, "autocommit", 0) },
			func(c *connection) any { return []any{c.autocommit, c.Vars.On("autocommit")} }},
		"sql_mode": {func(c *connection) error { return c.Vars.Set(ctx, "sql_mode", "ANSI") },
			func(c *connection) any { return []any{c.LexMode, c.Vars.Str("sql_mode")} }},
		"a variable": {func(c *connection) error { return c.Vars.Set(ctx, "wait_timeout", 77) }, variable("wait_timeout")},
		"database":   {func(c *connection) error { c.SetDB("elsewhere"); return nil }, func(c *connection) any { return []any{c.DB(), c.Proc.Info().DB} }},
		"role": {func(c *connection) error { c.Authority.Role = "r"; return nil },
			func(c *connection) any { return c.Authority.Subject() }},
		"body": {func(c *connection) error { c.EnterBody(definer("p"), "p", true); return nil },
			func(c *connection) any { return []any{c.Authority.Subject(), c.Authority.InTrigger()} }},
		"view": {func(c *connection) error { c.Authority.BeginView(definer("v")); return nil },
			func(c *connection) any { return c.Authority.Subject() }},
		"LOCK TABLES": {func(c *connection) error { return c.LockTables(ctx, refs("test.t write, test.u read"), asTheyAre, -1) },
			func(c *connection) any { return []any{c.Confined(), h.server.Store.Txns().Locks().Count()} }},
		"read lock": {func(c *connection) error { return c.ReadLock.Acquire(ctx, -1) }, func(c *connection) any { return c.ReadLock.MayChange() }},
		"user lock": {func(c *connection) error { _, err := c.UserLocks.Acquire(ctx, "l", -1); return err },
			func(c *connection) any { return h.server.Store.Txns().Locks().Count() }},
		"temporary tables": {func(c *connection) error { c.temp.names = []string{"test.tt"}; return nil },
			func(c *connection) any { return c.Temp.Has("test", "tt") }},
		"memory limit": {func(c *connection) error {
			err := c.Vars.Set(ctx, "max_session_mem_used", 8192)
			c.Memory.Begin(c.MemoryLimit())
			return err
		}, func(c *connection) any { return number(c.KeepMemory(8193)) }},
		"state": {func(c *connection) error { c.SetState("Binlog Dump", "x"); return nil }, func(c *connection) any { return c.Proc.Info().Command }},
	} {
		t.Run(name, func(t *testing.T) {
			fresh := newConnection(h)
			want := c.look(fresh)
			fresh.Dispose()
			s := newConnection(h)
			defer s.Dispose()
			require.NoError(t, c.change(s))
			require.NotEqual(t, want, c.look(s), "the change is seen")
			s.Dispose()
			s.SetUp(s.Info)
			require.Equal(t, want, c.look(s))
		})
	}
}

// newConnection is connect without a database.
func newConnection(h *harness) *connection {
	c := h.connect()
	c.SetDB("")
	return c
}

// TestSetUp: what a new session takes from the connection.
func TestSetUp(t *testing.T) {
	h := newHarness(t)
	set := h.server.Accounts.Set().Clone()
	set.Add(&accounts.Account{Name: accounts.Name{User: "r"}, Role: true, Global: privilege.Super})
	set.Find(accounts.Name{User: "app", Host: "%"}).DefaultRole = "r"
	set.Roles = append(set.Roles, accounts.RoleGrant{Name: accounts.Name{User: "app", Host: "%"}, Role: "r"})
	h.server.Accounts.Publish(set)
	require.NoError(t, h.server.Globals.Set(ctx, "interactive_timeout", 33))
	require.NoError(t, h.server.Globals.Set(ctx, "wait_timeout", 44))
	for name, c := range map[string]struct {
		ci      ConnInfo
		account string
		host    string // in USER()
		ip      string
		address string // in SHOW PROCESSLIST
		wait    uint64
	}{
		"socket":          {ConnInfo{User: "root", Host: "localhost"}, "root@localhost", "localhost", "localhost", "localhost", 44},
		"loopback":        {ConnInfo{User: "root", Host: "127.0.0.1", Address: "127.0.0.1:5"}, "root@localhost", "localhost", "127.0.0.1", "127.0.0.1:5", 44},
		"elsewhere":       {ConnInfo{User: "app", Host: "10.0.0.1"}, "app@%", "10.0.0.1", "10.0.0.1", "10.0.0.1", 44},
		"interactive":     {ConnInfo{User: "app", Host: "10.0.0.1", Capabilities: mysql.CLIENT_INTERACTIVE}, "app@%", "10.0.0.1", "10.0.0.1", "10.0.0.1", 33},
		"ip that's known": {ConnInfo{User: "app", Host: "box", IP: "10.0.0.2"}, "app@%", "box", "10.0.0.2", "box", 44},
	} {
		t.Run(name, func(t *testing.T) {
			s := h.connect(func(ci *ConnInfo) { c.ci.ID = ci.ID; *ci = c.ci })
			require.Equal(t, c.account, s.AccountName())
			require.Equal(t, c.host, s.Info.Host)
			require.Equal(t, c.ip, s.Info.IP)
			info := s.Proc.Info()
			require.Equal(t, []any{c.ci.ID, c.ci.User, c.address}, []any{info.ID, info.User, info.Host})
			require.Equal(t, c.wait, s.Vars.Uint("wait_timeout"))
			require.Equal(t, c.ci.User == "app", s.Authority.Role == "r", "the default role is active")
			require.Equal(t, []string{"autocommit", "sql_mode", "character_set_connection", "character_set_results", "collation_connection"},
				s.other.changed[:5], "the other half is told of what it has copies of")
		})
	}
}

// TestIgnoreSpace: a client that asks for it has IGNORE_SPACE in its sql_mode, whatever else is in it.
func TestIgnoreSpace(t *testing.T) {
	h := newHarness(t)
	for global, want := range map[string]string{"": "IGNORE_SPACE", "STRICT_TRANS_TABLES": "IGNORE_SPACE,STRICT_TRANS_TABLES", "IGNORE_SPACE": "IGNORE_SPACE"} {
		require.NoError(t, h.server.Globals.Set(ctx, "sql_mode", global))
		s := h.connect(func(ci *ConnInfo) { ci.Capabilities = mysql.CLIENT_IGNORE_SPACE })
		require.Equal(t, want, s.Vars.Str("sql_mode"))
		require.True(t, s.LexMode.IgnoreSpace)
	}
}

// TestStatementEnds: what a statement leaves open is closed, a slow one is counted, and after max_statement_time its context ends.
func TestStatementEnds(t *testing.T) {
	h := newHarness(t)
	s := h.connect()
	s.perform("insert insert")
	s.Begin(ctx, "SELECT")
	cursor, err := s.EnsureTxn().Scan(ctx, txn.ScanSpec{Table: h.t, Index: -1})
	require.NoError(t, err)
	require.True(t, cursor.Next())
	s.End()
	require.False(t, cursor.Next(), "it is closed")
	s.set("long_query_time", 100)
	s.Begin(ctx, "SELECT")
	s.End()
	require.Zero(t, h.server.Status.Count("Slow_queries"))
	slow(s.Session, 101*time.Second)
	require.EqualValues(t, 1, h.server.Status.Count("Slow_queries"))

	limited, cancel := s.WithStatementTime(ctx)
	_, has := limited.Deadline()
	require.False(t, has)
	cancel()
	s.set("max_statement_time", 0.000001)
	limited, cancel = s.WithStatementTime(ctx)
	defer cancel()
	<-limited.Done()
	require.Equal(t, 1969, number(context.Cause(limited)))
}

package session

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/txn"
)

// steps are statements that are about transactions. Each is run by perform.
var steps = map[string]func(c *connection) error{
	"begin":       func(c *connection) error { return c.StartTransaction(ctx, NextTransaction{}, false) },
	"begin-ro":    func(c *connection) error { return c.StartTransaction(ctx, readOnly, false) },
	"begin-rw":    func(c *connection) error { return c.StartTransaction(ctx, NextTransaction{HasAccess: true}, false) },
	"commit":      func(c *connection) error { return c.CommitAll(ctx) },
	"rollback":    func(c *connection) error { c.RollbackAll(); return nil },
	"chain":       func(c *connection) error { chars := c.Current; err := c.CommitAll(ctx); c.Chain(chars); return err },
	"chain-back":  func(c *connection) error { chars := c.Current; c.RollbackAll(); c.Chain(chars); return nil },
	"next-ro":     func(c *connection) error { c.Next = readOnly; return nil }, // SET TRANSACTION READ ONLY
	"session-ro":  func(c *connection) error { return c.Vars.Set(ctx, "tx_read_only", 1) },
	"session-rw":  func(c *connection) error { return c.Vars.Set(ctx, "tx_read_only", 0) },
	"manual":      func(c *connection) error { return c.Vars.Set(ctx, "autocommit", 0) },
	"auto":        func(c *connection) error { return c.Vars.Set(ctx, "autocommit", 1) },
	"savepoint-a": func(c *connection) error { return c.CreateSavepoint("a") },
	"savepoint-b": func(c *connection) error { return c.CreateSavepoint("b") },
	"back-a":      func(c *connection) error { return c.RollbackToSavepoint("a") },
	"back-A":      func(c *connection) error { return c.RollbackToSavepoint("A") },
	"back-b":      func(c *connection) error { return c.RollbackToSavepoint("b") },
	"release-a":   func(c *connection) error { return c.ReleaseSavepoint("a") },
	"end":         func(c *connection) error { c.EndIdle(); return nil },
	"look":        func(c *connection) error { c.EnsureTxn(); return nil },
	"idle":        func(c *connection) error { c.EnsureTxn(); c.EndIdle(); return nil },
	"unlock":      func(c *connection) error { c.UnlockTables(); return nil },
	"lock":        func(c *connection) error { return c.LockTables(ctx, refs("t write"), asTheyAre, -1) },
	"select": func(c *connection) error {
		return c.statement(read, func(tx *txn.Txn) error { c.h.idsIn(tx); return nil })
	},
}

var readOnly = NextTransaction{ReadOnly: true, HasAccess: true}

// perform runs steps, of which each insert inserts the row 1, 2 ...; one with a ! must be refused, with 1792 or, of a savepoint, 1305.
func (c *connection) perform(script string) {
	c.h.Helper()
	for _, step := range strings.Fields(script) {
		name, refused := strings.CutSuffix(step, "!")
		var err error
		if name == "insert" {
			c.rows++
			err = c.insert(c.rows)
		} else {
			require.Contains(c.h, steps, name)
			err = steps[name](c)
		}
		switch {
		case !refused:
			require.NoError(c.h, err, "%s in %s", step, script)
		case name == "insert":
			require.Equal(c.h, int(mysqlerr.CantExecuteInReadOnlyTransaction), number(err), "%s in %s: %v", step, script, err)
		default:
			require.Equal(c.h, int(mysqlerr.SPDoesNotExist), number(err), "%s in %s: %v", step, script, err)
		}
	}
}

// TestTransactions runs scripts, after which another session sees ids, and the own one is in a transaction or not. What MariaDB does was
// looked up for each.
func TestTransactions(t *testing.T) {
	for _, c := range []struct {
		script string
		ids    []int64
		in     bool // a transaction is running at the end
	}{
		// autocommit
		{"insert", []int64{1}, false},
		{"begin insert", nil, true},
		{"begin insert commit insert", []int64{1, 2}, false},
		{"begin insert rollback insert", []int64{2}, false},
		{"begin insert begin", []int64{1}, true},
		{"manual", nil, false},
		{"manual insert", nil, true},
		{"manual insert commit", []int64{1}, false},
		{"manual insert rollback", nil, false},
		{"manual insert auto", []int64{1}, false},
		{"next-ro session-rw insert", []int64{1}, false},
		{"manual insert manual rollback", nil, false},
		{"begin insert auto rollback", nil, false}, // SET autocommit=1 changes nothing where it is 1
		{"begin insert manual rollback auto", nil, false},
		{"manual begin insert auto rollback", []int64{1}, false},
		{"begin insert chain insert", []int64{1}, true},
		{"begin insert chain insert commit", []int64{1, 2}, false},
		{"begin insert chain-back insert commit", []int64{2}, false},

		// what a statement leaves open
		{"look", nil, false},
		{"look end", nil, false},
		{"begin insert end", nil, true},
		{"begin insert end commit", []int64{1}, false},
		{"manual insert end commit", []int64{1}, false},

		// READ ONLY of one transaction
		{"begin-ro insert! select insert! commit insert", []int64{3}, false},
		{"begin-ro begin insert commit", []int64{1}, false},
		{"begin-ro chain insert! commit insert", []int64{2}, false},
		{"begin-ro commit chain insert commit", []int64{1}, false},
		{"begin-ro chain-back insert! rollback insert", []int64{2}, false},
		{"next-ro begin insert! commit insert", []int64{2}, false},
		{"next-ro begin insert! rollback begin insert commit", []int64{2}, false},
		{"next-ro begin begin insert commit", []int64{1}, false},
		{"next-ro begin chain insert! commit insert", []int64{2}, false},
		{"next-ro begin-rw insert commit insert", []int64{1, 2}, false},
		{"next-ro insert! insert!", nil, false},
		{"next-ro select insert", []int64{1}, false},
		{"next-ro idle insert!", nil, false},
		{"next-ro commit insert", []int64{1}, false},
		{"next-ro rollback insert", []int64{1}, false},
		{"next-ro savepoint-a insert!", nil, false},
		{"next-ro lock insert unlock insert", []int64{1, 2}, false},
		{"manual next-ro insert! insert! commit insert commit", []int64{3}, false},
		{"manual next-ro select insert! commit insert commit", []int64{2}, false},
		{"manual next-ro select begin insert commit", []int64{1}, false},

		// READ ONLY of a session: of transactions that begin later
		{"session-ro insert! begin insert! commit insert!", nil, false},
		{"session-ro begin-rw insert commit", []int64{1}, false},
		{"session-ro session-rw insert", []int64{1}, false},
		{"begin session-ro insert commit insert!", []int64{1}, false},
		{"begin session-ro chain insert commit insert!", []int64{1}, false},
		{"session-ro begin session-rw insert! commit insert", []int64{2}, false},
		{"manual select session-ro insert commit insert!", []int64{1}, false},

		// savepoints
		{"savepoint-a back-a! release-a!", nil, false},
		{"manual savepoint-a back-a release-a back-a!", nil, true},
		{"begin savepoint-a back-a release-a back-a! release-a!", nil, true},
		{"begin back-a! release-a!", nil, true},
		{"begin insert back-a! insert commit", []int64{1, 2}, false},
		{"begin insert savepoint-a insert savepoint-b insert back-b commit", []int64{1, 2}, false},
		{"begin insert savepoint-a insert savepoint-b insert back-A insert commit", []int64{1, 4}, false},
		{"begin insert savepoint-a insert savepoint-b insert back-a back-b! commit", []int64{1}, false},
		{"begin insert savepoint-a insert savepoint-a insert back-a commit", []int64{1, 2}, false},
		{"begin insert savepoint-a insert release-a back-a! commit", []int64{1, 2}, false},
		{"begin savepoint-a insert commit back-a!", []int64{1}, false},
	} {
		t.Run(c.script, func(t *testing.T) {
			h := newHarness(t)
			s := h.connect()
			s.perform(c.script)
			require.Equal(t, c.ids, h.ids())
			require.Equal(t, c.in, s.InTransaction())
			shown, _ := s.Vars.Get("in_transaction")
			require.Equal(t, map[bool]any{false: uint64(0), true: uint64(1)}[c.in], shown)
		})
	}
}

// TestStatusFlags are those that the client is told after steps.
func TestStatusFlags(t *testing.T) {
	h := newHarness(t)
	const auto, in, ro, plain = mysql.SERVER_STATUS_AUTOCOMMIT, mysql.SERVER_STATUS_IN_TRANS, mysql.SERVER_STATUS_IN_TRANS_READONLY, mysql.SERVER_STATUS_NO_BACKSLASH_ESCAPES
	for script, want := range map[string]uint16{
		"":                       auto,
		"select":                 auto,
		"begin":                  auto | in,
		"begin-ro":               auto | in | ro,
		"begin-ro begin":         auto | in,
		"begin-ro commit":        auto,
		"begin-ro chain":         auto | in | ro,
		"session-ro begin":       auto | in | ro,
		"session-ro begin-rw":    auto | in,
		"next-ro":                auto,
		"next-ro begin":          auto | in | ro,
		"manual":                 0,
		"manual select":          in,
		"manual select rollback": 0,
	} {
		s := h.connect()
		s.perform(script)
		require.EqualValues(t, want, s.StatusFlags(), script)
		require.NoError(t, s.Vars.Set(ctx, "sql_mode", "NO_BACKSLASH_ESCAPES"))
		require.EqualValues(t, want|plain, s.StatusFlags(), script)
		require.EqualValues(t, want|plain|mysql.SERVER_MORE_RESULTS_EXISTS, s.EndStatus(true).Flags, script)
	}
}

// TestIsolation: which level a transaction has, and whether its plain reads lock.
func TestIsolation(t *testing.T) {
	h := newHarness(t)
	next := func(level txn.Isolation) NextTransaction {
		return NextTransaction{Isolation: level, HasIsolation: true}
	}
	for name, c := range map[string]struct {
		session string // tx_isolation
		next    NextTransaction
		begin   bool
		chars   NextTransaction
		want    txn.Isolation
		locks   bool
	}{
		"default":                   {want: txn.RepeatableRead},
		"default of a session":      {session: "READ-COMMITTED", want: txn.ReadCommitted},
		"uncommitted":               {session: "READ-UNCOMMITTED", begin: true, want: txn.ReadUncommitted},
		"repeatable":                {session: "REPEATABLE-READ", begin: true, want: txn.RepeatableRead},
		"serializable, autocommit":  {session: "SERIALIZABLE", want: txn.Serializable},
		"serializable":              {session: "SERIALIZABLE", begin: true, want: txn.Serializable, locks: true},
		"next":                      {session: "SERIALIZABLE", next: next(txn.ReadCommitted), want: txn.ReadCommitted},
		"next, BEGIN":               {next: next(txn.Serializable), begin: true, want: txn.Serializable, locks: true},
		"next of lower level":       {session: "SERIALIZABLE", next: next(txn.RepeatableRead), begin: true, want: txn.RepeatableRead},
		"of the transaction itself": {next: next(txn.Serializable), begin: true, chars: next(txn.ReadCommitted), want: txn.ReadCommitted},
	} {
		t.Run(name, func(t *testing.T) {
			s := h.connect()
			if c.session != "" {
				s.set("tx_isolation", c.session)
			}
			s.Next = c.next
			if c.begin {
				require.NoError(t, s.StartTransaction(ctx, c.chars, false))
			}
			require.Equal(t, c.locks, s.Serializable())
			require.Equal(t, c.want, s.EnsureTxn().Options().Isolation)
			s.set("tx_isolation", "READ-COMMITTED")
			require.Equal(t, c.locks, s.Serializable(), "SET is for later transactions")
			chars := s.Current
			require.NoError(t, s.CommitAll(ctx))
			require.False(t, s.Serializable())
			require.Equal(t, txn.ReadCommitted, s.EnsureTxn().Options().Isolation, "the next one is as the session says")
			s.RollbackAll()
			if c.begin {
				s.Chain(chars)
				require.Equal(t, c.want, s.EnsureTxn().Options().Isolation)
			}
		})
	}
}

// TestSnapshotOfStart: WITH CONSISTENT SNAPSHOT reads as it was then, a plain BEGIN as it was at the first read.
func TestSnapshotOfStart(t *testing.T) {
	h := newHarness(t)
	a, b, other := h.connect(), h.connect(), h.connect()
	require.NoError(t, a.StartTransaction(ctx, NextTransaction{}, true))
	require.NoError(t, b.StartTransaction(ctx, NextTransaction{}, false))
	require.NoError(t, other.insert(1))
	require.Empty(t, h.idsIn(a.EnsureTxn()))
	require.Equal(t, []int64{1}, h.idsIn(b.EnsureTxn()))
}

// TestTransactionOptions: what a transaction takes from the session's variables when it begins.
func TestTransactionOptions(t *testing.T) {
	h := newHarness(t)
	s := h.connect()
	want := txn.Options{Autocommit: true, LockWaitTimeout: 50 * time.Second, MetadataTimeout: 86400 * time.Second, ServerID: 1, MemoryTableBytes: 16 << 20, ThreadID: s.ID(), Waiter: &s.waiter, Cursors: &s.cursors}
	require.Equal(t, want, s.EnsureTxn().Options())
	require.Same(t, s.Tx, s.EnsureTxn())
	require.Same(t, s.Tx, s.Running.Load())
	s.RollbackAll()
	require.Nil(t, s.Running.Load())
	s.perform("begin")
	require.False(t, s.EnsureTxn().Options().Autocommit)
	s.perform("rollback manual")
	require.False(t, s.EnsureTxn().Options().Autocommit)
	s.perform("rollback auto")
	for _, c := range []struct {
		name   string
		value  any
		change func(o *txn.Options)
	}{
		{"innodb_lock_wait_timeout", 7, func(o *txn.Options) { o.LockWaitTimeout = 7 * time.Second }},
		{"innodb_lock_wait_timeout", 0, func(o *txn.Options) { o.LockWaitTimeout = -1 }},
		{"lock_wait_timeout", 8, func(o *txn.Options) { o.MetadataTimeout = 8 * time.Second }},
		{"lock_wait_timeout", 0, func(o *txn.Options) { o.MetadataTimeout = -1 }},
		{"binlog_row_image", "MINIMAL", func(o *txn.Options) { o.RowImage = txn.ImageMinimal }},
		{"binlog_row_image", "NOBLOB", func(o *txn.Options) { o.RowImage = txn.ImageNoBlob }},
		{"gtid_domain_id", 3, func(o *txn.Options) { o.Domain = 3 }},
		{"max_heap_table_size", 20480, func(o *txn.Options) { o.MemoryTableBytes = 20480 }},
		{"server_id", 4, func(o *txn.Options) { o.ServerID = 4 }},
		{"sql_log_bin", 0, func(o *txn.Options) { o.SkipBinlog = true }},
		{"tx_read_only", 1, func(o *txn.Options) { o.ReadOnly = true }},
		{"tx_isolation", "SERIALIZABLE", func(o *txn.Options) { o.Isolation = txn.Serializable }},
	} {
		s.set(c.name, c.value)
		c.change(&want)
		require.Equal(t, want, s.EnsureTxn().Options(), "%s = %v", c.name, c.value)
		s.RollbackAll()
	}
}

// TestTemporaryTablesFollow: temporary tables are told of everything that happens to the transaction.
func TestTemporaryTablesFollow(t *testing.T) {
	for script, told := range map[string]string{
		"insert":                           "begin, end, commit",
		"select":                           "begin, end, commit",
		"commit rollback end":              "",
		"begin commit":                     "",
		"begin insert rollback":            "begin, end, rollback",
		"begin select commit":              "begin, end, commit",
		"idle":                             "rollback",
		"savepoint-a back-a! release-a!":   "",
		"begin savepoint-a back-a":         "savepoint a, rollback to a",
		"begin savepoint-a back-b!":        "savepoint a",
		"begin savepoint-a release-a":      "savepoint a, release a",
		"manual savepoint-a commit auto":   "savepoint a, commit",
		"manual insert auto":               "begin, end, commit",
		"begin insert begin":               "begin, end, commit",
		"begin-ro insert! select rollback": "begin, end, rollback",
	} {
		s := newHarness(t).connect()
		s.perform(script)
		require.Equal(t, told, s.temp.taken(), script)
	}
}

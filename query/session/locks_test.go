package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/txn"
)

// refs are tables as LOCK TABLES names them: "t write, db.u as a read".
func refs(list string) (out []statement.Ref) {
	for _, item := range strings.Split(list, ", ") {
		f := strings.Fields(item)
		db, name, qualified := strings.Cut(f[0], ".")
		if !qualified {
			db, name = "", f[0]
		}
		r := statement.Ref{DB: db, Table: name, Alias: name, Write: f[len(f)-1] == "write"}
		if len(f) == 4 {
			r.Alias = f[2]
		}
		out = append(out, r)
	}
	return out
}

// asTheyAre completes tables where there are no views.
func asTheyAre(want []statement.Ref) ([]statement.Ref, error) { return want, nil }

// lock is LOCK TABLES that waits for nobody.
func (c *connection) lock(list string) error { return c.LockTables(ctx, refs(list), asTheyAre, -1) }

// noWait is number for errors of locks: -1205 if one was not to be had.
func noWait(err error) int {
	if errors.Is(err, txn.ErrNoWait) {
		return -1205
	}
	return number(err)
}

const (
	missing    = int(mysqlerr.NoSuchTable)
	twice      = int(mysqlerr.NonUniqTable)
	ownRead    = int(mysqlerr.CantUpdateWithReadlock)
	notLocked  = int(mysqlerr.TableNotLocked)
	lockedRead = int(mysqlerr.TableNotLockedForWrite)
	wouldWait  = -1205
)

// TestLockTables: what LOCK TABLES refuses, in a session that has begun a transaction under an earlier LOCK TABLES u READ. The errors and
// their order are MariaDB's.
func TestLockTables(t *testing.T) {
	below := errors.New("below the views")
	for name, c := range map[string]struct {
		list     string
		readLock bool // the session has FLUSH TABLES WITH READ LOCK
		below    BelowViews
		want     int
		kept     bool // the transaction and the earlier locks are as they were
	}{
		"one table":                        {list: "t write"},
		"another database's":               {list: "TEST.T read", want: missing},
		"two":                              {list: "t write, u read"},
		"two names of one":                 {list: "t read, t as a write"},
		"one name in two databases":        {list: "t read, mysql.t read"},
		"missing":                          {list: "nope read", want: missing},
		"missing after one that is there":  {list: "t write, nope write", want: missing},
		"missing database":                 {list: "nope.t read", want: missing},
		"of the server":                    {list: "mysql.nope read, information_schema.nope read, performance_schema.nope write"},
		"temporary":                        {list: "tt write"},
		"one name twice":                   {list: "t read, t read", want: twice, kept: true},
		"one name twice, in words":         {list: "t read, test.t write", want: twice, kept: true},
		"a name in capitals":               {list: "t read, test.T write", want: missing},
		"one alias twice":                  {list: "t as a read, u as a read", want: twice, kept: true},
		"an alias in capitals":             {list: "t as a read, u as A read"},
		"one alias, and missing":           {list: "nope read, t as a read, u as a read", want: twice, kept: true},
		"below":                            {list: "t read", below: func([]statement.Ref) ([]statement.Ref, error) { return nil, below }, want: -1},
		"missing below":                    {list: "t read", below: func(r []statement.Ref) ([]statement.Ref, error) { return append(r, refs("test.gone read")...), nil }, want: missing},
		"read lock, READ":                  {list: "t read", readLock: true},
		"read lock, WRITE":                 {list: "t write", readLock: true, want: ownRead},
		"read lock, WRITE after READ":      {list: "t read, u write", readLock: true, want: ownRead},
		"read lock, missing READ":          {list: "nope read", readLock: true, want: missing},
		"read lock, missing WRITE":         {list: "nope write", readLock: true, want: ownRead},
		"read lock, missing READ, WRITE":   {list: "nope read, t write", readLock: true, want: ownRead},
		"read lock, twice":                 {list: "t write, t write", readLock: true, want: twice, kept: true},
		"read lock, temporary WRITE":       {list: "tt write", readLock: true},
		"read lock, temporary and missing": {list: "tt write, nope read", readLock: true, want: missing},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			s := h.connect()
			s.temp.names = []string{"test.tt"}
			s.perform("begin insert")
			if c.readLock {
				require.NoError(t, s.ReadLock.Acquire(ctx, -1))
			}
			// LOCK TABLES would end the transaction, but that it began before is no matter here.
			s.tabLocks = &tableLocks{named: refs("test.u read"), catalog: h.server.Store.Catalog(), temp: s.Temp, locks: h.server.Store.Txns().Locks()}
			if c.below == nil {
				c.below = asTheyAre
			}
			if c.readLock && !c.kept { // the transaction could not be committed for others
				s.RollbackAll()
			}
			err := s.LockTables(ctx, refs(c.list), c.below, -1)
			require.Equal(t, c.want, number(err), err)
			require.Equal(t, c.kept, s.InTransaction())
			if !c.kept && !c.readLock {
				require.Equal(t, []int64{1}, h.ids(), "it commits, also if it is refused then")
			}
			require.Equal(t, c.kept || c.want == 0, s.Confined())
			if c.kept {
				require.NoError(t, s.Confine(refs("test.u read")))
			}
			s.RollbackAll()
			s.UnlockTables()
			require.False(t, s.Confined())
			require.Zero(t, h.server.Store.Txns().Locks().Count(), "nothing is left")
		})
	}
}

// TestConfine: what a session may use under LOCK TABLES.
func TestConfine(t *testing.T) {
	h := newHarness(t)
	for name, c := range map[string]struct {
		locked, used string
		want         int
	}{
		"no LOCK TABLES":                       {"", "test.u write", 0},
		"read of READ":                         {"t read", "test.t read", 0},
		"write of READ":                        {"t read", "test.t write", lockedRead},
		"read of WRITE":                        {"t write", "test.t read", 0},
		"write of WRITE":                       {"t write", "test.t write", 0},
		"case":                                 {"t write", "TEST.T write", notLocked},
		"another table":                        {"t write", "test.u read", notLocked},
		"write of another table":               {"t read", "test.u write", notLocked},
		"another database":                     {"t read", "other.t read", notLocked},
		"another alias":                        {"t read", "test.t as a read", notLocked},
		"the table under its alias":            {"t as a read", "test.t as a read", 0},
		"its alias in capitals":                {"t as a read", "test.t as A read", notLocked},
		"the table but for its alias":          {"t as a read", "test.t read", notLocked},
		"each name has its own lock":           {"t read, t as a write", "test.t write", lockedRead},
		"the other name":                       {"t read, t as a write", "test.t as a write", 0},
		"the second of two":                    {"t read", "test.t read, test.u read", notLocked},
		"the first error of two":               {"t read", "test.t write, test.u read", lockedRead},
		"temporary":                            {"t read", "test.tt write", 0},
		"a view of the server":                 {"t read", "information_schema.tables read, performance_schema.x read", 0},
		"a table of the server":                {"t read", "mysql.proc read", notLocked},
		"a table of the server that was named": {"mysql.proc read", "mysql.proc read", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := h.connect()
			s.temp.names = []string{"test.tt"}
			if c.locked != "" {
				require.NoError(t, s.lock(c.locked))
			}
			err := s.Confine(refs(c.used))
			require.Equal(t, c.want, number(err), err)
			s.UnlockTables()
			require.NoError(t, s.Confine(refs(c.used)))
		})
	}
}

// TestConfineNamesTheAlias: what errors say.
func TestConfineNamesTheAlias(t *testing.T) {
	s := newHarness(t).connect()
	require.NoError(t, s.lock("t as a read"))
	require.ErrorContains(t, s.Confine(refs("test.u as b read")), "Table 'b' was not locked with LOCK TABLES")
	require.ErrorContains(t, s.Confine(refs("test.t as a write")), "Table 'a' was locked with a READ lock")
	require.ErrorContains(t, s.lock("other.nope read"), "Table 'other.nope' doesn't exist")
	require.ErrorContains(t, s.lock("t as a read, u as a read"), "Not unique table/alias: 'a'")
}

// TestLockTablesAndOthers: one session has locks; what others may do meanwhile, without waiting, and again after the locks are gone.
func TestLockTablesAndOthers(t *testing.T) {
	definition := &statement.Statement{Kind: statement.Definition, Tables: []statement.Use{{Name: "t", Strength: statement.Exclusive}}}
	temporary := &statement.Statement{Kind: statement.Definition, Temporary: true, Tables: definition.Tables}
	names := func(st *statement.Statement) func(c *connection) error {
		return func(c *connection) error { return c.LockForStatement(ctx, c.EnsureTxn(), st) }
	}
	change := func(c *connection) error { _, err := c.BeginChange(ctx, "a change"); return err }
	lock := func(list string) func(c *connection) error { return func(c *connection) error { return c.lock(list) } }
	readLock := func(c *connection) error { return c.ReadLock.Acquire(ctx, -1) }
	for name, c := range map[string]struct {
		held, wanted func(c *connection) error
		want         int
	}{
		"READ, a read":                  {lock("t read"), names(read), 0},
		"READ, a write":                 {lock("t read"), names(write), wouldWait},
		"READ, a definition":            {lock("t read"), names(definition), wouldWait},
		"READ, a temporary table":       {lock("t read"), names(temporary), 0},
		"READ, READ":                    {lock("t read"), lock("t read"), 0},
		"READ, WRITE":                   {lock("t read"), lock("u read, t write"), wouldWait},
		"READ, WRITE of another":        {lock("t read"), lock("u write"), 0},
		"READ, the read lock":           {lock("t read"), readLock, 0},
		"WRITE, a read":                 {lock("t write"), names(read), wouldWait},
		"WRITE, READ":                   {lock("t write"), lock("t read"), wouldWait},
		"WRITE, the read lock":          {lock("t write"), readLock, wouldWait},
		"READ and WRITE under aliases":  {lock("t as a write, t read"), names(read), wouldWait},
		"WRITE of a temporary table":    {lock("tt write"), readLock, 0},
		"the read lock, a read":         {readLock, names(read), 0},
		"the read lock, a change":       {readLock, change, wouldWait},
		"the read lock, READ":           {readLock, lock("t read"), 0},
		"the read lock, WRITE":          {readLock, lock("t write"), wouldWait},
		"the read lock, WRITE of temp.": {readLock, lock("tt write"), 0},
		"the read lock, another":        {readLock, readLock, 0},
		"a change, the read lock":       {change, readLock, wouldWait},
		"a change, WRITE":               {change, lock("t write"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			a, b := h.connect(), h.connect()
			a.temp.names, b.temp.names = []string{"test.tt"}, []string{"test.tt"}
			b.set("lock_wait_timeout", 0)
			require.NoError(t, c.held(a))
			err := c.wanted(b)
			require.Equal(t, c.want, noWait(err), err)
			a.RollbackAll()
			a.UnlockTables()
			require.NoError(t, c.wanted(b))
			b.RollbackAll()
			b.UnlockTables()
			require.Zero(t, h.server.Store.Txns().Locks().Count())
		})
	}
}

// TestOwnReadLock: what the session that has FLUSH TABLES WITH READ LOCK may do itself, and that the refusal comes before anything waits or
// begins.
func TestOwnReadLock(t *testing.T) {
	h := newHarness(t)
	s, other := h.connect(), h.connect()
	require.NoError(t, s.ReadLock.MayChange())
	require.NoError(t, s.ReadLock.Acquire(ctx, -1))
	require.NoError(t, s.ReadLock.Acquire(ctx, -1), "once more")
	taken, err := s.BeginChange(ctx, "INSERT")
	require.Equal(t, ownRead, number(err))
	require.Nil(t, taken)
	require.Nil(t, s.Tx, "it was refused before it began a transaction")
	require.NoError(t, other.ReadLock.Acquire(ctx, -1))
	_, err = s.BeginChange(ctx, "INSERT")
	require.Equal(t, ownRead, number(err), "not a wait for the other one")
	require.NoError(t, s.lock("t read"))
	require.Equal(t, ownRead, number(s.lock("t write")))
	require.Equal(t, ownRead, number(s.ReadLock.MayChange()), "LOCK TABLES leaves it")
	s.UnlockTables()
	require.NoError(t, s.ReadLock.MayChange())
	other.UnlockTables()
	taken, err = s.BeginChange(ctx, "INSERT")
	require.NoError(t, err)
	require.NotNil(t, taken)
	again, err := s.BeginChange(ctx, "INSERT")
	require.NoError(t, err)
	require.Nil(t, again, "who began the change first ends it")
	taken.Unlock()
	require.NoError(t, other.ReadLock.Acquire(ctx, -1))
	other.UnlockTables()
	s.RollbackAll()
}

// TestBeginChangeFails: what is left of a transaction whose statement may not begin.
func TestBeginChangeFails(t *testing.T) {
	h := newHarness(t)
	for script, in := range map[string]bool{"select": false, "begin select": true, "manual select": true} {
		holder, s := h.connect(), h.connect()
		s.set("lock_wait_timeout", 0)
		s.perform(script)
		require.NoError(t, holder.ReadLock.Acquire(ctx, -1))
		_, err := s.BeginChange(ctx, "INSERT")
		require.ErrorIs(t, err, txn.ErrNoWait)
		require.Equal(t, in, s.InTransaction(), script)
		require.Equal(t, in, s.Tx != nil, script)
		s.RollbackAll()
		holder.UnlockTables()
	}
}

// TestLockTablesWaits: LOCK TABLES waits for a transaction, and looks again for the tables when it has the locks.
func TestLockTablesWaits(t *testing.T) {
	for name, c := range map[string]struct {
		dropped bool
		killed  bool
		timeout time.Duration
		want    error
	}{
		"there":   {timeout: waitMax},
		"dropped": {timeout: waitMax, dropped: true, want: mysqlerr.New(mysqlerr.NoSuchTable, "test", "u")},
		"killed":  {timeout: waitMax, killed: true, want: errKilled},
		"timeout": {timeout: time.Nanosecond, want: txn.ErrLockWaitTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			a, b := h.connect(), h.connect()
			require.NoError(t, b.LockForStatement(ctx, b.EnsureTxn(), write))
			run, kill := context.WithCancelCause(ctx)
			defer kill(nil)
			done := make(chan error, 1)
			go func() { done <- a.LockTables(run, refs("t write, u read"), asTheyAre, c.timeout) }()
			if c.timeout == waitMax {
				require.Eventually(t, func() bool { return len(h.server.Store.Txns().Waits()) == 1 }, waitMax, waitStep)
				require.Equal(t, "LOCK TABLES", h.server.Store.Txns().Waits()[0].Statement)
			}
			switch {
			case c.killed:
				kill(errKilled)
			case c.dropped:
				h.drop(h.u)
			}
			if c.timeout == waitMax && !c.killed {
				b.RollbackAll()
			}
			err := <-done
			if c.want == nil {
				require.NoError(t, err)
				a.UnlockTables()
			}
			require.ErrorIs(t, err, c.want)
			require.False(t, a.Confined())
			b.RollbackAll()
			require.Zero(t, h.server.Store.Txns().Locks().Count())
		})
	}
}

var errKilled = errors.New("killed")

// TestForgetDropped: a dropped table leaves LOCK TABLES, and its lock goes.
func TestForgetDropped(t *testing.T) {
	h := newHarness(t)
	s, other := h.connect(), h.connect()
	other.set("lock_wait_timeout", 0)
	s.ForgetDropped() // nothing is locked
	require.NoError(t, s.lock("t write, u write"))
	h.drop(h.u)
	require.Equal(t, wouldWait, noWait(other.EnsureTxn().LockTable(ctx, "test", "u", txn.Exclusive)))
	s.ForgetDropped()
	require.Equal(t, notLocked, number(s.Confine(refs("test.u read"))))
	require.NoError(t, s.Confine(refs("test.t write")))
	require.NoError(t, other.EnsureTxn().LockTable(ctx, "test", "u", txn.Exclusive))
	require.Equal(t, wouldWait, noWait(other.EnsureTxn().LockTable(ctx, "test", "t", txn.IntentShared)))
	other.RollbackAll()
}

// TestNamesOfStatement: which tables a statement locks, and how strongly: who else gets them.
func TestNamesOfStatement(t *testing.T) {
	h := newHarness(t)
	use := func(kind statement.Kind, temporary bool, uses ...statement.Use) *statement.Statement {
		return &statement.Statement{Kind: kind, Temporary: temporary, Tables: uses}
	}
	exclusive := func(db, name string) statement.Use {
		return statement.Use{DB: db, Name: name, Strength: statement.Exclusive}
	}
	for name, c := range map[string]struct {
		st    *statement.Statement
		names int
		// the strongest lock on test.t that another transaction gets meanwhile
		others txn.LockMode
		writes bool // WritesTables
	}{
		"nothing":               {st: use(statement.Read, false), others: txn.Exclusive},
		"a read":                {st: read, names: 1, others: txn.IntentExclusive},
		"a write":               {st: write, names: 1, others: txn.IntentExclusive, writes: true},
		"both":                  {st: use(statement.Write, false, exclusive("", "t"), statement.Use{Name: "u"}), names: 2, others: txn.IntentExclusive, writes: true},
		"by its database":       {st: use(statement.Read, false, statement.Use{DB: "TEST", Name: "T"}), names: 1, others: txn.IntentExclusive},
		"another database's":    {st: use(statement.Write, false, exclusive("other", "t")), names: 1, others: txn.Exclusive, writes: true},
		"of the server":         {st: use(statement.Read, false, statement.Use{DB: "mysql", Name: "t"}), others: txn.Exclusive},
		"temporary":             {st: use(statement.Write, false, exclusive("", "tt")), others: txn.Exclusive},
		"a definition":          {st: use(statement.Definition, false, exclusive("", "t")), names: 1, others: txn.Describe, writes: true},
		"a definition's source": {st: use(statement.Definition, false, statement.Use{Name: "t"}), names: 1, others: txn.IntentExclusive},
		"a temporary one":       {st: use(statement.Definition, true, exclusive("", "t")), others: txn.Exclusive, writes: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := h.connect()
			defer s.RollbackAll()
			s.temp.names = []string{"test.tt"}
			require.NoError(t, s.LockForStatement(ctx, s.EnsureTxn(), c.st))
			require.Equal(t, c.names, s.Tx.Info().NamesLocked)
			require.Equal(t, c.writes, s.WritesTables(c.st))
			got := txn.Describe
			for _, mode := range []txn.LockMode{txn.IntentShared, txn.IntentExclusive, txn.Exclusive} {
				x := h.server.Store.Txns().Begin(txn.Options{MetadataTimeout: -1})
				if x.LockTable(ctx, "test", "t", mode) == nil {
					got = mode
				}
				x.Rollback()
			}
			require.Equal(t, c.others, got)
		})
	}
}

// TestLockTablesOfView: LOCK TABLES of a view, which is no table, has what it is made of locked.
func TestLockTablesOfView(t *testing.T) {
	h := newHarness(t)
	h.define("CREATE VIEW v", func(*txn.Txn) catalog.Change {
		return catalog.Change{Objects: []catalog.ObjectDef{{Kind: "view", DB: "test", Name: "v"}}}
	})
	s, other := h.connect(), h.connect()
	other.set("lock_wait_timeout", 0)
	require.NoError(t, s.LockTables(ctx, refs("v read"), func(want []statement.Ref) ([]statement.Ref, error) {
		require.Equal(t, "[{test v v false}]", fmt.Sprint(want), "with its database")
		return append(want, refs("test.t read")...), nil
	}, -1))
	require.NoError(t, s.Confine(refs("test.v read, test.t read")))
	require.ErrorIs(t, other.LockForStatement(ctx, other.EnsureTxn(), write), txn.ErrNoWait)
}

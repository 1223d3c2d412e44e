package query_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// awaitState waits until a session's state in PROCESSLIST is this one.
func awaitState(t *testing.T, look *client, id, state string) {
	t.Helper()
	require.Eventually(t, func() bool {
		return look.query("SELECT STATE FROM information_schema.PROCESSLIST WHERE ID = %s", id) == state
	}, time.Minute, time.Millisecond)
}

// TestTableLockWaitsEnd: KILL ends every wait for LOCK TABLES and for FLUSH TABLES WITH READ LOCK, and so does the end of the session
// that is waited for. Whoever waited behind a killed one goes on.
func TestTableLockWaitsEnd(t *testing.T) {
	const table, everything = "Waiting for table metadata lock", "Waiting for backup lock"
	for name, c := range map[string]struct{ held, begun, waits, state string }{
		"statement that reads":   {held: "LOCK TABLES d.t WRITE", waits: "SELECT * FROM d.t", state: table},
		"statement that changes": {held: "LOCK TABLES d.t READ", waits: "INSERT INTO d.t VALUES (7)", state: table},
		"LOCK TABLES READ":       {held: "LOCK TABLES d.t WRITE", waits: "LOCK TABLES d.u READ, d.t READ", state: table},
		"LOCK TABLES WRITE":      {held: "LOCK TABLES d.t READ", waits: "LOCK TABLES d.a WRITE, d.t WRITE", state: table},
		"definition":             {held: "LOCK TABLES d.t READ", waits: "ALTER TABLE d.t ADD COLUMN c INT", state: table},
		"read lock":              {held: "LOCK TABLES d.t WRITE", waits: "FLUSH TABLES WITH READ LOCK", state: everything},
		"change":                 {held: "FLUSH TABLES WITH READ LOCK", waits: "INSERT INTO d.t VALUES (7)", state: everything},
		"LOCK TABLES":            {held: "FLUSH TABLES WITH READ LOCK", waits: "LOCK TABLES d.t WRITE", state: everything},
		"account":                {held: "FLUSH TABLES WITH READ LOCK", waits: "CREATE USER x", state: everything},
		"new definition":         {held: "FLUSH TABLES WITH READ LOCK", waits: "CREATE TABLE d.n (id INT)", state: everything},
		"commit":                 {held: "FLUSH TABLES WITH READ LOCK", begun: "INSERT INTO d.t VALUES (9)", waits: "COMMIT", state: everything},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			a, b, look := s.connect(), s.connect(), s.connect()
			a.exec("CREATE DATABASE d")
			for _, table := range []string{"a", "t", "u"} {
				a.exec("CREATE TABLE d." + table + " (id INT PRIMARY KEY)")
			}
			a.exec("INSERT INTO d.t VALUES (1)")
			id := b.query("SELECT CONNECTION_ID()")
			ended := make(chan error, 1)
			wait := func() {
				if c.begun != "" {
					b.exec("BEGIN")
					b.exec(c.begun)
				}
				a.exec(c.held)
				go func() { _, err := b.run(c.waits); ended <- err }()
				awaitState(t, look, id, c.state)
			}
			wait()
			look.exec("KILL QUERY " + id)
			var told *mysqlerr.Error
			require.True(t, errors.As(<-ended, &told))
			require.Equal(t, mysqlerr.QueryInterrupted, told.Number)
			a.exec("UNLOCK TABLES")
			require.Equal(t, "1", look.query("SELECT COUNT(*) FROM d.t"), "a killed commit is rolled back")
			require.Zero(t, s.store.Txns().Locks().Count(), "nothing is left of the wait")

			wait()
			a.Close()
			require.NoError(t, <-ended)
			b.Close()
			require.Zero(t, s.store.Txns().Locks().Count())
			look.exec("INSERT INTO d.u VALUES (1)")
		})
	}
}

// TestTableLockDeadlockIsTold: a circle through LOCK TABLES and the read lock is told as others are.
func TestTableLockDeadlockIsTold(t *testing.T) {
	s := newServer(t)
	a, b, look := s.connect(), s.connect(), s.connect()
	a.exec("CREATE DATABASE d")
	a.exec("CREATE TABLE d.t (id INT PRIMARY KEY)")
	b.exec("BEGIN")
	b.exec("INSERT INTO d.t VALUES (1)")
	a.exec("FLUSH TABLES WITH READ LOCK")
	ended := make(chan error, 1)
	id := a.query("SELECT CONNECTION_ID()")
	go func() { _, err := a.run("LOCK TABLES d.t READ"); ended <- err }()
	awaitState(t, look, id, "Waiting for table metadata lock")
	b.fails(mysqlerr.LockDeadlock, "COMMIT")
	require.NoError(t, <-ended)
	require.Equal(t, "", look.query("SELECT * FROM d.t"))
	status := look.query("SHOW ENGINE INNODB STATUS")
	for _, part := range []string{"COMMIT\n", "GLOBAL LOCK trx id", "lock mode IX waiting", "lock mode S\n", "METADATA LOCK on table `d`.`t` trx id 0 lock mode S waiting", "LOCK TABLES\n"} {
		require.True(t, strings.Contains(status, part), "%q is not in %s", part, status)
	}
}

// TestRefusedAccountHoldsNothing: a statement about accounts that was refused holds nothing up, also in a session without autocommit.
func TestRefusedAccountHoldsNothing(t *testing.T) {
	s := newServer(t)
	a, b := s.connect(), s.connect()
	a.exec("SET autocommit = 0")
	a.fails(1396, "DROP USER nobody")
	b.exec("SET lock_wait_timeout = 0")
	b.exec("FLUSH TABLES WITH READ LOCK")
	b.exec("UNLOCK TABLES")
}

package query_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
)

// TestInnodbTables: who waits for whom, and for what, can be read, and a deadlock is told in full.
func TestInnodbTables(t *testing.T) {
	s := newServer(t)
	a, b, look := s.connect(), s.connect(), s.connect()
	a.exec("CREATE DATABASE d")
	a.exec("CREATE TABLE d.t (id INT PRIMARY KEY, v INT, u VARCHAR(10) UNIQUE)")
	a.exec("INSERT INTO d.t VALUES (-1,1,'a'), (2,2,'b')")
	look.exec("CREATE TABLE d.other (id INT PRIMARY KEY)")
	require.Empty(t, look.exec("SELECT * FROM information_schema.INNODB_TRX").rows)
	a.exec("BEGIN")
	b.exec("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
	b.exec("BEGIN")
	a.exec("UPDATE d.t SET v=5 WHERE id=-1")
	b.exec("UPDATE d.t SET v=6 WHERE id=2")
	idA, idB := a.query("SELECT CONNECTION_ID()"), b.query("SELECT CONNECTION_ID()")
	got := make(chan error, 1)
	const waiting = "UPDATE d.t SET v=7 WHERE id=2"
	go func() { _, err := a.run(waiting); got <- err }()
	require.Eventually(t, func() bool {
		return len(look.exec("SELECT * FROM information_schema.INNODB_LOCK_WAITS").rows) == 1
	}, time.Minute, time.Millisecond)

	require.Equal(t, idA+"|LOCK WAIT|"+waiting+"|2|1|REPEATABLE READ|1\n"+
		idB+"|RUNNING|NULL|1|1|READ COMMITTED|0",
		(look.query(`SELECT trx_mysql_thread_id, trx_state, trx_query, trx_rows_locked, trx_rows_modified, trx_isolation_level,
			trx_wait_started >= trx_started AND trx_requested_lock_id IS NOT NULL
			FROM information_schema.INNODB_TRX ORDER BY trx_id`)))
	require.Equal(t, "X|RECORD|`d`.`t`|PRIMARY|2\nX|RECORD|`d`.`t`|PRIMARY|2",
		(look.query("SELECT lock_mode, lock_type, lock_table, lock_index, lock_data FROM information_schema.INNODB_LOCKS")))
	require.Equal(t, idA+"|"+idB, (look.query(`SELECT r.trx_mysql_thread_id, b.trx_mysql_thread_id
		FROM information_schema.INNODB_LOCK_WAITS w
		JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id AND r.trx_requested_lock_id = w.requested_lock_id
		JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id
		JOIN information_schema.INNODB_LOCKS l ON l.lock_id = w.blocking_lock_id AND l.lock_trx_id = b.trx_id`)))
	status := look.query("SHOW ENGINE INNODB STATUS")
	require.Contains(t, status, "TRX HAS BEEN WAITING")
	require.NotContains(t, status, "LATEST DETECTED DEADLOCK")

	const closing = "UPDATE d.t SET v=8 WHERE id=-1"
	b.fails(mysqlerr.LockDeadlock, closing)
	require.NoError(t, <-got)
	a.exec("ROLLBACK")
	status = look.query("SHOW ENGINE INNODB STATUS")
	_, deadlock, _ := strings.Cut(status, "LATEST DETECTED DEADLOCK")
	first, second, found := strings.Cut(deadlock, "*** (2) TRANSACTION")
	require.True(t, found, status)
	for text, part := range map[string][]string{
		first:  {closing, "MariaDB thread id " + idB, "index PRIMARY of table `d`.`t`", "key (-1) waiting"},
		second: {waiting, "MariaDB thread id " + idA, "index PRIMARY of table `d`.`t`", "key (2) waiting", "WE ROLL BACK TRANSACTION (1)"},
	} {
		for _, want := range part {
			require.Contains(t, text, want)
		}
	}

	look.exec("CREATE USER u")
	u := s.connect(func(ci *session.ConnInfo) { ci.User = "u" })
	for _, table := range []string{"INNODB_TRX", "INNODB_LOCKS", "INNODB_LOCK_WAITS"} {
		e := u.fails(mysqlerr.SpecificAccessDenied, "SELECT * FROM information_schema."+table)
		require.Contains(t, fmt.Sprint(e), "PROCESS")
	}
	u.fails(mysqlerr.SpecificAccessDenied, "SHOW ENGINE INNODB STATUS")
}

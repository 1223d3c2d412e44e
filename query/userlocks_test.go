package query_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// awaitUserLock waits until n sessions wait for user locks.
func awaitUserLock(t *testing.T, c *client, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		return strings.Count(c.query("SHOW PROCESSLIST"), "User lock") == n
	}, time.Minute, time.Millisecond)
}

// TestUserLockDeadlock: the wait that would close a circle fails, the others go on.
func TestUserLockDeadlock(t *testing.T) {
	s := newServer(t)
	a, b, c, look := s.connect(), s.connect(), s.connect(), s.connect()
	a.exec("DO GET_LOCK('a', 0)")
	b.exec("DO GET_LOCK('b', 0)")
	c.exec("DO GET_LOCK('c', 0)")
	got := make(chan string, 2)
	go func() { got <- a.query("SELECT GET_LOCK('b', 1000)") }()
	awaitUserLock(t, look, 1)
	go func() { got <- b.query("SELECT GET_LOCK('c', 1000)") }()
	awaitUserLock(t, look, 2)
	c.fails(mysqlerr.LockDeadlock, "SELECT GET_LOCK('a', 1000)")
	c.exec("DO RELEASE_LOCK('c')")
	require.Contains(t, <-got, "1")
	b.exec("DO RELEASE_ALL_LOCKS()")
	require.Contains(t, <-got, "1")
}

// TestUserLockOfClosedSession: who waits gets the locks of a session that ends.
func TestUserLockOfClosedSession(t *testing.T) {
	s := newServer(t)
	a, b, look := s.connect(), s.connect(), s.connect()
	a.exec("DO GET_LOCK('a', 0)")
	got := make(chan string, 1)
	go func() { got <- b.query("SELECT GET_LOCK('a', 1000)") }()
	awaitUserLock(t, look, 1)
	a.Close()
	require.Contains(t, <-got, "1")
}

// TestUserLockAndRowDeadlock: a circle may go through a lock of GET_LOCK and a row.
func TestUserLockAndRowDeadlock(t *testing.T) {
	s := newServer(t)
	a, b, look := s.connect(), s.connect(), s.connect()
	a.exec("CREATE DATABASE d")
	a.exec("CREATE TABLE d.t (id INT PRIMARY KEY, v INT)")
	a.exec("INSERT INTO d.t VALUES (1, 1)")
	a.exec("DO GET_LOCK('a', 0)")
	b.exec("BEGIN")
	b.exec("UPDATE d.t SET v = 2")
	got := make(chan string, 1)
	go func() { got <- b.query("SELECT GET_LOCK('a', 1000)") }()
	awaitUserLock(t, look, 1)
	a.fails(mysqlerr.LockDeadlock, "UPDATE d.t SET v = 3")
	require.Contains(t, look.query("SHOW ENGINE INNODB STATUS"), `USER LOCK "a"`)
	require.Equal(t, "1", a.query("SELECT RELEASE_LOCK('a')"))
	require.Equal(t, "1", <-got)
	b.exec("COMMIT")
	require.Equal(t, "2", look.query("SELECT v FROM d.t"))
}

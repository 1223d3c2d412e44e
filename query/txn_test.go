package query_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
)

func withTable(t testing.TB) (*server, *client) {
	srv := newServer(t)
	c := srv.connect()
	t.Cleanup(c.Close)
	c.exec("create database d; use d; create table t (id int primary key, k int not null default 0, c varchar(20), key (k))")
	c.exec("insert into t values (1,1,'a'),(2,2,'b'),(3,3,'c')")
	return srv, c
}

func (s *server) connectTo(db string) *client {
	c := s.connect(func(ci *session.ConnInfo) { ci.DB = db })
	s.t.Cleanup(c.Close)
	return c
}

func TestTransactions(t *testing.T) {
	srv, a := withTable(t)
	b := srv.connectTo("d")
	a.exec("begin")
	require.Equal(t, mysql.SERVER_STATUS_IN_TRANS|mysql.SERVER_STATUS_AUTOCOMMIT, a.StatusFlags())
	a.exec("update t set c='x' where id=1")
	require.Equal(t, "x", a.query("select c from t where id=1"))
	require.Equal(t, "a", b.query("select c from t where id=1"))
	a.exec("rollback")
	require.Equal(t, "a", a.query("select c from t where id=1"))

	a.exec("start transaction")
	require.Equal(t, "3", a.query("select count(*) from t"), "the read view is made by the first read")
	b.exec("insert into t values (4,4,'d')")
	require.Equal(t, "3", a.query("select count(*) from t"))
	a.exec("commit")
	require.Equal(t, "4", a.query("select count(*) from t"))

	a.exec("set session transaction isolation level read committed; begin")
	require.Equal(t, "4", a.query("select count(*) from t"))
	b.exec("delete from t where id=4")
	require.Equal(t, "3", a.query("select count(*) from t"))
	a.exec("commit; set session transaction isolation level repeatable read")

	a.exec("set autocommit=0")
	require.Zero(t, a.StatusFlags()&mysql.SERVER_STATUS_AUTOCOMMIT)
	a.exec("update t set c='y' where id=2")
	require.NotZero(t, a.StatusFlags()&mysql.SERVER_STATUS_IN_TRANS)
	require.Equal(t, "b", b.query("select c from t where id=2"))
	a.exec("set autocommit=1")
	require.Equal(t, "y", b.query("select c from t where id=2"))

	a.exec("start transaction read only")
	a.fails(1792, "update t set c='z' where id=1")
	a.exec("commit and chain")
	a.fails(1792, "insert into t values (9,9,'z')")
	a.exec("rollback")
	a.exec("begin; insert into t values (5,5,'e'); create table u (id int primary key); rollback")
	require.Equal(t, "1", b.query("select count(*) from t where id=5"), "DDL commits what is open")
}

// TestSerializableAlone: in SERIALIZABLE a plain read locks, but not as a transaction of its own: that sees one snapshot, and nothing that is not
// committed.
func TestSerializableAlone(t *testing.T) {
	reads := []string{"select c from t where id = 1", "select c from t where k = 1", "select c from t where c <> 'b' and id < 3", "select max(t.c) from t join t u on t.id = u.id where u.id = 1"}
	for _, native := range []string{"on", "off"} {
		srv, a := withTable(t)
		b := srv.connectTo("d")
		b.exec("set native_sql = " + native + "; set session transaction isolation level serializable; set innodb_lock_wait_timeout = 0")
		a.exec("begin; update t set c = 'new' where id = 1")
		for _, sql := range reads {
			require.Equal(t, "a", b.query(sql), sql)
			b.exec("begin")
			b.fails(1205, sql)
			b.exec("rollback; set autocommit = 0")
			b.fails(1205, sql)
			b.exec("rollback; set autocommit = 1")
		}
		b.fails(1205, "update t set c = 'other' where id = 1")
		a.exec("commit")
		for _, sql := range reads {
			require.Equal(t, "new", b.query(sql), sql)
		}
	}
}

func TestSavepoints(t *testing.T) {
	_, c := withTable(t)
	c.exec("begin; insert into t values (10,1,'x'); savepoint a; insert into t values (11,1,'x'); savepoint b; insert into t values (12,1,'x')")
	c.exec("rollback to savepoint b")
	require.Equal(t, "5", c.query("select count(*) from t"))
	c.exec("rollback to a")
	require.Equal(t, "4", c.query("select count(*) from t"))
	c.fails(1305, "rollback to b")
	c.exec("release savepoint a")
	c.fails(1305, "release savepoint a")
	c.exec("commit")
	require.Equal(t, "4", c.query("select count(*) from t"))
}

func TestStatementAtomicity(t *testing.T) {
	_, c := withTable(t)
	c.exec("begin; insert into t values (20,1,'x')")
	c.fails(1062, "insert into t values (21,1,'x'),(22,1,'x'),(1,1,'x')")
	require.Equal(t, "20", c.query("select group_concat(id) from t where id >= 20"))
	c.exec("commit")
	require.Equal(t, "4", c.query("select count(*) from t"))
}

func TestUpdatesAddUp(t *testing.T) {
	srv, c := withTable(t)
	const workers, rounds = 16, 25
	var wg sync.WaitGroup
	for w := range workers {
		s := srv.connectTo("d")
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range rounds {
				if w%2 == 0 {
					if _, err := s.run("update t set k = k + 1 where id = 2"); err != nil {
						t.Errorf("update: %v", err)
						return
					}
					continue
				}
				for {
					_, err := s.run("begin; select k from t where id = 2 for update; update t set k = k + 1 where id = 2; commit")
					if err == nil {
						break
					}
					var e *mysqlerr.Error
					if !errors.As(err, &e) || e.Number != mysqlerr.LockDeadlock {
						t.Errorf("transaction: %v", err)
						return
					}
				}
			}
		}()
	}
	wg.Wait()
	require.Equal(t, "402", c.query("select k from t where id = 2"))
	require.Equal(t, "d.t|check|status|OK", c.query("check table t"))
}

func TestDeadlock(t *testing.T) {
	srv, a := withTable(t)
	b := srv.connectTo("d")
	a.exec("begin; update t set c='a1' where id=1")
	b.exec("begin; update t set c='b2' where id=2")
	done := make(chan error, 1)
	go func() {
		_, err := a.run("update t set c='a2' where id=2")
		done <- err
	}()
	// Whoever waits last is the victim, and loses its whole transaction.
	_, errB := b.run("update t set c='b1' where id=1")
	if errB == nil {
		b.exec("commit")
	}
	errA := <-done
	failed := 0
	for _, err := range []error{errA, errB} {
		var e *mysqlerr.Error
		if errors.As(err, &e) {
			require.EqualValues(t, mysqlerr.LockDeadlock, e.Number)
			require.Equal(t, "40001", e.State)
			failed++
		}
	}
	require.Equal(t, 1, failed)
	a.exec("commit")
	b.exec("commit")
	require.Zero(t, a.StatusFlags()&mysql.SERVER_STATUS_IN_TRANS)
}

// go-mysql-server wraps the errors of inserted rows: the victim of a deadlock
// must lose its transaction, and a changed row make the statement run again, all the same.
func TestDeadlockOfInserts(t *testing.T) {
	srv, a := withTable(t)
	b := srv.connectTo("d")
	a.exec("begin; insert into t (id) values (100), (101)")
	b.exec("begin; insert into t (id) values (200), (201)")
	done := make(chan error, 1)
	go func() {
		_, err := a.run("insert into t (id) values (200)")
		done <- err
	}()
	_, errB := b.run("insert into t (id) values (100)")
	if errB == nil {
		b.exec("commit")
	}
	errA := <-done
	victim, lost, number := b, errB, 201
	if errB == nil {
		victim, lost, number = a, errA, 101
	}
	var e *mysqlerr.Error
	require.ErrorAs(t, lost, &e)
	require.EqualValues(t, mysqlerr.LockDeadlock, e.Number)
	require.Zero(t, victim.StatusFlags()&mysql.SERVER_STATUS_IN_TRANS)
	a.exec("commit")
	b.exec("commit")
	require.Equal(t, "0", a.query("select count(*) from t where id = %d", number))
}

func TestUpsertsOnOneUniqueKey(t *testing.T) {
	srv, a := withTable(t)
	a.exec("create table u (id int primary key auto_increment, k int unique, n int)")
	const clients, each = 6, 25
	var wg sync.WaitGroup
	for range clients {
		c := srv.connectTo("d")
		wg.Go(func() {
			for i := range each {
				for {
					_, err := c.run("insert into u (k, n) values (1, 1) on duplicate key update n = n + 1")
					if i%5 == 0 && err == nil {
						_, err = c.run("update u set n = n + 0, id = id + 1000 where k = 1")
					}
					var e *mysqlerr.Error
					if err == nil || errors.As(err, &e) && e.Number == mysqlerr.LockDeadlock {
						if err == nil {
							break
						}
						continue
					}
					t.Errorf("upsert: %v", err)
					return
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, "1", a.query("select count(*) from u"))
	require.Equal(t, "d.u|check|status|OK", a.query("check table u"))
}

func TestLockingReads(t *testing.T) {
	srv, a := withTable(t)
	b := srv.connectTo("d")
	b.exec("set innodb_lock_wait_timeout=0")
	a.exec("begin; select * from t where id=1 for update")
	b.fails(1205, "update t set c='x' where id=1")
	b.fails(1205, "select * from t where id=1 for update nowait")
	b.fails(1205, "select * from t where id=1 lock in share mode")
	b.fails(1205, "select * from t where id=1 for update wait 0")
	require.Equal(t, "2\n3", b.query("select id from t order by id for update skip locked"))
	require.Equal(t, "1", b.query("select id from t where id=1"))
	a.exec("commit")
	require.Equal(t, "1", b.query("select id from t where id=1 for update"))

	a.exec("begin; select * from t where id=2 lock in share mode")
	require.Equal(t, "2", b.query("select id from t where id=2 lock in share mode"))
	b.fails(1205, "delete from t where id=2")
	a.exec("rollback")
	b.exec("delete from t where id=2")
}

// TestReadCommittedGivesBack: at READ COMMITTED rows that WHERE does not ask for do not stay locked, as in InnoDB, unless an index was read,
// or a SELECT has looked for one row.
func TestReadCommittedGivesBack(t *testing.T) {
	srv, a := withTable(t)
	a.exec("create table u (id int primary key, k int, v int, key (k)); insert into u values (1,1,1), (2,1,2), (3,2,3)")
	b := srv.connectTo("d")
	b.exec("set innodb_lock_wait_timeout=0")
	for _, c := range []struct{ level, statement, locked, free string }{
		{"read committed", "update u set v=v+1 where v=2", "2", "1\n3"},
		{"read committed", "delete from u where v=3", "3", "1\n2"},
		{"read committed", "select * from u where v=2 for update", "2", "1\n3"},
		{"read committed", "select * from u where id in (1, 2) and v=9 for update", "", "1\n2\n3"},
		{"read uncommitted", "update u set v=9 where id=2 and v=7", "", "1\n2\n3"},
		{"read committed", "select * from u where id=2 and v=7 for update", "2", "1\n3"},
		{"read committed", "update u set v=9 where k=1 and v=7", "1 2", "3"},
		{"read committed", "insert into u values (4, 4, 4); select * from u where v=2 for update", "2 4", "1\n3"},
		{"read committed", "select * from u where id=1 for update; update u set v=3 where v=2", "1 2", "3"},
		{"repeatable read", "update u set v=v+1 where v=2", "1 2 3", ""},
	} {
		a.exec("set session transaction isolation level " + c.level + "; begin; update u set v=id; commit; begin; " + c.statement)
		require.Equal(t, c.free, b.query("select id from u where id<4 order by id for update skip locked"), c.statement)
		for _, id := range strings.Fields(c.locked) {
			b.fails(1205, "select * from u where id="+id+" for update")
		}
		a.exec("rollback")
	}
}

func TestKill(t *testing.T) {
	srv, a := withTable(t)
	b := srv.connectTo("d")
	a.exec("begin; update t set c='x' where id=1")
	started := make(chan error, 1)
	go func() {
		_, err := b.run("update t set c='y' where id=1")
		started <- err
	}()
	require.Eventually(t, func() bool {
		return srv.engine.Kill(b.ID(), true) && len(started) == 1
	}, waitMax, waitStep)
	var e *mysqlerr.Error
	require.True(t, errors.As(<-started, &e))
	require.EqualValues(t, mysqlerr.QueryInterrupted, e.Number)
	a.exec("commit")
	require.Equal(t, "x", b.query("select c from t where id=1"))
	a.fails(1094, "kill 12345")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var r recorder
	require.Error(t, a.Execute(ctx, "select sleep(100)", &r))
}

func TestLockTables(t *testing.T) {
	srv, a := withTable(t)
	b := srv.connectTo("d")
	b.exec("set lock_wait_timeout=0")
	a.exec("lock tables t write")
	b.fails(1205, "select * from t")
	a.exec("insert into t values (7,7,'g')")
	a.exec("unlock tables")
	require.Equal(t, "4", b.query("select count(*) from t"))
	a.exec("lock tables t read")
	require.Equal(t, "4", b.query("select count(*) from t"))
	b.fails(1205, "insert into t values (8,8,'h')")
	a.fails(1099, "insert into t values (8,8,'h')")
	a.exec("unlock tables")
	b.exec("insert into t values (8,8,'h')")
}

func TestMetadataLocks(t *testing.T) {
	srv, a := withTable(t)
	b := srv.connectTo("d")
	b.exec("set lock_wait_timeout=0")
	a.exec("begin; select * from t")
	b.fails(1205, "alter table t add column n int")
	b.fails(1205, "drop table t")
	a.exec("commit")
	b.exec("alter table t add column n int")
	require.Equal(t, "1|1|a|NULL", a.query("select * from t where id=1"))
}

package query_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A locking read waits; meanwhile the transaction that it waits for moves a row from the part
// of the index that is still to be read to a part that was read before. The row matched all
// the time, so it has to be in the result.
func TestRowMovesBehindLockingScan(t *testing.T) {
	const rows = "(1,10),(2,20),(3,30)"
	for _, tc := range []struct{ name, level, sql, move, want string }{
		{"range", "repeatable read", "select id, k from ix where k >= 0 for update", "update ix set k=5 where id=3", "3|5\n1|10\n2|20"},
		{"range, shared", "repeatable read", "select id, k from ix where k >= 0 lock in share mode", "update ix set k=5 where id=3", "3|5\n1|10\n2|20"},
		{"serializable", "serializable", "select id, k from ix where k >= 0", "update ix set k=5 where id=3", "3|5\n1|10\n2|20"},
		{"backwards", "repeatable read", "select id, k from ix where k >= 0 order by k desc for update", "update ix set k=25 where id=1", "3|30\n1|25\n2|20"},
		{"list", "repeatable read", "select id, k from ix where k in (5, 10, 20, 30) for update", "update ix set k=5 where id=3", "3|5\n1|10\n2|20"},
		{"primary key", "repeatable read", "select id, k from ix where id > 0 order by id for update", "update ix set id=4 where id=3", "1|10\n2|20\n4|30"},
		{"ranges of the primary key", "repeatable read", "select id, k from ix where id between -5 and 0 or id between 1 and 9 order by id for update", "update ix set id=0 where id=3", "0|30\n1|10\n2|20"},
		{"join", "repeatable read", "select ix.id, ix.k from n straight_join ix on ix.k = n.k order by ix.k for update", "update ix set k=5 where id=3", "3|5\n1|10\n2|20"},
		{"limit", "repeatable read", "select id, k from ix where k in (5, 10, 20, 30) order by k limit 3 for update", "update ix set k=5 where id=3", "3|5\n1|10\n2|20"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv, a := withTable(t)
			b := srv.connectTo("d")
			a.exec("create table ix (id int primary key, k int not null, key (k)); insert into ix values " + rows)
			a.exec("create table n (k int primary key); insert into n values (5),(10),(20),(30)")
			b.exec("set session transaction isolation level " + tc.level)
			a.exec("begin; select id from ix where id = 2 for update")
			b.exec("begin")
			waits := srv.store.Txns().Stats().LockWaits
			type answer struct {
				text string
				err  error
			}
			done := make(chan answer, 1)
			go func() {
				sets, err := b.run(tc.sql)
				if err != nil {
					done <- answer{err: err}
					return
				}
				done <- answer{text: sets[0].text()}
			}()
			require.Eventually(t, func() bool { return srv.store.Txns().Stats().LockWaits > waits }, waitMax, waitStep)
			a.exec(tc.move + "; commit")
			got := <-done
			require.NoError(t, got.err)
			require.Equal(t, tc.want, got.text)
			b.exec("commit")
		})
	}
}

// The same for statements that change what they read.
func TestRowMovesBehindChange(t *testing.T) {
	const rows = "(1,10),(2,20),(3,30)"
	for _, tc := range []struct{ name, sql, move, want string }{
		{"range", "update ix set k = k + 100 where k >= 0", "update ix set k=5 where id=3", "1|110\n2|120\n3|105"},
		{"list", "update ix set k = k + 100 where k in (5, 10, 20, 30)", "update ix set k=5 where id=3", "1|110\n2|120\n3|105"},
		{"list, deleted", "delete from ix where k in (5, 10, 20, 30)", "update ix set k=5 where id=3", ""},
		{"sorted", "update ix set k = k + 100 where k in (5, 10, 20, 30) order by id desc limit 2", "update ix set k=5 where id=3", "1|10\n2|120\n3|105"},
		{"list of primary keys", "update ix set k = 7 where id in (0, 1, 2, 3)", "update ix set id=0 where id=3", "0|7\n1|7\n2|7"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv, a := withTable(t)
			b := srv.connectTo("d")
			a.exec("create table ix (id int primary key, k int not null, key (k)); insert into ix values " + rows)
			b.exec("set native_sql=only")
			a.exec("begin; select id from ix where id = 2 for update")
			waits := srv.store.Txns().Stats().LockWaits
			done := make(chan error, 1)
			go func() {
				_, err := b.run(tc.sql)
				done <- err
			}()
			require.Eventually(t, func() bool { return srv.store.Txns().Stats().LockWaits > waits }, waitMax, waitStep)
			a.exec(tc.move + "; commit")
			require.NoError(t, <-done)
			require.Equal(t, tc.want, a.exec("select id, k from ix order by id").text())
		})
	}
}

// A statement changes a row once, wherever in an index it moves it.
func TestChangeMeetsNoRowTwice(t *testing.T) {
	_, a := withTable(t)
	a.exec("create table ix (id int primary key, k int not null, key (k)); insert into ix values (1,10),(2,20),(3,30)")
	a.exec("set native_sql=only")
	for _, tc := range []struct{ sql, want string }{
		{"update ix set k = k + 10 where k in (10, 20, 30)", "1|20\n2|30\n3|40"},
		{"update ix set k = k + 1 where k > 0", "1|21\n2|31\n3|41"},
		{"update ix set k = k + 1 where k > 0 order by k desc", "1|22\n2|32\n3|42"},
		{"update ix set k = k + 10 where k in (22, 32) or k in (22, 42) limit 1", "1|32\n2|32\n3|42"},
		{"update ix set k = k + 10 where k in (32, 42) limit 2", "1|42\n2|42\n3|42"},
	} {
		a.exec(tc.sql)
		require.Equal(t, tc.want, a.exec("select id, k from ix order by id").text(), tc.sql)
	}
}

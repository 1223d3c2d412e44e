package query_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
)

const (
	relatives = "create table p (id int primary key, u int, k int, unique (u), key (k)); " +
		"create table c (id int primary key, pid int, pu int, pk int, foreign key (pid) references p (id), " +
		"foreign key (pu) references p (u), foreign key (pk) references p (k)); " +
		"create table w (id int primary key, pid int, pu int, foreign key (pid) references p (id) on delete cascade on update cascade, " +
		"foreign key (pu) references p (u) on delete set null on update cascade); " +
		"insert into p values (1,1,1),(2,2,2),(3,3,3); insert into c values (3,3,3,3)"
	orphans = "select c.id from c left join p on c.pid = p.id where c.pid is not null and p.id is null " +
		"union all select c.id from c left join p on c.pu = p.u where c.pu is not null and p.id is null " +
		"union all select c.id from c left join p on c.pk = p.k where c.pk is not null and p.id is null " +
		"union all select w.id from w left join p on w.pid = p.id where w.pid is not null and p.id is null " +
		"union all select w.id from w left join p on w.pu = p.u where w.pu is not null and p.id is null"
)

// Of two transactions, one of which makes a row refer to another one that the other transaction takes away, the second waits for the first, and
// knows then what it has done; whether SQL of our own runs them or the fallback.
func TestForeignKeysOfTwoTransactions(t *testing.T) {
	const noParent, isParent = mysqlerr.NoReferencedRow2, mysqlerr.RowIsReferenced2
	for _, tc := range []struct {
		name, first, second  string
		committed, roledBack uint16 // what the second says then
	}{
		{"delete, insert", "delete from p where id=1", "insert into c values (1,1,null,null)", noParent, 0},
		{"insert, delete", "insert into c values (1,1,null,null)", "delete from p where id=1", isParent, 0},
		{"delete, insert by unique key", "delete from p where id=1", "insert into c values (1,null,1,null)", noParent, 0},
		{"insert by unique key, delete", "insert into c values (1,null,1,null)", "delete from p where id=1", isParent, 0},
		{"delete, insert by another key", "delete from p where id=1", "insert into c values (1,null,null,1)", noParent, 0},
		{"insert by another key, delete", "insert into c values (1,null,null,1)", "delete from p where id=1", isParent, 0},
		{"key changes, insert", "update p set u=9 where id=1", "insert into c values (1,null,1,null)", noParent, 0},
		{"insert, key changes", "insert into c values (1,null,1,null)", "update p set u=9 where id=1", isParent, 0},
		{"primary key changes, update", "update p set id=9 where id=1", "update c set pid=1 where id=3", noParent, 0},
		{"update, primary key changes", "update c set pid=1 where id=3", "update p set id=9 where id=1", isParent, 0},
		{"replace, insert", "replace into p values (9,1,1)", "insert into c values (1,1,null,null)", noParent, 0},
		{"insert, replace by unique key", "insert into c values (1,1,null,null)", "replace into p values (9,1,1)", isParent, 0},
		{"cascade, insert", "delete from p where id=1", "insert into w values (1,1,1)", noParent, 0},
		{"insert, cascade", "insert into w values (1,1,1)", "delete from p where id=1", 0, 0},
		{"insert, cascade of a key", "insert into w values (1,1,1)", "update p set id=7, u=8 where id=1", 0, 0},
		{"child goes, parent goes", "delete from c where id=3", "delete from p where id=3", 0, isParent},
		{"child goes elsewhere, parent goes", "update c set pid=2, pu=2, pk=2 where id=3", "delete from p where id=3", 0, isParent},
	} {
		for _, by := range [][2]string{{"ONLY", "ONLY"}, {"ONLY", "OFF"}, {"OFF", "ONLY"}, {"OFF", "OFF"}} {
			for _, end := range []string{"commit", "rollback"} {
				t.Run(fmt.Sprintf("%s/%s %s/%s", tc.name, by[0], by[1], end), func(t *testing.T) {
					srv, a := withTable(t)
					b := srv.connectTo("d")
					a.exec(relatives)
					a.exec("set native_sql=" + by[0])
					b.exec("set native_sql=" + by[1])
					a.exec("begin; " + tc.first)
					waits := srv.store.Txns().Stats().LockWaits
					done := make(chan error, 1)
					go func() {
						_, err := b.run(tc.second)
						done <- err
					}()
					require.Eventually(t, func() bool { return srv.store.Txns().Stats().LockWaits > waits }, waitMax, waitStep)
					a.exec(end)
					err, want := <-done, tc.committed
					if end == "rollback" {
						want = tc.roledBack
					}
					var e *mysqlerr.Error
					if errors.As(err, &e) {
						require.Equal(t, want, e.Number, e)
					} else {
						require.NoError(t, err)
						require.Zero(t, want)
					}
					a.exec("set native_sql=on")
					require.Empty(t, a.query(orphans))
				})
			}
		}
	}
}

// A row that somebody adds is waited for by who refers to it by a unique key: it is there when he commits.
func TestForeignKeyWaitsForParent(t *testing.T) {
	for _, child := range []string{"(7,7,null,null)", "(7,null,7,null)"} {
		srv, a := withTable(t)
		b := srv.connectTo("d")
		a.exec(relatives)
		b.exec("set native_sql=only")
		a.exec("begin; insert into p values (7,7,7)")
		waits := srv.store.Txns().Stats().LockWaits
		done := make(chan error, 1)
		go func() {
			_, err := b.run("insert into c values " + child)
			done <- err
		}()
		require.Eventually(t, func() bool { return srv.store.Txns().Stats().LockWaits > waits }, waitMax, waitStep)
		a.exec("commit")
		require.NoError(t, <-done)
		require.Empty(t, a.query(orphans))
	}
}

// A foreign key comes when nobody has changed rows of its parent that he may still take back, and whoever changes some later knows of it.
func TestForeignKeyWaitsForChangesOfParent(t *testing.T) {
	for _, ddl := range []string{
		"create table n (pid int, foreign key (pid) references p (id))",
		"alter table l add foreign key (pid) references p (id)",
	} {
		srv, a := withTable(t)
		b := srv.connectTo("d")
		a.exec(relatives + "; create table l (pid int); insert into l values (2)")
		a.exec("begin; delete from p where id=1")
		waits := srv.store.Txns().Stats().LockWaits
		done := make(chan error, 1)
		go func() {
			_, err := b.run(ddl)
			done <- err
		}()
		require.Eventually(t, func() bool { return srv.store.Txns().Stats().LockWaits > waits }, waitMax, waitStep)
		a.exec("commit")
		require.NoError(t, <-done, ddl)
	}
}

// Many transactions at once leave no row that refers to one that is not there.
func TestForeignKeysUnderLoad(t *testing.T) {
	srv, a := withTable(t)
	a.exec(relatives)
	var all sync.WaitGroup
	for n := range 6 {
		c := srv.connectTo("d")
		r := rand.New(rand.NewPCG(uint64(n), 7))
		c.exec("set innodb_lock_wait_timeout=5, native_sql=" + []string{"ONLY", "ONLY", "OFF"}[n%3])
		all.Go(func() {
			some := func() int { return 1 + r.IntN(5) }
			for range 120 {
				var sql string
				switch r.IntN(9) {
				case 0:
					sql = fmt.Sprintf("insert into p values (%d,%d,%d)", some(), some(), some())
				case 1:
					sql = fmt.Sprintf("replace into p values (%d,%d,%d)", some(), some(), some())
				case 2:
					sql = fmt.Sprintf("delete from p where id=%d", some())
				case 3:
					sql = fmt.Sprintf("update p set u=%d, id=%d where id=%d", some(), some(), some())
				case 4:
					sql = fmt.Sprintf("insert into c values (%d,%d,%d,%d)", r.IntN(20), some(), some(), some())
				case 5:
					sql = fmt.Sprintf("delete from c where id=%d", r.IntN(20))
				case 6:
					sql = fmt.Sprintf("insert into w values (%d,%d,%d)", r.IntN(50), some(), some())
				case 7:
					sql = fmt.Sprintf("update w set pu=%d where id=%d", some(), r.IntN(50))
				case 8:
					sql = []string{"begin", "commit", "rollback", "commit"}[r.IntN(4)]
				}
				_, err := c.run(sql)
				var e *mysqlerr.Error
				if err != nil && !errors.As(err, &e) {
					t.Errorf("%s: %v", sql, err)
				} else if err != nil && !allowedUnderLoad[e.Number] {
					t.Errorf("%s: %v", sql, e)
				}
			}
			c.exec("commit")
		})
	}
	all.Wait()
	require.Empty(t, a.query(orphans))
}

var allowedUnderLoad = map[uint16]bool{
	mysqlerr.NoReferencedRow2: true, mysqlerr.RowIsReferenced2: true, mysqlerr.DupEntry: true,
	mysqlerr.LockDeadlock: true, mysqlerr.LockWaitTimeout: true, mysqlerr.ForeignDuplicateKey: true,
}

package query_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Of a table that a SELECT names twice, the reference that its clause means is locked, and the other is not. UPDATE and
// DELETE lock both, as MariaDB 10.11 does at both isolation levels.
func TestReferencesAreLockedOneByOne(t *testing.T) {
	s := newServer(t)
	a, other := s.connect(), s.connect()
	a.exec("create database d; use d; create table t (id int primary key, parent int)" +
		"; insert into t values (1,0), (2,1), (3,2), (4,9)")
	other.exec("use d")
	for _, one := range []struct{ sql, locked string }{
		{"select * from t a join t b on b.id=a.parent where a.id=3 for update", "2,3"},
		{"select 7 union select id from t where id=3 for update", "3"},
		{"(select id from t where id=2 for update) union select 7", "2"},
		{"with x as (select id from t where id=1 for update) select * from x union select 8", "1"},
		{"with t as (select 5 id) select * from t for update", ""},
		{"select * from t a where a.id=3 and exists (select * from t b where b.id=a.parent) for update", "3"},
		{"update t a join t b on b.id=a.parent set a.parent=b.id where a.id=3", "2,3"},
		{"update t a join t b on b.id=a.parent set b.parent=a.id where a.id=3", "2,3"},
		{"delete a from t a join t b on b.id=a.parent where a.id=3", "2,3"},
		{"delete b from t a join t b on b.id=a.parent where a.id=3", "2,3"},
	} {
		a.exec("begin")
		a.query(one.sql)
		free := other.query("select id from t order by id for update skip locked")
		locked := ""
		for _, id := range []string{"1", "2", "3", "4"} {
			if !strings.Contains(free, id) {
				locked += "," + id
			}
		}
		require.Equal(t, one.locked, strings.TrimPrefix(locked, ","), one.sql)
		a.exec("rollback")
	}
}

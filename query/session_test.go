package query_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
)

func TestBasics(t *testing.T) {
	srv := newServer(t)
	c := srv.connect()
	defer c.Close()
	c.exec("create database d")
	c.exec("use d")
	c.exec("create table t (id int primary key auto_increment, k int not null default 0, c varchar(20))")
	r := c.exec("insert into t (k, c) values (1,'a'),(2,'b'),(3,null)")
	require.EqualValues(t, 3, r.ok.AffectedRows)
	require.EqualValues(t, 1, r.ok.InsertID)
	require.Equal(t, "Records: 3  Duplicates: 0  Warnings: 0", r.ok.Info)
	require.Equal(t, "1|1|a\n2|2|b\n3|3|NULL", c.query("select * from t order by id"))
	r = c.exec("update t set k = k + 1 where id < 3")
	require.EqualValues(t, 2, r.ok.AffectedRows)
	require.Equal(t, "Rows matched: 2  Changed: 2  Warnings: 0", r.ok.Info)
	require.Equal(t, "5", c.query("select sum(k) from t where id < 3"))
	c.fails(1062, "insert into t values (1, 1, 'x')")
	c.fails(1146, "select * from nothing")
	c.fails(1064, "selekt 1")
	require.Equal(t, "3", c.query("select count(*) from t"))
	srv.restart()
	c = srv.connect()
	defer c.Close()
	require.Equal(t, "1|2|a\n2|3|b\n3|3|NULL", c.query("select * from d.t order by id"))
}

// The wire keeps values in pieces, and tells clients of the default database, by what the session says.
func TestSessionForTheWire(t *testing.T) {
	s := newServer(t)
	c := s.connect()
	require.Empty(t, c.DB())
	c.exec("CREATE DATABASE d; USE d; SET max_session_mem_used = 1000000")
	require.Equal(t, "d", c.DB())
	c.exec("DO 1") // from here on with the limit
	require.ErrorIs(t, c.KeepMemory(2_000_000), mysqlerr.New(mysqlerr.OptionPreventsStatement))
	require.NoError(t, c.KeepMemory(500_000))
	require.NoError(t, c.KeepMemory(-500_000))
	c.exec("DROP DATABASE d")
	require.Empty(t, c.DB())
}

package query_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/admin"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
)

// TestReplicaHandshake sends what a MariaDB replica asks its primary, word for word.
func TestReplicaHandshake(t *testing.T) {
	srv := newServer(t)
	c := srv.connect()
	defer c.Close()
	require.NotEqual(t, "0", c.query("SELECT UNIX_TIMESTAMP()"))
	require.Equal(t, "server_id|1", c.query("SHOW VARIABLES LIKE 'SERVER_ID'"))
	c.exec("SET @master_heartbeat_period= 30000001024")
	c.exec("SET @master_binlog_checksum= @@global.binlog_checksum")
	require.Equal(t, "CRC32", c.query("SELECT @master_binlog_checksum"))
	c.exec("SET @mariadb_slave_capability=4")
	require.Equal(t, "0", c.query("SELECT @@GLOBAL.gtid_domain_id"))
	c.exec("SET @slave_connect_state='0-1-2'")
	c.exec("SET @slave_gtid_strict_mode=0")
	c.exec("SET @slave_gtid_ignore_duplicates=0")
	require.Equal(t, "rpl_semi_sync_master_enabled|OFF", c.query("SHOW VARIABLES LIKE 'rpl_semi_sync_master_enabled'"))
	c.exec("SET @rpl_semi_sync_slave= 1")
	c.exec("SET skip_replication=1")
	require.Equal(t, "CRC32", c.query("select @@binlog_checksum"))
	for name, want := range map[string]string{
		"slave_connect_state": "0-1-2", "mariadb_slave_capability": "4", "master_heartbeat_period": "30000001024",
		"master_binlog_checksum": "CRC32", "slave_gtid_strict_mode": "0",
	} {
		got, ok := c.UserVar(name)
		require.True(t, ok, name)
		require.Equal(t, want, got, name)
	}
	_, ok := c.UserVar("slave_until_gtid")
	require.False(t, ok)
	require.NoError(t, c.CanReplicate())
}

func TestBinlogStatements(t *testing.T) {
	srv, c := withTable(t)
	require.Equal(t, "0-1-3", c.query("select @@global.gtid_binlog_pos"))
	require.Equal(t, "0-1-3", c.query("select @@last_gtid"))
	status := c.exec("show master status")
	require.Equal(t, []string{"File", "Position", "Binlog_Do_DB", "Binlog_Ignore_DB"}, names(status))
	file := status.rows[0][0]
	require.Equal(t, "0-1-3", c.query("select binlog_gtid_pos('%s', %s)", file, status.rows[0][1]))
	require.Equal(t, "NULL", c.query("select binlog_gtid_pos('nothing', 4)"))
	events := c.query("show binlog events in '%s'", file)
	for _, want := range []string{"use `d`; create table t (id int", "|Annotate_rows|1|", "insert into t values (1,1,'a')", "|Write_rows_v1|", "create database d", "|Xid|"} {
		require.Contains(t, events, want)
	}
	require.Equal(t, 2, len(c.exec("show binlog events in '%s' limit 2", file).rows))
	require.Len(t, c.exec("show binary logs").rows, 1)
	c.exec("flush binary logs")
	require.Len(t, c.exec("show master logs").rows, 2)
	require.Equal(t, "0", c.query("select master_gtid_wait('0-1-3', 10)"))
	require.Equal(t, "-1", c.query("select master_gtid_wait('0-1-99999', 0.01)"))

	c.exec("set sql_log_bin=0; insert into t values (50,1,'hidden'); set sql_log_bin=1")
	require.Equal(t, "0-1-3", c.query("select @@global.gtid_binlog_pos"))
	c.exec("set gtid_domain_id=7; insert into t values (51,1,'other')")
	require.Equal(t, "0-1-3,7-1-1", c.query("select @@global.gtid_binlog_pos"))

	srv.engine.RegisterReplica(9, admin.ReplicaInfo{ServerID: 2, Host: "replica", Port: 3306, MasterID: 1})
	require.Equal(t, "2|replica|3306|1", c.query("show slave hosts"))
	srv.engine.UnregisterReplica(9)
	require.Empty(t, c.query("show slave hosts"))
	require.Empty(t, c.query("show slave status"))
	c.fails(1373, "purge binary logs to 'nothing'")
}

func names(r *resultSet) []string {
	var out []string
	for _, c := range r.cols {
		out = append(out, c.Name)
	}
	return out
}

// TestDDLInLog checks the text that replicas get.
func TestDDLInLog(t *testing.T) {
	_, c := withTable(t)
	c.exec("flush binary logs")
	file := c.exec("show master status").rows[0][0]
	for _, sql := range []string{
		"/* why */ create table u (a int primary key) -- end\n",
		"create table v as select id, c from t",
		"create temporary table w (a int)",
		"drop temporary table w",
		"create user bob@'%' identified by 'secret'",
		"grant select on d.* to bob@'%'",
		"create or replace table u (b int primary key)",
		"truncate table u",
		"drop table if exists u, nothing",
		"alter table t add column n int",
		"create database e",
	} {
		c.exec("%s", sql)
	}
	var got []string
	for _, row := range c.exec("show binlog events in '%s'", file).rows {
		if row[2] == "Query" {
			got = append(got, row[5])
		}
	}
	require.Equal(t, []string{
		"use `d`; create table u (a int primary key) -- end",
		"use `d`; CREATE TABLE `v`",
		"use `d`; CREATE USER `bob`@`%` IDENTIFIED BY PASSWORD '*14E65567ABDB5135D0CFD9A70B3032C179A49EE7'",
		"use `d`; GRANT SELECT ON `d`.* TO `bob`@`%`",
		"use `d`; create or replace table u (b int primary key)",
		"use `d`; truncate table u",
		"use `d`; drop table if exists u, nothing",
		"use `d`; alter table t add column n int",
	}, firstWords(got[:8]))
	require.Contains(t, got[8], "create database e")
}

// firstWords cuts CREATE TABLE statements that the server wrote itself.
func firstWords(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i], _, _ = strings.Cut(s, " (\n")
	}
	return out
}

func TestAccounts(t *testing.T) {
	srv := newServer(t)
	c := srv.connect()
	require.False(t, srv.engine.RootHasPassword())
	a, ok := srv.engine.Auth("root", "localhost")
	require.True(t, ok)
	require.Equal(t, account.Login{User: "root", Host: "localhost", Plugin: "mysql_native_password"}, a)
	_, ok = srv.engine.Auth("nobody", "localhost")
	require.False(t, ok)
	c.exec("create database d; create table d.t (id int primary key)")
	c.exec("create user bob@'%' identified by 'secret'; grant select on d.* to bob@'%'")
	c.exec("create user eve@localhost identified via mysql_native_password using '*2470C0C06DEE42FD1618BBB99005ADCA2EC9D1E0'")
	c.exec("set password for root@localhost = password('top')")
	for range 2 {
		a, ok = srv.engine.Auth("bob", "10.0.0.1")
		require.True(t, ok)
		require.Equal(t, "*14E65567ABDB5135D0CFD9A70B3032C179A49EE7", a.AuthString)
		a, ok = srv.engine.Auth("eve", "127.0.0.1")
		require.True(t, ok)
		require.Equal(t, "*2470C0C06DEE42FD1618BBB99005ADCA2EC9D1E0", a.AuthString)
		require.True(t, srv.engine.RootHasPassword())
		bob := srv.connect(func(ci *session.ConnInfo) { ci.User, ci.Host = "bob", "10.0.0.1" })
		require.Empty(t, bob.query("select * from d.t"))
		require.Error(t, second(bob.run("insert into d.t values (1)")))
		bob.fails(1227, "show master status")
		bob.fails(1227, "flush logs")
		bob.fails(1227, "set global max_connections=10")
		bob.fails(1227, "set sql_log_bin=0")
		require.Error(t, bob.CanReplicate())
		bob.Close()
		c.Close()
		srv.restart()
		c = srv.connect()
	}
	c.exec("drop user bob@'%'")
	_, ok = srv.engine.Auth("bob", "10.0.0.1")
	require.False(t, ok)
	c.fails(1396, "drop user bob@'%'")
	c.Close()
}

func second[A any](_ A, err error) error { return err }

// The protocol counts placeholders in two bytes.
func TestPreparedWithManyPlaceholders(t *testing.T) {
	_, c := withTable(t)
	const most = 1<<16 - 1
	st, err := c.Prepare(context.Background(), "select 1 in (?"+strings.Repeat(",?", most-1)+")")
	require.NoError(t, err)
	require.Equal(t, most, st.ParamCount)
	c.CloseStmt(st)
	c.fails(1390, "prepare x from 'select 1 in (?"+strings.Repeat(",?", most)+")'")
}

func TestPrepared(t *testing.T) {
	_, c := withTable(t)
	ctx := context.Background()
	st, err := c.Prepare(ctx, "select id, c from t where id = ? or c = ?")
	require.NoError(t, err)
	require.Equal(t, 2, st.ParamCount)
	require.Len(t, st.Columns, 2)
	run := func(params ...result.Value) string {
		t.Helper()
		var r recorder
		require.NoError(t, c.ExecuteStmt(ctx, st, params, &r))
		return r.sets[0].text()
	}
	require.Equal(t, "1|a\n2|b", run(result.Signed(1), result.Text([]byte("b"))))
	require.Equal(t, "3|c", run(result.Signed(3), result.Value{}))
	c.CloseStmt(st)

	st, err = c.Prepare(ctx, "insert into t (id, c) values (?, ?)")
	require.NoError(t, err)
	require.Nil(t, st.Columns)
	var r recorder
	require.NoError(t, c.ExecuteStmt(ctx, st, []result.Value{result.Signed(9), result.Bytes([]byte("it's ?"))}, &r))
	require.EqualValues(t, 1, r.sets[0].ok.AffectedRows)
	require.Error(t, c.ExecuteStmt(ctx, st, nil, &r))
	require.Equal(t, "it's ?", c.query("select c from t where id=9"))

	for _, sql := range []string{"commit", "show master status", "begin", "rollback", "set names utf8mb4", "show variables like ?"} {
		st, err = c.Prepare(ctx, sql)
		require.NoError(t, err, sql)
		params := make([]result.Value, st.ParamCount)
		for i := range params {
			params[i] = result.Text([]byte("autocommit"))
		}
		r = recorder{}
		require.NoError(t, c.ExecuteStmt(ctx, st, params, &r), sql)
	}
	require.Equal(t, "autocommit|ON", r.sets[0].text())
	_, err = c.Prepare(ctx, "selec 1")
	require.Error(t, err)

	c.exec("prepare p from 'select ? + ?'; set @a = 3")
	require.Equal(t, "7", c.query("execute p using @a, 4"))
	c.exec("deallocate prepare p")
	c.fails(1243, "execute p")
}

func TestProcedures(t *testing.T) {
	_, c := withTable(t)
	c.exec("create procedure two() begin select 1 as a; select id from t order by id; end")
	sets, err := c.run("call two()")
	require.NoError(t, err)
	require.Len(t, sets, 3)
	require.Equal(t, "1", sets[0].text())
	require.NotZero(t, sets[0].status.Flags&mysql.SERVER_MORE_RESULTS_EXISTS)
	require.Equal(t, "1\n2\n3", sets[1].text())
	require.NotNil(t, sets[2].ok)
	require.Zero(t, sets[2].ok.Status&mysql.SERVER_MORE_RESULTS_EXISTS)

	c.exec("create procedure put(in x int, out y int) begin update t set k = x where id = x; set y = x + 1; end")
	c.exec("call put(2, @y)")
	require.Equal(t, "3", c.query("select @y"))
	require.Equal(t, "2", c.query("select k from t where id=2"))
	c.exec("create procedure fails() begin insert into t values (100,1,'x'); insert into t values (1,1,'x'); end")
	c.fails(1062, "call fails()")
	require.Equal(t, "1", c.query("select count(*) from t where id=100"), "each statement commits by itself")
	c.exec("begin")
	c.fails(1305, "call nothing()")
	c.exec("rollback")
}

func TestVersionedCommentsAndDump(t *testing.T) {
	_, c := withTable(t)
	for _, sql := range []string{
		"/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */",
		"/*!40101 SET NAMES utf8mb4 */",
		"/*!40103 SET TIME_ZONE='+00:00' */",
		"/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */",
		"/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */",
		"/*M!100616 SET @OLD_NOTE_VERBOSITY=@@NOTE_VERBOSITY, NOTE_VERBOSITY=0 */",
		"/*M!999999\\- enable the sandbox mode */",
		"LOCK TABLES `t` WRITE", "/*!40000 ALTER TABLE `t` DISABLE KEYS */",
		"INSERT INTO `t` VALUES (30,1,'z')", "/*!40000 ALTER TABLE `t` ENABLE KEYS */", "UNLOCK TABLES",
		"/*!40101 SET SQL_MODE=@OLD_SQL_MODE */",
		"CREATE DATABASE /*!32312 IF NOT EXISTS*/ `d` /*!40100 DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci */",
	} {
		c.exec("%s", sql)
	}
	require.Equal(t, "30", c.query("select id from t where id = 30"))
	require.Equal(t, "1|2", c.query("select 1 /*!50701 , 99 */ /*!100000 , 2 */ /*!999999 , 3 */"))
}

func TestMultiStatements(t *testing.T) {
	srv, c := withTable(t)
	sets, err := c.run("select 1; update t set k=9 where id=1; select 2")
	require.NoError(t, err)
	require.Len(t, sets, 3)
	require.NotZero(t, sets[0].status.Flags&mysql.SERVER_MORE_RESULTS_EXISTS)
	require.NotZero(t, sets[1].ok.Status&mysql.SERVER_MORE_RESULTS_EXISTS)
	require.Zero(t, sets[2].status.Flags&mysql.SERVER_MORE_RESULTS_EXISTS)
	sets, err = c.run("select 1; select nothing; select 2")
	require.Error(t, err)
	require.Len(t, sets, 1)

	one := srv.connect(func(ci *session.ConnInfo) { ci.Capabilities = 0 })
	defer one.Close()
	one.fails(1064, "select 1; select 2")
	require.Equal(t, "1", one.query("select 1;"))
	one.fails(1065, "")
	one.exec("-- nothing\n")
}

func TestVariables(t *testing.T) {
	srv, c := withTable(t)
	require.Equal(t, "autocommit|ON", c.query("show variables like 'autocommit'"))
	require.Equal(t, "1", c.query("select @@autocommit"))
	require.Equal(t, "sync_binlog|1", c.query("show global variables where variable_name = 'sync_binlog'"))
	c.exec("set global sync_binlog = 0")
	require.Equal(t, "0", c.query("select @@global.sync_binlog"))
	c.exec("create database synced")
	require.True(t, srv.store.Log().Synced().Before(srv.store.Log().Visible()))
	c.query("show master status")
	require.False(t, srv.store.Log().Synced().Before(srv.store.Log().Visible()), "nobody learns of a position that a crash may take back")
	c.exec("set global sync_binlog = default")
	require.Equal(t, "1", c.query("select @@sync_binlog"))
	c.exec("set global max_connections = 1")
	require.Equal(t, "10", c.query("select @@max_connections"), "cut to the smallest value")
	require.Equal(t, "10", c.query("select @@global.max_connections"))
	c.fails(1238, "set global version = 'x'")
	require.Equal(t, "134217728|60", c.query("select @@checkpoint_log_size, @@global.checkpoint_interval"))
	c.exec("set global checkpoint_interval = 86400, global checkpoint_log_size = 1")
	require.Equal(t, "1048576", c.query("select @@checkpoint_log_size"), "cut to the smallest value")
	c.fails(1229, "set checkpoint_log_size = 5000000")
	c.fails(1193, "set nothing = 1")
	c.fails(1229, "set session sync_binlog = 1")
	c.exec("set statement max_statement_time = 5 for select 1")
	require.Equal(t, "0.000000", c.query("select @@max_statement_time"))
	c.exec("set sql_mode = 'ansi_quotes,strict_all_tables'")
	require.Equal(t, "ANSI_QUOTES,STRICT_ALL_TABLES", c.query("select @@sql_mode"))
	require.Equal(t, "1", c.query(`select "id" from "t" where "id" = 1`))
	c.exec("set sql_mode = default")
	require.Contains(t, c.query("select @@sql_mode"), "STRICT_TRANS_TABLES")
	require.Equal(t, "utf8mb3", c.query("select @@character_set_system"))
	c.exec("set names latin1")
	require.Equal(t, "latin1|latin1_swedish_ci", c.query("select @@character_set_client, @@collation_connection"))
	c.fails(1115, "set names nothing")

	other := newServer(t)
	d := other.connect()
	defer d.Close()
	d.exec("set global max_connections = 77")
	require.Equal(t, "77", d.query("select @@global.max_connections"))
	require.Equal(t, "10", c.query("select @@global.max_connections"), "values are not shared between servers")
	require.EqualValues(t, 10, srv.engine.GlobalUint("max_connections"))
	c.exec("set timestamp = 5")
	require.Equal(t, "5", c.query("select unix_timestamp()"))
	require.NoError(t, c.Reset(context.Background()))
	require.Equal(t, "d", c.query("select database()"))
	require.Equal(t, "1", c.query("select now() > '2020-01-01'"), "the clock runs again")
}

func TestReadOnlyServer(t *testing.T) {
	srv, c := withTable(t)
	c.exec("create user bob@'%'; grant all on d.* to bob@'%'; set global read_only = 1")
	bob := srv.connect(func(ci *session.ConnInfo) { ci.User, ci.Host, ci.DB = "bob", "10.0.0.1", "d" })
	defer bob.Close()
	bob.fails(1290, "insert into t values (70,1,'x')")
	bob.fails(1290, "create table x (a int)")
	require.Equal(t, "1", bob.query("select id from t where id=1"))
	c.exec("insert into t values (70,1,'x')")
}

func TestStatementTime(t *testing.T) {
	_, c := withTable(t)
	c.exec("set max_statement_time = 0.05")
	c.fails(1969, "select sleep(100)")
}

func TestShowTable(t *testing.T) {
	_, c := withTable(t)
	c.exec("create table i1 (id int unsigned not null auto_increment, a bigint default 5, b tinyint(1) not null default 1, ch char(3) default 'x' comment 'it''s', " +
		"d datetime(3) default current_timestamp(3) on update current_timestamp(3), e enum('a','b') default 'a', f text, j json, g double default 1.5, " +
		"k varchar(20) character set latin1, y year, s set('x','y') default 'x,y', o time(2), ts timestamp null, v int as (a + 1) virtual, " +
		"primary key (id), unique key u1 (a), key k2 (ch(2), b), constraint pos check (a > 0)) comment='tab'")
	c.exec("insert into i1 (a) values (3)")
	want := "CREATE TABLE `i1` (\n" +
		"  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,\n" +
		"  `a` bigint(20) DEFAULT 5,\n" +
		"  `b` tinyint(1) NOT NULL DEFAULT 1,\n" +
		"  `ch` char(3) DEFAULT 'x' COMMENT 'it''s',\n" +
		"  `d` datetime(3) DEFAULT current_timestamp(3) ON UPDATE current_timestamp(3),\n" +
		"  `e` enum('a','b') DEFAULT 'a',\n" +
		"  `f` text DEFAULT NULL,\n" +
		"  `j` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`j`)),\n" +
		"  `g` double DEFAULT 1.5,\n" +
		"  `k` varchar(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci DEFAULT NULL,\n" +
		"  `y` year(4) DEFAULT NULL,\n" +
		"  `s` set('x','y') DEFAULT 'x,y',\n" +
		"  `o` time(2) DEFAULT NULL,\n" +
		"  `ts` timestamp NULL DEFAULT NULL,\n" +
		"  `v` int(11) GENERATED ALWAYS AS (`a` + 1) VIRTUAL,\n" +
		"  PRIMARY KEY (`id`),\n" +
		"  UNIQUE KEY `u1` (`a`),\n" +
		"  KEY `k2` (`ch`(2),`b`),\n" +
		"  CONSTRAINT `pos` CHECK (`a` > 0)\n" +
		") ENGINE=InnoDB AUTO_INCREMENT=2 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci COMMENT='tab'"
	require.Equal(t, want, c.exec("show create table i1").rows[0][1])
	require.Equal(t, "id|int(10) unsigned|NO|PRI|NULL|auto_increment\na|bigint(20)|YES|UNI|5|\nch|char(3)|YES|MUL|x|\n"+
		"d|datetime(3)|YES||current_timestamp(3)|on update current_timestamp(3)\ne|enum('a','b')|YES||a|",
		c.query("show columns from i1 where field in ('id','a','ch','d','e')"))
	require.Equal(t, "k|varchar(20)|YES||NULL|", c.query("desc i1 k"))
	require.Equal(t, "k|varchar(20)|latin1_swedish_ci|YES||NULL||select,insert,update,references|", c.query("show full columns from i1 like 'k'"))
	c.exec("drop table i1; %s", want)
	again := strings.Replace(want, " AUTO_INCREMENT=2", "", 1)
	require.Equal(t, again, strings.Replace(c.exec("show create table i1").rows[0][1], " AUTO_INCREMENT=2", "", 1))
	c.exec("create table child (id int primary key, p int, constraint fk1 foreign key (p) references t (id) on delete cascade)")
	require.Contains(t, c.exec("show create table child").rows[0][1], "CONSTRAINT `fk1` FOREIGN KEY (`p`) REFERENCES `t` (`id`) ON DELETE CASCADE")
	c.exec("create view vv as select id from t")
	require.Contains(t, c.query("show create table vv"), "SQL SECURITY DEFINER VIEW")
	require.Equal(t, "id|int(11)|NO||NULL|", strings.Split(c.query("desc vv"), "\n")[0])
	c.exec("create temporary table tmp (a int)")
	require.Contains(t, c.query("show create table tmp"), "TEMPORARY")
	c.fails(1146, "show create table nothing")
	c.fails(1146, "desc nothing")
}

func TestAccountLock(t *testing.T) {
	srv, c := withTable(t)
	c.exec("create user bob@'%' identified by 'x'; alter user bob@'%' account lock")
	a, ok := srv.engine.Auth("bob", "h")
	require.True(t, ok)
	require.True(t, a.Locked)
	c.exec("alter user bob@'%' account unlock")
	a, _ = srv.engine.Auth("bob", "h")
	require.False(t, a.Locked)
	c.fails(1396, "alter user nobody account lock")
	require.Equal(t, "root@localhost|root@localhost", c.query("select user(), current_user()"))
	bob := srv.connect(func(ci *session.ConnInfo) { ci.User, ci.Host = "bob", "10.0.0.1" })
	defer bob.Close()
	require.Equal(t, "bob@10.0.0.1|bob@%", bob.query("select user(), current_user()"))
	e := bob.fails(1142, "insert into d.t values (1,1,'x')")
	require.Equal(t, "INSERT command denied to user 'bob'@'10.0.0.1' for table `d`.`t`", e.Message)
}

package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestResetMaster(t *testing.T) {
	srv, c := withTable(t)
	c.exec("flush binary logs")
	c.exec("insert into t values (60,1,'x')")
	other := srv.connect()
	other.exec("begin")
	other.exec("insert into d.t values (61,1,'y')")
	c.fails(1956, "set global gtid_binlog_state='0-1-9'")
	c.exec("reset master")
	require.Equal(t, "binlog.000001", c.exec("show binary logs").rows[0][0])
	require.Len(t, c.exec("show binary logs").rows, 1)
	require.Equal(t, "|", c.query("select @@global.gtid_binlog_pos, @@global.gtid_binlog_state"))
	other.exec("commit")
	require.Equal(t, "0-1-1", other.query("select @@last_gtid"))
	srv.restart()
	c = srv.connect()
	require.Equal(t, "2", c.query("select count(*) from d.t where id in (60,61)"))
	require.Equal(t, "0-1-1", c.query("select @@global.gtid_binlog_state"))

	c.exec("reset master to 7")
	require.Equal(t, "binlog.000007", c.exec("show master status").rows[0][0])
	c.exec("set global gtid_binlog_state='0-1-100,5-9-3'")
	require.Equal(t, "0-1-100,5-9-3|0-1-100,5-9-3|0-1-100", c.query("select @@global.gtid_binlog_pos, @@global.gtid_binlog_state, @@global.gtid_current_pos"))
	require.Equal(t, "binlog.000001", c.exec("show master status").rows[0][0])
	c.exec("insert into d.t values (62,1,'z')")
	require.Equal(t, "0-1-101", c.query("select @@last_gtid"))
	c.fails(1956, "set global gtid_binlog_state='0-1-9'")
	c.fails(1098, "reset master to 2147483648")
	c.fails(1098, "reset master to 99999999999999999999")
	c.fails(1064, "reset master to 'x'")
	c.fails(1094, "kill 99999999999999999999")
	require.Equal(t, "0-1-101,5-9-3", c.query("select @@global.gtid_binlog_pos"))
}

func TestSequenceNumbers(t *testing.T) {
	_, c := withTable(t)
	c.exec("set gtid_seq_no=100")
	c.exec("insert into t values (60,1,'x')")
	require.Equal(t, "0-1-100|0", c.query("select @@last_gtid, @@gtid_seq_no"))
	c.exec("insert into t values (61,1,'x')")
	require.Equal(t, "0-1-101", c.query("select @@last_gtid"))
	c.exec("set gtid_seq_no=50")
	c.exec("create table other (a int)")
	require.Equal(t, "0-1-50", c.query("select @@last_gtid"))
	c.exec("set gtid_seq_no=60")
	c.exec("set global gtid_strict_mode=1")
	c.exec("insert into t values (62,1,'x')")
	require.Equal(t, "0-1-60", c.query("select @@last_gtid"))
	e := c.fails(1950, "set gtid_seq_no=40")
	require.Contains(t, e.Message, "binlog GTID 0-1-40 which would create an out-of-order sequence number with existing GTID 0-1-60")
	c.exec("set global gtid_strict_mode=0")
	c.exec("set gtid_seq_no=40")
	c.exec("set global gtid_strict_mode=1")
	c.fails(1950, "insert into t values (63,1,'x')")
	require.Equal(t, "0", c.query("select count(*) from t where id=63"), "rolled back")
	c.exec("set gtid_seq_no=0")
	c.exec("insert into t values (63,1,'x')")
	c.exec("begin")
	c.fails(1953, "set gtid_seq_no=400")
	c.fails(1953, "set gtid_domain_id=4")
	c.exec("rollback")
}

func TestRetentionVariables(t *testing.T) {
	_, c := withTable(t)
	expire := func(want string) {
		t.Helper()
		require.Equal(t, want, c.query("show variables like 'binlog_expire_logs_seconds'")+" "+c.query("show variables like 'expire_logs_days'"))
	}
	expire("binlog_expire_logs_seconds|0 expire_logs_days|0.000000")
	c.exec("set global expire_logs_days=1.5")
	expire("binlog_expire_logs_seconds|129600 expire_logs_days|1.500000")
	c.exec("set global binlog_expire_logs_seconds=100")
	expire("binlog_expire_logs_seconds|100 expire_logs_days|0.001157")
	c.exec("set global expire_logs_days=100")
	expire("binlog_expire_logs_seconds|8553600 expire_logs_days|99.000000")
	c.exec("set global binlog_expire_logs_seconds=default")
	expire("binlog_expire_logs_seconds|0 expire_logs_days|0.000000")

	c.exec("create table big (c longtext)")
	for range 5 {
		c.exec("insert into big values (repeat('x', 2000))")
		c.exec("flush binary logs")
	}
	require.Len(t, c.exec("show binary logs").rows, 6)
	c.exec("set global slave_connections_needed_for_purge=1")
	c.exec("set global max_binlog_total_size=4096")
	require.Len(t, c.exec("show binary logs").rows, 6, "no replica is connected")
	c.exec("set global slave_connections_needed_for_purge=0")
	left := len(c.exec("show binary logs").rows)
	require.Less(t, left, 6)
	require.Equal(t, "4096", strings.TrimPrefix(c.query("show variables like 'binlog_space_limit'"), "binlog_space_limit|"))
	c.exec("insert into big values (repeat('x', 2000))")
	c.exec("flush binary logs")
	var use int
	_, err := fmt.Sscanf(c.query("show global status like 'Binlog_disk_use'"), "Binlog_disk_use|%d", &use)
	require.NoError(t, err)
	require.LessOrEqual(t, use, 4096)
}

package query_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/replication/replica"
)

// follower is a server whose connections to primaries receive nothing.
func follower(t *testing.T, change func(*replica.Config)) *server {
	t.Helper()
	s := newServer(t)
	s.replica = replica.Config{
		FS: vfs.NewMem(), RetryCount: 1,
		Receive: func(ctx context.Context, r *replica.Receiving) error {
			r.Preparing()
			r.Connected()
			<-ctx.Done()
			return ctx.Err()
		},
		Apply: func(ctx context.Context, a *replica.Applying) error {
			_, err := a.Take(ctx)
			return err
		},
	}
	if change != nil {
		change(&s.replica)
	}
	s.restart()
	return s
}

const toPrimary = "CHANGE MASTER TO MASTER_HOST='h', MASTER_USER='u', MASTER_PASSWORD='secret', MASTER_CONNECT_RETRY=9"

// TestReplicaThreads is about what sessions see of threads that run.
func TestReplicaThreads(t *testing.T) {
	s := follower(t, nil)
	c := s.connect()
	c.exec(toPrimary)
	c.exec("START SLAVE")
	const threads = "SELECT USER, COMMAND, STATE FROM information_schema.PROCESSLIST WHERE USER = 'system user' ORDER BY COMMAND"
	require.Eventually(t, func() bool {
		return c.query(threads) == "system user|Slave_IO|Waiting for master to send event\nsystem user|Slave_SQL|Slave has read all relay log; waiting for more updates"
	}, waitMax, waitStep)
	require.Equal(t, "Slave_running|ON", c.query("SHOW STATUS LIKE 'Slave_running'"))
	require.Equal(t, "Slaves_running|1", c.query("SHOW STATUS LIKE 'Slaves_running'"))
	require.Equal(t, "Slave_heartbeat_period|30.000", c.query("SHOW STATUS LIKE 'Slave_heartbeat_period'"))
	for _, q := range []string{
		"CHANGE MASTER TO MASTER_DELAY=1", "RESET SLAVE", "RESET SLAVE ALL", "SET GLOBAL gtid_slave_pos=''", "SET GLOBAL slave_parallel_threads=2",
		"SET GLOBAL sql_slave_skip_counter=1", "SET SESSION sql_slave_skip_counter=1", "SET GLOBAL replicate_do_db='x'", "SET GLOBAL gtid_pos_auto_engines='innodb'",
		"SET GLOBAL gtid_ignore_duplicates=1", "SET GLOBAL slave_domain_parallel_threads=1", "SET GLOBAL slave_parallel_mode='minimal'",
		"SET GLOBAL replicate_events_marked_for_skip='REPLICATE'",
	} {
		c.fails(1198, q)
	}
	c.exec("SET GLOBAL slave_parallel_max_queued=1000")
	c.exec("SET GLOBAL slave_net_timeout=100")
	c.exec("STOP ALL SLAVES")
	require.Equal(t, "Note|1938|SLAVE '' stopped", c.query("SHOW WARNINGS"))
	require.Empty(t, c.query(threads))
	require.Equal(t, "Slave_running|OFF", c.query("SHOW STATUS LIKE 'Slave_running'"))

	// A restart of the server has the settings.
	s.restart()
	c = s.connect()
	status := strings.Split(c.query("SHOW SLAVE STATUS"), "|")
	require.Equal(t, []string{"h", "u", "3306", "9"}, status[1:5])
	require.NotContains(t, c.query("SHOW ALL SLAVES STATUS"), "secret")
}

// TestReplicaPassword looks at the statement while it runs.
func TestReplicaPassword(t *testing.T) {
	var mu sync.Mutex
	var shown string
	var s *server
	s = follower(t, func(cfg *replica.Config) {
		cfg.SetSlavePos = func(context.Context, gtid.Position) error {
			mu.Lock()
			defer mu.Unlock()
			shown = s.connect().query("SHOW FULL PROCESSLIST")
			return nil
		}
	})
	s.connect().exec("/* x */ " + toPrimary + ", MASTER_DEMOTE_TO_SLAVE=1")
	mu.Lock()
	defer mu.Unlock()
	require.Contains(t, shown, "MASTER_PASSWORD = <secret>")
	require.NotContains(t, shown, "'secret'")
}

// TestGTIDSlavePos sets it where something keeps it.
func TestGTIDSlavePos(t *testing.T) {
	var set []string
	s := follower(t, func(cfg *replica.Config) {
		cfg.SetSlavePos = func(_ context.Context, p gtid.Position) error {
			set = append(set, p.String())
			return nil
		}
	})
	c := s.connect()
	c.exec("SET GLOBAL gtid_slave_pos='1-7-3,0-7-2'")
	c.exec("CREATE DATABASE d") // 0-1-1
	c.exec("SET GLOBAL gtid_slave_pos='1-7-3'")
	require.Contains(t, c.query("SHOW WARNINGS"), "Warning|1948|Specified value for @@gtid_slave_pos contains no value for replication domain 0. This conflicts with the binary log which contains GTID 0-1-")
	c.exec("SET GLOBAL gtid_slave_pos='0-7-0'")
	require.Contains(t, c.query("SHOW WARNINGS"), "Warning|1947|Specified GTID 0-7-0 conflicts with the binary log which contains a more recent GTID 0-1-")
	require.Equal(t, []string{"0-7-2,1-7-3", "1-7-3", "0-7-0"}, set)
	c.exec("SET GLOBAL gtid_strict_mode=1")
	c.fails(1948, "SET GLOBAL gtid_slave_pos='1-7-3'")
	c.fails(1947, "SET GLOBAL gtid_slave_pos='0-7-0'")
	c.fails(1948, "SET GLOBAL gtid_slave_pos=''")
	require.Len(t, set, 3)
}

// TestReplicaFilters: the filter of a connection may be set unless its own SQL thread runs.
func TestReplicaFilters(t *testing.T) {
	s := follower(t, nil)
	c := s.connect()
	c.exec(toPrimary)
	c.exec("CHANGE MASTER 'other' TO MASTER_HOST='h', MASTER_PORT=9, MASTER_USER='u'")
	c.exec("START SLAVE 'other' SQL_THREAD")
	c.exec("START SLAVE IO_THREAD")
	require.Contains(t, c.fails(1198, "SET GLOBAL other.replicate_do_db='x'").Message, "a running slave 'other'")
	c.exec("SET GLOBAL replicate_do_db='x'")
	c.exec("SET default_master_connection='other'")
	c.fails(1198, "SET GLOBAL replicate_do_db='x'")
	c.exec("STOP SLAVE 'other'")
	c.exec("SET GLOBAL replicate_do_db='y'")
	require.Equal(t, "x|y", c.query("SELECT @@replicate_do_db, @@other.replicate_do_db"))
	require.Equal(t, "x", c.query("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_VARIABLES WHERE VARIABLE_NAME='replicate_do_db'"))
	c.exec("STOP ALL SLAVES")

	// A restart of the server forgets what was set.
	s.restart()
	c = s.connect()
	require.Equal(t, "|", c.query("SELECT @@replicate_do_db, @@other.replicate_do_db"))
}

// TestReplicaPrivileges asks for what MariaDB asks for.
func TestReplicaPrivileges(t *testing.T) {
	s := follower(t, nil)
	s.connect().exec("CREATE USER a@localhost")
	a := s.connect(func(ci *session.ConnInfo) { ci.User = "a" })
	for _, q := range []string{toPrimary, "START SLAVE", "STOP ALL SLAVES", "SHOW SLAVE STATUS", "RESET SLAVE 'c'", "FLUSH SLAVE", "SET GLOBAL gtid_slave_pos=''"} {
		require.Contains(t, a.fails(1227, q).Message, "Access denied")
	}
}

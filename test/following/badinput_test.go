package following

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// refusal is how a replica's threads are found, with which error.
type refusal struct {
	io, sql  string // Slave_IO_Running and Slave_SQL_Running
	inIO     bool   // whether the error is the IO thread's
	number   string
	contains []string // of the text
}

// requireRefusal waits for the state of the threads.
func (p *pair) requireRefusal(t *testing.T, want refusal) {
	t.Helper()
	var status map[string]string
	thread := "SQL"
	if want.inIO {
		thread = "IO"
	}
	peer.Await(t, time.Minute, fmt.Sprintf("error %s of the %s thread", want.number, thread), func() (bool, error) {
		var err error
		if status, err = peer.SlaveStatus(p.rdb); err != nil || status == nil {
			return false, err
		}
		return status["Slave_IO_Running"] == want.io && status["Slave_SQL_Running"] == want.sql && status["Last_"+thread+"_Errno"] == want.number,
			fmt.Errorf("IO %s, SQL %s, IO error %s %q, SQL error %s %q", status["Slave_IO_Running"], status["Slave_SQL_Running"],
				status["Last_IO_Errno"], status["Last_IO_Error"], status["Last_SQL_Errno"], status["Last_SQL_Error"])
	})
	for _, text := range want.contains {
		if got := status["Last_"+thread+"_Error"]; !strings.Contains(got, text) {
			t.Errorf("Last_%s_Error is %q: it lacks %q", thread, got, text)
		}
	}
	if !want.inIO && (status["Last_Errno"] != want.number || status["Last_Error"] != status["Last_SQL_Error"]) {
		t.Errorf("Last_Errno %s, Last_Error %q: not those of the SQL thread", status["Last_Errno"], status["Last_Error"])
	}
	if status["Seconds_Behind_Master"] != "" && (want.io != "Yes" || want.sql != "Yes") {
		t.Errorf("Seconds_Behind_Master is %s while a thread does not run", status["Seconds_Behind_Master"])
	}
}

// TestBadInput: what cannot work is said with MariaDB's number and text in SHOW SLAVE STATUS, and goes on when the cause is gone.
func TestBadInput(t *testing.T) {
	t.Run("login", func(t *testing.T) {
		p := startApart(t)
		peer.AllowReplication(t, p.pdb)
		connecting := func(number string) refusal {
			return refusal{io: "Connecting", sql: "Yes", inIO: true, number: number, contains: []string{
				fmt.Sprintf("error connecting to master '%s@127.0.0.1:", peer.ReplicationUser), "retry-time: 1", "maximum-retries:", "message: ",
			}}
		}
		peer.Exec(t, p.rdb, peer.ChangeMaster(p.primary), "CHANGE MASTER TO MASTER_PASSWORD='wrong'", "START SLAVE")
		p.requireRefusal(t, connecting("1045"))
		peer.Exec(t, p.rdb, "STOP SLAVE", fmt.Sprintf("CHANGE MASTER TO MASTER_PASSWORD='%s', MASTER_PORT=%d", peer.ReplicationPassword, peer.FreePort(t)), "START SLAVE")
		p.requireRefusal(t, connecting("2003"))
		peer.Exec(t, p.rdb, "STOP SLAVE", fmt.Sprintf("CHANGE MASTER TO MASTER_PORT=%d", p.primary.Port), "START SLAVE")
		peer.Exec(t, p.pdb, "CREATE DATABASE d")
		p.requireEqual(t)
	})
	t.Run("same server id", func(t *testing.T) {
		p := startApart(t, "--server-id=2")
		peer.AllowReplication(t, p.pdb)
		peer.Exec(t, p.rdb, peer.ChangeMaster(p.primary), "START SLAVE")
		p.requireRefusal(t, refusal{io: "No", sql: "Yes", inIO: true, number: "1593", contains: []string{
			"Fatal error: The slave I/O thread stops because master and slave have equal MariaDB server ids",
		}})
	})
	t.Run("purged", func(t *testing.T) {
		p := startApart(t)
		peer.AllowReplication(t, p.pdb)
		peer.Exec(t, p.pdb, "CREATE DATABASE d", "FLUSH BINARY LOGS", "CREATE TABLE d.t (id INT)", "FLUSH BINARY LOGS")
		// A MariaDB keeps, without a word, a file that its recovery may need, for a moment after the next one has begun.
		peer.Await(t, time.Minute, "the purge of binlog.000002", func() (bool, error) {
			peer.Exec(t, p.pdb, "PURGE BINARY LOGS TO 'binlog.000003'")
			left := peer.MustRows(t, p.pdb, "SHOW BINARY LOGS")
			return strings.HasPrefix(left[0], `"binlog.000003"`), fmt.Errorf("there are %s", left)
		})
		// MariaDB begins with the oldest file if the position is empty, and not if it is one that is purged.
		peer.Exec(t, p.rdb, "SET GLOBAL gtid_slave_pos = '0-1-1'", peer.ChangeMaster(p.primary), "START SLAVE")
		p.requireRefusal(t, refusal{io: "No", sql: "Yes", inIO: true, number: "1236", contains: []string{
			"Got fatal error 1236 from master when reading data from binary log: 'Could not find GTID state requested by slave in any binlog files. " +
				"Probably the slave state is too old and required binlog files have been purged.'",
		}})
	})
	t.Run("unknown position", func(t *testing.T) {
		p := startApart(t)
		peer.AllowReplication(t, p.pdb)
		peer.Exec(t, p.rdb, "SET GLOBAL gtid_slave_pos = '0-7-1000'", peer.ChangeMaster(p.primary), "START SLAVE")
		p.requireRefusal(t, refusal{io: "No", sql: "Yes", inIO: true, number: "1236", contains: []string{
			"Got fatal error 1236 from master when reading data from binary log: 'Error: connecting slave requested to start from GTID 0-7-1000, which is not in the master's binlog",
		}})
	})
	t.Run("rows", testBadRows)
	t.Run("primary away", testPrimaryAway)
}

// testBadRows makes the replica differ from its primary, and repairs it.
func testBadRows(t *testing.T) {
	p := startPair(t)
	peer.Exec(t, p.pdb, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)", "CREATE TABLE d.bare (id INT, v INT)",
		"INSERT INTO d.t VALUES (1, 1), (2, 2), (3, 3)", "INSERT INTO d.bare VALUES (1, 1), (2, 2)")
	peer.CatchUp(t, p.pdb, p.rdb)
	for _, c := range []struct {
		name                     string
		spoil, statement, repair string // the statement is the primary's
		number                   string
		contains                 []string
	}{
		{
			"no such row", "DELETE FROM d.t WHERE id = 1", "UPDATE d.t SET v = 10 WHERE id = 1", "INSERT INTO d.t VALUES (1, 1)",
			"1032", []string{"Could not execute Update_rows_v1 event on table d.t; Can't find record in 't', Error_code: 1032; handler error HA_ERR_KEY_NOT_FOUND; the event's master log binlog.0", ", end_log_pos "},
		},
		{
			"no such row without a key", "DELETE FROM d.bare WHERE id = 1", "DELETE FROM d.bare WHERE id = 1", "INSERT INTO d.bare VALUES (1, 1)",
			"1032", []string{"Could not execute Delete_rows_v1 event on table d.bare; Can't find record in 'bare', Error_code: 1032; handler error HA_ERR_END_OF_FILE; the event's master log binlog.0"},
		},
		{
			"duplicate", "INSERT INTO d.t VALUES (4, 4)", "INSERT INTO d.t VALUES (4, 40)", "DELETE FROM d.t WHERE id = 4",
			"1062", []string{"Could not execute Write_rows_v1 event on table d.t; Duplicate entry '4' for key 'PRIMARY', Error_code: 1062; handler error HA_ERR_FOUND_DUPP_KEY; the event's master log binlog.0"},
		},
		{
			"no such table", "RENAME TABLE d.t TO d.u", "DELETE FROM d.t WHERE id = 2", "RENAME TABLE d.u TO d.t",
			"1146", []string{"Error executing row event: 'Table 'd.t' doesn't exist'"},
		},
		{
			"another type", "ALTER TABLE d.t MODIFY v SMALLINT", "UPDATE d.t SET v = 11 WHERE id = 3", "ALTER TABLE d.t MODIFY v INT",
			"1677", []string{"Column 1 of table 'd.t' cannot be converted from type 'int' to type 'smallint(6)'"},
		},
		{
			"statement fails", "CREATE USER extra", "CREATE USER extra", "DROP USER extra",
			"1396", []string{"Error 'Operation CREATE USER failed for 'extra'@'%'' on query. Default database: ''. Query: 'CREATE USER extra'"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.silently(t, c.spoil)
			peer.Exec(t, p.pdb, c.statement)
			p.requireRefusal(t, refusal{io: "Yes", sql: "No", number: c.number, contains: c.contains})
			p.silently(t, c.repair)
			peer.Exec(t, p.rdb, "START SLAVE")
			p.requireEqual(t)
			status, err := peer.SlaveStatus(p.rdb)
			if err != nil || status["Last_SQL_Errno"] != "0" || status["Last_SQL_Error"] != "" {
				t.Errorf("the error is still there after START SLAVE: %s %s %v", status["Last_SQL_Errno"], status["Last_SQL_Error"], err)
			}
		})
		if t.Failed() {
			return // the next one would find this one's mess
		}
	}
}

// silently runs a statement on the replica, and leaves it out of its log.
func (p *pair) silently(t *testing.T, statement string) {
	t.Helper()
	conn, err := p.rdb.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, q := range []string{"SET SESSION sql_log_bin = 0", statement, "SET SESSION sql_log_bin = 1"} {
		if _, err := conn.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

// testPrimaryAway takes the primary away in the middle of a load, and brings it back.
func testPrimaryAway(t *testing.T) {
	p, seed := startPair(t), newSeed(t)
	peer.Exec(t, p.pdb, loadTables...)
	l := startLoad(t, seed, func() string { return p.primary.DSN("") })
	l.await(200)
	p.primary.Kill()
	p.requireRefusal(t, refusal{io: "Connecting", sql: "Yes", inIO: true, number: "2003", contains: []string{
		fmt.Sprintf("error reconnecting to master '%s@127.0.0.1:%d' - retry-time: 1", peer.ReplicationUser, p.primary.Port),
	}})
	p.primary.Up()
	l.await(200)
	l.end()
	p.requireEqual(t)
	status, err := peer.SlaveStatus(p.rdb)
	if err != nil || status["Slave_IO_Running"] != "Yes" || status["Last_IO_Errno"] != "0" {
		t.Errorf("after the primary came back: IO %s, error %s %s, %v", status["Slave_IO_Running"], status["Last_IO_Errno"], status["Last_IO_Error"], err)
	}
}

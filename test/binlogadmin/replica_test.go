package binlogadmin

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// slaveStatus is a column of SHOW SLAVE STATUS.
func slaveStatus(t *testing.T, db *sql.DB, column string) string {
	t.Helper()
	rows, err := db.Query("SHOW SLAVE STATUS")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	if !rows.Next() {
		t.Fatal("no slave status")
	}
	values := make([]any, len(names))
	found := ""
	for i := range names {
		values[i] = new(sql.RawBytes)
	}
	if err := rows.Scan(values...); err != nil {
		t.Fatal(err)
	}
	for i, n := range names {
		if n == column {
			found = string(*values[i].(*sql.RawBytes))
		}
	}
	return found
}

// TestReplicaAndTheLog: a MariaDB replica is shown, keeps the files that it needs while it is away from being removed by a
// limit, and is told when the log is replaced.
func TestReplicaAndTheLog(t *testing.T) {
	primary := peer.Start(t, peer.Options{Kind: peer.Duramen, Args: []string{"--max-binlog-size=1M"}})
	replica := peer.StartMariaDB(t, peer.Options{ServerID: 2, Args: []string{"--report-host=far-away", "--report-port=4711"}})
	pdb, rdb := primary.DB(""), replica.DB("")
	defer pdb.Close()
	defer rdb.Close()
	pdb.SetMaxOpenConns(1) // one session
	peer.Exec(t, pdb, "CREATE USER 'repl'@'%' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'%'",
		"CREATE USER 'repl'@'localhost' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'localhost'")
	change := fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=%d, MASTER_USER='repl', MASTER_PASSWORD='secret', MASTER_CONNECT_RETRY=1, MASTER_USE_GTID=slave_pos", primary.Port)
	peer.Exec(t, rdb, change, "START SLAVE")
	peer.Exec(t, pdb, "CREATE DATABASE d", "CREATE TABLE d.t (a INT PRIMARY KEY, c TEXT)")
	caughtUp := func() {
		t.Helper()
		peer.Await(t, time.Minute, "the replica", func() (bool, error) {
			want := peer.MustRows(t, pdb, "SELECT @@GLOBAL.gtid_binlog_pos")
			got := peer.MustRows(t, rdb, "SELECT @@GLOBAL.gtid_slave_pos")
			return want[0] == got[0], fmt.Errorf("%s, want %s; %s", got, want, slaveStatus(t, rdb, "Last_IO_Error"))
		})
	}
	caughtUp()
	if got := strings.Join(peer.MustRows(t, pdb, "SHOW SLAVE HOSTS"), "\n"); !strings.Contains(got, "far-away") || !strings.Contains(got, "4711") {
		t.Errorf("SHOW SLAVE HOSTS: %s", got)
	}

	fill := func(from int) {
		for n := range 8 {
			peer.Exec(t, pdb, fmt.Sprintf("INSERT INTO d.t VALUES (%d, REPEAT('x', 60000))", from+n), "FLUSH BINARY LOGS")
		}
	}
	files := func() int { return len(peer.MustRows(t, pdb, "SHOW BINARY LOGS")) }
	peer.Exec(t, rdb, "STOP SLAVE")
	before := files()
	peer.Exec(t, pdb, "SET GLOBAL max_binlog_total_size=100000")
	fill(0)
	if got := files(); got < before+8 {
		t.Errorf("%d files are left of %d, which the replica needs that is away", got, before+8)
	}
	peer.Exec(t, rdb, "START SLAVE")
	caughtUp()
	peer.Exec(t, pdb, "FLUSH BINARY LOGS")
	caughtUp()
	peer.Await(t, time.Minute, "the old files to go", func() (bool, error) {
		peer.Exec(t, pdb, "SET GLOBAL max_binlog_total_size=100000")
		return files() <= 4, fmt.Errorf("%d files", files())
	})
	peer.RequireEqualContent(t, pdb, rdb)

	peer.Exec(t, pdb, "RESET MASTER")
	peer.Await(t, time.Minute, "the replica to be told", func() (bool, error) {
		text := slaveStatus(t, rdb, "Last_IO_Error")
		return slaveStatus(t, rdb, "Last_IO_Errno") == "1236" && strings.Contains(text, "could not find next log"), fmt.Errorf("%s", text)
	})
	peer.Exec(t, rdb, "STOP SLAVE", "SET GLOBAL gtid_slave_pos=''", "START SLAVE")
	peer.Exec(t, pdb, "INSERT INTO d.t VALUES (1000, 'after')")
	caughtUp()
	peer.RequireEqualContent(t, pdb, rdb)
}

package replica

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

func TestMariaDBFollowsByGTID(t *testing.T) {
	follow(t, func(t *testing.T, primary *sql.DB) string { return "MASTER_USE_GTID=slave_pos" })
}

func TestMariaDBFollowsByPosition(t *testing.T) {
	follow(t, func(t *testing.T, primary *sql.DB) string {
		row := peer.MustRows(t, primary, "SHOW MASTER STATUS")
		var file, pos string
		if _, err := fmt.Sscanf(row[0], "%q %q", &file, &pos); err != nil {
			t.Fatalf("SHOW MASTER STATUS gave %v: %v", row, err)
		}
		return fmt.Sprintf("MASTER_USE_GTID=no, MASTER_LOG_FILE='%s', MASTER_LOG_POS=%s", file, pos)
	})
}

func follow(t *testing.T, position func(*testing.T, *sql.DB) string) {
	peer.RequireMariaDB(t)
	peer.RequireTool(t, "sysbench")
	primary := peer.Start(t, peer.Options{Binlog: true, Args: []string{"--max-binlog-size=16777216"}})
	replica := peer.StartMariaDB(t, peer.Options{ServerID: 2, Args: []string{"--log-bin=relayed", "--log-slave-updates", "--slave-net-timeout=10"}})
	pdb, rdb := primary.DB(""), replica.DB("")
	defer pdb.Close()
	defer rdb.Close()

	where := position(t, pdb)
	peer.Exec(t, pdb, "CREATE USER 'repl'@'127.0.0.1' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'127.0.0.1'",
		"CREATE USER 'repl'@'localhost' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'localhost'")
	peer.Exec(t, rdb, fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=%d, MASTER_USER='repl', MASTER_PASSWORD='secret', MASTER_CONNECT_RETRY=1, MASTER_HEARTBEAT_PERIOD=1, %s", primary.Port, where),
		"START SLAVE")

	define(t, pdb)
	catchUp(t, pdb, rdb)
	peer.RequireEqualContent(t, pdb, rdb)
	compareView(t, pdb, rdb)

	b := peer.Sysbench{
		Script: "oltp_read_write", Tables: 4, TableSize: peer.Scaled(1000, 100000), Threads: peer.Scaled(4, 8),
		Time: peer.Scaled(3*time.Second, 20*time.Second),
	}
	peer.Exec(t, pdb, "CREATE DATABASE sbtest")
	b.Must(t, primary, "prepare")
	// Four spells of load, 60 s in full, with a restart in the middle of three of them. One
	// during which the primary goes away ends with an error (with sysbench's
	// reconnecting turned on it crashes); the others must not.
	for _, spell := range []struct {
		what    string
		restart func()
		breaks  bool
	}{
		{"replica restarted", replica.Restart, false},
		{"primary restarted", primary.Restart, true},
		{"primary killed", func() { primary.Kill(); primary.Up() }, true},
		{"undisturbed", func() {}, false},
	} {
		r, err := loaded(b, primary, spell.restart)
		if err != nil && !spell.breaks {
			t.Fatalf("%s: %v", spell.what, err)
		}
		t.Logf("%s: %d transactions, %d retried", spell.what, r.Transactions, r.Ignored)
	}

	catchUp(t, pdb, rdb)
	peer.RequireEqualContent(t, pdb, rdb)
	if seen := peer.MustRows(t, pdb, "SHOW SLAVE HOSTS"); len(seen) != 1 {
		t.Errorf("SHOW SLAVE HOSTS on the primary: %v", seen)
	}
}

// loaded runs a spell of load, and something else in the middle of it.
func loaded(b peer.Sysbench, s *peer.Server, middle func()) (r peer.Result, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { r, err = b.Do(ctx, s, "run") })
	<-time.After(b.Time / 2) // the load is bounded by time, there is no event to wait for
	middle()
	wg.Wait()
	return r, err
}

// define runs the definitions on one connection, each statement reported.
func define(t *testing.T, db *sql.DB) {
	t.Helper()
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, q := range peer.Definitions {
		if _, err := conn.ExecContext(context.Background(), q); err != nil {
			t.Errorf("%s\n: %v", q, err)
		}
	}
}

func compareView(t *testing.T, pdb, rdb *sql.DB) {
	t.Helper()
	const q = "SELECT * FROM ddl.both_names ORDER BY id, total"
	if a, b := peer.MustRows(t, pdb, q), peer.MustRows(t, rdb, q); strings.Join(a, "\n") != strings.Join(b, "\n") || len(a) == 0 {
		t.Errorf("the view differs: %v against %v", a, b)
	}
}

// catchUp waits until the replica has applied all that the primary has written,
// and fails at once when the replica stopped with an error.
func catchUp(t *testing.T, pdb, rdb *sql.DB) {
	t.Helper()
	target := peer.MustRows(t, pdb, "SELECT @@GLOBAL.gtid_binlog_pos")[0]
	peer.Await(t, 3*time.Minute, "the replica to reach "+target, func() (bool, error) {
		if err := stopped(rdb); err != nil {
			t.Fatalf("the replica stopped before %s: %v", target, err)
		}
		at, err := peer.Rows(rdb, "SELECT @@GLOBAL.gtid_slave_pos")
		if err != nil {
			return false, err
		}
		return at[0] == target, fmt.Errorf("it is at %s", at[0])
	})
}

// stopped gives the error with which one of the replica's threads stopped.
func stopped(rdb *sql.DB) error {
	rows, err := rdb.Query("SHOW SLAVE STATUS")
	if err != nil {
		return nil // the replica itself is on its way up
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil || !rows.Next() {
		return err
	}
	cells := make([]sql.NullString, len(cols))
	dest := make([]any, len(cols))
	for i := range cells {
		dest[i] = &cells[i]
	}
	if err := rows.Scan(dest...); err != nil {
		return err
	}
	status := map[string]string{}
	for i, c := range cols {
		status[c] = c + "=" + cells[i].String
	}
	if status["Slave_SQL_Running"] == "Slave_SQL_Running=No" || status["Slave_IO_Running"] == "Slave_IO_Running=No" {
		return fmt.Errorf("%s %s %s %s", status["Last_IO_Errno"], status["Last_IO_Error"], status["Last_SQL_Errno"], status["Last_SQL_Error"])
	}
	return nil
}

package following

import (
	"database/sql"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// TestSwitchover changes the roles of a MariaDB and the server under test under load, there and back, by the statements of MaxScale and of
// replication-manager. Nothing that was acknowledged is lost, and nobody has what the other one has not.
func TestSwitchover(t *testing.T) {
	p, seed := startPair(t), newSeed(t)
	peer.Exec(t, p.pdb, loadTables...)
	// Not root's: read_only is for accounts that may not write nevertheless.
	peer.Exec(t, p.pdb, "CREATE USER 'app'@'%' IDENTIFIED BY 'word'", "GRANT ALL ON work.* TO 'app'@'%'",
		"CREATE USER 'app'@'localhost' IDENTIFIED BY 'word'", "GRANT ALL ON work.* TO 'app'@'localhost'")
	peer.CatchUp(t, p.pdb, p.rdb)
	var primary atomic.Pointer[peer.Server]
	primary.Store(p.primary)
	l := startLoad(t, seed, func() string { return fmt.Sprintf("app:word@tcp(%s)/?timeout=5s", primary.Load().Addr()) })
	for round := range peer.Scaled(4, 20) {
		l.await(peer.Scaled[int64](200, 2000))
		// Each tool there and back; then the other one begins.
		change, tool := maxScale, "MaxScale"
		if round/2%2 == 1 {
			change, tool = replicationManager, "replication-manager"
		}
		t.Logf("%s: from %s (%s) to %s", tool, p.primary.Kind, peer.BinlogPosition(t, p.pdb), p.replica.Kind)
		peer.Exec(t, p.pdb, "SET GLOBAL read_only = 1")
		change(t, p)
		p.primary, p.replica = p.replica, p.primary
		p.pdb, p.rdb = p.rdb, p.pdb
		primary.Store(p.primary)
		peer.Await(t, time.Minute, "both threads of the new replica", func() (bool, error) {
			s, err := peer.SlaveStatus(p.rdb)
			return s["Slave_IO_Running"] == "Yes" && s["Slave_SQL_Running"] == "Yes", fmt.Errorf("%v: IO %s %s, SQL %s %s (%w)", p.replica.Kind,
				s["Slave_IO_Running"], s["Last_IO_Error"], s["Slave_SQL_Running"], s["Last_SQL_Error"], err)
		})
	}
	l.await(100)
	l.end()
	p.requireEqual(t)
	l.requireLedger(t, p.pdb)
}

// within is what MaxScale puts before its statements.
const within = "SET STATEMENT max_statement_time=30 FOR "

// locked runs statements on one connection of a server, between those that take and release the lock of all tables.
func locked(t *testing.T, db *sql.DB, take string, statements ...string) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, q := range append([]string{take}, append(statements, "UNLOCK TABLES")...) {
		if _, err := conn.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

// killClients ends the sessions of the load's clients.
func killClients(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, row := range peer.MustRows(t, db, "SELECT id FROM information_schema.processlist WHERE user = 'app'") {
		_, _ = db.ExecContext(t.Context(), "KILL SOFT CONNECTION "+strings.Trim(row, `"`)) // it may have gone by itself
	}
}

// standStill waits until a server logs nothing more: three reads within a second are equal.
func standStill(t *testing.T, db *sql.DB) string {
	t.Helper()
	last, equal := "", 0
	peer.Await(t, time.Minute, "the old primary to stand still", func() (bool, error) {
		at := peer.BinlogPosition(t, db)
		if at != last {
			last, equal = at, 0
		}
		equal++
		return equal > 3, fmt.Errorf("it is at %s", at)
	})
	return last
}

// awaitPosition polls until the new primary has logged what the old one has.
func awaitPosition(t *testing.T, p *pair, want string) {
	t.Helper()
	peer.Await(t, time.Minute, "the new primary to have "+want, func() (bool, error) {
		if err := peer.Stopped(p.rdb); err != nil {
			t.Fatalf("the new primary stopped before %s: %v", want, err)
		}
		at := peer.BinlogPosition(t, p.rdb)
		return at == want, fmt.Errorf("it is at %s", at)
	})
}

func maxScale(t *testing.T, p *pair) {
	t.Helper()
	locked(t, p.pdb, within+"FLUSH TABLES WITH READ LOCK")
	killClients(t, p.pdb)
	peer.Exec(t, p.pdb, within+"FLUSH LOGS")
	awaitPosition(t, p, standStill(t, p.pdb))
	peer.Exec(t, p.rdb, within+"STOP SLAVE ''", within+"RESET SLAVE '' ALL")
	if left := peer.MustRows(t, p.rdb, "SHOW ALL SLAVES STATUS"); len(left) > 0 {
		t.Fatalf("the connection is still there after RESET SLAVE ALL: %s", left)
	}
	peer.Exec(t, p.rdb, within+"SET GLOBAL read_only=0")
	peer.Exec(t, p.pdb, fmt.Sprintf("%sCHANGE MASTER '' TO MASTER_HOST = '127.0.0.1', MASTER_PORT = %d, MASTER_USE_GTID = current_pos, MASTER_USER = '%s', MASTER_PASSWORD = '%s'",
		within, p.replica.Port, peer.ReplicationUser, peer.ReplicationPassword), within+"START SLAVE ''")
}

func replicationManager(t *testing.T, p *pair) {
	t.Helper()
	peer.Exec(t, p.pdb, "FLUSH NO_WRITE_TO_BINLOG TABLES", "STOP ALL SLAVES")
	killClients(t, p.pdb)
	conn, err := p.pdb.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	exec := func(q string) {
		t.Helper()
		if _, err := conn.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	exec("FLUSH NO_WRITE_TO_BINLOG TABLES WITH READ LOCK")
	exec("FLUSH BINARY LOGS")
	awaitPosition(t, p, standStill(t, p.pdb))
	peer.Exec(t, p.rdb, "STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL read_only=0")
	// It has to get a GTID of the new primary.
	before := peer.BinlogPosition(t, p.rdb)
	peer.Exec(t, p.rdb, "FLUSH TABLES")
	if peer.BinlogPosition(t, p.rdb) == before {
		t.Fatalf("FLUSH TABLES is not in the log: it still ends with %s", before)
	}
	exec("UNLOCK TABLES")
	exec(peer.ChangeMaster(p.replica, "MASTER_USE_GTID=SLAVE_POS", "MASTER_DEMOTE_TO_SLAVE=1"))
	exec("START SLAVE")
}

package following

import (
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// TestFollow follows a mixed load, from the start of the log, and once more after the replica's threads were stopped in the middle of it.
func TestFollow(t *testing.T) {
	p, seed := startPair(t), newSeed(t)
	peer.Exec(t, p.pdb, loadTables...)
	l := startLoad(t, seed, func() string { return p.primary.DSN("") })
	l.await(peer.Scaled[int64](1500, 30000))
	peer.Exec(t, p.rdb, "STOP SLAVE")
	l.await(peer.Scaled[int64](500, 10000))
	peer.Exec(t, p.rdb, "START SLAVE")
	l.await(peer.Scaled[int64](500, 10000))
	l.end()
	p.requireEqual(t)
	l.requireLedger(t, p.rdb)
}

// TestFollowDefinitions follows a session of definitions of many kinds.
func TestFollowDefinitions(t *testing.T) {
	p := startPair(t)
	conn, err := p.pdb.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, q := range peer.Definitions {
		if _, err := conn.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	p.requireEqual(t)
}

// TestFollowMaintenance: ANALYZE, OPTIMIZE and REPAIR TABLE, which a MariaDB logs as statements, are in the replica's log with their GTIDs, also of tables that are
// not there; what says LOCAL, and CHECK, is in no log.
func TestFollowMaintenance(t *testing.T) {
	p := startPair(t)
	peer.Exec(t, p.pdb, "CREATE DATABASE work", "CREATE TABLE work.t (id INT PRIMARY KEY)", "ANALYZE TABLE work.t PERSISTENT FOR ALL", "OPTIMIZE TABLE work.t", "REPAIR TABLE work.t",
		"ANALYZE TABLE work.nowhere", "ANALYZE LOCAL TABLE work.t", "CHECK TABLE work.t", "INSERT INTO work.t VALUES (1)")
	p.requireEqual(t)
	for verb, want := range map[string]int{"ANALYZE": 2, "OPTIMIZE": 1, "REPAIR": 1, "CHECK": 0} {
		n := 0
		for _, row := range peer.MustRows(t, p.rdb, "SHOW BINLOG EVENTS") {
			if strings.Contains(row, verb+" TABLE") {
				n++
			}
		}
		if n != want {
			t.Errorf("%d times %s TABLE in the replica's log, not %d", n, verb, want)
		}
	}
}

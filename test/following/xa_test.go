package following

import (
	"fmt"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// TestXA: an XA transaction of one phase is applied. One of two phases stops the replica before its first group, with nothing of it, a GTID and what to do; left out by
// the counter or by the position, all that follows is applied.
func TestXA(t *testing.T) {
	p := startPair(t)
	run := connect(t, p.pdb)
	run("CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)", "XA START 'one'", "INSERT INTO d.t VALUES (1)", "XA END 'one'", "XA COMMIT 'one' ONE PHASE")
	p.requireEqual(t)
	last := func() string { return peer.BinlogPosition(t, p.pdb) }
	stops := func(what, at, ids string) {
		t.Helper()
		have := sqlError(t, p.pdb, p.rdb)
		for _, part := range []string{"1235 ", what, "GTID " + at, "sql_slave_skip_counter", "ONE PHASE"} {
			if !strings.Contains(have, part) {
				t.Fatalf("%s is missing in %q", part, have)
			}
		}
		if rows := peer.MustRows(t, p.rdb, "SELECT id FROM d.t WHERE id IN ("+ids+")"); len(rows) != 0 {
			t.Fatalf("%s is there", rows)
		}
		peer.Exec(t, p.rdb, "STOP SLAVE")
	}
	skips := map[string]func(at string){
		"counter":  func(string) { peer.Exec(t, p.rdb, "SET GLOBAL sql_slave_skip_counter = 1") },
		"position": func(at string) { peer.Exec(t, p.rdb, "SET GLOBAL gtid_slave_pos = '"+at+"'") },
	}
	for n, how := range []string{"counter", "position"} {
		two := []string{"XA START 'two'", fmt.Sprintf("INSERT INTO d.t VALUES (%d), (%d)", 10+n, 20+n), "XA END 'two'", "XA PREPARE 'two'"}
		run(two...)
		prepared := last()
		ids := fmt.Sprintf("%d, %d", 10+n, 20+n)
		stops("XA PREPARE", prepared, ids)
		run("XA COMMIT 'two'")
		committed := last()
		run(fmt.Sprintf("INSERT INTO d.t VALUES (%d)", 100+n))
		skips[how](prepared)
		peer.Exec(t, p.rdb, "START SLAVE")
		stops("XA COMMIT", committed, ids)
		skips[how](committed)
		peer.Exec(t, p.rdb, "START SLAVE")
		peer.CatchUp(t, p.pdb, p.rdb)
		requireSame(t, p.pdb, p.rdb, "SELECT id FROM d.t WHERE id >= 100")
		unchecked(t, p.rdb)(fmt.Sprintf("INSERT INTO d.t VALUES (%d), (%d)", 10+n, 20+n))
		p.requireEqual(t)

		two[1] = "INSERT INTO d.t VALUES (50)"
		run(two...)
		stops("XA PREPARE", last(), "50")
		skips[how](last())
		run("XA ROLLBACK 'two'", fmt.Sprintf("INSERT INTO d.t VALUES (%d)", 200+n))
		peer.Exec(t, p.rdb, "START SLAVE")
		p.requireEqual(t)
	}
}

package following

import (
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// TestEvents: events of a primary's log come as SLAVESIDE_DISABLED, so that they do not run on both, with the primary as their originator, as on a MariaDB beside; so does an event that
// was switched on on the replica when the primary changes it.
func TestEvents(t *testing.T) {
	p, mdb := startBesides(t)
	run := connect(t, p.pdb)
	seen := func() {
		t.Helper()
		peer.CatchUp(t, p.pdb, mdb)
		peer.CatchUp(t, p.pdb, p.rdb)
		for _, q := range []string{"SELECT EVENT_NAME, STATUS, IF(ORIGINATOR = @@global.server_id, 'here', ORIGINATOR) FROM information_schema.EVENTS ORDER BY 1", "SELECT @@global.event_scheduler"} {
			requireSame(t, mdb, p.rdb, q)
		}
	}
	run("CREATE DATABASE d", "USE d", "CREATE TABLE d.ran (n INT)", "CREATE EVENT a ON SCHEDULE EVERY 1 DAY DO SELECT 1", "CREATE EVENT b ON SCHEDULE EVERY 1 DAY DISABLE DO SELECT 1",
		"CREATE EVENT c ON SCHEDULE EVERY 1 DAY DISABLE ON SLAVE DO SELECT 1", "CREATE EVENT e ON SCHEDULE AT '2037-01-01' DO INSERT INTO d.ran VALUES (1)")
	seen()
	if got := peer.MustRows(t, p.rdb, "SELECT DISTINCT STATUS, ORIGINATOR FROM information_schema.EVENTS"); len(got) != 1 || got[0] != `"SLAVESIDE_DISABLED" "1"` {
		t.Errorf("events of the primary are %s", got)
	}
	run("ALTER EVENT a COMMENT 'x'", "ALTER EVENT b ENABLE", "ALTER EVENT c DISABLE", "ALTER EVENT e RENAME TO f")
	seen()
	onBoth(t, p, mdb, "ALTER EVENT d.a ENABLE", "ALTER EVENT d.b DISABLE ON SLAVE", "ALTER EVENT d.c COMMENT 'y'", "ALTER EVENT d.f DISABLE", "CREATE EVENT d.own ON SCHEDULE EVERY 1 DAY DO SELECT 2")
	seen()
	run("ALTER EVENT a COMMENT 'z'", "ALTER EVENT f ENABLE")
	seen()
	if got := peer.MustRows(t, p.rdb, "SELECT EVENT_NAME FROM information_schema.EVENTS WHERE STATUS = 'ENABLED'"); len(got) != 1 || got[0] != `"own"` {
		t.Errorf("enabled here are %s", got)
	}
	p.replica.Kill()
	p.replica.Up()
	seen()
}

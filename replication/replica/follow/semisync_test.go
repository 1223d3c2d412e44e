package follow

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/replication/replica/primary"
	"github.com/duramendb/duramen/test/peer"
)

func status(t *testing.T, db *sql.DB, name string) string {
	t.Helper()
	var n, v string
	if err := db.QueryRow("SHOW GLOBAL STATUS LIKE '"+name+"'").Scan(&n, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func awaitStatus(t *testing.T, db *sql.DB, name, want string) {
	t.Helper()
	peer.Await(t, atMost, name+"="+want, func() (bool, error) { return status(t, db, name) == want, nil })
}

// A semi-synchronous MariaDB waits with its commit until the group is acknowledged.
func TestSemiSync(t *testing.T) {
	s, db := startPrimary(t, "--rpl-semi-sync-master-enabled=1", "--rpl-semi-sync-master-timeout=60000", "--rpl-semi-sync-master-wait-no-slave=0")
	peer.Exec(t, db, "CREATE TABLE d.t (a INT PRIMARY KEY) ENGINE=InnoDB")
	o := optionsFor(s)
	o.SemiSync, o.KillTimeout = true, atMost
	o.Settings.HeartbeatPeriod = 100 * time.Millisecond
	c := connect(t, o)
	if !c.Info().SemiSync {
		t.Fatal("the connection is not semi-synchronous")
	}
	groups := make(chan *primary.Part)
	ended := make(chan struct{})
	go func() { // reads on while groups are acknowledged
		defer close(ended)
		for {
			p, err := c.Next(t.Context())
			if err != nil {
				return
			}
			if p.Kind == primary.Group {
				groups <- p
			}
		}
	}()
	// What was logged before is acknowledged as well, if the primary asks.
	for last := lastGTID(t, db); ; {
		p := <-groups
		if p.Acknowledge != nil {
			p.Acknowledge(logpos.Pos{})
		}
		if p.GTID.GTID.String() == last {
			break
		}
	}
	awaitStatus(t, db, "Rpl_semi_sync_master_clients", "1")
	awaitStatus(t, db, "Rpl_semi_sync_master_status", "ON")
	yes, no := status(t, db, "Rpl_semi_sync_master_yes_tx"), status(t, db, "Rpl_semi_sync_master_no_tx")

	committed := make(chan error)
	for i, statement := range []string{"INSERT INTO d.t VALUES (1)", "INSERT INTO d.t VALUES (2), (3)", "ALTER TABLE d.t ADD COLUMN b INT"} {
		go func() {
			_, err := db.Exec(statement)
			committed <- err
		}()
		p := <-groups
		if p.Acknowledge == nil {
			t.Fatalf("the primary does not ask for an acknowledgement of %s", statement)
		}
		awaitStatus(t, db, "Rpl_semi_sync_master_wait_sessions", "1")
		select {
		case err := <-committed:
			t.Fatalf("%s was committed before it was acknowledged: %v", statement, err)
		default:
		}
		if got := status(t, db, "Rpl_semi_sync_master_yes_tx"); i == 0 && got != yes {
			t.Fatalf("yes_tx is %s, was %s", got, yes)
		}
		p.Acknowledge(logpos.Pos{})
		if err := <-committed; err != nil {
			t.Fatal(err)
		}
	}
	if got := status(t, db, "Rpl_semi_sync_master_no_tx"); got != no {
		t.Errorf("no_tx is %s, was %s", got, no)
	}
	if got := status(t, db, "Rpl_semi_sync_master_yes_tx"); got == yes {
		t.Errorf("yes_tx is %s still", got)
	}

	// Close lets the primary know, so that its commits wait no longer.
	go func() {
		_, err := db.Exec("INSERT INTO d.t (a) VALUES (4)")
		committed <- err
	}()
	p := <-groups
	_ = c.Close()
	<-ended
	awaitStatus(t, db, "Rpl_semi_sync_master_clients", "0")
	p.Acknowledge(logpos.Pos{})
	if err := <-committed; err != nil {
		t.Fatal(err)
	}
}

// A primary that has semi-sync switched off marks its events all the same; one that waits for nobody gets no acknowledgements.
func TestSemiSyncOff(t *testing.T) {
	s, db := startPrimary(t)
	o := optionsFor(s)
	o.SemiSync = true
	c := connect(t, o)
	_, parts := follow(t, c).until(lastGTID(t, db))
	if len(parts) == 0 || !c.Info().SemiSync {
		t.Error("the primary knows semi-sync")
	}
	for _, p := range parts {
		if p.Acknowledge != nil {
			t.Errorf("the primary asks for an acknowledgement of %s", p.GTID.GTID)
		}
	}
	if v := value(t, db, "SELECT @@rpl_semi_sync_master_enabled"); strings.TrimSpace(v) != "0" {
		t.Errorf("rpl_semi_sync_master_enabled is %s", v)
	}
}

package following

import (
	"database/sql"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

const (
	failoverMax = time.Minute
	// forever is a time-out of semi-sync, in milliseconds, that no test waits for.
	forever = 3_600_000
)

// semiSyncArgs are for both roles. The primary does not wait before its replica is there; see startAcknowledged.
var semiSyncArgs = []string{"--rpl-semi-sync-master-enabled=1", fmt.Sprintf("--rpl-semi-sync-master-timeout=%d", forever), "--rpl-semi-sync-master-wait-no-slave=OFF",
	"--rpl-semi-sync-master-wait-point=AFTER_SYNC", "--rpl-semi-sync-slave-enabled=1"}

// startAcknowledged starts a primary whose commits wait for the replica.
func startAcknowledged(t *testing.T, primary, replica peer.Options) *pair {
	t.Helper()
	peer.RequireMariaDB(t)
	primary.Relays, replica.Relays, replica.ServerID = true, true, 2
	primary.Args, replica.Args = append(primary.Args, semiSyncArgs...), append(replica.Args, semiSyncArgs...)
	p := &pair{primary: peer.Start(t, primary), replica: peer.Start(t, replica)}
	p.pdb, p.rdb = p.primary.DB(""), p.replica.DB("")
	t.Cleanup(func() { _, _ = p.pdb.Close(), p.rdb.Close() })
	peer.AllowReplication(t, p.pdb)
	peer.Exec(t, p.pdb, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)")
	peer.Exec(t, p.rdb, peer.ChangeMaster(p.primary, "MASTER_USE_GTID=slave_pos"), "START SLAVE")
	awaitSemiSync(t, p.pdb, "clients", "1")
	peer.CatchUp(t, p.pdb, p.rdb)
	peer.Exec(t, p.pdb, "SET GLOBAL rpl_semi_sync_master_wait_no_slave = ON")
	return p
}

// semiSyncStatus is a status variable Rpl_semi_sync_master_*.
func semiSyncStatus(t *testing.T, db *sql.DB, name string) string {
	t.Helper()
	row := peer.MustRows(t, db, "SHOW STATUS LIKE 'Rpl_semi_sync_master_"+name+"'")
	return strings.Trim(strings.Fields(row[0])[1], `"`)
}

func awaitSemiSync(t *testing.T, db *sql.DB, name, want string) {
	t.Helper()
	peer.Await(t, failoverMax, "Rpl_semi_sync_master_"+name+"="+want, func() (bool, error) { return semiSyncStatus(t, db, name) == want, nil })
}

// acknowledgedLoad inserts rows into d.t from several connections, and notes of which it was told, and which another session has read.
type acknowledgedLoad struct {
	done sync.WaitGroup
	told [4]int // of each writer, the last number
	read int    // the highest count of rows that was seen
	all  atomic.Int64
}

func startAcknowledgedLoad(db *sql.DB, from int) *acknowledgedLoad {
	l := &acknowledgedLoad{}
	for w := range l.told {
		l.told[w] = from - 1
		l.done.Go(func() {
			for n := from; ; n++ {
				if _, err := db.Exec(fmt.Sprintf("INSERT INTO d.t VALUES (%d)", n*len(l.told)+w)); err != nil {
					return // the primary was killed
				}
				l.told[w] = n
				l.all.Add(1)
			}
		})
	}
	l.done.Go(func() {
		for {
			var n int
			if err := db.QueryRow("SELECT COUNT(*) FROM d.t").Scan(&n); err != nil {
				return
			}
			l.read = n
		}
	})
	return l
}

// require finds in db what the load was told of, and has read.
func (l *acknowledgedLoad) require(t *testing.T, db *sql.DB, from int) {
	t.Helper()
	for w, last := range l.told {
		q := fmt.Sprintf("SELECT COUNT(*) FROM d.t WHERE id %% %d = %d AND id DIV %d BETWEEN %d AND %d", len(l.told), w, len(l.told), from, last)
		if got := peer.MustRows(t, db, q)[0]; got != fmt.Sprintf("%q", fmt.Sprint(last-from+1)) {
			t.Errorf("writer %d was told of %d rows, the next primary has %s", w, last-from+1, got)
		}
	}
	var rows int
	if err := db.QueryRow("SELECT COUNT(*) FROM d.t").Scan(&rows); err != nil || rows < l.read {
		t.Errorf("a reader has seen %d rows, the next primary has %d (%v)", l.read, rows, err)
	}
	t.Logf("%d rows acknowledged, %d read, %d there", l.all.Load(), l.read, rows)
}

// TestBothKilled kills primary and replica at the same time, under load, and starts the replica alone. With a replica under test nothing is
// lost of which a client was told, or which a session of the primary has read. (A MariaDB as the replica loses here: its relay log is not
// synced, and START SLAVE throws it away.)
func TestBothKilled(t *testing.T) {
	for name, kind := range map[string]peer.Kind{"MariaDB primary": peer.MariaDB, "own primary": peer.Duramen} {
		t.Run(name, func(t *testing.T) {
			seed := newSeed(t)
			rnd := source(seed, 0)
			p := startAcknowledged(t, peer.Options{Kind: kind}, peer.Options{Kind: peer.Duramen, Args: []string{"--skip-slave-start"}})
			for round := range peer.Scaled(3, 50) {
				from := 1 + round*1_000_000
				yes, not := semiSyncStatus(t, p.pdb, "yes_tx"), semiSyncStatus(t, p.pdb, "no_tx")
				l := startAcknowledgedLoad(p.pdb, from)
				want := 1 + rnd.Int64N(100)
				peer.Await(t, failoverMax, "acknowledged rows", func() (bool, error) { return l.all.Load() >= want, nil })
				if now, no := semiSyncStatus(t, p.pdb, "yes_tx"), semiSyncStatus(t, p.pdb, "no_tx"); now == yes || no != not {
					t.Errorf("yes_tx was %s and is %s, no_tx was %s and is %s", yes, now, not, no)
				}
				pause(rnd)
				var both sync.WaitGroup
				both.Go(p.primary.Kill)
				both.Go(p.replica.Kill)
				both.Wait()
				l.done.Wait()
				p.replica.Up()
				l.require(t, p.rdb, from)
				p.primary.Up() // it has all of that as well, and perhaps more
				peer.Exec(t, p.rdb, "START SLAVE")
				awaitSemiSync(t, p.pdb, "clients", "1")
				p.requireEqual(t)
				peer.Exec(t, p.pdb, "SET GLOBAL rpl_semi_sync_master_wait_no_slave = ON")
			}
		})
	}
}

// TestCrashedPrimaryComesBack kills a primary whose commits wait for an acknowledgement that does not come, has the replica take its place, and
// starts the old one as a replica of that: with --init-rpl-role=SLAVE nothing is left of what was not acknowledged but the files in
// binlog.lost-…, and what was cut though it was acknowledged comes back. So do own transactions that only the successor has.
func TestCrashedPrimaryComesBack(t *testing.T) {
	for _, kind := range []peer.Kind{peer.MariaDB, peer.Duramen} {
		t.Run("to "+string(kind), func(t *testing.T) {
			rnd := source(newSeed(t), 0)
			p := startAcknowledged(t, peer.Options{Kind: peer.Duramen, Args: []string{"--init-rpl-role=SLAVE", "--checkpoint-interval=3600"}}, peer.Options{Kind: kind})
			for round := range peer.Scaled(2, 20) {
				from := 1 + round*1_000_000
				l := startAcknowledgedLoad(p.pdb, from)
				want := 1 + rnd.Int64N(100)
				peer.Await(t, failoverMax, "acknowledged rows", func() (bool, error) { return l.all.Load() >= want, nil })
				peer.Exec(t, p.rdb, "STOP SLAVE IO_THREAD")
				awaitSemiSync(t, p.pdb, "clients", "0")
				// What the writers wait for may have come to the replica, without its acknowledgement. This one has not:
				alone := 900_000_000 + round
				l.done.Go(func() {
					if _, err := p.pdb.Exec(fmt.Sprintf("INSERT INTO d.t VALUES (%d)", alone)); err == nil {
						t.Error("a commit was acknowledged by nobody")
					}
				})
				awaitSemiSync(t, p.pdb, "wait_sessions", fmt.Sprint(len(l.told)+1))
				p.primary.Kill()
				l.done.Wait()
				p.promote(t)
				l.require(t, p.rdb, from)
				peer.Exec(t, p.rdb, fmt.Sprintf("INSERT INTO d.t VALUES (-%d)", round+1))
				p.primary.Up()
				if !strings.Contains(p.primary.LogTail(1<<20), "Successfully truncated binlog file:./binlog.") {
					t.Errorf("the log does not say what was cut:\n%s", p.primary.LogTail(1<<14))
				}
				peer.Exec(t, p.pdb, peer.ChangeMaster(p.replica, "MASTER_USE_GTID=slave_pos", "MASTER_DEMOTE_TO_SLAVE=1"), "START SLAVE")
				peer.CatchUp(t, p.rdb, p.pdb)
				peer.RequireEqualContent(t, p.rdb, p.pdb)
				l.require(t, p.pdb, from)
				requireOnlyLost(t, p, alone)
				p.switchBack(t)
			}
		})
	}
}

// promote makes the replica, which has applied all it has received, a primary.
func (p *pair) promote(t *testing.T) {
	t.Helper()
	peer.Await(t, failoverMax, "what was received is applied", func() (bool, error) {
		s, err := peer.SlaveStatus(p.rdb)
		if err != nil {
			return false, err
		}
		at, err := peer.Rows(p.rdb, "SELECT @@GLOBAL.gtid_slave_pos")
		return err == nil && strings.Trim(at[0], `"`) == s["Gtid_IO_Pos"], err
	})
	peer.Exec(t, p.rdb, "SET GLOBAL rpl_semi_sync_master_enabled = 0", "STOP SLAVE", "RESET SLAVE ALL")
}

// switchBack makes the old primary the primary again.
func (p *pair) switchBack(t *testing.T) {
	t.Helper()
	peer.Exec(t, p.pdb, "STOP SLAVE", "RESET SLAVE ALL")
	peer.Exec(t, p.rdb, peer.ChangeMaster(p.primary, "MASTER_USE_GTID=slave_pos", "MASTER_DEMOTE_TO_SLAVE=1"), "START SLAVE")
	awaitSemiSync(t, p.pdb, "clients", "1")
	peer.Exec(t, p.pdb, "SET GLOBAL rpl_semi_sync_master_wait_no_slave = ON")
}

// requireOnlyLost finds a row of d.t nowhere but in the files that were set aside.
func requireOnlyLost(t *testing.T, p *pair, id int) {
	t.Helper()
	for _, db := range []*sql.DB{p.pdb, p.rdb} {
		if got := peer.MustRows(t, db, fmt.Sprintf("SELECT COUNT(*) FROM d.t WHERE id = %d", id))[0]; got != `"0"` {
			t.Errorf("row %d was never acknowledged, and is there", id)
		}
	}
	kept, err := filepath.Glob(filepath.Join(p.primary.Dir, "binlog.lost-*", "binlog.0*"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("nothing was set aside (%v)", err)
	}
	for _, file := range kept {
		// The file was in use when it was set aside: what the tool says of its end does not matter.
		out, _ := exec.Command("mariadb-binlog", "--no-defaults", "--base64-output=DECODE-ROWS", "-v", file).Output()
		if strings.Contains(string(out), fmt.Sprintf("@1=%d\n", id)) {
			return
		}
	}
	t.Errorf("row %d is in none of %v", id, kept)
}

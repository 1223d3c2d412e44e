package replica

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// semiSync is a primary whose commits wait for a MariaDB that is a semi-synchronous replica.
type semiSync struct {
	t                *testing.T
	primary, replica *peer.Server
	pdb, rdb         *sql.DB
}

// forever is a time-out, in milliseconds, that no test waits for.
const forever = 3_600_000

const awaitMax = 20 * time.Second

func startSemiSync(t *testing.T) *semiSync {
	t.Helper()
	peer.RequireMariaDB(t)
	s := &semiSync{t: t}
	s.primary = peer.Start(t, peer.Options{Binlog: true, Args: []string{"--rpl-semi-sync-master-enabled=1", fmt.Sprintf("--rpl-semi-sync-master-timeout=%d", forever),
		"--rpl-semi-sync-master-wait-no-slave=OFF"}})
	s.replica = peer.StartMariaDB(t, peer.Options{ServerID: 2, Args: []string{"--rpl-semi-sync-slave-enabled=1", "--log-bin=relayed", "--log-slave-updates"}})
	s.pdb, s.rdb = s.primary.DB(""), s.replica.DB("")
	t.Cleanup(func() { _, _ = s.pdb.Close(), s.rdb.Close() })
	peer.Exec(t, s.pdb, "CREATE USER 'repl'@'127.0.0.1' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'127.0.0.1'",
		"CREATE USER 'repl'@'localhost' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'localhost'",
		"CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)")
	s.follow(s.rdb)
	s.awaitStatus("clients", "1")
	peer.Exec(t, s.pdb, "SET GLOBAL rpl_semi_sync_master_wait_no_slave = ON")
	return s
}

func (s *semiSync) follow(rdb *sql.DB) {
	s.t.Helper()
	peer.Exec(s.t, rdb, fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=%d, MASTER_USER='repl', MASTER_PASSWORD='secret', "+
		"MASTER_CONNECT_RETRY=1, MASTER_HEARTBEAT_PERIOD=1, MASTER_USE_GTID=slave_pos", s.primary.Port), "START SLAVE")
}

// status is a status variable Rpl_semi_sync_master_*.
func (s *semiSync) status(name string) string {
	s.t.Helper()
	row := peer.MustRows(s.t, s.pdb, "SHOW STATUS LIKE 'Rpl_semi_sync_master_"+name+"'")
	if len(row) != 1 {
		s.t.Fatalf("Rpl_semi_sync_master_%s: %v", name, row)
	}
	return strings.Trim(strings.Fields(row[0])[1], `"`)
}

func (s *semiSync) awaitStatus(name, want string) {
	s.t.Helper()
	peer.Await(s.t, awaitMax, "Rpl_semi_sync_master_"+name+"="+want, func() (bool, error) { return s.status(name) == want, nil })
}

// run runs a part of a test, without which the next ones have no sense.
func (s *semiSync) run(t *testing.T, name string, part func(t *testing.T)) {
	t.Helper()
	if !t.Run(name, func(t *testing.T) { s.t = t; part(t) }) {
		t.FailNow()
	}
}

// begin runs a statement in a connection of its own, and returns the channel of its end and the connection's id.
func (s *semiSync) begin(q string) (done chan error, id int) {
	s.t.Helper()
	c, err := s.pdb.Conn(context.Background())
	if err == nil {
		err = c.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&id)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	done = make(chan error, 1)
	go func() {
		_, err := c.ExecContext(context.Background(), q)
		done <- err
		_ = c.Raw(func(any) error { return driver.ErrBadConn }) // it may have been killed
		_ = c.Close()
	}()
	return done, id
}

func (s *semiSync) count(db *sql.DB, where string) string {
	s.t.Helper()
	return peer.MustRows(s.t, db, "SELECT COUNT(*) FROM d.t WHERE "+where)[0]
}

func (s *semiSync) mustEnd(done chan error) {
	s.t.Helper()
	select {
	case err := <-done:
		if err != nil {
			s.t.Fatal(err)
		}
	case <-time.After(awaitMax):
		s.t.Fatalf("the commit still waits\n%s", s.primary.LogTail(4<<10))
	}
}

// ends are what users see of where the log ends.
func (s *semiSync) ends() string {
	return fmt.Sprint(peer.MustRows(s.t, s.pdb, "SHOW MASTER STATUS"), peer.MustRows(s.t, s.pdb, "SHOW BINARY LOGS"),
		peer.MustRows(s.t, s.pdb, "SELECT @@global.gtid_binlog_pos, @@global.gtid_current_pos, @@global.gtid_binlog_state"),
		peer.MustRows(s.t, s.pdb, "SHOW STATUS LIKE 'Binlog_snapshot_position'"))
}

// TestSemiSyncPrimary: what is seen of a transaction, and by whom, before a MariaDB has acknowledged it.
func TestSemiSyncPrimary(t *testing.T) {
	s := startSemiSync(t)
	yes := s.status("yes_tx")
	peer.Exec(t, s.pdb, "INSERT INTO d.t VALUES (1)")
	if got := s.status("yes_tx"); got == yes || s.status("status") != "ON" || s.status("wait_sessions") != "0" {
		t.Errorf("yes_tx was %s and is %s; status %s", yes, got, s.status("status"))
	}
	if asked, got := s.status("request_ack"), s.status("get_ack"); asked == "0" || got == "0" {
		t.Errorf("asked for %s acknowledgements, got %s", asked, got)
	}
	other := peer.StartMariaDB(t, peer.Options{ServerID: 3})
	odb := other.DB("")
	defer odb.Close()
	s.follow(odb)
	catchUp(t, s.pdb, odb)

	s.run(t, "AFTER_SYNC", func(t *testing.T) {
		before := s.ends()
		peer.Exec(t, s.rdb, "STOP SLAVE IO_THREAD")
		s.awaitStatus("clients", "0")
		done, id := s.begin("INSERT INTO d.t VALUES (2)")
		s.awaitStatus("wait_sessions", "1")
		behind, _ := s.begin("INSERT INTO d.t VALUES (3)")
		s.awaitStatus("wait_sessions", "2") // it is in the log as well
		if n := s.count(s.pdb, "id > 1"); n != `"0"` {
			t.Errorf("another session sees %s rows that nobody has acknowledged", n)
		}
		if after := s.ends(); after != before {
			t.Errorf("the log ended at\n%s and before the acknowledgement it ends at\n%s", before, after)
		}
		state := peer.MustRows(t, s.pdb, fmt.Sprintf("SELECT state FROM information_schema.processlist WHERE id = %d", id))
		if state[0] != `"Waiting for semi-sync ACK from slave"` {
			t.Errorf("the process list shows %s", state)
		}
		// A heartbeat says that the other replica has been sent everything that it may get.
		beats := peer.MustRows(t, odb, "SHOW STATUS LIKE 'Slave_received_heartbeats'")
		peer.Await(t, awaitMax, "a heartbeat", func() (bool, error) {
			now, err := peer.Rows(odb, "SHOW STATUS LIKE 'Slave_received_heartbeats'")
			return err == nil && now[0] != beats[0], err
		})
		if n := s.count(odb, "id > 1"); n != `"0"` {
			t.Errorf("an asynchronous replica has %s rows that nobody has acknowledged", n)
		}
		select {
		case err := <-done:
			t.Fatalf("acknowledged (%v) without a replica", err)
		default:
		}
		peer.Exec(t, s.rdb, "START SLAVE IO_THREAD")
		s.mustEnd(done)
		s.mustEnd(behind)
		if n := s.count(s.pdb, "id > 1"); n != `"2"` {
			t.Errorf("%s rows", n)
		}
		catchUp(t, s.pdb, odb)
		peer.RequireEqualContent(t, s.pdb, odb)
	})
	s.run(t, "AFTER_COMMIT", func(t *testing.T) {
		peer.Exec(t, s.pdb, "SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_COMMIT")
		peer.Exec(t, s.rdb, "STOP SLAVE IO_THREAD")
		s.awaitStatus("clients", "0")
		done, _ := s.begin("INSERT INTO d.t VALUES (4)")
		s.awaitStatus("wait_sessions", "1")
		if n := s.count(s.pdb, "id = 4"); n != `"1"` {
			t.Errorf("another session sees %s rows", n)
		}
		peer.Exec(t, s.rdb, "START SLAVE IO_THREAD")
		s.mustEnd(done)
		peer.Exec(t, s.pdb, "SET GLOBAL rpl_semi_sync_master_wait_point = DEFAULT")
	})
	s.run(t, "time-out", func(t *testing.T) {
		peer.Exec(t, s.rdb, "STOP SLAVE IO_THREAD")
		s.awaitStatus("clients", "0")
		done, _ := s.begin("INSERT INTO d.t VALUES (5)")
		s.awaitStatus("wait_sessions", "1")
		peer.Exec(t, s.pdb, "SET GLOBAL rpl_semi_sync_master_timeout = 1") // counts for who waits, too
		s.mustEnd(done)
		if s.status("status") != "OFF" || s.status("no_times") != "1" || s.status("no_tx") == "0" {
			t.Errorf("status %s, no_times %s, no_tx %s", s.status("status"), s.status("no_times"), s.status("no_tx"))
		}
		peer.Exec(t, s.pdb, "INSERT INTO d.t VALUES (6)") // does not wait
		for _, line := range []string{"Timeout waiting for reply of binlog (file: ", "Semi-sync replication switched OFF."} {
			if !strings.Contains(s.primary.LogTail(1<<20), line) {
				t.Errorf("the log lacks %q:\n%s", line, s.primary.LogTail(1<<20))
			}
		}
		peer.Exec(t, s.pdb, fmt.Sprintf("SET GLOBAL rpl_semi_sync_master_timeout = %d", forever))
		peer.Exec(t, s.rdb, "START SLAVE IO_THREAD")
		s.awaitStatus("status", "ON")
		yes := s.status("yes_tx")
		peer.Exec(t, s.pdb, "INSERT INTO d.t VALUES (7)")
		if s.status("yes_tx") == yes {
			t.Error("the commit did not wait")
		}
	})
	s.run(t, "kill", func(t *testing.T) {
		peer.Exec(t, s.rdb, "STOP SLAVE IO_THREAD")
		s.awaitStatus("clients", "0")
		done, id := s.begin("INSERT INTO d.t VALUES (8)")
		s.awaitStatus("wait_sessions", "1")
		peer.Exec(t, s.pdb, fmt.Sprintf("KILL %d", id))
		if s.status("wait_sessions") != "1" || s.count(s.pdb, "id = 8") != `"0"` {
			t.Error("the killed commit does not wait any more")
		}
		select {
		case err := <-done:
			t.Errorf("the killed client has its answer (%v) before the acknowledgement", err)
		default:
		}
		peer.Exec(t, s.rdb, "START SLAVE IO_THREAD")
		<-done // with an answer or without
		peer.Await(t, awaitMax, "the row", func() (bool, error) { return s.count(s.pdb, "id = 8") == `"1"`, nil })
	})
	s.run(t, "no replica", func(t *testing.T) {
		peer.Exec(t, s.rdb, "STOP SLAVE IO_THREAD")
		s.awaitStatus("clients", "0")
		done, _ := s.begin("INSERT INTO d.t VALUES (9)")
		s.awaitStatus("wait_sessions", "1")
		peer.Exec(t, s.pdb, "SET GLOBAL rpl_semi_sync_master_wait_no_slave = OFF")
		s.mustEnd(done)
		peer.Exec(t, s.pdb, "INSERT INTO d.t VALUES (10)")
		if s.status("status") != "ON" {
			t.Error("the status is OFF")
		}
		peer.Exec(t, s.pdb, "SET GLOBAL rpl_semi_sync_master_wait_no_slave = ON")
		peer.Exec(t, s.rdb, "START SLAVE IO_THREAD")
		s.awaitStatus("clients", "1")
	})
	s.run(t, "two of them", func(t *testing.T) {
		peer.Exec(t, s.pdb, "SET GLOBAL rpl_semi_sync_master_wait_for_slave_count = 2")
		done, _ := s.begin("INSERT INTO d.t VALUES (11)")
		s.awaitStatus("wait_sessions", "1")
		peer.Exec(t, odb, "SET GLOBAL rpl_semi_sync_slave_enabled = 1", "STOP SLAVE", "START SLAVE")
		s.mustEnd(done)
		s.awaitStatus("clients", "2")
		peer.Exec(t, s.pdb, "INSERT INTO d.t VALUES (12)", "SET GLOBAL rpl_semi_sync_master_wait_for_slave_count = 1")
	})
	s.run(t, "files", func(t *testing.T) {
		peer.Exec(t, s.pdb, "FLUSH BINARY LOGS", "INSERT INTO d.t VALUES (13)", "CREATE TABLE d.u SELECT * FROM d.t")
		peer.Exec(t, s.rdb, "STOP SLAVE", "CHANGE MASTER TO MASTER_USE_GTID=no", "START SLAVE")
		s.awaitStatus("clients", "2")
		peer.Exec(t, s.pdb, "INSERT INTO d.t VALUES (14)", "RESET MASTER")
	})
	s.run(t, "shutdown", func(t *testing.T) {
		peer.Exec(t, s.rdb, "STOP SLAVE")
		peer.Exec(t, odb, "STOP SLAVE")
		s.awaitStatus("clients", "0")
		_, _ = s.begin("INSERT INTO d.t VALUES (15)")
		s.awaitStatus("wait_sessions", "1")
		s.primary.Stop()
		if line := "SEMISYNC: Forced shutdown."; !strings.Contains(s.primary.LogTail(1<<20), line) {
			t.Errorf("the log lacks %q:\n%s", line, s.primary.LogTail(1<<20))
		}
	})
}

// TestFailoverLosesNothingAcknowledged kills the primary under load, and its replica takes its place: whatever a client was told
// of is there, and whatever another session has read before the end.
func TestFailoverLosesNothingAcknowledged(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	for round := range peer.Scaled(2, 10) {
		s := startSemiSync(t)
		const writers = 4
		var load sync.WaitGroup
		told, read := make([]int, writers), 0
		for w := range writers {
			load.Go(func() {
				for n := 1; ; n++ {
					if _, err := s.pdb.Exec(fmt.Sprintf("INSERT INTO d.t VALUES (%d)", n*writers+w)); err != nil {
						return // the primary was killed
					}
					told[w] = n
				}
			})
		}
		load.Go(func() {
			for {
				var n int
				if err := s.pdb.QueryRow("SELECT COUNT(*) FROM d.t").Scan(&n); err != nil {
					return
				}
				read = n
			}
		})
		// How long the load runs is drawn; there is no condition to wait for.
		<-time.After(time.Duration(300+rnd.IntN(700)) * time.Millisecond)
		s.primary.Kill()
		load.Wait()
		// The replica applies what it has received, and is the next primary.
		peer.Await(t, awaitMax, "what was received is applied", func() (bool, error) {
			applied, err := peer.Rows(s.rdb, "SELECT @@GLOBAL.gtid_slave_pos")
			if err != nil {
				return false, err
			}
			have := position(t, applied[0])
			for domain, g := range received(t, s.rdb) {
				if have[domain].Seq < g.Seq {
					return false, nil
				}
			}
			return true, nil
		})
		peer.Exec(t, s.rdb, "STOP SLAVE")
		all := 0
		for w := range writers {
			all += told[w]
			if n := s.count(s.rdb, fmt.Sprintf("id %% %d = %d AND id DIV %d <= %d", writers, w, writers, told[w])); n != fmt.Sprintf("%q", fmt.Sprint(told[w])) {
				t.Errorf("round %d: writer %d was told of %d rows, the next primary has %s", round, w, told[w], n)
			}
		}
		var rows int
		if err := s.rdb.QueryRow("SELECT COUNT(*) FROM d.t").Scan(&rows); err != nil || rows < read {
			t.Errorf("round %d: a reader has seen %d rows, the next primary has %d (%v)", round, read, rows, err)
		}
		if all == 0 {
			t.Error("nothing was committed")
		}
		t.Logf("round %d: %d rows acknowledged, %d there", round, all, rows)
	}
}

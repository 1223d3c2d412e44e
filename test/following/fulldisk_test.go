package following

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// TestFullDisk fills the disk of the replica under load. It waits, says so in SHOW SLAVE STATUS and what to do, answers readers meanwhile, and goes on by itself
// when there is room, also when it was killed while it waited: nothing is missing, nothing there twice. (A MariaDB waits as well, but so does everybody who
// asks it for SHOW SLAVE STATUS.)
func TestFullDisk(t *testing.T) {
	p, disk := startOnSmallDisk(t, "200m")
	seed := newSeed(t)
	peer.Exec(t, p.pdb, loadTables...)
	peer.Exec(t, p.pdb, "CREATE TABLE work.fill (id INT AUTO_INCREMENT PRIMARY KEY, v LONGTEXT NOT NULL)")
	peer.CatchUp(t, p.pdb, p.rdb)
	l, rnd := startLoad(t, seed, func() string { return p.primary.DSN("") }), source(seed, -1)
	fill := func(mib int) {
		for range 4 * mib {
			if _, err := p.pdb.Exec("INSERT INTO work.fill (v) VALUES (?)", noise(rnd, 256<<10)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, meanwhile := range []func(){
		func() { disk.free(t) },
		func() {
			p.replica.Kill()
			disk.free(t)
			p.replica.Up()
		},
		func() {
			p.replica.Kill()
			// A start needs room for a checkpoint. Without, it is refused, with what to do; with, the thread waits as before.
			p.replica.Launch()
			peer.Await(t, time.Minute, "the server, or its end", func() (bool, error) {
				_, err := p.rdb.Exec("DO 1")
				return err == nil || !p.replica.Running(), err
			})
			if p.replica.Running() {
				p.requireNoRoom(t)
				p.replica.Kill()
			} else if said := p.replica.LogTail(1000); p.replica.ExitCode() != 7 || !strings.Contains(said, "Free some space and start again; nothing acknowledged is lost.") {
				t.Errorf("exit code %d: %s", p.replica.ExitCode(), said)
			}
			disk.free(t)
			p.replica.Up()
		},
	} {
		disk.fill(t, 20<<20)
		fill(32) // and the load
		p.requireNoRoom(t)
		l.await(50)
		meanwhile()
		l.await(50)
		peer.CatchUp(t, p.pdb, p.rdb)
		peer.Exec(t, p.pdb, "TRUNCATE work.fill")
		p.requireRoom(t)
	}
	l.end()
	p.requireEqual(t)
	l.requireLedger(t, p.pdb)
	for _, table := range peer.Tables(t, p.rdb) {
		peer.RequireSound(t, p.rdb, table)
	}
}

// startOnSmallDisk is startPair with a replica on a file system of its own.
func startOnSmallDisk(t *testing.T, size string) (*pair, *smallDisk) {
	t.Helper()
	peer.RequireMariaDB(t)
	disk := &smallDisk{peer.SmallDisk(t, size)}
	p := &pair{
		primary: peer.StartMariaDB(t, peer.Options{Relays: true, Args: []string{"--sync-binlog=1"}}),
		replica: peer.Start(t, peer.Options{ServerID: 2, Relays: true, Dir: disk.dir + "/data", Args: []string{"--max-binlog-size=4194304"}}),
	}
	if p.replica.Kind == peer.MariaDB {
		t.Skip("a MariaDB does not answer SHOW SLAVE STATUS while its disk is full")
	}
	p.pdb, p.rdb = p.primary.DB(""), p.replica.DB("")
	t.Cleanup(func() {
		_ = p.pdb.Close()
		_ = p.rdb.Close()
	})
	peer.AllowReplication(t, p.pdb)
	peer.Exec(t, p.rdb, peer.ChangeMaster(p.primary, "MASTER_USE_GTID=slave_pos"), "START SLAVE")
	return p, disk
}

// requireNoRoom waits until the replica says that its disk is full, and reads its tables.
func (p *pair) requireNoRoom(t *testing.T) {
	t.Helper()
	p.requireRefusal(t, refusal{io: "Yes", sql: "Yes", number: "1021", contains: []string{
		`Disk full (binlog); waiting for someone to free some space... (errno: 28 "No space left on device")`, "Free space on the disk",
	}})
	status, err := peer.SlaveStatus(p.rdb)
	if err != nil || status["Slave_SQL_Running_State"] != "Waiting for someone to free space" {
		t.Errorf("Slave_SQL_Running_State is %q, %v", status["Slave_SQL_Running_State"], err)
	}
	if _, err := peer.Rows(p.rdb, "SELECT COUNT(*) FROM work.keyed"); err != nil {
		t.Error(err)
	}
}

// requireRoom waits until everything is applied and the error is gone, and lets go of logs that are not needed any more.
func (p *pair) requireRoom(t *testing.T) {
	t.Helper()
	peer.CatchUp(t, p.pdb, p.rdb)
	status, err := peer.SlaveStatus(p.rdb)
	if err != nil || status["Last_SQL_Errno"] != "0" || status["Last_SQL_Error"] != "" {
		t.Errorf("there is room again, and the error is still there: %s %s %v", status["Last_SQL_Errno"], status["Last_SQL_Error"], err)
	}
	peer.Exec(t, p.rdb, "SET GLOBAL slave_connections_needed_for_purge=0", "FLUSH BINARY LOGS", "PURGE BINARY LOGS BEFORE NOW()")
}

// TestFullTmpdir fills the disk of the replica's tmpdir below the file of a LOAD DATA that the primary logs as a statement. The SQL thread waits, says where room is needed, and
// goes on by itself; not a row is missing or there twice. (A MariaDB's thread stops.)
func TestFullTmpdir(t *testing.T) {
	peer.RequireMariaDB(t)
	disk := &smallDisk{peer.SmallDisk(t, "8m")}
	p := &pair{
		primary: peer.StartMariaDB(t, peer.Options{Relays: true, Args: []string{"--binlog-format=STATEMENT"}}),
		replica: peer.Start(t, peer.Options{ServerID: 2, Relays: true, Env: []string{"TMPDIR=" + disk.dir}}),
	}
	if p.replica.Kind == peer.MariaDB {
		t.Skip("a MariaDB's SQL thread stops")
	}
	p.pdb, p.rdb = p.primary.DB(""), p.replica.DB("")
	t.Cleanup(func() {
		_ = p.pdb.Close()
		_ = p.rdb.Close()
	})
	peer.AllowReplication(t, p.pdb)
	peer.Exec(t, p.rdb, peer.ChangeMaster(p.primary, "MASTER_USE_GTID=slave_pos"), "START SLAVE")
	peer.Exec(t, p.pdb, "CREATE DATABASE work", "CREATE TABLE work.loaded (id INT PRIMARY KEY, v TEXT)", "CREATE TABLE work.log (n INT AUTO_INCREMENT PRIMARY KEY)")
	file := t.TempDir() + "/rows"
	var text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, "%d\t%s\n", i, strings.Repeat("x", 500))
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil { //nolint:gosec // the primary may be another user
		t.Fatal(err)
	}
	for _, meanwhile := range []func(){
		func() { disk.free(t) },
		func() {
			p.replica.Kill()
			disk.free(t)
			p.replica.Up()
		},
	} {
		peer.CatchUp(t, p.pdb, p.rdb)
		disk.fill(t, 256<<10)
		peer.Exec(t, p.pdb, "INSERT INTO work.log VALUES ()", "TRUNCATE work.loaded", fmt.Sprintf("LOAD DATA INFILE '%s' INTO TABLE work.loaded", file), "INSERT INTO work.log VALUES ()")
		p.requireRefusal(t, refusal{io: "Yes", sql: "Yes", number: "1021", contains: []string{
			"Disk full (" + disk.dir + `); waiting for someone to free some space... (errno: 28 "No space left on device")`, "Free space on the disk of tmpdir",
		}})
		status, err := peer.SlaveStatus(p.rdb)
		if err != nil || status["Slave_SQL_Running_State"] != "Waiting for someone to free space" {
			t.Errorf("Slave_SQL_Running_State is %q, %v", status["Slave_SQL_Running_State"], err)
		}
		if rows := peer.MustRows(t, p.rdb, "SELECT COUNT(*) FROM work.loaded"); rows[0] != `"0"` {
			t.Errorf("%s rows are there while the thread waits", rows)
		}
		meanwhile()
		peer.CatchUp(t, p.pdb, p.rdb)
		if status, err = peer.SlaveStatus(p.rdb); err != nil || status["Last_SQL_Errno"] != "0" || status["Last_SQL_Error"] != "" {
			t.Errorf("there is room again, and the error is still there: %s %s %v", status["Last_SQL_Errno"], status["Last_SQL_Error"], err)
		}
		p.requireEqual(t)
	}
	if left, err := os.ReadDir(disk.dir); err != nil || len(left) > 0 {
		t.Errorf("tmpdir has %v, %v", left, err)
	}
}

// TestFullDiskBelowLargeTransaction fills the disk while a transaction comes that the replica does not keep in memory: as it has to be asked for again, the SQL thread
// stops, with the same error. Nothing of the transaction is there before there is room, and START SLAVE goes on.
func TestFullDiskBelowLargeTransaction(t *testing.T) {
	p, disk := startOnSmallDisk(t, "300m")
	rnd := source(newSeed(t), 0)
	peer.Exec(t, p.pdb, "CREATE DATABASE work", "CREATE TABLE work.fill (id INT AUTO_INCREMENT PRIMARY KEY, v LONGTEXT NOT NULL)", "CREATE TABLE work.large LIKE work.fill")
	for range 80 {
		if _, err := p.pdb.Exec("INSERT INTO work.fill (v) VALUES (?)", noise(rnd, 512<<10)); err != nil {
			t.Fatal(err)
		}
	}
	peer.CatchUp(t, p.pdb, p.rdb)
	disk.fill(t, 16<<20)
	peer.Exec(t, p.pdb, "INSERT INTO work.large (v) SELECT v FROM work.fill")
	full := []string{`Disk full (binlog); waiting for someone to free some space... (errno: 28 "No space left on device")`, "START SLAVE"}
	p.requireRefusal(t, refusal{io: "Yes", sql: "No", number: "1021", contains: full})
	if rows := peer.MustRows(t, p.rdb, "SELECT id FROM work.large LIMIT 1"); len(rows) != 0 {
		t.Errorf("a part of the transaction is there: %s", rows)
	}
	peer.Exec(t, p.rdb, "START SLAVE") // there still is no room
	p.requireRefusal(t, refusal{io: "Yes", sql: "No", number: "1021", contains: full})
	disk.free(t)
	peer.Exec(t, p.rdb, "START SLAVE")
	p.requireRoom(t)
	p.requireEqual(t)
}

// smallDisk is a file system of its own.
type smallDisk struct{ dir string }

// ballast is the file that takes the room.
func (d *smallDisk) ballast() string { return d.dir + "/ballast" }

// fill leaves so many bytes.
func (d *smallDisk) fill(t *testing.T, left int64) {
	t.Helper()
	var fs syscall.Statfs_t
	if err := syscall.Statfs(d.dir, &fs); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.ballast(), make([]byte, max(int64(fs.Bavail)*fs.Bsize-left, 0)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (d *smallDisk) free(t *testing.T) {
	t.Helper()
	if err := os.Remove(d.ballast()); err != nil {
		t.Fatal(err)
	}
}

// noise is text that no engine stores in less.
func noise(rnd *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%016x", rnd.Uint64())
	}
	return b.String()[:n]
}

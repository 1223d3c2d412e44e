package badinput

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/test/peer"
)

// TestFullDisk fills a small file system. The client whose commit finds no room
// gets an error, or the server ends with a clear message; with room again,
// everything that was acknowledged is there, and nothing else but the one
// transaction whose fate was not told.
func TestFullDisk(t *testing.T) {
	dir := peer.SmallDisk(t, "96m")
	s := start(t, peer.Options{Dir: dir + "/data", Args: []string{"--max-binlog-size=16777216"}})
	db := s.DB("")
	defer db.Close()
	peer.Exec(t, db, "CREATE TABLE bad.fill (id INT PRIMARY KEY, v LONGTEXT)")
	acked := 0
	var refused error
	for refused == nil {
		if acked > 2000 {
			t.Fatal("the disk does not fill up")
		}
		// Random text, as no engine can store that in less.
		_, refused = db.Exec(fmt.Sprintf("INSERT INTO bad.fill VALUES (%d, '%s')", acked+1, noise(256<<10)))
		if refused == nil {
			acked++
		}
	}
	t.Logf("after %d rows: %v", acked, refused)
	if s.Running() {
		// A server that goes on still answers readers.
		requireAlive(t, s)
		s.Kill()
	} else if said := s.LogTail(4000); !strings.Contains(said, "no space left") || strings.Contains(said, "goroutine ") {
		t.Errorf("the server ended without a clear message:\n%s", said)
	}
	if out, err := exec.Command("mount", "-o", "remount,size=600m", dir).CombinedOutput(); err != nil {
		t.Fatalf("remount: %v %s", err, out)
	}
	s.Up()
	requireAlive(t, s)
	var n, last int
	if err := db.QueryRow("SELECT COUNT(*), COALESCE(MAX(id),0) FROM bad.fill").Scan(&n, &last); err != nil {
		t.Fatal(err)
	}
	if n != last || n < acked || n > acked+1 {
		t.Errorf("%d rows were acknowledged, %d are there, the last is %d", acked, n, last)
	}
	peer.RequireSound(t, db, "bad.fill")
	peer.Exec(t, db, "INSERT INTO bad.t VALUES (2,'goes on')")
	s.Stop()
}

// TestNoRoomForTheLog leaves the disk too little room for the next file of the log, which is made ahead of need. Whoever commits
// beyond the files that are there gets error 1021 and is rolled back; readers go on; with room again, writers do,
// too, without a restart.
func TestNoRoomForTheLog(t *testing.T) {
	dir := peer.SmallDisk(t, "128m")
	s := start(t, peer.Options{Dir: dir + "/data", Args: []string{"--max-binlog-size=1048576"}})
	db := s.DB("")
	defer db.Close()
	peer.Exec(t, db, "CREATE TABLE bad.fill (id INT PRIMARY KEY, v LONGTEXT)")
	ballast := dir + "/ballast"
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ballast, make([]byte, int64(fs.Bavail)*fs.Bsize-(6<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	acked := 0
	insert := func() error {
		_, err := db.Exec(fmt.Sprintf("INSERT INTO bad.fill VALUES (%d, '%s')", acked+1, noise(256<<10)))
		if err == nil {
			acked++
		}
		return err
	}
	var refused error
	for refused = insert(); refused == nil; refused = insert() {
		if acked > 200 {
			t.Fatal("the log does not fill up")
		}
	}
	for range 5 {
		var e *mysql.MySQLError
		if !errors.As(refused, &e) || e.Number != 1021 {
			t.Fatalf("after %d rows: %v, not error 1021", acked, refused)
		}
		refused = insert()
	}
	requireAlive(t, s)
	count := func() (n int) {
		if err := db.QueryRow("SELECT COUNT(*) FROM bad.fill").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(); n != acked {
		t.Errorf("%d rows are there, %d were acknowledged", n, acked)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	for range 12 { // over two more files
		if err := insert(); err != nil {
			t.Fatalf("there is room again, but: %v", err)
		}
	}
	s.Kill()
	s.Up()
	if n := count(); n != acked {
		t.Errorf("after a restart %d rows are there, %d were acknowledged", n, acked)
	}
	peer.RequireSound(t, db, "bad.fill")
	s.Stop()
}

// TestStartOnAFullDisk: with hardly any room left a server starts nevertheless, so that one can log in, read, and
// make room by PURGE BINARY LOGS; until then a commit that finds no room gets error 1021.
func TestStartOnAFullDisk(t *testing.T) {
	dir := peer.SmallDisk(t, "300m")
	s := start(t, peer.Options{Dir: dir + "/data", Args: []string{"--max-binlog-size=8388608"}})
	db := s.DB("")
	defer db.Close()
	peer.Exec(t, db, "CREATE TABLE bad.full (id INT PRIMARY KEY, v LONGTEXT)")
	for i := range 20 {
		peer.Exec(t, db, fmt.Sprintf("INSERT INTO bad.full VALUES (%d, '%s')", i, noise(1<<20)), "FLUSH BINARY LOGS")
	}
	s.Stop()
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/ballast", make([]byte, int64(fs.Bavail)*fs.Bsize-(200<<10)), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Up()
	requireAlive(t, s)
	_, err := db.Exec(fmt.Sprintf("INSERT INTO bad.full VALUES (100, '%s')", noise(1<<20)))
	var e *mysql.MySQLError
	if !errors.As(err, &e) || e.Number != 1021 {
		t.Errorf("a row that does not fit: %v, not error 1021", err)
	}
	var last, size string
	logs, err := db.Query("SHOW BINARY LOGS")
	if err != nil {
		t.Fatal(err)
	}
	for logs.Next() {
		if err := logs.Scan(&last, &size); err != nil {
			t.Fatal(err)
		}
	}
	if err := logs.Close(); err != nil {
		t.Fatal(err)
	}
	// What replicas may still need is kept for a while after a start, unless they are said not to exist.
	peer.Exec(t, db, "SET GLOBAL slave_connections_needed_for_purge=0")
	// The engine may just be trying to write, and have taken the last bytes for that.
	peer.Await(t, time.Minute, "PURGE BINARY LOGS", func() (bool, error) {
		_, err := db.Exec("PURGE BINARY LOGS TO '" + last + "'")
		return err == nil, err
	})
	peer.Exec(t, db, fmt.Sprintf("INSERT INTO bad.full VALUES (101, '%s')", noise(1<<20)), "FLUSH BINARY LOGS",
		fmt.Sprintf("INSERT INTO bad.full VALUES (102, '%s')", noise(1<<20)))
	s.Kill()
	s.Up()
	var n int
	if err := db.QueryRow("SELECT COUNT(*) FROM bad.full").Scan(&n); err != nil || n != 22 {
		t.Errorf("%d rows (%v), not 22", n, err)
	}
	peer.RequireSound(t, db, "bad.full")
	s.Stop()
}

func noise(n int) string {
	b := make([]byte, n)
	x := uint64(time.Now().UnixNano())
	for i := range b {
		x = x*6364136223846793005 + 1442695040888963407
		b[i] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"[x>>58]
	}
	return string(b)
}

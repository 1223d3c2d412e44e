package binlogtool

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/test/peer"
)

// TestRawCopy copies the log with mariadb-binlog --raw. In the copy every event lies where it lies in the server's file, and
// is the same, except that private records say nothing; and the tool can read it.
func TestRawCopy(t *testing.T) {
	peer.RequireMariaDB(t)
	s := peer.Start(t, peer.Options{Binlog: true})
	db := s.DB("")
	defer db.Close()
	db.SetMaxOpenConns(1) // SET SESSION is for all that follows
	peer.Exec(t, db, "CREATE DATABASE d", "CREATE TABLE d.t (v INT)", "INSERT INTO d.t VALUES (1), (2)", "SET sql_log_bin = 0",
		"CREATE TABLE d.secret (v VARCHAR(20))", "INSERT INTO d.secret VALUES ('not for replicas')", "SET sql_log_bin = 1",
		"FLUSH BINARY LOGS", "INSERT INTO d.t VALUES (3)", "FLUSH BINARY LOGS")
	dir := t.TempDir()
	files := []string{"binlog.000001", "binlog.000002"}
	tool(t, append([]string{"--raw", "--read-from-remote-server", "--host=127.0.0.1", "--port=" + strconv.Itoa(s.Port), "--user=root",
		"--result-file=" + dir + "/"}, files...)...)
	for _, name := range files {
		original, err := os.ReadFile(filepath.Join(s.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		copied, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if len(copied) != len(original) {
			t.Errorf("%s has %d bytes, its copy %d", name, len(original), len(copied))
		}
		if err := compareEvents(original, copied); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if bytes.Contains(copied, []byte("not for replicas")) {
			t.Errorf("%s: the copy tells what was written under sql_log_bin=0", name)
		}
		a, complaints := tool(t, "-vv", "--verify-binlog-checksum", filepath.Join(dir, name))
		if complaints != "" {
			t.Errorf("%s: mariadb-binlog complains: %s", name, complaints)
		}
		b, _ := tool(t, "-vv", filepath.Join(s.Dir, name))
		if essence(a) != essence(b) {
			t.Errorf("%s: the copy reads otherwise: %s", name, firstDifference(essence(b), essence(a)))
		}
	}
}

// compareEvents walks over two files of a log side by side.
func compareEvents(original, copied []byte) error {
	private := 0
	for at := 4; at < len(original); {
		size := int(binary.LittleEndian.Uint32(original[at+9:]))
		if at+size > len(copied) {
			return fmt.Errorf("the copy ends before offset %d", at+size)
		}
		a, b := original[at:at+size], copied[at:at+size]
		same := bytes.Equal(a, b)
		switch {
		case event.IsPrivate(a):
			private++
			same = bytes.Equal(a[:event.HeaderSize], b[:event.HeaderSize]) && len(bytes.Trim(b[event.HeaderSize:size-event.ChecksumSize], "\x00")) == 0
		case event.Type(a[4]) == event.FormatDescription:
			same = len(a) == len(b) // the flag "in use" goes
		}
		if !same {
			return fmt.Errorf("the events at %d differ: %x and %x", at, a, b)
		}
		at += size
	}
	if private == 0 {
		return fmt.Errorf("the file has no private records")
	}
	return nil
}

package following

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// damager is a proxy before a server that changes a byte of an event when it is asked to.
type damager struct {
	port  int
	wants atomic.Bool
}

// startDamager listens until the end of the test.
func startDamager(t *testing.T, s *peer.Server) *damager {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	d := &damager{port: l.Addr().(*net.TCPAddr).Port}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", s.Addr())
			if err != nil {
				_ = in.Close()
				continue
			}
			go func() {
				_, _ = io.Copy(out, in)
				_ = out.Close()
			}()
			go func() {
				d.packets(in, bufio.NewReader(out))
				_, _ = in.Close(), out.Close()
			}()
		}
	}()
	return d
}

// packets copies what the server sends. An event has 19 bytes of header behind the packet's OK, and the checksum at its end.
func (d *damager) packets(to io.Writer, from io.Reader) {
	var header [4]byte
	for {
		if _, err := io.ReadFull(from, header[:]); err != nil {
			return
		}
		size := binary.LittleEndian.Uint32(header[:]) & 0xffffff
		body := make([]byte, size)
		if _, err := io.ReadFull(from, body); err != nil {
			return
		}
		const gtid, rows = 162, 23 // GTID_EVENT, WRITE_ROWS_EVENT_V1
		if size > 30 && body[0] == 0 && (body[5] == gtid || body[5] == rows) && d.wants.CompareAndSwap(true, false) {
			body[size-6] ^= 0x10
		}
		if _, err := to.Write(append(header[:], body...)); err != nil {
			return
		}
	}
}

// TestDamagedEvents: an event that was changed on its way stops the IO thread. Nothing of its group is applied, and START SLAVE goes on with it.
func TestDamagedEvents(t *testing.T) {
	p, seed := startApart(t), newSeed(t)
	peer.AllowReplication(t, p.pdb)
	d := startDamager(t, p.primary)
	peer.Exec(t, p.rdb, peer.ChangeMaster(p.primary, fmt.Sprintf("MASTER_PORT=%d", d.port)), "START SLAVE")
	peer.Exec(t, p.pdb, loadTables...)
	l := startLoad(t, seed, func() string { return p.primary.DSN("") })
	for range 5 {
		l.await(100)
		d.wants.Store(true)
		peer.Await(t, time.Minute, "the IO thread to stop", func() (bool, error) {
			s, err := peer.SlaveStatus(p.rdb)
			if err != nil {
				return false, err
			}
			return s["Slave_IO_Running"] == "No" && s["Slave_SQL_Running"] == "Yes" && (s["Last_IO_Errno"] == "1595" || s["Last_IO_Errno"] == "1743"),
				fmt.Errorf("IO %s, error %s %s; SQL %s %s", s["Slave_IO_Running"], s["Last_IO_Errno"], s["Last_IO_Error"], s["Slave_SQL_Running"], s["Last_SQL_Error"])
		})
		peer.Exec(t, p.rdb, "START SLAVE")
	}
	l.end()
	p.requireEqual(t)
	l.requireLedger(t, p.rdb)
}

// TestStoppedUnderLoad stops and starts the threads, together and one by one, while groups come.
func TestStoppedUnderLoad(t *testing.T) {
	p, seed := startPair(t), newSeed(t)
	rnd := source(seed, -1)
	peer.Exec(t, p.pdb, loadTables...)
	l := startLoad(t, seed, func() string { return p.primary.DSN("") })
	for range peer.Scaled(15, 200) {
		l.await(1 + rnd.Int64N(50))
		which := []string{"", " SQL_THREAD", " IO_THREAD"}[rnd.IntN(3)]
		peer.Exec(t, p.rdb, "STOP SLAVE"+which)
		l.await(1 + rnd.Int64N(20))
		peer.Exec(t, p.rdb, "START SLAVE"+which)
	}
	l.end()
	p.requireEqual(t)
	l.requireLedger(t, p.rdb)
}

// TestUntil ends both threads behind a GTID.
func TestUntil(t *testing.T) {
	p := startPair(t)
	peer.Exec(t, p.pdb, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)")
	p.requireEqual(t)
	peer.Exec(t, p.rdb, "STOP SLAVE")
	peer.Exec(t, p.pdb, "INSERT INTO d.t VALUES (1)", "INSERT INTO d.t VALUES (2)")
	until := peer.BinlogPosition(t, p.pdb)
	peer.Exec(t, p.pdb, "INSERT INTO d.t VALUES (3)")
	peer.Exec(t, p.rdb, fmt.Sprintf("START SLAVE UNTIL master_gtid_pos='%s'", until))
	p.requireRefusal(t, refusal{io: "No", sql: "No", number: "0"})
	if rows := peer.MustRows(t, p.rdb, "SELECT COUNT(*), @@GLOBAL.gtid_slave_pos FROM d.t"); rows[0] != fmt.Sprintf(`"2" "%s"`, until) {
		t.Errorf("after UNTIL %s the replica has rows and position %s", until, rows[0])
	}
	peer.Exec(t, p.rdb, "START SLAVE")
	p.requireEqual(t)
}

// TestSkipped leaves out what the replica cannot apply, by sql_slave_skip_counter and by slave_exec_mode.
func TestSkipped(t *testing.T) {
	p := startPair(t)
	peer.Exec(t, p.pdb, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, v INT, UNIQUE KEY v (v))", "INSERT INTO d.t VALUES (1, 1), (2, 2)")
	peer.CatchUp(t, p.pdb, p.rdb)
	p.silently(t, "INSERT INTO d.t VALUES (3, 3)")
	peer.Exec(t, p.pdb, "INSERT INTO d.t VALUES (3, 30)")
	p.requireRefusal(t, refusal{io: "Yes", sql: "No", number: "1062", contains: []string{"Duplicate entry '3' for key 'PRIMARY'"}})
	// MariaDB takes the counter back by position only with both threads stopped.
	peer.Exec(t, p.rdb, "STOP SLAVE", "SET GLOBAL sql_slave_skip_counter = 1", "START SLAVE")
	peer.Exec(t, p.pdb, "INSERT INTO d.t VALUES (4, 4)")
	peer.CatchUp(t, p.pdb, p.rdb)
	requireRows(t, p, "SELECT * FROM d.t ORDER BY id", `"1" "1"`, `"2" "2"`, `"3" "3"`, `"4" "4"`)

	peer.Exec(t, p.rdb, "STOP SLAVE", "SET GLOBAL slave_exec_mode = IDEMPOTENT", "START SLAVE")
	p.silently(t, "DELETE FROM d.t WHERE id = 1")
	p.silently(t, "INSERT INTO d.t VALUES (5, 50)")
	peer.Exec(t, p.pdb, "UPDATE d.t SET v = 10 WHERE id = 1", "DELETE FROM d.t WHERE id = 1", "INSERT INTO d.t VALUES (5, 5), (6, 50)", "UPDATE d.t SET v = 31 WHERE id = 3")
	p.requireEqual(t)
	peer.Exec(t, p.rdb, "SET GLOBAL slave_exec_mode = STRICT")
}

func requireRows(t *testing.T, p *pair, query string, want ...string) {
	t.Helper()
	if got := peer.MustRows(t, p.rdb, query); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n%s\nwant\n%s", query, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

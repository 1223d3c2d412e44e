package follow

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/test/peer"
)

// TestBehindMySQL: a Duramen follows a MySQL that sends everything each time that it is asked, and is killed in between: nothing is executed twice, though it goes on
// by the set once and by file and position once. Its log has what the MySQL calls the transactions, and a MariaDB behind it and mariadb-binlog read that log.
func TestBehindMySQL(t *testing.T) {
	peer.RequireMariaDB(t)
	m := &mysqlServer{mode: "ON", log: begun(mysqlVersion, 0)}
	statement := func(schema, sql string) {
		m.log.mysqlGTID(event.MySQLGTID)
		m.log.event(event.AppendQuery(nil, meta, event.Query{Schema: schema, SQL: sql, Charset: [3]uint16{45, 45, 45}}))
	}
	statement("", "CREATE DATABASE d")
	statement("d", "CREATE TABLE t (a INT PRIMARY KEY, b LONGBLOB)")
	inner := &script{}
	inner.query("BEGIN")
	inner.rows(7)
	inner.event(event.AppendXID(nil, meta, 1))
	m.log.mysqlGTID(event.MySQLGTID)
	m.log.payload(inner, 0)
	o := m.start(t)

	s := peer.Start(t, peer.Options{Kind: peer.Duramen, ServerID: 2})
	const all = "07000000-0000-0000-0000-000000000000:1-3"
	settled := func(asked int) {
		t.Helper()
		db := s.DB("")
		defer db.Close()
		peer.Await(t, atMost, "the transactions of the MySQL", func() (bool, error) {
			status, err := peer.SlaveStatus(db)
			if err != nil || status["Last_SQL_Errno"] != "0" || status["Last_IO_Errno"] != "0" {
				return false, fmt.Errorf("%v, %w", status, err)
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			return len(m.asked) == asked && status["Exec_Master_Log_Pos"] == fmt.Sprint(m.log.pos), fmt.Errorf("%q, %v", m.asked, status)
		})
		if got := peer.MustRows(t, db, "SELECT @@GLOBAL.gtid_executed, (SELECT GROUP_CONCAT(a, HEX(b)) FROM d.t), @@GLOBAL.gtid_binlog_pos"); got[0] != `"`+all+`" "1`+strings.Repeat("00", 7)+`" "0-3-3"` {
			t.Fatalf("got %s", got)
		}
	}
	db := s.DB("")
	peer.Exec(t, db, fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=%d, MASTER_USER='repl', MASTER_PASSWORD='secret'", o.Settings.Port), "START SLAVE")
	settled(1)
	_ = db.Close()
	s.Kill()
	s.Restart()
	settled(2)
	db = s.DB("")
	defer db.Close()
	peer.Exec(t, db, "STOP SLAVE", "CHANGE MASTER TO MASTER_LOG_FILE='log.000001', MASTER_LOG_POS=4", "START SLAVE")
	settled(3)
	peer.Exec(t, db, "STOP SLAVE")
	m.mu.Lock()
	asked := fmt.Sprintf("%q", m.asked)
	m.mu.Unlock()
	if got, want := asked, fmt.Sprintf("%q", []string{"set ", "set " + all, "place (log.000001, 4)"}); got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}

	peer.AllowReplication(t, db)
	r := peer.StartMariaDB(t, peer.Options{ServerID: 9})
	rdb := r.DB("")
	defer rdb.Close()
	peer.Exec(t, rdb, peer.ChangeMaster(s, "MASTER_USE_GTID=slave_pos"), "START SLAVE")
	peer.CatchUp(t, db, rdb)
	const rows = "SELECT a, HEX(b) FROM d.t"
	if ours, theirs := fmt.Sprint(peer.MustRows(t, db, rows)), fmt.Sprint(peer.MustRows(t, rdb, rows)); ours != theirs {
		t.Errorf("the MariaDB has %s, we have %s", theirs, ours)
	}
	peer.Exec(t, db, "FLUSH BINARY LOGS")
	files, err := filepath.Glob(filepath.Join(s.Dir, "binlog.0*[0-9]"))
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	var failed bytes.Buffer
	tool := exec.Command("mariadb-binlog", append([]string{"--no-defaults", "--verify-binlog-checksum"}, files[:len(files)-1]...)...)
	tool.Stderr = &failed
	out, err := tool.Output()
	if text := string(out); err != nil || failed.Len() > 0 || !strings.Contains(text, "GTID 0-3-3") || !strings.Contains(text, "CREATE TABLE t (a INT PRIMARY KEY, b LONGBLOB)") {
		t.Errorf("mariadb-binlog: %v %s\n%s", err, &failed, text)
	}
}

package replica

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"

	"github.com/duramendb/duramen/test/peer"
)

// TestSemiSyncReplica: a replica with rpl_semi_sync_slave_enabled follows a primary that has semi-synchronous
// replication switched off, by GTID and by position, and with table maps of each size.
func TestSemiSyncReplica(t *testing.T) {
	peer.RequireMariaDB(t)
	primary := peer.Start(t, peer.Options{Binlog: true})
	pdb := primary.DB("")
	defer pdb.Close()
	peer.Exec(t, pdb, "CREATE USER 'repl'@'127.0.0.1' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'127.0.0.1'",
		"CREATE USER 'repl'@'localhost' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'localhost'", "CREATE DATABASE d")
	replica := peer.StartMariaDB(t, peer.Options{ServerID: 2, Args: []string{"--rpl-semi-sync-slave-enabled=1", "--log-bin=relayed", "--log-slave-updates"}})
	rdb := replica.DB("")
	defer rdb.Close()
	peer.Exec(t, rdb, fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=%d, MASTER_USER='repl', MASTER_PASSWORD='secret', MASTER_CONNECT_RETRY=1, MASTER_HEARTBEAT_PERIOD=1, MASTER_USE_GTID=slave_pos", primary.Port),
		"START SLAVE")
	for i, metadata := range []string{"NO_LOG", "MINIMAL", "FULL"} {
		peer.Exec(t, pdb, "SET GLOBAL binlog_row_metadata = "+metadata)
		// The setting counts for transactions that begin after it.
		fresh := primary.DB("")
		peer.Exec(t, fresh, fmt.Sprintf("CREATE TABLE d.t%d (id INT UNSIGNED PRIMARY KEY, e ENUM('a','b') CHARACTER SET latin1, s SET('x','y'), v VARCHAR(300), g POINT, y YEAR, KEY (v(7)))", i),
			fmt.Sprintf("INSERT INTO d.t%d VALUES (1, 'b', 'x,y', 'v', ST_GeomFromText('POINT(1 2)'), 2026), (2, NULL, NULL, NULL, NULL, NULL)", i),
			fmt.Sprintf("UPDATE d.t%d SET v = 'w' WHERE id = 1", i))
		_ = fresh.Close()
	}
	catchUp(t, pdb, rdb)
	peer.RequireEqualContent(t, pdb, rdb)
	primary.Kill() // the log is what the tables are recovered from, whatever its table maps hold
	primary.Up()
	peer.RequireEqualContent(t, rdb, pdb)
	if got := peer.MustRows(t, rdb, "SHOW STATUS LIKE 'Rpl_semi_sync_slave_status'"); got[0] != `"Rpl_semi_sync_slave_status" "ON"` {
		t.Errorf("the replica is not semi-synchronous: %v", got)
	}
	file, pos := masterStatus(t, pdb)
	peer.Exec(t, rdb, "STOP SLAVE", fmt.Sprintf("CHANGE MASTER TO MASTER_USE_GTID=no, MASTER_LOG_FILE='%s', MASTER_LOG_POS=%d", file, pos), "START SLAVE")
	peer.Exec(t, pdb, "CREATE TABLE d.u (id INT)", "INSERT INTO d.u VALUES (1), (2)", "SET sql_log_bin = 1", "FLUSH BINARY LOGS", "INSERT INTO d.u VALUES (3)")
	catchUp(t, pdb, rdb)
	peer.RequireEqualContent(t, pdb, rdb)
}

func masterStatus(t *testing.T, db *sql.DB) (file string, pos int) {
	t.Helper()
	for _, q := range []string{"SHOW MASTER STATUS", "SHOW BINLOG STATUS"} {
		row := peer.MustRows(t, db, q)
		if _, err := fmt.Sscanf(row[0], "%q \"%d\"", &file, &pos); err != nil {
			t.Fatalf("%s gave %v: %v", q, row, err)
		}
	}
	return file, pos
}

// TestSemiSyncBytes compares what stands before the events that a dump begins with, with MariaDB, whose semi-synchronous
// replication is switched off too. The file's name ends with a NUL, as some clients send it.
func TestSemiSyncBytes(t *testing.T) {
	peer.RequireMariaDB(t)
	duramen, mariadb := peer.Start(t, peer.Options{Binlog: true}), peer.StartMariaDB(t, peer.Options{Binlog: true})
	for _, set := range []string{"1", "0", "NULL"} {
		ours, theirs := firstEvents(t, duramen, set), firstEvents(t, mariadb, set)
		if !bytes.Equal(ours, theirs) {
			t.Errorf("@rpl_semi_sync_slave=%s: %x, MariaDB's: %x", set, ours, theirs)
		}
	}
}

// firstEvents gives what stands before the first two events of a dump, and their types.
func firstEvents(t *testing.T, s *peer.Server, semiSync string) (out []byte) {
	t.Helper()
	c, err := client.Connect(s.Addr(), "root", "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	logs, err := c.Execute("SHOW BINARY LOGS")
	if err != nil {
		t.Fatal(err)
	}
	name, _ := logs.GetString(0, 0)
	for _, q := range []string{"SET @master_binlog_checksum = @@global.binlog_checksum", "SET @mariadb_slave_capability = 4", "SET @rpl_semi_sync_slave = " + semiSync} {
		if _, err := c.Execute(q); err != nil {
			t.Fatal(err)
		}
	}
	dump := append(make([]byte, 4), mysql.COM_BINLOG_DUMP)
	dump = binary.LittleEndian.AppendUint32(dump, 4)
	dump = binary.LittleEndian.AppendUint16(dump, 0)
	dump = binary.LittleEndian.AppendUint32(dump, 77)
	dump = append(append(dump, name...), 0, 'x')
	c.ResetSequence()
	if err := c.WritePacket(dump); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		p, err := c.ReadPacket()
		if err != nil {
			t.Fatal(err)
		}
		if p[0] != 0 {
			t.Fatalf("%s answers with %q", s.Kind, p)
		}
		// The event's header is 19 bytes long, the type being the fifth, the length the next four but four.
		before := 1
		for ; before < 4; before++ {
			if int(binary.LittleEndian.Uint32(p[before+9:])) == len(p)-before {
				break
			}
		}
		out = append(append(out, p[:before]...), p[before+4])
	}
	return out
}

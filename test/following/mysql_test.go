package following

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// TestBehindRealMySQL follows a real MySQL with its default collation from the start of its log, with a MariaDB behind. Each of what only a MySQL 8 logs is applied as there, or stops
// the SQL thread with an error that says why; then it is left out.
func TestBehindRealMySQL(t *testing.T) {
	m := peer.StartMySQL(t, peer.Options{Args: []string{"--gtid-mode=ON", "--enforce-gtid-consistency=ON"}})
	mdb := m.DB("")
	defer mdb.Close()
	s := peer.Start(t, peer.Options{Kind: peer.Duramen, ServerID: 2})
	db := s.DB("")
	defer db.Close()
	peer.AllowReplication(t, mdb)
	peer.AllowReplication(t, db)
	r := peer.StartMariaDB(t, peer.Options{ServerID: 9})
	rdb := r.DB("")
	defer rdb.Close()
	peer.Exec(t, db, "SET GLOBAL gtid_purged='"+peer.ExecutedByMySQL(t, mdb)+"'", peer.ChangeMaster(m), "START SLAVE")
	peer.Exec(t, rdb, "SET GLOBAL gtid_slave_pos='"+peer.BinlogPosition(t, db)+"'", peer.ChangeMaster(s, "MASTER_USE_GTID=slave_pos"), "START SLAVE")

	conn, err := mdb.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	type statements struct {
		run  string
		stop string // part of the error; "" for none
	}
	accounts := []statements{
		{"CREATE USER u@'%' IDENTIFIED BY 'it''s'; GRANT SELECT ON d.* TO u@'%'; ALTER USER u@'%' IDENTIFIED BY 'other'", ""},
		{"GRANT BACKUP_ADMIN ON *.* TO u@'%'", "syntax"},
	}
	follow := func(c statements) {
		t.Helper()
		for q := range strings.SplitSeq(c.run, "; ") {
			if _, err := conn.ExecContext(context.Background(), q); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
		}
		want := peer.ExecutedByMySQL(t, mdb)
		peer.Await(t, time.Minute, c.run, func() (bool, error) {
			at := peer.MustRows(t, db, "SELECT @@GLOBAL.gtid_executed")[0]
			err := peer.Stopped(db)
			if c.stop == "" && err != nil || c.stop != "" && (strings.Contains(at, want) || err != nil && !strings.Contains(err.Error(), c.stop)) {
				t.Fatalf("%s: %s, %v", c.run, at, err)
			}
			return err != nil || at == `"`+want+`"`, fmt.Errorf("it has %s, its primary %s", at, want)
		})
		if c.stop != "" {
			peer.Exec(t, db, "STOP SLAVE", "SET GLOBAL gtid_purged='"+want+"'", "START SLAVE")
		}
	}
	for _, c := range []statements{
		{"SET NAMES utf8mb4 COLLATE utf8mb4_0900_ai_ci; CREATE DATABASE d COLLATE utf8mb4_unicode_ci; CREATE TABLE d.t (id INT PRIMARY KEY, v VARCHAR(9) DEFAULT 'x', n INT); INSERT INTO d.t (id) VALUES (1)", ""},
		{"ALTER TABLE d.t ADD COLUMN w CHAR(3), ALGORITHM=INSTANT; CREATE INDEX v ON d.t (v); UPDATE d.t SET w = 'ä'", ""},
		{"CREATE TABLE d.bare (v VARCHAR(9) CHARACTER SET utf8mb4)", "means utf8mb4_0900_ai_ci on the primary"},
		{"CREATE DATABASE bare CHARACTER SET utf8mb4", "means utf8mb4_0900_ai_ci on the primary"},
		{"CREATE DATABASE bare2", "Character set '#255'"},
		{"CREATE VIEW d.v AS SELECT 'a'", "Character set '#255'"},
		{"CREATE TABLE d.checked (v VARCHAR(9) CHECK (v > 'a'))", "Character set '#255'"},
		{"CREATE TABLE d.collated (v VARCHAR(9) COLLATE utf8mb4_0900_as_cs)", "Unknown collation: 'utf8mb4_0900_as_cs'"},
		{"CREATE TABLE d.selected SELECT id, n FROM d.t", ""},
		{"CREATE TABLE d.hidden (id INT PRIMARY KEY, a INT INVISIBLE)", "INVISIBLE"},
		{"CREATE TABLE d.commented (id INT PRIMARY KEY, a INT /*!80023 INVISIBLE */, KEY (a) /*!80000 INVISIBLE */)", ""}, // comments of MySQL 8 say nothing to a MariaDB,
		{"CREATE TABLE d.functional (a INT, KEY ((a + 1)))", "syntax"},
		{"CREATE TABLE d.vectors (id INT PRIMARY KEY, v vector(3))", "Unknown data type: 'vector'"},
		{"CREATE TABLE d.j (id INT PRIMARY KEY, j JSON)", ""},
		{`INSERT INTO d.j VALUES (1, '{"a": [1, 2], "b": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}')`, "cannot be converted from type 'json'"},
		{"SET SESSION binlog_row_value_options = PARTIAL_JSON; UPDATE d.j SET j = JSON_SET(j, '$.a', 5); SET SESSION binlog_row_value_options = ''", "parts of JSON documents"},
		{"XA START 'x'; INSERT INTO d.t (id) VALUES (2); XA END 'x'; XA COMMIT 'x' ONE PHASE", ""},
		{"SET SESSION binlog_transaction_compression = ON; INSERT INTO d.t (id, n) VALUES (3, 1), (4, 2); UPDATE d.t SET n = 7; SET SESSION binlog_transaction_compression = OFF", ""},
		{"SET SESSION binlog_format = STATEMENT; INSERT INTO d.t (id) VALUES (5); SET SESSION binlog_format = ROW; DELETE FROM d.t WHERE id = 5", "Character set '#255'"},
		{"CREATE TABLE d.after (id INT PRIMARY KEY)", ""},
	} {
		follow(c)
	}
	for _, table := range []string{"d.t", "d.selected", "d.after"} {
		peer.CatchUp(t, db, rdb)
		if ours, theirs, last := peer.Dump(t, db, table), peer.Dump(t, mdb, table), peer.Dump(t, rdb, table); fmt.Sprint(ours) != fmt.Sprint(last) || fmt.Sprint(ours) != fmt.Sprint(theirs) {
			t.Errorf("%s: the MySQL has %v, we have %v, the MariaDB %v", table, theirs, ours, last)
		}
	}
	for _, c := range accounts { // which a MariaDB does not have: it knows no caching_sha2_password
		follow(c)
	}
}

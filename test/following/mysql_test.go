package following

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/duramendb/duramen/query/types/charset"
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
		{"CREATE TABLE d.bare (v VARCHAR(9) CHARACTER SET utf8mb4 PRIMARY KEY); INSERT INTO d.bare VALUES ('a'), ('a '), ('ü '), ('b'); UPDATE d.bare SET v = 'A' WHERE v = 'a'", ""},
		{"CREATE DATABASE bare CHARACTER SET utf8mb4; CREATE TABLE bare.t (v CHAR(9) UNIQUE, w TEXT COLLATE utf8mb4_0900_as_cs, x VARCHAR(9) COLLATE utf8mb4_0900_bin)", ""},
		{"INSERT INTO bare.t VALUES ('ß', 'ß', 'x '), ('T', 'é', 'x'); UPDATE bare.t SET x = 'y' WHERE w = 'é'; DELETE FROM bare.t WHERE v = 'SS'", ""},
		{"CREATE DATABASE bare2; CREATE TABLE bare2.t (v VARCHAR(9) COLLATE utf8mb4_de_pb_0900_ai_ci PRIMARY KEY, w ENUM('ä', 'b')); INSERT INTO bare2.t VALUES ('ä', 'ä'), ('o', 'b')", ""},
		{"CREATE VIEW d.compared AS SELECT v, 'a' COLLATE utf8mb4_0900_as_ci = 'A' AS c FROM d.bare WHERE v > 'a'", "this statement with collation utf8mb4_uca1400_nopad_as_ci"}, // the fallback does not have it
		{"CREATE VIEW d.v AS SELECT v FROM d.bare WHERE v > 'a'", ""},
		{"CREATE TABLE d.checked (v VARCHAR(9) CHECK (v > 'a')); INSERT INTO d.checked VALUES ('b')", ""},
		{"CREATE TABLE bare.checked (v VARCHAR(9) CHECK (v > 'a'))", "CHECK in a table with a column of collation utf8mb4_uca1400_nopad_ai_ci"},
		{"CREATE FUNCTION d.f(v VARCHAR(9) CHARSET utf8mb4) RETURNS INT DETERMINISTIC RETURN v = 'É'", "doesn't yet support 'CREATE DEFINER"},
		{"CREATE VIEW d.converted AS SELECT CONVERT(v USING utf8mb4) AS v FROM d.t", "means utf8mb4_0900_ai_ci on the primary"},
		{"CREATE TABLE d.chinese (v VARCHAR(9) COLLATE utf8mb4_zh_0900_as_cs)", "Unknown collation: 'utf8mb4_zh_0900_as_cs'"},
		{"CREATE TABLE d.selected SELECT id, n FROM d.t", ""},
		{"CREATE TABLE d.hidden (id INT PRIMARY KEY, a INT INVISIBLE)", "INVISIBLE"},
		{"CREATE TABLE d.commented (id INT PRIMARY KEY, a INT /*!80023 INVISIBLE */, KEY (a) /*!80000 INVISIBLE */)", ""}, // comments of MySQL 8 say nothing to a MariaDB,
		{"CREATE TABLE d.functional (a INT, KEY ((a + 1)))", "syntax"},
		{"CREATE TABLE d.vectors (id INT PRIMARY KEY, v vector(3))", "Unknown data type: 'vector'"},
		{"CREATE TABLE d.j (id INT PRIMARY KEY, j JSON)", ""},
		{`INSERT INTO d.j VALUES (1, '{"a": [1, 2], "b": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}'), (2, NULL), (3, 'null'), (4, '"\\u0001\\n\\"\\\\/\\u00e4😀"'), (5, '[]'), (6, '{}')`, ""},
		{`INSERT INTO d.j VALUES (10, '[0, -1, 1, 32767, -32768, 65535, 65536, -32769, 2147483647, -2147483648, 4294967295, 4294967296, 9223372036854775807, -9223372036854775808, 18446744073709551615, 18446744073709551616]')`, ""},
		{`INSERT INTO d.j VALUES (11, '[0.0, -0.0, 1.0, 1.5, 100000, 1e2, 1e14, 1e15, 1e16, 123456789012345.0, 1234567890123456.0, 12345678901234567.0, 0.1, 1e-5, 1e-13, 1e-14, 1e-15, 1.25e-16, 1e-20, 1.7976931348623157e308, 5e-324, -1.5e100]')`, ""},
		{`INSERT INTO d.j VALUES (12, JSON_ARRAY(CAST(12.30 AS DECIMAL(9,2)), CAST(-1 AS DECIMAL(20)), CAST(0.001 AS DECIMAL(5,3)), DATE'2020-02-29', TIMESTAMP'2020-02-29 23:59:58.123456', TIME'-123:04:05.000006', TIME'10:11:12', ` +
			`b'10101', x'00ff41', CAST('2020' AS YEAR), NOW(3), true, false, NULL))`, ""},
		{`INSERT INTO d.j VALUES (13, JSON_OBJECT('big', REPEAT('ü', 40000), 'n', 7, 'm', 70000, '', JSON_ARRAY(JSON_OBJECT('x', 1), REPEAT('y', 200)))), (14, JSON_ARRAY(REPEAT('z', 70000), 70000, -5, 1.5, true))`, ""},
		{`UPDATE d.j SET j = JSON_SET(j, '$.a[1]', JSON_OBJECT('new', 3)) WHERE id = 1; UPDATE d.j SET j = JSON_REMOVE(j, '$.big') WHERE id = 13; DELETE FROM d.j WHERE id = 5`, ""},
		{`CREATE TABLE d.keyless (j JSON, n INT); INSERT INTO d.keyless VALUES ('{"b": 1, "a": [true]}', 1), ('[1e15]', 2); UPDATE d.keyless SET n = 3 WHERE n = 1; DELETE FROM d.keyless WHERE n = 2`, ""},
		{`CREATE TABLE d.parts (j JSON); INSERT INTO d.parts VALUES ('{"a": [1, 2], "b": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}')`, ""},
		{"SET SESSION binlog_row_value_options = PARTIAL_JSON; UPDATE d.parts SET j = JSON_SET(j, '$.a', 5); SET SESSION binlog_row_value_options = ''", "parts of JSON documents"},
		{"XA START 'x'; INSERT INTO d.t (id) VALUES (2); XA END 'x'; XA COMMIT 'x' ONE PHASE", ""},
		{"SET SESSION binlog_transaction_compression = ON; INSERT INTO d.t (id, n) VALUES (3, 1), (4, 2); UPDATE d.t SET n = 7; SET SESSION binlog_transaction_compression = OFF", ""},
		{"SET SESSION binlog_format = STATEMENT; INSERT INTO d.t (id) VALUES (5); SET @v = 'É'; INSERT INTO d.bare VALUES (@v); UPDATE d.bare SET v = 'z' WHERE v = 'E'; SET SESSION binlog_format = ROW; DELETE FROM d.t WHERE id = 5", ""},
		{"CREATE TABLE d.after (id INT PRIMARY KEY)", ""},
	} {
		follow(c)
	}
	for _, table := range []string{"d.t", "d.selected", "d.after", "d.bare", "bare.t", "bare2.t", "d.checked", "d.j", "d.keyless"} {
		peer.CatchUp(t, db, rdb)
		ours, theirs, last := peer.Dump(t, db, table), peer.Dump(t, mdb, table), peer.Dump(t, rdb, table)
		if len(ours) != len(theirs) || len(last) != len(theirs) {
			t.Errorf("%s: the MySQL has %d rows, we have %d, the MariaDB %d", table, len(theirs), len(ours), len(last))
			continue
		}
		for i := range theirs {
			if ours[i] != theirs[i] || last[i] != theirs[i] {
				t.Errorf("%s: the MySQL has %.1500s, we have %.1500s, the MariaDB %.1500s", table, theirs[i], ours[i], last[i])
			}
		}
	}
	for _, q := range []string{
		"SELECT v FROM d.bare ORDER BY v", "SELECT v FROM d.bare WHERE v = 'B'", "SELECT w FROM bare.t WHERE w = 'E'", "SELECT HEX(x) FROM bare.t ORDER BY x",
		"SELECT v FROM bare2.t WHERE v = 'AE'", "SELECT w FROM bare2.t WHERE w = 'Ä'",
	} {
		if ours, theirs, last := peer.MustRows(t, db, q), peer.MustRows(t, mdb, q), peer.MustRows(t, rdb, q); fmt.Sprint(ours) != fmt.Sprint(last) || fmt.Sprint(ours) != fmt.Sprint(theirs) {
			t.Errorf("%s: the MySQL has %v, we have %v, the MariaDB %v", q, theirs, ours, last)
		}
	}
	for _, c := range accounts { // which a MariaDB does not have: it knows no caching_sha2_password
		follow(c)
	}
}

// TestCollationsOfMySQL compares the numbers and names of collations with a real MySQL's.
func TestCollationsOfMySQL(t *testing.T) {
	m := peer.StartMySQL(t, peer.Options{})
	db := m.DB("")
	defer db.Close()
	var without []string
	known := 0
	for _, row := range peer.MustRows(t, db, "SELECT ID, COLLATION_NAME FROM information_schema.COLLATIONS WHERE COLLATION_NAME LIKE '%\\_0900\\_%' ORDER BY 2") {
		var id uint16
		var name string
		if _, err := fmt.Sscanf(row, `"%d" %q`, &id, &name); err != nil {
			t.Fatalf("%s: %v", row, err)
		}
		byID, ok := charset.OfMySQLID(id)
		byName, okName := charset.OfMySQLName(name)
		if ok != okName || byID != byName {
			t.Errorf("%s is %v by its number %d, and %v by its name", name, byID, id, byName)
		}
		if !ok {
			without = append(without, strings.TrimPrefix(name, "utf8mb4_"))
			continue
		}
		known++
		if want := strings.Contains(name, "_ai_"); want != strings.Contains(byID.Name(), "_ai_") {
			t.Errorf("%s is not %s", name, byID.Name())
		}
	}
	t.Logf("%d have a counterpart, not %v", known, without)
	const counterparts = 44 // as MariaDB 11.4.5 has them: twenty languages twice, and the root's four
	if known != counterparts {
		t.Errorf("%d have a counterpart, not %d", known, counterparts)
	}
}

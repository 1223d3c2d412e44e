package binlogtool

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// timestampScript runs on one connection. Where it lets the clock run, the time is "now" in what is compared.
var timestampScript = []string{
	"CREATE DATABASE d", "USE d",
	"CREATE TABLE t (a INT PRIMARY KEY, b TIMESTAMP(6) DEFAULT NOW(6))",
	"SET TIMESTAMP=1000000000.5", "CREATE TABLE u (a INT)", "INSERT INTO t (a) VALUES (1)",
	// Each statement has its own time, and GTID and XID have COMMIT's.
	"BEGIN", "INSERT INTO t (a) VALUES (2)", "SET TIMESTAMP=1000000100", "INSERT INTO t (a) VALUES (3)",
	"SET TIMESTAMP=1000000200.3", "COMMIT",
	"SET TIMESTAMP=1000000300", "CREATE TABLE v AS SELECT NOW(6) AS n", "DROP TABLE u",
	"BEGIN", "INSERT INTO t (a) VALUES (4)", "SET TIMESTAMP=DEFAULT", "COMMIT",
	"SET TIMESTAMP=1000000400", "BEGIN", "INSERT INTO t (a) VALUES (5)", "ROLLBACK",
	// A definition commits what is open, at its own time.
	"BEGIN", "INSERT INTO t (a) VALUES (6)", "SET TIMESTAMP=1000000500.9", "CREATE VIEW w AS SELECT a FROM t",
	"CREATE USER x", "SET TIMESTAMP=1000000550", "ALTER USER x IDENTIFIED BY 'y'",
	// A replica fills new columns itself: it needs the fraction.
	"SET TIMESTAMP=1000000600.625", "ALTER TABLE t ADD c TIMESTAMP(6) DEFAULT NOW(6), ADD e DATETIME(3) DEFAULT NOW(3)",
	"SET TIMESTAMP=1000000700", "ALTER TABLE t ADD f TIMESTAMP DEFAULT NOW()",
	"CREATE PROCEDURE p() BEGIN INSERT INTO t (a) VALUES (7); INSERT INTO t (a) VALUES (8); END",
	"SET TIMESTAMP=1000000800", "CALL p()", "SET autocommit=0", "INSERT INTO t (a) VALUES (9)", "SET TIMESTAMP=1000000900", "SET autocommit=1",
	"SET TIMESTAMP=0", "INSERT INTO t (a) VALUES (10)", "ALTER TABLE t ADD g TIMESTAMP(6) DEFAULT NOW(6)",
	"TRUNCATE TABLE v", "DROP DATABASE d",
}

// timedLine is the head of an event that both servers write, or the time that mariadb-binlog sets for a definition.
var timedLine = regexp.MustCompile(`(?m)^(#\d{6} +\S+) server id .*\t(GTID|Query|Table_map|Write_rows|Xid)\b|^SET TIMESTAMP=(\d+(?:\.\d+)?)`)

// eventTimes lists the events of a log with their times.
func eventTimes(listing string) (list []string) {
	for _, m := range timedLine.FindAllStringSubmatch(listing, -1) {
		at, kind := m[1], m[2]
		if kind == "" {
			at, kind = m[3], "SET TIMESTAMP"
		}
		if !strings.HasPrefix(at, "#010909") && !strings.HasPrefix(at, "1000000") {
			at = "now"
		}
		list = append(list, kind+" "+at)
	}
	return list
}

// TestSetTimestamp compares the times of all events with MariaDB's.
func TestSetTimestamp(t *testing.T) {
	peer.RequireMariaDB(t)
	times := map[peer.Kind][]string{}
	for _, kind := range []peer.Kind{peer.Duramen, peer.MariaDB} {
		s := peer.Start(t, peer.Options{Kind: kind, Binlog: true})
		db := s.DB("")
		defer db.Close()
		conn, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		for _, q := range timestampScript {
			if _, err := conn.ExecContext(context.Background(), q); err != nil {
				t.Fatalf("%s: %s: %v", kind, q, err)
			}
		}
		files, err := filepath.Glob(filepath.Join(s.Dir, "*.000001"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%s: log files %v, %v", kind, files, err)
		}
		listing, _ := tool(t, "-v", files[0])
		times[kind] = eventTimes(listing)
	}
	got, want := times[peer.Duramen], times[peer.MariaDB]
	if len(want) < 60 {
		t.Errorf("MariaDB logged only %d events with a time: %v", len(want), want)
	}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		t.Errorf("event times differ from MariaDB's: %s\n\nDuramen's:\n%s", firstDifference(a, b), a)
	}
}

// TestReplicaFillsColumns: what ALTER TABLE puts into new columns is the same where the log is run again.
func TestReplicaFillsColumns(t *testing.T) {
	peer.RequireMariaDB(t)
	s := peer.Start(t, peer.Options{Binlog: true})
	db := s.DB("")
	defer db.Close()
	peer.Exec(t, db, "CREATE DATABASE d", "CREATE TABLE d.t (a INT PRIMARY KEY)", "INSERT INTO d.t VALUES (1), (2)",
		"ALTER TABLE d.t ADD c TIMESTAMP(6) DEFAULT NOW(6), ADD e DATETIME(3) DEFAULT NOW(3), ADD f TIMESTAMP DEFAULT NOW()")
	script, _ := tool(t, filepath.Join(s.Dir, "binlog.000001"))
	target := peer.StartMariaDB(t, peer.Options{ServerID: 9})
	replay(t, target, script)
	tdb := target.DB("")
	defer tdb.Close()
	peer.RequireEqualContent(t, db, tdb)
}

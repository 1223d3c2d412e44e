package binlogtool

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// TestConcurrentDefinitions: sessions make and drop databases, and what is in them, at once; most of their statements
// fail. What was logged must run on another server without an error, and nothing may be left without its database.
func TestConcurrentDefinitions(t *testing.T) {
	peer.RequireMariaDB(t)
	s := peer.Start(t, peer.Options{Binlog: true})
	db := s.DB("")
	defer db.Close()
	peer.Exec(t, db, "CREATE DATABASE e", "SET GLOBAL lock_wait_timeout = 60")
	rounds := peer.Scaled(60, 2000)
	var group sync.WaitGroup
	done := make([]int, 3) // statements that succeeded, by client
	for client, statements := range [][]string{
		{"CREATE DATABASE d", "CREATE TABLE d.a (i INT)", "DROP DATABASE d"},
		{"CREATE DATABASE IF NOT EXISTS d COLLATE latin1_bin", "CREATE TABLE d.b (i INT, c CHAR(1))", "RENAME TABLE d.b TO d.c",
			"CREATE PROCEDURE d.p() SELECT 1", "CREATE TRIGGER d.g BEFORE INSERT ON d.a FOR EACH ROW SET @i = 1",
			"DROP TABLE d.c", "DROP PROCEDURE d.p", "ALTER TABLE d.a ADD n INT"},
		{"CREATE VIEW d.v AS SELECT 1", "CREATE PROCEDURE d.p() SELECT 1", "CREATE TABLE d.b (i INT, c CHAR(1))",
			"ALTER DATABASE d COLLATE utf8mb4_bin", "CREATE TRIGGER d.g BEFORE INSERT ON d.b FOR EACH ROW SET @i = 1",
			"INSERT INTO d.a (i) VALUES (1)", "DROP TRIGGER d.g", "DROP VIEW d.v"},
	} {
		group.Add(1)
		go func() {
			defer group.Done()
			for range rounds {
				for _, q := range statements {
					if _, err := db.Exec(q); err == nil {
						done[client]++
					}
				}
			}
		}()
	}
	group.Wait()
	for client, n := range done {
		if n < rounds {
			t.Errorf("client %d had success with %d statements only", client, n)
		}
	}
	peer.Exec(t, db, "CREATE DATABASE IF NOT EXISTS d", "CREATE TABLE IF NOT EXISTS d.last (i INT)", "FLUSH BINARY LOGS")
	if left := peer.MustRows(t, db, `SELECT table_schema, table_name FROM information_schema.tables
		WHERE table_schema NOT IN (SELECT schema_name FROM information_schema.schemata)`); len(left) > 0 {
		t.Errorf("tables without a database: %v", left)
	}
	script, _ := tool(t, filepath.Join(s.Dir, "binlog.000001"))
	target := peer.StartMariaDB(t, peer.Options{ServerID: 9})
	replay(t, target, script)
	tdb := target.DB("")
	defer tdb.Close()
	peer.RequireEqualContent(t, db, tdb)
}

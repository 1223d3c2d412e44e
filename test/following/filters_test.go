package following

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// filtered is what the primary does in TestFilters, on one connection: rows and definitions, with and without a default database.
var filtered = []string{
	"CREATE DATABASE a", "CREATE DATABASE b", "CREATE DATABASE c",
	"USE a", "CREATE TABLE t (id INT PRIMARY KEY, v INT)", "CREATE TABLE skip1 (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1, 1), (2, 2)", "INSERT INTO skip1 VALUES (1)",
	"USE b", "CREATE TABLE t (id INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 10)", "INSERT INTO a.t VALUES (3, 3)",
	"USE c", "CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (7)",
	"USE a", "BEGIN", "UPDATE t SET v = v + 1", "INSERT INTO skip1 VALUES (2)", "UPDATE b.t SET v = v + 1", "COMMIT",
	"ALTER TABLE t ADD COLUMN w INT", "DROP TABLE skip1", "INSERT INTO b.t VALUES (2, 20)", "DELETE FROM t WHERE id = 2", "USE b", "TRUNCATE TABLE t",
}

// TestFilters has a MariaDB and the server under test follow one primary with the same filters: both have the same in the end. A MariaDB behind the
// server under test follows it.
func TestFilters(t *testing.T) {
	for _, c := range []struct{ name, set string }{
		{"do_db", "SET GLOBAL replicate_do_db = 'a,c'"},
		{"ignore_db", "SET GLOBAL replicate_ignore_db = 'b'"},
		{"wild_ignore_table", "SET GLOBAL replicate_wild_ignore_table = 'a.skip%,c.%'"},
		{"rewrite_db", "SET GLOBAL replicate_rewrite_db = 'b->rewritten'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := startApart(t)
			peer.AllowReplication(t, p.pdb)
			model := peer.StartMariaDB(t, peer.Options{ServerID: 3, Relays: true})
			last := peer.StartMariaDB(t, peer.Options{ServerID: 4})
			mdb, ldb := model.DB(""), last.DB("")
			defer mdb.Close()
			defer ldb.Close()
			for _, db := range []*pair{{rdb: p.rdb}, {rdb: mdb}} {
				if c.name == "rewrite_db" {
					db.silently(t, "CREATE DATABASE rewritten")
				}
				peer.Exec(t, db.rdb, c.set, peer.ChangeMaster(p.primary), "START SLAVE")
			}
			if c.name == "rewrite_db" {
				peer.Exec(t, ldb, "CREATE DATABASE rewritten")
			}
			// The primary's account is filtered, as it is made without a default database.
			for _, host := range []string{"127.0.0.1", "localhost"} {
				p.silently(t, "CREATE USER 'behind'@'"+host+"' IDENTIFIED BY 'word'")
				p.silently(t, "GRANT REPLICATION SLAVE ON *.* TO 'behind'@'"+host+"'")
			}
			peer.Exec(t, ldb, peer.ChangeMaster(p.replica), "CHANGE MASTER TO MASTER_USER='behind', MASTER_PASSWORD='word'", "START SLAVE")
			conn, err := p.pdb.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			for _, q := range filtered {
				if _, err := conn.ExecContext(t.Context(), q); err != nil {
					t.Fatalf("%s: %v", q, err)
				}
			}
			peer.CatchUp(t, p.pdb, mdb)
			peer.CatchUp(t, p.pdb, p.rdb)
			peer.RequireEqualContent(t, mdb, p.rdb)
			if p.replica.Kind == peer.Duramen { // a MariaDB leaves holes
				if has, want := peer.BinlogPosition(t, p.rdb), peer.BinlogPosition(t, p.pdb); has != want {
					t.Errorf("gtid_binlog_pos is %s, the primary's %s", has, want)
				}
			}
			peer.CatchUp(t, p.rdb, ldb)
			peer.RequireEqualContent(t, p.rdb, ldb)
		})
	}
}

// TestFiltersOfConnections has a MariaDB and the server under test follow two primaries, with filters of their own for the connections, by options and by SET: both
// have the same in the end, show the same filters, and are at the primaries' last GTIDs, though those were left out.
func TestFiltersOfConnections(t *testing.T) {
	peer.RequireMariaDB(t)
	first := peer.StartMariaDB(t, peer.Options{Binlog: true, Args: []string{"--gtid-domain-id=1"}})
	second := peer.StartMariaDB(t, peer.Options{ServerID: 2, Binlog: true, Args: []string{"--gtid-domain-id=2"}})
	options := []string{"--replicate-ignore-db=nowhere", "--replicate-ignore-db=everywhere", "--one.replicate-do-db=a", "--one.replicate-do-db=mine",
		"--two.replicate-rewrite-db=a->fromtwo", "--two.replicate-wild-ignore-table=b.skip%"}
	model := peer.StartMariaDB(t, peer.Options{ServerID: 3, Relays: true, Args: options})
	last := peer.Start(t, peer.Options{ServerID: 4, Relays: true, Args: options})
	alone := func(s *peer.Server, params ...string) *sql.DB { // one session
		db := s.DB("", params...)
		db.SetMaxOpenConns(1)
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	one, two := alone(first), alone(second)
	peer.AllowReplication(t, one)
	peer.AllowReplication(t, two)
	replicas := []*peer.Server{model, last}
	var shown [2]string
	for i, s := range replicas {
		db := alone(s)
		peer.Exec(t, db, "CREATE DATABASE fromtwo", named("one", peer.ChangeMaster(first, "MASTER_USE_GTID=slave_pos")),
			named("two", peer.ChangeMaster(second, "MASTER_USE_GTID=slave_pos")), "SET GLOBAL two.replicate_ignore_table = 'c.t'", "START ALL SLAVES")
		for _, name := range []string{"one", "two"} {
			status, err := peer.SlaveStatus(alone(s, "default_master_connection=%27"+name+"%27"))
			if err != nil {
				t.Fatal(err)
			}
			for _, column := range []string{"Do_DB", "Ignore_DB", "Do_Table", "Ignore_Table", "Wild_Do_Table", "Wild_Ignore_Table", "Rewrite_DB"} {
				shown[i] += name + " " + column + " " + status["Replicate_"+column] + "\n"
			}
		}
	}
	if shown[0] != shown[1] || !strings.Contains(shown[0], "two Ignore_DB nowhere,everywhere\n") || !strings.Contains(shown[0], "one Do_DB a,mine\n") {
		t.Errorf("SHOW SLAVE STATUS of a MariaDB has\n%s\nours\n%s", shown[0], shown[1])
	}
	peer.Exec(t, one, "CREATE DATABASE a", "CREATE DATABASE mine", "CREATE DATABASE b", "CREATE TABLE a.t (id INT PRIMARY KEY)", "USE a",
		"CREATE TABLE t2 (id INT PRIMARY KEY)", "CREATE TABLE mine.t (id INT PRIMARY KEY)", "USE b", "CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)",
		"INSERT INTO a.t2 VALUES (1), (2)", "BEGIN", "INSERT INTO mine.t VALUES (5)", "INSERT INTO t VALUES (6)", "COMMIT", "INSERT INTO t VALUES (7)")
	peer.Exec(t, two, "SET sql_log_bin = 0", "CREATE DATABASE a", "CREATE DATABASE everywhere", "CREATE TABLE everywhere.t (id INT PRIMARY KEY)", "SET sql_log_bin = 1",
		"CREATE DATABASE b", "CREATE DATABASE c", "USE a", "CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (11)", "USE b", "CREATE TABLE keep (id INT PRIMARY KEY)",
		"CREATE TABLE skip1 (id INT PRIMARY KEY)", "INSERT INTO keep VALUES (12)", "INSERT INTO skip1 VALUES (13)", "USE c", "CREATE TABLE t (id INT PRIMARY KEY)",
		"CREATE TABLE u (id INT PRIMARY KEY)", "INSERT INTO t VALUES (14)", "INSERT INTO u VALUES (15)", "INSERT INTO everywhere.t VALUES (16)")
	at := peer.BinlogPosition(t, one) + "," + peer.BinlogPosition(t, two)
	for _, s := range replicas {
		peer.Exec(t, alone(s), "SET @reached = MASTER_GTID_WAIT('"+at+"', 60)")
		if got := peer.MustRows(t, alone(s), "SELECT @@gtid_slave_pos")[0]; got != `"`+at+`"` {
			t.Errorf("gtid_slave_pos is %s instead of %s", got, at)
		}
	}
	peer.RequireEqualContent(t, alone(model), alone(last))
	if last.Kind == peer.Duramen { // a MariaDB leaves holes
		if got := peer.BinlogPosition(t, alone(last)); !strings.Contains(got, at) {
			t.Errorf("gtid_binlog_pos is %s, the primaries' %s", got, at)
		}
	}
}

package replica

import (
	"slices"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// TestTriggersOfReplica: a MariaDB with slave_run_triggers_for_rbr=YES runs no triggers for the rows of tables that have some on the primary, of whatever kind. (It forgets
// what the primary says of the tables of all rows events of a statement but the first one, also of a MariaDB: the triggers here are AFTER ones therefore.)
func TestTriggersOfReplica(t *testing.T) {
	peer.RequireMariaDB(t)
	primary := peer.Start(t, peer.Options{Binlog: true})
	replica := peer.StartMariaDB(t, peer.Options{ServerID: 2, Args: []string{"--slave-run-triggers-for-rbr=YES"}})
	pdb, rdb := primary.DB(""), replica.DB("")
	defer pdb.Close()
	defer rdb.Close()
	peer.AllowReplication(t, pdb)
	peer.Exec(t, rdb, peer.ChangeMaster(primary, "MASTER_USE_GTID=slave_pos"), "START SLAVE")
	peer.Exec(t, pdb, "CREATE DATABASE d", "CREATE TABLE d.log (what VARCHAR(20), id INT)", "CREATE TABLE d.plain (id INT PRIMARY KEY)", "CREATE TABLE d.t (id INT PRIMARY KEY, n INT)",
		"CREATE TABLE d.other (id INT PRIMARY KEY)", "INSERT INTO d.t VALUES (1, 1)",
		"CREATE TRIGGER d.inserted AFTER INSERT ON d.t FOR EACH ROW INSERT INTO d.log VALUES ('inserted', NEW.id)",
		"CREATE TRIGGER d.other AFTER DELETE ON d.other FOR EACH ROW INSERT INTO d.log VALUES ('other', OLD.id)")
	peer.CatchUp(t, pdb, rdb)
	peer.Exec(t, rdb, "CREATE TRIGGER d.own_plain AFTER INSERT ON d.plain FOR EACH ROW INSERT INTO d.log VALUES ('own', NEW.id)",
		"CREATE TRIGGER d.own_updated AFTER UPDATE ON d.t FOR EACH ROW INSERT INTO d.log VALUES ('own', NEW.id)",
		"CREATE TRIGGER d.own_other AFTER INSERT ON d.other FOR EACH ROW INSERT INTO d.log VALUES ('own', NEW.id)")
	peer.Exec(t, pdb, "INSERT INTO d.t VALUES (2, 2)", "UPDATE d.t SET n = n + 1", "INSERT INTO d.other VALUES (5)", "DELETE FROM d.other",
		"INSERT INTO d.plain VALUES (8)", // only this one's trigger runs on the replica: the primary has none
		"DROP TRIGGER d.inserted", "INSERT INTO d.t VALUES (3, 3)", "UPDATE d.t SET n = 0 WHERE id = 3")
	peer.CatchUp(t, pdb, rdb)
	const q = "SELECT what, id FROM d.log ORDER BY what, id"
	if ours := peer.MustRows(t, pdb, q); !slices.Equal(ours, []string{`"inserted" "2"`, `"other" "5"`}) {
		t.Errorf("the primary's triggers have made %q", ours)
	}
	if theirs := peer.MustRows(t, rdb, q); !slices.Equal(theirs, []string{`"inserted" "2"`, `"other" "5"`, `"own" "3"`, `"own" "8"`}) {
		t.Errorf("on the replica there is %q", theirs)
	}
}

package follow

import (
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// Duramen is a primary like MariaDB: what it sends is what it says that it has logged.
func TestLogOfDuramen(t *testing.T) {
	s := peer.Start(t, peer.Options{Kind: peer.Duramen})
	db := s.DB("")
	defer db.Close()
	peer.Exec(t, db, "CREATE USER 'repl'@'%' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'%'", "CREATE DATABASE d",
		"CREATE TABLE d.t (id INT PRIMARY KEY, v TEXT)", "INSERT INTO d.t VALUES (1, 'one'), (2, 'two')", "FLUSH BINARY LOGS", "UPDATE d.t SET v=CONCAT(v, '!')",
		"ALTER TABLE d.t ADD COLUMN n INT", "DELETE FROM d.t WHERE id=1", "DROP TABLE d.t")
	got, _ := follow(t, connect(t, optionsFor(s))).until(lastGTID(t, db))
	sameLines(t, got, logged(t, db))
}

package replica

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// A replica has the moments of TIMESTAMPs' defaults, and those that ALTER TABLE makes of texts, whatever its own time zone is.
func TestDefaultsOfTimestamps(t *testing.T) {
	peer.RequireMariaDB(t)
	primary := peer.Start(t, peer.Options{Binlog: true})
	replica := peer.StartMariaDB(t, peer.Options{ServerID: 2, Args: []string{"--default-time-zone=+09:00"}})
	pdb, rdb := primary.DB(""), replica.DB("")
	defer pdb.Close()
	defer rdb.Close()
	peer.Exec(t, pdb, "CREATE USER 'repl'@'127.0.0.1' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'127.0.0.1'",
		"CREATE USER 'repl'@'localhost' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'localhost'", "CREATE DATABASE stamps")
	peer.Exec(t, rdb, fmt.Sprintf(
		"CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=%d, MASTER_USER='repl', MASTER_PASSWORD='secret', MASTER_USE_GTID=slave_pos", primary.Port), "START SLAVE")
	conn, err := pdb.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, statement := range []string{
		"SET time_zone = '-03:00'",
		"CREATE TABLE stamps.a (id INT PRIMARY KEY, t TIMESTAMP DEFAULT '2020-01-01', d VARCHAR(20))",
		"INSERT INTO stamps.a VALUES (1, DEFAULT, '2021-01-01')",
		"CREATE TABLE stamps.l LIKE stamps.a",
		"SET time_zone = '-04:00'",
		"ALTER TABLE stamps.a MODIFY d TIMESTAMP NULL",
		"ALTER TABLE stamps.a ADD n TIMESTAMP DEFAULT '2022-01-01'",
		"SET time_zone = '+01:00'",
		"ALTER TABLE stamps.a ALTER t SET DEFAULT '2023-01-01'",
		"CREATE TABLE stamps.s SELECT * FROM stamps.a",
	} {
		if _, err := conn.ExecContext(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	catchUp(t, pdb, rdb)
	for _, q := range []string{
		"SELECT id, UNIX_TIMESTAMP(t), UNIX_TIMESTAMP(d), UNIX_TIMESTAMP(n) FROM stamps.a",
		"SELECT id, UNIX_TIMESTAMP(DEFAULT(t)), UNIX_TIMESTAMP(DEFAULT(n)) FROM stamps.a", "SELECT UNIX_TIMESTAMP(DEFAULT(t)), UNIX_TIMESTAMP(DEFAULT(n)) FROM stamps.s",
	} {
		ours, theirs := peer.MustRows(t, pdb, q), peer.MustRows(t, rdb, q)
		if len(ours) == 0 || !slices.Equal(ours, theirs) {
			t.Errorf("%s: ours %v, MariaDB's %v", q, ours, theirs)
		}
	}
	peer.Exec(t, rdb, "STOP SLAVE", "INSERT INTO stamps.l (id) VALUES (2)")
	peer.Exec(t, pdb, "INSERT INTO stamps.l (id) VALUES (2)")
	const q = "SELECT UNIX_TIMESTAMP(t) FROM stamps.l"
	if ours, theirs := peer.MustRows(t, pdb, q), peer.MustRows(t, rdb, q); !slices.Equal(ours, theirs) {
		t.Errorf("the default of a table like it: ours %v, MariaDB's %v", ours, theirs)
	}
}

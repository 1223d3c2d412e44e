package replica

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// written are texts of many scripts. What a character set does not have becomes a question mark on both servers, as sql_mode says.
var written = []string{
	"", "a", "A ", "ä", "ß", "ÿ", "é\t", "Ł", "ő", "Ж", "ж", "я", "Ω", "ά", "א", "ش", "ไทย", "日本", "カ", "ｶ", "中国", "한국", "ა", "Ա", "İ", "€", "😀", "\\0", "~\\\\", "0x41",
}

// Rows of tables of every character set reach a MariaDB as they are, and are found there again by their values when they are changed.
func TestCharacterSets(t *testing.T) {
	peer.RequireMariaDB(t)
	primary := peer.Start(t, peer.Options{Binlog: true})
	replica := peer.StartMariaDB(t, peer.Options{ServerID: 2})
	pdb, rdb := primary.DB(""), replica.DB("")
	defer pdb.Close()
	defer rdb.Close()
	peer.Exec(t, pdb, "CREATE USER 'repl'@'127.0.0.1' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'127.0.0.1'",
		"CREATE USER 'repl'@'localhost' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'localhost'", "CREATE DATABASE sets")
	sets := peer.MustRows(t, rdb, "SELECT CHARACTER_SET_NAME FROM information_schema.CHARACTER_SETS ORDER BY 1")
	if len(sets) < 40 {
		t.Fatalf("MariaDB has %d character sets", len(sets))
	}
	peer.Exec(t, rdb, fmt.Sprintf(
		"CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=%d, MASTER_USER='repl', MASTER_PASSWORD='secret', MASTER_USE_GTID=slave_pos", primary.Port), "START SLAVE")

	conn, err := pdb.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	run := func(statement string) {
		t.Helper()
		if _, err := conn.ExecContext(context.Background(), statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
	run("SET NAMES utf8mb4, sql_mode=''")
	var rows []string
	for i, text := range written {
		rows = append(rows, fmt.Sprintf("(%d, '%s', '%[2]s', '%[2]s', %d)", i, text, i%2+1))
	}
	for i := range sets {
		sets[i] = strings.Trim(sets[i], `"`)
	}
	for _, set := range sets {
		collation := set + "_bin" // tis620 has no other that Duramen knows
		if set == "binary" {
			collation = set
		}
		run(fmt.Sprintf(`CREATE TABLE sets.%s (id INT, v VARCHAR(20), c CHAR(10), t TEXT, e ENUM('x','y'), KEY (v)) CHARACTER SET %[1]s COLLATE %s`, set, collation))
		run(fmt.Sprintf("INSERT INTO sets.%s VALUES %s", set, strings.Join(rows, ", ")))
		run(fmt.Sprintf("UPDATE sets.%s SET c = CONCAT(v, 'x'), e = 'y' WHERE v >= 'b'", set))
		run(fmt.Sprintf("DELETE FROM sets.%s WHERE v = 'A ' OR id IN (9, 17)", set))
	}
	catchUp(t, pdb, rdb)
	for _, set := range sets {
		q := "SELECT id, HEX(v), HEX(c), HEX(t), e FROM sets." + set + " ORDER BY id"
		ours, theirs := peer.MustRows(t, pdb, q), peer.MustRows(t, rdb, q)
		if !slices.Equal(ours, theirs) {
			t.Errorf("%s: ours %v, MariaDB's %v", set, ours, theirs)
		}
		if len(ours) < len(written)-4 {
			t.Errorf("%s: there are %d rows", set, len(ours))
		}
	}
}

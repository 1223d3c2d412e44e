package statements

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A MariaDB and a server of ours do the same for statements of more than 64 KiB, whose rows behind VALUES are bound one by one.
func TestLong(t *testing.T) {
	servers := []session{maria(t), duramen(t)}
	for _, st := range []string{
		"DROP DATABASE IF EXISTS longer", "CREATE DATABASE longer", "USE longer", "SET NAMES utf8mb4, time_zone='+00:00'",
		"CREATE TABLE l (id INT AUTO_INCREMENT PRIMARY KEY, a INT, v VARCHAR(30), tx MEDIUMTEXT, b LONGBLOB, d DECIMAL(10,2) DEFAULT 1.5, KEY (a))",
		"CREATE TABLE n (id INT AUTO_INCREMENT PRIMARY KEY, a INT DEFAULT 7)",
	} {
		for _, s := range servers {
			s.must(t, st)
		}
	}
	text := strings.Repeat("x", 100_000)
	rows := func(count int, row string, args func(i int) []any) string {
		var out []string
		for i := range count {
			out = append(out, fmt.Sprintf(row, args(i)...))
		}
		return strings.Join(out, ",")
	}
	numbers := rows(20_000, "%d", func(i int) []any { return []any{i * 3} })
	pairs := rows(9000, "(%d,%d,CONCAT('v',%d),a+1)", func(i int) []any { return []any{i%5000 + 1, i, i} })
	for _, st := range []string{
		"INSERT INTO l (a,tx) VALUES (1,'" + text + "'),(2,'ä" + text + "')",
		"SELECT id, a, LENGTH(tx), CHAR_LENGTH(tx), RIGHT(tx,2) FROM l ORDER BY id",
		"SELECT tx FROM l ORDER BY id",
		"UPDATE l SET b='" + text + "', tx=CONCAT(tx,'" + text + "') WHERE id=1",
		"SELECT LENGTH(b), LENGTH(tx), MD5(tx) FROM l WHERE id=1",
		"SELECT id FROM l WHERE tx='" + text + "' OR b='" + text + "' ORDER BY id",
		"INSERT INTO l (v) VALUES ('" + text + "')",
		"INSERT IGNORE INTO l (v) VALUES ('" + text + "')",
		"INSERT INTO l (a,v,b,d) VALUES " + rows(5000, "(%d,'v%d',x'%08x',%d.555)", func(i int) []any { return []any{i % 97, i, i, i} }),
		"SELECT COUNT(*), SUM(a), MIN(v), MAX(id), SUM(d), MAX(LENGTH(b)) FROM l", "SELECT LAST_INSERT_ID()",
		"DELETE FROM l",
		"INSERT INTO l (id,a,v,d) VALUES " + pairs + " ON DUPLICATE KEY UPDATE a=VALUES(a)+a, v=CONCAT(v,'x')",
		"INSERT IGNORE INTO l (id,a,v,d) VALUES " + pairs,
		"REPLACE INTO l (id,a,v,d) VALUES " + pairs,
		"INSERT INTO l (id,a,v,d) VALUES " + pairs,
		"INSERT INTO l (id,a,v,d) VALUES " + pairs + ",(1,2)",
		"INSERT INTO l (id,a,v,d) VALUES " + pairs + ",(1,2,nosuch,4),(1)",
		"INSERT INTO l (id,a,v,d) VALUES " + pairs + ",(1),(1,2,nosuch,4)",
		"INSERT IGNORE INTO l (id,a,v,d) VALUES " + pairs + ",(99999,'abc',DEFAULT,DEFAULT)",
		"REPLACE INTO l (id,a,v,d) VALUES " + pairs + ",(99998,'abc',DEFAULT,4)",
		"SELECT COUNT(*), SUM(a), MIN(v), MAX(v), SUM(d) FROM l",
		"INSERT INTO n VALUES " + rows(25_000, "()%s", func(int) []any { return []any{""} }),
		"SELECT COUNT(*), SUM(a) FROM n",
		"SELECT COUNT(*) FROM l WHERE id IN (" + numbers + ")",
		"SELECT COUNT(*) FROM l WHERE a+0 IN (" + numbers + ")",
		"SELECT COUNT(*) FROM l WHERE (id,a) IN (" + rows(10_000, "(%d,%d)", func(i int) []any { return []any{i, i * 2} }) + ")",
		"DELETE FROM l WHERE id IN (" + numbers + ")",
		"SELECT COUNT(*) FROM l",
	} {
		theirs, ours := servers[0].ask(t, st), servers[1].ask(t, st)
		d := (likeness{ordered: true, warnings: true}).difference(theirs, ours)
		require.Empty(t, d, "%.200s", st)
	}
	var lengths []answer
	for _, s := range servers {
		lengths = append(lengths, s.ask(t, "SELECT LENGTH(?), CONCAT(?,'y')", text, text))
	}
	require.Empty(t, (likeness{warnings: true}).difference(lengths[0], lengths[1]), "a parameter")
}

package dialect

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/duramendb/duramen/mysql"
)

// bulk runs a prepared statement with several sets of parameters, whose types come first.
func (c *extendedClient) bulk(id uint32, rest string) []string {
	c.t.Helper()
	b := binary.LittleEndian.AppendUint32(nil, id)
	c.send(mysql.COM_STMT_BULK_EXECUTE, append(append(b, 128, 0), rest...)...)
	return c.answer()
}

// TestBulkExecute: INSERT and REPLACE are one statement, UPDATE and DELETE several; what they answer, change, and leave behind after an error.
func TestBulkExecute(t *testing.T) {
	const types = "\x03\x00\xfd\x00"
	set := func(n byte, text string) string {
		return "\x00" + string([]byte{n, 0, 0, 0}) + "\x00" + string([]byte{byte(len(text))}) + text
	}
	both(t, func(t *testing.T, addr string, note func(string, []string)) {
		c := dialExtended(t, addr, extendedCaps, mariadbStmtBulkOperations)
		if c.ext == 0 {
			t.Fatal("not offered")
		}
		for _, q := range []string{"CREATE OR REPLACE DATABASE x CHARACTER SET utf8mb4", "USE x",
			"CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a INT DEFAULT 7, b VARCHAR(5) NOT NULL DEFAULT 'dd', KEY (b))"} {
			c.query(q)
		}
		for _, tc := range []struct{ sql, rest string }{
			{"INSERT INTO t (a, b) VALUES (?, ?)", types + set(1, "x") + "\x01\x00\x01y" + "\x02\x02" + "\x03\x03" + set(5, "z")},
			{"INSERT INTO t (a, b) VALUES (?, ?)", types + set(8, "one")},
			{"INSERT INTO t (a, b) VALUES (?, ?)", types + "\x00\x01\x00\x00\x00\x01" + set(2, "x")},
			{"INSERT INTO t (id, b) VALUES (?, ?)", types + set(110, "x") + set(100, "y") + set(111, "x")},
			{"INSERT IGNORE INTO t (id, b) VALUES (?, ?)", types + set(110, "x") + set(100, "yyyyyyyy") + set(111, "xxxxxxxxx")},
			{"REPLACE INTO t (id, b) VALUES (?, ?)", types + set(100, "R") + set(102, "R")},
			{"INSERT INTO t (id, b) VALUES (?, ?) ON DUPLICATE KEY UPDATE a = a + 1", types + set(100, "R") + set(103, "R")},
			{"INSERT INTO t (id, b) VALUES (?, ?)", types + "\x01\x00\x01q\x02\x00\x01q"},
			{"UPDATE t SET a = ? WHERE b = ?", types + set(11, "x") + set(12, "R") + "\x01\x00\x01z"},
			{"UPDATE t SET id = ? WHERE b = ?", types + set(200, "x") + set(200, "z") + set(201, "y")},
			{"UPDATE t SET a = ?, b = ? WHERE id = 3", types + "\x02\x02" + "\x00\x01\x00\x00\x00\x03"},
			{"UPDATE t SET a = ? WHERE b <> ?", types + "\x02\x02"},
			{"UPDATE t SET a = ? + 1 WHERE b = ?", types + "\x02\x00\x01x"},
			{"DELETE FROM t WHERE id = ? AND b <> ?", types + set(100, "x") + set(101, "q") + "\x00\x66\x00\x00\x00\x01"},
			{"INSERT INTO t (a, b) VALUES (?, ?) RETURNING id, b", types + set(1, "x") + "\x01\x00\x01y"},
			{"DELETE FROM t WHERE a = ? AND b = ? RETURNING b", types + set(1, "x") + "\x01\x00\x01y"},
			{"INSERT INTO t (a, b) VALUES (? + 1, ?)", types + "\x02\x02" + "\x03\x00\x01q"},
			{"INSERT INTO t (a, b) VALUES (?, 'c'), (0, ?)", types + set(1, "x") + set(2, "y")},
			{"INSERT INTO t (a, b) SELECT ?, ?", types + set(1, "x")},
			{"SELECT ?, ?", types + set(1, "x")},
			{"SET @a = ?, @b = ?", types + set(1, "x")},
			{"DO ?, ?", types + set(1, "x")},
			{"INSERT INTO t (a, b) VALUES (?, ?)", types},
			{"INSERT INTO t (a, b) VALUES (?, ?)", types[:3]},
			{"INSERT INTO t (a, b) VALUES (?, ?)", types + set(1, "x") + "\x00\x51"},
			{"INSERT INTO t (a, b) VALUES (?, ?)", types + "\x00\x51\x00\x00\x00\x07\x01x"},
		} {
			id, out := c.prepare(tc.sql)
			if id == 0 {
				t.Fatal(tc.sql, out)
			}
			c.query("TRUNCATE TABLE t")
			c.query("INSERT INTO t VALUES (1, 1, 'x'), (2, NULL, 'y'), (3, 3, 'R'), (4, 4, 'z'), (100, 7, 'R'), (101, 9, 'qq'), (102, 5, 'R')")
			what := fmt.Sprintf("%s %q", tc.sql, tc.rest)
			answer := c.bulk(id, tc.rest)
			note(what, answer)
			if len(answer[0]) < 6 || answer[0][:5] != `"\xff` { // what is noted of errors is nothing of this command
				note(what+": warnings", c.query("SHOW WARNINGS")[5:])
			}
			note(what+": rows", c.query("SELECT id, a, b FROM t ORDER BY id"))
		}
		id, _ := c.prepare("INSERT INTO t (a, b) VALUES (?, ?)")
		c.query("START TRANSACTION")
		note("in a transaction", c.bulk(id, types+set(50, "x")+set(51, "x")))
		note("an error in a transaction", c.bulk(id, types+set(52, "x")+"\x00\x01\x00\x00\x00\x01"))
		c.query("COMMIT")
		note("rows", c.query("SELECT a, b FROM t WHERE a > 49 ORDER BY id"))
		var many strings.Builder // more values than placeholders can be counted
		many.WriteString(types)
		for range 40_000 {
			many.WriteString(set(1, "m"))
		}
		c.query("TRUNCATE TABLE t")
		note("many", c.bulk(id, many.String()))
		note("their number", c.query("SELECT COUNT(*) AS n, COUNT(DISTINCT id) AS d FROM t"))
		note("unknown", c.bulk(9999, types+set(1, "x")))
		other := dialExtended(t, addr, extendedCaps, 0)
		other.query("USE x")
		id, _ = other.prepare("INSERT INTO t (a, b) VALUES (?, ?)")
		note("without the capability", other.bulk(id, types+set(1, "x")))
	})
}

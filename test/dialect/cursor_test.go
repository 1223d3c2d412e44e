package dialect

import (
	"testing"

	"github.com/duramendb/duramen/mysql"
)

// TestCursor: which statements open a cursor for a client that asks for one, what ends it, and what COM_STMT_FETCH answers.
func TestCursor(t *testing.T) {
	both(t, func(t *testing.T, addr string, note func(string, []string)) {
		for _, caps := range []uint32{extendedCaps, extendedCaps | mysql.CLIENT_DEPRECATE_EOF} {
			c := dialExtended(t, addr, caps, 0)
			for _, q := range []string{"CREATE OR REPLACE DATABASE x CHARACTER SET utf8mb4", "USE x", "CREATE TABLE t (a INT, b VARCHAR(5))", "INSERT INTO t VALUES (1,'x'),(2,NULL),(3,'z')"} {
				c.query(q)
			}
			id, _ := c.prepare("SELECT a, b FROM t WHERE a >= ?")
			number := []byte{byte(id), byte(id >> 8), 0, 0}
			note("open", c.execute(id, 1, 1))
			note("fetch 2", c.fetch(id, 2))
			note("fetch 2", c.fetch(id, 2))
			note("fetch after the end", c.fetch(id, 2))
			note("open", c.execute(id, 1, 1))
			note("fetch 0", c.fetch(id, 0))
			note("fetch all of them", c.fetch(id, 3))
			note("fetch many", c.fetch(id, 1<<31))
			note("open", c.execute(id, 1, 1))
			c.send(mysql.COM_STMT_RESET, number...)
			note("reset", c.answer())
			note("fetch after reset", c.fetch(id, 1))
			c.query("START TRANSACTION")
			note("open in a transaction", c.execute(id, 1, 1))
			c.query("COMMIT")
			c.query("UPDATE t SET b = 'new'")
			note("fetch what was there before", c.fetch(id, 3))
			note("open", c.execute(id, 1, 1))
			note("open again", c.execute(id, 1, 2))
			note("fetch from the start", c.fetch(id, 1))
			note("run without a cursor", c.execute(id, 0, 3))
			note("fetch after that", c.fetch(id, 1))
			note("open, without rows", c.execute(id, 1, 100))
			note("fetch none", c.fetch(id, 1))
			note("fetch none again", c.fetch(id, 1))
			note("CURSOR_TYPE_FOR_UPDATE", c.execute(id, 2, 3))
			note("CURSOR_TYPE_SCROLLABLE", c.execute(id, 4, 3))
			note("unknown", c.fetch(999, 1))
			for _, q := range []string{"INSERT INTO t (a) VALUES (9)", "SET @a = 1", "INSERT INTO t (a) VALUES (9) RETURNING a", "SELECT 1 INTO @x", "SELECT a INTO @x FROM t LIMIT 1", "UPDATE t SET a = 10 WHERE FALSE",
				"DO 1", "(SELECT a FROM t ORDER BY a LIMIT 1)", "SELECT a FROM t WHERE a IN (SELECT MAX(a) FROM t WHERE a < 5)"} {
				id, _ := c.prepare(q)
				opened := c.execute(id, 1)
				note(q, opened[len(opened)-1:])
				note(q+": fetch", withoutNumber(c.fetch(id, 1)))
			}
			c.query("DROP TABLE t")
			note("open without a table", c.execute(id, 1, 1))
			c.send(mysql.COM_STMT_CLOSE, number...)
			note("fetch after close", c.fetch(id, 1))
		}
	})
}

// withoutNumber leaves out an error's text, which names the statement.
func withoutNumber(packets []string) []string {
	for i, p := range packets {
		if len(p) > 20 && p[:5] == `"\xff` {
			packets[i] = p[:20]
		}
	}
	return packets
}

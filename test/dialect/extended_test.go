package dialect

import (
	"slices"
	"strings"
	"testing"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/test/peer"
)

// both runs a scenario on Duramen and on MariaDB, and compares what it notes, packet by packet.
func both(t *testing.T, scenario func(t *testing.T, addr string, note func(what string, packets []string))) {
	t.Helper()
	var answers [2][]string
	for i, kind := range []peer.Kind{peer.Duramen, peer.MariaDB} {
		var s *peer.Server
		if kind == peer.MariaDB {
			s = peer.StartMariaDB(t, peer.Options{})
		} else {
			s = peer.Start(t, peer.Options{Kind: kind})
		}
		scenario(t, s.Addr(), func(what string, packets []string) {
			answers[i] = append(answers[i], what+"\n  "+strings.Join(packets, "\n  "))
		})
	}
	for i := range answers[1] {
		if i >= len(answers[0]) || answers[0][i] != answers[1][i] {
			t.Errorf("%s\nMariaDB: %s", answers[0][min(i, len(answers[0])-1)], answers[1][i])
		}
	}
}

// TestCacheMetadata: which executions of a prepared statement have the definitions of its columns, to a client that keeps them.
func TestCacheMetadata(t *testing.T) {
	both(t, func(t *testing.T, addr string, note func(string, []string)) {
		for _, caps := range []uint32{extendedCaps, extendedCaps | mysql.CLIENT_DEPRECATE_EOF} {
			c := dialExtended(t, addr, caps, mariadbCacheMetadata)
			if c.ext == 0 {
				t.Fatal("not offered")
			}
			for _, q := range []string{"CREATE OR REPLACE DATABASE x CHARACTER SET utf8mb4", "USE x", "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(5))", "INSERT INTO t VALUES (1,'x'),(2,'y')",
				"CREATE PROCEDURE pr() BEGIN SELECT 1 AS one; SELECT a FROM t; END", "PREPARE s FROM 'SELECT b FROM t WHERE a = 1'"} {
				c.query(q)
			}
			note("text", c.query("SELECT b FROM t WHERE a = 1"))
			note("texts", follows(c.query("SELECT 1 AS one; SELECT 2 AS two")))
			note("EXECUTE", c.query("EXECUTE s"))
			note("EXECUTE", c.query("EXECUTE s"))
			id, definitions := c.prepare("SELECT a, b FROM t WHERE a >= ?")
			note("prepare", definitions)
			note("run", c.execute(id, 0, 1))
			note("again", c.execute(id, 0, 2))
			c.query("ALTER TABLE t MODIFY b VARCHAR(6)")
			note("run after ALTER", c.execute(id, 0, 2))
			note("again", c.execute(id, 0, 2))
			c.query("SET NAMES latin1")
			note("run after SET NAMES", c.execute(id, 0, 2))
			note("again", c.execute(id, 0, 2))
			c.send(mysql.COM_STMT_RESET, byte(id), byte(id>>8), 0, 0)
			note("reset", c.answer())
			note("run after reset", c.execute(id, 0, 2))
			id, definitions = c.prepare("SELECT ? + 1")
			note("prepare", definitions)
			note("run with a number", c.execute(id, 0, 1))
			note("again", c.execute(id, 0, 2))
			id, _ = c.prepare("INSERT INTO t (a) VALUES (?) RETURNING a") // MariaDB tells its columns when it runs only
			c.execute(id, 0, 3)
			note("again", c.execute(id, 0, 4))
			id, _ = c.prepare("CALL pr()")
			for range 2 {
				note("CALL", follows(c.execute(id, 0)))
			}
		}
	})
}

// follows are the packets that say whether definitions follow.
func follows(packets []string) []string {
	return slices.DeleteFunc(packets, func(p string) bool { return !strings.HasPrefix(p, `"\x01\x0`) })
}

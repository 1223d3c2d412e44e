package query_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMoveCopiesOnce: a clause that copies the rows copies them into the other engine at once. Every copy has the next id.
func TestMoveCopiesOnce(t *testing.T) {
	for _, clauses := range []struct {
		text   string
		copies uint32 // without ENGINE
	}{
		{"COMMENT = 'no copy'", 0},
		{"ADD INDEX (b), DROP INDEX c", 0},
		{"ADD COLUMN d INT", 1},
		{"MODIFY COLUMN b BIGINT", 1},
		{"DROP COLUMN b, ADD COLUMN d INT", 2},
		{"ADD COLUMN d VARCHAR(5) DEFAULT 'x' FIRST, ADD INDEX d (d)", 2},
		{"DROP PRIMARY KEY, ADD PRIMARY KEY (c)", 1},
		{"CONVERT TO CHARACTER SET latin1", 1},
	} {
		for _, to := range []string{"", "BTREE", "MEMORY", "InnoDB"} {
			t.Run(clauses.text+" "+to, func(t *testing.T) {
				s, c := newEngines(t)
				c.exec("CREATE TABLE t (a INT PRIMARY KEY, b INT, c INT NOT NULL, v VARCHAR(10), KEY c (c))")
				c.exec("INSERT INTO t VALUES (1, 10, 100, 'x'), (2, 20, 200, 'y')")
				id := func() uint32 { return s.store.Catalog().Current().Table("d", "t").ID() }
				before, want := id(), clauses.copies
				if to == "" {
					c.exec("ALTER TABLE t %s", clauses.text)
				} else {
					c.exec("ALTER TABLE t %s, ENGINE=%s", clauses.text, to)
					require.Equal(t, to, c.engineOf("t"))
					want = max(want, 1)
				}
				require.Equal(t, want, id()-before)
				require.Equal(t, "2", c.query("SELECT COUNT(*) FROM t WHERE c IN (100, 200)"))
				s.sound()
			})
		}
	}
}

func TestMoveAndRestart(t *testing.T) {
	for _, crash := range []bool{false, true} {
		t.Run(fmt.Sprintf("crash %t", crash), func(t *testing.T) {
			s, c := newEngines(t)
			c.exec("CREATE TABLE t (a INT PRIMARY KEY AUTO_INCREMENT, b INT, KEY (b))")
			c.exec("CREATE TABLE m (a INT PRIMARY KEY AUTO_INCREMENT) ENGINE=MEMORY")
			c.exec("INSERT INTO t (b) VALUES (1), (2), (3)")
			c.exec("INSERT INTO m VALUES (), (), ()")
			c.exec("ALTER TABLE t ENGINE=BTREE")
			c.exec("INSERT INTO t (b) VALUES (4)")
			c.exec("CREATE TABLE kept LIKE m")
			c.exec("INSERT INTO kept VALUES (), ()")
			c.exec("ALTER TABLE kept ENGINE=BTREE")
			c.exec("BEGIN")
			c.exec("INSERT INTO t (b) VALUES (5)")
			c.exec("INSERT INTO kept VALUES ()")
			c.exec("INSERT INTO m VALUES ()")
			c.exec("COMMIT")
			if crash {
				s.crash()
			} else {
				s.restart()
			}
			c = s.connect()
			c.exec("USE d")
			require.Equal(t, "1|1\n2|2\n3|3\n4|4\n5|5", c.query("SELECT * FROM t ORDER BY a"))
			require.Equal(t, map[string]int{"BTREE": 5}, s.holds("t"))
			require.Equal(t, "1\n2\n3", c.query("SELECT * FROM kept ORDER BY a"))
			require.Empty(t, c.query("SELECT * FROM m"))
			c.exec("INSERT INTO m VALUES ()")
			require.Equal(t, "1", c.query("SELECT * FROM m"), "the counter begins anew")
			require.Equal(t, "6", c.query("SELECT auto_increment FROM information_schema.tables WHERE table_name = 't'"))
			s.sound()
		})
	}
}

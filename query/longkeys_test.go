package query_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/btree"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// A key that an engine could not apply is refused by the statement, not by the engine when the log has it already.
func TestLongKeys(t *testing.T) {
	for _, kind := range []engine.Kind{btree.Kind{MapBytes: 64 << 20}, lsm.Kind{}} {
		t.Run(kind.Name(), func(t *testing.T) {
			s := newServerOf(t, kind)
			c := s.connect()
			c.exec("CREATE DATABASE d")
			c.exec("USE d")
			refused := func(sql string, args ...any) {
				t.Helper()
				e := c.fails(mysqlerr.TooLongKey, sql, args...)
				require.Equal(t, fmt.Sprintf("Specified key was too long; max key length is %d bytes", engine.KeyBytesMax), e.Message)
			}
			c.exec("CREATE TABLE t (id INT PRIMARY KEY, a VARBINARY(60000), KEY (a))")
			c.exec("INSERT INTO t VALUES (1, 'short'), (2, REPEAT('x', 31000))")
			refused("INSERT INTO t VALUES (3, REPEAT('x', 33000))")
			refused("INSERT INTO t VALUES (4, 'short'), (5, REPEAT('x', 60000))")
			refused("UPDATE t SET a = REPEAT('y', 33000)")
			c.exec("BEGIN")
			c.exec("INSERT INTO t VALUES (6, 'kept')")
			refused("INSERT INTO t VALUES (7, REPEAT('x', 33000))")
			c.exec("COMMIT")
			require.Equal(t, "1|5\n2|31000\n6|4", c.query("SELECT id, LENGTH(a) FROM t ORDER BY id"))

			// Parts add up; a primary key is in the entries of the others.
			c.exec("CREATE TABLE p (a VARBINARY(20000), b VARBINARY(20000), PRIMARY KEY (a, b))")
			refused("INSERT INTO p VALUES (REPEAT('x', 17000), REPEAT('x', 17000))")
			c.exec("CREATE TABLE s (a VARBINARY(20000) PRIMARY KEY, b VARBINARY(20000), KEY (b))")
			refused("INSERT INTO s VALUES (REPEAT('x', 17000), REPEAT('x', 17000))")
			c.exec("INSERT INTO s VALUES (REPEAT('x', 17000), 'short')")

			// Rows that are there already.
			c.exec("CREATE TABLE u (id INT PRIMARY KEY, a VARBINARY(60000))")
			c.exec("INSERT INTO u VALUES (1, REPEAT('x', 33000))")
			refused("ALTER TABLE u ADD KEY (a)")
			refused("CREATE INDEX a ON u (a)")
			c.exec("INSERT INTO u VALUES (2, 'after')")
			require.Equal(t, "2", c.query("SELECT COUNT(*) FROM u"))
			_, err := s.store.Engine().Checkpoint()
			require.NoError(t, err)
		})
	}
}

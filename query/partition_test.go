package query_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// No statement stores a row for which its table has no partition, whoever runs it, and none that is asked for one partition reads or writes another one's.
func TestPartitionOfEveryRow(t *testing.T) {
	s := newServer(t)
	c := s.connect()
	c.exec("CREATE DATABASE d")
	c.exec("USE d")
	c.exec("CREATE TABLE p (a INT PRIMARY KEY, b INT) PARTITION BY RANGE (a) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20))")
	c.exec("CREATE TABLE o (a INT PRIMARY KEY)")
	c.exec("INSERT INTO p VALUES (1, 1), (11, 2)")
	c.exec("INSERT INTO o VALUES (1), (30)")
	for _, statement := range []string{
		"INSERT INTO p VALUES (30, 3)",
		"INSERT INTO p VALUES (1, 1) ON DUPLICATE KEY UPDATE a = 30",
		"INSERT INTO p SELECT a, a FROM o WHERE a > 1",
		"REPLACE INTO p VALUES (30, 3)",
		"UPDATE p SET a = a + 20",
		// Of the fallback.
		"INSERT INTO p SELECT x.a, 1 FROM o x JOIN o y ON x.a = y.a WHERE x.a > 1",
		"REPLACE INTO p SELECT x.a, 1 FROM o x JOIN o y ON x.a = y.a WHERE x.a > 1",
		"UPDATE p JOIN o ON p.a = o.a SET p.a = 30",
		// Of definitions.
		"ALTER TABLE p PARTITION BY RANGE (a) (PARTITION p0 VALUES LESS THAN (10))",
		"ALTER TABLE p PARTITION BY LIST (a) (PARTITION p0 VALUES IN (1))",
	} {
		c.fails(1526, statement)
		require.Equal(t, "1|1\n11|2", c.query("SELECT * FROM p ORDER BY a"), statement)
	}
	c.exec("INSERT IGNORE INTO p VALUES (30, 3), (2, 3)")
	require.Equal(t, "1\n2", c.query("SELECT a FROM p PARTITION (p0) ORDER BY a"))
	c.fails(1748, "UPDATE p PARTITION (p0) SET a = a + 10 WHERE a = 2")
	c.fails(1748, "INSERT INTO p PARTITION (p1) VALUES (3, 3)")
	c.exec("DELETE FROM p PARTITION (p0)")
	require.Equal(t, "11|2", c.query("SELECT * FROM p"))
	c.Close()

	s.restart() // what is compiled comes from the catalog
	c = s.connect()
	c.exec("USE d")
	c.fails(1526, "INSERT INTO p VALUES (30, 3)")
	c.exec("ALTER TABLE p DROP PARTITION p1")
	require.Empty(t, c.query("SELECT * FROM p"))
	c.fails(1526, "INSERT INTO p VALUES (11, 3)")
	c.Close()
	s.close()
}

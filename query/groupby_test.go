package query_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGroupByWithSubqueries: the reading of the rows and the aggregates both run subqueries of the statement.
// Two goroutines that did so ended the process ("concurrent map writes"), or hung when an aggregate failed.
func TestGroupByWithSubqueries(t *testing.T) {
	s := newServer(t)
	c := s.connect()
	c.exec("CREATE DATABASE d")
	c.exec("USE d")
	c.exec("CREATE TABLE a (id INT PRIMARY KEY, x INT, b INT)")
	c.exec("INSERT INTO a WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i+1 FROM r WHERE i < 900) SELECT i, i % 3, i FROM r")
	for range 3 {
		require.Contains(t, c.query("SELECT x, MAX((SELECT b.b FROM a b WHERE b.id = a.id)) FROM a WHERE EXISTS (SELECT 1 FROM a c WHERE c.id = a.id) GROUP BY x ORDER BY x"), "900")
	}
	_, err := c.run("SELECT x, MAX((SELECT b.b FROM a b WHERE b.id <= a.id)) FROM a GROUP BY x")
	require.Error(t, err)
}

// TestDistinctInOrder: DISTINCT shows the first of equal rows, whatever they are sorted by.
func TestDistinctInOrder(t *testing.T) {
	s := newServer(t)
	c := s.connect()
	c.exec("CREATE DATABASE d; USE d; SET native_sql = ONLY; CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) COLLATE utf8mb4_general_ci, b INT)")
	c.exec("INSERT INTO t VALUES (1,'b',1),(2,'A',2),(3,NULL,1),(4,'a ',1),(5,'B',2),(6,NULL,NULL),(7,'',2),(8,'b',1)")
	for sql, want := range map[string]string{
		"SELECT DISTINCT a FROM t ORDER BY a":                           "NULL\n\nA\nb",
		"SELECT DISTINCT a FROM t ORDER BY a DESC":                      "b\nA\n\nNULL",
		"SELECT DISTINCT a FROM t WHERE id BETWEEN 3 AND 8 ORDER BY a":  "NULL\n\na \nB",
		"SELECT DISTINCT a, b FROM t ORDER BY a, b":                     "NULL|NULL\nNULL|1\n|2\na |1\nA|2\nb|1\nB|2",
		"SELECT DISTINCT a, b FROM t ORDER BY b, a":                     "NULL|NULL\nNULL|1\na |1\nb|1\n|2\nA|2\nB|2",
		"SELECT DISTINCT a, b FROM t ORDER BY a DESC, b":                "b|1\nB|2\na |1\nA|2\n|2\nNULL|NULL\nNULL|1",
		"SELECT DISTINCT a FROM t ORDER BY a LIMIT 2":                   "NULL\n",
		"SELECT DISTINCT a FROM t ORDER BY a LIMIT 1, 2":                "\nA",
		"SELECT DISTINCT b FROM t WHERE a IS NOT NULL ORDER BY b":       "1\n2",
		"SELECT DISTINCT b + 1 AS x FROM t ORDER BY x":                  "NULL\n2\n3",
		"SELECT DISTINCT b FROM t WHERE id > 1 AND id < 7 ORDER BY b":   "NULL\n1\n2",
		"SELECT DISTINCT a FROM t WHERE id IN (8, 1, 5) ORDER BY a":     "b",
		"(SELECT DISTINCT a FROM t ORDER BY a LIMIT 3) ORDER BY a DESC": "A\n\nNULL",
		"SELECT DISTINCT UPPER(a) AS x FROM t WHERE a > '' ORDER BY x":  "A\nB",
	} {
		require.Equal(t, want, c.query(sql), sql)
		require.Equal(t, want, c.query(sql), sql)
	}
}

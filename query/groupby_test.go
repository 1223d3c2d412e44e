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

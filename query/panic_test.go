package query_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// TestBinaryLogStatus: MariaDB's newer name of SHOW MASTER STATUS has the same answer.
func TestBinaryLogStatus(t *testing.T) {
	c := newServer(t).connect()
	c.exec("CREATE DATABASE d")
	require.Equal(t, c.query("SHOW MASTER STATUS"), c.query("SHOW BINARY LOG STATUS"))
	require.Contains(t, c.query("SHOW BINARY LOG STATUS"), "binlog.000001")
}

// TestBenchmarkEvaluates: BENCHMARK evaluates its argument so many times, and ends with its statement's time.
func TestBenchmarkEvaluates(t *testing.T) {
	c := newServer(t).connect()
	c.fails(mysqlerr.StatementTimeout, "SET STATEMENT max_statement_time=0.05 FOR SELECT BENCHMARK(18446744073709551615, MD5('a'))")
	c.fails(mysqlerr.SubqueryNo1Row, "SELECT BENCHMARK(1, (SELECT 1 UNION SELECT 2))")
	require.Contains(t, c.query("SELECT BENCHMARK(0, (SELECT 1 UNION SELECT 2))"), "0")
}

// TestBodyBeforeStatement: a routine is defined by a text that goes on with another statement.
func TestBodyBeforeStatement(t *testing.T) {
	c := newServer(t).connect()
	c.exec("CREATE DATABASE d")
	c.exec("USE d")
	require.Contains(t, c.query("CREATE PROCEDURE p() SELECT 42; SELECT 1"), "1")
	require.Contains(t, c.query("SHOW CREATE PROCEDURE p"), "SELECT 42")
}

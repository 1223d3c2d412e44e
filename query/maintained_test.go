package query_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMaintenanceInTheLog: ANALYZE, OPTIMIZE and REPAIR TABLE are logged with a GTID, for replicas that have something to do then, as MariaDB 10.11 logs them.
func TestMaintenanceInTheLog(t *testing.T) {
	_, c := withTable(t)
	c.exec("RESET MASTER")
	for _, q := range []string{
		"ANALYZE TABLE t", "OPTIMIZE TABLE t", "REPAIR TABLE t QUICK", "ANALYZE TABLE t PERSISTENT FOR COLUMNS (a) INDEXES ()", "ANALYZE TABLE nosuch",
		"CHECK TABLE t", "ANALYZE NO_WRITE_TO_BINLOG TABLE t", "OPTIMIZE LOCAL TABLE t",
		"SET sql_log_bin = 0", "ANALYZE TABLE t", "SET sql_log_bin = 1", "BEGIN", "ANALYZE TABLE t",
	} {
		c.exec(q)
	}
	var logged []string
	for _, r := range c.exec("SHOW BINLOG EVENTS").rows {
		if r[2] == "Query" {
			logged = append(logged, r[5])
		}
	}
	require.Equal(t, []string{
		"use `d`; ANALYZE TABLE `t`", "use `d`; OPTIMIZE TABLE `t`", "use `d`; REPAIR TABLE `t` QUICK",
		"use `d`; ANALYZE TABLE `t` PERSISTENT FOR COLUMNS (`a`) INDEXES ()", "use `d`; ANALYZE TABLE `nosuch`", "use `d`; ANALYZE TABLE `t`",
	}, logged)
	require.Equal(t, "0-1-6", c.query("SELECT @@gtid_binlog_pos"))
}

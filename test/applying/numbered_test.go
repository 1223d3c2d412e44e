package applying

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/replication/replica/apply"
)

// TestNumbered: an AUTO_INCREMENT column that only the replica has gets its own values.
func TestNumbered(t *testing.T) {
	for _, kind := range []string{"TINYINT", "BIGINT UNSIGNED"} {
		t.Run(kind, func(t *testing.T) {
			source, target := newServer(t, 1), newServer(t, 2)
			source.exec("CREATE DATABASE d", "CREATE TABLE d.t (k INT NOT NULL, v VARCHAR(10))")
			_, from := source.parts(logpos.At(1, 0))
			target.exec("SET sql_log_bin=0", "CREATE DATABASE d", "CREATE TABLE d.t (k INT NOT NULL, v VARCHAR(10), id "+kind+" AUTO_INCREMENT PRIMARY KEY)",
				"INSERT INTO d.t VALUES (5, 'here', 7)")
			source.exec("INSERT INTO d.t VALUES (1, 'a'), (2, NULL)", "INSERT INTO d.t VALUES (3, 'c')")
			parts, _ := source.parts(from)
			applyAll(t, target, parts, apply.Options{})
			require.Equal(t, source.query("SELECT k, v FROM d.t ORDER BY k"), target.query("SELECT k, v FROM d.t WHERE k < 5 ORDER BY k"))
			require.Equal(t, []string{"1|8|", "2|9|", "3|10|", "5|7|"}, target.query("SELECT k, id FROM d.t ORDER BY k"))
		})
	}
}

package privilege

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/dialecttest"
	"github.com/duramendb/duramen/query/dialect/own"
)

// TestEveryOwnStatement compares the statements of package dialect with the cases of OfStatement, both from the source.
func TestEveryOwnStatement(t *testing.T) {
	cases := slices.Concat(dialecttest.Cases(t, "own.go", "ofServer"), dialecttest.Cases(t, "own.go", "ofSchema"),
		dialecttest.Cases(t, "account.go", "ofAccountStatement"))
	require.ElementsMatch(t, dialecttest.Statements(t, "../dialect"), cases)
}

func TestOfStatement(t *testing.T) {
	const onTable = "any of SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, GRANT, REFERENCES, INDEX, ALTER, CREATE VIEW, SHOW VIEW, TRIGGER, DELETE HISTORY on "
	for _, c := range []struct{ sql, want string }{
		{"LOCK TABLES d.t READ, u AS x WRITE", "LOCK TABLES on d.*; SELECT on d.t; LOCK TABLES on .*; SELECT on .u"},
		{"LOCK TABLE t LOW_PRIORITY WRITE", "LOCK TABLES on .*; SELECT on .t"},
		{"CHECK TABLE d.t, e.u EXTENDED", onTable + "d.t; " + onTable + "e.u"},
		{"OPTIMIZE LOCAL TABLE d.t, u", "SELECT, INSERT on d.t; SELECT, INSERT on .u"},
		{"FLUSH TABLES", "any of RELOAD on *.*"},
		{"FLUSH TABLES d.t", "any of RELOAD on *.*"},
		{"FLUSH TABLES d.t WITH READ LOCK", "any of RELOAD on *.*; LOCK TABLES on d.*; SELECT on d.t"},
		{"FLUSH TABLES d.t, u FOR EXPORT", "any of RELOAD on *.*; LOCK TABLES on d.*; SELECT on d.t; LOCK TABLES on .*; SELECT on .u"},
		{"FLUSH HOSTS, STATUS", "any of RELOAD on *.*"},
		{"SET GLOBAL TRANSACTION READ ONLY", "any of SUPER on *.*"},
		{"SET SESSION TRANSACTION READ ONLY", "nothing"},
		{"PURGE BINARY LOGS TO 'x'", "any of SUPER, BINLOG ADMIN on *.*"},
		{"SHOW DURAMEN CLONE", "SELECT on *.*; any of RELOAD on *.*; any of REPLICATION SLAVE on *.*"},
		{"SHOW TABLES FROM d", "anything on d.*"},
		{"SHOW CREATE EVENT d.e", "EVENT on d.*"},
		{"SHOW CREATE VIEW d.v", "SELECT on d.v; SHOW VIEW on d.v"},
		{"DESCRIBE d.t c", onTable + "d.t"},
		{"ALTER TABLE d.t DISABLE KEYS", "ALTER on d.t"},
		{"HANDLER d.t OPEN", "SELECT on d.t"},
		{"UNINSTALL SONAME 'x'", "DELETE on mysql.plugin"},
	} {
		st, _, err := own.Parse(c.sql, dialect.Mode{})
		require.NoError(t, err, c.sql)
		n, ok := OfStatement(st)
		require.True(t, ok, c.sql)
		require.Equal(t, c.want, n.String(), c.sql)
	}
	_, ok := OfStatement(nil)
	require.False(t, ok)
}

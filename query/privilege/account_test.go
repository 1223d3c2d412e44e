package privilege

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/own"
)

func TestOfAccountStatement(t *testing.T) {
	const createUser = "any of CREATE USER on *.*"
	for _, c := range []struct{ sql, want, account string }{
		{"CREATE USER u", createUser, ""},
		{"CREATE OR REPLACE USER u", createUser, ""},
		{"ALTER USER u ACCOUNT LOCK", createUser, ""},
		{"DROP USER u", createUser, ""},
		{"RENAME USER u TO v", createUser, ""},
		{"CREATE ROLE r", createUser, ""},
		{"CREATE OR REPLACE ROLE r", createUser, ""},
		{"DROP ROLE r", createUser, ""},
		{"GRANT SELECT ON *.* TO u", "nothing", ""},
		{"REVOKE SELECT ON *.* FROM u", "nothing", ""},
		{"REVOKE ALL, GRANT OPTION FROM u", "nothing", ""},
		{"GRANT r TO u", "nothing", ""},
		{"REVOKE r FROM u", "nothing", ""},
		{"SET ROLE r", "nothing", ""},
		{"SET PASSWORD = ''", "nothing", ""},
		{"SET PASSWORD FOR CURRENT_USER = ''", "nothing", ""},
		{"SET PASSWORD FOR x = ''", "UPDATE on mysql.*", "x@%"},
		{"SET DEFAULT ROLE r", "nothing", ""},
		{"SET DEFAULT ROLE r FOR x@LOCALHOST", "UPDATE on mysql.*", "x@localhost"},
		{"SHOW GRANTS", "nothing", ""},
		{"SHOW GRANTS FOR CURRENT_USER", "nothing", ""},
		{"SHOW GRANTS FOR CURRENT_ROLE", "nothing", ""},
		{"SHOW GRANTS FOR x", "SELECT on mysql.*", "x@%"},
		{"SHOW CREATE USER", "nothing", ""},
		{"SHOW CREATE USER x@h", "SELECT on mysql.*", "x@h"},
	} {
		st, _, err := own.Parse(c.sql, dialect.Mode{})
		require.NoError(t, err, c.sql)
		n, ok := OfStatement(st)
		require.True(t, ok, c.sql)
		require.Equal(t, c.want, n.String(), c.sql)
		if c.account != "" {
			require.Equal(t, c.account, n.List[0].Account, c.sql)
		}
	}
	_, ok := OfStatement(nil)
	require.False(t, ok)
}

// The grammar has the names of all privileges, and no others.
func TestGrammarNamesPrivileges(t *testing.T) {
	require.ElementsMatch(t, slices.Collect(maps.Keys(byName)), dialect.Privileges)
}

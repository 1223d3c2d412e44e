package parse

import (
	"testing"

	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect"
)

func TestRestate(t *testing.T) {
	for text, want := range map[string]string{ // "" for what is refused
		"ALTER TABLE t ADD b INT":                        "alter table t add column (\n\tb INT\n)",
		"ALTER TABLE t ADD b INT, DROP c":                "alter table t add column (\n\tb INT\n), drop column c",
		"ALTER TABLE t COMMENT='x'":                      "alter table t comment 'x'",
		"CREATE UNIQUE INDEX i ON t (a(5), b)":           "alter table t add unique index i (a(5), b)",
		"DROP TABLE IF EXISTS a, d.b":                    "drop table if exists a, d.b",
		"CREATE TABLE a LIKE b":                          "create table a like b",
		"TRUNCATE TABLE a":                               "truncate table a",
		"ALTER TABLE t AUTO_INCREMENT=5":                 "",
		"ALTER TABLE t MODIFY a INT AFTER b":             "",
		"ALTER TABLE t CHANGE a b INT FIRST":             "",
		"ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4": "",
		"ALTER TABLE t DEFAULT CHARACTER SET utf8mb4":    "",
		"INSERT INTO t VALUES (1)":                       "insert into t values (1)",
	} {
		ast, err := sqlparser.Parse(text)
		require.NoError(t, err)
		got, err := Restate(ast, dialect.Mode{})
		if want == "" {
			require.ErrorContains(t, err, "1235", text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
	ast, err := sqlparser.Parse(`ALTER TABLE t COMMENT='a\\b'`)
	require.NoError(t, err)
	_, err = Restate(ast, dialect.Mode{NoBackslashEscapes: true})
	require.ErrorContains(t, err, "1235")
}

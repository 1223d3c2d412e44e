package query

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/result"
)

// TestRowsOf: what is repeated for each set of parameters is the list of VALUES and nothing else.
func TestRowsOf(t *testing.T) {
	for sql, want := range map[string]string{
		"INSERT INTO t VALUES (?)":                                                     "(?)",
		"insert into t (a) value (?, 1), (2, f(?))":                                    "(?, 1), (2, f(?))",
		"INSERT INTO value (a) VALUES (?) ON DUPLICATE KEY UPDATE a = VALUES(a)":       "(?)",
		"INSERT INTO d.value (a) VALUES (?)":                                           "(?)",
		"INSERT INTO `values` (a) VALUES (')(?', ?) RETURNING a":                       "(')(?', ?)",
		"REPLACE t VALUES (/* ( */ ?)":                                                 "(/* ( */ ?)",
		"INSERT INTO t SET a = ?":                                                      "",
		"INSERT INTO t SELECT ?":                                                       "",
		"INSERT INTO t SELECT 1 UNION VALUES (?)":                                      "",
		"INSERT INTO t (a) (VALUES (?))":                                               "",
		"INSERT INTO t WITH x AS (SELECT 1) SELECT * FROM x UNION VALUES (?)":          "",
		"INSERT INTO t (a) VALUES (DEFAULT(a) + ?), (?) ON DUPLICATE KEY UPDATE b = ?": "(DEFAULT(a) + ?), (?)",
	} {
		l, ok := rowsOf(sql, dialect.Mode{})
		require.Equal(t, want != "", ok, sql)
		if ok {
			require.Equal(t, want, sql[l.start:l.end], sql)
		}
	}
}

// TestMarksOfRows: DEFAULT takes the place of a placeholder only where that is all of a value.
func TestMarksOfRows(t *testing.T) {
	one, two := []result.Value{result.Signed(1)}, []result.Value{result.Signed(1), result.Signed(2)}
	for _, tc := range []struct {
		sql    string
		values []result.Value
		marks  []Mark
		want   string
		params int
	}{
		{"INSERT INTO t VALUES (?)", one, []Mark{MarkDefault}, "(DEFAULT)", 0},
		{"INSERT INTO t VALUES (?, ?)", two, []Mark{MarkIgnore, MarkNull}, "(DEFAULT, ?)", 1},
		{"INSERT INTO t VALUES ( ? , ?)", two, []Mark{MarkValue, MarkDefault}, "( ? , DEFAULT)", 1},
		{"INSERT INTO t VALUES (? + 1)", one, []Mark{MarkDefault}, "", 0},
		{"INSERT INTO t VALUES (-?)", one, []Mark{MarkDefault}, "", 0},
		{"INSERT INTO t VALUES (f(?))", one, []Mark{MarkDefault}, "", 0},
		{"INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = ?", one, []Mark{MarkDefault}, "", 0},
	} {
		l, ok := rowsOf(tc.sql, dialect.Mode{})
		require.True(t, ok)
		text, params, err := l.row(nil, nil, tc.sql, tc.values, tc.marks)
		require.Equal(t, tc.want == "", err != nil, tc.sql)
		require.Equal(t, tc.want, string(text), tc.sql)
		require.Len(t, params, tc.params, tc.sql)
	}
}

// TestAssignMarks: an UPDATE can give a column its default, or leave it as it is.
func TestAssignMarks(t *testing.T) {
	values := []result.Value{result.Signed(1), result.Signed(2)}
	for _, tc := range []struct {
		sql   string
		marks []Mark
		want  string
	}{
		{"UPDATE t SET a = ?, b = ?", []Mark{MarkDefault, MarkIgnore}, "UPDATE t SET a = DEFAULT, b = b"},
		{"UPDATE t SET a = ?, t . b = ? WHERE c = 1", []Mark{MarkValue, MarkIgnore}, "UPDATE t SET a = ?, t . b = t . b WHERE c = 1"},
		{"UPDATE t SET a = ? WHERE b = ?", []Mark{MarkDefault, MarkValue}, "UPDATE t SET a = DEFAULT WHERE b = ?"},
		{"UPDATE t SET a = ? WHERE b = ?", []Mark{MarkValue, MarkDefault}, ""},
		{"UPDATE t SET a = ? + 1, b = ?", []Mark{MarkDefault, MarkValue}, ""},
		{"UPDATE t SET a = b = ?, b = ?", []Mark{MarkDefault, MarkValue}, ""},
		{"UPDATE t SET a = (?), b = ?", []Mark{MarkIgnore, MarkValue}, ""},
		{"DELETE FROM t WHERE a = ? AND b = ?", []Mark{MarkIgnore, MarkValue}, ""},
	} {
		text, _, err := assignMarks(tc.sql, dialect.Mode{}, values, tc.marks)
		require.Equal(t, tc.want == "", err != nil, tc.sql)
		require.Equal(t, tc.want, text, tc.sql)
	}
}

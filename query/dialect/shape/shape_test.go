package shape_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/shape"
)

func TestTake(t *testing.T) {
	for _, test := range []struct {
		text, key string // literals of the key are ? with the letter of their kind
		sources   []string
	}{
		{"SELECT a FROM t WHERE id = 5 AND b = 'x'", "SELECT a FROM t WHERE id = ?i AND b = ?s", []string{"5", "'x'"}},
		{"update t1 set a1=-12, b=1.5,c=\"it\"\"s\" where d=.5e3", "update t1 set a1=-?i, b=?o,c=?s where d=?o", []string{"12", "1.5", `"it""s"`, ".5e3"}},
		{`INSERT INTO t VALUES (0x1f, x'41', n'a', _utf8'b', 1, 'a\'b', '')`, `INSERT INTO t VALUES (0x1f, x'41', n'a', _utf8?s, ?i, ?s, ?s)`, []string{"'b'", "1", `'a\'b'`, "''"}},
		{"DELETE /* 5 'x' */ FROM `5` WHERE 7up = 7 -- 8", "DELETE /* 5 'x' */ FROM `5` WHERE 7up = ?i -- 8", []string{"7"}},
		{" select 1", " select ?i", []string{"1"}},
		{"REPLACE INTO t /*! VALUES (1) */", "REPLACE INTO t /*! VALUES (?i) */", []string{"1"}},
	} {
		var s shape.Text
		require.True(t, s.Take(test.text, dialect.Mode{}), test.text)
		key := strings.NewReplacer("\x00\x04", "?i", "\x00\x0b", "?s", "\x00\x05", "?o", "\x00\x06", "?o").Replace(string(s.Key))
		require.Equal(t, test.key, key)
		require.Equal(t, len(test.sources), s.Count())
		again := s.Clone()
		require.True(t, s.Take("SELECT 1, 2, 3, 4, 5", dialect.Mode{}))
		for i, source := range test.sources {
			require.Equal(t, source, again.Source(test.text, i))
			at := int32(strings.Index(test.text, source))
			if strings.Count(test.text, source) == 1 {
				require.Equal(t, i, again.Find(at, at+int32(len(source))))
				require.Equal(t, -1, again.Find(at, at+int32(len(source))+1))
				require.Equal(t, -1, again.Find(at-1, at+int32(len(source))))
			}
		}
	}
	var s shape.Text
	for _, text := range []string{
		"", "SET a = 1", "(SELECT 1)", "SELECT ?", "SELECT @a", "SELECT @@a", "SELECT 1; SELECT 2", "SELECT 'a", "SELECT /* ", "SELECT @a := 1", "SELECT 1 " + strings.Repeat(",1", 1000),
		"SELECT '" + strings.Repeat("a", 64<<10) + "'",
	} {
		require.False(t, s.Take(text, dialect.Mode{}), "%.30s", text)
	}
	require.True(t, s.Take(`SELECT "a", 'b\', 1`, dialect.Mode{AnsiQuotes: true, NoBackslashEscapes: true}))
	require.Equal(t, 2, s.Count())
	require.Equal(t, `b\`, s.Unquote(0))
	require.Equal(t, shape.String, s.Kind(0))
	require.Equal(t, shape.Integer, s.Kind(1))
}

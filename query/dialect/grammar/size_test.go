package grammar_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// dense are texts that make much of few bytes: what stands first, what is repeated, and what stands at the end.
var dense = map[string][3]string{
	"columns":       {"SELECT a", ",a", ""},
	"numbers":       {"SELECT 1", ",1", ""},
	"parameters":    {"SELECT ?", ",?", ""},
	"list":          {"SELECT 1 IN (a", ",a", ")"},
	"alternative":   {"SELECT a", "||a", ""},
	"conditions":    {"SELECT 1 FROM t WHERE a", " AND a<b", ""},
	"negations":     {"SELECT a", ",-a", ""},
	"calls":         {"SELECT a", ",a()", ""},
	"variables":     {"SET @a=1", ",@a=1", ""},
	"tables":        {"SELECT 1 FROM t", ",t", ""},
	"aliases":       {"SELECT 1 FROM t", ",t t", ""},
	"unions":        {"SELECT 1", " UNION SELECT a", ""},
	"rows":          {"VALUES (1)", ",(1)", ""},
	"cases":         {"SELECT CASE", " WHEN a THEN a", " END"},
	"texts":         {"SELECT 'a'", ",'a'", ""},
	"quotes":        {"SELECT ''''", `,''''`, ""},
	"set":           {"UPDATE t SET a=a", ",a=a", ""},
	"duplicates":    {"INSERT INTO t SET a=1 ON DUPLICATE KEY UPDATE a=a", ",a=a", ""},
	"orders":        {"SELECT 1 ORDER BY a", ",a", ""},
	"definitions":   {"CREATE TABLE t (a INT", ",a INT", ")"},
	"enums":         {"CREATE TABLE t (a ENUM('a'", ",'a'", "))"},
	"drops":         {"DROP TABLE t", ",t", ""},
	"locks":         {"LOCK TABLES t READ", ",t READ", ""},
	"actions":       {"ALTER TABLE t DROP a", ",DROP a", ""},
	"keys":          {"CREATE TABLE t (a INT,KEY(a", ",a", "))"},
	"indexes":       {"SELECT 1 FROM t USE INDEX(a", ",a", ")"},
	"partitions":    {"CREATE TABLE t (a INT) PARTITION BY LIST(a) (PARTITION p VALUES IN (1", ",1", "))"},
	"program":       {"BEGIN NOT ATOMIC ", "a:BEGIN END;", "END"},
	"statements":    {"BEGIN NOT ATOMIC ", "COMMIT;", "END"},
	"common tables": {"WITH a AS (SELECT 1)", ",a AS (SELECT 1)", "SELECT 1"},
	"windows":       {"SELECT 1 FROM t WINDOW w AS ()", ",w AS ()", ""},
}

// TestTreeIsCounted compares what trees take with what Hold is told of them.
func TestTreeIsCounted(t *testing.T) {
	for name, part := range dense {
		text := part[0] + strings.Repeat(part[1], 1<<18/len(part[1])) + part[2]
		var before, after runtime.MemStats
		held := int64(0)
		runtime.GC()
		runtime.ReadMemStats(&before)
		s, _, err := grammar.Parse(text, grammar.Options{Hold: func(n int64) error {
			held += n
			return nil
		}})
		require.NoError(t, err, name)
		runtime.GC()
		runtime.ReadMemStats(&after)
		took := int64(after.HeapAlloc) - int64(before.HeapAlloc)
		runtime.KeepAlive(s)
		t.Logf("%-22s %4d bytes for a byte of the text, %4d counted", name, took>>18, held>>18)
		require.Less(t, took, held+1<<20, name)
	}
}

// TestTreeIsRefused: the error of Hold is that of the statement, long before all of a text was read.
func TestTreeIsRefused(t *testing.T) {
	enough := errors.New("enough")
	for name, part := range dense {
		held := int64(0)
		s, _, err := grammar.Parse(part[0]+strings.Repeat(part[1], 1<<18/len(part[1]))+part[2], grammar.Options{Hold: func(n int64) error {
			if held += n; held > 1<<20 {
				return enough
			}
			return nil
		}})
		require.Nil(t, s, name)
		require.ErrorIs(t, err, enough, name)
		require.LessOrEqual(t, held, int64(3<<19), name)
	}
}

// TestRowsAreGivenAway: rows of an INSERT come one by one, and what is given away counts no more.
func TestRowsAreGivenAway(t *testing.T) {
	rows, kept := 0, false
	held := int64(0)
	o := grammar.Options{
		Hold: func(n int64) error { held += n; return nil },
		Row: func(r *tree.Row) bool {
			require.Len(t, r.Items, 2)
			rows++
			return kept
		},
	}
	text := "INSERT INTO t (a, b) VALUES " + strings.Repeat("(1, 'x'), ", 9999) + "(1, 'x') ON DUPLICATE KEY UPDATE a = 2"
	s, _, err := grammar.Parse(text, o)
	require.NoError(t, err)
	require.Equal(t, 10000, rows)
	require.Zero(t, held)
	require.Nil(t, s.(*tree.Insert).Rows)
	require.Len(t, s.(*tree.Insert).OnDuplicate, 1)

	kept = true
	_, _, err = grammar.Parse(text, o)
	require.NoError(t, err)
	require.Greater(t, held, int64(10000*128))
}

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// said is a statement with how its answers compare; MariaDB's was right.
func said(sql, class string) statement { return statement{Kind: "query", SQL: sql, Class: class} }

// What a statement left that had another answer explains what differs later; everything else is a difference of its own.
func TestConsequences(t *testing.T) {
	for name, x := range map[string]struct {
		earlier []statement
		sql     string
		counted bool
	}{
		"on its own":                   {nil, "SELECT a FROM t", true},
		"of another table":             {[]statement{said("INSERT INTO t VALUES (1)", "error")}, "SELECT a FROM u", true},
		"table not made":               {[]statement{said("CREATE TABLE t (a INT)", "error")}, "SELECT a FROM t", false},
		"table not changed":            {[]statement{said("UPDATE t SET a = 1", "affected")}, "SELECT a FROM t", false},
		"table read only":              {[]statement{said("SELECT a FROM t", "values")}, "SELECT a FROM t", true},
		"changed and made anew":        {[]statement{said("UPDATE t SET a = 1", "affected"), said("DROP TABLE t", "same")}, "SELECT a FROM t", true},
		"changed and emptied":          {[]statement{said("UPDATE t SET a = 1", "affected"), said("DELETE FROM t", "same")}, "SELECT a FROM t", true},
		"changed by ANALYZE":           {[]statement{said("ANALYZE UPDATE t SET a = 1", "error")}, "SELECT a FROM t", false},
		"explained":                    {[]statement{said("EXPLAIN SELECT a FROM t", "values")}, "SELECT a FROM t", true},
		"variable":                     {[]statement{said("SELECT a INTO @v FROM t", "error")}, "SELECT @v", false},
		"variable set again":           {[]statement{said("SELECT a INTO @v FROM t", "error"), said("SET @v = 1", "same")}, "SELECT @v", true},
		"variable made of it":          {[]statement{said("SELECT a INTO @v FROM t", "error"), said("SET @v = @v + 1", "same")}, "SELECT @v", false},
		"variable read from it":        {[]statement{said("SELECT COUNT(*) INTO @v FROM t", "same"), said("SELECT @v", "values")}, "SELECT a FROM t", false},
		"system variable not set":      {[]statement{said("SET GLOBAL max_connections = 7", "error")}, "SELECT @@global.max_connections", false},
		"system variable set":          {[]statement{said("SET GLOBAL max_connections = 7", "same")}, "SELECT @@max_connections", true},
		"function not made":            {[]statement{said("CREATE FUNCTION f() RETURNS INT RETURN 1", "error")}, "SELECT f()", false},
		"procedure not made":           {[]statement{said("CREATE PROCEDURE p() UPDATE t SET a = 1", "error"), said("CALL p()", "error")}, "SELECT a FROM t", false},
		"procedure made, and not run":  {[]statement{said("CREATE PROCEDURE p() UPDATE t SET a = 1", "same"), said("CALL p()", "error")}, "SELECT a FROM t", false},
		"procedure not run":            {[]statement{said("CREATE PROCEDURE p() UPDATE t SET a = 1", "error")}, "SELECT a FROM t", true},
		"prepared":                     {[]statement{said("PREPARE s FROM 'INSERT INTO t VALUES (1)'", "same"), said("EXECUTE s", "error")}, "SELECT a FROM t", false},
		"prepared of a variable":       {[]statement{said("SET @s = 'INSERT INTO t VALUES (1)'", "same"), said("PREPARE s FROM @s", "error"), said("EXECUTE s", "error")}, "SELECT a FROM t", false},
		"trigger not made":             {[]statement{said("CREATE TRIGGER r AFTER INSERT ON t FOR EACH ROW INSERT INTO u VALUES (1)", "error")}, "SELECT a FROM u", false},
		"trigger made, INSERT refused": {[]statement{said("CREATE TRIGGER r AFTER INSERT ON t FOR EACH ROW INSERT INTO u VALUES (1)", "same"), said("INSERT INTO t VALUES (1)", "error")}, "SELECT a FROM u", false},
		"trigger not made, INSERT":     {[]statement{said("CREATE TRIGGER r AFTER INSERT ON t FOR EACH ROW SET @v = 1", "error"), said("SET @v = 0", "same"), said("INSERT INTO t VALUES (1)", "same")}, "SELECT @v", false},
		"rows of it":                   {[]statement{said("INSERT INTO t VALUES (1)", "error"), said("INSERT INTO u SELECT 1 FROM t", "same")}, "SELECT a FROM u", false},
		"view not written to":          {[]statement{said("CREATE VIEW v AS SELECT a FROM t", "same"), said("UPDATE v SET a = 1", "error")}, "SELECT a FROM t", false},
		"loop":                         {[]statement{said("FOR i IN 1..3 DO INSERT INTO t VALUES (i); END FOR", "error")}, "SELECT a FROM t", false},
		"ROW_COUNT":                    {[]statement{said("UPDATE t SET a = 1", "affected")}, "SELECT ROW_COUNT()", false},
		"ROW_COUNT of another":         {[]statement{said("UPDATE t SET a = 1", "affected"), said("UPDATE u SET a = 1", "same")}, "SELECT ROW_COUNT()", true},
		"text of another language":     {[]statement{said("CREATE PROCEDURE p AS x := 1; INSERT INTO t VALUES (x); END", "error"), said("CALL p()", "error")}, "SELECT a FROM t", false},
	} {
		t.Run(name, func(t *testing.T) {
			var c counts
			c.add(&file{Test: "main/x", Statements: append(x.earlier, said(x.sql, "values"))})
			found := len(c.found) > 0 && c.found[len(c.found)-1].s.SQL == x.sql
			require.Equal(t, x.counted, found)
		})
	}
}

// What is counted at all.
func TestCounted(t *testing.T) {
	h := newHistory()
	h.views["v"] = true
	for sql, want := range map[string]bool{
		"SELECT a FROM t WHERE b = 1":             true,
		"SELECT 1":                                true,
		"INSERT INTO t SELECT a FROM u":           true,
		"SET @a = 1, @b = 2":                      true,
		"SELECT FROM":                             true, // an error in both
		"DO 1":                                    true,
		"SELECT a FROM v":                         false,
		"SELECT a FROM t, u":                      false,
		"SELECT a FROM t UNION SELECT 1":          false,
		"SELECT (SELECT 1)":                       false,
		"SELECT a FROM t WHERE b IN (SELECT 1)":   false,
		"SELECT ROW_NUMBER() OVER () FROM t":      false,
		"WITH c AS (SELECT 1) SELECT * FROM c":    false,
		"SELECT * FROM information_schema.tables": false,
		"SELECT ST_AsText(a) FROM t":              false,
		"SELECT a FROM JSON_TABLE('[]', '$' COLUMNS (a INT PATH '$')) j": false,
		"SELECT UUID()":          false,
		"SELECT @@datadir":       false,
		"SET sql_mode = ''":      false,
		"EXPLAIN SELECT 1":       false,
		"CREATE TABLE t (a INT)": false,
	} {
		require.Equal(t, want, h.counts(sql, parse(sql)), sql)
	}
}

// Rows in another order are another result where the query orders them; a shape counts twenty times; a file that does not run here does not count.
func TestTable(t *testing.T) {
	one := file{Test: "main/ctype_x", Statements: []statement{
		said("SELECT a FROM t ORDER BY a", "order"), said("SELECT b FROM t WHERE a IN (1) /* ORDER BY in a comment */", "same"),
		said("SELECT GROUP_CONCAT(a ORDER BY a), 1 FROM t", "order"), said("SELECT 1 + 1", "accepts"), said("SELECT c FROM t", "lost"),
		{Kind: "connect", SQL: "SELECT 2", Class: "error"},
	}}
	for range 30 {
		one.Statements = append(one.Statements, said("SELECT 'x', 5", "same"))
	}
	lines := new(bytes.Buffer)
	for _, f := range []file{one, {Test: "main/y", RC: skipped, Statements: []statement{said("SELECT 1", "error")}}, {Test: "innodb/z", Statements: []statement{said("DO 1", "hang")}}} {
		encoded, err := json.Marshal(map[string]any{"test": f.Test, "rc": f.RC, "stmts": f.lines()})
		require.NoError(t, err)
		lines.Write(append(encoded, '\n'))
	}
	path := filepath.Join(t.TempDir(), "run")
	require.NoError(t, os.WriteFile(path, lines.Bytes(), 0o600))
	var out strings.Builder
	require.NoError(t, run(&out, []string{path}, true))
	require.Equal(t, `| Suite | Statements | The same | Fails only in Duramen | Another result | Another error | Fails only in MariaDB |
|---|---|---|---|---|---|---|
| main, `+"`ctype_*`"+` (character sets) | 24 | 91.67 % | 0 | 1 | 0 | 1 |
| innodb | 1 | 0.00 % | 1 | 0 | 0 | 0 |
| all | 25 | 88.00 % | 1 | 1 | 0 | 1 |

main/ctype_x: order
  SELECT a FROM t ORDER BY a

main/ctype_x: accepts
  SELECT 1 + 1

innodb/z: hang
  DO 1
`, out.String())
}

func (f *file) lines() (lines []map[string]any) {
	for _, s := range f.Statements {
		lines = append(lines, map[string]any{"kind": s.Kind, "sql": s.SQL, "cls": s.Class})
	}
	return lines
}

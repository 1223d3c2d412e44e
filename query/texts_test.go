package query_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
)

// Further statements for texts, whose placeholders become literals.
var textsAgain = []string{
	"SELECT id FROM t WHERE id = ? OR a = ? ORDER BY id",
	"SELECT id FROM t WHERE b = ? AND a > ? ORDER BY id",
	"SELECT id FROM t WHERE ? = id",
	"SELECT id FROM t WHERE b BETWEEN ? AND ? ORDER BY id",
	"SELECT id FROM t WHERE b <=> ? ORDER BY id",
	"SELECT id FROM t WHERE a <> ? AND b <> ? ORDER BY id",
	"SELECT id, ? FROM t WHERE id = ?",
	"SELECT id AS a FROM t WHERE a = ? HAVING a > ? ORDER BY ?",
	"SELECT id FROM t WHERE e = ? ORDER BY id",
	"SELECT id FROM t WHERE id = -? OR b = 'a' ?",
	"SELECT id FROM t WHERE b = _latin1 ? OR b = N ?",
	"SELECT id FROM t WHERE a IN (?, ?) AND b IN ('two', ?) ORDER BY id",
	"SELECT id FROM t WHERE a IN (1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,?)",
	"SELECT /*!99999 nothing */ a FROM t /*! WHERE id = ? */",
	"SELECT id FROM t -- ? \n WHERE id = ?",
	"SELECT b FROM t WHERE id=? LIMIT ?",
	"SELECT COUNT(*), SUM(a + ?) FROM t WHERE a < ?",
	"UPDATE t SET a = ?, b = ?, d = ?, e = ? WHERE id = ?",
	"UPDATE t SET a = a + 1 WHERE id = ? LIMIT 1",
	"UPDATE t SET a = a + 1 ORDER BY id LIMIT ?",
	"DELETE FROM t WHERE a >= ? ORDER BY id DESC LIMIT ?",
	"SELECT SQL_CALC_FOUND_ROWS id FROM t WHERE a > ? LIMIT ? OFFSET ?",
	"SELECT id FROM t ORDER BY b FETCH FIRST ? ROWS WITH TIES",
	"SELECT b, COUNT(*) FROM t GROUP BY b ORDER BY b LIMIT ?, ?",
	"UPDATE t SET a = ? WHERE a = ? AND b = ?",
	"INSERT INTO t VALUES (NULL, ?, ?, ?, ?)",
	"INSERT INTO t (id, a, b) VALUES (?, ?, ?), (?, ?, ?)",
	"INSERT INTO t SET id = ?, a = ?, b = ? ON DUPLICATE KEY UPDATE a = ?, b = ?",
	"DELETE FROM t WHERE b = ? AND id > ?",
	"SELECT id FROM t WHERE d = ? OR d > DATE ? ORDER BY id",
}

// The literals.
var literalsAgain = []string{
	"3", "4", "5", "1", "2", "007", "1099511627776", "70000", "0", "18446744073709551615", "18446744073709551616", "-1", "2.5", "3.0", ".5", "3e0", "1e400", "NULL", "TRUE", "x'33'", "0x33", "b'11'",
	"'two'", "'2'", "'TWO '", `"two"`, "'t%'", "'\u00e9t\u00e9'", "'a text that is too long for it'", "''", "'it''s'", `'a\nb'`, `'\\'`, "'2020-02-02'", "'2020-02-03 00:00:01'", "'0000-00-00'", "'3'", "'7x'",
	"`a`", "'two' 'three'", "\"\"", `'t~\\o'`,
}

const literalIntegers, literalTexts = 9, 22

// TestTextAgain: a text of a shape that was bound before gives what one gives that is bound, whatever the literals are, in whichever session, and whatever
// changes in between.
func TestTextAgain(t *testing.T) {
	overSeeds(t, 12, 1000, 50, func(t *testing.T, seed uint64) int { return textRuns(t, rand.New(rand.NewPCG(seed, 13)), seed%4 == 3) })
}

// textRuns yields how many runs were of what was bound before.
func textRuns(t *testing.T, rnd *rand.Rand, small bool) (hits int) {
	var clients [2][2]*client
	for i := range clients {
		srv := newServer(t)
		for j := range clients[i] {
			c := srv.connect()
			t.Cleanup(c.Close)
			clients[i][j] = c
			if j == 0 {
				for _, db := range []string{"d", "e"} {
					againTables(c, db)
				}
			}
			if i == 1 {
				c.exec("SET duramen_direct_path = OFF /* %d */", j)
			}
			c.exec("USE d; SET timestamp = 1580774400")
			if small && j == 1 {
				c.exec("SET character_set_client = sjis")
			}
		}
	}
	if small {
		clients[0][0].exec("SET GLOBAL duramen_direct_path_size = 60000")
	}
	texts := append(append([]string{}, preparedAgain...), textsAgain...)
	often := rnd.Perm(len(texts))[:8]
	for range 1000 {
		who := rnd.IntN(2)
		var text string
		if rnd.IntN(25) == 0 {
			text = betweenRuns[rnd.IntN(len(betweenRuns))]
			if strings.HasPrefix(text, "BEGIN") || strings.HasPrefix(text, "LOCK") {
				continue // the other session would wait
			}
		} else {
			at := rnd.IntN(len(texts))
			if rnd.IntN(4) > 0 {
				at = often[rnd.IntN(len(often))]
			}
			if text = texts[at]; strings.Contains(text, "FOR UPDATE") {
				continue
			}
			class := classes(text)
			for i := 0; strings.Contains(text, "?"); i++ {
				var literal string
				few := classLiterals[class[i]]
				switch group := (at + i) % 3; {
				case few != nil && rnd.IntN(8) > 0:
					literal = few[rnd.IntN(len(few))]
				case rnd.IntN(5) == 0:
					literal = literalsAgain[rnd.IntN(len(literalsAgain))]
				case group == 2:
					literal = literalsAgain[literalTexts+rnd.IntN(8)]
				default:
					literal = literalsAgain[rnd.IntN(literalIntegers)]
				}
				text = strings.Replace(text, "?", literal, 1)
			}
		}
		var got [2]string
		for i := range clients {
			c := clients[i][who]
			sets, err := c.run(text)
			got[i] = outcome(c, err, &recorder{sets: sets})
		}
		require.Equal(t, got[1], got[0], text)
	}
	_, err := fmt.Sscanf(clients[0][0].query("SHOW GLOBAL STATUS LIKE 'Direct_hits'"), "Direct_hits|%d", &hits)
	require.NoError(t, err)
	require.Equal(t, "Direct_hits|0", clients[1][0].query("SHOW GLOBAL STATUS LIKE 'Direct_hits'"))
	for _, text := range []string{"SELECT * FROM d.t", "SELECT * FROM e.t", "SELECT * FROM d.g", "SHOW CREATE TABLE d.t"} {
		if sets, err := clients[0][0].run(text); err == nil && len(sets[0].rows) > 0 {
			require.Equal(t, clients[1][0].query(text), sets[0].text(), text)
		}
	}
	return hits
}

// Many sessions run the same texts at once, each with its own literals.
func TestTextsAtOnce(t *testing.T) {
	srv := newServer(t)
	c := srv.connect()
	t.Cleanup(c.Close)
	c.exec("CREATE DATABASE d; USE d; CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(20), KEY (a)); INSERT INTO t SELECT seq, seq * 2, CONCAT('row ', seq) FROM seq_1_to_100")
	c.exec("CREATE TABLE g (id INT PRIMARY KEY, a INT, v VARCHAR(20) AS (CONCAT('v', a)), s INT AS (a * 2) STORED, x VARCHAR(20) DEFAULT (CONCAT('x', a)), CHECK (s < 9000), KEY (v))")
	var sessions sync.WaitGroup
	for n := range 8 {
		c := srv.connect()
		t.Cleanup(c.Close)
		c.exec("USE d")
		if n%2 == 1 {
			c.exec("SET NAMES latin1")
		}
		stmt, err := c.Prepare(context.Background(), "SELECT b FROM t WHERE id = ? AND a BETWEEN ? AND ? AND b LIKE 'row%'")
		require.NoError(t, err)
		sessions.Go(func() {
			for i := range 300 {
				id := (i*8+n)%100 + 1
				want := fmt.Sprintf("row %d", id)
				if got := c.query("SELECT b FROM t WHERE id = %d", id); got != want {
					t.Errorf("%q, not %q", got, want)
				}
				if got := c.query("SELECT b FROM t WHERE a >= %d AND a <= %d AND b = '%s'", id*2, id*2, want); got != want {
					t.Errorf("%q, not %q", got, want)
				}
				c.exec("UPDATE t SET a = %d WHERE id = %d", id*2, id)
				c.exec("REPLACE INTO g (id, a) VALUES (%d, %d)", n, id)
				c.exec("UPDATE g SET a = %d, x = DEFAULT WHERE id = %d", id+1, n)
				computed := fmt.Sprintf("v%d|%d|x%d|NULL", id+1, id*2+2, id+1)
				if got := c.query("SELECT v, s, x, DEFAULT(a) FROM g WHERE id = %d AND v = 'v%d'", n, id+1); got != computed {
					t.Errorf("%q, not %q", got, computed)
				}
				var r recorder
				if err := c.ExecuteStmt(context.Background(), stmt, params(id, id*2-1, id*2+1), &r); err != nil || r.sets[0].text() != want {
					t.Errorf("%v %v, not %q", err, r.sets, want)
				}
			}
		})
	}
	sessions.Wait()
	require.Greater(t, c.status()["Direct_hits"], 8*300*3)
}

// What a statement that was bound before depends on is looked at in each run, prepared or from a text.
func TestBoundBefore(t *testing.T) {
	const foreign = "CREATE TABLE child (p INT, FOREIGN KEY (p) REFERENCES t (id)); INSERT INTO child VALUES (1)"
	for _, test := range []struct {
		text   string // with placeholders, or literals in their places
		first  []result.Value
		change string // between both runs
		second []result.Value
		want   string
	}{
		{"SELECT a FROM t WHERE id = ?", params(1), "CREATE TEMPORARY TABLE t (id INT, a INT); INSERT INTO t VALUES (1, 77)", params(1), "77"},
		{"SELECT a FROM t WHERE id = ?", params(1), "CREATE DATABASE e; USE e; CREATE TABLE t (id INT, a INT); INSERT INTO t VALUES (1, 78)", params(1), "78"},
		{"SELECT a FROM t WHERE id = ?", params(1), "ALTER TABLE t MODIFY a VARCHAR(10); UPDATE t SET a = 'x'", params(1), "x"},
		{"SELECT a FROM t WHERE id = ?", params(1), "ALTER TABLE t MODIFY a VARCHAR(10)", params(1), "10"}, // and no statement after it for which old ones are forgotten
		{"DELETE FROM t WHERE id = ?", params(2), foreign, params(1), "1451"},
		{"UPDATE t SET id = 9 WHERE id = ?", params(2), foreign, params(1), "1451"},
		{"SELECT a FROM t ORDER BY id LIMIT ?", params(1), "", params(2), "10\n20"},
		{"SELECT a FROM t ORDER BY id DESC LIMIT ?, ?", params(0, 1), "", params(1, 5), "20\n10"},
		{"SELECT DISTINCT a FROM t LIMIT ?", params(1), "", []result.Value{result.Unsigned(1<<64 - 1)}, "10\n20\n30"},
		{"SELECT id FROM t ORDER BY c LIMIT ?", params(1), "", params(2000), "3\n2\n1"},
		{"SELECT a FROM t LIMIT ?", params(2), "", params(0), ""},
		{"SELECT ROUND(a / 3, ?) FROM t WHERE id = 1", params(1), "", params(2), "3.33"},
		{"SELECT id FROM t WHERE id IN (?, ?) LIMIT ROWS EXAMINED 1", params(1, 1), "", params(1, 2), "1235"},
		{"SELECT a + ? FROM t WHERE id = 1", params(-11), "", []result.Value{result.Unsigned(1<<64 - 10)}, "1690"},
		{"SELECT a + ? FROM t WHERE id = 1", params(1), "", []result.Value{result.Double(2.5)}, "12.5"},
		{"UPDATE t SET a = ? WHERE id = 1", params(1), "SET sql_mode = ''", params(1 << 40), "0"},
		{"UPDATE t SET a = ? WHERE id = 1", params(1), "", params(1 << 40), "1264"},
		{"SELECT a FROM t WHERE b = ?", []result.Value{result.Text([]byte("x"))}, "SET NAMES utf8mb4 COLLATE utf8mb4_bin", []result.Value{result.Text([]byte("ONE"))}, "10"},
	} {
		for _, prepared := range []bool{true, false} {
			c := newServer(t).connect()
			t.Cleanup(c.Close)
			c.exec("CREATE DATABASE d; USE d; CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(10), c INT, KEY (c)); INSERT INTO t VALUES (1, 10, 'one', -1), (2, 20, 'two', -2), (3, 30, 'x', -3)")
			ctx := context.Background()
			stmt, err := c.Prepare(ctx, test.text)
			require.NoError(t, err)
			run := func(params []result.Value) string {
				var r recorder
				var err error
				if prepared {
					err = c.ExecuteStmt(ctx, stmt, params, &r)
				} else {
					text := test.text
					for _, p := range params {
						literal := string(p.AppendText(nil))
						if p.Kind() == result.KindText {
							literal = "'" + literal + "'"
						}
						text = strings.Replace(text, "?", literal, 1)
					}
					r.sets, err = c.run(text)
				}
				var e *mysqlerr.Error
				if errors.As(err, &e) {
					return fmt.Sprint(e.Number)
				}
				require.NoError(t, err)
				if r.sets[0].ok != nil {
					return fmt.Sprint(len(r.sets[0].ok.Info) - len("Rows matched: 1  Changed: 0  Warnings: 0"))
				}
				return r.sets[0].text()
			}
			run(test.first)
			before := c.status()["Direct_hits"]
			run(test.first)
			require.Greater(t, c.status()["Direct_hits"], before, test.text)
			if test.change != "" {
				c.exec(strings.ReplaceAll(test.change, "%", "%%"))
			}
			require.Equal(t, test.want, run(test.second), "%s, prepared: %v", test.text, prepared)
		}
	}
}

// What is bound natively is not run where native_sql says otherwise, and a statement that would take most of the room is not kept.
func TestNotDirect(t *testing.T) {
	srv := newServer(t)
	c, other := srv.connect(), srv.connect()
	t.Cleanup(c.Close)
	t.Cleanup(other.Close)
	c.exec("CREATE DATABASE d; USE d; CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)")
	other.exec("USE d; SET native_sql = OFF")
	c.exec("SELECT id FROM t WHERE id = 1")
	c.exec("SELECT id FROM t WHERE id = 2")
	hits := c.status()["Direct_hits"]
	require.Positive(t, hits)
	other.exec("SELECT id FROM t WHERE id = 3")
	require.Equal(t, hits, c.status()["Direct_hits"])

	c.exec("SET GLOBAL duramen_direct_path_size = 300000")
	c.exec("SELECT id FROM t WHERE id = 4")
	kept := c.status()["Direct_programs"]
	require.Positive(t, kept)
	many := "SELECT id FROM t WHERE id IN (1" + strings.Repeat(",?", 100) + ")"
	stmt, err := c.Prepare(context.Background(), many)
	require.NoError(t, err)
	require.NoError(t, c.ExecuteStmt(context.Background(), stmt, params(make([]int, 100)...), &recorder{}))
	require.Equal(t, kept, c.status()["Direct_programs"])

	c.exec("CREATE TABLE u (id INT)")
	c.exec("SELECT id FROM t WHERE id = 5")
	require.Equal(t, 1, c.status()["Direct_programs"], "those of other definitions go")
}

// params are integers for placeholders.
func params(values ...int) (out []result.Value) {
	for _, v := range values {
		out = append(out, result.Signed(int64(v)))
	}
	return out
}

// A LIMIT that is none describes the result's columns otherwise than others do.
func TestLimitOfNone(t *testing.T) {
	c := newServer(t).connect()
	t.Cleanup(c.Close)
	c.exec("CREATE DATABASE d; USE d; CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL); INSERT INTO t VALUES (1, 1), (2, 1), (3, 2)")
	const text = "SELECT DISTINCT a + 1 AS x FROM t LIMIT ?"
	ctx := context.Background()
	stmt, err := c.Prepare(ctx, text)
	require.NoError(t, err)
	run := func(most uint64) string {
		var r recorder
		require.NoError(t, c.ExecuteStmt(ctx, stmt, []result.Value{result.Unsigned(most)}, &r))
		return fmt.Sprintf("%+v %s", r.sets[0].cols, r.sets[0].text())
	}
	const none = 1<<64 - 1
	var want [2]string
	c.exec("SET duramen_direct_path = OFF")
	want[0], want[1] = run(none), run(2)
	c.exec("SET duramen_direct_path = ON")
	for _, limits := range [][2]uint64{{none, 2}, {2, none}} {
		c.exec("SET GLOBAL duramen_direct_path_size = 0; SET GLOBAL duramen_direct_path_size = 100000")
		for range 2 {
			for _, most := range limits {
				require.Equal(t, want[most&1^1], run(most), "%d", most)
			}
		}
	}
	require.NotEqual(t, want[0], want[1])
}

// Texts that differ in these literals are one program.
func TestLiteralsAgain(t *testing.T) {
	c := newServer(t).connect()
	t.Cleanup(c.Close)
	againTables(c, "d")
	c.exec("USE d")
	for _, test := range []struct{ first, second string }{
		{"SELECT id FROM g WHERE n = 2.50", "SELECT id FROM g WHERE n = 1234.75"},
		{"SELECT id FROM g WHERE n > 2 ORDER BY id LIMIT 1", "SELECT id FROM g WHERE n > 1000 ORDER BY id LIMIT 20"},
		{"SELECT id FROM g WHERE f BETWEEN 1.5 AND 3", "SELECT id FROM g WHERE f BETWEEN 0.2 AND 30"},
		{"SELECT id FROM g WHERE at = '2020-02-02'", "SELECT id FROM g WHERE at = '2020-02-02 10:00:00.0'"},
		{"SELECT id FROM g WHERE ts < '2020-02-02'", "SELECT id FROM g WHERE ts < '2030-02-02 11:12:13'"},
		{"UPDATE g SET n = 7.5, at = '2021-01-01' WHERE id = 1", "UPDATE g SET n = 8.5, at = '2021-01-02 05:00:00' WHERE id = 2"},
		{"INSERT INTO g (n, f, at) VALUES (1.5, 2.25, '2020-01-01')", "INSERT INTO g (n, f, at) VALUES (20.5, 200.25, '2020-01-01 10:00:00')"},
		{"UPDATE g SET b = UPPER(b), x = DEFAULT WHERE n = 1.5", "UPDATE g SET b = UPPER(b), x = DEFAULT WHERE n = 9.9"},
	} {
		c.exec(test.first)
		before := c.status()["Direct_hits"]
		c.exec(test.second)
		require.Equal(t, before+1, c.status()["Direct_hits"], test.second)
	}
	for _, test := range []struct{ first, second string }{
		{"SELECT id FROM g WHERE n = 2.5", "SELECT id FROM g WHERE n = 2.555"}, // as many digits behind the point as the type has are compared
		{"SELECT id FROM g WHERE at > '2020-02-02' ORDER BY id", "SELECT id FROM g WHERE at > '2020-02-30' ORDER BY id"},
		{"SELECT id FROM g WHERE b = 1.5", "SELECT id FROM g WHERE b = 2.5"},
	} {
		c.exec(test.first)
		before := c.status()["Direct_hits"]
		c.exec(test.second)
		require.Equal(t, before, c.status()["Direct_hits"], test.second)
	}
}

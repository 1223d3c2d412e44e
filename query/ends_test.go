package query_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// endTypes are column types with the values that a random row has in them, besides NULL.
var endTypes = map[string]func(r *rand.Rand) string{
	"INT":             func(r *rand.Rand) string { return fmt.Sprint(r.IntN(200) - 100) },
	"BIGINT UNSIGNED": func(r *rand.Rand) string { return fmt.Sprint(r.Uint64() >> r.IntN(64)) },
	"DECIMAL(30,5)":   func(r *rand.Rand) string { return fmt.Sprintf("%d.%d", r.Int64()-1<<62, r.IntN(100000)) },
	"FLOAT":           func(r *rand.Rand) string { return fmt.Sprint(float32(r.NormFloat64())) },
	"DOUBLE":          func(r *rand.Rand) string { return fmt.Sprint(r.NormFloat64() * 1e9) },
	"YEAR":            func(r *rand.Rand) string { return fmt.Sprint(1901 + r.IntN(255)) },
	"DATE": func(r *rand.Rand) string {
		return fmt.Sprintf("'%04d-%02d-%02d'", r.IntN(9999)+1, r.IntN(12)+1, r.IntN(28)+1)
	},
	"TIME(3)": func(r *rand.Rand) string {
		return fmt.Sprintf("'%d:%02d:%02d.%03d'", r.IntN(1600)-800, r.IntN(60), r.IntN(60), r.IntN(1000))
	},
	"DATETIME(6)": func(r *rand.Rand) string {
		return fmt.Sprintf("'2020-%02d-11 %02d:00:00.%06d'", r.IntN(12)+1, r.IntN(24), r.IntN(1000000))
	},
	"TIMESTAMP(2)": func(r *rand.Rand) string {
		return fmt.Sprintf("'20%02d-%02d-11 %02d:00:00.%02d'", r.IntN(37)+1, r.IntN(12)+1, r.IntN(24), r.IntN(100))
	},
	"BIT(12)":                                    func(r *rand.Rand) string { return fmt.Sprint(r.IntN(4096)) },
	"ENUM('z','y','b','a')":                      func(r *rand.Rand) string { return fmt.Sprintf("'%c'", "zyba"[r.IntN(4)]) },
	"SET('z','y','b','a')":                       func(r *rand.Rand) string { return fmt.Sprintf("'%c'", "zyba"[r.IntN(4)]) },
	"VARBINARY(9)":                               func(r *rand.Rand) string { return fmt.Sprintf("x'%x'", fmt.Sprint(r.IntN(1000))) },
	"CHAR(9) COLLATE utf8mb4_bin":                endText,
	"VARCHAR(9) COLLATE utf8mb4_general_ci":      endText,
	"VARCHAR(9) COLLATE utf8mb4_unicode_ci":      endText,
	"VARCHAR(9) CHARACTER SET latin1":            endText,
	"TEXT COLLATE utf8mb4_general_ci, KEY(c(2))": endText, // an index that is of no use
}

func endText(r *rand.Rand) string {
	letters := []rune("abBAäzß")
	text := make([]rune, r.IntN(4))
	for i := range text {
		text[i] = letters[r.IntN(len(letters))]
	}
	return "'" + string(text) + "'"
}

// TestEnds compares MAX and MIN at the ends of indexes with those of all rows, without an index or of the same lookup.
func TestEnds(t *testing.T) {
	c := newServer(t).connect()
	defer c.Close()
	c.exec("CREATE DATABASE d; USE d; SET sql_mode='', time_zone='+02:00'")
	r := rand.New(rand.NewPCG(6, 9))
	for typ, value := range endTypes {
		key := "KEY(c), KEY(g,c)"
		if strings.Contains(typ, "KEY") {
			key = "KEY(g)"
		}
		c.exec("CREATE OR REPLACE TABLE plain (id INT PRIMARY KEY, g INT, c %s)", strings.Split(typ, ", KEY")[0])
		c.exec("CREATE OR REPLACE TABLE keyed (id INT PRIMARY KEY, g INT, c %s, %s)", typ, key)
		c.exec("CREATE TEMPORARY TABLE session (id INT PRIMARY KEY, g INT, c %s, %s)", typ, key)
		check := func(when string) {
			t.Helper()
			filters := []string{"", "WHERE g=1", "WHERE g IS NULL", "WHERE g>0", "WHERE g IN (1,2)", "WHERE g=1 AND id>5", "WHERE c>" + value(r),
				"WHERE c<=" + value(r), "WHERE c BETWEEN " + value(r) + " AND " + value(r), "WHERE c IN (" + value(r) + "," + value(r) + ")",
				"WHERE g=2 AND c>=" + value(r), "WHERE c IS NULL", "WHERE c<>" + value(r)}
			for _, where := range []string{"", filters[1+r.IntN(5)], filters[6+r.IntN(7)]} {
				for _, table := range []string{"keyed", "session"} {
					for _, end := range []string{"MAX(c)", "MIN(c)", "MAX(id)", "MIN(g)"} {
						// COUNT makes it read all rows.
						all := fmt.Sprintf("(SELECT %s FROM %s %s HAVING COUNT(*)>=0)", end, table, where)
						if where == "" {
							all = fmt.Sprintf("(SELECT %s FROM plain)", end)
						}
						by := fmt.Sprintf("(SELECT %s FROM %s x %s)", end, table, where)
						got := c.query("SELECT %s <=> %s, %[1]s, %[2]s", by, all)
						require.Equal(t, "1", strings.Split(got, "|")[0], "%s, %s: %s: %s", typ, when, by, got)
					}
				}
			}
		}
		change := func(n int) {
			for range n {
				id, g, v := r.IntN(40), []string{"1", "2", "3", "NULL"}[r.IntN(4)], value(r)
				if r.IntN(4) == 0 {
					v = "NULL"
				}
				for _, table := range []string{"plain", "keyed", "session"} {
					switch n % 3 {
					case 0:
						c.exec("DELETE FROM %s WHERE id=%d", table, id)
					default:
						c.exec("REPLACE INTO %s VALUES (%d,%s,%s)", table, id, g, v)
					}
				}
			}
		}
		check("no rows")
		change(14)
		check("rows")
		c.exec("BEGIN")
		change(5)
		change(3)
		check("own changes")
		c.exec("ROLLBACK")
		check("rolled back")
		c.exec("DROP TEMPORARY TABLE session")
	}
}

// TestEndsReadOneRow counts the rows that a locking read has met.
func TestEndsReadOneRow(t *testing.T) {
	srv := newServer(t)
	c, other := srv.connect(), srv.connect()
	defer c.Close()
	defer other.Close()
	c.exec("CREATE DATABASE d; USE d; CREATE TABLE t (id INT PRIMARY KEY, g INT, k INT, KEY(k), KEY(g,k)); INSERT INTO t VALUES (1,1,NULL),(2,1,7),(3,2,9),(4,2,8),(5,1,NULL),(6,2,1)")
	other.exec("USE d")
	for _, one := range []struct{ sql, result, locked string }{
		{"SELECT MAX(id) FROM t", "6", "6"},
		{"SELECT MIN(id) FROM t", "1", "1"},
		{"SELECT MIN(k) FROM t", "1", "6"},
		{"SELECT MAX(k) FROM t", "9", "3"},
		{"SELECT MAX(k), MIN(id) FROM t", "9|1", "1,3"},
		{"SELECT MAX(id)+1 FROM t AS x", "7", "6"},
		{"SELECT MAX(id) FROM t WHERE id<4", "3", "3"},
		{"SELECT MIN(id) FROM t WHERE id>2", "3", "3"},
		{"SELECT MIN(k) FROM t WHERE k<8", "1", "6"},
		{"SELECT MAX(k) FROM t WHERE g=1", "7", "2"},
		{"SELECT MIN(k) FROM t WHERE g=1", "7", "2"},
		{"SELECT MIN(k) FROM t WHERE g=2 AND k>1", "8", "4"},
		{"SELECT MAX(k) FROM t WHERE g=3", "NULL", ""},
		{"SELECT MAX(id) FROM t WHERE id>9", "NULL", ""},
	} {
		c.exec("BEGIN")
		require.Equal(t, one.result, c.query(one.sql+" FOR UPDATE"), one.sql)
		free := strings.ReplaceAll(other.query("SELECT id FROM t ORDER BY id FOR UPDATE SKIP LOCKED"), "\n", ",")
		if free == "" {
			free = "0"
		}
		c.exec("ROLLBACK")
		require.Equal(t, one.locked, strings.ReplaceAll(c.query("SELECT id FROM t WHERE id NOT IN (%s) ORDER BY id", free), "\n", ","), one.sql)
	}
}

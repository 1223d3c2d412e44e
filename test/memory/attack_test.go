package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

const (
	memoryLimit = 192 << 20 // GOMEMLIMIT of the server
	peakMax     = 450 << 20 // of the process; each attack would take gigabytes
)

// Error numbers of a refusal: of the session's budget, of the server's, of a value, and of one that max_allowed_packet does not
// bound in MariaDB.
const (
	refusedSession = 1290
	refusedServer  = 1041
	refusedValue   = 1301
	refusedRoom    = 1037
)

// attack is a statement, or several that build upon each other.
type attack struct {
	name  string
	setup []string // must succeed
	query string   // gives one value, or none
	times int      // how often it runs, 1 unless set; the last outcome counts
	want  string   // the value; NULL for that
	codes []uint16 // or one of these errors
}

// long is the length of a statement that a client may send, in bytes, almost.
const long = 15 << 20

func wide(expr string, n int) string { return strings.TrimSuffix(strings.Repeat(expr+",", n), ",") }

var server = []uint16{refusedServer}

// attacks are run on a table ten of ten rows and thousand of 1000, which have id, an
// integer, and s, a text of 100 characters.
var attacks = []attack{
	{name: "repeat", query: "SELECT REPEAT('x', 1000000000000)", want: "NULL"},
	{name: "space", query: "SELECT SPACE(1000000000000)", want: "NULL"},
	{name: "space, allowed", query: "SELECT LENGTH(SPACE(16777216))", want: "16777216"},
	{name: "lpad", query: "SELECT LPAD('x', 1000000000000, 'y')", want: "NULL"},
	{name: "rpad", query: "SELECT RPAD('x', 1000000000000, 'y')", want: "NULL"},
	{name: "replace", query: "SELECT REPLACE(REPEAT('x', 16000000), 'x', REPEAT('y', 16000000))", want: "NULL"},
	{name: "export_set", query: "SELECT EXPORT_SET(0, 'x', REPEAT('y', 16000000))", want: "NULL"},
	{name: "insert", query: "SELECT INSERT(REPEAT('x', 16000000), 1, 1, REPEAT('x', 16000000))", want: "NULL"},
	{name: "nested hex", query: "SELECT HEX(HEX(HEX(HEX(HEX(HEX(HEX(HEX(REPEAT('x', 16000000)))))))))", want: "NULL"},
	{name: "nested quotes", query: "SELECT LENGTH(JSON_QUOTE(JSON_QUOTE(JSON_QUOTE(JSON_QUOTE(JSON_QUOTE(JSON_QUOTE(JSON_QUOTE(REPEAT('\"', 10000000)))))))))", codes: []uint16{refusedValue, refusedServer}},
	{name: "regexp_replace", query: "SELECT LENGTH(REGEXP_REPLACE(REPEAT('x', 1000000), 'x', REPEAT('y', 1000000)))", codes: []uint16{refusedValue, refusedRoom}},
	{name: "make_set", query: "SELECT LENGTH(MAKE_SET(-1, " + wide("REPEAT('x', 16000000)", 60) + "))", codes: []uint16{refusedServer, refusedValue}},
	{name: "wide row", query: "SELECT " + wide("REPEAT('x', 1000000)", 3000), codes: server},
	{name: "wide row of small values", query: "SELECT " + wide("REPEAT('x', 60000)", 4000) + " ORDER BY 1", codes: []uint16{0, refusedServer}},
	{name: "doubling variable", setup: []string{"SET @a = REPEAT('x', 1000000)"}, query: "SET @a = CONCAT(@a, @a)", times: 40},
	{name: "doubling document", setup: []string{"SET @j = JSON_ARRAY(1)"}, query: "SET @j = JSON_ARRAY(@j, @j)", times: 60},
	{name: "doubling by append", setup: []string{"SET @j = JSON_ARRAY(REPEAT('x', 1000))"}, query: "SET @j = JSON_ARRAY_APPEND(@j, '$', JSON_EXTRACT(@j, '$'))", times: 18, codes: []uint16{refusedValue, refusedServer}},
	{name: "doubling by extract", setup: []string{"SET @j = JSON_ARRAY(REPEAT('x', 1000))"}, query: "SET @j = JSON_EXTRACT(@j, '$', '$')", times: 18, codes: []uint16{refusedValue, refusedServer}},
	{name: "sort", query: "SELECT COUNT(*) FROM (SELECT CONCAT(a.s, b.s, c.s) x FROM thousand a, thousand b, thousand c ORDER BY x) q", codes: server},
	{name: "sort of large values", query: "SELECT REPEAT(a.s, 100000) FROM thousand a ORDER BY 1", codes: server},
	{name: "held result", query: "SELECT CONCAT(a.s, b.s, c.s) FROM thousand a, thousand b, thousand c FOR UPDATE", codes: server},
	{name: "groups", query: "SELECT COUNT(*) FROM (SELECT a.id FROM thousand a, thousand b, thousand c GROUP BY a.id, b.id, c.id) q", codes: server},
	{name: "distinct", query: "SELECT COUNT(*) FROM (SELECT DISTINCT a.id x, b.id y, c.id z FROM thousand a, thousand b, thousand c) q", codes: server},
	{name: "count distinct", query: "SELECT COUNT(DISTINCT a.id, b.id, c.id) FROM thousand a, thousand b, thousand c", codes: server},
	{name: "count distinct of an expression", query: "SELECT COUNT(DISTINCT CONCAT(a.id, '-', b.id, '-', c.id)) FROM thousand a, thousand b, thousand c", codes: server},
	{name: "union", query: "SELECT COUNT(*) FROM (SELECT a.id x, b.id y, c.id z FROM thousand a, thousand b, thousand c UNION SELECT 1, 2, 3) q", codes: server},
	{name: "except", query: "SELECT 1 x, 2 y, 3 z EXCEPT SELECT a.id x, b.id y, c.id z FROM thousand a, thousand b, thousand c", codes: server},
	{name: "window", query: "SELECT COUNT(*) FROM (SELECT ROW_NUMBER() OVER (ORDER BY a.s) FROM thousand a, thousand b, thousand c) q", codes: server},
	{name: "join with a derived table", query: "SELECT COUNT(*) FROM thousand t JOIN (SELECT CONCAT(a.s, b.s, c.s) x FROM thousand a, thousand b, thousand c) q ON t.s = q.x", codes: server},
	{name: "in a subquery", query: "SELECT COUNT(*) FROM thousand t WHERE t.s NOT IN (SELECT CONCAT(a.s, b.s, c.s) FROM thousand a, thousand b, thousand c)", codes: server},
	{name: "group_concat", setup: []string{"SET group_concat_max_len = 1073741824"}, query: "SELECT LENGTH(GROUP_CONCAT(a.s)) FROM thousand a, thousand b, thousand c", codes: server},
	{name: "group_concat, ordered", query: "SELECT LENGTH(GROUP_CONCAT(a.s ORDER BY b.s)) FROM thousand a, thousand b, thousand c", codes: server},
	{name: "json_arrayagg", setup: []string{"SET group_concat_max_len = 1073741824"}, query: "SELECT LENGTH(JSON_ARRAYAGG(a.s)) FROM thousand a, thousand b", want: "16777218"}, // max_allowed_packet cuts it
	{name: "json_objectagg", query: "SELECT LENGTH(JSON_OBJECTAGG(CONCAT(a.id, '-', b.id, '-', c.id), a.s)) FROM thousand a, thousand b, thousand c", codes: []uint16{refusedServer, refusedValue}},
	{name: "recursion", query: "WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT r.n + 1 FROM r, ten) SELECT COUNT(*) FROM r", codes: server},
	{name: "recursion, distinct", query: "WITH RECURSIVE r AS (SELECT 1 n UNION SELECT r.n * 10 + ten.id FROM r, ten) SELECT COUNT(*) FROM r", codes: []uint16{refusedServer, 1690, 1264}},
	{name: "endless recursion", query: "WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) FROM r", want: "1001"},
	{name: "into", query: "SELECT CONCAT(a.s, b.s, c.s) FROM thousand a, thousand b, thousand c INTO @v", codes: append(server, 1172)},
	{name: "in a transaction that goes on", setup: []string{"BEGIN", "INSERT INTO ten VALUES (11, 'eleven')"}, query: "SELECT REPEAT(a.s, 100000) FROM thousand a ORDER BY 1", codes: server},
	{name: "rows of that transaction", query: "SELECT COUNT(*) FROM ten", want: "11"},
	{name: "wide row of a column", setup: []string{"CREATE TABLE broad (b MEDIUMTEXT)", "INSERT INTO broad VALUES (REPEAT('x', 60000))"},
		query: "SELECT " + wide("b", 50_000) + " FROM broad", codes: server},
	{name: "list of a condition", query: "SELECT COUNT(*) FROM ten WHERE id IN (" + wide("1", 300_000) + ")", codes: server},
	{name: "tree of columns", query: "SELECT " + wide("a", long/2), codes: server},
	{name: "tree of conditions", query: "SELECT a" + strings.Repeat("||a", long/3), codes: server},
	{name: "tree of what is not supported", query: "DO " + wide("1", long/2), codes: server},
	{name: "tree of the session's own", query: "SET " + wide("@a=1", long/5), codes: server},
	{name: "tree of an error at the end", query: "SELECT " + wide("a", long/2) + ",", codes: server},
	{name: "tree of a program", query: "BEGIN NOT ATOMIC " + strings.Repeat("COMMIT;", long/7) + "END", codes: server},
	{name: "tokens of what is replaced", query: "CREATE OR REPLACE VIEW v AS SELECT a" + strings.Repeat("||a", long/3), codes: server},
	{name: "tokens of a histogram", query: "ANALYZE TABLE t" + strings.Repeat(",t", long/2) + ",", codes: server},
	{name: "tokens of a definition", query: "CREATE VIEW v AS SELECT a" + strings.Repeat("||a", long/3), codes: server},
	{name: "tokens of what is not supported", query: "HANDLER t READ i = (" + wide("1", long/2) + ")", codes: server},
	{name: "rows of values", setup: []string{"ROLLBACK", "CREATE TABLE many (a INT, b INT)"},
		query: "INSERT INTO many VALUES " + wide("(1,1)", 30000)},
	{name: "rows that are there", query: "SELECT COUNT(*) FROM many", want: "30000"},
}

func TestAttacks(t *testing.T) {
	s := peer.Start(t, peer.Options{Kind: peer.Duramen, Env: []string{fmt.Sprintf("GOMEMLIMIT=%d", memoryLimit)}})
	fill(t, s)
	c := session(t, s)
	_, err := c.ExecContext(context.Background(), "SET max_statement_time = 30")
	require.NoError(t, err)
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			for _, q := range a.setup {
				_, err := c.ExecContext(context.Background(), q)
				require.NoError(t, err, q)
			}
			var got string
			var code uint16
			for range max(a.times, 1) {
				got, code = outcome(t, c, a.query)
			}
			if a.codes != nil {
				require.Contains(t, a.codes, code, "value %.100q", got)
			} else {
				require.Zero(t, code)
				if a.want != "" {
					require.Equal(t, a.want, got)
				}
			}
			other := session(t, s)
			got, code = outcome(t, other, "SELECT COUNT(*) FROM thousand")
			require.Equal(t, "1000", got, "another session: error %d", code)
			require.NoError(t, other.Close())
			t.Logf("peak %d MB", peak(t, s)>>20)
		})
	}
	require.Less(t, peak(t, s), int64(peakMax))
}

// TestManySessions has sessions that each keep what one is allowed to.
func TestManySessions(t *testing.T) {
	s := peer.Start(t, peer.Options{Kind: peer.Duramen, Env: []string{fmt.Sprintf("GOMEMLIMIT=%d", memoryLimit)}})
	var wg sync.WaitGroup
	var mu sync.Mutex
	refused := 0
	for range 8 {
		c := session(t, s)
		wg.Go(func() {
			for i := range 8 {
				_, err := c.ExecContext(context.Background(), fmt.Sprintf("SET @v%d = REPEAT('x', 16000000)", i))
				if err != nil {
					mu.Lock()
					refused++
					mu.Unlock()
					if number(err) != refusedServer {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	require.Positive(t, refused, "64 values of 16 MB were taken")
	require.Less(t, peak(t, s), int64(peakMax))
	got, _ := outcome(t, session(t, s), "SELECT 1")
	require.Equal(t, "1", got)
}

// TestSessionLimit is max_session_mem_used for each place that holds rows.
func TestSessionLimit(t *testing.T) {
	s := peer.Start(t, peer.Options{Kind: peer.Duramen})
	fill(t, s)
	c := session(t, s)
	for _, q := range []string{
		"SELECT REPEAT('x', 2000000)",
		"SET @a = REPEAT('x', 2000000)",
		"SELECT CONCAT(a.s, b.s) x FROM thousand a, thousand b ORDER BY x",
		"SELECT a.s, b.s FROM thousand a, thousand b FOR UPDATE",
		"SELECT a.id, b.id FROM thousand a, thousand b GROUP BY a.id, b.id",
		"SELECT DISTINCT a.id, b.id FROM thousand a, thousand b",
		"SELECT ROW_NUMBER() OVER (ORDER BY a.s) FROM thousand a, thousand b",
		"WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT r.n + 1 FROM r, ten) SELECT COUNT(*) FROM r",
		"SELECT COUNT(*) FROM ten WHERE s NOT IN (SELECT CONCAT(a.s, b.s) FROM thousand a, thousand b)",
		"SELECT 1, 2 INTERSECT SELECT a.id, b.id FROM thousand a, thousand b",
	} {
		_, err := c.ExecContext(context.Background(), "SET max_session_mem_used = 1000000")
		require.NoError(t, err)
		_, code := outcome(t, c, q)
		require.EqualValues(t, refusedSession, code, q)
		// What did not fit is given back, and what fits runs.
		got, code := outcome(t, c, "SELECT COUNT(*) FROM (SELECT s FROM thousand ORDER BY s) q")
		require.Equal(t, "1000", got, "error %d after %s", code, q)
	}
	_, err := c.ExecContext(context.Background(), "SET max_session_mem_used = DEFAULT")
	require.NoError(t, err)
	got, _ := outcome(t, c, "SELECT COUNT(*) FROM (SELECT DISTINCT a.id x, b.id y FROM thousand a, ten b) q")
	require.Equal(t, "10000", got)
}

func fill(t *testing.T, s *peer.Server) {
	db := s.DB("")
	defer db.Close()
	peer.Exec(t, db, "CREATE DATABASE IF NOT EXISTS d",
		"CREATE TABLE d.ten (id INT PRIMARY KEY, s VARCHAR(100))",
		"CREATE TABLE d.thousand (id INT PRIMARY KEY, s VARCHAR(100))")
	for table, n := range map[string]int{"ten": 10, "thousand": 1000} {
		rows := make([]string, n)
		for i := range rows {
			rows[i] = fmt.Sprintf("(%d, 'x%s')", i, strings.Repeat("y", 99))
		}
		peer.Exec(t, db, "INSERT INTO d."+table+" VALUES "+strings.Join(rows, ","))
	}
}

func session(t *testing.T, s *peer.Server) *sql.Conn {
	db := s.DB("")
	c, err := db.Conn(context.Background())
	require.NoError(t, err)
	_, err = c.ExecContext(context.Background(), "CREATE DATABASE IF NOT EXISTS d")
	require.NoError(t, err)
	_, err = c.ExecContext(context.Background(), "USE d")
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return c
}

// outcome runs a query and gives the first value of its last row, or its error's number.
func outcome(t *testing.T, c *sql.Conn, query string) (value string, code uint16) {
	t.Helper()
	rows, err := c.QueryContext(context.Background(), query)
	if err != nil {
		return "", number(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	cells := make([]sql.RawBytes, len(columns))
	into := make([]any, len(columns))
	for i := range cells {
		into[i] = &cells[i]
	}
	for rows.Next() {
		require.NoError(t, rows.Scan(into...))
		value = "NULL"
		if cells[0] != nil {
			value = string(cells[0][:min(len(cells[0]), 100)])
		}
	}
	if err := rows.Err(); err != nil {
		return "", number(err)
	}
	return value, 0
}

func number(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 1
}

// peak is the largest resident size that the server's process had, bytes.
func peak(t *testing.T, s *peer.Server) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Pid()))
	require.NoError(t, err)
	lines := strings.Split(string(status), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "VmHWM:") })
	require.GreaterOrEqual(t, at, 0)
	var kib int64
	_, err = fmt.Sscanf(lines[at], "VmHWM: %d kB", &kib)
	require.NoError(t, err)
	return kib << 10
}

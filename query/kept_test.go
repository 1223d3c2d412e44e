package query_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
)

// Statements that are kept by their texts do each time what they do the first time, from text and prepared, whoever has sent them before.
func TestKeptStatements(t *testing.T) {
	srv := newServer(t)
	c := srv.connect()
	t.Cleanup(c.Close)
	c.exec("CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY); CREATE USER u; GRANT ALL ON d.* TO u")
	u := srv.connect(func(ci *session.ConnInfo) { ci.User, ci.DB = "u", "d" })
	t.Cleanup(u.Close)
	for _, test := range []struct {
		before string
		text   string
		number uint16 // of the error, for whoever
		ofU    uint16 // of the error that another user gets
		check  string
		want   string
		counts string
	}{
		{text: "BEGIN", check: "SELECT @@in_transaction", want: "1", counts: "Com_begin"},
		{before: "DELETE FROM d.t; BEGIN; INSERT INTO d.t VALUES (1)", text: "ROLLBACK", check: "SELECT COUNT(*) FROM d.t", want: "0", counts: "Com_rollback"},
		{before: "DELETE FROM d.t; BEGIN; INSERT INTO d.t VALUES (1)", text: "COMMIT", check: "DELETE FROM d.t RETURNING id", want: "1", counts: "Com_commit"},
		{before: "DELETE FROM d.t; BEGIN; INSERT INTO d.t VALUES (1)", text: "START TRANSACTION", check: "DELETE FROM d.t RETURNING id", want: "1", counts: "Com_begin"},
		{before: "DELETE FROM d.t; BEGIN; INSERT INTO d.t VALUES (1); SAVEPOINT a; INSERT INTO d.t VALUES (2)", text: "ROLLBACK TO a", check: "SELECT * FROM d.t", want: "1"},
		{before: "ROLLBACK", text: "RELEASE SAVEPOINT a", number: mysqlerr.SPDoesNotExist},
		{before: "ROLLBACK; SET sql_mode = 'ANSI_QUOTES'", text: `SAVEPOINT "b"`, check: "SELECT 1", want: "1"},
		{before: "SET sql_mode = ''", text: `SAVEPOINT "b"`, number: mysqlerr.Parse},
		{text: "SET NAMES latin1", check: "SELECT @@character_set_client, @@collation_connection", want: "latin1|latin1_swedish_ci", counts: "Com_set_option"},
		{before: "SET NAMES utf8mb4", text: "SET CHARACTER SET latin1", check: "SELECT @@character_set_results", want: "latin1", counts: "Com_set_option"},
		{before: "SET NAMES utf8mb4", text: "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", check: "SELECT @@tx_isolation", want: "SERIALIZABLE", counts: "Com_set_option"},
		{text: "SET GLOBAL TRANSACTION ISOLATION LEVEL REPEATABLE READ", ofU: mysqlerr.SpecificAccessDenied, counts: "Com_set_option"},
		{before: "ROLLBACK; BEGIN", text: "SET TRANSACTION READ ONLY", number: 1568, counts: "Com_set_option"},
		{before: "ROLLBACK; LOCK TABLES d.t READ", text: "UNLOCK TABLES", check: "REPLACE INTO d.t VALUES (3) RETURNING id", want: "3", counts: "Com_unlock_tables"},
		{before: "DELETE FROM d.t; SELECT 1 = 'x'", text: "BEGIN", check: "SHOW COUNT(*) WARNINGS", want: "0"},
	} {
		for _, by := range []*client{c, c, u, c, u} {
			for _, prepared := range []bool{false, true} {
				if test.before != "" {
					by.exec(test.before)
				}
				counted := ""
				if test.counts != "" {
					counted = c.query("SHOW GLOBAL STATUS LIKE '%s'", test.counts)
				}
				number := test.number
				if by == u && test.ofU > 0 {
					number = test.ofU
				}
				var err error
				var r recorder
				if prepared {
					stmt, wrong := by.Prepare(context.Background(), test.text)
					if err = wrong; err == nil {
						err = by.ExecuteStmt(context.Background(), stmt, nil, &r)
						by.CloseStmt(stmt)
					}
				} else {
					r.sets, err = by.run(test.text)
				}
				if number > 0 {
					var e *mysqlerr.Error
					require.ErrorAs(t, err, &e, test.text)
					require.Equal(t, number, e.Number, test.text)
				} else {
					require.NoError(t, err, test.text)
					require.NotNil(t, r.sets[0].ok, test.text)
				}
				if test.counts != "" && by == c {
					require.NotEqual(t, counted, c.query("SHOW GLOBAL STATUS LIKE '%s'", test.counts), test.text)
				}
				if test.check != "" {
					require.Equal(t, test.want, by.query(test.check), test.text)
				}
				by.exec("ROLLBACK")
			}
		}
	}

	// A prepared statement means what it meant when it was prepared.
	c.exec("SET sql_mode = 'ANSI_QUOTES'")
	stmt, err := c.Prepare(context.Background(), `SAVEPOINT "b"`)
	require.NoError(t, err)
	c.exec("SET sql_mode = ''; BEGIN")
	require.NoError(t, c.ExecuteStmt(context.Background(), stmt, nil, &recorder{}))
	c.exec("ROLLBACK TO b")
	c.exec("SAVEPOINT c; ROLLBACK TO c; COMMIT")
}

// The statements that TestTablelessAgain runs, most of which say or set something of the session.
var tablelessAgain = []string{
	"SELECT 1", "select 1 + 1 AS two, 'a' 'b', NULL, TRUE, 2.50, X'41'", "SELECT 'é', LENGTH('é')", "SELECT \"a\"", "SELECT 'a' || 'b'", "SELECT 'a\\nb'",
	"SELECT @@version_comment LIMIT 1", "SELECT @@autocommit, @@session.tx_isolation AS i, @@tx_read_only", "SELECT @@sql_mode", "SELECT @@global.sql_mode, @@time_zone",
	"SELECT @@character_set_client, @@collation_connection, @@character_set_results", "SELECT @@warning_count", "SELECT @@last_insert_id, @@identity",
	"SELECT @@max_connections", "SELECT @@global.max_connections + 1", "SELECT @@no_such", "SELECT @@in_transaction",
	"SELECT DATABASE(), SCHEMA()", "SELECT database() IS NULL", "SELECT d.database()", "SELECT VERSION()", "SELECT USER(), CURRENT_USER(), CURRENT_USER, CURRENT_ROLE()",
	"SELECT LAST_INSERT_ID(), ROW_COUNT(), FOUND_ROWS()", "SELECT LAST_INSERT_ID(7)", "SELECT ROW_COUNT()", "SELECT FOUND_ROWS()", "SELECT SQL_CALC_FOUND_ROWS 1 LIMIT 0",
	"SELECT @x", "SELECT @x := 3", "SELECT 1 INTO @x", "SELECT 1/0", "SELECT 1 + 'x'", "SELECT 5 FROM DUAL", "SELECT COUNT(*)", "SELECT 1 WHERE 2 > 1", "SELECT 1 LIMIT 0",
	"SELECT 1 AS a HAVING a > 1", "SELECT 1 AS a ORDER BY a", "SELECT a", "SELECT ?", "SELECT ? + 1, @@sql_mode", "SELECT COUNT(*) FROM t", "SELECT DISTINCT 1",
	"SET autocommit=0", "SET autocommit=1", "SET @x=1", "SET @x='a', @y=@@sql_mode", "SET @x=NULL", "SET @x = ?", "SET @x=@y", "SET sql_mode=''", "SET sql_mode=ANSI", "SET sql_mode=DEFAULT",
	"SET sql_mode='NO_BACKSLASH_ESCAPES'", "SET SESSION sql_mode = 'STRICT_ALL_TABLES,nonsense'", "SET time_zone='+02:00'", "SET time_zone=DEFAULT", "SET time_zone='nowhere'",
	"SET character_set_results=NULL", "SET character_set_results=latin1", "SET NAMES utf8mb4", "SET NAMES latin1", "SET tx_isolation='READ-COMMITTED'", "SET @@session.wait_timeout=10, autocommit=1",
	"SET max_connections=5", "SET GLOBAL max_connections=50", "SET GLOBAL max_connections=60", "SET sql_select_limit=5", "SET sql_select_limit=DEFAULT", "SET wait_timeout=-1", "SET sql_log_bin=1", "SET lock_wait_timeout=?",
	"SET div_precision_increment=7", "SET max_error_count=0", "SET max_error_count=DEFAULT", "SET sql_notes=0", "SET sql_notes=1", "SET last_insert_id=9", "SET @@no_such=1",
	"BEGIN", "COMMIT", "ROLLBACK", "USE d", "USE e", "INSERT INTO t VALUES (NULL)", "DELETE FROM t", "SET SESSION TRANSACTION READ ONLY", "SET SESSION TRANSACTION READ WRITE",
	"CREATE TABLE IF NOT EXISTS n (a INT)", "DROP TABLE IF EXISTS n",
}

// A statement without tables that was run before, by whichever session, gives what it gives where nothing is kept.
func TestTablelessAgain(t *testing.T) {
	overSeeds(t, 6, 300, 60, func(t *testing.T, seed uint64) int { return tablelessRuns(t, rand.New(rand.NewPCG(seed, 7))) })
}

// tablelessRuns yields how many runs were of what was bound before.
func tablelessRuns(t *testing.T, rnd *rand.Rand) (hits int) {
	const servers, sessions = 2, 3 // the second server keeps nothing
	var clients [servers][sessions]*client
	for i := range clients {
		srv := newServer(t)
		for j := range clients[i] {
			c := srv.connect(func(ci *session.ConnInfo) {
				if j == 2 {
					ci.User, ci.DB = "u", "d"
				}
			})
			t.Cleanup(c.Close)
			c.exec("SET duramen_direct_path=%d", 1-i)
			if clients[i][j] = c; j == 0 {
				c.exec("CREATE DATABASE d; CREATE DATABASE e; CREATE TABLE d.t (id INT AUTO_INCREMENT PRIMARY KEY); CREATE TABLE e.t (id INT AUTO_INCREMENT PRIMARY KEY)")
				c.exec("CREATE USER u; GRANT ALL ON d.* TO u; GRANT ALL ON e.* TO u")
			}
		}
	}
	ctx := context.Background()
	var prepared [sessions]map[string][servers]*query.Stmt
	for j := range prepared {
		prepared[j] = map[string][servers]*query.Stmt{}
	}
	often := rnd.Perm(len(tablelessAgain))[:20]
	for range 1500 {
		at, j := rnd.IntN(len(tablelessAgain)), rnd.IntN(sessions)
		if rnd.IntN(3) > 0 {
			at = often[rnd.IntN(len(often))]
		}
		text := tablelessAgain[at]
		params := []result.Value{preparedValues[rnd.IntN(len(preparedValues))]}
		if !strings.Contains(text, "?") {
			params = nil
		}
		asText := params == nil && rnd.IntN(2) == 0
		var got [servers]string
		stmts, known := prepared[j][text]
		for i := range clients {
			c := clients[i][j]
			var r recorder
			var err error
			switch {
			case asText:
				r.sets, err = c.run(text)
			default:
				if !known {
					stmts[i], err = c.Prepare(ctx, text)
				}
				if err == nil && stmts[i] != nil {
					err = c.ExecuteStmt(ctx, stmts[i], params, &r)
				}
			}
			got[i] = outcome(c, err, &r)
		}
		if !asText && stmts[0] != nil {
			prepared[j][text] = stmts
		}
		require.Equal(t, got[1], got[0], "%s with %v", text, params)
	}
	for _, like := range []string{"Com\\_%", "Questions"} {
		require.Equal(t, clients[1][0].query("SHOW GLOBAL STATUS LIKE '%s'", like), clients[0][0].query("SHOW GLOBAL STATUS LIKE '%s'", like))
	}
	_, err := fmt.Sscanf(clients[0][0].query("SHOW GLOBAL STATUS LIKE 'Direct_hits'"), "Direct_hits|%d", &hits)
	require.NoError(t, err)
	return hits
}

// What one session has kept of a statement without tables is for others only what is theirs, too.
func TestTablelessOfOthers(t *testing.T) {
	srv := newServer(t)
	c, o := srv.connect(), srv.connect()
	c.exec("CREATE DATABASE d; CREATE TABLE d.t (id INT); CREATE USER u")
	u := srv.connect(func(ci *session.ConnInfo) { ci.User = "u" })
	for _, by := range []*client{c, o, u} {
		t.Cleanup(by.Close)
	}
	for range 3 {
		for _, n := range []string{"50", "60"} {
			c.exec("SET GLOBAL max_connections=" + n)
			for _, by := range []*client{c, o, u} {
				require.Equal(t, n, by.query("SELECT @@global.max_connections"))
				require.Equal(t, n, by.query("SELECT @@max_connections"))
			}
			u.fails(mysqlerr.SpecificAccessDenied, "SET GLOBAL max_connections="+n)
		}
		c.query("SELECT 1 = 'x'")
		require.Equal(t, "1", c.query("SELECT @@warning_count"))
		require.Equal(t, "0", o.query("SELECT @@warning_count"))
		c.query("SELECT 1 = 'x'")
		require.Equal(t, "1", c.query("SELECT @@warning_count"))
		c.query("SELECT * FROM d.t")
		o.query("SELECT 1 = 'x'")
		require.Equal(t, "1", o.query("SELECT @@warning_count"))
		o.query("SELECT * FROM d.t")
		u.exec("SET SESSION autocommit=0, @x=1")
		require.Equal(t, "0|u@localhost", u.query("SELECT @@autocommit, USER()"))
		require.Equal(t, "1|root@localhost", c.query("SELECT @@autocommit, USER()"))
		require.Equal(t, "NULL|NULL", c.query("SELECT @x, DATABASE()"))
		o.exec("USE d")
		require.Equal(t, "d", o.query("SELECT DATABASE()"))
		require.Equal(t, "NULL", c.query("SELECT DATABASE()"))
	}
}

package stopping

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/test/peer"
)

// guard is how long a test waits for what should end at once.
const guard = time.Minute

// endless are statements that do not end by themselves while anybody waits, by kind.
var endless = map[string]string{
	"sleep":              "SELECT SLEEP(100000)",
	"user lock":          "SELECT GET_LOCK('held', 100000)",
	"row lock":           "UPDATE locked SET v = 2 WHERE id = 1",
	"gtid wait":          "SELECT MASTER_GTID_WAIT('0-1-99999999', 100000)",
	"cross join":         "SELECT COUNT(*) FROM n a, n b, n c, n d, n e",
	"no rows":            "SELECT * FROM n a, n b, n c, n d, n e WHERE a.i + b.i + c.i + d.i + e.i < 0",
	"equal keys":         "SELECT COUNT(*) FROM n a JOIN n b ON a.g = b.g JOIN n c ON b.g = c.g JOIN n d ON c.g = d.g JOIN n e ON d.g = e.g WHERE a.i + e.i < 0",
	"group":              "SELECT a.i, COUNT(*) FROM n a, n b, n c, n d, n e GROUP BY a.i",
	"derived":            "SELECT COUNT(*) FROM (SELECT DISTINCT i FROM n) a, (SELECT DISTINCT i FROM n) b, (SELECT DISTINCT i FROM n) c, (SELECT DISTINCT i FROM n) d, (SELECT DISTINCT i FROM n) e",
	"subquery":           "SELECT (SELECT COUNT(*) FROM n b, n c, n d, n e WHERE b.i = a.i + c.i) FROM n a",
	"insert select":      "INSERT INTO copied SELECT a.i + b.i + c.i + d.i + e.i FROM n a, n b, n c, n d, n e WHERE a.i + b.i < 0",
	"procedure":          "CALL for_ever()",
	"with recursive":     "WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT a.x + 1 FROM r a, n b, n c, n d, n e WHERE a.x + b.i + c.i + d.i + e.i < 0) SELECT COUNT(*) FROM r",
	"create select":      "CREATE TABLE made AS SELECT a.i FROM n a, n b, n c, n d, n e WHERE a.i + b.i < 0",
	"delete by subquery": "DELETE FROM copied WHERE i < (SELECT COUNT(*) FROM n a, n b, n c, n d, n e)",
}

func start(t *testing.T, args ...string) (*peer.Server, *sql.DB) {
	t.Helper()
	s := peer.Start(t, peer.Options{Args: append(args, "--innodb-lock-wait-timeout=100000")})
	db := s.DB("")
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	for _, q := range []string{
		"CREATE DATABASE d", "USE d", "CREATE TABLE n (i INT PRIMARY KEY, g INT)", "CREATE TABLE copied (i BIGINT)", "CREATE TABLE locked (id INT PRIMARY KEY, v INT)",
		"INSERT INTO copied VALUES (1)", "INSERT INTO locked VALUES (1, 1)",
		"INSERT INTO n WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r WHERE x < 500) SELECT x, 1 FROM r",
		"CREATE PROCEDURE for_ever() WHILE 1 DO SET @a = 1; END WHILE",
		"BEGIN", "UPDATE locked SET v = 3 WHERE id = 1", "DO GET_LOCK('held', 0)",
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	return s, db // which holds the locks
}

// run runs a statement on a connection of its own; the channel gets how it ended.
func run(t *testing.T, s *peer.Server, settings ...string) (id int64, query func(string) <-chan error) {
	t.Helper()
	pool := s.DB("d")
	t.Cleanup(func() { pool.Close() })
	conn, err := pool.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range settings {
		if _, err := conn.ExecContext(context.Background(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	if err := conn.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id, func(q string) <-chan error {
		ended := make(chan error, 1)
		go func() {
			rows, err := conn.QueryContext(context.Background(), q)
			if err == nil {
				for rows.Next() {
				}
				err = rows.Err()
				rows.Close()
			}
			ended <- err
		}()
		return ended
	}
}

// awaitRunning waits until a connection's statement is seen in the list of processes.
func awaitRunning(t *testing.T, db *sql.DB, id int64, query string) {
	t.Helper()
	for deadline := time.Now().Add(guard); ; {
		var info sql.NullString
		err := db.QueryRow("SELECT INFO FROM information_schema.PROCESSLIST WHERE ID = " + strconv.FormatInt(id, 10)).Scan(&info)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(query, info.String) && info.String != "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is not running", query)
		}
	}
}

func number(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

func await(t *testing.T, ended <-chan error) error {
	t.Helper()
	select {
	case err := <-ended:
		return err
	case <-time.After(guard):
		t.Fatal("the statement goes on")
		return nil
	}
}

// TestKillQuery ends each kind by KILL QUERY: 1317, as in MariaDB.
func TestKillQuery(t *testing.T) {
	s, db := start(t)
	for kind, query := range endless {
		t.Run(kind, func(t *testing.T) {
			id, do := run(t, s)
			ended := do(query)
			awaitRunning(t, db, id, query)
			if _, err := db.Exec("KILL QUERY " + strconv.FormatInt(id, 10)); err != nil {
				t.Fatal(err)
			}
			if err := await(t, ended); number(err) != 1317 {
				t.Errorf("want error 1317, got %v", err)
			}
		})
	}
}

// TestMaxStatementTime ends each kind by its time: 1969, as in MariaDB.
func TestMaxStatementTime(t *testing.T) {
	s, _ := start(t)
	for kind, query := range endless {
		t.Run(kind, func(t *testing.T) {
			_, do := run(t, s, "SET max_statement_time = 0.05")
			if err := await(t, do(query)); number(err) != 1969 {
				t.Errorf("want error 1969, got %v", err)
			}
		})
	}
}

// TestShutdown ends a server in which all kinds run: cleanly, that is with exit code 0.
func TestShutdown(t *testing.T) {
	s, db := start(t, "--shutdown-timeout=1")
	all := map[string]<-chan error{}
	for kind, query := range endless {
		id, do := run(t, s)
		all[kind] = do(query)
		awaitRunning(t, db, id, query)
	}
	s.Stop()
	for kind, ended := range all {
		// Those that wait for a lock get it: its owner is idle, and such connections go first.
		if await(t, ended) == nil && !strings.HasSuffix(kind, "lock") {
			t.Errorf("%s ended as if it were done", kind)
		}
	}
	s.Up()
}

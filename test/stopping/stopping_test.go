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

func start(t *testing.T, args ...string) (*peer.Server, *sql.DB) {
	t.Helper()
	s := peer.Start(t, peer.Options{Args: append(args, "--innodb-lock-wait-timeout=100000")})
	db := s.DB("")
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	for _, q := range setup {
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
	t.Cleanup(func() { _ = pool.Close() })
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
				_ = rows.Close() // has been read to the end
			}
			ended <- err
		}()
		return ended
	}
}

// awaitRunning waits until a connection's statement is seen in the list of processes; GET_LOCK until it waits, because
// a statement that is ended before that has error 1317, as in MariaDB, and one that is ended in its wait has none.
func awaitRunning(t *testing.T, db *sql.DB, id int64, query string) {
	t.Helper()
	for deadline := time.Now().Add(guard); ; {
		var info, state sql.NullString
		err := db.QueryRow("SELECT INFO, STATE FROM information_schema.PROCESSLIST WHERE ID = "+strconv.FormatInt(id, 10)).Scan(&info, &state)
		if err != nil {
			t.Fatal(err)
		}
		waits := query != endless[userLock] || state.String == "User lock"
		if strings.HasPrefix(query, info.String) && info.String != "" && waits {
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

// endedAs is the error of a statement of a kind that is ended. As in MariaDB GET_LOCK is NULL then, and there is no error.
func endedAs(kind string, failure uint16) uint16 {
	if kind == userLock {
		return 0
	}
	return failure
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
			if err := await(t, ended); number(err) != endedAs(kind, 1317) {
				t.Errorf("want error 1317, got %v", err)
			}
		})
	}
	requireIdle(t, s)
	requireUntouched(t, s)
}

// TestMaxStatementTime ends each kind by its time: 1969, as in MariaDB.
func TestMaxStatementTime(t *testing.T) {
	s, _ := start(t)
	for kind, query := range endless {
		t.Run(kind, func(t *testing.T) {
			_, do := run(t, s, "SET max_statement_time = 0.05")
			if err := await(t, do(query)); number(err) != endedAs(kind, 1969) {
				t.Errorf("want error 1969, got %v", err)
			}
		})
	}
	requireIdle(t, s)
	requireUntouched(t, s)
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
		// An ALTER TABLE may be done before the server cancels what runs.
		finite := strings.HasPrefix(endless[kind], "ALTER TABLE many")
		if await(t, ended) == nil && !strings.HasSuffix(kind, "lock") && !finite {
			t.Errorf("%s ended as if it were done", kind)
		}
	}
	s.Up()
}

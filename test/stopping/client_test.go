package stopping

import (
	"context"
	"database/sql"
	"io"
	"strconv"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/test/peer"
)

// TestKillConnection ends statements together with their connections.
func TestKillConnection(t *testing.T) {
	s, db := start(t)
	for _, kind := range []string{"sleep", "row lock", "sort", "join planning", "idle procedure", "check table", "alter", "insert rows"} {
		t.Run(kind, func(t *testing.T) {
			id, do := run(t, s)
			ended := do(endless[kind])
			awaitRunning(t, db, id, endless[kind])
			if _, err := db.Exec("KILL " + strconv.FormatInt(id, 10)); err != nil {
				t.Fatal(err)
			}
			if err := await(t, ended); err == nil || number(err) != 0 && number(err) != 1927 {
				t.Errorf("want error 1927 or a lost connection, got %v", err)
			}
			awaitGone(t, db, id)
		})
	}
	requireIdle(t, s)
	requireUntouched(t, s)
}

// awaitGone waits until a connection is no more in the list of processes.
func awaitGone(t *testing.T, db *sql.DB, id int64) {
	t.Helper()
	awaitCount(t, db, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = "+strconv.FormatInt(id, 10), 0)
}

func awaitCount(t *testing.T, db *sql.DB, query string, want int) {
	t.Helper()
	for deadline := time.Now().Add(guard); ; {
		var n int
		if err := db.QueryRow(query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: still %d", query, n)
		}
	}
}

// load begins LOAD DATA LOCAL for a client that sends one line and then nothing, until the pipe is closed.
func load(t *testing.T, s *peer.Server, db *sql.DB, settings ...string) (id int64, ended <-chan error, send *io.PipeWriter) {
	t.Helper()
	file, send := io.Pipe()
	mysql.RegisterReaderHandler("silent", func() io.Reader { return file })
	t.Cleanup(func() { mysql.DeregisterReaderHandler("silent"); _ = send.Close() })
	id, do := run(t, s, settings...)
	ended = do("LOAD DATA LOCAL INFILE 'Reader::silent' INTO TABLE copied")
	if _, err := io.WriteString(send, "7\n"); err != nil {
		t.Fatal(err)
	}
	awaitRunning(t, db, id, "LOAD DATA LOCAL INFILE 'Reader::silent' INTO TABLE copied")
	return id, ended, send
}

// TestSilentClient ends LOAD DATA LOCAL while its client sends nothing. Its locks are free at once; the client gets the
// error when it is done sending, as it reads nothing before.
func TestSilentClient(t *testing.T) {
	s, db := start(t, "--local-infile=1")
	other := s.DB("d")
	defer other.Close()
	free := func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), guard)
		defer cancel()
		if _, err := other.ExecContext(ctx, "ALTER TABLE copied COMMENT = 'locked by nobody'"); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("KILL QUERY", func(t *testing.T) {
		id, ended, send := load(t, s, db)
		if _, err := db.Exec("KILL QUERY " + strconv.FormatInt(id, 10)); err != nil {
			t.Fatal(err)
		}
		free()
		_ = send.Close() // which does not fail
		if err := await(t, ended); number(err) != 1317 {
			t.Errorf("want error 1317, got %v", err)
		}
	})
	t.Run("max_statement_time", func(t *testing.T) {
		_, ended, send := load(t, s, db, "SET max_statement_time = 0.2")
		free()
		_ = send.Close() // which does not fail
		if err := await(t, ended); number(err) != 1969 {
			t.Errorf("want error 1969, got %v", err)
		}
	})
	t.Run("KILL", func(t *testing.T) {
		id, _, _ := load(t, s, db)
		if _, err := db.Exec("KILL " + strconv.FormatInt(id, 10)); err != nil {
			t.Fatal(err)
		}
		awaitGone(t, db, id)
		free()
	})
	requireUntouched(t, s)
}

// deaf begins a query whose result the client does not read.
func deaf(t *testing.T, s *peer.Server) (id int64) {
	t.Helper()
	pool := s.DB("d")
	conn, err := pool.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.QueryContext(context.Background(), "SELECT REPEAT('x', 10000) FROM n a, n b, n c")
	if err != nil {
		t.Fatal(err)
	}
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	t.Cleanup(func() { _, _ = conn.Raw(func(any) error { return io.EOF }), pool.Close() })
	return id
}

// TestDeafClient ends a statement whose client does not read its result, by KILL and by the server's end.
func TestDeafClient(t *testing.T) {
	s, db := start(t, "--shutdown-timeout=1")
	id := deaf(t, s)
	requireIdle(t, s) // it waits for its client
	if _, err := db.Exec("KILL " + strconv.FormatInt(id, 10)); err != nil {
		t.Fatal(err)
	}
	awaitGone(t, db, id)
	deaf(t, s)
	requireIdle(t, s)
	s.Stop()
}

// TestCommitWaits ends a COMMIT that waits for FLUSH TABLES WITH READ LOCK.
func TestCommitWaits(t *testing.T) {
	s, db := start(t)
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	id, do := run(t, s, "BEGIN", "INSERT INTO copied VALUES (2)")
	if _, err := db.Exec("FLUSH TABLES WITH READ LOCK"); err != nil {
		t.Fatal(err)
	}
	ended := do("COMMIT")
	awaitRunning(t, db, id, "COMMIT")
	if _, err := db.Exec("KILL QUERY " + strconv.FormatInt(id, 10)); err != nil {
		t.Fatal(err)
	}
	if err := await(t, ended); number(err) != 1317 {
		t.Errorf("want error 1317, got %v", err)
	}
	if _, err := db.Exec("UNLOCK TABLES"); err != nil {
		t.Fatal(err)
	}
}

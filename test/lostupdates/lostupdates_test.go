package lostupdates

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/test/peer"
)

const clients = 16

// ways of adding one to k of row id.
var ways = []struct {
	name string
	add  func(ctx context.Context, c *sql.Conn, id int) error
}{
	{"autocommit", func(ctx context.Context, c *sql.Conn, id int) error {
		_, err := c.ExecContext(ctx, fmt.Sprintf("UPDATE lost.t SET k=k+1 WHERE id=%d", id))
		return err
	}},
	{"prepared", func(ctx context.Context, c *sql.Conn, id int) error {
		_, err := c.ExecContext(ctx, "UPDATE lost.t SET k=k+? WHERE id=?", 1, id)
		return err
	}},
	{"by secondary index", func(ctx context.Context, c *sql.Conn, id int) error {
		_, err := c.ExecContext(ctx, "UPDATE lost.t SET k=k+1, s=s+1 WHERE tag=?", fmt.Sprint("tag", id))
		return err
	}},
	{"whole table", func(ctx context.Context, c *sql.Conn, id int) error {
		_, err := c.ExecContext(ctx, "UPDATE lost.t SET k=k+IF(id=?,1,0)", id)
		return err
	}},
	{"transaction", func(ctx context.Context, c *sql.Conn, id int) error {
		return inTransaction(ctx, c, "", func() error {
			_, err := c.ExecContext(ctx, "UPDATE lost.t SET k=k+1 WHERE id=?", id)
			return err
		})
	}},
	{"read committed", func(ctx context.Context, c *sql.Conn, id int) error {
		return inTransaction(ctx, c, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED", func() error {
			_, err := c.ExecContext(ctx, "UPDATE lost.t SET k=k+1 WHERE id=?", id)
			return err
		})
	}},
	{"after an old snapshot", func(ctx context.Context, c *sql.Conn, id int) error {
		return inTransaction(ctx, c, "", func() error {
			var n int
			if err := c.QueryRowContext(ctx, "SELECT SUM(k) FROM lost.t").Scan(&n); err != nil {
				return err
			}
			_, err := c.ExecContext(ctx, "UPDATE lost.t SET k=k+1 WHERE id=?", id)
			return err
		})
	}},
	{"read for update, write a value", func(ctx context.Context, c *sql.Conn, id int) error {
		return inTransaction(ctx, c, "", func() error {
			var k int
			if err := c.QueryRowContext(ctx, "SELECT k FROM lost.t WHERE id=? FOR UPDATE", id).Scan(&k); err != nil {
				return err
			}
			_, err := c.ExecContext(ctx, "UPDATE lost.t SET k=? WHERE id=?", k+1, id)
			return err
		})
	}},
	{"insert on duplicate key", func(ctx context.Context, c *sql.Conn, id int) error {
		_, err := c.ExecContext(ctx, "INSERT INTO lost.t VALUES (?,1,0,'') ON DUPLICATE KEY UPDATE k=k+1", id)
		return err
	}},
}

func inTransaction(ctx context.Context, c *sql.Conn, before string, do func() error) error {
	if before != "" {
		if _, err := c.ExecContext(ctx, before); err != nil {
			return err
		}
	}
	if _, err := c.ExecContext(ctx, "BEGIN"); err != nil {
		return err
	}
	if err := do(); err != nil {
		_, _ = c.ExecContext(ctx, "ROLLBACK")
		return err
	}
	_, err := c.ExecContext(ctx, "COMMIT")
	return err
}

func TestUpdatesAddUp(t *testing.T) {
	s := peer.Start(t, peer.Options{})
	db := s.DB("")
	defer db.Close()
	peer.Exec(t, db, "CREATE DATABASE lost")
	each := peer.Scaled(25, 500)
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			peer.Exec(t, db, "DROP TABLE IF EXISTS lost.t",
				"CREATE TABLE lost.t (id INT PRIMARY KEY, k INT NOT NULL, s INT NOT NULL, tag VARCHAR(20), KEY s (s), KEY tag (tag))",
				"INSERT INTO lost.t VALUES (1,0,0,'tag1'),(2,0,0,'tag2')")
			retries := run(t, db, each, way.add)
			if got := peer.MustRows(t, db, "SELECT SUM(k) FROM lost.t")[0]; got != fmt.Sprintf("%q", fmt.Sprint(clients*each)) {
				t.Errorf("%d clients added %d each: the sum is %s", clients, each, got)
			}
			peer.RequireSound(t, db, "lost.t")
			t.Logf("%d additions, %d deadlocks retried", clients*each, retries)
		})
	}
	// After a crash it still has to add up.
	want := peer.MustRows(t, db, "SELECT * FROM lost.t ORDER BY id")
	s.Kill()
	s.Up()
	if got := peer.MustRows(t, db, "SELECT * FROM lost.t ORDER BY id"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("after a crash: %v, before: %v", got, want)
	}
}

func run(t *testing.T, db *sql.DB, each int, add func(context.Context, *sql.Conn, int) error) (retries int) {
	t.Helper()
	ctx := context.Background()
	var mu sync.Mutex
	var wg sync.WaitGroup
	errs := make([]error, clients)
	for i := range clients {
		wg.Go(func() {
			c, err := db.Conn(ctx)
			if err != nil {
				errs[i] = err
				return
			}
			defer c.Close()
			for n := 0; n < each; {
				err := add(ctx, c, n%2+1)
				var e *mysql.MySQLError
				switch {
				case err == nil:
					n++
				case errors.As(err, &e) && e.Number == 1213:
					mu.Lock()
					retries++
					mu.Unlock()
				default:
					errs[i] = err
					return
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return retries
}

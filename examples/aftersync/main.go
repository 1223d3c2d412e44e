// Command aftersync holds every commit until its part of the binary log has been copied: a program's own
// semi-synchronous replication.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"sync"

	_ "github.com/go-sql-driver/mysql" // the driver's name is "mysql"

	"github.com/duramendb/duramen"
	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/logpos"
)

func main() {
	dir := "data"
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := run(context.Background(), dir, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// standby takes the events. Here it counts them; another program would send them away and wait for an answer.
type standby struct {
	mu     sync.Mutex
	r      *binlog.Reader
	groups binlog.Groups
	events int
	err    error // why it went on without copies
}

// copyUpTo is the hook. A commit cannot fail any more where it is called, so after an error the standby says so and
// holds nobody up.
func (s *standby) copyUpTo(logpos.Pos) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.err == nil {
		ev, _, err := s.r.NextNoWait() // the end of the group is the end of what readers see
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			_, err = s.groups.Next(ev)
		}
		s.events++
		s.err = err
	}
}

// last is the newest transaction that was copied.
func (s *standby) last() (gtid string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.groups.GTID.String(), s.err
}

// run commits a few transactions in dir, and shows that each was copied when it was acknowledged.
func run(ctx context.Context, dir string, out io.Writer) (err error) {
	srv, err := duramen.Start(ctx, duramen.Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, srv.Close()) }()

	r, err := srv.Log().NewReader(srv.Log().Visible())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	copies := &standby{r: r}
	srv.SetAfterSync(copies.copyUpTo)
	defer srv.SetAfterSync(nil)

	db, err := sql.Open("mysql", srv.DSN("root", ""))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, q := range []string{
		"CREATE DATABASE IF NOT EXISTS shop", "CREATE OR REPLACE TABLE shop.item (id INT PRIMARY KEY)", "INSERT INTO shop.item VALUES (1), (2)",
	} {
		if _, err := db.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
		gtid, err := copies.last()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "copied up to %s: %s\n", gtid, q); err != nil {
			return err
		}
	}
	return nil
}

// Command tail reads committed transactions from the binary log as they come, within the server's own process.
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

	_ "github.com/go-sql-driver/mysql" // the driver's name is "mysql"

	"github.com/duramendb/duramen"
	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
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

// writes are what the tail shows: four transactions.
var writes = []string{
	"CREATE DATABASE IF NOT EXISTS shop",
	"CREATE OR REPLACE TABLE shop.item (id INT PRIMARY KEY, name VARCHAR(40))",
	"INSERT INTO shop.item VALUES (1, 'plank'), (2, 'beam')",
	"UPDATE shop.item SET name = 'board' WHERE id = 1",
}

// run serves dir, writes, and shows the transactions until the last of them.
func run(ctx context.Context, dir string, out io.Writer) (err error) {
	srv, err := duramen.Start(ctx, duramen.Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, srv.Close()) }()

	from := srv.Log().Visible() // or the place that a former run has kept
	ctx, cancel := context.WithCancelCause(ctx)
	written := make(chan struct{})
	go func() {
		defer close(written)
		if err := write(ctx, srv); err != nil {
			cancel(err) // there is nothing more to wait for
		}
	}()
	if err = tail(ctx, srv.Log(), from, len(writes), out); err != nil {
		err = errors.Join(err, context.Cause(ctx))
	}
	cancel(nil)
	<-written
	return err
}

func write(ctx context.Context, srv *duramen.Server) error {
	db, err := sql.Open("mysql", srv.DSN("root", ""))
	if err != nil {
		return err
	}
	for _, q := range writes {
		if _, err := db.ExecContext(ctx, q); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", q, err), db.Close())
		}
	}
	return db.Close()
}

// tail shows n transactions after from. It waits for those that are not there yet.
func tail(ctx context.Context, l *binlog.Log, from logpos.Pos, n int, out io.Writer) (err error) {
	r, err := l.NewReader(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	var groups binlog.Groups // knows where transactions begin and end
	for n > 0 {
		raw, _, err := r.Next(ctx)
		if err != nil {
			return err
		}
		ended, err := groups.Next(raw)
		if err != nil {
			return err
		}
		ev, err := event.Decode(raw) // shares the memory of raw, which is valid until Next
		if err != nil {
			return err
		}
		switch b := ev.Body.(type) {
		case *event.Query:
			_, err = fmt.Fprintf(out, "%v %s\n", groups.GTID, b.SQL)
		case *event.Annotate:
			_, err = fmt.Fprintf(out, "%v %s\n", groups.GTID, b.SQL)
		case *event.RowsInfo:
			_, err = fmt.Fprintf(out, "%v %v: %d bytes of row images\n", groups.GTID, b.Kind, len(b.Rows))
		}
		if err != nil {
			return err
		}
		if ended {
			n-- // r.Position() is where a later run goes on
		}
	}
	return nil
}

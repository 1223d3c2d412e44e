// Command embed runs a server inside of a program: it opens a data directory, runs SQL in it, and closes it.
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

// run adds a visit to the table of visits in dir, and says how many there were.
func run(ctx context.Context, dir string, out io.Writer) (err error) {
	srv, err := duramen.Start(ctx, duramen.Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	// A clean end; without it the next start would recover.
	defer func() { err = errors.Join(err, srv.Close()) }()

	db, err := sql.Open("mysql", srv.DSN("root", ""))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, q := range []string{
		"CREATE DATABASE IF NOT EXISTS shop",
		"CREATE TABLE IF NOT EXISTS shop.visit (id INT PRIMARY KEY AUTO_INCREMENT)",
		"INSERT INTO shop.visit VALUES ()",
	} {
		if _, err := db.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	var n int
	if err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM shop.visit").Scan(&n); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "visits:", n)
	return err
}

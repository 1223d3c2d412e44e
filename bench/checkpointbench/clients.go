package checkpointbench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/bench/load"
)

// clients change rows until ctx is done.
type clients struct {
	db     *sql.DB
	set    string // prefix of the tables
	tables int
	rows   int
	began  time.Time
	seed   uint64
}

// textBytes is the length of what a transaction writes into its row.
const textBytes = 119

const letters = "0123456789abcdefghijklmnopqrstuvwxyz-"

// open connects; close its db.
func open(a load.Address, n int) (*sql.DB, error) {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName = a.User, "tcp", fmt.Sprintf("%s:%d", a.Host, a.Port), a.Database
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db, nil
}

// run lets n clients work until ctx is done, and returns all commits.
func (c *clients) run(ctx context.Context, n int) ([]commit, error) {
	made, errs := make([][]commit, n), make([]error, n)
	ctx, failed := context.WithCancel(ctx)
	defer failed()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if made[i], errs[i] = c.client(ctx, i); errs[i] != nil {
				failed()
			}
		})
	}
	wg.Wait()
	var all []commit
	for _, m := range made {
		all = append(all, m...)
	}
	return all, errors.Join(errs...)
}

// client makes one transaction after the other. The one that is under way when ctx is done is finished.
func (c *clients) client(ctx context.Context, number int) (made []commit, err error) {
	whole := context.WithoutCancel(ctx)
	conn, err := c.db.Conn(whole)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	statements := make([]*sql.Stmt, c.tables)
	for i := range statements {
		if statements[i], err = conn.PrepareContext(whole, fmt.Sprintf("UPDATE %s%d SET c = ? WHERE id = ?", c.set, i+1)); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, statements[i].Close()) }()
	}
	rnd := rand.New(rand.NewPCG(c.seed, uint64(number)))
	text := make([]byte, textBytes)
	for ctx.Err() == nil {
		for i := range text {
			text[i] = letters[rnd.IntN(len(letters))]
		}
		begin := time.Since(c.began)
		if _, err := statements[rnd.IntN(c.tables)].ExecContext(whole, string(text), 1+rnd.IntN(c.rows)); err != nil {
			return made, err
		}
		made = append(made, commit{begin: begin, took: time.Since(c.began) - begin})
	}
	return made, nil
}

package crash

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/test/peer"
)

const (
	accounts    = 40
	accountSum  = accounts * 1000
	ledgerKept  = 30 // rows that a writer leaves in the ledger
	tablesKept  = 3  // tables that the DDL connection leaves
	lockTimeout = 1205
	deadlock    = 1213
)

var schema = []string{
	"CREATE DATABASE crash",
	"CREATE TABLE crash.ledger (writer INT, seq INT, note VARCHAR(60) NOT NULL, amount DECIMAL(12,2), PRIMARY KEY (writer, seq), UNIQUE KEY note (note), KEY amount (amount))",
	"CREATE TABLE crash.counters (writer INT PRIMARY KEY, seq INT NOT NULL, KEY seq (seq))",
	"CREATE TABLE crash.journal (writer INT, seq INT, body TEXT)",
	"CREATE TABLE crash.accounts (id INT PRIMARY KEY, balance INT NOT NULL, KEY balance (balance))",
}

// writer is one client with its record of what was acknowledged. acked and
// tried are equal except while a COMMIT is under way or its answer was lost.
type writer struct {
	id           int
	acked, tried int
	rnd          *rand.Rand
}

// run makes transactions until the connection breaks or ctx ends. It returns an
// error only for what a crash does not explain.
func (w *writer) run(ctx context.Context, db *sql.DB, crashed func() bool) error {
	for ctx.Err() == nil {
		switch err := w.transaction(ctx, db); {
		case err == nil:
			w.acked = w.tried
		case isRetry(err):
			w.tried = w.acked // the server said that it rolled back
		case crashed() || ctx.Err() != nil:
			return nil
		default:
			return fmt.Errorf("writer %d, transaction %d: %w", w.id, w.tried, err)
		}
	}
	return nil
}

func isRetry(err error) bool {
	var e *mysql.MySQLError
	return errors.As(err, &e) && (e.Number == deadlock || e.Number == lockTimeout)
}

// transaction number acked+1 changes all four tables.
func (w *writer) transaction(ctx context.Context, db *sql.DB) error {
	n := w.acked + 1
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	from, to := w.rnd.IntN(accounts), w.rnd.IntN(accounts)
	amount := w.rnd.IntN(20)
	steps := []struct {
		query string
		args  []any
	}{
		{"INSERT INTO crash.ledger VALUES (?, ?, ?, ?)", []any{w.id, n, fmt.Sprintf("note %d of writer %d", n, w.id), amount}},
		{"UPDATE crash.counters SET seq = ? WHERE writer = ?", []any{n, w.id}},
		{"INSERT INTO crash.journal VALUES (?, ?, REPEAT('x', ?))", []any{w.id, n, w.rnd.IntN(300)}},
		{"UPDATE crash.accounts SET balance = balance - ? WHERE id = ?", []any{amount, from}},
		{"UPDATE crash.accounts SET balance = balance + ? WHERE id = ?", []any{amount, to}},
		{"UPDATE crash.ledger SET amount = amount + 1 WHERE writer = ? AND seq = ?", []any{w.id, n - ledgerKept/2}},
		{"DELETE FROM crash.ledger WHERE writer = ? AND seq <= ?", []any{w.id, n - ledgerKept}},
	}
	for _, s := range steps {
		if _, err := tx.ExecContext(ctx, s.query, s.args...); err != nil {
			return err
		}
	}
	// From here on the transaction may be in the log, whatever is answered.
	w.tried = n
	return tx.Commit()
}

// definer creates and drops tables; acked counts its acknowledged rounds.
type definer struct{ acked, tried int }

func (d *definer) run(ctx context.Context, db *sql.DB, crashed func() bool) error {
	for ctx.Err() == nil {
		d.tried = d.acked + 1
		n := d.tried
		for _, q := range []string{
			fmt.Sprintf("CREATE TABLE crash.d%d (id INT PRIMARY KEY, v VARCHAR(20))", n),
			fmt.Sprintf("INSERT INTO crash.d%d VALUES (1,'one'),(2,'two')", n),
			fmt.Sprintf("ALTER TABLE crash.d%d ADD COLUMN w INT DEFAULT 7, ADD INDEX v (v)", n),
			fmt.Sprintf("DROP TABLE IF EXISTS crash.d%d", max(0, n-tablesKept)),
		} {
			if _, err := db.ExecContext(ctx, q); err != nil {
				if crashed() || ctx.Err() != nil {
					return nil //nolint:nilerr // what the crash interrupts fails
				}
				return fmt.Errorf("%s: %w", q, err)
			}
		}
		d.acked = n
	}
	return nil
}

// verify compares the server's tables with the writers' records, and takes
// over what a commit without an answer turned out to have done.
func verify(t *testing.T, db *sql.DB, writers []*writer, d *definer) {
	t.Helper()
	for _, w := range writers {
		var seq, ledgerMax, ledgerRows, journalMax, journalRows, journalSum int
		row := db.QueryRow("SELECT (SELECT seq FROM crash.counters WHERE writer=?)", w.id)
		if err := row.Scan(&seq); err != nil {
			t.Fatalf("counter of writer %d: %v", w.id, err)
		}
		if seq < w.acked || seq > w.tried {
			t.Errorf("writer %d: transaction %d was acknowledged and %d tried, but the counter says %d", w.id, w.acked, w.tried, seq)
		}
		row = db.QueryRow("SELECT COALESCE(MAX(seq),0), COUNT(*) FROM crash.ledger WHERE writer=?", w.id)
		if err := row.Scan(&ledgerMax, &ledgerRows); err != nil {
			t.Fatalf("ledger of writer %d: %v", w.id, err)
		}
		row = db.QueryRow("SELECT COALESCE(MAX(seq),0), COUNT(*), COALESCE(SUM(seq),0) FROM crash.journal WHERE writer=?", w.id)
		if err := row.Scan(&journalMax, &journalRows, &journalSum); err != nil {
			t.Fatalf("journal of writer %d: %v", w.id, err)
		}
		if ledgerMax != seq || ledgerRows != min(seq, ledgerKept) {
			t.Errorf("writer %d at %d: the ledger ends at %d with %d rows", w.id, seq, ledgerMax, ledgerRows)
		}
		if journalMax != seq || journalRows != seq || journalSum != seq*(seq+1)/2 {
			t.Errorf("writer %d at %d: the journal ends at %d with %d rows, sum %d", w.id, seq, journalMax, journalRows, journalSum)
		}
		w.acked, w.tried = seq, seq
	}
	var sum, n int
	if err := db.QueryRow("SELECT SUM(balance), COUNT(*) FROM crash.accounts").Scan(&sum, &n); err != nil {
		t.Fatal(err)
	}
	if sum != accountSum || n != accounts {
		t.Errorf("%d accounts hold %d, want %d and %d", n, sum, accounts, accountSum)
	}
	d.verify(t, db)
	for _, table := range peer.Tables(t, db) {
		peer.RequireSound(t, db, table)
	}
}

func (d *definer) verify(t *testing.T, db *sql.DB) {
	t.Helper()
	for n := d.acked; n > 0 && n > d.acked-tablesKept+1; n-- {
		rows, err := peer.Rows(db, fmt.Sprintf("SELECT id, v, w FROM crash.d%d ORDER BY id", n))
		if err != nil || len(rows) != 2 || rows[0] != `"1" "one" "7"` || rows[1] != `"2" "two" "7"` {
			t.Errorf("table d%d, acknowledged: %v, %v", n, rows, err)
		}
	}
	// The interrupted round, in whatever state, makes room for the next.
	for n := d.acked + 1; n <= d.tried; n++ {
		peer.Exec(t, db, fmt.Sprintf("DROP TABLE IF EXISTS crash.d%d", n))
	}
	peer.Exec(t, db, fmt.Sprintf("DROP TABLE IF EXISTS crash.d%d", max(0, d.acked-tablesKept)))
	d.tried = d.acked
}

// load runs all writers, half of them with prepared statements, and returns the
// function that ends them together with the server and gives their errors.
func load(prepared, text *sql.DB, writers []*writer, d *definer) (crash func(kill func()) []error) {
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	var dead bool
	crashed := func() bool { mu.Lock(); defer mu.Unlock(); return dead }
	var wg sync.WaitGroup
	errs := make([]error, len(writers)+1)
	for i, w := range writers {
		db := prepared
		if i%2 == 1 {
			db = text
		}
		wg.Go(func() { errs[i] = w.run(ctx, db, crashed) })
	}
	wg.Go(func() { errs[len(writers)] = d.run(ctx, text, crashed) })
	return func(kill func()) []error {
		mu.Lock()
		dead = true
		mu.Unlock()
		kill()
		cancel()
		wg.Wait()
		return errs
	}
}

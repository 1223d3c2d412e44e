package following

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/test/peer"
)

// The tables of a load: with a primary key and a secondary one, with a unique key of two columns, and without any; and the ledger, in which
// each client writes the number of each of its transactions.
var loadTables = []string{
	"CREATE DATABASE work",
	"CREATE TABLE work.keyed (id INT AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL, v VARCHAR(200), d DECIMAL(12,3), t DATETIME(6), KEY k (k))",
	"CREATE TABLE work.paired (a INT NOT NULL, b INT NOT NULL, v VARCHAR(200), n BIGINT, UNIQUE KEY ab (a, b), KEY n (n))",
	"CREATE TABLE work.bare (k INT, v VARCHAR(200))",
	"CREATE TABLE work.parents (id INT PRIMARY KEY, n INT NOT NULL)",
	"CREATE TABLE work.children (id INT AUTO_INCREMENT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES work.parents (id) ON DELETE CASCADE)",
	"CREATE TABLE work.ledger (client INT NOT NULL, n INT NOT NULL, PRIMARY KEY (client, n))",
}

// load has clients that change the tables of work until it is stopped. They live through the loss of their server.
type load struct {
	t    *testing.T
	ctx  context.Context
	stop context.CancelFunc
	done sync.WaitGroup
	// committed counts transactions and single statements that were acknowledged.
	committed atomic.Int64
	mu        struct {
		sync.Mutex
		acknowledged map[[2]int]bool // client and number in the ledger
	}
}

// clients of a load, besides the one that changes definitions.
const clients = 8

// startLoad starts the clients. to gives the data source name of the server that they should write to now; a client asks whenever it connects.
func startLoad(t *testing.T, seed uint64, to func() string) *load {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	l := &load{t: t, ctx: ctx, stop: cancel}
	l.mu.acknowledged = map[[2]int]bool{}
	for n := range clients {
		c := &client{load: l, number: n, rnd: source(seed, n), to: to}
		l.done.Go(func() { c.run(ctx, c.write) })
	}
	definer := &client{load: l, number: clients, rnd: source(seed, clients), to: to}
	l.done.Go(func() { definer.run(ctx, definer.define) })
	t.Cleanup(l.end)
	return l
}

// end ends the clients, each after its transaction: one whose connection was cut would be committed at some later time.
func (l *load) end() {
	l.stop()
	l.done.Wait()
}

// await waits until so many more transactions were acknowledged. How long that takes is the machine's affair; that there are none for a minute is an error.
func (l *load) await(n int64) {
	l.t.Helper()
	has := l.committed.Load()
	for want := has + n; has < want; {
		last := has
		peer.Await(l.t, time.Minute, fmt.Sprintf("more transactions than %d; until %d", last, want), func() (bool, error) {
			if l.ctx.Err() != nil {
				l.t.Fatal("a client has ended")
			}
			has = l.committed.Load()
			return has > last, nil
		})
	}
}

// requireLedger finds everything in the ledger that was acknowledged.
func (l *load) requireLedger(t *testing.T, db *sql.DB) {
	t.Helper()
	there := map[string]bool{}
	for _, row := range peer.MustRows(t, db, "SELECT client, n FROM work.ledger") {
		there[row] = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := range l.mu.acknowledged {
		if !there[fmt.Sprintf(`"%d" "%d"`, k[0], k[1])] {
			t.Errorf("client %d was told that its transaction %d is committed: it is not there", k[0], k[1])
		}
	}
	t.Logf("%d acknowledged transactions are in the ledger, of %d rows", len(l.mu.acknowledged), len(there))
}

// client is one of a load's.
type client struct {
	load   *load
	number int
	rnd    *rand.Rand
	to     func() string
	last   int // number of the last transaction in the ledger
}

// patience of a client, in seconds: a wait for a row and one for a definition in a circle are not recognised as a deadlock.
const patience = "&innodb_lock_wait_timeout=1&lock_wait_timeout=1"

// step does something on a connection.
type step func(ctx context.Context, c *sql.Conn) error

func (c *client) run(ctx context.Context, do step) {
	for ctx.Err() == nil {
		db, err := sql.Open("mysql", c.to()+patience)
		if err != nil {
			c.load.t.Errorf("client %d: %v", c.number, err)
			return
		}
		if conn, err := db.Conn(ctx); err == nil {
			for err = nil; ctx.Err() == nil && (err == nil || harmless(err)); {
				err = do(context.WithoutCancel(ctx), conn)
			}
			if ctx.Err() == nil && !lost(err) {
				c.load.t.Errorf("client %d: %v", c.number, err)
				c.load.stop()
			}
			_ = conn.Close()
		}
		_ = db.Close()
		select { // a server that is not there yet is not asked all the time
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// harmless are errors after which a client goes on with something else: a row changed since it was read, a duplicate, a lock that was not granted in
// time, a deadlock, a table that another client has changed, a missing parent.
func harmless(err error) bool { return hasNumber(err, 1020, 1062, 1205, 1213, 1412, 1452) }

// lost says that the connection, or the right to write, is gone: the client connects anew.
func lost(err error) bool {
	var e *mysql.MySQLError
	return !errors.As(err, &e) || hasNumber(err, 1053, 1290, 1317, 1927)
}

func hasNumber(err error, numbers ...uint16) bool {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return false
	}
	for _, n := range numbers {
		if e.Number == n {
			return true
		}
	}
	return false
}

// write is a transaction or a single statement.
func (c *client) write(ctx context.Context, conn *sql.Conn) error {
	if c.rnd.IntN(3) == 0 {
		_, err := conn.ExecContext(ctx, c.statement())
		if err == nil {
			c.load.committed.Add(1)
		}
		return err
	}
	return c.transaction(ctx, conn)
}

// transaction has statements, savepoints, perhaps the rollback to one, and an entry in the ledger; one in five is rolled back as a whole.
func (c *client) transaction(ctx context.Context, conn *sql.Conn) error {
	c.last++
	list := []string{"BEGIN"}
	for i := range 1 + c.rnd.IntN(5) {
		switch c.rnd.IntN(4) {
		case 0:
			list = append(list, fmt.Sprintf("SAVEPOINT s%d", i), c.statement())
			if c.rnd.IntN(2) == 0 {
				list = append(list, fmt.Sprintf("ROLLBACK TO SAVEPOINT s%d", i))
			}
		default:
			list = append(list, c.statement())
		}
	}
	keep := c.rnd.IntN(5) > 0
	if keep {
		list = append(list, fmt.Sprintf("INSERT INTO work.ledger VALUES (%d, %d)", c.number, c.last), "COMMIT")
	} else {
		list = append(list, "ROLLBACK")
	}
	for _, q := range list {
		if _, err := conn.ExecContext(ctx, q); err != nil {
			if harmless(err) {
				if _, again := conn.ExecContext(ctx, "ROLLBACK"); again != nil {
					return again
				}
			}
			return err
		}
	}
	if keep {
		c.load.committed.Add(1)
		c.load.mu.Lock()
		c.load.mu.acknowledged[[2]int{c.number, c.last}] = true
		c.load.mu.Unlock()
	}
	return nil
}

// idsDrawn is from how many keys the statements of a load draw.
const idsDrawn = 400

// statement changes rows of one table.
func (c *client) statement() string {
	r, id := c.rnd, c.rnd.IntN(idsDrawn)
	text := strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(60))
	switch r.IntN(14) {
	case 0:
		return fmt.Sprintf("INSERT INTO work.keyed (k, v, d, t) VALUES (%d, '%s', %d.%d, '2026-01-02 03:04:05.%06d')", id, text, r.IntN(1000), r.IntN(1000), r.IntN(1000000))
	case 1:
		var rows []string
		for range 2 + r.IntN(20) {
			rows = append(rows, fmt.Sprintf("(%d, '%s', NULL)", r.IntN(idsDrawn), text))
		}
		return "INSERT INTO work.keyed (k, v, d) VALUES " + strings.Join(rows, ", ")
	case 2:
		return fmt.Sprintf("UPDATE work.keyed SET v = '%s', k = %d WHERE id = %d", text, r.IntN(idsDrawn), id)
	case 3:
		return fmt.Sprintf("UPDATE work.keyed SET d = COALESCE(d, 0) + 1 WHERE k BETWEEN %d AND %d", id, id+5)
	case 4:
		// The others by k: those of high ids would never go, and with the table everything would become slower the longer the load goes on.
		return fmt.Sprintf("DELETE FROM work.keyed WHERE %s BETWEEN %d AND %d", [...]string{"id", "k"}[r.IntN(2)], id, id+3)
	case 5:
		return fmt.Sprintf("REPLACE INTO work.keyed (id, k, v) VALUES (%d, %d, '%s')", 1+id, r.IntN(idsDrawn), text)
	case 6:
		return fmt.Sprintf("INSERT INTO work.paired (a, b, v, n) VALUES (%d, %d, '%s', 1) ON DUPLICATE KEY UPDATE n = n + 1, v = VALUES(v)", id%20, r.IntN(20), text)
	case 7:
		return fmt.Sprintf("UPDATE work.paired SET n = n + %d WHERE a = %d", r.IntN(9), id%20)
	case 8:
		return fmt.Sprintf("DELETE FROM work.paired WHERE a = %d AND b > %d", id%20, r.IntN(20))
	case 9:
		return fmt.Sprintf("INSERT INTO work.bare (k, v) VALUES (%d, '%s'), (NULL, '%s')", id%20, text, text)
	case 10:
		return fmt.Sprintf("UPDATE work.bare SET v = '%s' WHERE k = %d LIMIT 2", text, id%20)
	case 11:
		return fmt.Sprintf("DELETE FROM work.bare WHERE k = %d OR k IS NULL LIMIT 3", id%20)
	case 12:
		return fmt.Sprintf("INSERT INTO work.children (parent) VALUES (%d)", id%10)
	}
	if r.IntN(3) == 0 {
		return fmt.Sprintf("DELETE FROM work.parents WHERE id = %d", id%10)
	}
	return fmt.Sprintf("INSERT INTO work.parents VALUES (%d, 1) ON DUPLICATE KEY UPDATE n = n + 1", id%10)
}

// define changes definitions: of a table of its own, and of those that the others write to.
func (c *client) define(ctx context.Context, conn *sql.Conn) error {
	n := c.rnd.IntN(1000)
	lists := [][]string{
		{
			fmt.Sprintf("CREATE TABLE IF NOT EXISTS work.own%d (id INT PRIMARY KEY, v VARCHAR(30)) COMMENT 'drawn'", n),
			fmt.Sprintf("REPLACE INTO work.own%d VALUES (1, 'a'), (2, 'b')", n),
			fmt.Sprintf("ALTER TABLE work.own%d ADD COLUMN IF NOT EXISTS more INT NOT NULL DEFAULT %d", n, n),
			fmt.Sprintf("INSERT IGNORE INTO work.own%d VALUES (3, 'c', 4)", n),
			fmt.Sprintf("RENAME TABLE work.own%d TO work.other", n),
			"TRUNCATE TABLE work.other", "INSERT INTO work.other VALUES (4, 'd', 5)", "DROP TABLE work.other",
		},
		{"ALTER TABLE work.keyed ADD COLUMN IF NOT EXISTS added INT DEFAULT 7", "ALTER TABLE work.keyed DROP COLUMN IF EXISTS added"},
		{"CREATE INDEX IF NOT EXISTS v ON work.bare (v)", "DROP INDEX IF EXISTS v ON work.bare"},
		{"ALTER TABLE work.paired MODIFY v VARCHAR(250)", "ALTER TABLE work.paired MODIFY v VARCHAR(200)"},
	}
	for _, q := range lists[c.rnd.IntN(len(lists))] {
		if _, err := conn.ExecContext(ctx, q); err != nil && !hasNumber(err, 1050, 1146, 1136) {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	<-time.After(30 * time.Millisecond) // so that definitions stand between rows, and not rows between definitions
	return nil
}

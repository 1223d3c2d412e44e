package query_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/engine/btree"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/engine/memory"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// tableIn makes a table in an engine: id, and a number n with an index.
func (s *server) tableIn(name, engine string) {
	s.t.Helper()
	s.connect().exec("CREATE TABLE d.%s (id INT PRIMARY KEY, n INT NOT NULL, KEY (n)) ENGINE=%s", name, engine)
}

// TestStatusMultiEngine: transactions are counted that have changed tables of more than one engine.
func TestStatusMultiEngine(t *testing.T) {
	s := newServerOf(t, lsm.Kind{}, btree.Kind{MapBytes: 64 << 20}, memory.Kind{})
	s.connect().exec("CREATE DATABASE d")
	for name, engine := range map[string]string{"a": "RocksDB", "b": "BTREE", "m": "MEMORY", "a2": "InnoDB"} {
		s.tableIn(name, engine)
	}
	c, look := s.connect(), s.connect()
	c.exec("USE d")
	for i, test := range []struct {
		statements []string
		counts     int
	}{
		{[]string{"INSERT INTO a VALUES (1, 1)"}, 0},
		{[]string{"INSERT INTO b VALUES (1, 1)"}, 0},
		{[]string{"BEGIN", "INSERT INTO a VALUES (2, 1)", "INSERT INTO a2 VALUES (2, 1)", "COMMIT"}, 0},
		{[]string{"BEGIN", "INSERT INTO a VALUES (3, 1)", "UPDATE b SET n = 2", "COMMIT"}, 1},
		{[]string{"BEGIN", "INSERT INTO a VALUES (4, 1)", "SELECT * FROM b FOR UPDATE", "COMMIT"}, 0},
		{[]string{"BEGIN", "INSERT INTO a VALUES (5, 1)", "INSERT INTO b VALUES (5, 1)", "ROLLBACK"}, 0},
		{[]string{"BEGIN", "INSERT INTO a VALUES (6, 1)", "SAVEPOINT s", "DELETE FROM b", "ROLLBACK TO s", "COMMIT"}, 0},
		{[]string{"BEGIN", "DELETE FROM a", "INSERT INTO m VALUES (1, 1)", "INSERT INTO b VALUES (7, 7)", "COMMIT"}, 1},
		{[]string{"INSERT INTO a SELECT * FROM b"}, 0},
		{[]string{"UPDATE a JOIN m ON a.id = m.id SET a.n = 9, m.n = 9"}, 1},
		{[]string{"SET SESSION sql_log_bin = 0", "BEGIN", "DELETE FROM m", "DELETE FROM b", "COMMIT", "SET SESSION sql_log_bin = 1"}, 1},
	} {
		before := look.status()
		for _, statement := range test.statements {
			c.exec("%s", statement)
		}
		after := look.status()
		require.Equal(t, test.counts, after["Transactions_multi_engine"]-before["Transactions_multi_engine"], "%d: %q", i, test.statements)
	}
	require.Equal(t, "Transactions_gtid_foreign_engine|0", look.query("SHOW GLOBAL STATUS LIKE 'Transactions_gtid_foreign_engine'"))
}

const (
	accountsEach    = 4
	transferWorkers = 4
	transfersEach   = 180
	blockingReads   = 40
)

// TestTransfersBetweenEngines moves money between a table in the LSM engine and one in the B+tree, and counts the transfers in
// both. No reader sees half of one.
func TestTransfersBetweenEngines(t *testing.T) {
	s := newServerOf(t, lsm.Kind{}, btree.Kind{MapBytes: 64 << 20}, memory.Kind{})
	s.connect().exec("CREATE DATABASE d")
	s.tableIn("a", "RocksDB")
	s.tableIn("b", "BTREE")
	root := s.connect()
	for _, table := range []string{"a", "b"} {
		for id := range accountsEach {
			root.exec("INSERT INTO d.%s VALUES (%d, 100)", table, id)
		}
		root.exec("INSERT INTO d.%s VALUES (1000, 0)", table) // how many transfers there were
	}
	begun, base := s.store.Log().Visible(), int(s.store.Log().StateClone().MaxSeq(0))

	var writers, readers sync.WaitGroup
	stop := make(chan struct{})
	for i := range transferWorkers {
		c := s.connect()
		writers.Go(func() {
			if err := transfers(c, rand.New(rand.NewPCG(uint64(i), 1))); err != nil {
				t.Error(err)
			}
		})
	}
	for _, r := range transferReaders {
		c := s.connect()
		readers.Go(func() {
			seen := 0
			for done := false; !done && (!r.blocks || seen < blockingReads); seen++ {
				select {
				case <-stop:
					done = true // once more, of the end
				default:
				}
				if err := r.read(c, base); err != nil {
					t.Errorf("%s: %v", r.name, err)
					return
				}
			}
			t.Logf("%s: %d times", r.name, seen)
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	require.Equal(t, strconv.Itoa(transferWorkers*transfersEach), root.query("SELECT n FROM d.a WHERE id = 1000"))
	require.GreaterOrEqual(t, root.status()["Transactions_multi_engine"], transferWorkers*transfersEach)

	inLog, err := transfersInLog(s.store.Log(), begun, s.store.Log().Visible())
	require.NoError(t, err)
	require.Equal(t, transferWorkers*transfersEach, inLog)
}

// transfers moves money between random accounts.
func transfers(c *client, rng *rand.Rand) error {
	for range transfersEach {
		for {
			from, to := "a", "b"
			if rng.IntN(2) == 0 {
				from, to = to, from
			}
			amount := 1 + rng.IntN(9)
			err := inTransaction(c, "BEGIN",
				fmt.Sprintf("UPDATE d.%s SET n = n - %d WHERE id = %d", from, amount, rng.IntN(accountsEach)),
				fmt.Sprintf("UPDATE d.%s SET n = n + %d WHERE id = %d", to, amount, rng.IntN(accountsEach)),
				"UPDATE d.a SET n = n + 1 WHERE id = 1000", "UPDATE d.b SET n = n + 1 WHERE id = 1000")
			if isBusy(err) {
				continue
			}
			if err != nil {
				return err
			}
			break
		}
	}
	return nil
}

func inTransaction(c *client, statements ...string) error {
	for _, statement := range append(statements, "COMMIT") {
		if _, err := c.run(statement); err != nil {
			_, rerr := c.run("ROLLBACK")
			return errors.Join(err, rerr)
		}
	}
	return nil
}

func isBusy(err error) bool {
	var e *mysqlerr.Error
	return errors.As(err, &e) && (e.Number == mysqlerr.LockDeadlock || e.Number == mysqlerr.LockWaitTimeout)
}

// transferReaders are ways to read both tables.
var transferReaders = []struct {
	name string
	// blocks says that transfers wait for it: it is not done all the time.
	blocks bool
	read   func(c *client, base int) error
}{
	{"one statement", false, func(c *client, _ int) error { return c.sums("", "SELECT * FROM d.a UNION ALL SELECT * FROM d.b") }},
	{"a statement of READ COMMITTED", false, func(c *client, _ int) error {
		return c.sums("SET TRANSACTION ISOLATION LEVEL READ COMMITTED; BEGIN", "SELECT * FROM d.b UNION ALL SELECT * FROM d.a")
	}},
	{"a snapshot", false, func(c *client, _ int) error {
		return c.sums("START TRANSACTION WITH CONSISTENT SNAPSHOT", "SELECT * FROM d.a", "SELECT * FROM d.b")
	}},
	{"REPEATABLE READ", false, func(c *client, _ int) error {
		return c.sums("BEGIN", "SELECT * FROM d.b ORDER BY n", "SELECT * FROM d.a FORCE INDEX (n) WHERE n > -100000")
	}},
	{"locking", true, func(c *client, _ int) error {
		return c.sums("BEGIN", "SELECT * FROM d.b FOR UPDATE", "SELECT * FROM d.a LOCK IN SHARE MODE")
	}},
	{"SERIALIZABLE", true, func(c *client, _ int) error {
		return c.sums("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; BEGIN", "SELECT * FROM d.a", "SELECT * FROM d.b")
	}},
	{"a dump", true, (*client).dump},
	{"a dump without a lock", false, (*client).dumpWithoutLock},
}

// sums reads all accounts, and checks their sum and that both tables count equally many transfers.
func (c *client) sums(begin string, reads ...string) error {
	sum, counts, err := c.read(begin, reads...)
	if isBusy(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if sum != 2*accountsEach*100 || counts[0] != counts[1] {
		return fmt.Errorf("the sum is %d, and there were %d transfers", sum, counts)
	}
	return nil
}

func (c *client) read(begin string, reads ...string) (sum int, counts []int, err error) {
	if begin != "" {
		if _, err := c.run(begin); err != nil {
			return 0, nil, err
		}
		defer func() {
			_, rerr := c.run("ROLLBACK")
			err = errors.Join(err, rerr)
		}()
	}
	for _, read := range reads {
		sets, err := c.run(read)
		if err != nil {
			return 0, nil, err
		}
		for _, r := range sets[len(sets)-1].rows {
			n, err := strconv.Atoi(r[1])
			if err != nil {
				return 0, nil, err
			}
			if r[0] == "1000" {
				counts = append(counts, n)
				continue
			}
			sum += n
		}
	}
	if len(counts) != 2 {
		return 0, nil, fmt.Errorf("%d rows with counts", len(counts))
	}
	return sum, counts, nil
}

// dump is what mariadb-dump --single-transaction --master-data does: what it reads is what the log has up to the position that it
// notes. base is the number of the last transaction before the transfers.
func (c *client) dump(base int) error {
	if _, err := c.run("FLUSH TABLES WITH READ LOCK"); err != nil {
		return err
	}
	sets, err := c.run("START TRANSACTION WITH CONSISTENT SNAPSHOT; SELECT @@gtid_binlog_pos; UNLOCK TABLES")
	if err != nil {
		return err
	}
	return c.dumped(base, sets[1].rows[0][0])
}

// dumpWithoutLock is what mariadb-dump does where SHOW STATUS has Binlog_snapshot_file: the place is asked for after
// others have gone on.
func (c *client) dumpWithoutLock(base int) error {
	if _, err := c.run("START TRANSACTION WITH CONSISTENT SNAPSHOT; SELECT COUNT(*) FROM d.a"); err != nil {
		return err
	}
	sets, err := c.run("SHOW STATUS LIKE 'Binlog_snapshot_%'")
	if err != nil {
		return err
	}
	place := sets[0].rows
	sets, err = c.run(fmt.Sprintf("SELECT BINLOG_GTID_POS('%s', %s)", place[0][1], place[1][1]))
	if err != nil {
		return err
	}
	return c.dumped(base, sets[0].rows[0][0])
}

// dumped reads the tables in the transaction that is open, which is at pos, and ends it.
func (c *client) dumped(base int, pos string) error {
	sum, counts, err := c.read("", "SELECT * FROM d.b", "SELECT * FROM d.a")
	_, cerr := c.run("COMMIT")
	if err := errors.Join(err, cerr); err != nil {
		return err
	}
	// Every transfer is a transaction of its own, and nothing else is committed meanwhile.
	want := fmt.Sprintf("0-1-%d", base+counts[0])
	if sum != 2*accountsEach*100 || counts[0] != counts[1] || pos != want {
		return fmt.Errorf("the sum is %d, there were %d transfers, and it says that it is of %s", sum, counts, pos)
	}
	return nil
}

// transfersInLog reads the log as a replica does, and counts the transactions that have changed both tables. Half of one is an
// error.
func transfersInLog(log *binlog.Log, from, to logpos.Pos) (n int, err error) {
	r, err := log.NewReader(from)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	var groups binlog.Groups
	touched := map[string]bool{}
	for {
		ev, at, err := r.NextNoWait()
		if err != nil {
			return n, err
		}
		ended, err := groups.Next(ev)
		if err != nil {
			return n, err
		}
		e, err := event.Decode(ev)
		if err != nil {
			return n, err
		}
		if m, ok := e.Body.(*event.TableMapInfo); ok {
			touched[m.Table] = true
		}
		if ended {
			if touched["a"] != touched["b"] {
				return n, fmt.Errorf("%s has half of a transfer: %v", groups.GTID, touched)
			}
			if touched["a"] {
				n++
			}
			clear(touched)
		}
		if !at.Plus(len(ev)).Before(to) {
			return n, nil
		}
	}
}

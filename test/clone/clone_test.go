package clone

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

// command is duramen clone of a server into dir. Progress is told so often that it is seen.
func command(t *testing.T, s *peer.Server, dir string, args ...string) *exec.Cmd {
	t.Helper()
	line := append([]string{"clone", "--no-defaults", "--datadir=" + dir, "--port=" + strconv.Itoa(s.Port), "--progress-interval=50ms"}, args...)
	return exec.Command(peer.Binary(t), append(line, "127.0.0.1")...)
}

// run runs it and returns what it printed, on both outputs.
func run(t *testing.T, s *peer.Server, dir string, args ...string) (string, error) {
	t.Helper()
	out, err := command(t, s, dir, args...).CombinedOutput()
	return string(out), err
}

// script runs a file of test/dump with MariaDB's client.
func script(t *testing.T, s *peer.Server, text string) {
	t.Helper()
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	text = strings.ReplaceAll(text, "@every1", fmt.Sprintf("x'%x'", every[1:]))
	text = strings.ReplaceAll(text, "@every", fmt.Sprintf("x'%x'", every))
	cmd := exec.Command("mariadb", "--no-defaults", "--user=root", "--host=127.0.0.1", "--port="+strconv.Itoa(s.Port), "--default-character-set=utf8mb4")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// fill gives a server the schemas of test/dump, which have all types, and what those lack.
func fill(t *testing.T, s *peer.Server) {
	t.Helper()
	peer.RequireTool(t, "mariadb")
	for _, name := range []string{"schema.sql", "names.sql", "addresses.sql"} {
		script(t, s, file(t, filepath.Join("..", "dump", "testdata", name)))
	}
	script(t, s, file(t, filepath.Join("testdata", "more.sql")))
}

// writers transfer money between accounts until stop is called, each transaction with one row in ticks; they also write into other tables.
type writers struct {
	stop context.CancelFunc
	wait func() error
}

const (
	accounts = 50
	balance  = 1000
)

func transfers(t *testing.T, s *peer.Server, count int) writers {
	t.Helper()
	db := s.DB("")
	t.Cleanup(func() { _ = db.Close() })
	peer.Exec(t, db, "CREATE DATABASE bank", "CREATE TABLE bank.accounts (id INT PRIMARY KEY, balance INT NOT NULL)",
		"CREATE TABLE bank.ticks (id BIGINT AUTO_INCREMENT PRIMARY KEY, who INT)")
	for i := range accounts {
		peer.Exec(t, db, fmt.Sprintf("INSERT INTO bank.accounts VALUES (%d, %d)", i, balance))
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	errs := make([]error, count)
	var all sync.WaitGroup
	for w := range count {
		all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if err := transfer(db, w, (w*7+i)%accounts, (w*11+i*3+1)%accounts); err != nil {
					errs[w] = err
					return
				}
			}
		})
	}
	return writers{stop: cancel, wait: func() error {
		cancel()
		all.Wait()
		return errors.Join(errs...)
	}}
}

func transfer(db *sql.DB, who, from, to int) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	for _, q := range []string{
		// In one order, so that nobody waits in a circle.
		fmt.Sprintf("SELECT 1 FROM bank.accounts WHERE id IN (%d, %d) ORDER BY id FOR UPDATE", from, to),
		fmt.Sprintf("UPDATE bank.accounts SET balance = balance - 1 WHERE id = %d", from),
		fmt.Sprintf("INSERT INTO bank.ticks (who) VALUES (%d)", who),
		fmt.Sprintf("UPDATE bank.accounts SET balance = balance + 1 WHERE id = %d", to),
	} {
		if _, err := tx.Exec(q); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	return tx.Commit()
}

// sequence is the last number of a GTID position with one domain.
func sequence(t *testing.T, position string) int {
	t.Helper()
	n, err := strconv.Atoi(position[strings.LastIndexByte(position, '-')+1:])
	require.NoError(t, err, "position %q", position)
	return n
}

func one(t *testing.T, db *sql.DB, q string) (text string) {
	t.Helper()
	require.NoError(t, db.QueryRow(q).Scan(&text), q)
	return text
}

// testConsistent clones a server while it is written to. Each transaction is a GTID and a row of bank.ticks: what is counted in the clone
// tells whether it is what the server was at the position that is told.
func testConsistent(t *testing.T, s *peer.Server, method, told string, args ...string) {
	fill(t, s)
	source := s.DB("")
	defer source.Close()
	w := transfers(t, s, 3)
	dir := filepath.Join(t.TempDir(), "data")
	out, err := run(t, s, dir, append(args, "--method="+method, "--no-follow", "--verify", "--threads=3", "--part-size=1M", "--server-id=42")...)
	require.NoError(t, err, out)
	require.NoError(t, w.wait())
	require.Contains(t, out, told, "it tells how far it is")

	fields := strings.Split(strings.TrimSpace(file(t, filepath.Join(dir, "clone_binlog_info"))), "\t")
	require.Len(t, fields, 3)
	settings := "[duramen]\nserver_id=42\n"
	for _, a := range args {
		settings += strings.ReplaceAll(strings.TrimPrefix(a, "--"), "-", "_") + "\n"
	}
	require.Equal(t, settings, file(t, filepath.Join(dir, "my.cnf")))
	d := peer.Start(t, peer.Options{Kind: peer.Duramen, Dir: dir})
	clone := d.DB("")
	defer clone.Close()
	require.Equal(t, strconv.Itoa(accounts*balance), one(t, clone, "SELECT SUM(balance) FROM bank.accounts"))
	// What was written after the snapshot has GTIDs after its position.
	later := sequence(t, one(t, source, "SELECT @@GLOBAL.gtid_binlog_pos")) - sequence(t, fields[2])
	total, err := strconv.Atoi(one(t, source, "SELECT COUNT(*) FROM bank.ticks"))
	require.NoError(t, err)
	copied, err := strconv.Atoi(one(t, clone, "SELECT COUNT(*) FROM bank.ticks"))
	require.NoError(t, err)
	require.Equal(t, total-later, copied, "rows at %s", fields[2])
	require.Positive(t, copied)
	require.Empty(t, one(t, clone, "SELECT @@GLOBAL.gtid_binlog_state"), "it has logged nothing of its own")

	require.Positive(t, later, "nothing was written meanwhile")

	// peer.Tables splits names at dots.
	const odd = "`it's a \"d.b\" ü```"
	rows := "SELECT `x.``y`, HEX(`'`) FROM " + odd + ".`a.b``c`"
	require.Equal(t, []string{`"1" "E9"`}, peer.MustRows(t, source, rows))
	require.Equal(t, peer.MustRows(t, source, rows), peer.MustRows(t, clone, rows))
	for _, db := range []*sql.DB{source, clone} {
		peer.Exec(t, db, "DROP DATABASE bank", "DROP DATABASE "+odd)
	}
	peer.RequireEqualContent(t, source, clone)
	sameDefinitions(t, source, clone)
	loginAs(t, d, "reader", "secret")
}

// sameDefinitions compares what information_schema says of definitions.
func sameDefinitions(t *testing.T, source, clone *sql.DB) {
	t.Helper()
	for _, name := range peer.Tables(t, source) {
		schema, table, _ := strings.Cut(name, ".")
		q := "SHOW CREATE TABLE `" + schema + "`.`" + table + "`"
		require.Equal(t, peer.MustRows(t, source, q), peer.MustRows(t, clone, q))
	}
	const user = " NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys', 'test')"
	for _, q := range []string{
		"SELECT SCHEMA_NAME, DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME" + user + " ORDER BY 1",
		"SELECT CONSTRAINT_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, REFERENCED_TABLE_NAME, UPDATE_RULE, DELETE_RULE FROM information_schema.REFERENTIAL_CONSTRAINTS ORDER BY 1, 2, 3",
		"SELECT TRIGGER_SCHEMA, TRIGGER_NAME, EVENT_OBJECT_TABLE, ACTION_TIMING, ACTION_STATEMENT, SQL_MODE, DEFINER FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA" + user + " ORDER BY 1, 2",
		"SELECT ROUTINE_SCHEMA, ROUTINE_NAME, ROUTINE_TYPE, ROUTINE_DEFINITION, SQL_MODE, ROUTINE_COMMENT, DEFINER FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA" + user + " ORDER BY 1, 2",
		"SELECT EVENT_SCHEMA, EVENT_NAME, EVENT_DEFINITION, INTERVAL_VALUE, INTERVAL_FIELD FROM information_schema.EVENTS WHERE EVENT_SCHEMA" + user + " ORDER BY 1, 2",
		"SELECT TABLE_SCHEMA, TABLE_NAME, DEFINER, SECURITY_TYPE FROM information_schema.VIEWS WHERE TABLE_SCHEMA" + user + " ORDER BY 1, 2",
		"SHOW GRANTS FOR reader@'%'", "SHOW CREATE USER reader@'%'", "SHOW GRANTS FOR auditors",
	} {
		require.Equal(t, peer.MustRows(t, source, q), peer.MustRows(t, clone, q), q)
	}
	require.NotEqual(t, "ENABLED", one(t, clone, "SELECT STATUS FROM information_schema.EVENTS WHERE EVENT_NAME = 'hourly'"))
}

func loginAs(t *testing.T, s *peer.Server, user, password string) {
	t.Helper()
	db, err := sql.Open("mysql", fmt.Sprintf("%s:%s@tcp(%s)/", user, password, s.Addr()))
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.Ping())
}

func TestMariaDB(t *testing.T) {
	testConsistent(t, peer.StartMariaDB(t, peer.Options{Binlog: true}), "auto", " of about ", "--log-bin=mine")
}

func TestDuramen(t *testing.T) {
	peer.RequireMariaDB(t) // for its client
	for method, told := range map[string]string{"sql": " of about ", "files": " files, "} {
		t.Run(method, func(t *testing.T) { testConsistent(t, peer.Start(t, peer.Options{Kind: peer.Duramen}), method, told) })
	}
}

// TestProblems clones what the new server cannot have: everything is told before any row is copied, and nothing is left.
func TestProblems(t *testing.T) {
	s := peer.StartMariaDB(t, peer.Options{Binlog: true})
	db := s.DB("")
	defer db.Close()
	peer.Exec(t, db, "CREATE DATABASE odd", "CREATE TABLE odd.past (a INT) WITH SYSTEM VERSIONING", "CREATE TABLE odd.plain (a INT) ENGINE=MyISAM",
		"CREATE SEQUENCE odd.numbers", "INSERT INTO odd.plain VALUES (1), (2)", "CREATE TABLE odd.good (a INT PRIMARY KEY)", "INSERT INTO odd.good VALUES (7)",
		"CREATE VIEW odd.shown AS SELECT a FROM odd.past")
	dir := filepath.Join(t.TempDir(), "data")
	out, err := run(t, s, dir, "--no-follow")
	require.Error(t, err)
	for _, want := range []string{"table:odd.past: ", "sequence:odd.numbers: ", "view:odd.shown: ", "engine:odd.plain: engine MyISAM has no transactions"} {
		require.Contains(t, out, want)
	}
	require.NotContains(t, out, "odd.good")
	require.NoDirExists(t, dir)
	out, err = run(t, s, dir, "--no-follow", "--skip-errors=table:odd.past,sequence,view:odd.shown")
	require.Error(t, err)
	require.Contains(t, out, "engine:odd.plain")
	require.NotContains(t, out, "odd.past:")

	out, err = run(t, s, dir, "--no-follow", "--skip-errors=table:odd.past,sequence,view:odd.shown", "--lock", "--verify")
	require.NoError(t, err, out)
	require.Contains(t, out, "left out table:odd.past: ")
	d := peer.Start(t, peer.Options{Kind: peer.Duramen, Dir: dir})
	clone := d.DB("")
	defer clone.Close()
	require.Equal(t, []string{`"good"`, `"plain"`}, peer.MustRows(t, clone, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'odd' ORDER BY 1"))
	require.Equal(t, []string{`"1"`, `"2"`}, peer.MustRows(t, clone, "SELECT a FROM odd.plain ORDER BY a"))
}

// TestRefused has what is refused before anything is done.
func TestRefused(t *testing.T) {
	s := peer.StartMariaDB(t, peer.Options{}) // without a log
	for _, c := range []struct{ args, want string }{
		{"--server-id=5", "writes no binary log"},
		{"", "--server-id is not set"},
		{"--no-follow --skip-errors=views", `"views" is none of all`},
		{"--no-follow --user=nobody --password=x", "Access denied for user 'nobody'"},
		{"--no-follow --ssl", "TLS"},
		{"--no-follow --threads=1000", "between 1 and 256"},
	} {
		dir := filepath.Join(t.TempDir(), "data")
		out, err := run(t, s, dir, strings.Fields(c.args)...)
		require.Error(t, err, c.args)
		require.Contains(t, out, c.want, c.args)
		require.NoDirExists(t, dir)
	}
	dir := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.MkdirAll(dir, 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine"), nil, 0o640))
	out, err := run(t, s, dir, "--no-follow")
	require.Error(t, err)
	require.Contains(t, out, `is not empty: it has "mine"`)
	require.FileExists(t, filepath.Join(dir, "mine"))
}

// TestInterrupted ends a clone while it copies: with a signal, which removes what there is, and with a crash, after which no server starts on it.
func TestInterrupted(t *testing.T) {
	s := peer.StartMariaDB(t, peer.Options{Binlog: true})
	db := s.DB("")
	defer db.Close()
	db.SetMaxOpenConns(1)
	peer.Exec(t, db, "CREATE DATABASE slow", "CREATE TABLE slow.t (a INT PRIMARY KEY)", "USE slow", "INSERT INTO slow.t SELECT seq FROM seq_1_to_500000")
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		dir := filepath.Join(t.TempDir(), "data")
		cmd := command(t, s, dir, "--no-follow", "--progress-interval=1ms")
		said := &watched{want: "slow.t ", seen: make(chan struct{})}
		cmd.Stderr = said
		require.NoError(t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-said.seen:
		case err := <-ended:
			t.Fatalf("it ended before it was interrupted: %v\n%s", err, said.String())
		}
		require.NoError(t, cmd.Process.Signal(signal))
		require.Error(t, <-ended)
		if signal == syscall.SIGINT {
			require.NoDirExists(t, dir)
			continue
		}
		d := peer.Prepare(t, peer.Options{Kind: peer.Duramen, Dir: dir})
		line := d.Command()
		out, err := exec.Command(line[0], line[1:]...).CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		require.Equal(t, 5, exit.ExitCode())
		require.Contains(t, string(out), `it holds "clone.unfinished"`)
	}
}

// watched is an output that tells when a text was written.
type watched struct {
	mu   sync.Mutex
	text bytes.Buffer
	want string
	seen chan struct{}
	done bool
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	if !w.done && strings.Contains(w.text.String(), w.want) {
		w.done = true
		close(w.seen)
	}
	return len(p), nil
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

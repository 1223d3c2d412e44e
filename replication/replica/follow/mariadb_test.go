package follow

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/primary"
	"github.com/duramendb/duramen/test/peer"
)

// atMost bounds what would hang.
const atMost = time.Minute

func startPrimary(t *testing.T, args ...string) (*peer.Server, *sql.DB) {
	t.Helper()
	peer.RequireMariaDB(t)
	s := peer.StartMariaDB(t, peer.Options{Binlog: true, Args: args})
	db := s.DB("")
	t.Cleanup(func() { _ = db.Close() })
	peer.Exec(t, db, "CREATE USER 'repl'@'%' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO 'repl'@'%'", "CREATE DATABASE d")
	return s, db
}

func optionsFor(s *peer.Server) Options {
	return Options{
		Settings: primary.Settings{Host: "127.0.0.1", Port: uint16(s.Port), User: "repl", Password: "secret", ConnectRetry: time.Second, RetryCount: 100000},
		ServerID: 77, ReportHost: "here", ReportPort: 4711, NetTimeout: atMost,
	}
}

func connect(t *testing.T, o Options) *Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), atMost)
	defer cancel()
	c, err := Connect(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// follower checks the promises of parts while it reads them.
type follower struct {
	t    *testing.T
	c    *Conn
	ctx  context.Context
	open bool // a part without Last has come
	last gtid.GTID
}

func follow(t *testing.T, c *Conn) *follower {
	ctx, cancel := context.WithTimeout(t.Context(), atMost)
	t.Cleanup(cancel)
	return &follower{t: t, c: c, ctx: ctx}
}

func (f *follower) next() *primary.Part {
	f.t.Helper()
	p, err := f.c.Next(f.ctx)
	if err != nil {
		f.t.Fatal(err)
	}
	if p.Kind == primary.Group {
		if p.First == f.open {
			f.t.Fatalf("part of %s: first is %t, but a group is open: %t", p.GTID.GTID, p.First, f.open)
		}
		if !p.First && p.GTID.GTID != f.last {
			f.t.Fatalf("%s continues %s", p.GTID.GTID, f.last)
		}
		f.open, f.last = !p.Last, p.GTID.GTID
	}
	return p
}

// until reads up to the group of the given GTID, and gives what SHOW BINLOG EVENTS says of every event, with the groups' ends.
func (f *follower) until(end string) (lines []string, parts []*primary.Part) {
	f.t.Helper()
	for {
		p := f.next()
		parts = append(parts, p)
		if p.Kind != primary.Group {
			continue
		}
		if p.First {
			lines = append(lines, "group "+p.GTID.GTID.String())
		}
		for _, e := range p.Events {
			lines = append(lines, e.Header.Type.String()+" "+event.Describe(e))
		}
		if p.Last {
			lines = append(lines, fmt.Sprintf("end %s %d", p.Place.File, p.Place.Pos))
			if p.GTID.GTID.String() == end {
				return lines, parts
			}
		}
	}
}

// logged is what the primary says about its log, in the same form.
func logged(t *testing.T, db *sql.DB) (lines []string) {
	t.Helper()
	files, err := db.Query("SHOW BINARY LOGS")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for files.Next() {
		var name, size string
		if err := files.Scan(&name, &size); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	_ = files.Close()
	for _, name := range names {
		rows, err := db.Query("SHOW BINLOG EVENTS IN '" + name + "'")
		if err != nil {
			t.Fatal(err)
		}
		end := 0 // of the last event of a group
		for rows.Next() {
			var file, kind, info string
			var pos, server, next int
			if err := rows.Scan(&file, &pos, &kind, &server, &next, &info); err != nil {
				t.Fatal(err)
			}
			switch kind {
			case "Ignorable": // Duramen's private records, which are not sent
			case "Gtid", "Rotate", "Stop", "Binlog_checkpoint", "Gtid_list", "Format_desc":
				if end != 0 {
					lines = append(lines, fmt.Sprintf("end %s %d", file, end))
					end = 0
				}
				if kind == "Gtid" {
					_, id, _ := strings.Cut(info, "GTID ")
					id, _, _ = strings.Cut(id, " ")
					lines = append(lines, "group "+id)
				}
			default:
				end = next
				lines = append(lines, kind+" "+info)
			}
		}
		if end != 0 {
			lines = append(lines, fmt.Sprintf("end %s %d", name, end))
		}
		_ = rows.Close()
	}
	return lines
}

func value(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	var v string
	if err := db.QueryRow(query).Scan(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func position(t *testing.T, db *sql.DB) string { return value(t, db, "SELECT @@gtid_binlog_pos") }

// write runs a session of statements of all kinds; big is how many bytes its large transaction has.
func write(t *testing.T, db *sql.DB, big int) {
	t.Helper()
	one, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	for _, q := range []string{
		"USE d",
		"CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT, v LONGTEXT)",
		"CREATE TABLE d.m (id INT PRIMARY KEY AUTO_INCREMENT, v TEXT) ENGINE=MyISAM",
		"INSERT INTO d.t (v) VALUES ('one'), ('two')",
		"INSERT INTO d.m (v) VALUES ('not transactional')",
		"BEGIN", "INSERT INTO d.t (v) VALUES (REPEAT('x', 1000))", "UPDATE d.t SET v=CONCAT(v, UUID())", "SAVEPOINT s", "DELETE FROM d.t WHERE id=1",
		"ROLLBACK TO SAVEPOINT s", "DELETE FROM d.t WHERE id=2", "COMMIT",
		"SET @a='user variable'", "INSERT INTO d.t (v) VALUES (@a)", "INSERT INTO d.m (v) VALUES (RAND())",
		"XA START 'x','y',3", "INSERT INTO d.t (v) VALUES ('xa')", "XA END 'x','y',3", "XA PREPARE 'x','y',3", "XA COMMIT 'x','y',3",
		"FLUSH BINARY LOGS",
		"CREATE TABLE d.c AS SELECT * FROM d.t",
		"ALTER TABLE d.c ADD COLUMN z INT DEFAULT 5",
		"CREATE TEMPORARY TABLE d.tmp (a INT)", "INSERT INTO d.tmp VALUES (1)", "DROP TEMPORARY TABLE d.tmp",
		fmt.Sprintf("INSERT INTO d.t (v) SELECT REPEAT(MD5(seq), %d/32/64) FROM seq_1_to_64", big),
		"SET gtid_domain_id=5", "INSERT INTO d.t (v) VALUES ('another domain')", "SET gtid_domain_id=0",
		"DROP TABLE d.c", "INSERT INTO d.t (v) VALUES ('the end')",
	} {
		if _, err := one.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

// lastGTID is that of the last group of domain 0.
func lastGTID(t *testing.T, db *sql.DB) string {
	t.Helper()
	for _, g := range strings.Split(position(t, db), ",") {
		if strings.HasPrefix(g, "0-") {
			return g
		}
	}
	t.Fatal("nothing was logged")
	return ""
}

func sameLines(t *testing.T, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("line %d of %d and %d:\n got %.300q\nwant %.300q", i, len(got), len(want), got[min(i, len(got)):min(i+3, len(got))], want[min(i, len(want)):min(i+3, len(want))])
		}
	}
}

// What a primary sends is what it says that it has logged, in every format of the log, from the beginning and from anywhere else, by GTID and by file and position.
func TestLogOfMariaDB(t *testing.T) {
	for _, args := range [][]string{
		{"--binlog-format=ROW", "--binlog-checksum=CRC32"},
		{"--binlog-format=ROW", "--binlog-checksum=NONE", "--binlog-row-metadata=FULL", "--binlog-annotate-row-events=0"},
		{"--binlog-format=MIXED", "--binlog-checksum=CRC32", "--log-bin-compress=1", "--log-bin-compress-min-len=10"},
		{"--binlog-format=STATEMENT", "--binlog-checksum=NONE"},
	} {
		t.Run(strings.Join(args, ""), func(t *testing.T) {
			s, db := startPrimary(t, args...)
			write(t, db, primary.PartBytes*3)
			end, want := lastGTID(t, db), logged(t, db)

			o := optionsFor(s)
			got, parts := follow(t, connect(t, o)).until(end)
			sameLines(t, got, want)
			largest, cut := 0, 0
			for _, p := range parts {
				largest = max(largest, p.Bytes)
				if p.Kind == primary.Group && !p.Last {
					cut++
				}
			}
			if statements := strings.Contains(args[0], "ROW"); statements && cut < 2 {
				t.Errorf("the large transaction came in %d parts", cut+1)
			}
			if largest > 2*primary.PartBytes {
				t.Errorf("a part has %d bytes", largest)
			}

			// From every group on: by file and position, and from every second one by GTID.
			pos := gtid.Position{}
			for i, p := range parts {
				if p.Kind != primary.Group || !p.Last {
					continue
				}
				pos.Update(p.GTID.GTID)
				if p.GTID.GTID.String() == end || i%3 != 0 {
					continue
				}
				o := o
				if i%2 == 0 {
					o.From = pos.Clone()
				} else {
					o.Settings.GTID, o.Settings.Place = primary.NoGTID, p.Place
				}
				rest, _ := follow(t, connect(t, o)).until(end)
				sameLines(t, rest, want[slices.Index(want, fmt.Sprintf("end %s %d", p.Place.File, p.Place.Pos))+1:])
			}
		})
	}
}

// Inside of a transaction there is nothing to start from.
func TestInsideOfTransaction(t *testing.T) {
	s, db := startPrimary(t, "--binlog-format=MIXED")
	peer.Exec(t, db, "CREATE TABLE d.t (id INT PRIMARY KEY)", "INSERT INTO d.t VALUES (1)")
	events, err := db.Query("SHOW BINLOG EVENTS")
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	var before, at primary.Place // of the INSERT behind its GTID
	for events.Next() {
		var kind, info string
		var server, next int
		before = at
		if err := events.Scan(&at.File, &at.Pos, &kind, &server, &next, &info); err != nil {
			t.Fatal(err)
		}
	}
	o := optionsFor(s)
	o.Settings.GTID, o.Settings.Place = primary.NoGTID, before
	f := follow(t, connect(t, o))
	for {
		p, err := f.c.Next(f.ctx)
		if err != nil {
			wantError(t, err, erSlaveFatal, false, "does not belong to a transaction")
			return
		}
		if p.Kind == primary.Group {
			t.Fatalf("got a group: %+v", p)
		}
	}
}

func wantError(t *testing.T, err error, number uint16, retry bool, text string) {
	t.Helper()
	var e *primary.Error
	if !errors.As(err, &e) || e.Number != number || e.Retry != retry || !strings.Contains(e.Text, text) {
		t.Fatalf("got %#v (%v), want %d, retry %t, %q", err, err, number, retry, text)
	}
}

// Heartbeats come while nothing else does, and move the place over what is not sent.
func TestHeartbeat(t *testing.T) {
	s, db := startPrimary(t)
	o := optionsFor(s)
	o.Settings.HeartbeatPeriod = 50 * time.Millisecond
	c := connect(t, o)
	f := follow(t, c)
	f.until(lastGTID(t, db))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for { // no part comes of heartbeats that say nothing new
			if p, err := c.Next(f.ctx); err == nil && p.Kind == primary.Group {
				return
			} else if err != nil {
				t.Error(err)
				return
			}
		}
	}()
	peer.Await(t, atMost, "three heartbeats", func() (bool, error) { return c.Info().Heartbeats >= 3, nil })
	peer.Exec(t, db, "CREATE TABLE d.t (a INT)")
	<-done
	if info := c.Info(); info.ServerID != 1 || info.Flavor != MariaDB || !info.GTID || info.SemiSync || !strings.Contains(info.Version, "MariaDB") ||
		info.ClockDifference.Abs() > time.Minute {
		t.Errorf("info is %+v", info)
	}
	if hosts := peer.MustRows(t, db, "SHOW SLAVE HOSTS"); len(hosts) != 1 || !strings.Contains(hosts[0], "77") || !strings.Contains(hosts[0], "here") || !strings.Contains(hosts[0], "4711") {
		t.Errorf("the primary knows of us: %v", hosts)
	}
}

// A primary that says nothing for slave_net_timeout is gone.
func TestSilence(t *testing.T) {
	s, db := startPrimary(t)
	o := optionsFor(s)
	o.NetTimeout = time.Second
	f := follow(t, connect(t, o))
	f.until(lastGTID(t, db))
	for {
		if _, err := f.c.Next(f.ctx); err != nil {
			wantError(t, err, crServerLost, true, "Lost connection")
			break
		}
	}
}

// UNTIL is inclusive, and its end is a part of its own.
func TestUntil(t *testing.T) {
	s, db := startPrimary(t)
	peer.Exec(t, db, "CREATE TABLE d.t (a INT)")
	at := position(t, db)
	peer.Exec(t, db, "CREATE TABLE d.u (a INT)")
	o := optionsFor(s)
	o.Until, _ = gtid.ParsePosition(at)
	f := follow(t, connect(t, o))
	last := ""
	for {
		p := f.next()
		if p.Kind == primary.UntilReached {
			break
		}
		if p.Kind == primary.Group {
			last = p.GTID.GTID.String()
		}
	}
	if last != at {
		t.Errorf("got up to %s, wanted %s", last, at)
	}
}

// A restart of the primary, and a change of its checksums, are seen by who goes on where he was.
func TestRestart(t *testing.T) {
	s, db := startPrimary(t)
	o := optionsFor(s)
	f := follow(t, connect(t, o))
	peer.Exec(t, db, "CREATE TABLE d.t (a INT)", "SET GLOBAL binlog_checksum=NONE", "INSERT INTO d.t VALUES (1)", "SET GLOBAL binlog_checksum=CRC32", "INSERT INTO d.t VALUES (2)")
	end := lastGTID(t, db)
	got, _ := f.until(end)
	sameLines(t, got, logged(t, db))
	_ = db.Close()
	s.Restart()
	for {
		if _, err := f.c.Next(f.ctx); err != nil {
			wantError(t, err, crServerLost, true, "Lost connection")
			break
		}
	}
	db = s.DB("")
	defer db.Close()
	peer.Exec(t, db, "INSERT INTO d.t VALUES (3)")
	o.From, _ = gtid.ParsePosition(end)
	f = follow(t, connect(t, o))
	_, parts := f.until(lastGTID(t, db))
	restarted := slices.IndexFunc(parts, func(p *primary.Part) bool { return p.Kind == primary.Restarted })
	group := slices.IndexFunc(parts, func(p *primary.Part) bool { return p.Kind == primary.Group })
	if restarted < 0 || restarted > group {
		t.Errorf("restarted is part %d, the group after it part %d", restarted, group)
	}
}

// Files that rotate without transactions move the place.
func TestRotation(t *testing.T) {
	s, db := startPrimary(t)
	f := follow(t, connect(t, optionsFor(s)))
	f.until(lastGTID(t, db))
	peer.Exec(t, db, "FLUSH BINARY LOGS", "FLUSH BINARY LOGS")
	var file string
	var pos uint64
	var x, y string
	if err := db.QueryRow("SHOW MASTER STATUS").Scan(&file, &pos, &x, &y); err != nil {
		t.Fatal(err)
	}
	for {
		p := f.next()
		if p.Kind != primary.Moved {
			t.Fatalf("got %+v", p)
		}
		if p.Place == (primary.Place{File: file, Pos: pos}) {
			return
		}
	}
}

// The end of the context ends a Next that waits, and the primary sees the connection go.
func TestContext(t *testing.T) {
	s, db := startPrimary(t)
	c := connect(t, optionsFor(s))
	follow(t, c).until(lastGTID(t, db))
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error)
	go func() {
		for {
			if _, err := c.Next(ctx); err != nil {
				errs <- err
				return
			}
		}
	}()
	cancel()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := c.Next(t.Context()); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

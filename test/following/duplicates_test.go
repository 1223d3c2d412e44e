package following

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// named is a CHANGE MASTER of a connection with a name.
func named(name, changeMaster string) string {
	return strings.Replace(changeMaster, "CHANGE MASTER TO", "CHANGE MASTER '"+name+"' TO", 1)
}

// TestDiamond: A's transactions come over B and over C to a replica with gtid_ignore_duplicates, which has each of them once, while its connections are
// stopped and started. B and C follow each other as well, so that what one of them writes goes around.
func TestDiamond(t *testing.T) {
	for _, strict := range []string{"OFF", "ON"} {
		t.Run("strict mode "+strict, func(t *testing.T) { diamond(t, strict) })
	}
}

func diamond(t *testing.T, strict string) {
	peer.RequireMariaDB(t)
	start := func(id int, more ...string) (*peer.Server, *sql.DB) {
		o := peer.Options{ServerID: id, Relays: true, Args: append([]string{"--gtid-strict-mode=" + strict, "--innodb-flush-log-at-trx-commit=0"}, more...)}
		s := peer.StartMariaDB(t, o)
		db := s.DB("")
		t.Cleanup(func() { _ = db.Close() })
		return s, db
	}
	a, adb := start(1)
	b, bdb := start(2, "--gtid-ignore-duplicates=ON", "--gtid-domain-id=2")
	c, cdb := start(3, "--gtid-ignore-duplicates=ON", "--gtid-domain-id=3")
	d := peer.Start(t, peer.Options{ServerID: 4, Relays: true, Args: []string{"--gtid-domain-id=4"}})
	ddb := d.DB("")
	defer ddb.Close()
	peer.AllowReplication(t, adb) // comes to the others with the log
	gtids := "MASTER_USE_GTID=slave_pos"
	for _, f := range []struct {
		db *sql.DB
		to *peer.Server
	}{{bdb, a}, {cdb, a}} {
		peer.Exec(t, f.db, named("a", peer.ChangeMaster(f.to, gtids)), "START SLAVE 'a'")
	}
	awaitOwn(t, bdb, adb)
	awaitOwn(t, cdb, adb)
	peer.Exec(t, bdb, named("c", peer.ChangeMaster(c, gtids)), "START SLAVE 'c'")
	peer.Exec(t, cdb, named("b", peer.ChangeMaster(b, gtids)), "START SLAVE 'b'")
	peer.Exec(t, ddb, "SET GLOBAL gtid_ignore_duplicates=ON", "SET GLOBAL gtid_strict_mode="+strict,
		named("b", peer.ChangeMaster(b, gtids)), named("c", peer.ChangeMaster(c, gtids)), "START ALL SLAVES")

	peer.Exec(t, adb, "CREATE DATABASE own", "CREATE TABLE own.b (n INT)", "CREATE TABLE own.c (n INT)")
	peer.Exec(t, adb, loadTables...)
	awaitOwn(t, bdb, adb)
	awaitOwn(t, cdb, adb)
	l := startLoad(t, newSeed(t), func() string { return a.DSN("work") })
	for n, stopped := range []string{"b", "c", "b"} {
		peer.Exec(t, ddb, "STOP SLAVE '"+stopped+"'")
		peer.Exec(t, bdb, fmt.Sprintf("INSERT INTO own.b VALUES (%d)", n))
		peer.Exec(t, cdb, fmt.Sprintf("INSERT INTO own.c VALUES (%d)", n))
		l.await(60)
		peer.Exec(t, ddb, "START SLAVE '"+stopped+"'")
		l.await(60)
	}
	peer.Exec(t, ddb, "STOP SLAVE 'c'") // what is left comes over B only
	l.end()
	for _, db := range []*sql.DB{bdb, cdb} {
		awaitOwn(t, db, adb, bdb, cdb)
	}
	awaitOwn(t, ddb, adb, bdb, cdb)
	peer.Exec(t, ddb, "START SLAVE 'c'")
	peer.RequireEqualContent(t, bdb, ddb)
	requireOnce(t, ddb)

	// Whichever is there goes on.
	peer.Exec(t, ddb, "STOP SLAVE 'b'")
	peer.Exec(t, adb, "INSERT INTO own.b VALUES (1000)")
	awaitOwn(t, ddb, adb)
	peer.Exec(t, ddb, "START SLAVE 'b'", "STOP SLAVE 'c'")
	peer.Exec(t, adb, "INSERT INTO own.b VALUES (1001)")
	awaitOwn(t, ddb, adb)
	requireOnce(t, ddb)
	requireSame(t, adb, ddb, "SELECT n FROM own.b WHERE n >= 1000 ORDER BY n")
}

// awaitOwn waits until a replica has what others have logged in their own domains. It fails at once if one of its threads has an error.
func awaitOwn(t *testing.T, replica *sql.DB, of ...*sql.DB) {
	t.Helper()
	for _, db := range of {
		last := peer.MustRows(t, db, "SELECT @@GLOBAL.gtid_binlog_pos, @@GLOBAL.gtid_domain_id")[0]
		positions, domain, _ := strings.Cut(last, " ")
		want := ""
		for g := range strings.SplitSeq(strings.Trim(positions, `"`), ",") {
			if strings.HasPrefix(g, strings.Trim(domain, `"`)+"-") {
				want = g
			}
		}
		if want == "" {
			continue
		}
		var own string
		if err := replica.QueryRow("SELECT CONCAT(',', @@GLOBAL.gtid_binlog_pos, ',')").Scan(&own); err == nil && strings.Contains(own, ","+want+",") {
			continue
		}
		peer.Await(t, 2*time.Minute, "the replica", func() (bool, error) {
			if err := anyFailed(replica); err != nil {
				t.Fatalf("a thread has stopped before %s: %v", want, err)
			}
			var at string
			err := replica.QueryRow("SELECT CONCAT(',', @@GLOBAL.gtid_slave_pos, ',')").Scan(&at)
			return strings.Contains(at, ","+want+","), fmt.Errorf("it is at %s, and should have %s, %w", at, want, err)
		})
	}
}

// anyFailed is the error of a replica's thread, of whichever connection.
func anyFailed(replica *sql.DB) error {
	rows, err := replica.Query("SHOW ALL SLAVES STATUS")
	if err != nil {
		return err
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		return err
	}
	cells, dest := make([]sql.NullString, len(cols)), make([]any, len(cols))
	for i := range cells {
		dest[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		for i, c := range cols {
			if (c == "Last_IO_Error" || c == "Last_SQL_Error") && cells[i].String != "" {
				return fmt.Errorf("connection '%s': %s", cells[0].String, cells[i].String)
			}
		}
	}
	return rows.Err()
}

// requireOnce finds the GTIDs of each domain in a server's log rising by one.
func requireOnce(t *testing.T, db *sql.DB) {
	t.Helper()
	last := map[int]int{}
	groups := 0
	for _, file := range peer.MustRows(t, db, "SHOW BINARY LOGS") {
		name, _, _ := strings.Cut(strings.TrimPrefix(file, `"`), `"`)
		for _, e := range peer.MustRows(t, db, "SHOW BINLOG EVENTS IN '"+name+"'") {
			at := strings.Index(e, "GTID ")
			if at < 0 || !strings.Contains(e, `"Gtid"`) {
				continue
			}
			var domain, server, seq int
			if _, err := fmt.Sscanf(e[at:], "GTID %d-%d-%d", &domain, &server, &seq); err != nil {
				t.Fatalf("%s: %v", e, err)
			}
			if before, ok := last[domain]; ok && seq != before+1 {
				t.Errorf("%d-%d-%d follows sequence number %d", domain, server, seq, before)
			}
			last[domain] = seq
			groups++
		}
	}
	if groups == 0 {
		t.Error("there are no groups in the log")
	}
}

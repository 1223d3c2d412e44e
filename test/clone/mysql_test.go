package clone

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"database/sql"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

// startMySQL starts a real one, with its default collation.
func startMySQL(t *testing.T, args ...string) (*peer.Server, *sql.DB) {
	t.Helper()
	s := peer.StartMySQL(t, peer.Options{Args: args})
	db := s.DB("")
	t.Cleanup(func() { _ = db.Close() })
	peer.Exec(t, db, "CREATE USER repl@'%' IDENTIFIED BY 'secret'", "GRANT REPLICATION SLAVE ON *.* TO repl@'%'")
	return s, db
}

var byGTID = []string{"--gtid-mode=ON", "--enforce-gtid-consistency=ON"}

// shop has the types of columns that both servers have.
var shop = []string{
	"CREATE DATABASE shop",
	`CREATE TABLE shop.everything (id INT AUTO_INCREMENT PRIMARY KEY, b BIT(9), e ENUM('a','b','x,y'), s SET('p','q'), y YEAR, t TIME(3), ts TIMESTAMP(6) NULL, dt DATETIME(2), da DATE,
		de DECIMAL(20,5), d DOUBLE, u BIGINT UNSIGNED, m MEDIUMINT, bl BLOB, vb VARBINARY(10), bi BINARY(4), c CHAR(5), l VARCHAR(10) CHARACTER SET latin1, mt MEDIUMTEXT, KEY (c))`,
	`INSERT INTO shop.everything VALUES (1, b'101010101', 'x,y', 'p,q', 2020, '-12:13:14.567', '2020-01-02 03:04:05.678901', '1999-12-31 23:59:59.99', '2020-02-29', -12345.67890, -2.25e100,
		18446744073709551615, -8388608, x'00ff27', 'ab', 'c', 'abc', 'ünï', 'ünïcödé 漢字 😀'), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
	"CREATE TABLE shop.places (id INT PRIMARY KEY, a TEXT COLLATE utf8mb4_unicode_ci, p POINT, l VARCHAR(9) CHARACTER SET utf8mb3, g GEOMETRY)", "INSERT INTO shop.places VALUES (1, 'ä', POINT(1, 2), 'é', NULL)",
	"CREATE TABLE shop.computed (id INT PRIMARY KEY, a INT, b INT AS (a * 2) STORED, c INT AS (a + 1) VIRTUAL, KEY (c))", "INSERT INTO shop.computed (id, a) VALUES (1, 5)",
	"CREATE TABLE shop.parents (id INT PRIMARY KEY)", "CREATE TABLE shop.children (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES shop.parents (id) ON DELETE CASCADE ON UPDATE CASCADE)",
	"INSERT INTO shop.parents VALUES (1), (2), (3)", "INSERT INTO shop.children VALUES (1, 1), (2, 2), (3, 2), (4, 3)",
	"CREATE TABLE shop.bare (a INT, b VARCHAR(5))", "INSERT INTO shop.bare VALUES (1, 'a'), (1, 'a'), (2, 'b')",
	"CREATE VIEW shop.shown AS SELECT id, c FROM shop.everything", "CREATE TRIGGER shop.filled BEFORE INSERT ON shop.computed FOR EACH ROW SET NEW.a = COALESCE(NEW.a, 7)",
	"CREATE EVENT shop.hourly ON SCHEDULE EVERY 1 HOUR DO DELETE FROM shop.bare",
}

// later changes what shop has, rows and definitions.
var later = []string{
	"UPDATE shop.everything SET c = 'min', bl = NULL WHERE id = 1", "INSERT INTO shop.everything (c, l) VALUES ('new', 'é')", "INSERT INTO shop.computed (id) VALUES (2)", "UPDATE shop.computed SET a = a + 1",
	"UPDATE shop.places SET p = POINT(3, 4)", "INSERT INTO shop.places VALUES (2, 'ü', POINT(5, 6), 'ß', POINT(7, 8))",
	"DELETE FROM shop.parents WHERE id = 2", "UPDATE shop.parents SET id = 9 WHERE id = 3", "DELETE FROM shop.bare WHERE a = 1 LIMIT 1", "UPDATE shop.bare SET b = 'c' WHERE a = 1",
	"ALTER TABLE shop.bare ADD COLUMN c INT NOT NULL DEFAULT 5, ADD KEY (a)", "INSERT INTO shop.bare VALUES (7, 'x', 8)", "ALTER TABLE shop.bare DROP COLUMN b",
	"CREATE TABLE shop.copied SELECT id, c FROM shop.everything", "CREATE TABLE shop.plain (id INT PRIMARY KEY, v VARCHAR(9) COLLATE utf8mb4_bin)", "INSERT INTO shop.plain VALUES (1, 'a'), (2, 'A')",
}

// TestFollowingMySQL clones a real MySQL under load, and has the clone follow it through restarts, and by GTID through kills: everything is there, and nothing
// twice.
func TestFollowingMySQL(t *testing.T) {
	minimal := []string{"--binlog-row-image=MINIMAL", "--binlog-row-metadata=FULL", "--binlog-transaction-compression=ON"}
	for name, args := range map[string][]string{
		"gtid": byGTID, "gtid minimal": append(minimal, byGTID...), "position": {"--gtid-mode=OFF"}, "position minimal": append([]string{"--gtid-mode=OFF_PERMISSIVE"}, minimal...),
	} {
		if !peer.Full() && (name == "gtid" || name == "position minimal") {
			continue // the other two have both ways, and both forms of rows
		}
		t.Run(name, func(t *testing.T) { testFollowingMySQL(t, strings.HasPrefix(name, "gtid"), args) })
	}
}

func testFollowingMySQL(t *testing.T, gtids bool, args []string) {
	s, source := startMySQL(t, args...)
	peer.Exec(t, source, shop...)
	w := transfers(t, s, 2)
	dir := filepath.Join(t.TempDir(), "data")
	out, err := run(t, s, dir, "--verify", "--server-id=42", "--replication-user=repl", "--replication-password=secret")
	require.NoError(t, err, out)
	fields := strings.Split(strings.TrimRight(file(t, filepath.Join(dir, "clone_binlog_info")), "\n"), "\t")
	require.Len(t, fields, 3)

	still := peer.Start(t, peer.Options{Kind: peer.Duramen, Dir: dir, ServerID: 42, Args: []string{"--skip-slave-start"}})
	db := still.DB("")
	status, err := peer.SlaveStatus(db)
	require.NoError(t, err)
	if gtids {
		require.Equal(t, []string{"Slave_Pos", ""}, []string{status["Using_Gtid"], status["Master_Log_File"]})
		require.Equal(t, fields[2], one(t, db, "SELECT @@GLOBAL.gtid_executed"))
	} else {
		require.Equal(t, []string{"No", fields[0], fields[1]}, []string{status["Using_Gtid"], status["Master_Log_File"], status["Read_Master_Log_Pos"]})
		require.Empty(t, one(t, db, "SELECT @@GLOBAL.gtid_executed"))
	}
	require.NotEqual(t, "ENABLED", one(t, db, "SELECT STATUS FROM information_schema.EVENTS WHERE EVENT_NAME = 'hourly'"))
	require.NoError(t, db.Close())
	loginAs(t, still, "repl", "secret") // its hash is MySQL's
	still.Stop()

	d := peer.Start(t, peer.Options{Kind: peer.Duramen, Dir: dir, ServerID: 42})
	replica := d.DB("")
	defer replica.Close()
	for i, q := range later {
		peer.Exec(t, source, q)
		if i%4 == 0 {
			if gtids {
				d.Kill()
			}
			d.Restart()                                            // file and position are not those of the data after a kill
			<-time.After(time.Duration(i) * 20 * time.Millisecond) // so that kills come at other moments; there is nothing to wait for
		}
	}
	require.NoError(t, w.wait())
	same := func() {
		t.Helper()
		peer.CatchUpMySQL(t, source, replica)
		peer.RequireEqualContent(t, source, replica)
		require.Equal(t, fmt.Sprint(accounts*balance), one(t, replica, "SELECT SUM(balance) FROM bank.accounts"))
	}
	same()
	d.Restart()
	peer.Exec(t, source, "UPDATE bank.accounts SET balance = balance + 1", "UPDATE bank.accounts SET balance = balance - 1", "FLUSH BINARY LOGS", "DELETE FROM shop.everything WHERE id = 2")
	same()
	for _, table := range peer.Tables(t, replica) {
		peer.RequireSound(t, replica, table)
	}
	if gtids {
		// What a MySQL calls the transactions, and the numbers that they have here, are as many.
		require.Equal(t, peer.ExecutedByMySQL(t, source), one(t, replica, "SELECT @@GLOBAL.gtid_executed"))
	}
}

// TestMySQLLogin follows MySQLs that take no login without TLS, with a password that only caching_sha2_password knows.
func TestMySQLLogin(t *testing.T) {
	ours := peer.NewAuthority(t)
	cert, key := ours.Issue(&x509.Certificate{Subject: pkix.Name{CommonName: "server"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	s, db := startMySQL(t, append([]string{"--ssl-ca=" + ours.File, "--ssl-cert=" + cert, "--ssl-key=" + key}, byGTID...)...)
	peer.Exec(t, db, "CREATE DATABASE shop", "CREATE TABLE shop.item (id INT PRIMARY KEY)", "INSERT INTO shop.item VALUES (1)", "ALTER USER repl@'%' REQUIRE SSL")
	for name, c := range map[string]struct {
		args     []string
		said     bool
		ca, want string
	}{
		"not asked for": {nil, true, "", ""},
		"name":          {[]string{"--ssl-ca=" + ours.File, "--ssl-verify-server-cert"}, false, ours.File, ""},
		"wrong":         {[]string{"--replication-password=wrong"}, false, "", "1045: Access denied for user 'repl'@"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			out, err := run(t, s, dir, append([]string{"--server-id=2", "--replication-user=repl", "--replication-password=secret"}, c.args...)...)
			if c.want != "" {
				require.Error(t, err)
				require.Contains(t, out, c.want)
				require.NoDirExists(t, dir)
				return
			}
			require.NoError(t, err, out)
			require.Equal(t, c.said, strings.Contains(out, "with TLS only"), out)
			replica := peer.Start(t, peer.Options{Kind: peer.Duramen, Dir: dir, ServerID: 2}).DB("")
			defer replica.Close()
			peer.Exec(t, db, "INSERT INTO shop.item SELECT MAX(id) + 1 FROM shop.item")
			peer.CatchUpMySQL(t, db, replica)
			peer.RequireEqualContent(t, db, replica)
			status, err := peer.SlaveStatus(replica)
			require.NoError(t, err)
			require.Equal(t, []string{"Yes", c.ca}, []string{status["Master_SSL_Allowed"], status["Master_SSL_CA_File"]})
		})
	}
}

// TestMySQLProblems clones what the new server cannot have, or could not follow: it is told before any row is copied.
func TestMySQLProblems(t *testing.T) {
	s, db := startMySQL(t, byGTID...)
	peer.Exec(t, db, "CREATE DATABASE odd", "CREATE DATABASE theirs COLLATE utf8mb4_ja_0900_as_cs", "CREATE TABLE odd.collated (v VARCHAR(9) COLLATE utf8mb4_zh_0900_as_cs)",
		"CREATE VIEW odd.converted AS SELECT CONVERT('a' USING utf8mb4) AS v", "CREATE DATABASE renamed COLLATE utf8mb4_0900_as_cs", "CREATE TABLE renamed.t (v VARCHAR(9), w TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin)",
		"CREATE TABLE odd.places (p POINT, v TEXT COLLATE utf8mb4_0900_as_cs)", "CREATE TABLE odd.plain (a INT) ENGINE=MyISAM", "CREATE TABLE odd.documents (id INT PRIMARY KEY, j JSON)", `INSERT INTO odd.documents VALUES (1, '{"a": [1, null]}')`,
		"CREATE TABLE odd.vectors (id INT PRIMARY KEY, v VECTOR(3))", "CREATE TABLE odd.functional (a INT, KEY ((a + 1)))", "GRANT SELECT, BACKUP_ADMIN ON *.* TO repl@'%'")
	dir := filepath.Join(t.TempDir(), "data")
	account := []string{"--server-id=2", "--replication-user=repl", "--replication-password=secret"}
	out, err := run(t, s, dir, account...)
	require.Error(t, err)
	for _, want := range []string{
		"database:theirs: ", "Unknown collation: 'utf8mb4_ja_0900_as_cs'", "table:odd.collated: ", "Unknown collation: 'utf8mb4_zh_0900_as_cs'", "table:odd.places: its rows cannot be written: ", "column v of collation utf8mb4_uca1400_nopad_as_cs", "engine:odd.plain: engine MyISAM has no transactions",
		"table:odd.vectors: ", "table:odd.functional: ", "grant:repl@%: privileges that only MySQL has: BACKUP_ADMIN",
	} {
		require.Contains(t, out, want)
	}
	require.NoDirExists(t, dir)
	out, err = run(t, s, dir, append(account, "--skip-errors=all")...)
	require.NoError(t, err, out)
	d := peer.Start(t, peer.Options{Kind: peer.Duramen, Dir: dir, ServerID: 2})
	replica := d.DB("")
	defer replica.Close()
	require.Equal(t, []string{`"v" "utf8mb4_uca1400_nopad_as_cs"`, `"w" "utf8mb4_nopad_bin"`},
		peer.MustRows(t, replica, "SELECT COLUMN_NAME, COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'renamed' ORDER BY 1"))
	require.Equal(t, []string{`"1" "{\"a\": [1, null]}"`}, peer.MustRows(t, replica, "SELECT * FROM odd.documents"))
	require.Contains(t, peer.MustRows(t, replica, "SHOW GRANTS FOR repl@'%'")[0], "GRANT SELECT, REPLICATION SLAVE ON *.* TO `repl`@`%`")
	peer.Exec(t, db, "UPDATE odd.documents SET j = '[1.0, {}]'")
	peer.CatchUpMySQL(t, db, replica)
	require.Equal(t, []string{`"1" "[1.0, {}]"`}, peer.MustRows(t, replica, "SELECT * FROM odd.documents"))

	for _, c := range []struct{ set, want string }{
		{"SET GLOBAL binlog_row_value_options = PARTIAL_JSON", "logs parts of JSON documents"},
		{"SET GLOBAL binlog_row_value_options = ''", ""},
	} {
		peer.Exec(t, db, c.set)
		out, err := run(t, s, filepath.Join(t.TempDir(), "data"), append(account, "--skip-errors=all")...)
		require.Equal(t, c.want != "", err != nil, out)
		require.Contains(t, out, c.want)
	}
	peer.Exec(t, db, "SET SESSION gtid_next = 'AUTOMATIC:tagged'", "DROP DATABASE odd")
	if strings.Contains(peer.ExecutedByMySQL(t, db), "tagged") {
		out, err = run(t, s, filepath.Join(t.TempDir(), "data"), append(account, "--skip-errors=all")...)
		require.Error(t, err, out)
		require.Contains(t, out, "GTIDs with tags are not read")
	}
}

package ddlreplica

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/test/peer"
)

// table is what each pair of clauses changes. Every column has values that no other has.
var table = []string{
	"CREATE TABLE other (id INT PRIMARY KEY)",
	"INSERT INTO other VALUES (201), (202), (203)",
	`CREATE TABLE t (
		id INT NOT NULL PRIMARY KEY, a INT, b INT NOT NULL DEFAULT 7, c VARCHAR(20), d DECIMAL(8,2), e ENUM('x','y','z'),
		g INT AS (b * 2) STORED, v INT AS (b + 1) VIRTUAL, f INT,
		KEY ka (a), UNIQUE KEY kb (b), KEY kc (c(5), a), KEY kf (f),
		CONSTRAINT ck CHECK (b > 0), CONSTRAINT fk FOREIGN KEY (f) REFERENCES other (id)
	) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci COMMENT='one'`,
	"INSERT INTO t (id, a, b, c, d, e, f) VALUES (1, 101, 11, 'c1', 1.25, 'x', 201), (2, 102, 12, 'c2', 2.25, 'y', 202), (3, 103, 13, 'c3', 3.25, NULL, 203)",
}

// clauses are the kinds of clauses that are combined.
var clauses = []string{
	"ADD COLUMN n INT", "ADD COLUMN n INT NOT NULL DEFAULT 5 FIRST", "ADD COLUMN n VARCHAR(10) DEFAULT 'n' AFTER a", "ADD COLUMN n INT UNIQUE",
	"ADD COLUMN m INT NOT NULL", "ADD COLUMN m INT AFTER n", "ADD COLUMN a INT", "ADD COLUMN w INT AS (a + 1000) STORED",
	"DROP COLUMN a", "DROP COLUMN b", "DROP COLUMN c", "DROP COLUMN id", "DROP COLUMN e", "DROP COLUMN f",
	"MODIFY a BIGINT", "MODIFY a BIGINT FIRST", "MODIFY a VARCHAR(30) AFTER e", "MODIFY c VARCHAR(40) AFTER id", "MODIFY d DECIMAL(10,3) FIRST", "MODIFY e VARCHAR(5) FIRST",
	"CHANGE a b INT", "CHANGE a z INT", "CHANGE a z BIGINT FIRST", "CHANGE c a VARCHAR(20)", "CHANGE id k INT NOT NULL AFTER d", "CHANGE a c INT",
	"RENAME COLUMN a TO z", "RENAME COLUMN a TO c", "RENAME COLUMN c TO a", "RENAME COLUMN d TO e", "RENAME COLUMN b TO bb",
	"DROP PRIMARY KEY", "ADD PRIMARY KEY (b)", "ADD PRIMARY KEY (a, id)", "ADD PRIMARY KEY (n)",
	"ADD INDEX (a)", "ADD INDEX kn (n)", "ADD INDEX kz (z, b)", "ADD UNIQUE (c)", "ADD UNIQUE KEY ka (a)", "DROP INDEX ka", "DROP INDEX kb", "DROP INDEX kf", "RENAME INDEX ka TO kx", "RENAME INDEX kb TO ka", "ADD INDEX kf (f, a)",
	"ADD CONSTRAINT c2 CHECK (a > 100)", "DROP CONSTRAINT ck", "DROP FOREIGN KEY fk", "ADD CONSTRAINT f2 FOREIGN KEY (f) REFERENCES other (id)",
	"ALTER COLUMN a SET DEFAULT 9", "ALTER COLUMN b DROP DEFAULT", "COMMENT='two'", "ENGINE=InnoDB", "AUTO_INCREMENT=50",
	"MODIFY id INT NOT NULL AUTO_INCREMENT", "DEFAULT CHARACTER SET latin1", "CONVERT TO CHARACTER SET latin1", "RENAME TO u", "FORCE", "ALGORITHM=COPY", "LOCK=SHARED", "ADD FULLTEXT INDEX ft (c)",
}

// acceptable are pairs of error numbers that say the same: MariaDB's, and Duramen's.
var acceptable = map[[2]int]bool{
	{1553, 1828}: true, // MariaDB says the one or the other by its algorithm
	{1025, 1553}: true, // a rename of files that failed for the same reason
	{1072, 1828}: true, // a foreign key on a column that is dropped
	{0, 1553}:    true, // DROP INDEX with ADD FOREIGN KEY, which makes an index of its own
	{1845, 0}:    true, // LOCK=SHARED with RENAME TO: nothing is copied here
}

func TestPairs(t *testing.T) {
	peer.RequireMariaDB(t)
	seed := drawSeed(t)
	rnd := rand.New(rand.NewPCG(seed, 1))
	var pairs [][2]string
	for _, x := range clauses {
		for _, y := range clauses {
			if x != y {
				pairs = append(pairs, [2]string{x, y})
			}
		}
	}
	rnd.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	pairs = pairs[:min(len(pairs), peer.Scaled(250, len(pairs)))]
	for _, x := range clauses {
		pairs = append(pairs, [2]string{x, ""})
	}
	ours := peer.Start(t, peer.Options{Kind: peer.Duramen, Args: []string{"--sync-binlog=0"}})
	theirs := peer.StartMariaDB(t, peer.Options{Args: []string{"--innodb-flush-log-at-trx-commit=0", "--skip-innodb-doublewrite"}})
	odb, tdb := ours.DB(""), theirs.DB("")
	defer odb.Close()
	defer tdb.Close()
	odb.SetMaxOpenConns(1)
	tdb.SetMaxOpenConns(1)
	refused := 0
	for _, p := range pairs {
		alter := "ALTER TABLE t " + strings.TrimSuffix(p[0]+", "+p[1], ", ")
		want, wantErr := after(t, tdb, alter)
		got, gotErr := after(t, odb, alter)
		switch {
		case gotErr == 1235 && wantErr == 0:
			refused++
			if os.Getenv("DURAMEN_DDL_VERBOSE") != "" {
				t.Logf("refused: %s", alter)
			}
		case acceptable[[2]int{wantErr, gotErr}]:
		case wantErr != gotErr:
			t.Errorf("%s\n  MariaDB's error %d, here %d", alter, wantErr, gotErr)
		default:
			if d := difference(want, got); d != "" {
				t.Errorf("%s\n%s", alter, d)
			}
		}
	}
	t.Logf("%d statements, %d refused with 1235", len(pairs), refused)
}

// after runs a statement on a fresh table and returns what it leaves, and the error's number.
func after(t *testing.T, db *sql.DB, statement string) (string, int) {
	t.Helper()
	peer.Exec(t, db, "DROP DATABASE IF EXISTS d", "CREATE DATABASE d", "USE d")
	peer.Exec(t, db, table...)
	number := 0
	if _, err := db.Exec(statement); err != nil {
		var e *mysql.MySQLError
		if !errors.As(err, &e) {
			t.Fatalf("%s: %v", statement, err)
		}
		number = int(e.Number)
		if os.Getenv("DURAMEN_DDL_VERBOSE") != "" {
			t.Logf("%s: %v", statement, err)
		}
	}
	name := "t"
	if number == 0 && strings.Contains(statement, "RENAME TO u") {
		name = "u"
	}
	return shape(t, db, "d", name), number
}

// drawSeed takes the seed from the environment. Without one a full run draws it, and others take the same always:
// what they find has to be of the change that they test.
func drawSeed(t *testing.T) uint64 {
	seed := peer.Scaled(uint64(1), uint64(time.Now().UnixNano()))
	if s := os.Getenv("DURAMEN_DDL_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(fmt.Errorf("DURAMEN_DDL_SEED: %w", err))
		}
		seed = n
	}
	t.Logf("seed %d", seed)
	return seed
}

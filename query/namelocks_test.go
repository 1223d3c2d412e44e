package query_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// awaitWaits waits until n statements wait for locks.
func (s *server) awaitWaits(n int) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return len(s.store.Txns().Waits()) == n }, waitMax, waitStep)
}

// within are statements that put something into database d, take something out of it, or depend on its definition.
var within = []string{
	"CREATE TABLE d.x (a INT)", "CREATE TABLE x (a INT)", "CREATE TABLE d.x LIKE e.r", "CREATE TABLE d.x AS SELECT * FROM e.r",
	"RENAME TABLE e.r TO d.x", "ALTER TABLE e.r RENAME TO d.x", "RENAME TABLE d.t TO e.x", "ALTER TABLE d.t ADD n INT", "DROP TABLE d.t",
	"CREATE VIEW d.v AS SELECT 1", "CREATE OR REPLACE VIEW d.w AS SELECT 2", "DROP VIEW d.w", "TRUNCATE TABLE d.t",
	"CREATE PROCEDURE d.q() SELECT 1", "DROP PROCEDURE d.p", "CREATE TRIGGER d.g2 BEFORE INSERT ON d.t FOR EACH ROW SET @a = 1",
	"CREATE EVENT d.e ON SCHEDULE EVERY 1 DAY DO SELECT 1", "CREATE INDEX i ON d.t (a)",
	"CREATE DATABASE d", "CREATE DATABASE IF NOT EXISTS d", "ALTER DATABASE d COLLATE latin1_bin", "DROP DATABASE d",
}

func withTwoDatabases(t *testing.T) (*server, *client) {
	srv := newServer(t)
	c := srv.connect()
	c.exec("CREATE DATABASE d; CREATE TABLE d.t (a INT PRIMARY KEY); CREATE VIEW d.w AS SELECT 1; CREATE PROCEDURE d.p() SELECT 1")
	c.exec("CREATE DATABASE e; CREATE TABLE e.r (a INT PRIMARY KEY); INSERT INTO e.r VALUES (1)")
	return srv, c
}

// TestDropDatabaseLocksTheName: while DROP DATABASE is on its way, nothing comes into the database.
func TestDropDatabaseLocksTheName(t *testing.T) {
	srv, reader := withTwoDatabases(t)
	dropper, other := srv.connect(), srv.connectTo("d")
	reader.exec("BEGIN; SELECT * FROM d.t")
	dropped := make(chan error)
	go func() {
		_, err := dropper.run("DROP DATABASE d")
		dropped <- err
	}()
	srv.awaitWaits(1)
	other.exec("SET lock_wait_timeout = 0")
	for _, statement := range within {
		other.fails(1205, statement)
	}
	other.exec("CREATE TABLE e.s (a INT); CREATE DATABASE f; CREATE TEMPORARY TABLE e.tmp (a INT)") // is not hindered
	reader.exec("COMMIT")
	require.NoError(t, <-dropped)
	other.fails(1049, "CREATE TABLE d.x (a INT)")
	require.Empty(t, other.query("SELECT table_name FROM information_schema.tables WHERE table_schema = 'd'"))
	require.Nil(t, srv.store.Catalog().Current().Table("d", "t"))
	other.exec("CREATE DATABASE d")
	require.Empty(t, other.query("SHOW TABLES FROM d"))
}

// TestDefinitionsKeepTheirDatabase: while something comes into a database, the database stays as it is.
func TestDefinitionsKeepTheirDatabase(t *testing.T) {
	srv, reader := withTwoDatabases(t)
	mover, other := srv.connect(), srv.connect()
	reader.exec("BEGIN; SELECT * FROM d.t")
	moved := make(chan error)
	go func() {
		_, err := mover.run("RENAME TABLE d.t TO d.x")
		moved <- err
	}()
	srv.awaitWaits(1)
	other.exec("SET lock_wait_timeout = 0")
	for _, statement := range []string{"DROP DATABASE d", "ALTER DATABASE d COLLATE latin1_bin", "CREATE DATABASE d"} {
		other.fails(1205, statement)
	}
	other.exec("CREATE TABLE d.y (a INT)") // definitions do not exclude each other
	reader.exec("COMMIT")
	require.NoError(t, <-moved)
	other.exec("DROP DATABASE d")
	require.Nil(t, srv.store.Catalog().Current().Table("d", "x"))
}

// TestLockedTablesKeepTheirDatabase: DROP DATABASE waits for LOCK TABLES.
func TestLockedTablesKeepTheirDatabase(t *testing.T) {
	srv, locker := withTwoDatabases(t)
	other := srv.connect()
	other.exec("SET lock_wait_timeout = 0")
	locker.exec("LOCK TABLES d.t READ")
	other.fails(1205, "DROP DATABASE d")
	locker.exec("UNLOCK TABLES")
	other.exec("DROP DATABASE d")
}

// TestObjectsHaveOneMaker: of two sessions that make, or drop, the same routine, one waits, and does not log it again.
func TestObjectsHaveOneMaker(t *testing.T) {
	srv, a := withTwoDatabases(t)
	for _, statement := range []string{
		"CREATE PROCEDURE d.q() SELECT 1", "DROP PROCEDURE d.p", "CREATE TRIGGER d.g BEFORE INSERT ON d.t FOR EACH ROW SET @a = 1",
		"CREATE EVENT d.e ON SCHEDULE EVERY 1 DAY DO SELECT 1", "DROP EVENT d.e",
	} {
		a.exec("FLUSH TABLES WITH READ LOCK")
		before := a.query("SELECT @@gtid_binlog_pos")
		results := make(chan error)
		for range 2 {
			c := srv.connect()
			go func() {
				_, err := c.run(statement)
				results <- err
			}()
		}
		a.exec("UNLOCK TABLES")
		failed := 0
		for range 2 {
			if <-results != nil {
				failed++
			}
		}
		require.Equal(t, 1, failed, statement)
		require.NotEqual(t, before, a.query("SELECT @@gtid_binlog_pos"))
	}
}

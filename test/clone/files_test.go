package clone

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

const shipStatement = "SHOW DURAMEN CLONE"

// tables are one in each storage engine.
var tables = map[string]string{"l": "InnoDB", "b": "BTREE", "m": "MEMORY"}

// engines makes them, in a new source.
func engines(t *testing.T, args ...string) (*peer.Server, *sql.DB) {
	t.Helper()
	s := peer.Start(t, peer.Options{Kind: peer.Duramen, Args: args})
	db := s.DB("")
	t.Cleanup(func() { _ = db.Close() })
	peer.Exec(t, db, "CREATE DATABASE shop")
	for name, engine := range tables {
		peer.Exec(t, db, fmt.Sprintf("CREATE TABLE shop.%s (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(200), KEY (v)) ENGINE=%s", name, engine))
	}
	return s, db
}

// large gives a source some MiB that cannot be compressed.
func large(t *testing.T, db *sql.DB) {
	t.Helper()
	peer.Exec(t, db, "CREATE TABLE shop.large (id INT PRIMARY KEY, v MEDIUMBLOB)")
	for i := range 8 {
		peer.Exec(t, db, fmt.Sprintf("INSERT INTO shop.large VALUES (%d, RANDOM_BYTES(1024))", i))
	}
	for range 3 { // each of them eight times as long
		peer.Exec(t, db, "UPDATE shop.large SET v = CONCAT(v, RANDOM_BYTES(1024), RANDOM_BYTES(1024), v, RANDOM_BYTES(1024), v, RANDOM_BYTES(1024), v, v, v)")
	}
	for i := range 12 {
		peer.Exec(t, db, fmt.Sprintf("INSERT INTO shop.large SELECT id + %d, CONCAT(RANDOM_BYTES(1024), v) FROM shop.large WHERE id < 8", 8*(i+1)))
	}
}

// insertBoth inserts into tables of two engines in one transaction, until stop is called.
func insertBoth(t *testing.T, s *peer.Server) writers {
	t.Helper()
	db := s.DB("shop")
	t.Cleanup(func() { _ = db.Close() })
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	var all sync.WaitGroup
	var failed error
	all.Go(func() {
		for i := 0; ctx.Err() == nil && failed == nil; i++ {
			failed = inBoth(db, i)
		}
	})
	return writers{stop: cancel, wait: func() error {
		cancel()
		all.Wait()
		return failed
	}}
}

func inBoth(db *sql.DB, i int) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	for _, name := range []string{"l", "b"} {
		if _, err := tx.Exec(fmt.Sprintf("INSERT INTO %s (v) VALUES ('row %d')", name, i)); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// A clone by files that is made while a transaction after the other changes two engines has whole ones, and follows from there.
func TestFilesUnderLoad(t *testing.T) {
	s, source := engines(t)
	peer.Exec(t, source, "INSERT INTO shop.m (v) VALUES ('gone')")
	count := func(db *sql.DB) int {
		n, err := strconv.Atoi(one(t, db, "SELECT COUNT(*) FROM shop.l"))
		require.NoError(t, err)
		return n
	}
	for n := range 3 {
		base := count(source) - sequence(t, one(t, source, "SELECT @@GLOBAL.gtid_binlog_pos")) // from here on each transaction is a GTID, and a row
		w := insertBoth(t, s)
		dir := filepath.Join(t.TempDir(), "data")
		out, err := run(t, s, dir, "--method=files", "--server-id=7", "--verify")
		require.NoError(t, err, out)
		require.NoError(t, w.wait())
		require.Contains(t, out, "tables in ")
		place := strings.Split(strings.TrimSpace(file(t, filepath.Join(dir, "clone_binlog_info"))), "\t")
		d := peer.Start(t, peer.Options{Kind: peer.Duramen, Dir: dir, ServerID: 7, Args: []string{"--skip-slave-start"}})
		replica := d.DB("")
		require.Equal(t, place[2], one(t, replica, "SELECT @@GLOBAL.gtid_slave_pos"))
		require.Equal(t, "0", one(t, replica, "SELECT COUNT(*) FROM shop.m"))
		require.Equal(t, base+sequence(t, place[2]), count(replica), "round %d", n)
		require.Positive(t, count(replica))
		require.Equal(t, peer.MustRows(t, replica, "SELECT * FROM shop.l ORDER BY id"), peer.MustRows(t, replica, "SELECT * FROM shop.b ORDER BY id"))
		peer.Exec(t, source, "DELETE FROM shop.l WHERE id = 1", "UPDATE shop.b SET v = 'other' WHERE id = 1", "INSERT INTO shop.l (id, v) VALUES (1, 'other')",
			"TRUNCATE shop.m", "INSERT INTO shop.m (v) VALUES ('later')")
		peer.Exec(t, replica, "START SLAVE")
		peer.CatchUp(t, source, replica)
		peer.RequireEqualContent(t, source, replica)
		require.NoError(t, replica.Close())
		d.Stop()
	}
}

// Both methods make the same server of the same source.
func TestMethodsAreEqual(t *testing.T) {
	peer.RequireMariaDB(t) // for its client
	s := peer.Start(t, peer.Options{Kind: peer.Duramen})
	fill(t, s)
	source := s.DB("")
	defer source.Close()
	peer.AllowReplication(t, source)
	peer.Exec(t, source, "CREATE DATABASE engines", "CREATE TABLE engines.b (id INT PRIMARY KEY, v TEXT) ENGINE=BTREE", "INSERT INTO engines.b VALUES (1, 'x')",
		"CREATE TABLE engines.m (id INT PRIMARY KEY) ENGINE=MEMORY", "CREATE USER owner@localhost", "GRANT ALL ON *.* TO owner@localhost",
		"CREATE DEFINER=owner@localhost EVENT engines.owned ON SCHEDULE EVERY 1 DAY STARTS '2037-01-01 00:00:00' DO SELECT 1",
		"CREATE EVENT engines.never ON SCHEDULE EVERY 1 DAY STARTS '2037-01-01 00:00:00' DISABLE DO SELECT 1")
	const odd = "`it's a \"d.b\" ü```" // peer.Tables splits names at dots
	peer.Exec(t, source, "DROP DATABASE "+odd)
	clones := map[string]*sql.DB{}
	dirs := map[string]string{}
	for _, method := range []string{"sql", "files"} {
		dir := filepath.Join(t.TempDir(), "data")
		dirs[method] = dir
		out, err := run(t, s, dir, "--method="+method, "--server-id=9", "--replication-user="+peer.ReplicationUser, "--replication-password="+peer.ReplicationPassword)
		require.NoError(t, err, out)
		d := peer.Start(t, peer.Options{Kind: peer.Duramen, Dir: dir, ServerID: 9, Args: []string{"--skip-slave-start"}})
		clones[method] = d.DB("")
		defer clones[method].Close()
		loginAs(t, d, "reader", "secret")
	}
	for _, name := range []string{"my.cnf", "replication.json", "clone_binlog_info"} {
		require.Equal(t, file(t, filepath.Join(dirs["sql"], name)), file(t, filepath.Join(dirs["files"], name)), name)
	}
	entries := func(method string) (names []string) {
		list, err := os.ReadDir(dirs[method])
		require.NoError(t, err)
		for _, e := range list {
			if !strings.HasPrefix(e.Name(), "binlog.") { // .next may be there, or not yet
				names = append(names, e.Name())
			}
		}
		return names
	}
	require.Equal(t, entries("sql"), entries("files"))
	peer.RequireEqualContent(t, source, clones["files"])
	peer.RequireEqualContent(t, clones["sql"], clones["files"])
	sameDefinitions(t, clones["sql"], clones["files"])
	sameDefinitions(t, source, clones["files"])
	for _, q := range []string{
		"SELECT @@GLOBAL.gtid_slave_pos, @@GLOBAL.gtid_binlog_state, @@GLOBAL.gtid_current_pos, @@GLOBAL.gtid_executed, @@server_id, @@innodb_engine",
		"SELECT EVENT_NAME, STATUS, DEFINER, SQL_MODE, TIME_ZONE, STARTS FROM information_schema.EVENTS ORDER BY 1",
		"SELECT User, Host, plugin, authentication_string FROM mysql.user ORDER BY 1, 2", "SHOW GRANTS FOR root@localhost",
		"SHOW GRANTS FOR owner@localhost", "SELECT TABLE_NAME, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'engines' ORDER BY 1",
	} {
		require.Equal(t, peer.MustRows(t, clones["sql"], q), peer.MustRows(t, clones["files"], q), q)
	}
	require.Equal(t, []string{`"owned" "owner@localhost"`}, peer.MustRows(t, clones["files"], "SELECT EVENT_NAME, DEFINER FROM information_schema.EVENTS WHERE EVENT_NAME = 'owned'"))
}

// A replica of the source goes on behind the clone, exactly where it was. One that lacks something from before the clone is told so, also when the
// clone has logged more since.
func TestChainBehindClone(t *testing.T) {
	peer.RequireMariaDB(t)
	for _, kind := range both {
		t.Run(string(kind), func(t *testing.T) {
			s, source := engines(t)
			peer.AllowReplication(t, source)
			behind := peer.Start(t, peer.Options{Kind: kind, ServerID: 3})
			replica := behind.DB("")
			defer replica.Close()
			peer.Exec(t, source, "DROP TABLE shop.b", "DROP TABLE shop.m") // a MariaDB has no such engine
			peer.Exec(t, replica, "SET GLOBAL gtid_slave_pos = '"+one(t, source, "SELECT @@GLOBAL.gtid_binlog_pos")+"'", "CREATE DATABASE shop",
				"CREATE TABLE shop.l (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(200), KEY (v))",
				peer.ChangeMaster(s, "MASTER_USE_GTID = slave_pos"), "START SLAVE")
			peer.Exec(t, source, "INSERT INTO shop.l (v) VALUES ('one')")
			peer.CatchUp(t, source, replica)
			peer.Exec(t, replica, "STOP SLAVE")

			dir := filepath.Join(t.TempDir(), "data")
			out, err := run(t, s, dir, "--method=files", "--server-id=2", "--replication-user="+peer.ReplicationUser, "--replication-password="+peer.ReplicationPassword)
			require.NoError(t, err, out)
			d := peer.Start(t, peer.Options{Kind: peer.Duramen, Dir: dir, ServerID: 2})
			clone := d.DB("")
			defer clone.Close()
			at := one(t, clone, "SELECT @@GLOBAL.gtid_slave_pos")
			peer.Exec(t, source, "INSERT INTO shop.l (v) VALUES ('two')")
			peer.CatchUp(t, source, clone)
			peer.Exec(t, replica, peer.ChangeMaster(d, "MASTER_USE_GTID = slave_pos"), "START SLAVE")
			peer.CatchUp(t, clone, replica)
			peer.Exec(t, source, "INSERT INTO shop.l (v) VALUES ('three')")
			peer.CatchUp(t, source, clone)
			peer.CatchUp(t, clone, replica)
			peer.RequireEqualContent(t, source, replica)

			peer.Exec(t, replica, "STOP SLAVE", "SET GLOBAL gtid_slave_pos = '"+fmt.Sprintf("0-1-%d", sequence(t, at)-1)+"'", "START SLAVE")
			peer.Await(t, time.Minute, "the replica is refused", func() (bool, error) {
				status, err := peer.SlaveStatus(replica)
				return err == nil && status["Last_IO_Errno"] == "1236", err
			})

			// The clone becomes the primary: its numbers go on.
			peer.Exec(t, replica, "STOP SLAVE", "SET GLOBAL gtid_slave_pos = '"+one(t, clone, "SELECT @@GLOBAL.gtid_slave_pos")+"'", "START SLAVE")
			peer.Exec(t, clone, "STOP SLAVE", "INSERT INTO shop.l (v) VALUES ('four')")
			require.Equal(t, fmt.Sprintf("0-2-%d", sequence(t, at)+3), one(t, clone, "SELECT @@GLOBAL.gtid_binlog_pos"))
			peer.CatchUp(t, clone, replica)
			peer.RequireEqualContent(t, clone, replica)
		})
	}
}

// The statement needs SELECT, RELOAD and REPLICATION SLAVE on everything; where one is missing rows are copied, which is told, or nothing.
func TestFilesPrivileges(t *testing.T) {
	s, db := engines(t)
	all := []string{"SELECT", "RELOAD", "REPLICATION SLAVE"}
	for i := range len(all) + 1 {
		name := fmt.Sprint("u", i)
		peer.Exec(t, db, "CREATE USER "+name+"@'%' IDENTIFIED BY 'x'")
		for j, p := range all {
			if i != j {
				peer.Exec(t, db, "GRANT "+p+" ON *.* TO "+name+"@'%'")
			}
		}
		peer.Exec(t, db, "GRANT ALL ON shop.* TO "+name+"@'%'")
		own, err := sql.Open("mysql", fmt.Sprintf("%s:x@tcp(%s)/", name, s.Addr()))
		require.NoError(t, err)
		_, err = own.Exec(shipStatement)
		if i == len(all) {
			require.NoError(t, err)
		} else {
			requireNumber(t, err, 1227)
			require.Contains(t, err.Error(), all[i])
		}
		require.NoError(t, own.Close())
	}
	dir := filepath.Join(t.TempDir(), "data")
	out, err := run(t, s, dir, "--no-follow", "--user=u2", "--password=x", "--method=files")
	require.Error(t, err)
	require.Contains(t, out, "--method=files cannot be: "+shipStatement+": Error 1227")
	require.NoDirExists(t, dir)
	out, err = run(t, s, dir, "--no-follow", "--user=u2", "--password=x")
	require.NoError(t, err, out)
	require.Contains(t, out, "rows are copied, and not files: "+shipStatement+": Error 1227")
	require.Contains(t, out, "rows of Duramen")
}

// Where files will not do, rows are copied, or the clone is refused.
func TestFilesUnsuitable(t *testing.T) {
	s, _ := engines(t)
	for _, c := range []struct{ args, want string }{
		{"--without-accounts", "--without-accounts leaves out a part"},
		{"--lock", "--lock is for rows"},
		{"--innodb-engine=BTREE", "the source's innodb_engine is ROCKSDB"},
		{"--commit-protocol=2pc", "commit protocol 2pc"},
		{"--log-bin=mine", `its log has the name "binlog" (log_bin), and that of the new server is "mine"`},
	} {
		dir := filepath.Join(t.TempDir(), "data")
		out, err := run(t, s, dir, "--no-follow", "--method=files", c.args)
		require.Error(t, err, c.args)
		require.Contains(t, out, c.want)
		require.NoDirExists(t, dir)
		out, err = run(t, s, dir, "--no-follow", c.args)
		require.NoError(t, err, out)
		require.Contains(t, out, "rows are copied, and not files: ")
		require.Contains(t, out, c.want)
	}
	dir := filepath.Join(t.TempDir(), "data")
	out, err := run(t, s, dir, "--no-follow", "--innodb-engine=rocksdb", "--method=files", "--skip-errors=all")
	require.NoError(t, err, out)
	out, err = run(t, s, filepath.Join(t.TempDir(), "data"), "--no-follow", "--method=nonsense")
	require.Error(t, err)
	require.Contains(t, out, "--method=nonsense is none of auto, files, sql")

	other, _ := engines(t, "--commit-protocol=2pc")
	out, err = run(t, other, filepath.Join(t.TempDir(), "data"), "--no-follow", "--method=files")
	require.Error(t, err)
	require.Contains(t, out, "Error 1235")
	peer.RequireMariaDB(t)
	real := peer.StartMariaDB(t, peer.Options{Binlog: true})
	out, err = run(t, real, filepath.Join(t.TempDir(), "data"), "--no-follow", "--method=files")
	require.Error(t, err)
	require.Contains(t, out, "--method=files cannot be: the source is a MariaDB")
}

// Damage that a file of the source has already is found by --verify.
func TestFilesDamagedSource(t *testing.T) {
	s, db := engines(t)
	large(t, db)
	s.Restart() // everything is in files
	db.SetMaxIdleConns(0)
	files, err := filepath.Glob(filepath.Join(s.Dir, "lsm", "*.sst"))
	require.NoError(t, err)
	largest, size := "", int64(0)
	for _, f := range files {
		info, err := os.Stat(f)
		require.NoError(t, err)
		if info.Size() > size {
			largest, size = f, info.Size()
		}
	}
	f, err := os.OpenFile(largest, os.O_RDWR, 0)
	require.NoError(t, err)
	b := make([]byte, 1)
	_, err = f.ReadAt(b, size/2)
	require.NoError(t, err)
	b[0] ^= 0xff
	_, err = f.WriteAt(b, size/2)
	require.NoError(t, errors.Join(err, f.Close()))
	dir := filepath.Join(t.TempDir(), "data")
	out, err := run(t, s, dir, "--method=files", "--no-follow", "--verify")
	require.Error(t, err, out)
	require.Contains(t, out, "check: ")
	require.NoDirExists(t, dir)
}

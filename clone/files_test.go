package clone

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/server"
)

// serve runs a server in this process, on a port of its own, until the end of the test.
func serve(t *testing.T, dir string, args ...string) (port int, login func(user, password string) *sql.DB) {
	t.Helper()
	sockets, err := os.MkdirTemp("", "clone") // the path of a socket must be short
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(sockets)) })
	cfg, err := server.ParseConfig(append([]string{"--no-defaults", "--port=0", "--datadir=" + dir, "--socket=" + filepath.Join(sockets, "s"),
		"--pid-file=" + filepath.Join(sockets, "pid"), "--skip-slave-start"}, args...))
	require.NoError(t, err)
	cfg.Logger = slog.New(slog.DiscardHandler)
	s, err := server.Start(context.Background(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Shutdown(context.Background())) })
	_, text, err := net.SplitHostPort(s.Addr())
	require.NoError(t, err)
	port, err = strconv.Atoi(text)
	require.NoError(t, err)
	return port, func(user, password string) *sql.DB {
		db, err := sql.Open("mysql", fmt.Sprintf("%s:%s@tcp(127.0.0.1:%d)/", user, password, port))
		require.NoError(t, err)
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
}

func exec(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	require.NoError(t, execAll(context.Background(), db, statements...))
}

func values(t *testing.T, db *sql.DB, q string) (v []string) {
	t.Helper()
	v, err := oneText(context.Background(), db, q)
	require.NoError(t, err)
	return v
}

// A clone by files has the source's rows and accounts, knows the source's GTIDs as somebody else's, and its events do not run. The source may have no
// root@localhost, and may be a replica itself.
func TestFiles(t *testing.T) {
	port, login := serve(t, filepath.Join(t.TempDir(), "source"))
	db := login("root", "")
	exec(t, db, "CREATE USER boss@'%' IDENTIFIED BY 'x'", "GRANT ALL ON *.* TO boss@'%' WITH GRANT OPTION",
		"SET GLOBAL gtid_slave_pos = '0-9-1,5-9-77'", "SET GLOBAL gtid_purged = '3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5'")
	boss := login("boss", "x")
	exec(t, boss, "DROP USER root@localhost", "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY) ENGINE=BTREE", "INSERT INTO d.t VALUES (1), (2)",
		"CREATE EVENT d.e ON SCHEDULE EVERY 1 DAY DO SELECT 1")
	state := values(t, boss, "SELECT @@GLOBAL.gtid_binlog_state")[0]

	dir := filepath.Join(t.TempDir(), "replica")
	o := Options{Source: Source{Port: port, User: "boss", Password: "x"}, Dir: dir, ServerID: 2, Method: MethodFiles, Verify: true, Logger: slog.New(slog.DiscardHandler)}
	result, err := Run(context.Background(), o)
	require.NoError(t, err)
	require.Equal(t, MethodFiles, result.Method)
	require.EqualValues(t, 1, result.Tables)
	require.Equal(t, state+",5-9-77", result.GTID)

	_, login = serve(t, dir, "--server-id=2")
	replica := login("boss", "x")
	require.Equal(t, []string{"1", "2"}, values(t, replica, "SELECT id FROM d.t ORDER BY id"))
	require.Equal(t, []string{state + ",5-9-77"}, values(t, replica, "SELECT @@GLOBAL.gtid_slave_pos"))
	require.Equal(t, []string{state + ",5-9-77"}, values(t, replica, "SELECT @@GLOBAL.gtid_binlog_state"))
	require.Equal(t, []string{""}, values(t, replica, "SELECT @@GLOBAL.gtid_executed"), "of the source's MySQL, which the new server does not follow")
	require.Equal(t, []string{"0"}, values(t, replica, "SELECT COUNT(*) FROM mysql.user WHERE User = 'root'"))
	require.Equal(t, []string{"boss@%"}, values(t, replica, "SELECT DEFINER FROM information_schema.EVENTS WHERE STATUS <> 'ENABLED'"))
	require.Equal(t, []string{"boss"}, values(t, replica, "SELECT User FROM mysql.user WHERE User NOT IN ('mariadb.sys', 'PUBLIC')"))

	o.NoFollow, o.Dir = true, filepath.Join(t.TempDir(), "copy")
	_, err = Run(context.Background(), o)
	require.NoError(t, err)
	_, login = serve(t, o.Dir)
	copied := login("boss", "x")
	for _, name := range []string{"gtid_slave_pos", "gtid_binlog_state", "gtid_executed"} {
		require.Equal(t, []string{""}, values(t, copied, "SELECT @@GLOBAL."+name), name)
	}
	require.NoFileExists(t, filepath.Join(o.Dir, "replication.json"))
}

// Files that end elsewhere than the source said do not make a server.
func TestArrived(t *testing.T) {
	_, login := serve(t, filepath.Join(t.TempDir(), "data"))
	db := login("root", "")
	exec(t, db, "CREATE DATABASE d", "CREATE DATABASE e")
	c, err := db.Conn(context.Background())
	require.NoError(t, err)
	defer c.Close()
	to := &target{admin: c}
	for text, want := range map[string]bool{"0-1-2": true, "0-1-1": false, "0-1-3": false, "": false, "0-1-2|0-1-1": false} {
		point, err := gtid.ParsePoint(text)
		require.NoError(t, err)
		require.Equal(t, want, to.arrived(context.Background(), point) == nil, text)
	}
}

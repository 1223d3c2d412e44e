package duramen_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen"
	"github.com/duramendb/duramen/server"
)

func Example() {
	dir, err := os.MkdirTemp("", "duramen")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	srv, err := duramen.Start(context.Background(), duramen.Options{
		Dir: filepath.Join(dir, "data"), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()

	db, err := sql.Open("mysql", srv.DSN("root", ""))
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{"CREATE DATABASE shop", "CREATE TABLE shop.item (id INT PRIMARY KEY, name TEXT)", "INSERT INTO shop.item VALUES (1, 'plank')"} {
		if _, err := db.Exec(q); err != nil {
			log.Fatal(err)
		}
	}
	var name, position string
	if err := db.QueryRow("SELECT name, @@gtid_binlog_pos FROM shop.item").Scan(&name, &position); err != nil {
		log.Fatal(err)
	}
	fmt.Println(name, position)
	// Output: plank 0-1-3
}

func start(t *testing.T, o duramen.Options) *duramen.Server {
	t.Helper()
	o.Logger = slog.New(slog.DiscardHandler)
	o.Args = append(o.Args, "--max-binlog-size=1M", "--skip-ssl")
	s, err := duramen.Start(context.Background(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// TestTwoServers: two servers in one process share nothing.
func TestTwoServers(t *testing.T) {
	var group sync.WaitGroup
	var dbs []*sql.DB
	for i := range 2 {
		s := start(t, duramen.Options{Dir: filepath.Join(t.TempDir(), "data"), Args: []string{fmt.Sprintf("--server-id=%d", 10+i)}})
		db, err := sql.Open("mysql", s.DSN("root", ""))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		dbs = append(dbs, db)
	}
	for i, db := range dbs {
		_, err := db.Exec("CREATE DATABASE d")
		require.NoError(t, err)
		var id int
		require.NoError(t, db.QueryRow("SELECT @@server_id").Scan(&id))
		require.Equal(t, 10+i, id)
		_, err = db.Exec(fmt.Sprintf("SET GLOBAL max_connections = %d", 100+i))
		require.NoError(t, err)
	}
	for i, db := range dbs { // at once, so that the race detector sees what they share
		group.Add(1)
		go func() {
			defer group.Done()
			for n := range 20 {
				if _, err := db.Exec(fmt.Sprintf("CREATE TABLE d.t%d (a INT DEFAULT %d)", n, i)); err != nil {
					t.Errorf("server %d: %v", i, err)
				}
				if _, err := db.Exec(fmt.Sprintf("INSERT INTO d.t%d SELECT @@server_id FROM DUAL WHERE @@max_connections = %d", n, 100+i)); err != nil {
					t.Errorf("server %d: %v", i, err)
				}
			}
		}()
	}
	group.Wait()
	for i, db := range dbs {
		var id int
		require.NoError(t, db.QueryRow("SELECT a FROM d.t19").Scan(&id))
		require.Equal(t, 10+i, id)
		var position string
		require.NoError(t, db.QueryRow("SELECT @@gtid_binlog_pos").Scan(&position))
		require.Equal(t, fmt.Sprintf("0-%d-41", 10+i), position)
	}
	for i, db := range dbs {
		var n int
		require.NoError(t, db.QueryRow("SELECT @@max_connections").Scan(&n))
		require.Equal(t, 100+i, n)
	}
}

// TestHostStaysAsItIs: a server in a program changes nothing that belongs to the process.
func TestHostStaysAsItIs(t *testing.T) {
	state := func() map[string]any {
		pprof, _ := http.NewRequest(http.MethodGet, "/debug/pprof/", nil)
		_, pattern := http.DefaultServeMux.Handler(pprof)
		metrics, err := prometheus.DefaultGatherer.Gather()
		require.NoError(t, err)
		return map[string]any{
			"logrus's level": logrus.GetLevel(), "logrus's output": logrus.StandardLogger().Out, "slog's logger": slog.Default(),
			"log's output": log.Writer(), "log's flags": log.Flags(), "handler of profiles": pattern, "registered metrics": len(metrics),
			"memory limit": debug.SetMemoryLimit(-1), "GOMAXPROCS": runtime.GOMAXPROCS(0), "time zone": time.Local,
			"SIGTERM ignored": signal.Ignored(syscall.SIGTERM), "environment": os.Environ(),
		}
	}
	before := state()
	require.Equal(t, logrus.InfoLevel, before["logrus's level"])
	require.Empty(t, before["handler of profiles"])
	s := start(t, duramen.Options{Dir: filepath.Join(t.TempDir(), "data"), Args: []string{"--metrics-address=127.0.0.1:0", "--pprof"}})
	db, err := sql.Open("mysql", s.DSN("root", ""))
	require.NoError(t, err)
	defer db.Close()
	for _, q := range []string{"CREATE DATABASE d", "CREATE TABLE d.t (a INT)", "SET GLOBAL time_zone = '+05:00'", "SELECT * FROM d.t"} {
		_, err := db.Exec(q)
		require.NoError(t, err)
	}
	require.Equal(t, before, state())
	require.NoError(t, s.Close())
	require.Equal(t, before, state())
}

func TestSocketOnly(t *testing.T) {
	s := start(t, duramen.Options{Dir: filepath.Join(t.TempDir(), "data"), Address: "-", Socket: filepath.Join(t.TempDir(), "s")})
	require.Empty(t, s.Addr())
	db, err := sql.Open("mysql", s.DSN("root", ""))
	require.NoError(t, err)
	require.NoError(t, db.Ping())
	require.NoError(t, db.Close())
}

func TestRefusedOptions(t *testing.T) {
	for _, o := range []duramen.Options{
		{},
		{Dir: "x", Address: "-"},
		{Dir: "x", Address: "nonsense"},
		{Dir: "x", Args: []string{"--nonsense"}},
	} {
		_, err := duramen.Start(context.Background(), o)
		require.Error(t, err)
	}
	_, err := duramen.Start(context.Background(), duramen.Options{Dir: filepath.Join(t.TempDir(), "d"), Address: "0.0.0.0:0"})
	require.Equal(t, server.ExitUnsafe, server.ExitCode(err))
}

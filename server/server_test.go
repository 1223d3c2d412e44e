package server

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
)

func TestMain(m *testing.M) {
	_ = mysql.SetLogger(&mysql.NopLogger{})
	os.Exit(m.Run())
}

// config is a server on a free port with a small log.
func config(t *testing.T, args ...string) Config {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	cfg, err := ParseConfig(append([]string{"--no-defaults", "--datadir=" + dir, "--port=0", "--max-binlog-size=1M"}, args...))
	require.NoError(t, err)
	cfg.Logger = slog.New(slog.DiscardHandler)
	return cfg
}

func start(t *testing.T, cfg Config) *Server {
	t.Helper()
	s, err := Start(context.Background(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	require.NoError(t, s.Shutdown(ctx))
}

func open(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func TestServe(t *testing.T) {
	cfg := config(t, "--metrics-address=127.0.0.1:0", "--pprof", "--max-connections=17")
	s := start(t, cfg)
	db := open(t, "root@tcp("+s.Addr()+")/")
	exec := func(q string, args ...any) {
		t.Helper()
		_, err := db.Exec(q, args...)
		require.NoError(t, err, q)
	}
	exec("CREATE DATABASE d")
	exec("CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(20), at DATETIME(6), n DECIMAL(10,2))")
	exec("INSERT INTO d.t (v, at, n) VALUES (?, ?, ?)", "one", time.Date(2024, 1, 2, 3, 4, 5, 6000, time.UTC), "1.50")
	exec("INSERT INTO d.t (v) VALUES ('two')")
	exec("UPDATE d.t SET v = 'zwei' WHERE id = 2")
	var version, name, value string
	require.NoError(t, db.QueryRow("SELECT VERSION()").Scan(&version))
	require.Equal(t, ServerVersion, version)
	require.NoError(t, db.QueryRow("SHOW VARIABLES LIKE 'max_connections'").Scan(&name, &value))
	require.Equal(t, "17", value)
	require.NoError(t, db.QueryRow("SHOW VARIABLES LIKE 'port'").Scan(&name, &value))
	_, port, err := net.SplitHostPort(s.Addr())
	require.NoError(t, err)
	require.Equal(t, port, value)
	pid, err := os.ReadFile(cfg.PIDFile)
	require.NoError(t, err)
	require.Equal(t, strconv.Itoa(os.Getpid()), strings.TrimSpace(string(pid)))
	for path, want := range map[string]string{"/metrics": "duramen_connections ", "/metrics?": `duramen_engine_lag_bytes{engine="RocksDB"} `, "/debug/pprof/": "goroutine",
		"/debug/pprof/goroutine?debug=1": "goroutine profile:", "/debug/pprof/heap": "\x1f\x8b", "/debug/pprof/profile?seconds=0": "\x1f\x8b",
		"/debug/pprof/trace?seconds=0": "go 1.", "/debug/pprof/nosuch": "404", "/debug/pprof/heap?debug=x": "no number"} {
		res, err := http.Get("http://" + s.MetricsAddr() + path)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, errors.Join(err, res.Body.Close()))
		require.Contains(t, string(body), want)
	}

	// A second server on the same directory.
	second := cfg
	second.Port, second.Socket, second.PIDFile, second.MetricsAddress = 0, filepath.Join(t.TempDir(), "s"), "", ""
	_, err = Start(context.Background(), second)
	require.Equal(t, ExitLocked, ExitCode(err), "%v", err)
	require.ErrorContains(t, err, cfg.DataDir)
	// A second server on the same port, and on the same socket.
	other := config(t)
	other.Port, err = strconv.Atoi(port)
	require.NoError(t, err)
	_, err = Start(context.Background(), other)
	require.Equal(t, ExitListen, ExitCode(err), "%v", err)
	require.NoDirExists(t, other.DataDir)
	other = config(t)
	other.Socket = cfg.Socket
	_, err = Start(context.Background(), other)
	require.Equal(t, ExitListen, ExitCode(err), "%v", err)

	stop(t, s)
	require.NoFileExists(t, cfg.PIDFile)
	require.NoFileExists(t, cfg.Socket)
	var report strings.Builder
	require.NoError(t, Check(context.Background(), cfg.DataDir, &report))
	require.Contains(t, report.String(), "d.t: 2 rows")

	require.Equal(t, ExitFormat, ExitCode(Check(context.Background(), t.TempDir(), &report)))
	require.Equal(t, ExitUsage, ExitCode(Check(context.Background(), filepath.Join(cfg.DataDir, "none"), &report)))

	// Everything is there after a restart; this time by the socket.
	s = start(t, cfg)
	db = open(t, "root@unix("+s.Socket()+")/d")
	rows, err := db.Query("SELECT v FROM t ORDER BY id")
	require.NoError(t, err)
	var got []string
	for rows.Next() {
		require.NoError(t, rows.Scan(&value))
		got = append(got, value)
	}
	require.NoError(t, errors.Join(rows.Err(), rows.Close()))
	require.Equal(t, []string{"one", "zwei"}, got)
}

func TestStaleSocketIsReplaced(t *testing.T) {
	cfg := config(t, "--skip-networking")
	cfg.Socket = filepath.Join(t.TempDir(), "s.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: cfg.Socket})
	require.NoError(t, err)
	l.SetUnlinkOnClose(false) // as a killed server leaves it
	require.NoError(t, l.Close())
	s := start(t, cfg)
	require.Empty(t, s.Addr())
	require.NoError(t, open(t, "root@unix("+s.Socket()+")/").Ping())
}

func TestRefusedStarts(t *testing.T) {
	for _, tc := range []struct {
		name    string
		prepare func(t *testing.T, cfg *Config)
		code    int
		want    string
	}{
		{"public address", func(_ *testing.T, cfg *Config) { cfg.Bind = []string{"0.0.0.0"} }, ExitUnsafe, "'root' has no password"},
		{"foreign directory", func(t *testing.T, cfg *Config) {
			require.NoError(t, os.MkdirAll(cfg.DataDir, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(cfg.DataDir, "ibdata1"), []byte("x"), 0o600))
		}, ExitFormat, "ibdata1"},
		{"unknown format", func(t *testing.T, cfg *Config) {
			require.NoError(t, os.MkdirAll(cfg.DataDir, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(cfg.DataDir, "FORMAT"), []byte("duramen data directory\nversion: 99\n"), 0o600))
		}, ExitFormat, "99"},
		{"a file in the socket's place", func(t *testing.T, cfg *Config) {
			cfg.Socket = filepath.Join(t.TempDir(), "f")
			require.NoError(t, os.WriteFile(cfg.Socket, nil, 0o600))
		}, ExitListen, "is no socket"},
		{"socket path too long", func(_ *testing.T, cfg *Config) {
			cfg.Socket = "/" + strings.Repeat("x", 200)
		}, ExitListen, "201"},
		{"an address of somebody else", func(_ *testing.T, cfg *Config) { cfg.Bind = []string{"192.0.2.1"} }, ExitListen, "none of this machine"},
		{"no certificate", func(_ *testing.T, cfg *Config) { cfg.Cert, cfg.Key = "/none.pem", "/none.pem" }, ExitUsage, "none.pem"},
		{"directory that cannot be", func(t *testing.T, cfg *Config) {
			file := filepath.Join(t.TempDir(), "f")
			require.NoError(t, os.WriteFile(file, nil, 0o600))
			cfg.DataDir = filepath.Join(file, "data")
		}, ExitUsage, "not a directory"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg := config(t)
			tc.prepare(t, &cfg)
			_, err := Start(context.Background(), cfg)
			require.ErrorContains(t, err, tc.want)
			require.Equal(t, tc.code, ExitCode(err), "%v", err)
		})
	}
}

func TestShutdownCancelsStatements(t *testing.T) {
	s := start(t, config(t))
	conn, err := open(t, "root@tcp("+s.Addr()+")/").Conn(context.Background())
	require.NoError(t, err)
	failed := make(chan error, 1)
	go func() {
		_, err := conn.ExecContext(context.Background(), "SELECT SLEEP(1000)")
		failed <- err
	}()
	require.Eventually(t, func() bool {
		rows, err := open(t, "root@tcp("+s.Addr()+")/").Query("SHOW PROCESSLIST")
		require.NoError(t, err)
		defer rows.Close()
		cols, err := rows.Columns()
		require.NoError(t, err)
		vals := make([]sql.NullString, len(cols))
		dest := make([]any, len(cols))
		for i := range vals {
			dest[i] = &vals[i]
		}
		for rows.Next() {
			require.NoError(t, rows.Scan(dest...))
			if strings.Contains(vals[7].String, "SLEEP(1000)") {
				return true
			}
		}
		return false
	}, 30*time.Second, 5*time.Millisecond)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.NoError(t, s.Shutdown(ctx))
	require.Error(t, <-failed)
	require.NoError(t, conn.Close())
}

// TestShutdownStatement runs a whole server life, ended by SQL.
func TestShutdownStatement(t *testing.T) {
	cfg := config(t, "--skip-networking")
	cfg.Socket = filepath.Join(t.TempDir(), "s.sock")
	ended := make(chan error, 1)
	go func() { ended <- Run(context.Background(), cfg) }()
	db, err := sql.Open("mysql", "root@unix("+cfg.Socket+")/")
	require.NoError(t, err)
	defer db.Close() // the server has closed its connection before
	require.Eventually(t, func() bool { return db.Ping() == nil }, 30*time.Second, 5*time.Millisecond)
	_, err = db.Exec("SHUTDOWN")
	require.NoError(t, err)
	require.NoError(t, <-ended)
	require.NoFileExists(t, cfg.PIDFile)
}

func TestOptions(t *testing.T) {
	for _, tc := range []struct{ arg, want string }{
		{"--nonsense=1", "--nonsense"},
		{"--port=70000", "no TCP port"},
		{"--server-id=0", "between 1 and"},
		{"--binlog-sync-method=osync", "binlog_sync_method"},
		{"--skip-log-bin", "cannot be switched off"},
		{"--log-bin=a/b", "not the name of a file"},
		{"--ssl-cert=x", "belong together"},
		{"--log-level=loud", "log level"},
		{"--log-format=xml", "log format"},
		{"--log-error=x", "redirect it"},
		{"--skip-grant-tables", "not supported"},
		{"extra", "unexpected argument"},
	} {
		_, err := ParseConfig([]string{"--no-defaults", tc.arg})
		require.ErrorContains(t, err, tc.want)
		require.Equal(t, ExitUsage, ExitCode(err))
	}
	cfg, err := ParseConfig([]string{"--no-defaults", "--innodb-lock-wait-timeout=3", "--sync-binlog=0", "--skip-name-resolve",
		"--bind-address=127.0.0.1,::1", "--socket=x.sock", "--max-allowed-packet=1G", "--binlog-row-image=MINIMAL", "--default-time-zone=+02:00",
		"--skip-binlog-preallocate", "--binlog-sync-method=fdatasync"})
	require.NoError(t, err)
	require.Equal(t, []string{"127.0.0.1", "::1"}, cfg.Bind)
	require.Equal(t, filepath.Join(cfg.DataDir, "x.sock"), cfg.Socket)
	require.Equal(t, uint64(3), cfg.Variables["innodb_lock_wait_timeout"])
	require.Equal(t, uint64(0), cfg.Variables["sync_binlog"])
	require.Equal(t, uint64(1<<30), cfg.Variables["max_allowed_packet"])
	require.Equal(t, "MINIMAL", cfg.Variables["binlog_row_image"])
	require.Equal(t, "+02:00", cfg.Variables["time_zone"])
	require.Equal(t, false, cfg.Variables["binlog_preallocate"])
	require.Equal(t, "fdatasync", cfg.Variables["binlog_sync_method"])
	require.NotContains(t, cfg.Variables, "replicate_do_db")
	require.True(t, cfg.NoPreallocate)
	require.Equal(t, binlog.SyncFdatasync, cfg.SyncMethod)
	require.True(t, loopbackOnly(cfg.Bind))
	require.False(t, loopbackOnly([]string{"127.0.0.1", "*"}))
	require.False(t, loopbackOnly([]string{"db.example.com"}))
}

// TestFilterOptions: rules of replication filters add up, for all connections and for one; what cannot be a rule ends the start.
func TestFilterOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my.cnf")
	require.NoError(t, os.WriteFile(file, []byte("[mariadbd]\nreplicate-do-db=a\nSome-Where.replicate_wild_do_table=x.%\nreplicate-do-db=b\n"), 0o600))
	cfg, err := ParseConfig([]string{"--defaults-file=" + file, "--replicate-do-db=c", "--some-where.replicate-do-db=d", "--some-where.replicate-do-db", "e"})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c"}, cfg.Variables["replicate_do_db"])
	require.Equal(t, []string{"d", "e"}, cfg.Variables["some-where.replicate_do_db"])
	require.Equal(t, []string{"x.%"}, cfg.Variables["some-where.replicate_wild_do_table"])
	_, err = ParseConfig([]string{"--no-defaults", "--one.max-connections=9"})
	require.ErrorContains(t, err, "there is no such option")
	for _, arg := range []string{"--one.replicate-do-table=bad", "--replicate-rewrite-db=bad", "--replicate-do-db=a,b"} {
		_, err := Start(t.Context(), config(t, arg))
		require.ErrorContains(t, err, "option "+strings.ReplaceAll(strings.TrimLeft(arg[:strings.IndexByte(arg, '=')], "-"), "-", "_"), arg)
	}
}

// TestRequireSecureTransport: the option, and SET GLOBAL, decide whether a login without TLS is refused.
func TestRequireSecureTransport(t *testing.T) {
	s := start(t, config(t, "--require-secure-transport", "--ssl"))
	login := func(tls string) error { return open(t, "root@tcp("+s.Addr()+")/"+tls).Ping() }
	const secure, plain = "?tls=skip-verify", ""
	require.NoError(t, login(secure))
	var refused *mysql.MySQLError
	require.ErrorAs(t, login(plain), &refused)
	require.EqualValues(t, 3159, refused.Number)
	admin := open(t, "root@tcp("+s.Addr()+")/"+secure)
	_, err := admin.Exec("SET GLOBAL require_secure_transport=OFF")
	require.NoError(t, err)
	require.NoError(t, login(plain))
	_, err = admin.Exec("SET GLOBAL require_secure_transport=ON")
	require.NoError(t, err)
	require.ErrorAs(t, login(plain), &refused)
}

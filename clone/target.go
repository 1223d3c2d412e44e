package clone

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/server"
	"github.com/duramendb/duramen/store"
)

// target is the new server, and its directory while it is being made.
type target struct {
	dir     string
	made    bool   // the directory did not exist
	sockets string // directory of its unix socket: the path of one must be short
	server  *server.Server
	db      *sql.DB
	admin   *sql.Conn
	writers []*sql.Conn // one for each reader of the source
}

// claim takes a directory that is empty, or not there, and marks it as unfinished.
func claim(dir string) (*target, error) {
	t := &target{dir: dir}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.made = true
		if err := os.MkdirAll(dir, 0o750); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	}
	for _, e := range entries {
		if e.Name() != "lost+found" {
			return nil, fmt.Errorf("data directory %s is not empty: it has %q", dir, e.Name())
		}
	}
	const text = "duramen clone is making this directory, or was ended while it did. Without that process it can be removed.\n"
	if err := os.WriteFile(t.marker(), []byte(text), 0o640); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *target) marker() string { return filepath.Join(t.dir, store.UnfinishedName) }

// start runs the server and opens the connections that load it.
func (t *target) start(ctx context.Context, o *Options) error {
	var err error
	if t.sockets, err = os.MkdirTemp("", "clone"); err != nil {
		return err
	}
	socket := filepath.Join(t.sockets, "s")
	cfg, err := server.ParseConfig(append([]string{
		"--no-defaults", "--skip-networking", "--sync-binlog=0", "--event-scheduler=OFF", "--max-allowed-packet=1G",
		"--max-connections=1000",
	}, append(o.serverArgs(), "--datadir="+t.dir, "--socket="+socket, "--pid-file="+filepath.Join(t.sockets, "pid"))...))
	if err != nil {
		return err
	}
	cfg.Logger, cfg.Unfinished = o.Logger, true
	if t.server, err = server.Start(ctx, cfg); err != nil {
		return err
	}
	to := mysql.NewConfig()
	to.User, to.Net, to.Addr, to.MaxAllowedPacket = "root", "unix", socket, 1<<30
	connector, err := mysql.NewConnector(to)
	if err != nil {
		return err
	}
	t.db = sql.OpenDB(connector)
	for i := range o.Threads + 1 {
		c, err := t.db.Conn(ctx)
		if err != nil {
			return err
		}
		if i == 0 {
			t.admin = c
		} else {
			t.writers = append(t.writers, c)
		}
		if err := execAll(ctx, c, "SET NAMES utf8mb4", "SET SESSION sql_log_bin = 0, foreign_key_checks = 0, unique_checks = 0, time_zone = '+00:00', wait_timeout = 86400",
			"SET SESSION sql_mode = '"+loadMode+"'"); err != nil {
			return err
		}
	}
	return nil
}

// loadMode refuses what does not fit, and takes what a server of any sql_mode may have stored.
const loadMode = createMode + ",STRICT_ALL_TABLES"

// createMode takes definitions with defaults that no strict mode does.
const createMode = "NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES"

// shutdownTimeout is how long the new server may take to write what it has in memory.
const shutdownTimeout = 10 * time.Minute

// stop ends connections and server, as far as they are there.
func (t *target) stop() error {
	var errs []error
	for _, c := range append(t.writers, t.admin) {
		if c != nil {
			_ = c.Close() // may be broken, and what was written is known
		}
	}
	if t.db != nil {
		_ = t.db.Close()
	}
	if t.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
		defer cancel()
		errs = append(errs, t.server.Shutdown(ctx))
	}
	if t.sockets != "" {
		errs = append(errs, os.RemoveAll(t.sockets))
	}
	*t = target{dir: t.dir, made: t.made}
	return errors.Join(errs...)
}

// discard removes what was made, after stop. The marker goes last.
func (t *target) discard() error {
	entries, err := os.ReadDir(t.dir)
	errs := []error{err}
	for _, e := range entries {
		if e.Name() != store.UnfinishedName && e.Name() != "lost+found" {
			errs = append(errs, os.RemoveAll(filepath.Join(t.dir, e.Name())))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("remove the unfinished directory: %w", err)
	}
	if err := os.Remove(t.marker()); err != nil || !t.made {
		return err
	}
	return os.Remove(t.dir)
}

// complete takes the mark away: servers may use the directory.
func (t *target) complete() error {
	if err := os.Remove(t.marker()); err != nil {
		return err
	}
	d, err := os.Open(t.dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

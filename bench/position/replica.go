package position

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/target"
)

// replica is a MariaDB that follows the primary.
type replica struct {
	server *target.Server
	db     *sql.DB
}

// connect opens the database of a server.
func connect(a load.Address) (*sql.DB, error) {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName = a.User, "tcp", net.JoinHostPort(a.Host, strconv.Itoa(a.Port)), a.Database
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	return db, nil
}

// replicaOptions are lines for the option file of a replica.
func replicaOptions(o *Options) []string {
	if o.LogUpdates {
		return []string{"log-slave-updates", "skip-slave-start"}
	}
	return []string{"skip-log-bin", "skip-slave-start"}
}

// follow makes a server a replica, with its position where c says, and lets it fill its tables from the logs.
func follow(ctx context.Context, o *Options, s *target.Server, c Contender, id int, logs map[string]*preparedLog) (*replica, error) {
	db, err := connect(s.Address())
	if err != nil {
		return nil, err
	}
	r := &replica{server: s, db: db}
	// The primaries have the id of the option file. They share it: no replica follows both at a time.
	setup := []string{fmt.Sprintf("SET GLOBAL server_id = %d", id)}
	switch c.Position {
	case Auto:
		setup = append(setup, "ALTER TABLE mysql.gtid_slave_pos ENGINE="+o.Server.Engines[0],
			fmt.Sprintf("SET GLOBAL gtid_pos_auto_engines = '%s,%s'", o.Server.Engines[0], o.Server.Engines[1]))
	default:
		setup = append(setup, "ALTER TABLE mysql.gtid_slave_pos ENGINE="+o.engine(c.Position))
	}
	for _, q := range setup {
		if _, err := db.ExecContext(ctx, q); err != nil {
			return r, fmt.Errorf("%s: %w", q, err)
		}
	}
	// All of each log once: the position tables of both engines are there after it.
	for _, set := range sets {
		if _, err := r.apply(ctx, logs[set], logs[set].created, func() {}); err != nil {
			return r, err
		}
		switch rows, err := digest(ctx, db, set); {
		case err != nil:
			return r, err
		case rows != logs[set].rows:
			return r, fmt.Errorf("%s differs from the primary's: %s, want %s", table(set), rows, logs[set].rows)
		}
	}
	return r, r.requirePosition(ctx, o, c)
}

// requirePosition waits until the position is kept where it was to be. MariaDB makes the further tables of Auto in the background.
func (r *replica) requirePosition(ctx context.Context, o *Options, c Contender) error {
	want := o.Server.Engines[:2]
	if c.Position != Auto {
		want = []string{o.engine(c.Position)}
	}
	ctx, cancel := context.WithTimeout(ctx, tablePatience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		found, err := r.positionEngines(ctx)
		if err != nil {
			return err
		}
		if slices.EqualFunc(found, want, strings.EqualFold) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the position is kept in %s, want %s: %w", strings.Join(found, ", "), strings.Join(want, ", "), context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// tablePatience is how long MariaDB may take to make a table for the position.
const tablePatience = time.Minute

// positionEngines are the engines of the tables for the position.
func (r *replica) positionEngines(ctx context.Context) ([]string, error) {
	rows, err := r.db.QueryContext(ctx, "SELECT engine FROM information_schema.tables WHERE table_schema = 'mysql' AND table_name LIKE 'gtid\\_slave\\_pos%' ORDER BY table_name")
	if err != nil {
		return nil, fmt.Errorf("look for the position: %w", err)
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var engine string
		if err := rows.Scan(&engine); err != nil {
			return nil, fmt.Errorf("look for the position: %w", err)
		}
		found = append(found, engine)
	}
	return found, rows.Err()
}

func (r *replica) close() error { return errors.Join(r.db.Close(), r.server.Stop()) }

// applyPatience is how long a replica may take for one stretch of the log.
const applyPatience = 10 * time.Minute

// apply applies a log from a GTID to its end, and gives the time that it took. All of it is fetched before. begin is called when
// the time begins.
func (r *replica) apply(ctx context.Context, log *preparedLog, from string, begin func()) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, applyPatience)
	defer cancel()
	for _, q := range []string{
		"STOP SLAVE",
		fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='%s', MASTER_PORT=%d, MASTER_USER='%s', MASTER_USE_GTID=slave_pos", log.primary.Host, log.primary.Port, log.primary.User),
		"SET GLOBAL gtid_slave_pos = '" + from + "'",
		"START SLAVE IO_THREAD",
	} {
		if _, err := r.db.ExecContext(ctx, q); err != nil {
			return 0, fmt.Errorf("%s: %w", q, err)
		}
	}
	if err := r.await(ctx, func(status map[string]string) bool { return status["Gtid_IO_Pos"] == log.to }); err != nil {
		return 0, fmt.Errorf("fetch the log: %w", err)
	}
	begin()
	started := time.Now()
	if _, err := r.db.ExecContext(ctx, "START SLAVE SQL_THREAD"); err != nil {
		return 0, fmt.Errorf("start applying: %w", err)
	}
	for {
		var timedOut int
		if err := r.db.QueryRowContext(ctx, "SELECT MASTER_GTID_WAIT('"+log.to+"', 5)").Scan(&timedOut); err != nil {
			return 0, fmt.Errorf("wait for the replica: %w", err)
		}
		if timedOut == 0 {
			return time.Since(started), nil
		}
		if _, err := r.status(ctx); err != nil {
			return 0, err
		}
	}
}

// await waits until the replica's status is as wanted.
func (r *replica) await(ctx context.Context, wanted func(map[string]string) bool) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		status, err := r.status(ctx)
		if err != nil {
			return err
		}
		if wanted(status) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// status is the line of SHOW SLAVE STATUS. An error of one of the replica's threads is an error.
func (r *replica) status(ctx context.Context) (map[string]string, error) {
	rows, err := r.db.QueryContext(ctx, "SHOW SLAVE STATUS")
	if err != nil {
		return nil, fmt.Errorf("SHOW SLAVE STATUS: %w", err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, fmt.Errorf("SHOW SLAVE STATUS: %w", err)
	}
	if !rows.Next() {
		return nil, errors.Join(errors.New("SHOW SLAVE STATUS: it is no replica"), rows.Err())
	}
	values, dest := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range values {
		dest[i] = &values[i]
	}
	if err := rows.Scan(dest...); err != nil {
		return nil, fmt.Errorf("SHOW SLAVE STATUS: %w", err)
	}
	status := map[string]string{}
	for i, name := range names {
		status[name] = values[i].String
	}
	for _, name := range []string{"Last_IO_Error", "Last_SQL_Error"} {
		if status[name] != "" {
			return nil, fmt.Errorf("%s: %s", name, status[name])
		}
	}
	return status, nil
}

package clone

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// flavor is which server a source is.
type flavor string

const (
	mariaDB flavor = "MariaDB"
	duramen flavor = "Duramen"
	mySQL   flavor = "MySQL"
)

func flavorOf(version string) flavor {
	switch v := strings.ToLower(version); {
	case strings.Contains(v, "duramen"):
		return duramen
	case strings.Contains(v, "mariadb"):
		return mariaDB
	}
	return mySQL
}

// source is the server that is cloned.
type source struct {
	db      *sql.DB
	flavor  flavor
	version string
	id      uint32 // server_id
	logs    bool   // log_bin
	// byPosition is a MySQL whose transactions have no GTIDs, or need not have any: it is followed by file and position.
	byPosition bool
	// transactional are the engines that have transactions, in lower case.
	transactional map[string]bool
	// admin reads definitions and holds the locks. It has no transaction open.
	admin *sql.Conn
	// readers have the snapshot; each belongs to one worker.
	readers []*sql.Conn
}

// openSource connects, and asks what the server is.
func openSource(ctx context.Context, o *Options) (_ *source, err error) {
	cfg, err := o.Source.config()
	if err != nil {
		return nil, err
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	s := &source{db: sql.OpenDB(connector)}
	defer func() {
		if err != nil {
			_ = s.db.Close()
		}
	}()
	if s.admin, err = s.db.Conn(ctx); err != nil {
		return nil, fmt.Errorf("connect to %s: %w", cfg.Addr, err)
	}
	row := s.admin.QueryRowContext(ctx, "SELECT VERSION(), @@GLOBAL.server_id, @@GLOBAL.log_bin")
	if err := row.Scan(&s.version, &s.id, &s.logs); err != nil {
		return nil, fmt.Errorf("ask %s what it is: %w", cfg.Addr, err)
	}
	s.flavor = flavorOf(s.version)
	if err := s.prepare(ctx, s.admin, "SET NAMES utf8mb4"); err != nil {
		return nil, err
	}
	engines, err := query(ctx, s.admin, "SELECT ENGINE AS n FROM information_schema.ENGINES WHERE TRANSACTIONS = 'YES'")
	if err != nil {
		return nil, err
	}
	s.transactional = make(map[string]bool)
	for _, r := range engines {
		s.transactional[strings.ToLower(r["n"])] = true
	}
	for range o.Threads {
		c, err := s.db.Conn(ctx)
		if err != nil {
			return nil, fmt.Errorf("connection %d to %s: %w", len(s.readers)+2, cfg.Addr, err)
		}
		s.readers = append(s.readers, c)
		// The bytes of each column in its own character set.
		if err := s.prepare(ctx, c, "SET NAMES utf8mb4", "SET SESSION character_set_results = NULL"); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// prepare gives a session what all sessions need: names in back quotes whatever the source's sql_mode, times in +00:00, and no limits of time.
func (s *source) prepare(ctx context.Context, c *sql.Conn, more ...string) error {
	limit := "SET SESSION max_statement_time = 0"
	if s.flavor == mySQL {
		limit = "SET SESSION max_execution_time = 0"
	}
	return execAll(ctx, c, append([]string{
		"SET SESSION sql_mode = '', time_zone = '+00:00', sql_quote_show_create = 1, wait_timeout = 86400, net_write_timeout = 3600",
		"SET SESSION lock_wait_timeout = 60", "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", limit,
	}, more...)...)
}

// close ends all connections, and with them locks and snapshots.
func (s *source) close() error {
	var errs []error
	for _, c := range append(s.readers, s.admin) {
		errs = append(errs, c.Close())
	}
	return errors.Join(append(errs, s.db.Close())...)
}

// execer is a connection, or a pool of them.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// execAll runs statements until one fails.
func execAll(ctx context.Context, c execer, statements ...string) error {
	for _, q := range statements {
		if _, err := c.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", abbreviate(q), err)
		}
	}
	return nil
}

// abbreviatedBytes is how much of a statement an error repeats.
const abbreviatedBytes = 120

func abbreviate(q string) string {
	if len(q) <= abbreviatedBytes {
		return q
	}
	return strings.ToValidUTF8(q[:abbreviatedBytes], "") + "..."
}

// record is a row of a small result: its values as texts, "" for NULL, by the names of their columns.
type record map[string]string

// query reads a small result.
func query(ctx context.Context, c execer, q string, args ...any) ([]record, error) {
	rows, err := c.QueryContext(ctx, q, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", abbreviate(q), err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values := make([]sql.NullString, len(names))
	into := make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	var all []record
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, fmt.Errorf("%s: %w", abbreviate(q), err)
		}
		r := make(record, len(names))
		for i, name := range names {
			r[name] = values[i].String
		}
		all = append(all, r)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", abbreviate(q), err)
	}
	return all, nil
}

// queryOne reads a result of one row.
func queryOne(ctx context.Context, c execer, q string, args ...any) (record, error) {
	all, err := query(ctx, c, q, args...)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("%s: %d rows where there should be one", abbreviate(q), len(all))
	}
	return all[0], nil
}

// quoteName quotes an identifier.
func quoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// quoteText quotes a literal of any sql_mode but NO_BACKSLASH_ESCAPES.
func quoteText(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''", "\x00", `\0`).Replace(text) + "'"
}

// system tells whether a database is the server's own.
func system(database string) bool {
	switch strings.ToLower(database) {
	case "information_schema", "performance_schema", "mysql", "sys", "ndbinfo":
		return true
	}
	return false
}

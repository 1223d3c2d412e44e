package target

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	flushPoll     = 50 * time.Millisecond
	flushPatience = 5 * time.Minute
)

// Flush makes the server write all that its engines have in memory to their files, and waits until it has. The server should have
// nothing else to do.
func (s *Server) Flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, flushPatience, fmt.Errorf("it had not written everything after %v", flushPatience))
	defer cancel()
	var err error
	switch s.Contender.Kind {
	case Duramen:
		err = s.flushDuramen(ctx)
	case MariaDB:
		err = s.flushMariaDB(ctx)
	case MySQL:
		err = s.flushMySQL(ctx)
	default:
		err = fmt.Errorf("it is not known how a %s server is made to write everything", s.Contender.Kind)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: flush: %w", s.Contender, err)
	}
	return nil
}

// flushDuramen makes a checkpoint due within a second, and waits until no engine would have to replay anything.
func (s *Server) flushDuramen(ctx context.Context) error {
	return s.with(ctx, "checkpoint_interval", "1", func() error {
		return s.await(ctx, func(c Counters) (bool, error) {
			done, any := true, false
			for name, n := range c {
				if strings.HasPrefix(name, "engine_") && strings.HasSuffix(name, "_lag_bytes") {
					done, any = done && n == 0, true
				}
			}
			if !any {
				return false, fmt.Errorf("it does not tell Engine_..._lag_bytes")
			}
			return done, nil
		})
	})
}

func (s *Server) flushMariaDB(ctx context.Context) error {
	statements := []string{"SET GLOBAL innodb_log_checkpoint_now = ON"}
	if slices.ContainsFunc(s.Contender.Engines, isRocksDB) {
		statements = append(statements, "SET GLOBAL rocksdb_force_flush_memtable_now = ON")
	}
	for _, q := range statements {
		if _, err := s.db.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	return nil
}

// flushMySQL asks for no dirty pages: what MariaDB has a statement for, only MySQL's debugging builds have.
func (s *Server) flushMySQL(ctx context.Context) error {
	return s.with(ctx, "innodb_max_dirty_pages_pct", "0", func() error {
		return s.await(ctx, func(c Counters) (bool, error) {
			n, ok := c["innodb_buffer_pool_pages_dirty"]
			if !ok {
				return false, fmt.Errorf("it does not tell Innodb_buffer_pool_pages_dirty")
			}
			return n == 0, nil
		})
	})
}

// with sets a global variable while f runs.
func (s *Server) with(ctx context.Context, variable, value string, f func() error) (err error) {
	var before string
	if err := s.db.QueryRowContext(ctx, "SELECT @@GLOBAL."+variable).Scan(&before); err != nil {
		return err
	}
	set := func(ctx context.Context, v string) error { return setGlobal(ctx, s.db, variable, v) }
	if err := set(ctx, value); err != nil {
		return err
	}
	defer func() {
		if again := set(context.WithoutCancel(ctx), before); err == nil {
			err = again
		}
	}()
	return f()
}

func setGlobal(ctx context.Context, db *sql.DB, variable, value string) error {
	_, err := db.ExecContext(ctx, "SET GLOBAL "+variable+" = "+value)
	if err != nil {
		return fmt.Errorf("set %s to %s: %w", variable, value, err)
	}
	return nil
}

// await asks for the counters until they are as they should be.
func (s *Server) await(ctx context.Context, reached func(Counters) (bool, error)) error {
	tick := time.NewTicker(flushPoll)
	defer tick.Stop()
	for {
		c, err := s.Counters(ctx)
		if err != nil {
			return err
		}
		if done, err := reached(c); err != nil || done {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

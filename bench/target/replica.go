package target

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/duramendb/duramen/bench/load"
)

// What a replica is made of. Duramen and MariaDB understand the same statements.

// Follow makes the server a replica, from the start of the primary's log. It does not start.
func (s *Server) Follow(ctx context.Context, primary load.Address) error {
	return s.exec(ctx, fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='%s', MASTER_PORT=%d, MASTER_USER='%s', MASTER_USE_GTID=slave_pos", primary.Host, primary.Port, primary.User))
}

// StartReplica and StopReplica start and stop the replica's threads.
func (s *Server) StartReplica(ctx context.Context) error { return s.exec(ctx, "START SLAVE") }

// StopReplica may be called when nothing runs.
func (s *Server) StopReplica(ctx context.Context) error { return s.exec(ctx, "STOP SLAVE") }

func (s *Server) exec(ctx context.Context, statement string) error {
	if _, err := s.db.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("%s: %s: %w", s.Contender, statement, err)
	}
	return nil
}

// LogPosition is the last GTID of the server's binary log.
func (s *Server) LogPosition(ctx context.Context) (string, error) {
	return s.variable(ctx, "gtid_binlog_pos")
}

func (s *Server) variable(ctx context.Context, name string) (value string, err error) {
	if err := s.db.QueryRowContext(ctx, "SELECT @@GLOBAL."+name).Scan(&value); err != nil {
		return "", fmt.Errorf("%s: read %s: %w", s.Contender, name, err)
	}
	return value, nil
}

const (
	replicaPoll = 5 * time.Millisecond
	// statusEvery is at which polls a replica is asked for errors, too.
	statusEvery = 100
)

// AwaitApplied waits until the replica has applied everything to a GTID inclusive, and fails when one of its threads has. The time of
// its return is late by 5 ms at most, and what the question takes.
func (s *Server) AwaitApplied(ctx context.Context, to string) error {
	tick := time.NewTicker(replicaPoll)
	defer tick.Stop()
	for n := 0; ; n++ {
		at, err := s.variable(ctx, "gtid_slave_pos")
		if err == nil && at == to {
			return nil
		}
		if err == nil && n%statusEvery == 0 {
			err = s.replicaError(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("%s: it is at %s, not at %s: %w", s.Contender, at, to, context.Cause(ctx))
		case err != nil:
			return err
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// replicaError is what SHOW SLAVE STATUS says about a thread that has failed.
func (s *Server) replicaError(ctx context.Context) error {
	rows, err := s.db.QueryContext(ctx, "SHOW SLAVE STATUS")
	if err != nil {
		return fmt.Errorf("%s: SHOW SLAVE STATUS: %w", s.Contender, err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return fmt.Errorf("%s: SHOW SLAVE STATUS: %w", s.Contender, err)
	}
	values, dest := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range values {
		dest[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return fmt.Errorf("%s: SHOW SLAVE STATUS: %w", s.Contender, err)
		}
		for i, name := range names {
			if (name == "Last_IO_Error" || name == "Last_SQL_Error") && strings.TrimSpace(values[i].String) != "" {
				return fmt.Errorf("%s: %s: %s", s.Contender, name, values[i].String)
			}
		}
	}
	return rows.Err()
}

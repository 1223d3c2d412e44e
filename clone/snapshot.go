package clone

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"sync"
)

// place is where in the source's log the snapshot is.
type place struct {
	File     string
	Position uint64
	// GTID is a position as gtid_slave_pos has it; of a MySQL, the set of what is executed.
	GTID string
}

// snapshotTries is how often snapshots without a lock are taken before one is taken under a lock.
const snapshotTries = 20

// takeSnapshot opens a transaction on each reader, all of which see the state at one place of the log.
//
// A MariaDB and a Duramen tell each transaction its place (Binlog_snapshot_file and _position), as commits wait while a snapshot is taken. Equal places
// are equal states, so several transactions are begun, at the same time, until their places are equal. On a server that commits all the time
// this may never be so, and a MySQL tells none: there a global read lock is taken for the moment in which the transactions begin.
func (s *source) takeSnapshot(ctx context.Context, keepLock bool) (place, error) {
	if s.flavor != mySQL && !keepLock && s.logs {
		for range snapshotTries {
			at, equal, err := s.tryWithoutLock(ctx)
			if err != nil {
				return place{}, err
			}
			if equal {
				return s.withGTID(ctx, at)
			}
		}
	}
	return s.underLock(ctx, keepLock)
}

// begin opens all transactions.
func (s *source) begin(ctx context.Context) error {
	errs := make([]error, len(s.readers))
	var all sync.WaitGroup
	for i, c := range s.readers {
		all.Go(func() {
			errs[i] = execAll(ctx, c, "START TRANSACTION WITH CONSISTENT SNAPSHOT")
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func (s *source) tryWithoutLock(ctx context.Context) (at place, equal bool, err error) {
	if err := s.begin(ctx); err != nil {
		return place{}, false, err
	}
	equal = true
	for i, c := range s.readers {
		this, err := snapshotPlace(ctx, c)
		if err != nil {
			return place{}, false, err
		}
		if i == 0 {
			at = this
		}
		equal = equal && this == at
	}
	return at, equal, nil
}

// snapshotPlace is the place of the transaction that is open on c.
func snapshotPlace(ctx context.Context, c *sql.Conn) (place, error) {
	rows, err := query(ctx, c, "SHOW SESSION STATUS LIKE 'binlog\\_snapshot\\_%'")
	if err != nil {
		return place{}, err
	}
	at := place{}
	for _, r := range rows {
		switch r["Variable_name"] {
		case "Binlog_snapshot_file":
			at.File = r["Value"]
		case "Binlog_snapshot_position":
			if at.Position, err = strconv.ParseUint(r["Value"], 10, 64); err != nil {
				return place{}, fmt.Errorf("status variable Binlog_snapshot_position: %w", err)
			}
		}
	}
	if at.File == "" {
		return place{}, errors.New("the source does not tell the place of a snapshot in its log (Binlog_snapshot_file); --lock takes it under a lock")
	}
	return at, nil
}

func (s *source) underLock(ctx context.Context, keep bool) (at place, err error) {
	if s.flavor == mySQL {
		// Definitions are kept from changing until the connection ends.
		if err := execAll(ctx, s.admin, "LOCK INSTANCE FOR BACKUP"); err != nil {
			return place{}, err
		}
	}
	if err := execAll(ctx, s.admin, "FLUSH TABLES WITH READ LOCK"); err != nil {
		return place{}, fmt.Errorf("%w (the lock waits for statements that run; it needs the privilege RELOAD)", err)
	}
	if err := s.begin(ctx); err != nil {
		return place{}, err
	}
	if s.logs {
		if at, err = s.masterStatus(ctx); err != nil {
			return place{}, err
		}
		if at, err = s.withGTID(ctx, at); err != nil {
			return place{}, err
		}
	}
	if !keep {
		err = execAll(ctx, s.admin, "UNLOCK TABLES")
	}
	return at, err
}

// masterStatus is the end of the log, and of a MySQL the set of executed transactions.
func (s *source) masterStatus(ctx context.Context) (place, error) {
	r, err := queryOne(ctx, s.admin, "SHOW MASTER STATUS")
	if err != nil && s.flavor == mySQL {
		r, err = queryOne(ctx, s.admin, "SHOW BINARY LOG STATUS") // since 8.2; the only one since 8.4
	}
	if err != nil {
		return place{}, err
	}
	position, err := strconv.ParseUint(r["Position"], 10, 64)
	if err != nil {
		return place{}, fmt.Errorf("SHOW MASTER STATUS: %w", err)
	}
	return place{File: r["File"], Position: position, GTID: r["Executed_Gtid_Set"]}, nil
}

// withGTID adds the GTID position of a place.
func (s *source) withGTID(ctx context.Context, at place) (place, error) {
	if s.flavor == mySQL {
		return at, nil
	}
	var gtid sql.NullString
	row := s.admin.QueryRowContext(ctx, "SELECT BINLOG_GTID_POS("+quoteText(at.File)+", "+strconv.FormatUint(at.Position, 10)+")")
	if err := row.Scan(&gtid); err != nil {
		return at, fmt.Errorf("GTID position of %s:%d: %w", at.File, at.Position, err)
	}
	if !gtid.Valid {
		return at, fmt.Errorf("the source knows no GTID position of %s:%d: its log may have been purged this moment; try again", at.File, at.Position)
	}
	at.GTID = gtid.String
	return at, nil
}

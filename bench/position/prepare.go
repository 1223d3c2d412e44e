package position

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/target"
	"github.com/duramendb/duramen/binlog/event"
)

// preparedLog is what all contenders apply: transactions on the table of one set.
type preparedLog struct {
	set      string
	primary  load.Address
	created  string // GTID before the table is made
	from, to string // GTIDs: the last one before the transactions, and the last one of them
	rows     string // digest of the table's rows after them
	// transactions are the log's, for Duramen.
	transactions []transaction
}

// transaction updates one row.
type transaction struct {
	statement string
	after     []byte // image of the row
}

// table of a set.
func table(set string) string { return set + "1" }

// createTable is a table of which the B+tree, the LSM engine and MariaDB have the same row images.
func createTable(set, engine string) string {
	return fmt.Sprintf("CREATE TABLE %s (id INT NOT NULL PRIMARY KEY, k INT NOT NULL, c VARBINARY(%d) NOT NULL) ENGINE=%s", table(set), textBytes, engine)
}

const (
	textBytes     = 120
	rowsPerInsert = 500
	// stride makes neighbours in the log lie apart in the table.
	stride = 7919
)

// text of a row: as long as sysbench's, and different in every round of the log.
func text(round string, n int) string {
	s := fmt.Sprintf("%s-%d-", round, n)
	return s + strings.Repeat("#", textBytes-len(s)-1)
}

// prepare fills the table of a set on a primary and makes the log. Each row that the first half of it changes is changed again by the second
// half, so it can be applied any number of times, and changes a row with every transaction.
func prepare(ctx context.Context, o *Options, set string, primary *target.Server, db *sql.DB) (*preparedLog, error) {
	l := &preparedLog{set: set, primary: primary.Address()}
	var err error
	if l.created, err = position(ctx, db); err != nil {
		return nil, err
	}
	if _, err := db.ExecContext(ctx, createTable(set, o.engine(set))); err != nil {
		return nil, fmt.Errorf("create the table: %w", err)
	}
	for first := 0; first < o.Rows; first += rowsPerInsert {
		var values []string
		for id := first; id < min(first+rowsPerInsert, o.Rows); id++ {
			values = append(values, fmt.Sprintf("(%d,%d,'%s')", id, id, text("loaded", id)))
		}
		if _, err := db.ExecContext(ctx, "INSERT INTO "+table(set)+" VALUES "+strings.Join(values, ",")); err != nil {
			return nil, fmt.Errorf("fill the table: %w", err)
		}
	}
	if l.from, err = position(ctx, db); err != nil {
		return nil, err
	}
	if err := update(ctx, o, db, set); err != nil {
		return nil, err
	}
	if l.to, err = position(ctx, db); err != nil {
		return nil, err
	}
	if l.rows, err = digest(ctx, db, set); err != nil {
		return nil, err
	}
	return l, l.read(ctx, o, primary, db)
}

// digest of all rows of a table.
func digest(ctx context.Context, db *sql.DB, set string) (string, error) {
	var count, sum string
	if err := db.QueryRowContext(ctx, "SELECT COUNT(*), SUM(CRC32(CONCAT(id, k, c))) FROM "+table(set)).Scan(&count, &sum); err != nil {
		return "", fmt.Errorf("read the rows: %w", err)
	}
	return count + " rows, sum " + sum, nil
}

// update makes the transactions.
func update(ctx context.Context, o *Options, db *sql.DB, set string) error {
	stmt, err := db.PrepareContext(ctx, "UPDATE "+table(set)+" SET c = ? WHERE id = ?")
	if err != nil {
		return fmt.Errorf("make the log: %w", err)
	}
	defer stmt.Close()
	half := o.Transactions / 2
	for n := range o.Transactions {
		round, i := "a", n
		if n >= half {
			round, i = "b", n-half
		}
		if _, err := stmt.ExecContext(ctx, text(round, i), i*stride%o.Rows); err != nil {
			return fmt.Errorf("make the log: %w", err)
		}
	}
	return nil
}

// position is the GTID of the last transaction in the log.
func position(ctx context.Context, db *sql.DB) (string, error) {
	var pos string
	if err := db.QueryRowContext(ctx, "SELECT @@GLOBAL.gtid_binlog_pos").Scan(&pos); err != nil {
		return "", fmt.Errorf("gtid_binlog_pos: %w", err)
	}
	return pos, nil
}

// read finds the transactions in the log files of the primary.
func (l *preparedLog) read(ctx context.Context, o *Options, primary *target.Server, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, "SHOW BINARY LOGS")
	if err != nil {
		return fmt.Errorf("list the log files: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var name, size string
		if err := rows.Scan(&name, &size); err != nil {
			return fmt.Errorf("list the log files: %w", err)
		}
		if err := l.readFile(filepath.Join(primary.DataDir(), name)); err != nil {
			return fmt.Errorf("read the log of the primary: %s: %w", name, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("list the log files: %w", err)
	}
	if n := len(l.transactions); n != o.Transactions {
		return fmt.Errorf("the log of the primary has %d transactions on %s, want %d", n, table(l.set), o.Transactions)
	}
	return nil
}

const logMagic = "\xfebin"

// readFile collects the updates of single rows; everything else in the file belongs to the preparations.
func (l *preparedLog) readFile(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	rest, ok := bytes.CutPrefix(content, []byte(logMagic))
	if !ok {
		return errors.New("it is not a binary log")
	}
	var decoder event.Decoder
	var statement string
	var info *event.TableMapInfo
	for len(rest) > 0 {
		if len(rest) < event.HeaderSize {
			return errors.New("it ends within an event")
		}
		size := int(binary.LittleEndian.Uint32(rest[9:]))
		if size < event.HeaderSize || size > len(rest) {
			return errors.New("it ends within an event")
		}
		e, err := decoder.Decode(rest[:size])
		if err != nil {
			return err
		}
		rest = rest[size:]
		switch body := e.Body.(type) {
		case *event.Annotate:
			statement = string(body.SQL)
		case *event.TableMapInfo:
			info = body
		case *event.RowsInfo:
			if err := l.add(body, info, statement); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *preparedLog) add(rows *event.RowsInfo, info *event.TableMapInfo, statement string) error {
	if !rows.IsUpdate() || info == nil || info.Schema != target.Database || info.Table != table(l.set) {
		return nil
	}
	it := rows.Iter(info)
	for it.Next() {
		l.transactions = append(l.transactions, transaction{statement: statement, after: it.After()})
	}
	return it.Err()
}

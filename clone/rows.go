package clone

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"strconv"
	"sync/atomic"

	"github.com/go-sql-driver/mysql"
)

const (
	// insertBytes is how long an INSERT gets before it is sent, loadBytes how much one LOAD DATA takes; either may be longer by one row.
	insertBytes = 1 << 20
	loadBytes   = 4 << 20
	// batchRows is how many rows a statement has at most: the new server keeps a lock for each.
	batchRows = 20000
)

// batch is rows on their way into a table, by LOAD DATA where the new server reads that without its fallback, which is two to three times as fast as
// INSERT, and by INSERT otherwise.
type batch struct {
	to      *sql.Conn
	table   *table
	columns []column
	load    bool
	begin   []byte // of an INSERT
	data    []byte // the statement, or the file
	rows    int64
	bytes   int64 // of the values
	done    *counters
}

func newBatch(to *sql.Conn, t *table, done *counters) *batch {
	b := &batch{to: to, table: t, columns: t.stored(), load: t.loadable, done: done}
	if !b.load {
		b.begin = t.insertion()
	}
	b.data = append(b.data, b.begin...)
	return b
}

// add takes a row, and sends the batch if it is full.
func (b *batch) add(ctx context.Context, values []sql.RawBytes) error {
	if n := nonmembers(b.columns, values, b.load); n > 0 {
		return b.addNonmembers(ctx, values, n)
	}
	if b.load {
		b.data = appendLine(b.data, b.columns, values)
	} else {
		b.data = appendRow(b.data, b.columns, values, b.rows == 0)
	}
	for _, v := range values {
		b.bytes += int64(len(v))
	}
	b.rows++
	if b.rows >= batchRows || len(b.data) >= loadBytes || !b.load && len(b.data) >= insertBytes {
		return b.send(ctx)
	}
	return nil
}

// addNonmembers writes a row with values of ENUM that are no members, by itself: strict mode refuses them, and without it each is a warning.
func (b *batch) addNonmembers(ctx context.Context, values []sql.RawBytes, count int) error {
	size := int64(0)
	for _, v := range values {
		size += int64(len(v))
	}
	statement := appendNonmembers(b.table.insertion(), b.columns, values, b.load)
	if err := execAll(ctx, b.to, "SET SESSION sql_mode = '"+createMode+"'"); err != nil {
		return err
	}
	if _, err := b.to.ExecContext(ctx, string(statement)); err != nil {
		return fmt.Errorf("write table %s: %w", b.table.title(), err)
	}
	warnings, err := query(ctx, b.to, "SHOW WARNINGS")
	if err != nil {
		return err
	}
	if len(warnings) != count {
		return fmt.Errorf("write table %s: %d warnings for %d values of ENUM that are no members: %v", b.table.title(), len(warnings), count, warnings)
	}
	b.done.add(b.table, 1, size)
	return execAll(ctx, b.to, "SET SESSION sql_mode = '"+loadMode+"'")
}

// send writes what there is.
func (b *batch) send(ctx context.Context) error {
	if b.rows == 0 {
		return nil
	}
	var err error
	if b.load {
		err = loadFile(ctx, b.to, b.table, b.data, b.rows)
	} else {
		err = write(ctx, b.to, string(b.data), b.rows)
	}
	if err != nil {
		return fmt.Errorf("write table %s: %w", b.table.title(), err)
	}
	b.done.add(b.table, b.rows, b.bytes)
	b.data, b.rows, b.bytes = b.data[:len(b.begin)], 0, 0
	return nil
}

// copyPart reads a part of a table in the snapshot of from, and writes it into to.
func copyPart(ctx context.Context, from, to *sql.Conn, p *part, done *counters) error {
	b := newBatch(to, p.table, done)
	if len(b.columns) == 0 {
		return fmt.Errorf("table %s has computed columns only", p.table.title())
	}
	rows, err := from.QueryContext(ctx, p.selection())
	if err != nil {
		return fmt.Errorf("read table %s: %w", p.table.title(), err)
	}
	defer rows.Close()
	values := make([]sql.RawBytes, len(b.columns))
	into := make([]any, len(b.columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return fmt.Errorf("read table %s: %w", p.table.title(), err)
		}
		if err := b.add(ctx, values); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read table %s: %w", p.table.title(), err)
	}
	return b.send(ctx)
}

// files numbers what LOAD DATA asks the driver for.
var files atomic.Uint64

// loadFile writes rows with LOAD DATA LOCAL.
func loadFile(ctx context.Context, to *sql.Conn, t *table, data []byte, rows int64) error {
	name := "clone-" + strconv.FormatUint(files.Add(1), 10)
	mysql.RegisterReaderHandler(name, func() io.Reader { return bytes.NewReader(data) })
	defer mysql.DeregisterReaderHandler(name)
	return write(ctx, to, t.loading(name), rows)
}

// write runs a statement that writes rows, and sees to it that all are there as they were meant: LOAD DATA LOCAL makes warnings of errors, and
// leaves out what is there already.
func write(ctx context.Context, to *sql.Conn, statement string, rows int64) error {
	result, err := to.ExecContext(ctx, statement)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err != nil {
		return err
	}
	warnings, err := query(ctx, to, "SHOW WARNINGS LIMIT 1")
	switch {
	case err != nil:
		return err
	case len(warnings) > 0:
		return fmt.Errorf("warning %s: %s", warnings[0]["Code"], warnings[0]["Message"])
	case n != rows:
		return fmt.Errorf("%d of %d rows were written", n, rows)
	}
	return nil
}

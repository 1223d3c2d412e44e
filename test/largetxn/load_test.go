package largetxn

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

var ctx = context.Background()

func run(t testing.TB, db interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}, query string, args ...any) {
	t.Helper()
	_, err := db.ExecContext(ctx, query, args...)
	require.NoError(t, err, "%.80s", query)
}

func number(t testing.TB, db *sql.DB, query string) (n int64) {
	t.Helper()
	require.NoError(t, db.QueryRowContext(ctx, query).Scan(&n), query)
	return n
}

// setUp makes the tables: small is the writer's, big the large transaction's.
func setUp(t testing.TB, s *peer.Server) *sql.DB {
	db := s.DB("")
	t.Cleanup(func() { _ = db.Close() })
	run(t, db, "CREATE DATABASE large")
	run(t, db, "CREATE TABLE large.small (id INT AUTO_INCREMENT PRIMARY KEY, v INT)")
	run(t, db, "CREATE TABLE large.big (id INT PRIMARY KEY, k INT, v VARCHAR(2000), KEY (k))")
	return db
}

// fill inserts rows of about size bytes in one transaction, until it has logged that many bytes; it returns
// the number of rows and the open transaction.
func fill(t testing.TB, db *sql.DB, bytes, size int64) (*sql.Conn, int64) {
	conn, err := db.Conn(ctx)
	require.NoError(t, err)
	run(t, conn, "BEGIN")
	value := strings.Repeat("0123456789", int(size/10))[:size-20]
	rows := int64(0)
	var b strings.Builder
	for rows*size < bytes {
		b.Reset()
		b.WriteString("INSERT INTO large.big VALUES ")
		for i := range max(1, min(500_000/size, (bytes-rows*size)/size+1)) {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "(%d,%d,'%s')", rows, rows%1000, value)
			rows++
		}
		run(t, conn, b.String())
	}
	return conn, rows
}

// writer commits small transactions, one after the other, until it is stopped.
type writer struct {
	stop chan struct{}
	done chan struct{}
	err  error
	acks []ack
}

// ack is one acknowledged commit.
type ack struct{ sent, acked time.Time }

func startWriter(t testing.TB, db *sql.DB) *writer {
	w := &writer{stop: make(chan struct{}), done: make(chan struct{})}
	conn, err := db.Conn(ctx)
	require.NoError(t, err)
	go func() {
		defer close(w.done)
		defer conn.Close()
		for n := 0; ; n++ {
			select {
			case <-w.stop:
				return
			default:
			}
			sent := time.Now()
			if _, err := conn.ExecContext(ctx, "INSERT INTO large.small (v) VALUES (?)", n); err != nil {
				w.err = err
				return
			}
			w.acks = append(w.acks, ack{sent, time.Now()})
		}
	}()
	return w
}

// finish stops the writer and returns how many commits were acknowledged to it.
func (w *writer) finish() (int64, error) {
	close(w.stop)
	<-w.done
	return int64(len(w.acks)), w.err
}

// longest is the longest commit that was under way between two moments, and how many there were.
func (w *writer) longest(from, to time.Time) (stall time.Duration, count int) {
	for _, a := range w.acks {
		if a.acked.After(from) && a.sent.Before(to) {
			stall = max(stall, a.acked.Sub(a.sent))
			count++
		}
	}
	return stall, count
}

// peakKB is the most memory that the process has had, in kB, as the kernel counts.
func peakKB(pid int) (peak int64, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &peak); err == nil {
			return peak, nil
		}
	}
	return 0, errors.New("no VmHWM")
}

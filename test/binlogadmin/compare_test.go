package binlogadmin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/test/peer"
)

// How much of a statement's result is compared.
type compare int

const (
	all     compare = iota // columns, rows, errors, warnings
	columns                // not the rows: sizes and positions are the server's own
	outcome                // errors and warnings only
)

// script is run statement by statement on both servers. A statement that begins with "columns:" or
// "outcome:" is compared so far only.
const script = `
RESET MASTER
CREATE DATABASE d
USE d
CREATE TABLE t (a INT PRIMARY KEY)
INSERT INTO t VALUES (1)
columns: SHOW BINLOG EVENTS
columns: SHOW BINLOG EVENTS IN 'binlog.000001' FROM 4 LIMIT 1
SHOW BINLOG EVENTS IN 'binlog.000009'
SHOW BINLOG EVENTS IN 'nosuch'
columns: SHOW BINLOG EVENTS IN './binlog.000001' LIMIT 1
SHOW BINLOG EVENTS FROM 5
columns: SHOW BINLOG EVENTS FROM 1
outcome: SHOW BINLOG EVENTS LIMIT 1,2
outcome: SHOW BINLOG EVENTS LIMIT 2 OFFSET 1
SHOW BINLOG EVENTS LIMIT
SHOW BINLOG EVENTS IN 5
SHOW BINLOG EVENTS FROM 'x'
columns: SHOW BINLOG STATUS
columns: SHOW MASTER STATUS
columns: SHOW BINARY LOGS
columns: SHOW MASTER LOGS
SHOW SLAVE HOSTS
SHOW REPLICA HOSTS
PURGE BINARY LOGS TO 'nosuch'
PURGE BINARY LOGS TO 'binlog.000009'
PURGE BINARY LOGS TO 'binlog.000001'
PURGE BINARY LOGS TO './binlog.000001'
PURGE BINARY LOGS BEFORE NULL
PURGE BINARY LOGS BEFORE 20200101
PURGE BINARY LOGS BEFORE '2020-01-01 00:00:00'
PURGE MASTER LOGS BEFORE NOW() - INTERVAL 1 DAY
PURGE LOGS TO 'x'
PURGE BINARY LOGS
PURGE BINARY LOGS TO 5
FLUSH BINARY LOGS
FLUSH LOGS
FLUSH LOCAL BINARY LOGS
outcome: PURGE BINARY LOGS TO 'binlog.000002'
RESET MASTER TO 5
columns: SHOW BINARY LOGS
SELECT @@gtid_binlog_pos, @@gtid_binlog_state, @@gtid_current_pos, @@gtid_slave_pos, @@gtid_domain_id, @@gtid_seq_no, @@gtid_strict_mode
RESET MASTER TO 'x'
RESET MASTER TO
RESET MASTER TO 0
SELECT @@gtid_binlog_state
SET GLOBAL gtid_binlog_state='0-1-100,1-2-50'
SELECT @@gtid_binlog_pos, @@gtid_binlog_state, @@gtid_current_pos
SET GLOBAL gtid_binlog_state='0-1-100'
SET GLOBAL gtid_binlog_state=''
INSERT INTO t VALUES (2)
SELECT @@gtid_binlog_pos, @@last_gtid, @@gtid_current_pos
RESET MASTER
SET GLOBAL gtid_binlog_state='0-1-1,0-1-2'
SELECT @@gtid_binlog_state
RESET MASTER
SET GLOBAL gtid_binlog_state='x'
SET GLOBAL gtid_binlog_state='0-1'
SET GLOBAL gtid_binlog_state=NULL
SET GLOBAL gtid_binlog_state=5
SET SESSION gtid_binlog_state=''
SET gtid_binlog_state=''
SET GLOBAL gtid_binlog_state=''
SET GLOBAL gtid_binlog_pos=''
SET GLOBAL gtid_current_pos=''
SET gtid_seq_no=100
INSERT INTO t VALUES (3)
SELECT @@last_gtid, @@gtid_seq_no
INSERT INTO t VALUES (4)
SELECT @@last_gtid
SET gtid_seq_no=50
INSERT INTO t VALUES (5)
SELECT @@last_gtid
INSERT INTO t VALUES (6)
SELECT @@last_gtid
SET gtid_seq_no=300
SELECT COUNT(*) FROM t
SELECT @@gtid_seq_no
CREATE TABLE u (a INT)
SELECT @@last_gtid, @@gtid_seq_no
SET GLOBAL gtid_strict_mode=1
SET gtid_seq_no=300
SELECT @@gtid_seq_no
SET gtid_seq_no=310
INSERT INTO t VALUES (7)
SELECT @@last_gtid
SET GLOBAL gtid_strict_mode=0
SET gtid_seq_no=200
SET GLOBAL gtid_strict_mode=1
INSERT INTO t VALUES (8)
SELECT COUNT(*) FROM t WHERE a = 8
SELECT @@last_gtid, @@gtid_seq_no
SET GLOBAL gtid_strict_mode=0
SET gtid_seq_no=0
SET gtid_seq_no=1000
SET gtid_domain_id=5
INSERT INTO t VALUES (9)
SELECT @@last_gtid
SET gtid_domain_id=0
SET gtid_domain_id=4294967296
SELECT @@gtid_domain_id
SET gtid_domain_id=-1
SELECT @@gtid_domain_id
SET GLOBAL gtid_domain_id=3
SELECT @@gtid_domain_id, @@GLOBAL.gtid_domain_id
SET GLOBAL gtid_domain_id=0
SET GLOBAL gtid_seq_no=3
SELECT @@GLOBAL.gtid_seq_no
BEGIN
SET gtid_domain_id=6
SET gtid_seq_no=2000
INSERT INTO t VALUES (10)
SET gtid_domain_id=6
ROLLBACK
SET server_id=22
INSERT INTO t VALUES (11)
SELECT @@last_gtid, @@gtid_binlog_pos, @@gtid_binlog_state, @@gtid_current_pos
SET server_id=1
SET gtid_seq_no=6000
BEGIN
INSERT INTO t VALUES (20)
INSERT INTO t VALUES (21)
COMMIT
SELECT @@last_gtid, @@gtid_seq_no
SET gtid_seq_no=18446744073709551615
SELECT @@gtid_seq_no
SET gtid_seq_no=0
RESET MASTER
INSERT INTO t VALUES (30)
SELECT BINLOG_GTID_POS('binlog.000001', 4), BINLOG_GTID_POS('binlog.000001', 0), BINLOG_GTID_POS('nosuch', 4)
SELECT BINLOG_GTID_POS('', 0), BINLOG_GTID_POS('', 4), BINLOG_GTID_POS(NULL, 4), BINLOG_GTID_POS('binlog.000001', NULL)
SELECT BINLOG_GTID_POS('binlog.000001', 5), BINLOG_GTID_POS('binlog.000001', 1000000), BINLOG_GTID_POS('binlog.000009', 4)
SELECT BINLOG_GTID_POS('binlog.000001')
SELECT MASTER_GTID_WAIT('')
SELECT MASTER_GTID_WAIT('0-1-100', 0)
SELECT MASTER_GTID_WAIT('0-1-100', 0.05)
SELECT MASTER_GTID_WAIT('0-1-100,0-1-200', 0.05)
SELECT MASTER_GTID_WAIT('9-1-1', 0.05)
SELECT MASTER_GTID_WAIT('x', 0.05)
SELECT MASTER_GTID_WAIT(NULL, 0.05)
SELECT MASTER_GTID_WAIT()
SELECT MASTER_GTID_WAIT('0-1-1', 1, 2)
SELECT MASTER_POS_WAIT('binlog.000001', 4)
SELECT MASTER_POS_WAIT('binlog.000001', 4, 1)
SELECT MASTER_POS_WAIT('binlog.000001', 4, 1, 'conn')
SELECT MASTER_POS_WAIT(NULL, 4, 1)
SELECT MASTER_POS_WAIT('x')
SHOW VARIABLES LIKE 'binlog_expire%'
SET GLOBAL expire_logs_days=1
SHOW VARIABLES LIKE 'binlog_expire%'
SET GLOBAL binlog_expire_logs_seconds=100
SHOW VARIABLES LIKE 'expire_logs_days'
SELECT @@expire_logs_days, @@binlog_expire_logs_seconds
SET GLOBAL binlog_expire_logs_seconds=864000
SHOW VARIABLES LIKE 'expire_logs_days'
SET GLOBAL expire_logs_days=100
SHOW VARIABLES LIKE 'expire_logs_days'
SET GLOBAL expire_logs_days=-1
SHOW VARIABLES LIKE 'expire_logs_days'
SET GLOBAL binlog_expire_logs_seconds=99999999
SHOW VARIABLES LIKE 'binlog_expire%'
SET GLOBAL binlog_expire_logs_seconds='x'
SET GLOBAL binlog_expire_logs_seconds=0
SET SESSION binlog_expire_logs_seconds=0
BEGIN
INSERT INTO t VALUES (200)
RESET MASTER
ROLLBACK
SELECT COUNT(*) FROM t WHERE a = 200
BEGIN
INSERT INTO t VALUES (201)
FLUSH BINARY LOGS
ROLLBACK
SELECT COUNT(*) FROM t WHERE a = 201
BEGIN
INSERT INTO t VALUES (202)
PURGE BINARY LOGS TO 'binlog.000001'
ROLLBACK
SELECT COUNT(*) FROM t WHERE a = 202
LOCK TABLES t WRITE
RESET MASTER
FLUSH BINARY LOGS
UNLOCK TABLES
FLUSH BINARY LOGS DELETE_DOMAIN_ID=(77)
FLUSH BINARY LOGS DELETE_DOMAIN_ID=()
FLUSH BINARY LOGS DELETE_DOMAIN_ID=5
FLUSH BINARY LOGS DELETE_DOMAIN_ID=(x)
outcome: SHOW SLAVE STATUS
RESET SLAVE
CREATE USER u1@localhost
GRANT SELECT ON d.* TO u1@localhost
`

func TestStatementsAgainstMariaDB(t *testing.T) {
	peer.RequireMariaDB(t)
	ours := &client{conn: connect(t, peer.Start(t, peer.Options{Kind: peer.Duramen}))}
	theirs := &client{conn: connect(t, peer.StartMariaDB(t, peer.Options{Binlog: true}))}
	n := 0
	for line := range strings.Lines(script) {
		statement := strings.TrimSpace(line)
		if statement == "" {
			continue
		}
		how := all
		if rest, ok := strings.CutPrefix(statement, "columns: "); ok {
			how, statement = columns, rest
		} else if rest, ok := strings.CutPrefix(statement, "outcome: "); ok {
			how, statement = outcome, rest
		}
		n++
		got, want := ours.run(t, statement, how), theirs.run(t, statement, how)
		if got != want {
			t.Errorf("%s\n  Duramen: %s\n  MariaDB: %s", statement, got, want)
		}
	}
	t.Logf("%d statements", n)
}

func connect(t *testing.T, s *peer.Server) *sql.Conn {
	t.Helper()
	db := s.DB("")
	t.Cleanup(func() { _ = db.Close() })
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// client is a connection. A statement that warns of nothing may leave the warnings of an
// earlier one in place.
type client struct {
	conn     *sql.Conn
	warnings string
}

// run describes what a statement gives.
func (c *client) run(t *testing.T, statement string, how compare) string {
	t.Helper()
	ctx := context.Background()
	text, err := rows(ctx, c.conn, statement, how)
	var me *mysql.MySQLError
	if errors.As(err, &me) {
		if c.warnings, err = rows(ctx, c.conn, "SHOW WARNINGS", all); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("error %d (%s): %s", me.Number, me.SQLState, me.Message)
	}
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	warnings, err := rows(ctx, c.conn, "SHOW WARNINGS", all)
	if err != nil {
		t.Fatal(err)
	}
	if warnings == c.warnings {
		return text
	}
	c.warnings = warnings
	if i := strings.Index(warnings, "]"); len(warnings) > i+1 {
		text += " warnings:" + warnings[i+1:]
	}
	return text
}

func rows(ctx context.Context, conn *sql.Conn, statement string, how compare) (string, error) {
	r, err := conn.QueryContext(ctx, statement)
	if err != nil {
		return "", err
	}
	defer r.Close()
	types, err := r.ColumnTypes()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	var names []string
	for _, c := range types {
		name := c.Name()
		if strings.HasPrefix(statement, "SHOW") {
			name += " " + c.DatabaseTypeName()
		}
		names = append(names, name)
	}
	if how != outcome {
		fmt.Fprint(&b, names)
	}
	values := make([]any, len(types))
	for i := range values {
		values[i] = new(sql.NullString)
	}
	for r.Next() {
		if err := r.Scan(values...); err != nil {
			return "", err
		}
		if how != all {
			continue
		}
		for i, v := range values {
			sep := "|"
			if i == 0 {
				sep = "\n\t"
			}
			s := v.(*sql.NullString)
			if !s.Valid {
				s.String = "NULL"
			}
			b.WriteString(sep + s.String)
		}
	}
	return b.String(), r.Err()
}

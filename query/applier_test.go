package query_test

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/query/logged"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/test/peer"
)

// following is a server that follows a MariaDB, by its files.
type following struct {
	t       testing.TB
	primary *peer.Server
	db      *sql.DB
	*server
	applier *query.Applier
	file    string
	done    int // bytes of file
	decoder event.Decoder
	format  string
	group   event.GTIDInfo
	maps    map[uint64]*event.TableMapInfo
}

// follow starts a MariaDB that writes its log in a format, and a server that follows it.
func follow(t *testing.T, format string, args ...string) *following {
	t.Helper()
	primary := peer.StartMariaDB(t, peer.Options{Binlog: true, ServerID: 7, Args: append([]string{"--binlog-format=" + format, "--local-infile=1"}, args...)})
	f := &following{t: t, primary: primary, server: newServer(t), format: format, file: "binlog.000001", maps: map[uint64]*event.TableMapInfo{}}
	f.db = primary.DB("")
	f.db.SetMaxOpenConns(1) // one session
	t.Cleanup(func() { _ = f.db.Close() })
	var err error
	f.applier, err = f.engine.NewApplier()
	require.NoError(t, err)
	t.Cleanup(f.applier.Close)
	return f
}

// fetch reads the events that have come to the log.
func (f *following) fetch() (out []event.Event) {
	f.t.Helper()
	for {
		data, err := os.ReadFile(filepath.Join(f.primary.Dir, f.file))
		require.NoError(f.t, err)
		if f.done == 0 {
			f.done = 4
		}
		next := ""
		for f.done+event.HeaderSize <= len(data) {
			size := int(binary.LittleEndian.Uint32(data[f.done+9:]))
			if f.done+size > len(data) {
				break
			}
			ev, err := f.decoder.Decode(slices.Clone(data[f.done : f.done+size]))
			require.NoError(f.t, err)
			f.done += size
			if r, ok := ev.Body.(*event.Rotate); ok {
				next = r.File
			}
			out = append(out, ev)
		}
		if next == "" {
			return out
		}
		f.file, f.done = next, 0
	}
}

// catchUp applies what has come; the first error ends it. After every group this server has the primary's GTID.
func (f *following) catchUp() error {
	f.t.Helper()
	ctx, open := context.Background(), false
	for _, ev := range f.fetch() {
		if g, ok := ev.Body.(*event.GTIDInfo); ok {
			f.group = *g
			f.applier.Begin(query.Group{GTIDInfo: *g, Timestamp: ev.Header.Timestamp})
			open = true
			continue
		}
		if !open {
			continue
		}
		last, err := f.apply(ctx, ev)
		if err != nil {
			return err
		}
		if last {
			open = false
			want := f.group.GTID
			info, err := f.applier.Commit(ctx)
			if err != nil {
				return fmt.Errorf("commit %v: %w", want, err)
			}
			require.Equal(f.t, want, info.GTID)
			require.Equal(f.t, want.String(), f.connect().query("SELECT @@gtid_binlog_pos"))
		}
	}
	return nil
}

// apply applies one event of a group, and tells whether it is its last one.
func (f *following) apply(ctx context.Context, ev event.Event) (last bool, err error) {
	standalone := f.group.Flags&event.FLStandalone != 0
	switch b := ev.Body.(type) {
	case *event.Query:
		return standalone || logged.ControlOf(b.SQL) > logged.Begin, f.applier.Statement(ctx, ev.Header, b)
	case *event.IntvarInfo:
		f.applier.Intvar(b)
	case *event.RandInfo:
		f.applier.Rand(b)
	case *event.UserVarInfo:
		return false, f.applier.UserVar(b)
	case *event.LoadBlock:
		return false, f.applier.LoadBlock(b)
	case *event.LoadQuery:
		return standalone, f.applier.Load(ctx, ev.Header, b)
	case *event.XAPrepareInfo:
		return true, f.applier.XAPrepare(b)
	case *event.RowsInfo:
		return false, f.rows(b)
	case *event.TableMapInfo:
		f.maps[b.TableID] = b
	case *event.Xid:
		return true, nil
	}
	return false, nil
}

// rows adds the rows of an INSERT, whose images are those of this server: the table is the same.
func (f *following) rows(r *event.RowsInfo) error {
	of := f.maps[r.TableID]
	tx := f.applier.Txn()
	tbl := tx.Catalog().Table(of.Schema, of.Table)
	if tbl == nil || !r.IsWrite() {
		return fmt.Errorf("rows of %s.%s", of.Schema, of.Table)
	}
	tx.BeginStatement("rows", false)
	defer tx.EndStatement()
	for it := r.Iter(of); it.Next(); {
		if err := tx.Insert(context.Background(), tbl, it.After()); err != nil {
			return err
		}
	}
	return nil
}

// same compares what both servers have: definitions and rows of all tables, views, triggers, procedures, and who may do what.
func (f *following) same() {
	f.t.Helper()
	c := f.connect()
	own := func(query string) string { return c.query("%s", query) }
	theirs := func(query string) string {
		rows, err := f.db.Query(query)
		require.NoError(f.t, err, query)
		defer func() { _ = rows.Close() }()
		cols, err := rows.Columns()
		require.NoError(f.t, err)
		var lines []string
		for rows.Next() {
			cells, to := make([]sql.NullString, len(cols)), make([]any, len(cols))
			for i := range cells {
				to[i] = &cells[i]
			}
			require.NoError(f.t, rows.Scan(to...))
			line := make([]string, len(cols))
			for i, v := range cells {
				line[i] = v.String
				if !v.Valid {
					line[i] = "NULL"
				}
			}
			lines = append(lines, strings.Join(line, "|"))
		}
		require.NoError(f.t, rows.Err())
		return strings.Join(lines, "\n")
	}
	equal := func(query string) string {
		want := theirs(query)
		require.Equal(f.t, want, own(query), query)
		return want
	}
	const others = "('mysql','information_schema','performance_schema','sys','test')"
	list := equal("SELECT CONCAT('`',table_schema,'`.`',table_name,'`') FROM information_schema.tables WHERE table_schema NOT IN " + others + " ORDER BY 1")
	for name := range strings.Lines(list) {
		name = strings.TrimSpace(name)
		if !strings.Contains(name, "view_") { // whose text this server has as it was written
			equal("SHOW CREATE TABLE " + name)
		}
		require.ElementsMatch(f.t, strings.Split(theirs("SELECT * FROM "+name), "\n"), strings.Split(own("SELECT * FROM "+name), "\n"), name)
	}
	equal("SELECT schema_name, default_collation_name FROM information_schema.schemata WHERE schema_name NOT IN " + others + " ORDER BY 1")
	equal("SELECT table_schema, table_name, definer, security_type FROM information_schema.views WHERE table_schema NOT IN " + others + " ORDER BY 1,2")
	equal("SELECT trigger_schema, trigger_name, action_statement, definer, REPLACE(sql_mode,'NO_AUTO_CREATE_USER,',''), character_set_client, collation_connection FROM information_schema.triggers ORDER BY 1,2")
	equal("SELECT routine_schema, routine_name, routine_definition, definer, REPLACE(sql_mode,'NO_AUTO_CREATE_USER,','') FROM information_schema.routines WHERE routine_schema NOT IN " + others + " ORDER BY 1,2")
	for name := range strings.Lines(equal("SELECT CONCAT(QUOTE(user),'@',QUOTE(host)) FROM mysql.user WHERE user LIKE 'u%' ORDER BY 1")) {
		equal("SHOW GRANTS FOR " + strings.TrimSpace(name))
	}
}

// script runs statements in one session of the primary; those that begin with ! fail,
// those with #STATEMENT are for that format.
func (f *following) script(text string) {
	f.t.Helper()
	for st := range strings.SplitSeq(text, ";;\n") {
		st = strings.TrimSpace(st)
		if st == "" {
			continue
		}
		if rest, only := strings.CutPrefix(st, "#STATEMENT "); only {
			if st = rest; f.format != "STATEMENT" {
				continue
			}
		}
		fails := strings.HasPrefix(st, "!")
		_, err := f.db.Exec(strings.TrimPrefix(st, "!"))
		require.Equal(f.t, fails, err != nil, "%s: %v", st, err)
	}
}

// TestApplierFollowsStatements runs what a primary logs as statements, and compares everything after each part of the script.
func TestApplierFollowsStatements(t *testing.T) {
	parts, err := filepath.Glob("testdata/replicated/*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, parts)
	for _, format := range []string{"STATEMENT", "MIXED"} {
		t.Run(format, func(t *testing.T) {
			f := follow(t, format)
			for _, part := range parts {
				if name := filepath.Base(part); !t.Run(name, func(t *testing.T) {
					f.t = t
					text, err := os.ReadFile(part)
					require.NoError(t, err)
					f.script(strings.ReplaceAll(string(text), "$DIR", t.TempDir()))
					require.NoError(t, f.catchUp())
					f.same()
				}) {
					return
				}
			}
		})
	}
}

// TestApplierDisablesEvents: an event of the primary is not one that runs here.
func TestApplierDisablesEvents(t *testing.T) {
	f := follow(t, "STATEMENT")
	f.script("CREATE DATABASE ev;;\nCREATE EVENT ev.a ON SCHEDULE EVERY 1 DAY DO SELECT 1;;\nCREATE EVENT ev.b ON SCHEDULE EVERY 1 DAY DISABLE DO SELECT 1;;\nALTER EVENT ev.b ENABLE")
	require.NoError(t, f.catchUp())
	for _, name := range []string{"a", "b"} {
		require.Equal(t, "SLAVESIDE_DISABLED 7", f.connect().query("SELECT CONCAT_WS(' ', STATUS, ORIGINATOR) FROM information_schema.EVENTS WHERE EVENT_NAME = '%s'", name))
	}
}

// stops has the primary run a script, and expects that this server stops with an error.
func (f *following) stops(number uint16, text, script string) {
	f.t.Helper()
	f.script(script)
	err := f.catchUp()
	f.applier.Rollback()
	require.Error(f.t, err)
	var e *mysqlerr.Error
	require.ErrorAs(f.t, err, &e)
	require.Equal(f.t, int(number), int(e.Number), "%v", e)
	require.Equal(f.t, text, e.Message)
}

func TestApplierGroupsOfRows(t *testing.T) {
	f := follow(t, "ROW")
	f.script(`CREATE DATABASE d;;
		CREATE TABLE d.t (a INT PRIMARY KEY, b VARCHAR(10));;
		INSERT INTO d.t VALUES (1,'one'),(2,'two');;
		CREATE TABLE d.made AS SELECT * FROM d.t;;
		CREATE OR REPLACE TABLE d.made (PRIMARY KEY (a)) AS SELECT * FROM d.t WHERE a=2;;
		CREATE TABLE d.none AS SELECT * FROM d.t WHERE a=7;;
		CREATE TEMPORARY TABLE d.tmp AS SELECT * FROM d.t;;
		CREATE TABLE d.oftmp AS SELECT * FROM d.tmp;;
		DROP TEMPORARY TABLE d.tmp;;
		INSERT INTO d.oftmp VALUES (5,'five');;
	`)
	require.NoError(t, f.catchUp())
	f.same()
	c := f.connect()
	require.Equal(t, f.primaryValue("SELECT @@gtid_binlog_pos"), c.query("SELECT @@gtid_binlog_pos"))
	require.Equal(t, "2", c.query("SELECT COUNT(*) FROM information_schema.processlist WHERE user='system user' AND command='Slave_SQL' OR id=CONNECTION_ID()"))
}

func (f *following) primaryValue(query string) (v string) {
	f.t.Helper()
	require.NoError(f.t, f.db.QueryRow(query).Scan(&v))
	return v
}

func TestApplierStops(t *testing.T) {
	f := follow(t, "STATEMENT")
	f.script("CREATE DATABASE d;;\nCREATE TABLE d.t (a INT PRIMARY KEY);;\nCREATE TABLE d.my (a INT PRIMARY KEY) ENGINE=MyISAM;;\n")
	require.NoError(t, f.catchUp())
	own := f.connect()

	// A definition that is there already, under slave_ddl_exec_mode=IDEMPOTENT.
	own.exec("CREATE TABLE d.e (x INT)")
	own.exec("INSERT INTO d.e VALUES (1)")
	own.exec("CREATE TABLE d.vain (x INT)")
	own.exec("CREATE DATABASE there")
	f.stops(1050, "Error 'Table 'e' already exists' on query. Default database: ''. Query: 'CREATE TABLE d.e (a INT)'", "CREATE TABLE d.e (a INT);;\n")
	require.Equal(t, "1", own.query("SELECT x FROM d.e"), "rows that are not the primary's stay")
	f.script("CREATE TABLE d.vain (a INT, b INT);;\nCREATE DATABASE there;;\nCREATE TABLE there.x (a INT);;\n")
	require.NoError(t, f.catchUp())
	require.Equal(t, "2", own.query("SELECT COUNT(*) FROM information_schema.columns WHERE table_name='vain'"))
	own.exec("DROP TABLE there.x")
	f.script("DROP TABLE there.x;;\n")
	require.NoError(t, f.catchUp())
	own.exec("DROP DATABASE there")
	f.script("DROP DATABASE there;;\n")
	require.NoError(t, f.catchUp())
	own.exec("SET GLOBAL slave_ddl_exec_mode=STRICT")
	own.exec("DROP TABLE d.vain")
	f.stops(1051, "Error 'Unknown table 'd.vain'' on query. Default database: ''. Query: 'DROP TABLE `d`.`vain` /* generated by server */'", "DROP TABLE d.vain;;\n")

	// A statement that fails here, and one that has failed there only.
	own.exec("INSERT INTO d.t VALUES (5)")
	f.stops(1062, "Error 'Duplicate entry '5' for key 'PRIMARY'' on query. Default database: ''. Query: 'INSERT INTO d.t VALUES (4),(5)'", "INSERT INTO d.t VALUES (4),(5);;\n")
	require.Equal(t, "5", own.query("SELECT a FROM d.t"))
	f.script("INSERT INTO d.my VALUES (1);;\n")
	require.NoError(t, f.catchUp())
	own.exec("DELETE FROM d.my")
	err := func() error { f.script("!INSERT INTO d.my VALUES (2),(1);;\n"); return f.catchUp() }()
	require.ErrorContains(t, err, "Query caused different errors on master and slave.     Error on master: message (format)=")
	require.ErrorContains(t, err, "error code=1062 ; Error on slave: actual message='no error', error code=0. Default database: ''. Query: 'INSERT INTO d.my VALUES (2),(1)'")
	f.applier.Rollback()
	require.Empty(t, own.query("SELECT a FROM d.my"))

	// What a primary keeps of a transaction that it rolls back.
	f.script("BEGIN;;\nINSERT INTO d.t VALUES (20);;\nINSERT INTO d.my VALUES (20);;\nROLLBACK;;\n")
	require.Error(t, f.catchUp())
	f.applier.Rollback()

	f.stops(1235, "Error 'This version of MariaDB doesn't yet support 'A TIMESTAMP column under explicit_defaults_for_timestamp=OFF'' on query. "+
		"Default database: ''. Query: 'CREATE TABLE d.stamp (a TIMESTAMP)'", "SET explicit_defaults_for_timestamp=0;;\nCREATE TABLE d.stamp (a TIMESTAMP);;\nSET explicit_defaults_for_timestamp=1;;\n")
	f.stops(1235, "Error 'This version of MariaDB doesn't yet support 'An XA transaction that is prepared in one group of the log and committed in another; "+
		"let the primary use XA COMMIT ... ONE PHASE, make the changes of this one here by hand, and leave out both groups, each with SET GLOBAL sql_slave_skip_counter=1; START SLAVE'' "+
		"on query. Default database: ''. Query: 'XA PREPARE 'x','',1'",
		"XA START 'x';;\nINSERT INTO d.t VALUES (30);;\nXA END 'x';;\nXA PREPARE 'x';;\n")
	require.NoError(t, err2(f.db.Exec("XA COMMIT 'x'")))
	f.fetch()
	require.Equal(t, "5", own.query("SELECT a FROM d.t"))
}

func err2(_ any, err error) error { return err }

// TestApplierLogsAsThePrimary compares the definitions in this server's log with those in the primary's: for replicas behind this one.
func TestApplierLogsAsThePrimary(t *testing.T) {
	f := follow(t, "STATEMENT")
	f.script(`CREATE DATABASE d CHARACTER SET latin1;;
		USE d;;
		SET NAMES latin1;;
		SET sql_mode='ANSI_QUOTES,NO_ENGINE_SUBSTITUTION', foreign_key_checks=0, autocommit=0, timestamp=1234567890.5;;
		CREATE TABLE "t" (a INT COMMENT 'é', b DATETIME(6) DEFAULT NOW(6)) /* a comment */;;
		SET autocommit=1;;
		INSERT INTO t (a) VALUES (1);;
		ALTER TABLE t ADD c TIMESTAMP(6) NULL DEFAULT CURRENT_TIMESTAMP(6);;
		CREATE OR REPLACE VIEW v AS SELECT a FROM t;;
		CREATE USER u1 IDENTIFIED BY 'secret';;
		GRANT SELECT ON d.* TO u1;;
		DROP TABLE t;;
		DROP DATABASE d;;
	`)
	require.NoError(t, f.catchUp())
	primary := f.queries(func(yield func(event.Event)) {
		data, err := os.ReadFile(filepath.Join(f.primary.Dir, "binlog.000001"))
		require.NoError(t, err)
		var d event.Decoder
		for data = data[4:]; len(data) > event.HeaderSize; {
			n := binary.LittleEndian.Uint32(data[9:])
			ev, err := d.Decode(data[:n])
			require.NoError(t, err)
			yield(ev)
			data = data[n:]
		}
	})
	own := f.queries(func(yield func(event.Event)) {
		r, err := f.store.Log().NewReader(logpos.At(1, 4))
		require.NoError(t, err)
		defer func() { _ = r.Close() }()
		var d event.Decoder
		for {
			b, _, err := r.NextNoWait()
			if errors.Is(err, io.EOF) {
				return
			}
			require.NoError(t, err)
			ev, err := d.Decode(slices.Clone(b))
			require.NoError(t, err)
			yield(ev)
		}
	})
	require.NotEmpty(t, primary)
	require.Equal(t, primary, own)
}

// queries are the definitions in a log, each with its GTID and its time.
func (f *following) queries(events func(func(event.Event))) (out []string) {
	var group event.GTIDInfo
	events(func(ev event.Event) {
		switch b := ev.Body.(type) {
		case *event.GTIDInfo:
			group = *b
		case *event.Query:
			if group.GTID.Server == 7 && group.Flags&event.FLDDL != 0 {
				q := *b
				q.XID, q.ExecTime = 0, 0
				if strings.Contains(q.SQL, "u1") { // this server writes names and passwords in a form of its own
					q.SQL = ""
				}
				out = append(out, fmt.Sprintf("%v %d %d %d %+v", group.GTID, group.Flags, ev.Header.ServerID, ev.Header.Timestamp, q))
			}
		}
	})
	return out
}

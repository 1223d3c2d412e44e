package query_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/query"
)

// TestApplierEvents has events that a primary of today does not write, or not at will.
func TestApplierEvents(t *testing.T) {
	s := newServer(t)
	seq := uint64(0)
	header := event.Header{ServerID: 9, Timestamp: 1700000000}
	a, err := s.engine.NewApplier()
	require.NoError(t, err)
	begin := func(flags byte) {
		seq++
		a.Begin(query.Group{GTIDInfo: event.GTIDInfo{GTID: gtid.GTID{Domain: 2, Server: 9, Seq: seq}, Flags: flags}, Timestamp: header.Timestamp, MySQL: true})
	}
	ctx := context.Background()
	run := func(flags byte, texts ...string) error {
		begin(flags)
		for _, text := range texts {
			if err := a.Statement(ctx, header, &event.Query{SQL: text, ThreadID: 3, Charset: [3]uint16{45, 45, 45}, Flags2: event.Flags2ExplicitTimestamp}); err != nil {
				a.Rollback()
				return err
			}
		}
		info, err := a.Commit(ctx)
		require.Equal(t, gtid.GTID{Domain: 2, Server: 9, Seq: seq}, info.GTID)
		return err
	}
	require.NoError(t, run(0, "CREATE DATABASE d"))
	require.NoError(t, run(0, "CREATE TABLE `d`.`ct` (a int) START TRANSACTION"), "of MySQL: rows follow")
	begin(0)
	latin1 := event.Query{SQL: "CREATE TABLE d.caf\xe9 (a int)START TRANSACTION", Charset: [3]uint16{8, 8, 8}, Flags2: event.Flags2ExplicitTimestamp}
	require.NoError(t, a.Statement(ctx, header, &latin1))
	_, err = a.Commit(ctx)
	require.NoError(t, err)
	c := s.connect()
	require.Equal(t, "1", c.query("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema='d' AND table_name='café'"))
	require.NoError(t, run(0, "DROP TABLE d.café"))
	require.Equal(t, "ct", c.query("SELECT table_name FROM information_schema.tables WHERE table_schema='d'"))

	// Temporary tables belong to a connection of the primary.
	require.NoError(t, run(0, "CREATE TEMPORARY TABLE d.tmp (a INT)"))
	begin(0)
	other := event.Query{SQL: "CREATE TEMPORARY TABLE d.tmp (a INT, b INT)", ThreadID: 4, Flags2: event.Flags2ExplicitTimestamp}
	require.NoError(t, a.Statement(ctx, header, &other))
	_, err = a.Commit(ctx)
	require.NoError(t, err)
	require.NoError(t, run(0, "BEGIN", "INSERT INTO d.tmp VALUES (7)", "INSERT INTO d.ct SELECT a FROM d.tmp"), "the tables of the first connection")
	require.Equal(t, "7", c.query("SELECT a FROM d.ct"))
	a.DropTemporaryTables(9)
	require.ErrorContains(t, run(0, "BEGIN", "INSERT INTO d.tmp VALUES (7)"), "Table 'd.tmp' doesn't exist")

	// A definition within a transaction would cut it into two.
	require.ErrorContains(t, run(0, "BEGIN", "INSERT INTO d.ct VALUES (8)", "CREATE TABLE d.cut (a INT)"), "would commit a part")
	require.ErrorContains(t, run(0, "BEGIN", "INSERT INTO d.ct VALUES (8)", "DROP TABLE d.ct"), "would commit a part")
	require.Equal(t, "7", c.query("SELECT a FROM d.ct"))

	// Of an XA transaction that was left out there is nothing to roll back; what the primary has kept of one is refused.
	require.NoError(t, run(event.FLStandalone, "XA ROLLBACK 'x'"))
	require.ErrorContains(t, run(0, "BEGIN", "INSERT INTO d.ct VALUES (8)", "XA ROLLBACK 'x'"), "A transaction that the primary has rolled back")
	require.ErrorContains(t, run(event.FLStandalone, "XA COMMIT 'x'"), "leave out both groups")
	require.Equal(t, "7", c.query("SELECT a FROM d.ct"))

	// An unknown collation matters to statements, not to the borders of transactions.
	begin(0)
	const japanese = 303 // of a MySQL
	q := event.Query{SQL: "BEGIN", Charset: [3]uint16{japanese, japanese, japanese}}
	require.NoError(t, a.Statement(ctx, header, &q))
	q.SQL = "INSERT INTO d.ct VALUES (1)"
	err = a.Statement(ctx, header, &q)
	a.Rollback()
	require.ErrorContains(t, err, "Error 'Character set '#303' is not a compiled character set and is not specified in the 'Index.xml' file' on query. ")

	// To a MySQL's definitions only where it may change what they mean; what it takes for utf8mb4 gets a name.
	definition := func(collation uint16, sql string) error {
		begin(event.FLStandalone)
		err := a.Statement(ctx, header, &event.Query{SQL: sql, Charset: [3]uint16{collation, collation, collation}, DefaultUTF8MB4: 255})
		a.Rollback()
		return err
	}
	require.NoError(t, definition(japanese, "CREATE TABLE d.known (a INT, v TEXT COLLATE utf8mb4_bin)"))
	require.ErrorContains(t, definition(japanese, "CREATE VIEW d.unknown AS SELECT 'a'"), "Character set '#303'")
	require.NoError(t, definition(255, "CREATE TABLE d.bare (v TEXT CHARACTER SET utf8mb4)"))
	require.Equal(t, "utf8mb4_uca1400_nopad_ai_ci", c.query("SELECT COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_NAME = 'bare'"))
	require.ErrorContains(t, definition(255, "CREATE VIEW d.bare2 AS SELECT CONVERT(v USING utf8mb4) AS v FROM d.bare"), "means utf8mb4_0900_ai_ci on the primary")

	begin(0)
	err = a.Statement(ctx, header, &event.Query{SQL: "INSERT INTO d.ct VALUES (1)", ErrorCode: 1317})
	a.Rollback()
	require.ErrorContains(t, err, "Query partially completed on the master (error on master: 1317) and was aborted.")

	begin(0)
	require.NoError(t, a.LoadBlock(&event.LoadBlock{FileID: 1, Data: []byte("21\n2")}))
	require.NoError(t, a.LoadBlock(&event.LoadBlock{FileID: 1, Data: []byte("2\n")}))
	load := event.LoadQuery{Query: event.Query{SQL: "LOAD DATA INFILE 'x' INTO TABLE d.ct", Flags2: event.Flags2ExplicitTimestamp}, FileID: 1, FnStart: 9, FnEnd: 25}
	require.NoError(t, a.Load(ctx, header, &load))
	_, err = a.Commit(ctx)
	require.NoError(t, err)
	require.Equal(t, "7\n21\n22", c.query("SELECT a FROM d.ct ORDER BY a"))
	begin(0)
	require.ErrorContains(t, a.Load(ctx, header, &load), "its file is not in the log")
	a.Rollback()

	// With skipped errors the group goes on.
	a.Close()
	require.NoError(t, s.engine.Globals.Configure("slave_skip_errors", "1062,ddl_exist_errors"))
	a, err = s.engine.NewApplier()
	require.NoError(t, err)
	require.NoError(t, run(0, "BEGIN", "INSERT INTO d.nothing VALUES (1)", "INSERT INTO d.ct VALUES (40)"))
	require.Equal(t, "40", c.query("SELECT a FROM d.ct WHERE a = 40"))

	c.exec("SET GLOBAL read_only=1")
	require.NoError(t, run(0, "BEGIN", "INSERT INTO d.ct VALUES (50)"))
	c.exec("SET GLOBAL read_only=0")
	require.ErrorContains(t, run(event.FLStandalone, "CREATE FUNCTION d.f() RETURNS INT RETURN 1"), "1235")

	// What is in the log is found again, groups without anything included.
	require.NoError(t, run(0, "FLUSH TABLES"))
	last := gtid.GTID{Domain: 2, Server: 9, Seq: seq}.String()
	require.Equal(t, last, c.query("SELECT @@gtid_binlog_pos"))
	rows := c.query("SELECT a FROM d.ct ORDER BY a")
	a.Close()
	s.crash()
	c = s.connect()
	require.Equal(t, last, c.query("SELECT @@gtid_binlog_pos"))
	require.Equal(t, rows, c.query("SELECT a FROM d.ct ORDER BY a"))
}

package row_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/test/peer"
)

// written is a column, a value for it, and how MariaDB's tools show the value.
type written struct {
	sql    string
	col    row.Column
	val    any
	tool   string // by mariadb-binlog -v
	client string // by SELECT CONCAT(...)
}

func at(s string) time.Time {
	t, err := time.Parse("2006-01-02 15:04:05.999999", s)
	if err != nil {
		panic(err)
	}
	return t
}

func writtenColumns() []written {
	const latin1, utf8mb4, bin = 8, 45, mysql.Collation_binary
	text := func(typ byte, meta, collation uint16) row.Column {
		return row.Column{Type: typ, Meta: meta, Collation: collation}
	}
	plain := func(typ byte, meta uint16) row.Column { return row.Column{Type: typ, Meta: meta, Collation: bin} }
	unsigned := func(typ byte) row.Column { return row.Column{Type: typ, Unsigned: true, Collation: bin} }
	dec := mysql.DecimalMeta
	return []written{
		{"TINYINT", plain(mysql.MYSQL_TYPE_TINY, 0), int64(-128), "-128 (128)", "-128"},
		{"TINYINT UNSIGNED", unsigned(mysql.MYSQL_TYPE_TINY), uint64(200), "-56 (200)", "200"},
		{"SMALLINT", plain(mysql.MYSQL_TYPE_SHORT, 0), int64(-32768), "-32768 (32768)", "-32768"},
		{"MEDIUMINT", plain(mysql.MYSQL_TYPE_INT24, 0), int64(-8388608), "-8388608 (8388608)", "-8388608"},
		{"INT", plain(mysql.MYSQL_TYPE_LONG, 0), int64(2147483647), "2147483647", "2147483647"},
		{"BIGINT UNSIGNED", unsigned(mysql.MYSQL_TYPE_LONGLONG), uint64(1<<64 - 1), "-1 (18446744073709551615)", "18446744073709551615"},
		{"FLOAT", plain(mysql.MYSQL_TYPE_FLOAT, 4), float32(1.5), "1.5", "1.5"},
		{"DOUBLE", plain(mysql.MYSQL_TYPE_DOUBLE, 8), -2.25, "-2.25", "-2.25"},
		{"DECIMAL(1,0)", plain(mysql.MYSQL_TYPE_NEWDECIMAL, dec(1, 0)), "-9", "-9", "-9"},
		{"DECIMAL(10,2)", plain(mysql.MYSQL_TYPE_NEWDECIMAL, dec(10, 2)), "12345678.90", "12345678.90", "12345678.90"},
		{"DECIMAL(65,30)", plain(mysql.MYSQL_TYPE_NEWDECIMAL, dec(65, 30)), "-12345678901234567890123456789012345.123456789012345678901234567891",
			"-12345678901234567890123456789012345.123456789012345678901234567891", "-12345678901234567890123456789012345.123456789012345678901234567891"},
		{"DATE", plain(mysql.MYSQL_TYPE_DATE, 0), at("2024-02-29 00:00:00"), "'2024:02:29'", "2024-02-29"},
		{"DATE", plain(mysql.MYSQL_TYPE_DATE, 0), time.Time{}, "'0000:00:00'", "0000-00-00"},
		{"DATE", plain(mysql.MYSQL_TYPE_DATE, 0), row.Date{Year: 2024, Month: 5}, "'2024:05:00'", "2024-05-00"},
		{"TIME", plain(mysql.MYSQL_TYPE_TIME2, 0), -(838*time.Hour + 59*time.Minute + 59*time.Second), "'-838:59:59'", "-838:59:59"},
		{"TIME(1)", plain(mysql.MYSQL_TYPE_TIME2, 1), -100 * time.Millisecond, "'-00:00:00.1'", "-00:00:00.1"},
		{"TIME(3)", plain(mysql.MYSQL_TYPE_TIME2, 3), 25*time.Hour + 7*time.Millisecond, "'25:00:00.007'", "25:00:00.007"},
		{"TIME(6)", plain(mysql.MYSQL_TYPE_TIME2, 6), -(time.Hour + time.Microsecond), "'-01:00:00.000001'", "-01:00:00.000001"},
		{"DATETIME", plain(mysql.MYSQL_TYPE_DATETIME2, 0), at("9999-12-31 23:59:59"), "'9999-12-31 23:59:59'", "9999-12-31 23:59:59"},
		{"DATETIME(5)", plain(mysql.MYSQL_TYPE_DATETIME2, 5), at("2000-01-01 00:00:00.12345"), "'2000-01-01 00:00:00.12345'", "2000-01-01 00:00:00.12345"},
		{"TIMESTAMP NULL", plain(mysql.MYSQL_TYPE_TIMESTAMP2, 0), at("2038-01-19 03:14:07"), "2147483647", "2038-01-19 03:14:07"},
		{"TIMESTAMP(4) NULL", plain(mysql.MYSQL_TYPE_TIMESTAMP2, 4), at("1970-01-01 00:01:40.0125"), "100.0125", "1970-01-01 00:01:40.0125"},
		{"YEAR", plain(mysql.MYSQL_TYPE_YEAR, 0), int64(2155), "2155", "2155"},
		{"VARCHAR(10) CHARSET latin1", text(mysql.MYSQL_TYPE_VARCHAR, 10, latin1), "x y ", "'x y '", "x y "},
		{"VARCHAR(100) CHARSET utf8mb4", text(mysql.MYSQL_TYPE_VARCHAR, 400, utf8mb4), "h\u00e9 \U0001F600", "'h\u00e9 \U0001F600'", "h\u00e9 \U0001F600"},
		{"CHAR(10) CHARSET latin1", text(mysql.MYSQL_TYPE_STRING, mysql.StringMeta(10), latin1), "pad  ", "'pad'", "pad"},
		{"CHAR(255) CHARSET utf8mb4", text(mysql.MYSQL_TYPE_STRING, mysql.StringMeta(1020), utf8mb4), "long", "'long'", "long"},
		{"BINARY(4)", text(mysql.MYSQL_TYPE_STRING, mysql.StringMeta(4), bin), []byte("b"), "'b'", "b\x00\x00\x00"},
		{"VARBINARY(300)", text(mysql.MYSQL_TYPE_VARCHAR, 300, bin), []byte("v"), "'v'", "v"},
		{"TINYBLOB", text(mysql.MYSQL_TYPE_BLOB, 1, bin), []byte("t"), "'t'", "t"},
		{"BLOB", text(mysql.MYSQL_TYPE_BLOB, 2, bin), []byte("b"), "'b'", "b"},
		{"MEDIUMTEXT CHARSET utf8mb4", text(mysql.MYSQL_TYPE_BLOB, 3, utf8mb4), "m", "'m'", "m"},
		{"LONGTEXT CHARSET utf8mb4", text(mysql.MYSQL_TYPE_BLOB, 4, utf8mb4), strings.Repeat("0123456789", 1000), "'" + strings.Repeat("0123456789", 1000) + "'", strings.Repeat("0123456789", 1000)},
		{"JSON", text(mysql.MYSQL_TYPE_BLOB, 4, 46), `{"a": [1, 2]}`, `'{"a": [1, 2]}'`, `{"a": [1, 2]}`},
		{"POINT", text(mysql.MYSQL_TYPE_GEOMETRY, 4, bin), []byte("\x00\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\x40"), "", "\x00\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\x40"},
		{"BIT(1)", plain(mysql.MYSQL_TYPE_BIT, mysql.BitMeta(1)), uint64(1), "b'1'", "\x01"},
		{"BIT(12)", plain(mysql.MYSQL_TYPE_BIT, mysql.BitMeta(12)), uint64(0x805), "b'100000000101'", "\x08\x05"},
		{"ENUM('a','b')", plain(mysql.MYSQL_TYPE_STRING, mysql.EnumMeta(2)), uint64(2), "2", "b"},
		{"SET('a','b','c')", plain(mysql.MYSQL_TYPE_SET, mysql.SetMeta(3)), uint64(5), "b'00000101'", "a,c"},
		{"INT", plain(mysql.MYSQL_TYPE_LONG, 0), nil, "NULL", ""},
	}
}

// logOf makes a closed binlog of events.
func logOf(t *testing.T, m event.Meta, add func(log []byte) []byte) string {
	log := []byte(event.Magic)
	log = event.AppendFormatDescription(log, m, "10.11.14-MariaDB-duramen-log", m.Timestamp)
	log = event.AppendGTIDList(log, m, nil)
	log = event.AppendBinlogCheckpoint(log, m, "binlog.000001")
	log = add(log)
	log = event.AppendStop(log, m)
	require.NoError(t, event.Finalize(log[len(event.Magic):], uint64(len(event.Magic))))
	path := filepath.Join(t.TempDir(), "binlog.000001")
	require.NoError(t, os.WriteFile(path, log, 0o600))
	return path
}

// TestMariaDBReadsOurLog writes a log with all column types, DDL, private
// records and a table without key, and has mariadb-binlog print it and a real MariaDB run it.
func TestMariaDBReadsOurLog(t *testing.T) {
	peer.RequireTool(t, "mariadb-binlog")
	columns := writtenColumns()
	var defs []string
	cols, vals := make([]row.Column, len(columns)), make([]any, len(columns))
	for i, c := range columns {
		defs = append(defs, fmt.Sprintf("c%d %s", i, c.sql))
		cols[i], vals[i] = c.col, c.val
		cols[i].Name = fmt.Sprintf("c%d", i)
		cols[i].Nullable = true
	}
	image, err := row.Encode(nil, cols, vals)
	require.NoError(t, err)
	nulls, err := row.Encode(nil, cols, make([]any, len(cols)))
	require.NoError(t, err)

	m := event.Meta{Timestamp: 1700000000, ServerID: 11}
	seq := uint64(0)
	ddl := func(log []byte, flags uint16, sql string) []byte {
		seq++
		m := event.Meta{Timestamp: m.Timestamp, ServerID: m.ServerID, Flags: flags}
		log = event.AppendGTID(log, m, event.GTIDInfo{GTID: gtid.GTID{Server: 11, Seq: seq}, Flags: event.FLStandalone | event.FLDDL | event.FLAllowParallel})
		log = event.AppendPrivate(log, m, event.PrivateCatalog, []byte(`{"tables":[]}`))
		return event.AppendQuery(log, m, event.Query{
			ThreadID: 5, Schema: "test", SQL: sql, Flags2: event.Flags2ExplicitTimestamp, Charset: [3]uint16{45, 45, 45}, XID: seq,
		})
	}
	rows := func(log []byte, kind event.Type, images ...[]byte) []byte {
		log = event.AppendTableMap(log, m, &event.TableMapInfo{TableID: 77, Schema: "test", Table: "t", Columns: catalog.ColumnMeta(cols)})
		log = event.AppendRows(log, m, &event.RowsInfo{TableID: 77, Flags: event.RowsStmtEnd, Kind: kind, Columns: len(cols), Rows: slices.Concat(images...)})
		return event.AppendPrivate(log, m, event.PrivateRowIDs, event.AppendRowIDs(nil, []uint64{1, 2}))
	}
	path := logOf(t, m, func(log []byte) []byte {
		log = ddl(log, event.FlagSuppressUse, "CREATE DATABASE IF NOT EXISTS test")
		log = ddl(log, 0, "CREATE TABLE t ("+strings.Join(defs, ", ")+") CHARSET utf8mb4")
		seq++
		log = event.AppendGTID(log, m, event.GTIDInfo{GTID: gtid.GTID{Server: 11, Seq: seq}, Flags: event.FLTransactional | event.FLAllowParallel, CommitID: 3})
		log = event.AppendAnnotateRows(log, m, "INSERT INTO t ...")
		log = rows(log, event.WriteRowsV1, image, nulls, image)
		log = rows(log, event.UpdateRowsV1, nulls, image)
		log = rows(log, event.DeleteRowsV1, image)
		log = event.AppendXID(log, m, 3)
		return event.AppendPrivate(log, m, event.PrivateLocal, []byte("never seen by anybody else"))
	})

	tool := exec.Command("mariadb-binlog", "--no-defaults", "-vv", "--verify-binlog-checksum", path)
	var stderr bytes.Buffer
	tool.Stderr = &stderr
	printed, err := tool.Output()
	require.NoError(t, err, stderr.String())
	require.Empty(t, stderr.String())
	require.NotContains(t, string(printed), "never seen")
	require.NotContains(t, string(printed), "DRMN")
	shown := map[string]int{}
	for line := range strings.Lines(string(printed)) {
		if text, ok := strings.CutPrefix(line, "###   @"); ok {
			value, _, _ := strings.Cut(text, "/*")
			shown[strings.TrimRight(value, " ")]++
		}
	}
	for i, c := range columns {
		if c.tool != "" {
			require.Positive(t, shown[fmt.Sprintf("%d=%s", i+1, c.tool)], "column %d (%s) is not shown as %s", i+1, c.sql, c.tool)
		}
	}

	s := peer.StartMariaDB(t, peer.Options{ServerID: 12, Args: []string{"--default-time-zone=+00:00", "--sql-mode="}})
	client := exec.Command("mariadb", "--no-defaults", "--socket="+s.Socket, "--user=root", "--binary-mode")
	client.Stdin = bytes.NewReader(printed)
	out, err := client.CombinedOutput()
	require.NoError(t, err, "%s", out)
	db := s.DB("test")
	defer db.Close()
	for i, c := range columns {
		got := peer.MustRows(t, db, fmt.Sprintf("SELECT CONCAT(c%d) FROM t", i))
		want := fmt.Sprintf("%q", c.client)
		if c.val == nil {
			want = "NULL"
		}
		require.Equal(t, []string{want, want}, got, "%d %s", i, c.sql)
	}
}

// TestMariaDBKeyOrder compares the order of string keys with ORDER BY of a
// real MariaDB, for the collations whose weights are the bytes themselves.
func TestMariaDBKeyOrder(t *testing.T) {
	s := peer.StartMariaDB(t, peer.Options{})
	db := s.DB("")
	defer db.Close()
	db.SetMaxOpenConns(1)
	peer.Exec(t, db, "CREATE DATABASE test", "USE test")
	random := rand.New(rand.NewPCG(1, 2))
	for i, c := range []struct {
		sql      string
		col      row.Column
		alphabet []string
	}{
		{"VARCHAR(20) COLLATE utf8mb4_bin", row.Column{Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 80, Collation: 46, PadSpace: true}, []string{"a", "b", " ", "\t", "!", "\u00e9", "\U0001F600", "\x00"}},
		{"VARCHAR(20) COLLATE utf8mb4_nopad_bin", row.Column{Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 80, Collation: 1070}, []string{"a", "b", " ", "\t", "!", "\u00e9", "\x00"}},
		{"CHAR(20) COLLATE utf8mb4_bin", row.Column{Type: mysql.MYSQL_TYPE_STRING, Meta: mysql.StringMeta(80), Collation: 46, PadSpace: true}, []string{"a", " ", "\t", "!", "\x00"}},
		{"VARCHAR(20) COLLATE ucs2_bin", row.Column{Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 40, Collation: 90, PadSpace: true}, []string{"\x00a", "\x00 ", "\x00\t", "\x20\x00", "\x4e\x2d", "\x00\x00"}},
		{"VARBINARY(20)", row.Column{Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 20, Collation: mysql.Collation_binary}, []string{"a", " ", "\x00", "\x01", "\xff"}},
		{"BINARY(20)", row.Column{Type: mysql.MYSQL_TYPE_STRING, Meta: mysql.StringMeta(20), Collation: mysql.Collation_binary}, []string{"a", " ", "\x00", "\x01", "\xff"}},
	} {
		table := fmt.Sprintf("k%d", i)
		peer.Exec(t, db, "CREATE TABLE "+table+" (id INT PRIMARY KEY, v "+c.sql+" NOT NULL, KEY v (v, id))")
		type entry struct {
			id  int
			key []byte
		}
		var entries []entry
		var tuples []string
		for id := range 500 {
			var text string
			for range random.IntN(6) {
				text += c.alphabet[random.IntN(len(c.alphabet))]
			}
			key, err := row.AppendKeyValue(nil, c.col, row.KeyPart{}, text)
			require.NoError(t, err)
			entries = append(entries, entry{id, key})
			tuples = append(tuples, fmt.Sprintf("(%d, X'%x')", id, text))
		}
		peer.Exec(t, db, "INSERT INTO "+table+" VALUES "+strings.Join(tuples, ","))
		slices.SortStableFunc(entries, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
		var want []string
		for _, e := range entries {
			want = append(want, fmt.Sprintf("\"%d\"", e.id))
		}
		// By the index: MariaDB's filesort takes '' and '\0' for equal when it
		// packs its keys, which its comparison does not.
		require.Equal(t, peer.MustRows(t, db, "SELECT id FROM "+table+" FORCE INDEX (v) ORDER BY v, id"), want, c.sql)
		distinct := len(slices.CompactFunc(entries, func(a, b entry) bool { return bytes.Equal(a.key, b.key) }))
		require.Equal(t, []string{fmt.Sprintf("\"%d\"", distinct)}, peer.MustRows(t, db, "SELECT COUNT(DISTINCT v) FROM "+table), c.sql)
	}
}

package dialect

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"

	"github.com/duramendb/duramen/test/peer"
)

// valueTables have columns of every type, with the ends of their ranges.
var valueTables = []string{
	`CREATE TABLE n (id INT PRIMARY KEY, i8 TINYINT, u8 TINYINT UNSIGNED, i16 SMALLINT, u16 SMALLINT UNSIGNED, i24 MEDIUMINT, u24 MEDIUMINT UNSIGNED,
		i32 INT, u32 INT UNSIGNED, i64 BIGINT, u64 BIGINT UNSIGNED, z INT(7) ZEROFILL, y YEAR, b1 BIT(1), b9 BIT(9), b64 BIT(64))`,
	`INSERT INTO n VALUES (1, -128, 0, -32768, 0, -8388608, 0, -2147483648, 0, -9223372036854775808, 0, 0, 1901, b'0', b'0', b'0'),
		(2, 127, 255, 32767, 65535, 8388607, 16777215, 2147483647, 4294967295, 9223372036854775807, 18446744073709551615, 4294967295, 2155, b'1', b'111111111', 18446744073709551615),
		(3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (4, 0, 1, -1, 128, -1, 256, -1, 65536, -1, 4294967296, 42, 0, b'0', b'100000000', 258)`,
	`CREATE TABLE f (id INT PRIMARY KEY, f FLOAT, d DOUBLE, f2 FLOAT(7,2), d3 DOUBLE(12,3), dz DOUBLE ZEROFILL, m DECIMAL(10,0), m5 DECIMAL(12,5), m65 DECIMAL(65,30), mz DECIMAL(8,2) ZEROFILL)`,
	`INSERT INTO f VALUES (1, 0, 0, 0, 0, 0, 0, 0, 0, 0), (2, 3.4e38, 1.7976931348623157e308, 99999.99, 999999999.999, 1e15, 9999999999, 9999999.99999, 99999999999999999999999999999999999.999999999999999999999999999999, 999999.99),
		(3, -1.17549e-38, 2.2250738585072014e-308, -0.01, -0.125, 1e-5, -9999999999, -0.00001, -0.000000000000000000000000000001, 0.5), (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
		(5, 0.1, 0.1, 0.1, 0.1, 0.1, 1, 0.1, 0.1, 0.1), (6, 16777216, 123456789012345, 12345.67, 123456789.125, 1.5, 42, 12345.678, 1, 12), (7, 1e10, 1e14, 1, 1, 1e14, 1, 1, 1, 1),
		(8, 1234567, 1e15, 0.005, -0.5, 0.001, 1, 1, 1, 1), (9, 0.00001, 1e-15, 2, 2, 2, 2, 2, 2, 2), (10, 1e-16, 1e-16, 3, 3, 3, 3, 3, 3, 3)`,
	`CREATE TABLE t (id INT PRIMARY KEY, d DATE, dt DATETIME, dt1 DATETIME(1), dt6 DATETIME(6), ts TIMESTAMP NULL, ts3 TIMESTAMP(3) NULL, ti TIME, ti2 TIME(2), ti6 TIME(6))`,
	`INSERT INTO t VALUES (1, '1000-01-01', '1000-01-01 00:00:00', '1000-01-01 00:00:00', '1000-01-01 00:00:00', '1970-01-02 00:00:01', '1970-01-02 00:00:01.001', '-838:59:59', '-838:59:59.00', '-838:59:59'),
		(2, '9999-12-31', '9999-12-31 23:59:59', '9999-12-31 23:59:59.9', '9999-12-31 23:59:59.999999', '2038-01-18 03:14:07', '2038-01-18 03:14:07.999', '838:59:59', '838:59:58.99', '838:59:58.999999'),
		(3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (4, '2024-02-29', '2024-02-29 12:00:00', '2024-02-29 00:00:00.1', '2024-02-29 00:00:00.000001', '2024-02-29 12:34:56', '2024-02-29 12:34:56', '00:00:00', '00:00:00', '00:00:00'),
		(5, '2024-02-29', '2024-02-29 00:00:00', '2024-02-29 00:00:00', '2024-02-29 00:00:00', '2024-02-29 00:00:00', '2024-02-29 00:00:00', '24:00:00', '-00:00:00.01', '-00:00:00.000001'),
		(6, '0999-03-04', '0999-03-04 05:06:07', '0999-03-04 05:06:07.8', '0999-03-04 05:06:07.89', '2024-02-29 01:02:03', '2024-02-29 01:02:03.1', '100:01:02', '25:00:00.5', '-100:00:00.5')`,
	`SET sql_mode = ''`,
	`INSERT INTO t (id, d, dt, dt1, dt6, ts, ts3) VALUES (7, 0, 0, 0, 0, 0, 0)`,
	`SET sql_mode = DEFAULT`,
	`CREATE TABLE s (id INT PRIMARY KEY, c CHAR(10), v VARCHAR(300), l VARCHAR(20) CHARACTER SET latin1, b BINARY(3), vb VARBINARY(10), tt TINYTEXT, tx TEXT, lt LONGTEXT, bl BLOB, lb LONGBLOB, e ENUM('a','ü'), st SET('x','y','ü'), j JSON, g GEOMETRY)`,
	`INSERT INTO s VALUES (1, '', '', '', '', '', '', '', '', '', '', 'a', '', '{}', POINT(1,2)), (2, 'äöü€', REPEAT('x', 250), 'äöü', x'00ff', x'00ff', 'a', REPEAT('y', 251), REPEAT('z', 70000), x'00', REPEAT('ü', 200), 'ü', 'x,y,ü', '{"a": [1, 2.5, null]}', POINT(-1.5, 1e10)),
		(3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (4, ' a ', REPEAT('ä', 126), 'é', 'a', 'abc', '1', '-5', '2.5', 'x', 'y', 'a', 'ü', '[]', LINESTRING(POINT(0,0), POINT(1,1)))`,
}

// valueExpressions are columns that are no table's. Their definitions are compared elsewhere (scripts with meta).
var valueExpressions = []string{
	"1", "-1", "2147483648", "18446744073709551615", "1.50", "1e0", "-1.5e-20", "1e15", "123456789012345678e0", "'text'", "''", "NULL", "x'00ff'", "TRUE",
	"CAST('12.345' AS DECIMAL(10,2))", "CAST(0.1 AS DOUBLE)", "CAST(0.1 AS FLOAT)", "CAST('a' AS CHAR(3))", "CAST('a' AS BINARY(3))",
	"CAST('2024-02-29' AS DATE)", "CAST('2024-02-29 01:02:03.123456' AS DATETIME(6))", "CAST('2024-02-29 01:02:03.5' AS DATETIME(1))", "CAST('2024-02-29' AS DATETIME)", "CAST('838:59:59' AS TIME)",
	"CURDATE() = CURDATE()", "1/3", "1+1.5", "1.5*2", "2e0*3", "COUNT(*)", "SUM(1)", "AVG(2)", "MAX('b')", "IF(1, -1.5e0, 'a')", "IFNULL(NULL, 'x')", "CASE WHEN 1 THEN 1 ELSE '2.5' END",
	"CONCAT(1, 'a', 2.50)", "JSON_OBJECT('a', 1.5)", "JSON_EXTRACT('[1, \"x\"]', '$[1]')", "HEX('ü')", "UNHEX('00ff')", "LENGTH('abc')", "YEAR('2024-01-01')", "FROM_UNIXTIME(0) IS NULL", "POINT(1,2)", "ROUND(2.55, 1)", "ABS(-9223372036854775807)", "1 = 2",
}

// valueQueries read tables through something that has types of its own.
var valueQueries = []string{
	"SELECT COUNT(*), SUM(i32), AVG(u8), MAX(u64), MAX(y), MAX(z) FROM n", "SELECT MAX(f), MIN(f), MAX(d), MAX(d3), MAX(m5), MIN(m65), SUM(d3), AVG(m5) FROM f WHERE id > 3",
	"SELECT MAX(d), MIN(dt), MAX(dt6), MAX(dt1), MAX(ts3), MAX(ti), MAX(ti6), MIN(ti6), MIN(ti2) FROM t", "SELECT MAX(c), MAX(l), MAX(vb), MAX(e), MAX(st) FROM s",
	"SELECT IF(id > 5, f, d) FROM f ORDER BY id", "SELECT f + 0, d * 2, m5 / 3 FROM f WHERE id > 3 ORDER BY id", "SELECT IFNULL(dt6, ts3), IFNULL(ti2, ti6) FROM t ORDER BY id",
	"SELECT ti FROM t WHERE id < 3 UNION ALL SELECT ti6 FROM t WHERE id = 4", "SELECT x.dt6, x.ti2, x.d FROM (SELECT * FROM t) x ORDER BY x.id", "SELECT CONCAT(f, '|', f.d), CONCAT(m5), CONCAT(ti6), CONCAT(dt1), CONCAT(y) FROM f JOIN t USING (id) JOIN n USING (id) ORDER BY id",
	"SELECT l, CONVERT(v USING utf8mb4), UPPER(l), CONCAT(l, c) FROM s WHERE id = 4", "SELECT HEX(g), ST_AsText(g), JSON_EXTRACT(j, '$.a') FROM s WHERE id = 1",
}

// TestRowPackets compares rows in both protocols with MariaDB's, byte for byte; those of tables with their definitions, too.
// Both servers are asked each time; there is no record to rewrite.
func TestRowPackets(t *testing.T) {
	ours, theirs := rowClient(t, peer.Duramen), rowClient(t, peer.MariaDB)
	var queries []string
	for _, table := range []string{"n", "f", "t", "s"} {
		queries = append(queries, "SELECT * FROM "+table+" ORDER BY id")
	}
	for _, x := range valueExpressions {
		queries = append(queries, "SELECT "+x)
	}
	for _, q := range slices.Concat(queries, valueQueries) {
		definitions := strings.HasPrefix(q, "SELECT * FROM ")
		for name, ask := range map[string]func(*client.Conn) []string{
			"text":   func(c *client.Conn) []string { return textRows(t, c, q, definitions) },
			"binary": func(c *client.Conn) []string { return binaryRows(t, c, q, nil, definitions) },
		} {
			comparePackets(t, q+" as "+name, ask(ours), ask(theirs))
		}
	}
}

func comparePackets(t *testing.T, what string, ours, theirs []string) {
	t.Helper()
	for i := range max(len(ours), len(theirs)) {
		var a, b string
		if i < len(ours) {
			a = ours[i]
		}
		if i < len(theirs) {
			b = theirs[i]
		}
		if a != b {
			t.Errorf("%s, packet %d:\n%s\nMariaDB:\n%s", what, i+1, cutPacket(a), cutPacket(b))
		}
	}
}

func cutPacket(p string) string { return p[:min(len(p), 600)] }

func rowClient(t *testing.T, kind peer.Kind) *client.Conn {
	t.Helper()
	var s *peer.Server
	if kind == peer.MariaDB {
		s = peer.StartMariaDB(t, peer.Options{})
	} else {
		s = peer.Start(t, peer.Options{Kind: kind})
	}
	c, err := client.Connect(s.Addr(), "root", "", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	for _, q := range slices.Concat([]string{"CREATE DATABASE d CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "USE d", "SET NAMES utf8mb4", "SET time_zone = '+00:00'"}, valueTables) {
		if _, err := c.Execute(q); err != nil {
			t.Fatalf("%s on %s: %v", q, kind, err)
		}
	}
	return c
}

func send(t *testing.T, c *client.Conn, command byte, payload []byte) {
	t.Helper()
	c.ResetSequence()
	if err := c.WritePacket(append(append(make([]byte, 4), command), payload...)); err != nil {
		t.Fatal(err)
	}
}

// textRows runs a query by COM_QUERY and words the packets of its rows.
func textRows(t *testing.T, c *client.Conn, query string, definitions bool) []string {
	t.Helper()
	send(t, c, mysql.COM_QUERY, []byte(query))
	return resultPackets(t, c, definitions)
}

// binaryRows does so by a prepared statement. params is what follows the head of COM_STMT_EXECUTE.
func binaryRows(t *testing.T, c *client.Conn, query string, params []byte, definitions bool) []string {
	t.Helper()
	send(t, c, mysql.COM_STMT_PREPARE, []byte(query))
	p, err := c.ReadPacket()
	if err != nil {
		t.Fatal(err)
	}
	if p[0] == mysql.ERR_HEADER {
		return []string{fmt.Sprintf("error %q", p[3:])}
	}
	id := slices.Clone(p[1:5])
	for _, count := range []uint16{binary.LittleEndian.Uint16(p[5:]), binary.LittleEndian.Uint16(p[7:])} {
		for range count {
			read(t, c)
		}
		if count > 0 {
			read(t, c) // EOF
		}
	}
	send(t, c, mysql.COM_STMT_EXECUTE, slices.Concat(id, []byte{0, 1, 0, 0, 0}, params))
	out := resultPackets(t, c, definitions)
	send(t, c, mysql.COM_STMT_CLOSE, id)
	return out
}

func resultPackets(t *testing.T, c *client.Conn, definitions bool) []string {
	t.Helper()
	var out []string
	first, err := c.ReadPacket()
	if err != nil {
		t.Fatal(err)
	}
	switch first[0] {
	case mysql.ERR_HEADER:
		return []string{fmt.Sprintf("error %d", binary.LittleEndian.Uint16(first[1:]))}
	case mysql.OK_HEADER:
		return []string{"ok"}
	}
	for range int(first[0]) {
		p := read(t, c)
		if definitions {
			out = append(out, fmt.Sprintf("%q", p))
		}
	}
	read(t, c) // EOF
	for {
		p, err := c.ReadPacket()
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case p[0] == mysql.EOF_HEADER && len(p) < 9:
			return out
		case p[0] == mysql.ERR_HEADER:
			return append(out, fmt.Sprintf("error %q", p[3:]))
		}
		out = append(out, fmt.Sprintf("%q", p))
	}
}

// TestParameterPackets sends parameters of every type of the protocol to a statement that stores them, and compares what
// both servers then have.
func TestParameterPackets(t *testing.T) {
	ours, theirs := rowClient(t, peer.Duramen), rowClient(t, peer.MariaDB)
	u16, u32, u64 := binary.LittleEndian.AppendUint16, binary.LittleEndian.AppendUint32, binary.LittleEndian.AppendUint64
	double := func(f float64) []byte { return u64(nil, math.Float64bits(f)) }
	single := func(f float32) []byte { return u32(nil, math.Float32bits(f)) }
	counted := func(s string) []byte { return append([]byte{byte(len(s))}, s...) }
	const unsigned = 0x80
	for _, p := range []struct {
		name   string
		column string // of the table that it is stored in
		kind   byte
		flags  byte
		value  []byte
	}{
		{"TINY -128", "BIGINT", mysql.MYSQL_TYPE_TINY, 0, []byte{0x80}}, {"TINY 255", "BIGINT", mysql.MYSQL_TYPE_TINY, unsigned, []byte{0xff}},
		{"SHORT", "BIGINT", mysql.MYSQL_TYPE_SHORT, 0, u16(nil, 0x8000)}, {"SHORT unsigned", "BIGINT", mysql.MYSQL_TYPE_SHORT, unsigned, u16(nil, 0xffff)},
		{"LONG", "BIGINT", mysql.MYSQL_TYPE_LONG, 0, u32(nil, 1<<31)}, {"LONG unsigned", "BIGINT", mysql.MYSQL_TYPE_LONG, unsigned, u32(nil, math.MaxUint32)},
		{"LONGLONG", "BIGINT", mysql.MYSQL_TYPE_LONGLONG, 0, u64(nil, 1<<63)}, {"LONGLONG unsigned", "BIGINT UNSIGNED", mysql.MYSQL_TYPE_LONGLONG, unsigned, u64(nil, math.MaxUint64)},
		{"FLOAT", "DOUBLE", mysql.MYSQL_TYPE_FLOAT, 0, single(0.1)}, {"FLOAT in a FLOAT", "FLOAT", mysql.MYSQL_TYPE_FLOAT, 0, single(0.1)}, {"FLOAT 1e10", "DOUBLE", mysql.MYSQL_TYPE_FLOAT, 0, single(1e10)},
		{"DOUBLE", "DOUBLE", mysql.MYSQL_TYPE_DOUBLE, 0, double(0.1)}, {"DOUBLE 1e300", "DOUBLE", mysql.MYSQL_TYPE_DOUBLE, 0, double(-1e300)}, {"DOUBLE in a DECIMAL", "DECIMAL(20,5)", mysql.MYSQL_TYPE_DOUBLE, 0, double(2.5)},
		{"NEWDECIMAL", "DECIMAL(20,5)", mysql.MYSQL_TYPE_NEWDECIMAL, 0, counted("-12345678901234.56789")}, {"DECIMAL", "DECIMAL(20,5)", mysql.MYSQL_TYPE_DECIMAL, 0, counted("1.5")},
		{"DATE", "DATE", mysql.MYSQL_TYPE_DATE, 0, []byte{4, 0xe8, 7, 2, 29}}, {"DATE in a DATETIME", "DATETIME", mysql.MYSQL_TYPE_DATE, 0, []byte{4, 0xe8, 7, 2, 29}},
		{"DATETIME of 4", "DATETIME(6)", mysql.MYSQL_TYPE_DATETIME, 0, []byte{4, 0xe8, 7, 2, 29}}, {"DATETIME of 7", "DATETIME(6)", mysql.MYSQL_TYPE_DATETIME, 0, []byte{7, 0xe8, 7, 2, 29, 23, 59, 58}},
		{"DATETIME of 11", "DATETIME(6)", mysql.MYSQL_TYPE_DATETIME, 0, []byte{11, 0xe8, 7, 2, 29, 23, 59, 58, 0x3f, 0x42, 0x0f, 0}}, {"TIMESTAMP", "DATETIME(3)", mysql.MYSQL_TYPE_TIMESTAMP, 0, []byte{7, 0xe8, 7, 2, 29, 1, 2, 3}},
		{"TIME of 8", "TIME(6)", mysql.MYSQL_TYPE_TIME, 0, []byte{8, 1, 34, 0, 0, 0, 22, 59, 59}}, {"TIME of 12", "TIME(6)", mysql.MYSQL_TYPE_TIME, 0, []byte{12, 0, 1, 0, 0, 0, 1, 2, 3, 1, 0, 0, 0}}, {"TIME of 0", "TIME(6)", mysql.MYSQL_TYPE_TIME, 0, []byte{0}},
		{"STRING", "VARCHAR(50)", mysql.MYSQL_TYPE_STRING, 0, counted("it's \\ \"ü\"")}, {"VAR_STRING, empty", "VARCHAR(50)", mysql.MYSQL_TYPE_VAR_STRING, 0, counted("")}, {"VARCHAR as a number", "BIGINT", mysql.MYSQL_TYPE_VARCHAR, 0, counted("12")},
		{"BLOB", "VARBINARY(50)", mysql.MYSQL_TYPE_BLOB, 0, counted("\x00\xff'\\")}, {"LONG_BLOB of text", "VARCHAR(50)", mysql.MYSQL_TYPE_LONG_BLOB, 0, counted("ü")},
		{"ENUM", "ENUM('a','b')", mysql.MYSQL_TYPE_ENUM, 0, counted("b")}, {"SET", "SET('a','b')", mysql.MYSQL_TYPE_SET, 0, counted("a,b")}, {"NULL", "BIGINT", mysql.MYSQL_TYPE_LONG, 0, nil},
	} {
		null := byte(0)
		if p.value == nil {
			null = 1
		}
		params := slices.Concat([]byte{null, 1, p.kind, p.flags}, p.value)
		var got [2][]string
		for i, c := range []*client.Conn{ours, theirs} {
			for _, q := range []string{"DROP TABLE IF EXISTS p", "CREATE TABLE p (v " + p.column + ")"} {
				if _, err := c.Execute(q); err != nil {
					t.Fatal(err)
				}
			}
			got[i] = slices.Concat(binaryRows(t, c, "INSERT INTO p VALUES (?)", params, false), textRows(t, c, "SELECT * FROM p", false), binaryRows(t, c, "SELECT * FROM p", nil, false),
				binaryRows(t, c, "SELECT COUNT(*) FROM p WHERE v = ?", params, false))
		}
		comparePackets(t, p.name, got[0], got[1])
	}
}

package following

import (
	"fmt"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// kind is a column type with values of it, as literals; NULL comes by itself.
type kind struct {
	typ    string
	values []string
}

var kinds = []kind{
	{"TINYINT", []string{"-128", "127", "0"}},
	{"TINYINT UNSIGNED", []string{"0", "255", "128"}},
	{"SMALLINT", []string{"-32768", "32767"}},
	{"SMALLINT UNSIGNED", []string{"65535", "32768"}},
	{"MEDIUMINT", []string{"-8388608", "8388607", "-1"}},
	{"MEDIUMINT UNSIGNED", []string{"16777215", "8388608"}},
	{"INT", []string{"-2147483648", "2147483647", "-1"}},
	{"INT UNSIGNED", []string{"4294967295", "2147483648"}},
	{"INT(8) UNSIGNED ZEROFILL", []string{"7", "4294967295"}},
	{"BIGINT", []string{"-9223372036854775808", "9223372036854775807", "-1"}},
	{"BIGINT UNSIGNED", []string{"18446744073709551615", "9223372036854775808"}},
	{"BOOLEAN", []string{"TRUE", "FALSE"}},
	{"DECIMAL(65,30)", []string{"99999999999999999999999999999999999.999999999999999999999999999999", "-0.000000000000000000000000000001", "0"}},
	{"DECIMAL(10,0)", []string{"-9999999999", "9999999999", "-0"}},
	{"DECIMAL(9,9)", []string{"0.999999999", "-0.000000001"}},
	{"FLOAT", []string{"-3.40282e38", "1.17549e-38", "0.1", "-0e0"}},
	{"DOUBLE", []string{"1.7976931348623157e308", "-2.2250738585072014e-308", "0.1", "-0e0"}},
	{"BIT(1)", []string{"b'1'", "b'0'"}},
	{"BIT(13)", []string{"b'1111111111111'", "b'1'"}},
	{"BIT(64)", []string{"0xFFFFFFFFFFFFFFFF", "0x0102030405060708"}},
	{"YEAR", []string{"1901", "2155", "0"}},
	{"DATE", []string{"'1000-01-01'", "'9999-12-31'", "'2024-02-29'"}},
	{"TIME", []string{"'-838:59:59'", "'838:59:59'", "'00:00:00'", "'-00:00:01'"}},
	{"TIME(1)", []string{"'-00:00:00.1'", "'23:59:59.9'"}},
	{"TIME(4)", []string{"'-12:34:56.7891'", "'00:00:00.0001'"}},
	{"TIME(6)", []string{"'-838:59:59.999999'", "'838:59:59.999999'", "'-00:00:00.000001'"}},
	{"DATETIME", []string{"'1000-01-01 00:00:00'", "'9999-12-31 23:59:59'"}},
	{"DATETIME(3)", []string{"'1970-01-01 00:00:00.001'", "'9999-12-31 23:59:59.999'"}},
	{"DATETIME(6)", []string{"'1000-01-01 00:00:00.000001'", "'9999-12-31 23:59:59.999999'"}},
	{"TIMESTAMP NULL DEFAULT NULL", []string{"'1970-01-01 00:00:01'", "'2038-01-19 03:14:07'"}},
	{"TIMESTAMP(2) NULL DEFAULT NULL", []string{"'1970-01-01 00:00:01.01'", "'2038-01-19 03:14:07.99'"}},
	{"TIMESTAMP(6) NULL DEFAULT NULL", []string{"'2001-09-09 01:46:40.654321'", "'2038-01-19 03:14:07.999999'"}},
	{"CHAR(0)", []string{"''"}},
	{"CHAR(10)", []string{"''", "'a'", "'ünïcödé漢字😀'"}},
	{"CHAR(255)", []string{"REPEAT('😀',255)", "'a'"}},
	{"CHAR(10) CHARACTER SET latin1", []string{"'é'", "x'E9FF'"}},
	{"VARCHAR(0)", []string{"''"}},
	{"VARCHAR(63)", []string{"''", "REPEAT('漢',63)", "'trailing  '"}},
	{"VARCHAR(300)", []string{"REPEAT('x',255)", "REPEAT('😀',300)", "'\\0'"}},
	{"VARCHAR(200) CHARACTER SET latin1", []string{"REPEAT('é',200)", "'abc'"}},
	{"VARCHAR(20) CHARACTER SET ucs2", []string{"'漢字'", "'a'"}},
	{"BINARY(5)", []string{"x'0000000000'", "'ab'", "x'FFFFFFFFFF'"}},
	{"VARBINARY(300)", []string{"''", "x'00'", "REPEAT(x'FF00',150)"}},
	{"TINYTEXT", []string{"''", "REPEAT('t',255)"}},
	{"TEXT", []string{"REPEAT('text',9000)", "'short'"}},
	{"MEDIUMTEXT", []string{"REPEAT('漢',30000)", "''"}},
	{"LONGTEXT", []string{"REPEAT('long',40000)", "'l'"}},
	{"TINYBLOB", []string{"x'00FF'", "REPEAT(x'00',255)"}},
	{"BLOB", []string{"REPEAT(x'80',65535)", "''"}},
	{"MEDIUMBLOB", []string{"REPEAT(x'8001',50000)", "x'00'"}},
	{"LONGBLOB", []string{"REPEAT(x'FE',70000)", "x'FE'"}},
	{"ENUM('a','b','漢','')", []string{"'a'", "'漢'", "''", "2"}},
	{"SET('a','b','c','d','e','f','g','h','i')", []string{"''", "'a,i'", "511"}},
	{"JSON", []string{`'{"a": [1, 2.5, null, true, "漢"], "b": {}}'`, "'[]'", "'1e400'"}},
	{"UUID", []string{"'6ccd780c-baba-1026-9564-0040f4311e29'", "'00000000-0000-0000-0000-000000000000'"}},
	{"INET4", []string{"'0.0.0.0'", "'255.255.255.255'"}},
	{"INET6", []string{"'::'", "'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'", "'::ffff:1.2.3.4'"}},
	{"POINT", []string{"ST_GeomFromText('POINT(1 -2.5)')", "ST_GeomFromText('POINT(0 0)', 4326)"}},
	{"GEOMETRY", []string{"ST_GeomFromText('POLYGON((0 0,0 1,1 1,0 0))')", "ST_GeomFromText('LINESTRING(0 0,1 1)')"}},
}

// TestEveryType copies every type from a MariaDB by the server under test to another MariaDB behind it, with and without a primary key, by each kind of
// row image, compressed and not.
func TestEveryType(t *testing.T) {
	p := startPair(t, "--log-bin-compress-min-len=10")
	last := peer.StartMariaDB(t, peer.Options{ServerID: 3})
	ldb := last.DB("")
	defer ldb.Close()
	peer.Exec(t, ldb, peer.ChangeMaster(p.replica, "MASTER_USE_GTID=slave_pos"), "START SLAVE")
	for n, image := range []string{"FULL", "MINIMAL", "NOBLOB", "FULL"} {
		compress, metadata := []string{"ON", "OFF"}[n%2], []string{"NO_LOG", "FULL", "MINIMAL", "MINIMAL"}[n]
		peer.Exec(t, p.pdb, "SET GLOBAL binlog_row_image="+image, "SET GLOBAL log_bin_compress="+compress, "SET GLOBAL binlog_row_metadata="+metadata)
		// These count for sessions that begin after them.
		fresh := p.primary.DB("")
		defineKinds(t, fresh, fmt.Sprintf("types%d_%s", n, strings.ToLower(image)))
		_ = fresh.Close()
	}
	p.requireEqual(t)
	peer.CatchUp(t, p.rdb, ldb)
	peer.RequireEqualContent(t, p.pdb, ldb)
}

// defineKinds makes a database with two tables for each kind, and a wide one with all.
func defineKinds(t *testing.T, pool queryer, name string) {
	t.Helper()
	exec := func(format string, args ...any) {
		t.Helper()
		if _, err := pool.ExecContext(t.Context(), fmt.Sprintf(format, args...)); err != nil {
			t.Fatalf(format+": %v", append(args, err)...)
		}
	}
	exec("CREATE DATABASE %s CHARACTER SET utf8mb4", name)
	var columns, lists [2][]string
	for i, k := range kinds {
		for _, key := range []string{"PRIMARY KEY", ""} {
			table := fmt.Sprintf("%s.t%d%s", name, i, strings.ToLower(strings.TrimSuffix(key, " KEY")))
			exec("CREATE TABLE %s (id INT %s, v %s, tail VARCHAR(10))", table, key, k.typ)
			for id, v := range append(k.values, "NULL") {
				exec("INSERT INTO %s VALUES (%d, %s, 'x')", table, 2*id, v)
				exec("INSERT INTO %s VALUES (%d, NULL, 'y'), (%d, %s, NULL)", table, 2*id+1, 2*id+100, v)
			}
			// From each value to another one, to NULL, and back; and of a row's other column alone.
			for id := range k.values {
				exec("UPDATE %s SET v = %s WHERE id = %d", table, k.values[(id+1)%len(k.values)], 2*id+100)
				exec("UPDATE %s SET v = %s WHERE id = %d", table, k.values[id], 2*id+1)
			}
			exec("UPDATE %s SET tail = 'changed' WHERE id >= 100", table)
			exec("UPDATE %s SET v = NULL WHERE id = 0", table)
			exec("DELETE FROM %s WHERE id = 100", table)
		}
		columns[i%2] = append(columns[i%2], fmt.Sprintf("c%d %s", i, k.typ))
		lists[i%2] = append(lists[i%2], k.values[0])
	}
	for half := range columns {
		table := fmt.Sprintf("%s.wide%d", name, half)
		exec("CREATE TABLE %s (id INT PRIMARY KEY, %s)", table, strings.Join(columns[half], ", "))
		exec("INSERT INTO %s VALUES (1, %s)", table, strings.Join(lists[half], ", "))
		exec("INSERT INTO %s (id) VALUES (2), (3)", table)
		exec("DELETE FROM %s WHERE id = 2", table)
		exec("UPDATE %s SET id = 4 WHERE id = 1", table)
	}
}

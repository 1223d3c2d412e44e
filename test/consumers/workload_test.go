package consumers

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// column is a column of the table that is followed, and what its values are.
type column struct{ name, definition, kind string }

var columns = []column{
	{"id", "INT NOT NULL PRIMARY KEY", "number"},
	{"ti", "TINYINT", "number"}, {"tu", "TINYINT UNSIGNED", "number"}, {"si", "SMALLINT", "number"}, {"mu", "MEDIUMINT UNSIGNED", "number"},
	{"i", "INT", "number"}, {"iu", "INT UNSIGNED", "number"}, {"bi", "BIGINT", "number"}, {"bu", "BIGINT UNSIGNED", "number"},
	{"f", "FLOAT", "single"}, {"d", "DOUBLE", "double"}, {"dc", "DECIMAL(14,3)", "number"}, {"bt", "BIT(10)", "bits"}, {"y", "YEAR", "number"},
	{"da", "DATE", "time"}, {"t0", "TIME", "time"}, {"t3", "TIME(3)", "time"}, {"dt", "DATETIME", "time"}, {"dt6", "DATETIME(6)", "time"},
	{"ts", "TIMESTAMP(3) NULL", "time"},
	{"ch", "CHAR(10)", "text"}, {"vc", "VARCHAR(300)", "text"}, {"vl", "VARCHAR(20) CHARACTER SET latin1", "text"}, {"tx", "TEXT", "text"},
	{"vb", "VARBINARY(20)", "bytes"}, {"bl", "BLOB", "bytes"},
	{"en", "ENUM('a','b','ö')", "text"}, {"se", "SET('x','y','z')", "set"}, {"js", "JSON", "json"},
}

// before are the statements that run before any consumer starts, after those that run between its two runs.
var (
	before = []string{
		"SET time_zone = '+00:00'",
		`INSERT INTO all_types VALUES (1, -128, 255, -32768, 16777215, -2147483648, 4294967295, -9223372036854775808, 18446744073709551615, 1.5, 0.1, -12345678901.125, b'1000000001', 2026,
			'2026-02-03', '-12:34:56', '100:59:58.999', '2026-02-03 04:05:06', '2026-02-03 04:05:06.123456', '2026-02-03 04:05:06.789',
			'ch', 'grün 😀', 'Ünder', 'a text', X'00ff27', X'deadbeef', 'ö', 'x,z', '{"a": [1, 2.5, "ü", null]}')`,
		"INSERT INTO all_types (id) VALUES (2)",
		`INSERT INTO all_types VALUES (3, 127, 0, 32767, 0, 2147483647, 0, 9223372036854775807, 0, -3.25, 1e100, 0, b'0', 1999,
			'1970-01-01', '00:00:00', '00:00:00.001', '1999-12-31 23:59:59', '1970-01-02 00:00:00.000001', '2038-01-01 00:00:00',
			'', '', '', '', X'', X'', 'a', '', '[]')`,
		"INSERT INTO all_types (id, vc) VALUES (4, 'goes'), (5, 'changes')",
		"DELETE FROM all_types WHERE id = 4",
		"UPDATE all_types SET vc = 'changed', bu = 9223372036854775808 WHERE id = 5",
		"INSERT INTO marker VALUES (1)",
	}
	after = []string{
		"SET time_zone = '+00:00'",
		"INSERT INTO all_types (id, tx, js) VALUES (6, REPEAT('long ', 10000), '{\"b\": true}')",
		"FLUSH BINARY LOGS",
		"BEGIN",
		"UPDATE all_types SET i = id, t0 = '01:02:03', en = 'b', se = 'y,z', bt = 5, dt6 = '2027-01-01 00:00:00.5' WHERE id < 4",
		"DELETE FROM all_types WHERE id = 5",
		"INSERT INTO all_types (id, bl, vb) VALUES (7, X'0001', X'80')",
		"COMMIT",
		"REPLACE INTO all_types (id, ti) VALUES (2, 9)",
		"INSERT INTO marker VALUES (2)",
	}
)

// expression reads a column from the server in a form that equal compares with.
func (c column) expression() string {
	switch c.kind {
	case "bytes":
		return "CONCAT('0x', HEX(" + c.name + "))"
	case "bits":
		return c.name + " + 0"
	}
	return c.name
}

// equal compares what a consumer has with what the server has. Languages write the same value in several
// ways; only that is forgiven.
func (c column) equal(want, got *string) bool {
	if want == nil || got == nil {
		return want == got
	}
	a, b := *want, *got
	switch c.kind {
	case "number":
		x, ok := new(big.Rat).SetString(a)
		y, ok2 := new(big.Rat).SetString(b)
		return ok && ok2 && x.Cmp(y) == 0
	case "single", "double":
		x, err := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		if c.kind == "single" { // six digits come from the server
			return err == nil && err2 == nil && math.Abs(x-y) <= math.Abs(x)*1e-5
		}
		return err == nil && err2 == nil && x == y
	case "bits":
		return bitsOf(a) == bitsOf(b)
	case "time":
		return trimTime(a) == trimTime(b)
	case "set":
		x, y := strings.Split(a, ","), strings.Split(b, ",")
		slices.Sort(x)
		slices.Sort(y)
		return slices.Equal(x, y)
	case "json":
		var x, y any
		return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(textOf(b)), &y) == nil && reflect.DeepEqual(x, y)
	case "text":
		return a == textOf(b)
	case "bytes":
		return strings.EqualFold(a, b) || a == "0x" && b == ""
	}
	return a == b
}

// bitsOf reads the number of a BIT: decimal, bytes, or ten binary digits.
func bitsOf(s string) int64 {
	base := 10
	if rest, ok := strings.CutPrefix(s, "0x"); ok {
		s, base = rest, 16
	} else if len(s) == 10 && strings.Trim(s, "01") == "" {
		base = 2
	}
	n, err := strconv.ParseInt(s, base, 64)
	if err != nil {
		return -1
	}
	return n
}

// trimTime takes the zeros off the end of the seconds, and what ISO 8601 writes otherwise.
func trimTime(s string) string {
	s = strings.TrimSuffix(strings.Replace(s, "T", " ", 1), "Z")
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// textOf takes bytes for what they are in UTF-8, where a consumer does not tell TEXT from BLOB.
func textOf(s string) string {
	if rest, ok := strings.CutPrefix(s, "0x"); ok {
		if b, err := hex.DecodeString(rest); err == nil {
			return string(b)
		}
	}
	return s
}

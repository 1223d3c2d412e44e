package binlogtool

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// everyType has a column of every type that both servers have.
var everyType = []string{
	"CREATE DATABASE IF NOT EXISTS alltypes",
	"USE alltypes",
	`CREATE TABLE every_type (
		id INT UNSIGNED NOT NULL PRIMARY KEY, i1 TINYINT, u1 TINYINT UNSIGNED, i2 SMALLINT, u2 SMALLINT UNSIGNED,
		i3 MEDIUMINT, u3 MEDIUMINT UNSIGNED, i4 INT, u4 INT UNSIGNED, i8 BIGINT, u8 BIGINT UNSIGNED,
		f FLOAT, d DOUBLE, n1 DECIMAL(1), n9 DECIMAL(9,9), n65 DECIMAL(65,30), b1 BIT(1), b12 BIT(12), b64 BIT(64),
		y YEAR, da DATE, ti TIME, ti1 TIME(1), ti3 TIME(3), ti6 TIME(6), dt DATETIME, dt2 DATETIME(2), dt4 DATETIME(4), dt6 DATETIME(6),
		ts TIMESTAMP NULL, ts3 TIMESTAMP(3) NULL, ts5 TIMESTAMP(5) NULL, ts6 TIMESTAMP(6) NULL,
		c CHAR(10), c255 CHAR(255), v VARCHAR(20), v300 VARCHAR(300), vl VARCHAR(20) CHARACTER SET latin1,
		bi BINARY(8), vb VARBINARY(300), tt TINYTEXT, tx TEXT, mt MEDIUMTEXT, lt LONGTEXT, tb TINYBLOB, bl BLOB, mb MEDIUMBLOB, lb LONGBLOB,
		e ENUM('red','green','it''s'), s SET('a','b','c','d','e','f','g','h','i'), j JSON)`,
	`INSERT INTO every_type VALUES (1, -128, 255, -32768, 65535, -8388608, 16777215, -2147483648, 4294967295, -9223372036854775808, 18446744073709551615,
		1.5, -2.5e300, -9, 0.123456789, -12345678901234567890123456789012345.123456789012345678901234567891, b'1', b'101010101010', b'1111',
		2155, '2024-02-29', '-838:59:59', '-00:00:00.1', '12:34:56.789', '-12:34:56.789012', '9999-12-31 23:59:59', '2000-01-01 00:00:00.12', '2000-01-01 00:00:00.1234', '1000-01-01 00:00:00.000001',
		'2038-01-19 03:14:07', '2001-09-09 01:46:40.123', '2001-09-09 01:46:40.12345', '2001-09-09 01:46:40.654321',
		'ünï  ', 'long', 'it''s', 'a longer 漢字 😀', 'é', x'0102', x'00FF007F80', 'tiny', REPEAT('text ',1000), 'medium', REPEAT('long',20000), x'00', 'blob', x'FFFE', x'0A0D09',
		'it''s', 'a,c,i', '{"a": [1, 2]}')`,
	"INSERT INTO every_type (id) VALUES (2)",
	`INSERT INTO every_type (id, i1, i2, i3, i4, i8, f, d, y, da, ti, dt, v, tx, e, s, b12) VALUES
		(3, 127, 32767, 8388607, 2147483647, 9223372036854775807, 0.1, 0.1, 1901, '1000-01-01', '838:59:59', '1000-01-01 00:00:00', '', '', 'red', '', b'0'),
		(4, -1, -1, -1, -1, -1, -1e-10, 1e-300, 2000, '9999-12-31', '00:00:00', '2026-01-01 12:00:00', 'line\nbreak\ttab', 'two\nlines', 'green', 'a', b'1')`,
	"UPDATE every_type SET i1 = 5, v = NULL, tx = 'changed' WHERE id IN (1, 3)",
	"SET SESSION binlog_row_image = MINIMAL",
	"UPDATE every_type SET i1 = 6 WHERE id = 1",
	"DELETE FROM every_type WHERE id = 3",
	"SET SESSION binlog_row_image = FULL",
	"DELETE FROM every_type WHERE id = 4",
}

// TestShowLikeMariaDB: "duramen binlog show" and mariadb-binlog -v show the same
// transactions, rows and values, of our log and of MariaDB's own.
func TestShowLikeMariaDB(t *testing.T) {
	peer.RequireMariaDB(t)
	t.Run("log of Duramen", func(t *testing.T) {
		s := peer.Start(t, peer.Options{Binlog: true})
		db := s.DB("")
		defer db.Close()
		session(t, db, peer.Definitions, false)
		session(t, db, everyType, true)
		compareTools(t, s, true)
	})
	t.Run("log of MariaDB", func(t *testing.T) {
		s := peer.StartMariaDB(t, peer.Options{Binlog: true})
		db := s.DB("")
		defer db.Close()
		session(t, db, peer.Definitions, false)
		session(t, db, everyType, true)
		session(t, db, []string{
			"SET GLOBAL binlog_row_metadata=FULL", "FLUSH BINARY LOGS", "USE alltypes",
			"UPDATE every_type SET u1 = 200 WHERE id = 1",
			"SET GLOBAL mysql56_temporal_format=OFF",
			"CREATE TABLE old_times (a TIME, b DATETIME, c TIMESTAMP NULL, p POINT, y YEAR)",
			"INSERT INTO old_times VALUES ('-12:34:56', '2001-02-03 04:05:06', '2001-02-03 04:05:06', POINT(1,2), 0), ('838:59:59', '9999-12-31 00:00:00', NULL, NULL, 1999)",
			"SET GLOBAL log_bin_compress=1, GLOBAL log_bin_compress_min_len=10",
			"INSERT INTO every_type (id, v300) VALUES (10, REPEAT('compress me ', 20))",
			"SET GLOBAL log_bin_compress=0", "SET GLOBAL binlog_checksum=NONE",
			"INSERT INTO every_type (id, v300) VALUES (11, 'without a checksum')",
			"FLUSH BINARY LOGS",
		}, true)
		compareTools(t, s, false)
		listed := duramen(t, 0, "binlog", "ls", s.Dir)
		if strings.Count(listed, "closed") < 3 || !strings.Contains(listed, "live") {
			t.Errorf("ls of MariaDB's directory:\n%s", listed)
		}
		duramen(t, 0, "binlog", "verify", s.Dir)
	})
}

// TestExitCodes: scripts go by them. The server runs meanwhile.
func TestExitCodes(t *testing.T) {
	s := peer.Start(t, peer.Options{Binlog: true})
	db := s.DB("")
	defer db.Close()
	session(t, db, []string{"CREATE DATABASE d", "CREATE TABLE d.t (a INT PRIMARY KEY)", "INSERT INTO d.t VALUES (1)", "FLUSH BINARY LOGS", "INSERT INTO d.t VALUES (2)"}, true)
	for _, args := range [][]string{{"ls"}, {"verify"}, {"show"}, {"show", "--json", "--table=d.t", "--gtid=0-1-3.."}} {
		duramen(t, 0, append(append([]string{"binlog"}, args...), s.Dir)...)
	}
	shown := duramen(t, 0, "binlog", "show", "--table=t", "--gtid=0-1-4", s.Dir)
	if !strings.Contains(shown, "### INSERT INTO `d`.`t`\n### SET\n###   `a`=2\n") || strings.Contains(shown, "0-1-3") {
		t.Errorf("the transaction 0-1-4 is shown as\n%s", shown)
	}
	for _, args := range [][]string{
		{"verify"}, {"verify", s.Dir + "/nothing"}, {"show", "--gtid=x", s.Dir}, {"show", "--from=binlog.000009", s.Dir},
		{"ls", "--basename=other", s.Dir}, {"list", s.Dir}, {"show", s.Dir + "/FORMAT"}, {"verify", "--nonsense", s.Dir},
	} {
		duramen(t, 2, append([]string{"binlog"}, args...)...)
	}
	s.Kill()
	duramen(t, 0, "binlog", "verify", s.Dir) // a crash is no damage
	first := filepath.Join(s.Dir, "binlog.000001")
	data, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-100] ^= 1
	if err := os.WriteFile(first, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if out := duramen(t, 1, "binlog", "verify", s.Dir); !strings.Contains(out, "damage: binlog.000001, offset ") {
		t.Errorf("verify says of a changed byte:\n%s", out)
	}
	duramen(t, 1, "binlog", "show", s.Dir)
}

func session(t *testing.T, db *sql.DB, statements []string, must bool) {
	t.Helper()
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, q := range statements {
		if _, err := conn.ExecContext(context.Background(), q); err != nil && must {
			t.Fatalf("%s\n: %v", q, err)
		}
	}
}

// duramen runs the command and checks its exit code.
func duramen(t *testing.T, code int, args ...string) string {
	t.Helper()
	cmd := exec.Command(peer.Binary(t), args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // by its exit code
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("duramen %s ended with %d, expected %d\n%s\n%s", strings.Join(args, " "), got, code, stdout.String(), stderr.String())
	}
	return stdout.String()
}

func compareTools(t *testing.T, s *peer.Server, live bool) {
	t.Helper()
	index, err := os.ReadFile(filepath.Join(s.Dir, "binlog.index"))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, name := range strings.Fields(string(index)) {
		path := filepath.Join(s.Dir, name)
		theirs, _ := tool(t, "--base64-output=decode-rows", "-vv", path)
		ours := duramen(t, 0, "binlog", "show", "--no-names", path)
		types := columnTypes(theirs)
		a, b := canonical(theirs, types, true), canonical(ours, types, false)
		if x, y := strings.Join(a, "\n"), strings.Join(b, "\n"); x != y {
			t.Errorf("%s: mariadb-binlog shows %d lines, duramen %d; %s", name, len(a), len(b), firstDifference(x, y))
		}
		inJSON := 0
		for line := range strings.Lines(duramen(t, 0, "binlog", "show", "--json", path)) {
			var rec struct{ Op string }
			if err := json.Unmarshal([]byte(line), &rec); err != nil {
				t.Fatalf("%s: %v in %s", name, err, line)
			}
			if rec.Op != "" {
				inJSON++
			}
		}
		inText := 0
		for _, line := range b {
			if regexp.MustCompile(`^### (INSERT|UPDATE|DELETE)`).MatchString(line) {
				inText++
			}
		}
		if inJSON != inText {
			t.Errorf("%s: %d rows in JSON, %d in text", name, inJSON, inText)
		}
		rows += inText
	}
	if rows < 50 {
		t.Errorf("only %d rows were compared", rows)
	}
	if live {
		duramen(t, 0, "binlog", "verify", s.Dir)
	}
}

var valueLine = regexp.MustCompile(`^###   @(\d+)=(.*?) */\* (\S+)[^*]*\*/$`)

// columnTypes are the types that mariadb-binlog -vv gives for the values, in order.
func columnTypes(out string) []string {
	var types []string
	for line := range strings.Lines(out) {
		if m := valueLine.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			types = append(types, m[3])
		}
	}
	return types
}

// canonical keeps the transactions, rows and values, in a notation that
// does not depend on the tool.
func canonical(out string, types []string, mariadb bool) []string {
	var list []string
	n := 0
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "###   @"):
			at, value, _ := strings.Cut(line, "=")
			if m := valueLine.FindStringSubmatch(line); mariadb && m != nil {
				at, value = "###   @"+m[1], m[2]
			}
			typ := ""
			if n < len(types) {
				typ = types[n]
			}
			n++
			list = append(list, fmt.Sprintf("%s=%s (%s)", at, canonicalValue(strings.TrimRight(value, " "), typ, mariadb), typ))
		case strings.HasPrefix(line, "### INSERT INTO"), strings.HasPrefix(line, "### UPDATE"), strings.HasPrefix(line, "### DELETE FROM"),
			line == "### SET", line == "### WHERE":
			list = append(list, line)
		case strings.HasPrefix(line, "#") && strings.Contains(line, "\tGTID "):
			_, g, _ := strings.Cut(line, "\tGTID ")
			list = append(list, "GTID "+strings.Fields(g)[0])
		}
	}
	return list
}

func canonicalValue(v, typ string, mariadb bool) string {
	switch {
	case v == "NULL":
	case typ == "FLOAT": // mariadb-binlog prints six digits
		f, err := strconv.ParseFloat(v, 32)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%.6g", float32(f))
	case typ == "DOUBLE":
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(f)
	case typ == "YEAR" && v == "1900": // what mariadb-binlog prints for 0000
		return "0000"
	case strings.HasPrefix(v, "'"):
		return fmt.Sprintf("%q", unescape(v, mariadb))
	}
	return v
}

// unescape gives the bytes of a quoted value. mariadb-binlog escapes only control characters.
func unescape(v string, mariadb bool) string {
	v = strings.TrimSuffix(v[1:], "'")
	var b strings.Builder
	for i := 0; i < len(v); i++ {
		if v[i] != '\\' || i+1 == len(v) {
			b.WriteByte(v[i])
			continue
		}
		if c, err := strconv.ParseUint(v[min(i+2, len(v)):min(i+4, len(v))], 16, 8); err == nil && v[i+1] == 'x' {
			b.WriteByte(byte(c))
			i += 3
			continue
		}
		if !mariadb {
			i++
		}
		b.WriteByte(v[i])
	}
	return b.String()
}

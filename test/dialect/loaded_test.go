package dialect

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"

	"github.com/duramendb/duramen/test/peer"
)

// loadedCase is a table, a file and a LOAD DATA of it.
type loadedCase struct {
	mode, create, there string
	file                []byte
	load                string // behind INFILE and its name
}

// TestLoadedLines draws tables and files, and asks a real MariaDB and SQL of our own what becomes of them.
func TestLoadedLines(t *testing.T) {
	peer.RequireMariaDB(t)
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var conns []*client.Conn
	for _, kind := range []peer.Kind{peer.MariaDB, peer.Duramen} {
		s := peer.Start(t, peer.Options{Kind: kind, Args: []string{"--secure-file-priv=" + dir}})
		c := dialTo(t, s, "root")
		for _, q := range []string{"CREATE DATABASE d CHARACTER SET utf8mb4", "USE d", "SET NAMES utf8mb4", "SET timestamp=1700000000"} {
			must(t, c, q)
		}
		conns = append(conns, c)
	}
	must(t, conns[1], "SET native_sql='ONLY'")
	rnd := rand.New(rand.NewPCG(1, 7))
	for n := range 250 {
		l := drawLoad(rnd)
		file := filepath.Join(dir, fmt.Sprint("file", n))
		if err := os.WriteFile(file, l.file, 0o644); err != nil {
			t.Fatal(err)
		}
		var answers []string
		for _, c := range conns {
			answers = append(answers, loaded(t, c, l, file))
		}
		if answers[0] != answers[1] {
			t.Errorf("sql_mode=%q %s; %s\nLOAD DATA INFILE %s\n%q\nMariaDB: %s\nours:    %s", l.mode, l.create, l.there, l.load, l.file, answers[0], answers[1])
		}
	}
}

// loaded is what a server says of a case: what came of the statement, its warnings, the rows.
func loaded(t *testing.T, c *client.Conn, l loadedCase, file string) string {
	t.Helper()
	for _, q := range []string{"DROP TABLE IF EXISTS t", "SET sql_mode=''", l.create, l.there, "SET sql_mode='" + l.mode + "'"} {
		must(t, c, q)
	}
	var out strings.Builder
	res, err := c.Execute("LOAD DATA INFILE '" + file + "' " + l.load)
	var e *mysql.MyError
	switch {
	case errors.As(err, &e):
		fmt.Fprintf(&out, "%d %s", e.Code, e.Message)
	case err != nil:
		t.Fatal(err)
	default:
		fmt.Fprintf(&out, "%d rows, %d warnings", res.AffectedRows, res.Warnings)
		out.WriteString(shownRows(t, c, "SHOW WARNINGS"))
	}
	out.WriteString(shownRows(t, c, "SELECT * FROM t ORDER BY 1, 2, 3"))
	return out.String()
}

func shownRows(t *testing.T, c *client.Conn, q string) string {
	t.Helper()
	res, err := c.Execute(q)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, row := range res.Values {
		out.WriteString("\n\t")
		for _, v := range row {
			if b, ok := v.Value().([]byte); ok {
				fmt.Fprintf(&out, "%q ", b)
			} else {
				fmt.Fprintf(&out, "%v ", v.Value())
			}
		}
	}
	return out.String()
}

var (
	loadedTypes = []string{
		"INT", "INT NOT NULL DEFAULT 7", "TINYINT", "TINYINT UNSIGNED NOT NULL DEFAULT 1", "BIGINT UNSIGNED", "DECIMAL(6,2)", "DOUBLE NOT NULL DEFAULT 2",
		"VARCHAR(5)", "VARCHAR(10) NOT NULL DEFAULT 'd'", "CHAR(4)", "CHAR(6) CHARACTER SET latin1", "TEXT", "BINARY(3)", "BLOB", "DATE",
		"DATE NOT NULL DEFAULT '2020-01-02'", "DATETIME(3)", "TIMESTAMP NULL", "TIMESTAMP NOT NULL DEFAULT '2020-01-01 00:00:00'", "TIME(2)", "YEAR",
		"ENUM('a','b')", "ENUM('a','b') NOT NULL DEFAULT 'b'", "SET('x','y')",
	}
	loadedValues = []string{
		"1", "0", "-1", "300", "99999", "12345678901234567890", "1.5", "1.555", "abc", "", " ", "a", "b", "x", "a ", "abcdefgh", "abcd   ", "2024-02-30", "2024-02-29",
		"2024-02-29 12:34:56.789", "12:34:56", "900:00:00", "70", `\N`, "NULL", `\\`, `a\tb`, `a\nb`, "täg", "日本", "12abc", " 5", "0000-00-00", "N",
	}
	loadedFormats = []struct{ clause, field, line, enclosed, start string }{
		{"", "\t", "\n", "", ""},
		{"FIELDS TERMINATED BY ','", ",", "\n", "", ""},
		{`FIELDS TERMINATED BY ',' ENCLOSED BY '"'`, ",", "\n", `"`, ""},
		{`FIELDS TERMINATED BY ';' OPTIONALLY ENCLOSED BY '"' LINES TERMINATED BY '\r\n'`, ";", "\r\n", `"`, ""},
		{`FIELDS TERMINATED BY '||' LINES STARTING BY '>>' TERMINATED BY '#\n'`, "||", "#\n", "", ">>"},
		{"FIELDS ESCAPED BY ''", "\t", "\n", "", ""},
	}
)

func pick[T any](rnd *rand.Rand, of []T) T { return of[rnd.IntN(len(of))] }

func drawLoad(rnd *rand.Rand) loadedCase {
	var l loadedCase
	l.mode = pick(rnd, []string{"", "STRICT_TRANS_TABLES", "STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE", "NO_AUTO_VALUE_ON_ZERO"})
	id := pick(rnd, []string{"INT AUTO_INCREMENT PRIMARY KEY", "INT PRIMARY KEY DEFAULT 0", "INT"})
	columns := []string{"id", "a", "b"}
	l.create = fmt.Sprintf("CREATE TABLE t (id %s, a %s, b %s)", id, pick(rnd, loadedTypes), pick(rnd, loadedTypes))
	l.there = "INSERT INTO t (id) VALUES (2), (3)"
	f := pick(rnd, loadedFormats)
	if rnd.IntN(3) == 0 {
		rnd.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
		columns = columns[:1+rnd.IntN(len(columns))]
	}
	var file bytes.Buffer
	for range rnd.IntN(6) {
		var fields []string
		for _, c := range columns {
			v := pick(rnd, loadedValues)
			if c == "id" && rnd.IntN(4) > 0 {
				v = pick(rnd, []string{"1", "2", "3", "4", "5", `\N`, "0"})
			}
			if f.enclosed != "" && rnd.IntN(2) == 0 {
				v = f.enclosed + v + f.enclosed
			}
			fields = append(fields, v)
		}
		switch rnd.IntN(10) {
		case 0:
			fields = fields[:rnd.IntN(len(fields))]
		case 1:
			fields = append(fields, "more")
		}
		file.WriteString(f.start + strings.Join(fields, f.field) + f.line)
	}
	l.file = file.Bytes()
	list := ""
	if len(columns) < 3 || columns[0] != "id" || columns[1] != "a" {
		list = "(" + strings.Join(columns, ", ") + ")"
	}
	l.load = strings.Join([]string{
		pick(rnd, []string{"", "IGNORE", "REPLACE"}), "INTO TABLE t", pick(rnd, []string{"", "CHARACTER SET utf8mb4", "CHARACTER SET binary"}), f.clause,
		pick(rnd, []string{"", "", "IGNORE 1 LINES"}), list,
	}, " ")
	return l
}

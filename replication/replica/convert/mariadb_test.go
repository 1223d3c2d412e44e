package convert_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/test/peer"
)

// With -rewrite a real MariaDB is asked what each type becomes in each other one, and testdata/conversions records it:
//
//	go test -tags gms_pure_go ./replication/replica/convert -run TestMariaDB -rewrite
//
// It says so by its BINLOG statement, which applies events as a replica does, and by what it then logs: the row in the other table's format.
var rewrite = flag.Bool("rewrite", false, "record MariaDB's answers in testdata")

const recordedFile = "testdata/conversions"

// values of columns of a family, as SQL.
var (
	small    = []string{"0", "1", "-1", "100", "-128", "127"}
	natural  = []string{"0", "1", "100", "127", "128", "255"}
	integers = append([]string{"128", "255", "-300", "300", "32767", "-32768"}, small...)
	wide     = append([]string{"65535", "-65536", "8388607", "-8388608"}, integers...)
	wider    = append([]string{"16777215", "2147483647", "-2147483648"}, wide...)
	unsigned = append([]string{"300", "65535"}, natural...)
	floats   = []string{"0", "1", "-1", "0.5", "-0.5", "1.25", "1.005", "2.675", "123456.789", "-99999.995", "1e10", "-3e15", "1e-3", "16777217"}
	texts    = []string{"''", "'a'", "'abc'", "'abcde'"}
	octets   = append([]string{"x'00'", "x'610000'", "'a  '", "x'e9'"}, texts...)
	moments  = []string{"'2020-02-29 12:34:56.789123'", "'1999-12-31 23:59:59.999999'", "'2038-01-01 00:00:00'", "'1970-01-02 00:00:01.5'"}
	times    = []string{"'00:00:00'", "'12:34:56.789123'", "'-12:34:56.789123'", "'-00:00:00.5'", "'838:59:59'", "'-838:59:59'", "'-00:00:59.999999'"}
)

// Types with many members, by shorter names.
const manyEnum, nineSet, fortySet = "enum of 300", "set of 9", "set of 40"

var long = map[string]string{manyEnum: "enum(" + members(300) + ")", nineSet: "set(" + members(9) + ")", fortySet: "set(" + members(40) + ")"}

// columnTypes are the types that are compared, each with each.
var columnTypes = []struct {
	sql    string
	values []string
}{
	{"tinyint", small}, {"tinyint unsigned", natural}, {"smallint", integers}, {"smallint unsigned", unsigned},
	{"mediumint", wide}, {"mediumint unsigned", append([]string{"16777215"}, unsigned...)},
	{"int", wider}, {"int unsigned", append([]string{"16777215", "4294967295", "2147483648"}, unsigned...)},
	{"bigint", append([]string{"4294967295", "-4294967297", "9223372036854775807", "-9223372036854775808"}, wider...)},
	{"bigint unsigned", append([]string{"4294967295", "9223372036854775808", "18446744073709551615"}, unsigned...)},
	{"float", floats}, {"double", append([]string{"1e300", "-1e300", "0.1", "1e-320", "3.4028235e38"}, floats...)}, {"double unsigned", []string{"0", "1.5", "3e9"}},
	{"decimal(10,2)", []string{"0", "1", "-1", "0.01", "-0.01", "12345678.99", "-99999999.99", "0.05", "1.25", "-1.25"}},
	{"decimal(12,2)", []string{"0", "1", "-1.99", "9999999999.99", "-9999999999.99"}}, {"decimal(12,4)", []string{"0", "1.0049", "1.0050", "-1.0050", "12345678.9999"}},
	{"decimal(5,0)", []string{"0", "99999", "-99999"}}, {"decimal(12,9)", []string{"0.123456789", "-999.999999999", "1.5"}}, {"decimal(10,2) unsigned", []string{"0", "1.5"}},
	{"decimal(65,30)", []string{"1", "-12345678901234567890123456789012345.123456789012345678901234567890", "0.000000000000000000000000000001"}},
	{"char(5) character set latin1", texts}, {"char(20) character set latin1", append([]string{"'abcdefghijklmnop'", "'ab d f    '", "x'6162e9'"}, texts...)},
	{"char(5) character set utf8mb4", append([]string{"'äöü€é'"}, texts...)}, {"char(100) character set utf8mb4", append([]string{"repeat('€',90)"}, texts...)},
	{"varchar(5) character set latin1", octets}, {"varchar(20) character set latin1", append([]string{"'abcdefghijklmnop'", "'abc      '", "'abcde     '", "'abcd      x'"}, octets...)},
	{"varchar(5) character set utf8mb4", append([]string{"'äöü€é'", "'abcd€'", "'a    '"}, texts...)}, {"varchar(300) character set latin1", append([]string{"repeat('x',260)"}, octets...)},
	{"varchar(100) character set utf8mb3", append([]string{"repeat('€',90)", "'abcd€fg'"}, texts...)}, {"varchar(10) character set ucs2", texts}, {"varchar(5) character set cp1251", texts},
	{"binary(5)", octets[1:]}, {"binary(20)", append([]string{"'abcdefghijklmnop'"}, octets...)}, {"varbinary(5)", octets}, {"varbinary(20)", append([]string{"'abcdefghijklmnop'"}, octets...)}, {"varbinary(300)", append([]string{"repeat('x',260)"}, octets...)},
	{"tinytext character set latin1", octets}, {"text character set latin1", append([]string{"repeat('x',260)"}, octets...)}, {"text character set utf8mb4", append([]string{"repeat('€',90)", "'abcd€fg'"}, texts...)},
	{"mediumtext character set utf8mb4", texts}, {"longtext character set utf8mb4", texts},
	{"tinyblob", octets}, {"blob", append([]string{"repeat('x',260)"}, octets...)}, {"longblob", append([]string{"repeat('x',260)"}, octets...)}, {"json", []string{"'1'", "'{\"a\":1}'"}},
	{"bit(1)", []string{"0", "1"}}, {"bit(8)", []string{"0", "1", "255", "128"}}, {"bit(9)", []string{"0", "1", "511", "256"}}, {"bit(12)", []string{"0", "1", "4095", "2048", "256"}}, {"bit(64)", []string{"0", "1", "18446744073709551615", "4096"}},
	{"enum('a','b','c')", []string{"'a'", "'c'", "0"}}, {"enum('c','b')", []string{"'c'", "'b'"}}, {manyEnum, []string{"'m1'", "'m255'", "'m256'", "'m300'"}},
	{"set('a','b','c')", []string{"'a'", "'a,c'", "''"}}, {"set('x','y')", []string{"'x,y'", "''"}}, {nineSet, []string{"'m1'", "'m9'", "'m1,m2,m3,m4,m5,m6,m7,m8,m9'"}}, {fortySet, []string{"'m1'", "'m40,m9'", "'m2'"}},
	{"year", []string{"0", "1901", "2155", "2020"}}, {"date", []string{"'2020-02-29'", "'0000-00-00'", "'1000-00-00'", "'9999-12-31'"}},
	{"time", times}, {"time(1)", times}, {"time(2)", times}, {"time(4)", times}, {"time(6)", times},
	{"datetime", append([]string{"'0000-00-00'", "'9999-12-31 23:59:59'"}, moments...)}, {"datetime(2)", moments}, {"datetime(3)", moments}, {"datetime(6)", append([]string{"'0000-00-00'", "'9999-12-31 23:59:59.999999'"}, moments...)},
	{"timestamp", append([]string{"'0000-00-00'"}, moments...)}, {"timestamp(2)", moments}, {"timestamp(6)", append([]string{"'0000-00-00'"}, moments...)},
	{"old time", times}, {"old datetime", moments}, {"old timestamp", moments},
	{"inet6", []string{"'::1'", "'abcd::'"}}, {"uuid", []string{"'123e4567-e89b-12d3-a456-426655440000'"}}, {"point", []string{"point(1,2)"}}, {"geometry", []string{"point(1,2)"}},
}

func members(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("'m%d'", i+1)
	}
	return strings.Join(names, ",")
}

// modes are the values of slave_type_conversions.
var modes = []string{"", "ALL_LOSSY", "ALL_NON_LOSSY", "ALL_LOSSY,ALL_NON_LOSSY"}

// asked is a MariaDB that applies events.
type asked struct {
	t      *testing.T
	server *peer.Server
	conn   *sql.Conn
	format []byte // its format description
}

func (a *asked) exec(statement string) {
	a.t.Helper()
	if _, err := a.conn.ExecContext(context.Background(), statement); err != nil {
		a.t.Fatalf("%.200s: %v", statement, err)
	}
}

// log decodes its only log file.
func (a *asked) log() []event.Event {
	a.t.Helper()
	b, err := os.ReadFile(filepath.Join(a.server.Dir, "binlog.000001"))
	if err != nil {
		a.t.Fatal(err)
	}
	var out []event.Event
	var d event.Decoder
	for b = b[4:]; len(b) > 0; {
		ev, rest, err := event.Next(b)
		if err != nil {
			a.t.Fatal(err)
		}
		if a.format == nil {
			a.format = ev
		}
		e, err := d.Decode(ev)
		if err != nil {
			a.t.Fatal(err)
		}
		out = append(out, e)
		b = rest
	}
	return out
}

// logged are the rows that were inserted into tables of a database, by table, with the newest map of each.
func (a *asked) logged(db string) (rows [][]byte, maps []*event.TableMapInfo) {
	a.t.Helper()
	var m *event.TableMapInfo
	for _, e := range a.log() {
		switch b := e.Body.(type) {
		case *event.TableMapInfo:
			m = b
		case *event.RowsInfo:
			if m.Schema != db {
				continue
			}
			rows, maps = append(rows, b.Rows), append(maps, m)
		}
	}
	return rows, maps
}

// apply has it apply rows, and returns the number of its error, or 0.
func (a *asked) apply(m event.TableMapInfo, rows []byte, mode string) (number uint16) {
	a.t.Helper()
	m.Metadata = event.RowMetadataNoLog
	m.Flags = 0
	evs := event.AppendTableMap(nil, event.Meta{ServerID: 9}, &m)
	evs = event.AppendRows(evs, event.Meta{ServerID: 9}, &event.RowsInfo{TableID: m.TableID, Flags: event.RowsStmtEnd, Kind: event.WriteRowsV1, Columns: len(m.Columns), Rows: rows})
	if err := event.Finalize(evs, 4); err != nil {
		a.t.Fatal(err)
	}
	if _, err := a.conn.ExecContext(context.Background(), "set global slave_type_conversions='"+mode+"'"); err != nil {
		a.t.Fatal(err)
	}
	text := base64.StdEncoding.EncodeToString(a.format) + "\n"
	for len(evs) > 0 {
		ev, rest, err := event.Next(evs)
		if err != nil {
			a.t.Fatal(err)
		}
		text += base64.StdEncoding.EncodeToString(ev) + "\n"
		evs = rest
	}
	_, err := a.conn.ExecContext(context.Background(), "BINLOG '"+text+"'")
	if err == nil {
		return 0
	}
	var e *driver.MySQLError
	if !errors.As(err, &e) {
		a.t.Fatal(err)
	}
	return e.Number
}

func startAsked(t *testing.T) *asked {
	s := peer.StartMariaDB(t, peer.Options{Binlog: true, Args: []string{"--binlog-row-metadata=FULL", "--default-time-zone=+00:00", "--sync-binlog=0", "--innodb-flush-log-at-trx-commit=0", "--max-binlog-size=1073741824", "--log-warnings=0", "--sql-mode="}})
	db := s.DB("")
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = conn.Close(), db.Close() })
	a := &asked{t: t, server: s, conn: conn}
	a.log()
	a.exec("create database s")
	a.exec("create database d")
	return a
}

// typeError is what its log says of types that do not fit.
var typeError = regexp.MustCompile(`Column 0 of table 'd\.t(\d+)' cannot be converted from type '(.*)' to type '(.*)', Internal MariaDB error code: 1677`)

func TestMariaDBRecord(t *testing.T) {
	if !*rewrite {
		t.Skip("only with -rewrite")
	}
	a := startAsked(t)
	shown := make([]string, len(columnTypes))
	for i, c := range columnTypes {
		name, old := strings.CutPrefix(c.sql, "old ")
		if l := long[name]; l != "" {
			name = l
		}
		a.exec(fmt.Sprintf("set global mysql56_temporal_format=%t", !old))
		for _, db := range []string{"s", "d"} {
			a.exec(fmt.Sprintf("create table %s.t%d (c %s null) engine=innodb", db, i, name))
		}
		if err := a.conn.QueryRowContext(context.Background(), "select column_type from information_schema.columns where table_schema='d' and table_name=?", fmt.Sprintf("t%d", i)).Scan(&shown[i]); err != nil {
			t.Fatal(err)
		}
		for _, v := range c.values {
			a.exec(fmt.Sprintf("insert ignore into s.t%d values (%s)", i, v))
		}
	}
	a.exec("set global mysql56_temporal_format=1")
	images := make([][][]byte, len(columnTypes))
	maps := make([]*event.TableMapInfo, len(columnTypes))
	rows, rowMaps := a.logged("s")
	for i, r := range rows {
		images[tableNumber(t, rowMaps[i])], maps[tableNumber(t, rowMaps[i])] = append(images[tableNumber(t, rowMaps[i])], r), rowMaps[i]
	}
	// What it logs is found by its place among all rows that it has logged, as only what has succeeded is there.
	var answers [][]string
	var todo []func(logged [][]byte)
	places := 0
	var pairs [][2]int
	for from := range columnTypes {
		for to := range columnTypes {
			m := *maps[from]
			m.Schema, m.Table = "d", fmt.Sprintf("t%d", to)
			answer := make([]string, len(modes))
			for mode := range modes {
				texts := make([]string, len(images[from]))
				for v, image := range images[from] {
					switch n := a.apply(m, image, modes[mode]); n {
					case 0:
						place := places
						places++
						todo = append(todo, func(logged [][]byte) { texts[v] = result(t, maps[to], image, logged[place]) })
					case 1105: // the types: it says so for the first value as for the others
						answer[mode] = "1677"
					default:
						texts[v] = fmt.Sprint("!", n)
					}
					if answer[mode] != "" {
						break
					}
				}
				if answer[mode] != "1677" {
					todo = append(todo, func([][]byte) { answer[mode] = joined(texts) })
				}
			}
			answers = append(answers, answer)
			pairs = append(pairs, [2]int{from, to})
		}
	}
	logged, _ := a.logged("d")
	if len(logged) != places {
		t.Fatalf("%d answers, %d rows events", places, len(logged))
	}
	for _, do := range todo {
		do(logged)
	}
	names := a.names(pairs, answers)
	for i, c := range columnTypes {
		if l := long[c.sql]; l != "" { // its name is the text of its definition
			shown[i], names[i][2] = "", ""
		}
	}
	var out bytes.Buffer
	for i, c := range columnTypes {
		m := maps[i].Columns[0]
		fmt.Fprintf(&out, "type\t%s\t%d\t%d\t%t\t%d\t%s\t%s\t%s\t%s\n", c.sql, m.Type, m.Meta, m.Unsigned, m.Charset, shown[i], names[i][0], names[i][1], names[i][2])
		fmt.Fprint(&out, "values")
		for _, image := range images[i] {
			fmt.Fprintf(&out, "\t%s", hex.EncodeToString(image[1:]))
		}
		out.WriteString("\n")
	}
	for i, answer := range answers {
		if strings.Join(answer, "") == strings.Repeat("1677", len(modes)) {
			continue // what is not here is never allowed
		}
		fmt.Fprintf(&out, "pair\t%s\t%s", columnTypes[pairs[i][0]].sql, columnTypes[pairs[i][1]].sql)
		for mode, text := range answer {
			if mode > 0 && text == answer[mode-1] {
				text = "\""
			}
			fmt.Fprintf(&out, "\t%s", text)
		}
		out.WriteString("\n")
	}
	if err := os.WriteFile(recordedFile, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func tableNumber(t *testing.T, m *event.TableMapInfo) (n int) {
	if _, err := fmt.Sscanf(m.Table, "t%d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// result is the value that it made of another one, "=" if that has the same bytes.
func result(t *testing.T, to *event.TableMapInfo, image, logged []byte) string {
	n, err := event.ImageSize(to.Columns, nil, logged)
	switch {
	case err != nil:
		t.Fatal(err)
	case n < len(logged): // it took what is left of a value that it has not read to its end for another row
		return "!misread"
	case logged[0]&1 == 1:
		return "NULL"
	case bytes.Equal(logged, image):
		return "="
	}
	return hex.EncodeToString(logged[1:n])
}

func joined(texts []string) string {
	if strings.Trim(strings.Join(texts, ""), "=") == "" {
		return "="
	}
	return strings.Join(texts, " ")
}

// names are the names of types in its errors: as that of the primary's column where this server's has a character set or is no string, where it has none, and as that of this server's.
func (a *asked) names(pairs [][2]int, answers [][]string) [][3]string {
	logText, err := os.ReadFile(a.server.Log)
	if err != nil {
		a.t.Fatal(err)
	}
	said := typeError.FindAllStringSubmatch(string(logText), -1)
	names := make([][3]string, len(columnTypes))
	set := func(name *string, to string) {
		if *name != "" && *name != to {
			a.t.Errorf("a type is called %s and %s", *name, to)
		}
		*name = to
	}
	for i, answer := range answers {
		from, to := pairs[i][0], pairs[i][1]
		for _, text := range answer {
			if text != "1677" {
				continue
			}
			kind := 0
			if isBinary.MatchString(columnTypes[to].sql) {
				kind = 1
			}
			if said[0][1] != fmt.Sprint(to) {
				a.t.Fatalf("%s to %s: its log has %v", columnTypes[from].sql, columnTypes[to].sql, said[0])
			}
			set(&names[from][kind], said[0][2])
			set(&names[to][2], said[0][3])
			said = said[1:]
		}
	}
	if len(said) > 0 {
		a.t.Errorf("%d errors more than expected", len(said))
	}
	return names
}

// isBinary matches strings without a character set.
var isBinary = regexp.MustCompile("binary|blob|inet6|uuid|point|geometry")

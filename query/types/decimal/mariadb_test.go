package decimal_test

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"

	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/test/peer"
)

// With -rewrite the tests that ask a MariaDB record its answers, which the tests without a server compare with:
//
//	go test -tags gms_pure_go ./query/types/decimal -run TestMariaDB -rewrite
var (
	rewrite = flag.Bool("rewrite", false, "record MariaDB's answers in testdata")
	seed    = flag.Uint64("seed", recordedSeed, "draw other expressions and values than the recorded ones")
	count   = flag.Int("count-expressions", liveExpressions, "how many expressions to ask")
)

const (
	recordedSeed        = 11
	liveExpressions     = 5000
	recordedExpressions = 1500
	expressionsPerBlock = 250 // have one div_precision_increment
	depthMax            = 4
)

var increments = []int{4, 0, 4, 9, 4, 30, 1, 4, 13}

// columns of the table that expressions name, and its rows, as they are given to the server and clipped by both.
var columns = []struct {
	name             string
	precision, scale int
	unsigned         bool
}{
	{"c0", 12, 2, false}, {"c1", 30, 10, false}, {"c2", 38, 38, false}, {"c3", 65, 0, false}, {"c4", 65, 30, false}, {"c5", 38, 20, false}, {"c6", 18, 9, false}, {"c7", 3, 1, false}, {"c8", 65, 38, false}, {"c9", 19, 0, false}, {"u0", 20, 5, true}, {"u1", 9, 0, true},
}

var rowsGiven = []string{
	"0", "1", "-1", "0.5", "-0.5", "12345678.905", "-99999999999999999999999999999999999999999999999999999999999999999.9", "0.000000000000000000000000001",
	"123456789123456789.123456789123456789", "-999999999.999999999", "4999999999.5", "99.95",
}

// tableOfColumns returns the statements that make the table, and the rows as they are then read: through the packed format.
func tableOfColumns(t testing.TB) (create []string, types map[string]decimal.Type, rows []rowOf) {
	var defs, names []string
	types = map[string]decimal.Type{}
	for _, c := range columns {
		def := fmt.Sprintf("%s DECIMAL(%d,%d)", c.name, c.precision, c.scale)
		if c.unsigned {
			def += " UNSIGNED"
		}
		defs = append(defs, def)
		names = append(names, c.name)
		types[c.name] = decimal.Type{Precision: c.precision, Scale: c.scale, Unsigned: c.unsigned}
	}
	create = []string{
		"CREATE DATABASE IF NOT EXISTS d", "USE d", "DROP TABLE IF EXISTS c", "SET sql_mode=''",
		"CREATE TABLE c (id INT PRIMARY KEY, " + strings.Join(defs, ", ") + ")",
	}
	for i, text := range rowsGiven {
		vals := make([]string, len(columns))
		row := rowOf{}
		for k, c := range columns {
			vals[k] = "'" + text + "'"
			p, err := decimal.NewPacked(c.precision, c.scale)
			if err != nil {
				t.Fatal(err)
			}
			d, _, _ := decimal.Parse([]byte(text))
			d, _ = d.Assign(c.precision, c.scale, c.unsigned)
			b, _ := p.Append(nil, d)
			if row[c.name], err = p.Decode(b); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, row)
		create = append(create, fmt.Sprintf("INSERT INTO c (id, %s) VALUES (%d, %s)", strings.Join(names, ", "), i, strings.Join(vals, ", ")))
	}
	return create, types, rows
}

// question is an expression with what it is asked under.
type question struct {
	e         *expression
	increment int
	row       int
}

func (q *question) sql() string {
	return fmt.Sprintf("SELECT %s FROM c WHERE id=%d", q.e.sql(), q.row)
}

func questions(n int, seed uint64) []question {
	g := &generator{rnd: rand.New(rand.NewPCG(seed, 10))}
	for _, c := range columns {
		g.cols = append(g.cols, c.name)
	}
	fixed := fixedExpressions()
	all := make([]question, n)
	for i := range all {
		q := question{increment: increments[i/expressionsPerBlock%len(increments)], row: g.rnd.IntN(len(rowsGiven))}
		if i < len(fixed) {
			q.e = fixed[i]
		} else {
			q.e = g.root(1 + g.rnd.IntN(depthMax))
		}
		all[i] = q
	}
	return all
}

const recordFile = "expressions.tsv"

// TestRecorded compares with the recorded answers of a MariaDB 10.11.19.
func TestRecorded(t *testing.T) {
	if *rewrite {
		t.Skip("-rewrite records MariaDB's answers")
	}
	f, err := os.Open(filepath.Join("testdata", recordFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, types, rows := tableOfColumns(t)
	lines := bufio.NewScanner(f)
	for i, q := range questions(recordedExpressions, recordedSeed) {
		if !lines.Scan() {
			t.Fatalf("%s ends at expression %d", recordFile, i)
		}
		parts := strings.Split(lines.Text(), "\t")
		if len(parts) != 4 || parts[0] != q.sql() {
			t.Fatalf("%s, line %d is not about %s: record it again (-rewrite)", recordFile, i+1, q.sql())
		}
		want := answer{text: parts[1]}
		want.length, _ = strconv.Atoi(parts[2])
		want.decimals, _ = strconv.Atoi(parts[3])
		v := evaluation{increment: q.increment, row: rows[q.row], types: types}
		if got := v.answer(q.e); got != want {
			t.Errorf("increment %d: %s\n got %v\nwant %v", q.increment, q.sql(), got, want)
		}
	}
}

// TestMariaDBExpressions asks a real server.
func TestMariaDBExpressions(t *testing.T) {
	conn := connect(t)
	create, types, rows := tableOfColumns(t)
	execute(t, conn, create...)
	var record strings.Builder
	kinds := map[string]int{}
	increment, wrong := -1, 0
	for i, q := range questions(*count, *seed) {
		if q.increment != increment {
			increment = q.increment
			execute(t, conn, "SET div_precision_increment="+strconv.Itoa(increment))
		}
		want := ask(t, conn, q.sql())
		if i < recordedExpressions {
			fmt.Fprintf(&record, "%s\t%s\t%d\t%d\n", q.sql(), want.text, want.length, want.decimals)
		}
		v := evaluation{increment: q.increment, row: rows[q.row], types: types}
		got := v.answer(q.e)
		switch {
		case got == want:
			kinds["equal"]++
			switch {
			case want.text == "NULL" || want.text == "E1690":
				kinds[want.text]++
			case len(want.text) > 40:
				kinds["long"]++
			}
			continue
		case got.text == want.text:
			kinds["metadata differ"]++
		default:
			kinds["text differs"]++
		}
		if wrong++; wrong <= 40 {
			t.Errorf("increment %d: %s\n got %v\nwant %v", q.increment, q.sql(), got, want)
		}
	}
	t.Logf("%d expressions: %v", *count, kinds)
	if wrong > 0 {
		t.Errorf("%d differ", wrong)
	}
	if *rewrite && *seed == recordedSeed {
		if err := os.WriteFile(filepath.Join("testdata", recordFile), []byte(record.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func connect(t *testing.T) *client.Conn {
	server := peer.StartMariaDB(t, peer.Options{})
	conn, err := client.Connect(server.Addr(), "root", "", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func execute(t *testing.T, conn *client.Conn, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := conn.Execute(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func ask(t *testing.T, conn *client.Conn, query string) answer {
	t.Helper()
	res, err := conn.Execute(query)
	var failed *mysql.MyError
	if errors.As(err, &failed) {
		return answer{text: "E" + strconv.Itoa(int(failed.Code))}
	}
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	a := answer{length: int(res.Fields[0].ColumnLength), decimals: int(res.Fields[0].Decimal), text: "NULL"}
	if v := res.Values[0][0]; v.Type != mysql.FieldValueTypeNull {
		a.text = text(v)
	}
	res.Close()
	return a
}

func text(v mysql.FieldValue) string {
	if v.Type == mysql.FieldValueTypeString {
		return string(v.AsString())
	}
	return fmt.Sprint(v.Value())
}

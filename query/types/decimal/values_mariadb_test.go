package decimal_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"

	"github.com/duramendb/duramen/query/types/decimal"
)

// The tests below ask a server for one value and the warnings that come with it. A case is a line of testdata:
// kind, arguments, and the answer.

// valueCase is one question about a single value.
type valueCase struct {
	kind, text       string
	precision, scale int
	unsigned         bool
}

func (c *valueCase) typ() string {
	s := fmt.Sprintf("DECIMAL(%d,%d)", c.precision, c.scale)
	if c.unsigned {
		s += " UNSIGNED"
	}
	return s
}

// ours is what this package says: value and warning numbers.
func (c *valueCase) ours() string {
	var warnings []string
	warn := func(n int) { warnings = append(warnings, strconv.Itoa(n)) }
	result := ""
	d, used, cond := decimal.Parse([]byte(c.text))
	switch c.kind {
	case "text": // CAST('…' AS DECIMAL(65,30))
		if cond&decimal.Bad != 0 || used < len(c.text) {
			warn(1292)
		}
		if cond&decimal.Overflow != 0 {
			warn(1916)
			warn(1292)
		}
		v, cond := d.Cast(c.precision, c.scale)
		if cond&decimal.Overflow != 0 {
			warn(1264)
		}
		result = v.String()
	case "cast": // CAST(literal AS DECIMAL…)
		v, cond := d.Cast(c.precision, c.scale)
		if cond&decimal.Overflow != 0 {
			warn(1264)
		}
		result = v.String()
	case "store": // INSERT
		v, cond := d.Assign(c.precision, c.scale, c.unsigned)
		switch {
		case cond&decimal.Overflow != 0:
			warn(1264)
		case cond&decimal.Truncated != 0:
			warn(1265)
		}
		result = v.String()
	case "double": // CAST(1e0 AS DECIMAL…)
		f, _ := strconv.ParseFloat(c.text, 64)
		d, _ := decimal.FromFloat64(f)
		v, cond := d.Cast(c.precision, c.scale)
		if cond&decimal.Overflow != 0 {
			warn(1264)
		}
		result = v.String()
	case "todouble": // compared as bits
		result = strconv.FormatUint(math.Float64bits(d.Float64()), 16)
	case "signed":
		n, cond := d.Int64(decimal.HalfUp)
		if cond != 0 {
			warn(1916)
		}
		result = strconv.FormatInt(n, 10)
	case "unsigned":
		n, cond := d.Uint64(decimal.HalfUp)
		if cond != 0 {
			warn(1916)
		}
		result = strconv.FormatUint(n, 10)
	}
	return strings.Join(append([]string{result}, warnings...), " ")
}

func (c *valueCase) theirs(t *testing.T, conn *client.Conn) string {
	query := ""
	switch c.kind {
	case "text":
		query = fmt.Sprintf("SELECT CAST('%s' AS %s) FROM one", c.text, c.typ())
	case "cast":
		query = fmt.Sprintf("SELECT CAST(%s AS %s) FROM one", c.text, c.typ())
	case "double":
		query = fmt.Sprintf("SELECT CAST(%s AS %s) FROM one", c.text, c.typ())
	case "todouble":
		query = fmt.Sprintf("SELECT CAST(%s AS DOUBLE) FROM one", c.text)
	case "signed", "unsigned":
		query = fmt.Sprintf("SELECT CAST(%s AS %s) FROM one", c.text, strings.ToUpper(c.kind))
	case "store":
		execute(t, conn, fmt.Sprintf("CREATE OR REPLACE TABLE v (a %s) ENGINE=MEMORY", c.typ()))
		return c.stored(t, conn)
	}
	got := ask(t, conn, query)
	if c.kind == "todouble" {
		f, err := strconv.ParseFloat(got.text, 64)
		if err != nil {
			t.Fatal(query, err)
		}
		got.text = strconv.FormatUint(math.Float64bits(f), 16)
	}
	return got.text + warningsOf(t, conn)
}

func (c *valueCase) stored(t *testing.T, conn *client.Conn) string {
	execute(t, conn, fmt.Sprintf("INSERT INTO v VALUES (%s)", c.text))
	warnings := warningsOf(t, conn)
	return ask(t, conn, "SELECT a FROM v").text + warnings
}

func warningsOf(t *testing.T, conn *client.Conn) string {
	res, err := conn.Execute("SHOW WARNINGS")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	s := ""
	for i := range res.Values {
		n, _ := res.GetInt(i, 1)
		s += " " + strconv.Itoa(int(n))
	}
	return s
}

const (
	liveValues     = 2000
	recordedValues = 1200
	valuesFile     = "values.tsv"
)

func valueCases(n int, seed uint64) []valueCase {
	texts := []string{
		"1", "-1", "+1.5", " 1.5", "\t-2", ".5", "5.", "-.5", "-5.e1", "1e5", "1E-5", "1e", "1e+", "1e+5x", "1x", "x", "", ".", "-", "+-1", "1 ", "1.5 x", "1e 5", "1e +5", "--1",
		"1e80", "1e81", "-1e81", "1e400", "-1e400", "1e-400", "1e9999999999", "-1e9999999999", "1e-9999999999", "1e99999999999999999999", "-1e99999999999999999999", "1e-99999999999999999999",
		"1e9223372036854775807", "1e9223372036854775808", "1e-9223372036854775808", "1e-9223372036854775809", "1e18446744073709551615", "0e99999999999", "0e400", "-0", "-0.0", "00000000000000000000001.50",
		"1.50e1", "1.50e-1", "1500e-2", "0.00015e4", "0.0", "1_000", "0x10", "1,5", "inf", "nan", "1.5.5", "1e5.5", "1e5e5",
		strings.Repeat("9", 65), strings.Repeat("9", 66), strings.Repeat("9", 81), strings.Repeat("9", 82), "-" + strings.Repeat("9", 90), strings.Repeat("0", 90) + "1",
		"0." + strings.Repeat("0", 29) + "5", "0." + strings.Repeat("0", 80) + "5", "0." + strings.Repeat("9", 90), strings.Repeat("9", 40) + "." + strings.Repeat("9", 60),
		strings.Repeat("9", 81) + "e-10", "0." + strings.Repeat("0", 50) + strings.Repeat("9", 40) + "e45", strings.Repeat("9", 75) + "." + strings.Repeat("9", 6) + "e-40",
		"1.5e-31", "5e-31", "4.99e-31", "123456789.123456789e-9", "123456789.123456789e9", "1e-82", "6e-82", "1e-73",
	}
	g := &generator{rnd: rand.New(rand.NewPCG(seed, 5))}
	var all []valueCase
	for _, s := range texts {
		all = append(all, valueCase{kind: "text", text: s, precision: 65, scale: 30})
	}
	kinds := []string{"text", "cast", "store", "double", "todouble", "signed", "unsigned"}
	for len(all) < n {
		c := valueCase{kind: kinds[g.rnd.IntN(len(kinds))], precision: 1 + g.rnd.IntN(65)}
		c.scale = g.rnd.IntN(min(c.precision, 38) + 1)
		c.unsigned = g.rnd.IntN(5) == 0 && c.kind == "store"
		c.text = g.pick(numbers)
		if g.rnd.IntN(2) == 0 {
			c.text = g.digits(1+g.rnd.IntN(40)) + "." + g.digits(1+g.rnd.IntN(40))
		}
		if strings.Contains(c.text, "e") {
			continue // a literal with an exponent is a double
		}
		if g.rnd.IntN(3) == 0 {
			c.text = "-" + c.text
		}
		if c.kind == "text" && g.rnd.IntN(2) == 0 {
			c.text += "e" + strconv.Itoa(g.rnd.IntN(80)-40)
		}
		if c.kind == "double" {
			f := g.rnd.NormFloat64() * math.Pow10(g.rnd.IntN(60)-30)
			if g.rnd.IntN(3) == 0 {
				f = float64(g.rnd.IntN(100000)) / 1000
			}
			c.text = strconv.FormatFloat(f, 'e', -1, 64)
		}
		all = append(all, c)
	}
	return all
}

// line is a case with an answer.
func (c *valueCase) line(answer string) string {
	return strings.Join([]string{c.kind, strconv.Quote(c.text), c.typ(), answer}, "\t")
}

func TestRecordedValues(t *testing.T) {
	if *rewrite {
		t.Skip("-rewrite records MariaDB's answers")
	}
	b, err := os.ReadFile(filepath.Join("testdata", valuesFile))
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(b)))
	cases := valueCases(recordedValues, recordedSeed)
	if len(lines) != len(cases) {
		t.Fatalf("%d answers are recorded for %d cases: record them again (-rewrite)", len(lines), len(cases))
	}
	for i, c := range cases {
		if got, want := c.line(c.ours()), strings.TrimSuffix(lines[i], "\n"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestMariaDBValues asks a real server.
func TestMariaDBValues(t *testing.T) {
	conn := connect(t)
	execute(t, conn, "CREATE DATABASE d", "USE d", "SET sql_mode=''", "CREATE TABLE one (a INT)", "INSERT INTO one VALUES (1)")
	var record strings.Builder
	wrong := map[string]int{}
	for i, c := range valueCases(liveValues, *seed) {
		want := c.theirs(t, conn)
		if i < recordedValues {
			record.WriteString(c.line(want) + "\n")
		}
		if got := c.ours(); got != want {
			if wrong[c.kind]++; wrong[c.kind] <= 8 {
				t.Errorf("got  %s\nwant %s", c.line(got), want)
			}
		}
	}
	t.Logf("%d values, different: %v", liveValues, wrong)
	if *rewrite && *seed == recordedSeed {
		if err := os.WriteFile(filepath.Join("testdata", valuesFile), []byte(record.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMariaDBAggregates compares SUM and AVG over columns and expressions, with their types.
func TestMariaDBAggregates(t *testing.T) {
	conn := connect(t)
	create, types, rows := tableOfColumns(t)
	execute(t, conn, create...)
	g := &generator{rnd: rand.New(rand.NewPCG(*seed, 8))}
	for _, c := range columns {
		g.cols = append(g.cols, c.name)
	}
	count, wrong := map[string]int{}, 0
	for i := range 2000 {
		increment := increments[i/100%len(increments)]
		if i%100 == 0 {
			execute(t, conn, "SET div_precision_increment="+strconv.Itoa(increment))
		}
		kid := &expression{op: "col", text: g.cols[i%len(g.cols)]}
		if i >= len(columns) {
			kid = g.draw(1 + g.rnd.IntN(2))
		}
		e := op([]string{"SUM", "AVG"}[g.rnd.IntN(2)], kid)
		low, high := g.rnd.IntN(len(rows)), g.rnd.IntN(len(rows)+1)
		want := ask(t, conn, fmt.Sprintf("SELECT %s FROM c WHERE id>=%d AND id<%d", e.sql(), low, high))
		v := evaluation{increment: increment, types: types}
		got := v.aggregate(e, rows[low:max(low, high)])
		if got == want {
			count[want.text[:1]]++
			continue
		}
		if wrong++; wrong <= 20 {
			t.Errorf("increment %d: %s, rows %d to %d\n got %v\nwant %v", increment, e.sql(), low, high, got, want)
		}
	}
	t.Logf("2000 aggregates, %d differ; by first character: %v", wrong, count)
}

func (v *evaluation) aggregate(e *expression, rows []rowOf) answer {
	t := v.typeOf(e)
	var sum decimal.Sum
	n := uint64(0)
	for _, row := range rows {
		v.row, v.state = row, fine
		d := v.value(e.kids[0])
		switch v.state {
		case overflow:
			return answer{text: "E1690"}
		case fine:
			sum.Add(d)
			n++
		}
	}
	if n == 0 {
		return answer{"NULL", t.Length(), t.Scale}
	}
	d, _ := sum.Value()
	if e.op == "AVG" {
		d, _ = decimal.Div(d, decimal.FromUint64(n), v.increment)
	}
	return answer{printed(d, t), t.Length(), t.Scale}
}

package assign_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// value is an expression, or the rows of a source table's column, with what it is to us.
type value struct {
	sql   string
	from  assign.Source
	v     types.Value
	table string // of a column: the source's
	def   string
}

func intValue(n int64) value {
	t := types.IntType(uint32(len(strconv.FormatInt(n, 10))), false)
	return value{sql: strconv.FormatInt(n, 10), from: assign.Source{Type: t}, v: types.Value{Int: n}}
}

func uintValue(n uint64) value {
	t := types.BigintType(20, n > math.MaxInt64)
	return value{sql: strconv.FormatUint(n, 10), from: assign.Source{Type: t}, v: types.Value{Int: int64(n)}}
}

func decValue(s string) value {
	d, _, _ := decimal.Parse([]byte(s))
	return value{sql: s, from: assign.Source{Type: types.DecimalType(decimal.LiteralType(d))}, v: types.Value{Dec: d}}
}

func floatValue(s string) value {
	f, _ := strconv.ParseFloat(s, 64)
	return value{sql: s, from: assign.Source{Type: types.DoubleType()}, v: types.Value{Float: f}}
}

func textValue(coll, s string) value {
	c := collation(coll)
	v := value{sql: quoted(s), from: assign.Source{Type: str(types.Varchar, uint32(len(s)), coll)}, v: types.Value{Text: []byte(s)}}
	if coll != "utf8mb4_general_ci" {
		v.sql = fmt.Sprintf("_%s x'%X'", c.Set().Name(), s)
	}
	return v
}

func converted(coll, s string) value {
	utf8, _ := charset.SetByName("utf8mb4")
	out, _ := charset.Convert(nil, collation(coll).Set(), utf8, []byte(s))
	return textValue(coll, string(out))
}

func hybridValue(s string) value {
	v := textValue("binary", s)
	v.sql = fmt.Sprintf("0x%X", s)
	v.from.Hybrid, v.from.Unsigned = true, true
	return v
}

func bytesValue(s string) value {
	v := textValue("binary", s)
	v.sql = fmt.Sprintf("x'%X'", s)
	return v
}

func timeValue(k types.Kind, s string) value {
	word := map[types.Kind]string{types.Date: "DATE", types.Time: "TIME", types.Datetime: "TIMESTAMP"}[k]
	tk := map[types.Kind]temporal.Kind{types.Date: temporal.Date, types.Time: temporal.Time, types.Datetime: temporal.DateTime}[k]
	r, ok := temporal.Mode{}.ParseLiteral([]byte(s), tk)
	if !ok {
		panic(s)
	}
	fraction := 0
	if _, after, has := strings.Cut(s, "."); has {
		fraction = len(after)
	}
	t := types.TemporalType(k, fraction)
	return value{sql: word + "'" + s + "'", from: assign.Source{Type: t}, v: types.Value{Time: r.Value.Packed}}
}

// What values are made of, from testdata/values.txt.
var (
	pools     = readPools()
	integers  = pools["integers"]
	large     = pools["large"]
	fractions = pools["fractions"]
	floats    = pools["floats"]
	words     = pools["words"]
	dates     = pools["dates"]
	addresses = pools["addresses"]
	raws      = pools["raws"]
	moments   = pools["moments"]
	days      = pools["days"]
	clocks    = pools["clocks"]

	sets = []string{
		"latin1_swedish_ci", "utf8mb3_general_ci", "utf16_general_ci", "ucs2_general_ci", "utf32_general_ci",
		"cp932_japanese_ci", "ascii_general_ci", "koi8r_general_ci", "binary",
	}
)

// readPools reads lists of quoted texts, each below its name.
func readPools() map[string][]string {
	b, err := os.ReadFile("testdata/values.txt")
	if err != nil {
		panic(err)
	}
	out, name := map[string][]string{}, ""
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		if after, ok := strings.CutPrefix(line, "# "); ok {
			name = after
			continue
		}
		s, err := strconv.Unquote(line)
		if err != nil {
			panic(line)
		}
		out[name] = append(out[name], s)
	}
	return out
}

// values are all that is drawn from: of columns too.
func values() (all []value) {
	for _, s := range integers {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			panic(err)
		}
		all = append(all, intValue(n))
	}
	for _, s := range large {
		n, _ := strconv.ParseUint(s, 10, 64)
		all = append(all, uintValue(n))
	}
	for _, s := range fractions {
		all = append(all, decValue(s))
	}
	for _, s := range floats {
		all = append(all, floatValue(s))
	}
	texts := slices.Concat(integers, large, fractions, floats, words, dates, addresses)
	for i, s := range texts {
		all = append(all, textValue("utf8mb4_general_ci", s))
		if i%3 == 0 || i > 190 {
			all = append(all, converted(sets[i%len(sets)], s))
		}
	}
	for _, s := range raws {
		all = append(all, bytesValue(s))
		if s != "" {
			all = append(all, hybridValue(s))
		}
	}
	for _, s := range moments {
		all = append(all, timeValue(types.Datetime, s))
	}
	for _, s := range days {
		all = append(all, timeValue(types.Date, s))
	}
	for _, s := range clocks {
		all = append(all, timeValue(types.Time, s))
	}
	all = append(all, value{sql: "NULL", from: assign.Source{Type: types.NullType()}, v: types.Value{Null: true}})
	return append(all, columnValues()...)
}

// columnValues are what a column of a source table holds.
func columnValues() (all []value) {
	add := func(def, sql string, t types.Type, v types.Value) {
		all = append(all, value{sql: sql, from: assign.Source{Type: t, Column: true}, v: v, def: def, table: fmt.Sprintf("s%d", len(all))})
	}
	add("BIT(9)", "65", types.Type{Kind: types.Bit, Length: 9, Unsigned: true}, types.Value{Int: 65})
	add("BIT(64)", "18446744073709551615", types.Type{Kind: types.Bit, Length: 64, Unsigned: true}, types.Value{Int: -1})
	add("YEAR", "2020", types.Type{Kind: types.Year, Length: 4, Unsigned: true}, types.Value{Int: 2020})
	add("YEAR", "0", types.Type{Kind: types.Year, Length: 4, Unsigned: true}, types.Value{})
	add("INT(5) ZEROFILL", "7", types.Type{Kind: types.Int, Length: 5, Unsigned: true, Zerofill: true}, types.Value{Int: 7})
	add("SMALLINT", "-7", types.Type{Kind: types.Smallint, Length: 6}, types.Value{Int: -7})
	for _, s := range []string{"0.1", "-1.5", "3.4e38", "12345678"} {
		f, _ := strconv.ParseFloat(s, 32)
		add("FLOAT", s, types.Type{Kind: types.Float, Length: 12, Decimals: types.NotFixed}, types.Value{Float: f})
	}
	add("FLOAT(7,3)", "1.5", types.Type{Kind: types.Float, Length: 7, Decimals: 3}, types.Value{Float: 1.5})
	add("DOUBLE(9,3)", "-12.5", types.Type{Kind: types.Double, Length: 9, Decimals: 3}, types.Value{Float: -12.5})
	add("DOUBLE", "123456.789", types.Type{Kind: types.Double, Length: 22, Decimals: types.NotFixed}, types.Value{Float: 123456.789})
	d, _, _ := decimal.Parse([]byte("12.50"))
	add("DECIMAL(6,2)", "12.5", types.DecimalType(decimal.Type{Precision: 6, Scale: 2}), types.Value{Dec: d})
	for _, n := range []int64{0, 1, 2, 3} {
		add("ENUM('12','b','a ')", strconv.FormatInt(n, 10), member(types.Enum, "latin1_swedish_ci", "12", "b", "a"), types.Value{Int: n})
		add("SET('12','b')", strconv.FormatInt(n, 10), member(types.Set, "utf8mb4_general_ci", "12", "b"), types.Value{Int: n})
	}
	for _, s := range moments {
		if r := s[:4]; r < "1970" || r > "2037" || strings.HasPrefix(s, "1970") || s[5:7] == "00" {
			continue
		}
		v := timeValue(types.Datetime, s)
		add("TIMESTAMP(6)", quoted(s), types.TemporalType(types.Timestamp, 6), v.v)
		add("DATETIME(6)", quoted(s), types.TemporalType(types.Datetime, 6), v.v)
	}
	add("TIME(2)", "'-10:11:12.5'", types.TemporalType(types.Time, 2), timeValue(types.Time, "-10:11:12.5").v)
	add("DATE", "'2020-01-01'", types.TemporalType(types.Date, 0), timeValue(types.Date, "2020-01-01").v)
	for _, a := range []struct {
		k         types.Kind
		def, text string
	}{
		{types.UUID, "UUID", addresses[0]}, {types.Inet4, "INET4", "1.2.3.4"}, {types.Inet6, "INET6", "::1"}, {types.Inet6, "INET6", "::ffff:1.2.3.4"},
		{types.Inet6, "INET6", "1:2:0:0:3:0:0:0"}, {types.Inet6, "INET6", "::1.2.3.4"},
		{types.Inet6, "INET6", "0:0:0:0:0:ffff:0:1"}, {types.Inet6, "INET6", "1:0:2:3:4:5:6:7"},
	} {
		b, ok := assign.ParseAddress(nil, a.k, []byte(a.text))
		if !ok {
			panic(a.text)
		}
		add(a.def, quoted(a.text), types.Type{Kind: a.k}, types.Value{Text: b})
	}
	add("CHAR(7) CHARACTER SET latin1", "'12 a'", str(types.Char, 7, "latin1_swedish_ci"), types.Value{Text: []byte("12 a")})
	add("BLOB", "x'C3FF41'", str(types.Text, 65535, "binary"), types.Value{Text: []byte("\xC3\xFFA")})
	return all
}

// setups are the sessions in which is asked.
var setups = []setup{
	{mode: ""}, {mode: "STRICT_TRANS_TABLES"}, {mode: "STRICT_ALL_TABLES", ignore: true}, {mode: "NO_ZERO_DATE,NO_ZERO_IN_DATE"},
	{mode: "STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE"}, {mode: "ALLOW_INVALID_DATES"}, {mode: "TIME_ROUND_FRACTIONAL"},
	{mode: "STRICT_ALL_TABLES,TIME_ROUND_FRACTIONAL,ALLOW_INVALID_DATES"}, {mode: "STRICT_TRANS_TABLES,NO_ZERO_DATE", ignore: true},
	{mode: "PAD_CHAR_TO_FULL_LENGTH"},
}

type setup struct {
	mode   string
	ignore bool
}

// question is one value for one column.
type question struct {
	setup
	zone    string
	value   *value
	column  *column
	at      int // the column's table
	notNull bool
}

func (q *question) String() string {
	ignore, null := "", ""
	if q.ignore {
		ignore = " IGNORE"
	}
	if q.notNull {
		null = " NOT NULL"
	}
	source := q.value.sql
	if q.value.def != "" {
		source = q.value.def + " " + source
	}
	return fmt.Sprintf("{%s%s %s} %s INTO %s%s", q.mode, ignore, q.zone, source, q.column.def, null)
}

// draw draws questions.
func draw(seed uint64, count int) []question {
	r := rand.New(rand.NewPCG(seed, 3))
	cols, vals := columns(), values()
	out := make([]question, count)
	for i := range out {
		at := r.IntN(len(cols))
		q := question{setup: setups[r.IntN(len(setups))], zone: "+00:00", value: &vals[r.IntN(len(vals))], column: &cols[at], at: at}
		q.notNull = r.IntN(4) == 0
		if r.IntN(4) == 0 {
			q.zone = "+05:30"
		}
		partial := strings.Contains(q.value.sql, "00-") || strings.Contains(q.value.sql, "-00")
		if partial && strings.Contains(q.mode, "NO_ZERO") && q.value.from.Kind.Temporal() ||
			strings.Contains(q.mode, "PAD") && strings.HasPrefix(q.value.def, "CHAR") {
			q.setup = setups[0] // a literal of a zero date is an error there, and CHAR is read with spaces
		}
		if q.value.from.Kind == types.Timestamp {
			q.zone = "+00:00"
		}
		out[i] = q
	}
	return out
}

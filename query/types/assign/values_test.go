package assign_test

import (
	"fmt"
	"math"
	"math/rand/v2"
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
	return value{sql: strconv.FormatUint(n, 10), from: assign.Source{Type: types.BigintType(20, n > math.MaxInt64)}, v: types.Value{Int: int64(n)}}
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
	return value{sql: word + "'" + s + "'", from: assign.Source{Type: types.TemporalType(k, fraction)}, v: types.Value{Time: r.Value.Packed}}
}

var (
	integers  = []string{"0", "1", "-1", "2", "3", "5", "9", "12", "15", "16", "31", "32", "69", "70", "99", "100", "101", "127", "128", "-128", "-129", "255", "256", "1000", "1231", "1900", "1901", "2020", "2155", "2156", "9999", "32767", "32768", "-32769", "65535", "65536", "101112", "106000", "200101", "700101", "8385959", "8390000", "8388607", "8388608", "16777215", "16777216", "20200101", "20201301", "99991231", "101000000", "2147483647", "2147483648", "-2147483649", "4294967295", "4294967296", "20200101101112", "20200229235959", "20380119031407", "20380119031408", "19700101000000", "99991231235959", "9223372036854775807", "-9223372036854775808"}
	large     = []string{"9223372036854775808", "18446744073709551615", "10000000000000000000"}
	fractions = []string{"0.5", "-0.5", "1.5", "2.5", "-2.5", "-0.4", "0.001", "-0.001", "0.005", "1.005", "99.5", "127.5", "255.49", "999.994", "999.995", "-999.996", "9.5", "1900.6", "2155.5", "101112.6", "235959.9999999", "20200101.5", "20200101101112.6", "20201231235959.9999996", "18446744073709551615.4", "18446744073709551615.5", "9223372036854775807.5", "-9223372036854775808.6", "99999999999999999999.99", "12345678901234567890123456789012345678901234567890123456789012345", "0.123456789012345678901234567890123456789", "3.14159265358979", "123456.789", "0.00001234567", "0.00000000000000001234"}
	floats    = []string{"1e0", "0e0", "1e5", "-1e5", "1e15", "1e16", "123456789e10", "1e19", "1.8446744073709552e19", "9.2233720368547758e18", "9.223372036854775e18", "-9.2233720368547758e18", "1e20", "-1e20", "1e30", "-1e30", "1e38", "3.4e38", "3.5e38", "-3.5e38", "1e100", "-1.2345678e-100", "1e300", "1.7976931348623157e308", "5e-324", "1.5e0", "2.5e0", "3.5e0", "-0.4e0", "-0.5e0", "-0.6e0", "0.1e0", "1e-5", "1.234567e-5", "1.2345678901234567e-6", "12345678.9e0", "1.0055e0", "999.9951e0", "3.14159265358979e0", "70.9e0", "2155.9e0", "20200101e0", "20200101101112.6e0", "101112.5e0", "8385959.7e0", "1e-15", "1e-16", "9.99999e-5", "0.000099999999e0", "99999.5e0", "999999.5e0", "123456.7e0", "0.0123456e0", "0.00123456e0", "1e14", "1.5e14", "1e17"}
	words     = []string{"", " ", "  ", "x", "a", "b", "A", "a ", "x y", "b,a", "a,c", "c,b,a", "a,,b", "a,", ",a", "a,z", "12,a", "abc", "abcde", "abcdef", "abcd  ", "abc       ", "abcd\t\t", "abcde \tx", "-", "+", ".", "1x", "7 ", "7\t", " 7", " 7 ", "7 x", "1e", "1e+", "1e1", "1e1x", "1e30", "-1e30", "1e400", "-1e400", "1e400x", "1e-400", "1e-5", "0x10", "1,000", "+5", "++5", "1.", ".5", "-.5", "1.5.5", "00012", "18446744073709551616", "99999999999999999999x", "123456789012345678901234567890", "1e2147483648", "1e99999999999", "0.4e1", "15e-1", "0", "00", "000", "0000", "00000", "0 ", " 0", "äöü", "ä", "€", "😀", "a😀b", "日本語", "日本語テキスト", "ab\x01c", "12😀", "é1", "NaN", "inf", "null", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", "'", "\\", "a%sb", strings.Repeat("ä", 128), strings.Repeat("日", 85) + "x", strings.Repeat("é", 250) + "  ", strings.Repeat("z", 255) + "  ", "1.55 ", "1.555  "}
	dates     = []string{"2020-01-01", "2020-02-30", "2020-13-01", "2020-00-10", "2020-10-00", "0000-00-00", "0000-00-00 00:00:00", "2020-01-01 10:11:12", "2020-01-01 10:11:12.6", "2020-01-01 10:11:12.1234567", "2020-12-31 23:59:59.9999999", "9999-12-31 23:59:59.9", "2020-00-00 23:59:59.9999999", "2020-01-01x", "2020-01-01 x", "2020-01-01T10:11:12", "2020-01-01 10:11:12Z", "2020-01-01 10:11:12+01:00", "2020-01-01 24:00:00", "20-1-1", "20200101", "200101", "20200101101112", "2038-01-19 03:14:07", "2038-01-19 03:14:07.999999", "2038-01-19 03:14:08", "1970-01-01 00:00:00", "1970-01-01 00:00:00.5", "1970-01-01 00:00:01", "1969-12-31 23:59:59", "10:11:12", "-10:11:12", "10:11:12.6", "838:59:59", "838:59:59.9999999", "839:00:00", "-839:00:00", "10:60:00", "1 1", "1 10:11", "34 23:59:59", "35 00:00", "12", "1234", "123456", "10:11:12x", "10:11:12 ", "2020-01-01 ", " 2020-01-01", "2020.01.01", "0001-01-01", "2020-02-30 10:11:12", "2019-02-29"}
	addresses = []string{"123e4567-e89b-12d3-a456-426655440000", "123E4567E89B12D3A456426655440000", "12-3e-45-67-e8-9b-12-d3-a4-56-42-66-55-44-00-00", "123e4567--e89b-12d3-a456-426655440000", "-123e4567e89b12d3a456426655440000", "123e4567e89b12d3a456426655440000-", "1-23e4567e89b12d3a456426655440000", "123e4567e89b12d3a45642665544000", "1.2.3.4", "255.255.255.255", "256.1.1.1", "01.02.03.004", "1.2.3", "1.2.3.4.", "1.2.3.4.5", "0001.2.3.4", "::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:9", "::ffff:1.2.3.4", "::1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1::2::3", ":1", "1:", "12345::", "::FFFF:01.2.3.4", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", " ::1", "::1 ", "fe80::1%eth0", "0:0:1::"}
	raws      = []string{"", "A", "7", "12", "1 ", "\x00", "\x00\x01", "\x01", "\xFF", "AB\xFF", "\xC3\xFFA", "12345678", "123456789", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", "\x80\x00\x00\x00\x00\x00\x00\x00", "\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF", "1234", "1234567890123456", "abcde \t", "ab\x00\x00\x00\x00", "2020-01-01", "\xE3\x81\x82", "\xF0\x9F\x98\x80", "\xED\xA0\x80", "\x83\x5C", "abc\x83"}
	moments   = []string{"2020-01-01 10:11:12", "2020-01-01 10:11:12.6", "2020-12-31 23:59:59.999999", "0000-00-00 00:00:00", "2020-00-10 01:02:03", "2038-01-19 03:14:08", "1969-12-31 00:00:00", "1970-01-01 00:00:00", "9999-12-31 23:59:59.999999", "2020-01-01 00:00:00.000", "2000-01-01 00:00:00", "2038-01-19 03:14:07.5"}
	days      = []string{"2020-01-01", "0000-00-00", "2020-00-10", "2020-10-00", "1969-12-31", "9999-12-31", "2038-01-20", "1970-01-01", "0099-01-01", "1905-05-05"}
	clocks    = []string{"10:11:12", "-10:11:12.6", "00:00:00", "838:59:59", "-838:59:59.999999", "23:59:59.999999", "00:00:12.5", "-00:00:00.4", "25:00:00", "00:00:00.123456"}
	sets      = []string{"latin1_swedish_ci", "utf8mb3_general_ci", "utf16_general_ci", "ucs2_general_ci", "utf32_general_ci", "cp932_japanese_ci", "ascii_general_ci", "koi8r_general_ci", "binary"}
)

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
	texts := strings.Split(strings.Join([]string{strings.Join(integers, "\n"), strings.Join(large, "\n"), strings.Join(fractions, "\n"), strings.Join(floats, "\n"), strings.Join(words, "\n"), strings.Join(dates, "\n"), strings.Join(addresses, "\n")}, "\n"), "\n")
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
	}{{types.UUID, "UUID", addresses[0]}, {types.Inet4, "INET4", "1.2.3.4"}, {types.Inet6, "INET6", "::1"}, {types.Inet6, "INET6", "::ffff:1.2.3.4"}, {types.Inet6, "INET6", "1:2:0:0:3:0:0:0"}, {types.Inet6, "INET6", "::1.2.3.4"}, {types.Inet6, "INET6", "0:0:0:0:0:ffff:0:1"}, {types.Inet6, "INET6", "1:0:2:3:4:5:6:7"}} {
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
		q := question{setup: setups[r.IntN(len(setups))], zone: "+00:00", value: &vals[r.IntN(len(vals))], column: &cols[at], at: at, notNull: r.IntN(4) == 0}
		if r.IntN(4) == 0 {
			q.zone = "+05:30"
		}
		if strings.Contains(q.mode, "NO_ZERO") && q.value.from.Kind.Temporal() && (strings.Contains(q.value.sql, "00-") || strings.Contains(q.value.sql, "-00")) ||
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

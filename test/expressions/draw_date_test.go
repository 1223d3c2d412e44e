package expressions

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

func init() { generators["date"] = func(r *rand.Rand) string { return dateDrawer{r}.call(2) } }

// dateDrawer draws calls of functions over dates and times. Left out are:
//   - SYSDATE, whose value is another each time;
//   - named zones in CONVERT_TZ: the server has none unless its tables are loaded, ours come from the system;
//   - formats with a '-' behind a letter: a text that is '-00-' is a TIME of minus nothing to the server, which turns the sign of TIMEDIFF;
//   - DECIMALs beyond BIGINT as integers, whose warning 1916 is package eval's;
//   - INTERVAL of MICROSECOND near the end of BIGINT, where the server's arithmetic overflows.
type dateDrawer struct{ *rand.Rand }

func (d dateDrawer) of(list ...string) string { return list[d.IntN(len(list))] }

// call is a call, whose arguments may be calls down to a depth.
func (d dateDrawer) call(depth int) string {
	arg := func() string { return d.arg(depth - 1) }
	switch d.IntN(12) {
	case 0:
		return fmt.Sprintf("%s %s INTERVAL %s %s", d.arg(0), d.of("+", "-"), d.amount(), d.unit(true))
	case 1:
		return fmt.Sprintf("EXTRACT(%s FROM %s)", d.unit(true), arg())
	case 2:
		return fmt.Sprintf("TIMESTAMPDIFF(%s,%s,%s)", d.unit(false), arg(), arg())
	case 3:
		return d.of("NOW()", "NOW(3)", "CURDATE()", "CURTIME(2)", "UTC_DATE()", "UTC_TIME(6)", "UTC_TIMESTAMP(1)", "UNIX_TIMESTAMP()", "LOCALTIME")
	case 4:
		name := d.of("DATE_FORMAT", "TIME_FORMAT", "STR_TO_DATE", "FROM_UNIXTIME")
		if d.IntN(4) == 0 {
			return fmt.Sprintf("DATE_FORMAT(%s,%s,%s)", arg(), d.format(), d.of("'de_DE'", "'en_US'", "'xx'", "NULL", "'ja_JP'", "'ru_RU'", "5"))
		}
		return fmt.Sprintf("%s(%s,%s)", name, arg(), d.format())
	case 5:
		if d.IntN(3) == 0 {
			return fmt.Sprintf("TO_CHAR(%s,'%s')", arg(), d.oracleFormat())
		}
		name := d.of("MAKEDATE", "PERIOD_ADD", "PERIOD_DIFF", "ADD_MONTHS", "WEEK", "YEARWEEK")
		return fmt.Sprintf("%s(%s,%s)", name, arg(), d.number())
	case 6:
		return fmt.Sprintf("MAKETIME(%s,%s,%s)", d.number(), d.number(), d.of(d.number(), "5", "59.9", "'7.25'", "3.1234567", "1e1"))
	case 7, 8:
		return fmt.Sprintf("%s(%s,%s)", d.of("ADDTIME", "SUBTIME", "TIMEDIFF", "DATEDIFF", "TIMESTAMP"), arg(), arg())
	case 9:
		if d.IntN(3) == 0 {
			return fmt.Sprintf("GET_FORMAT(%s,%s)", d.of("DATE", "TIME", "DATETIME"), d.of("'usa'", "'EUR'", "'INTERNAL'", "'ISO'", "'JIS'", "'x'", "NULL", "7"))
		}
		zone := func() string {
			return d.of("'+00:00'", "'+01:30'", "'-12:59'", "'+13:00'", "'+15:00'", "'SYSTEM'", "NULL", "'x'", "7")
		}
		return fmt.Sprintf("CONVERT_TZ(%s,%s,%s)", arg(), zone(), zone())
	}
	return fmt.Sprintf("%s(%s)", d.of("DATE", "TIME", "TIMESTAMP", "YEAR", "QUARTER", "MONTH", "DAY", "DAYOFMONTH", "HOUR", "MINUTE", "SECOND", "MICROSECOND",
		"DAYOFWEEK", "WEEKDAY", "DAYOFYEAR", "WEEK", "YEARWEEK", "WEEKOFYEAR", "LAST_DAY", "DAYNAME", "MONTHNAME", "SEC_TO_TIME", "TIME_TO_SEC", "TO_DAYS",
		"TO_SECONDS", "FROM_DAYS", "FROM_UNIXTIME", "UNIX_TIMESTAMP"), arg())
}

func (d dateDrawer) unit(compound bool) string {
	simple := []string{"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND"}
	if !compound || d.IntN(2) == 0 {
		return d.of(simple...)
	}
	return d.of("YEAR_MONTH", "DAY_HOUR", "DAY_MINUTE", "DAY_SECOND", "HOUR_MINUTE", "HOUR_SECOND", "MINUTE_SECOND", "DAY_MICROSECOND", "HOUR_MICROSECOND",
		"MINUTE_MICROSECOND", "SECOND_MICROSECOND")
}

func (d dateDrawer) amount() string {
	return d.of("1", "0", "30", "1000000", "1.5", "2.5", "1.25e0", "2.5e0", "'1'", "'1.5'", "'-1:1'", "'1 10:11:12.5'", "'x'", "''", "NULL", "0x41", "TIME'01:02:03.45'",
		"DATE'2020-01-01'", "2147483648", "1.1234567", "'1-1'", "'1:1:1:1:1:1'")
}

func (d dateDrawer) number() string {
	return d.of("0", "1", "7", "59", "60", "366", "2020", "202001", "1.5", "2.5e0", "'3'", "'x'", "'-5'", "NULL", "0x41", "18446744073709551615", "9223372036854775807",
		"839", "DATE'2020-01-01'", "TIME'10:11:12.5'")
}

func (d dateDrawer) format() string {
	if d.IntN(8) == 0 {
		return d.of("NULL", "''", "'%'", "5", "0x2559", "DATE'2020-01-01'", "'%Y é %d'")
	}
	letters := "abcdefhijklmprstuvwxyzDHIMSTUVWXY%."
	var s strings.Builder
	for range 1 + d.IntN(4) {
		s.WriteString("%" + string(letters[d.IntN(len(letters))]) + d.of("", "/", ":", " "))
	}
	return "'" + s.String() + "'"
}

// oracleFormat is a format of TO_CHAR.
func (d dateDrawer) oracleFormat() string {
	var s strings.Builder
	for range 1 + d.IntN(5) {
		s.WriteString(d.of("YYYY", "yyy", "YY", "Y", "RRRR", "rr", "MM", "MI", "month", "MON", "DD", "Dy", "DAY", "HH24", "HH12", "HH", "SS", "AD", "b.c.", "am", "P.M.",
			"R", "Q", "X", "\"x y\"", "\"", "7") + d.of("", "", "-", " ", ":", "|", "||", "/"))
	}
	return s.String()
}

// arg is a value of any type.
func (d dateDrawer) arg(depth int) string {
	if depth > 0 && d.IntN(3) == 0 {
		return d.call(depth)
	}
	day := fmt.Sprintf("%04d-%02d-%02d", []int{2020, 2023, 1969, 1970, 9999, 1, 0, 2038, 1990}[d.IntN(9)], 1+d.IntN(12), 1+d.IntN(28))
	if d.IntN(5) == 0 {
		day = d.of("0000-00-00", "2020-00-00", "2020-02-00", "2020-02-29", "9999-12-31", "0001-01-01", "1970-01-01", "2038-01-19")
	}
	clock := fmt.Sprintf("%02d:%02d:%02d", d.IntN(24), d.IntN(60), d.IntN(60)) + d.of("", "", "", ".5", ".123456", ".100", ".999999")
	switch d.IntN(10) {
	case 0:
		return "DATE'" + day + "'"
	case 1:
		return "TIMESTAMP'" + day + " " + clock + "'"
	case 2:
		return "TIME'" + d.of("", "-", "1 ", "-30 ") + clock + "'"
	case 3:
		return d.of("'", "'", "_latin1'", "_utf8mb3'") + day + " " + clock + "'"
	case 4:
		return "'" + day + d.of("", "", "x", " ", "T10", " 25:00:00", " 10:11:12.1234567") + "'"
	case 5:
		return "'" + d.of("", "-", "5 ", "34 ", "800:") + clock + d.of("", "", "x", "1234567") + "'"
	case 6:
		return strings.ReplaceAll(day, "-", "")
	case 7:
		return strings.ReplaceAll(day, "-", "") + strings.ReplaceAll(clock, ":", "") + d.of("", "", "e0")
	case 8:
		return d.of("'x'", "''", "'2020'", "NULL", "0x41", "x'323032302d30312d3031'", "'2020-02-30'", "' 2020-01-01'", "'20:20:20'", "'é'", "'2020-13-01'", "'101112'", "'838:59:59.5'", "'900:00:00'")
	}
	return d.number()
}

package statements

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A kind is a type of columns, and literals of its values; those of sessions whose sql_mode is empty.
type kind struct {
	name     string // of columns
	declared string
	class    string // number, text, binary, date, time, datetime, stamp: which constants are like its values
	values   []string
}

var (
	texts = []string{
		"''", "' '", "'a'", "'A'", "'a '", "'á'", "'b'", "'ab'", "'aB '", "'abc'", "'ABC'", "'ä'", "'ß'", "'s'", "'ss'", "'o'", "'ö'", "'12'",
		"'012'", "'1e1'", "'-5'", "'0'",
		"'%'", "'a_c'", "'a\\\\b'", "'z'", "'2020-01-01'", "'a\\tb'", "'\\0'", "'a\\0'",
	}
	wideTexts = append(slices.Clone(texts), "'Ж'", "'ж'", "'€'", "'😀'", "'😁'", "'日本'", "'ﬀ'", "'e\u0301'", "'é'", "'İ'")
	bytesOf   = []string{"''", "' '", "'a'", "'A'", "'a '", "'ab'", "x'00'", "x'6100'", "x'ff'", "x'ff00'", "'12'", "x'c3a4'", "'z'"}
	dates     = []string{
		"'1000-01-01'", "'9999-12-31'", "'2020-02-29'", "'0000-00-00'", "'2024-03-31'", "'2024-10-27'", "'1970-01-01'", "'1999-12-31'", "'2000-01-01'",
	}
	times   = []string{"'00:00:00'", "'838:59:59'", "'-838:59:59'", "'12:30:00'", "'-00:00:01'", "'10:11:12'", "'23:59:59'", "'24:00:00'"}
	moments = []string{
		"'1000-01-01 00:00:00'", "'9999-12-31 23:59:59'", "'2020-02-29 12:30:00'", "'0000-00-00 00:00:00'", "'2024-03-31 02:30:00'",
		"'2024-10-27 02:30:00'", "'1970-01-01 00:00:01'",
		"'2000-01-01 00:00:00'", "'1999-12-31 23:59:59'", "'2024-03-31 01:59:59'", "'2024-03-31 03:00:00'", "'2024-10-27 01:30:00'",
		"'2024-10-27 03:00:00'",
	}
	// Of moments in UTC, in which rows are stored: Berlin's clocks go back at 01:00 and forward at 01:00.
	stamps = []string{
		"'1970-01-01 00:00:01'", "'2038-01-19 03:14:07'", "'0000-00-00 00:00:00'", "'2024-10-27 00:30:00'", "'2024-10-27 01:30:00'",
		"'2024-10-27 00:59:59'", "'2024-10-27 01:00:00'",
		"'2024-03-31 00:59:59'", "'2024-03-31 01:00:00'", "'2000-01-01 00:00:00'", "'2020-02-29 12:30:00'",
	}
)

func fractions(list []string, more ...string) (out []string) {
	for _, v := range list {
		for _, f := range more {
			if !strings.Contains(v, "838:59") && !strings.Contains(v, "0000") { // a fraction of no moment
				out = append(out, v[:len(v)-1]+f+"'")
			}
		}
	}
	return append(out, list...)
}

var kinds = []kind{
	{"ti", "TINYINT", "number", []string{"-128", "127", "0", "1", "-1", "5", "12", "100"}},
	{"tu", "TINYINT UNSIGNED", "number", []string{"0", "255", "1", "128", "5"}},
	{"si", "SMALLINT", "number", []string{"-32768", "32767", "0", "1", "-1", "20"}},
	{"mu", "MEDIUMINT UNSIGNED", "number", []string{"16777215", "0", "1", "12", "70000"}},
	{"i", "INT", "number", []string{"-2147483648", "2147483647", "0", "1", "-1", "5", "12", "13", "1000"}},
	{"iu", "INT UNSIGNED", "number", []string{"4294967295", "0", "1", "2147483648", "7"}},
	{"zf", "INT(6) ZEROFILL", "number", []string{"4294967295", "0", "1", "12", "1234567"}},
	{"bi", "BIGINT", "number", []string{"-9223372036854775808", "9223372036854775807", "0", "1", "-1", "9007199254740993", "9007199254740992", "12"}},
	{"bu", "BIGINT UNSIGNED", "number", []string{"18446744073709551615", "9223372036854775808", "9223372036854775807", "0", "1", "12"}},
	{"d1", "DECIMAL(10,2)", "number", []string{"-99999999.99", "99999999.99", "0", "0.01", "-0.01", "1.50", "12", "5.00"}},
	{"d2", "DECIMAL(38,10) UNSIGNED", "number", []string{"1234567890123456789012345678.0123456789", "0", "0.0000000001", "12", "9007199254740993"}},
	{"d0", "DECIMAL(5)", "number", []string{"-99999", "99999", "0", "1", "-1", "12"}},
	{"f", "FLOAT", "number", []string{"1.5", "0.1", "-1e30", "1e-30", "0", "12", "16777216"}},
	{"fd", "FLOAT(7,3)", "number", []string{"1.5", "0.1", "-9999.999", "0", "12"}},
	{"g", "DOUBLE", "number", []string{"1.5", "0.1", "-1e300", "1e300", "0", "-0.0", "9007199254740992", "12", "5e-324"}},
	{"y", "YEAR", "number", []string{"1901", "2155", "2020", "0", "1999", "1970"}},
	{"bt", "BIT(10)", "number", []string{"0", "1023", "5", "12", "65", "97"}},
	{"da", "DATE", "date", dates},
	{"tm", "TIME", "time", times},
	{"t3", "TIME(3)", "time", fractions(times, ".5", ".001", ".999")},
	{"dt", "DATETIME", "datetime", moments},
	{"d6", "DATETIME(6)", "datetime", fractions(moments, ".5", ".000001", ".999999")},
	{"ts", "TIMESTAMP", "stamp", stamps},
	{"s2", "TIMESTAMP(2)", "stamp", append(fractions(stamps[3:], ".5", ".01"), stamps...)},
	{"c", "CHAR(8)", "text", texts},
	{"v", "VARCHAR(20)", "text", texts},
	{"tx", "TEXT", "text", texts},
	{"b4", "BINARY(4)", "binary", bytesOf},
	{"vb", "VARBINARY(12)", "binary", bytesOf},
	{"bl", "BLOB", "binary", bytesOf},
	{"e", "ENUM('one','b','3','a','')", "text", []string{"'one'", "'b'", "'3'", "'a'", "''", "1", "2"}},
	{"s", "SET('b','a','3')", "text", []string{"''", "'b'", "'a'", "'b,a'", "'3'", "'b,3'", "'b,a,3'"}},
}

// collations are those of text columns.
var collations = []string{
	"utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_bin", "latin1_swedish_ci", "latin1_bin", "utf8mb4_general_ci", "utf8mb3_general_ci",
	"latin1_general_ci", "ucs2_general_ci", "utf16_general_ci", "gbk_chinese_ci", "sjis_japanese_ci", "big5_chinese_ci",
}

// column is one of a drawn table.
type column struct {
	kind
	collation string // of text
	nullable  bool
	indexed   bool   // it begins a key
	generated string // the expression of a column that is computed, with its last word; else ""
	zoned     bool   // it is computed of a TIMESTAMP
}

// is reports whether a column has the type of one of the kinds, whatever its name: generated ones have others.
func (c *column) is(names ...string) bool {
	return slices.ContainsFunc(kinds, func(k kind) bool { return k.declared == c.declared && slices.Contains(names, k.name) })
}

// table is a drawn table.
type table struct {
	name    string
	columns []column
	keys    []string // as CREATE TABLE has them
	indexes []string // names
	rows    []string
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func oneIn(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }

// drawTable draws a table of some kinds with the unique column id, and its rows; and with g, whether some of its columns are computed.
func drawTable(r, g *rand.Rand, name string, kinds []kind) *table {
	t := &table{name: name, columns: []column{{kind: kind{"id", "INT", "number", nil}}}}
	for _, at := range r.Perm(len(kinds))[:3+r.IntN(5)] {
		c := column{kind: kinds[at], nullable: !oneIn(r, 3)}
		if c.class == "text" {
			c.collation = pick(r, collations)
			if strings.HasPrefix(c.collation, "utf8mb4") && !strings.HasPrefix(c.declared, "ENUM") && !strings.HasPrefix(c.declared, "SET") {
				c.values = wideTexts
			}
		}
		t.columns = append(t.columns, c)
	}
	t.drawGenerated(g, kinds)
	t.drawKeys(r)
	for id := range 8 + r.IntN(25) {
		row := []string{fmt.Sprint(id + 1)}
		t.columns[0].values = append(t.columns[0].values, row[0])
		for _, c := range t.columns[1:] {
			if c.generated != "" {
				row = append(row, "DEFAULT")
			} else if c.nullable && oneIn(r, 6) {
				row = append(row, "NULL")
			} else {
				row = append(row, pick(r, c.values))
			}
		}
		t.rows = append(t.rows, strings.Join(row, ", "))
	}
	return t
}

// drawGenerated gives some tables columns that are computed of others, most of them when they are read.
func (t *table) drawGenerated(r *rand.Rand, kinds []kind) {
	if !oneIn(r, *generated) {
		return
	}
	for n := range 1 + r.IntN(3) {
		from := pick(r, t.columns)
		of := []string{"%s", "CONCAT(%s,'x')", "IFNULL(%s,'a')", "LENGTH(%s)", "IF(%s IS NULL,1,'b')", "LEFT(%s,2)", "UPPER(%s)", "id MOD 4 + 0*LENGTH(%s)"}
		if from.class == "number" {
			of = append(of, "%s+1", "%s*2", "-%s", "%s/2", "IF(%s<5,1,0)")
		}
		c := column{kind: pick(r, kinds), nullable: true, generated: fmt.Sprintf(pick(r, of), from.name) + pick(r, []string{") VIRTUAL", ") VIRTUAL", ") STORED"})}
		c.name = fmt.Sprintf("x%d", n)
		c.zoned = from.class == "stamp" || from.zoned || c.class == "stamp"
		if c.zoned { // which time zone a STORED one is computed in, depends on which session has opened the table
			c.generated = strings.Replace(c.generated, "STORED", "VIRTUAL", 1)
		}
		if c.class == "text" {
			c.collation = pick(r, collations)
		}
		t.columns = append(t.columns, c)
	}
}

// computes reports whether the table has generated columns.
func (t *table) computes() bool {
	return slices.ContainsFunc(t.columns, func(c column) bool { return c.generated != "" })
}

func (t *table) drawKeys(r *rand.Rand) {
	switch r.IntN(4) {
	case 0: // none: the rows have no order of their own
		t.keys = append(t.keys, "UNIQUE KEY uid (id)")
		t.indexes = append(t.indexes, "uid")
		t.columns[0].indexed = true
	case 1:
		if part, at := t.part(r, false); part != "" && t.columns[at].generated == "" {
			t.columns[at].nullable, t.columns[at].indexed = false, true
			t.keys = append(t.keys, "PRIMARY KEY ("+part+", id)")
			break
		}
		fallthrough
	default:
		t.keys = append(t.keys, "PRIMARY KEY (id)")
		t.columns[0].indexed = true
	}
	for n := range r.IntN(4) {
		var parts []string
		used, foreign := map[int]bool{}, false
		for range 1 + r.IntN(3) {
			part, at := t.part(r, true)
			if part == "" || used[at] {
				continue
			}
			if len(parts) == 0 {
				t.columns[at].indexed = true
			}
			used[at] = true
			foreign = foreign || t.columns[at].collation == "utf8mb4_unicode_ci" // whose keys are the fallback's: 'ss' and 'ß' are two
			parts = append(parts, part)
		}
		if len(parts) == 0 {
			continue
		}
		word := "KEY"
		if oneIn(r, 5) && !foreign {
			word = "UNIQUE KEY"
		}
		name := fmt.Sprintf("k%d", n)
		t.keys = append(t.keys, fmt.Sprintf("%s %s (%s)", word, name, strings.Join(parts, ", ")))
		t.indexes = append(t.indexes, name)
	}
}

// part is a column of a key, with its prefix.
func (t *table) part(r *rand.Rand, prefixes bool) (text string, at int) {
	at = r.IntN(len(t.columns))
	c := &t.columns[at]
	long := c.declared == "TEXT" || c.declared == "BLOB"
	switch {
	case at == 0 && !prefixes:
		return "", 0
	case c.zoned: // an entry is of the time zone in which it was made
		return "", 0
	case long && !prefixes:
		return "", 0
	case long || prefixes && strings.HasPrefix(c.declared, "VAR") && oneIn(r, 3):
		return fmt.Sprintf("%s(%d)", c.name, 1+r.IntN(4)), at
	}
	return c.name, at
}

// create is the statement that makes the table, with its keys or without any.
func (t *table) create(keys bool) string {
	name := t.name
	if !keys {
		name = t.plain()
	}
	var parts []string
	for _, c := range t.columns {
		p := c.name + " " + c.declared
		if c.collation != "" {
			set, _, _ := strings.Cut(c.collation, "_")
			p += " CHARACTER SET " + set + " COLLATE " + c.collation
		}
		switch {
		case c.generated != "":
			p += " AS (" + c.generated
		case c.nullable:
			p += " NULL"
		default:
			p += " NOT NULL"
		}
		parts = append(parts, p)
	}
	if keys {
		parts = append(parts, t.keys...)
	}
	return "CREATE TABLE " + name + " (" + strings.Join(parts, ", ") + ")"
}

// plain is the name of the table that has the same rows, but no keys.
func (t *table) plain() string { return t.name + "_plain" }

// insert is the statement that stores a row.
func (t *table) insert(row string, keys bool) string {
	if !keys {
		return "INSERT INTO " + t.plain() + " VALUES (" + row + ")"
	}
	return "INSERT INTO " + t.name + " VALUES (" + row + ")"
}

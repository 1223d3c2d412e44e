package queries

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// class is what a column's values are compared as.
type class int

const (
	number class = iota
	text
	binary
	date
	moment
)

// kind is a type of columns, with literals of its values.
type kind struct {
	name, declared string
	class          class
	values         []string
}

var words = []string{"''", "'a'", "'A'", "'a '", "'A  '", "'b'", "'B'", "'ab'", "'aB'", "'á'", "'12'", "'12 '", "'1'", "'zz'"}

var kinds = []kind{
	{"i", "INT", number, []string{"-1", "0", "1", "2", "3", "12"}},
	{"iu", "INT UNSIGNED", number, []string{"0", "1", "2", "3", "12", "4294967295"}},
	{"bi", "BIGINT", number, []string{"-1", "0", "1", "2", "9007199254740993"}},
	{"bu", "BIGINT UNSIGNED", number, []string{"0", "1", "2", "12", "18446744073709551615"}},
	{"ti", "TINYINT", number, []string{"-1", "0", "1", "2", "12"}},
	{"d", "DECIMAL(10,2)", number, []string{"-1.00", "0.00", "1.00", "1.50", "2.00", "12.00"}},
	{"d4", "DECIMAL(12,4)", number, []string{"1.0000", "1.5000", "1.5001", "2.0000", "-1"}},
	{"g", "DOUBLE", number, []string{"-1", "0", "1", "1.5", "2", "12"}},
	{"v", "VARCHAR(10)", text, words},
	{"v2", "VARCHAR(20)", text, words},
	{"c", "CHAR(6)", text, words},
	{"tx", "TEXT", text, words},
	{"e", "ENUM('b','a','12','ab')", text, []string{"'a'", "'b'", "'12'", "'ab'"}},
	{"st", "SET('b','a','ab')", text, []string{"''", "'a'", "'b'", "'b,a'", "'ab'"}},
	{"vb", "VARBINARY(8)", binary, []string{"''", "'a'", "'A'", "'a '", "'b'", "'12'"}},
	{"da", "DATE", date, []string{"'2020-02-29'", "'2024-01-01'", "'1999-12-31'"}},
	{"dt", "DATETIME", moment, []string{"'2020-02-29 00:00:00'", "'2020-02-29 12:30:00'", "'2024-01-01 00:00:00'", "'1999-12-31 23:59:59'"}},
	{"ts", "TIMESTAMP", moment, []string{"'2020-02-29 00:00:00'", "'2020-02-29 12:30:00'", "'2024-01-01 00:00:00'"}},
}

var collations = []string{
	"utf8mb4_general_ci", "utf8mb4_general_ci", "utf8mb4_bin", "latin1_swedish_ci", "utf8mb4_general_ci", "latin1_bin", "utf8mb4_unicode_ci",
}

type column struct {
	kind
	collation string
	notNull   bool
}

// member reports whether values are members of ENUM or SET. MIN and MAX of them are MariaDB's by their texts, or by their numbers if an index has them;
// and what it makes of NOT IN with NULL and a SET depends on its plan.
func (c *column) member() bool {
	return strings.HasPrefix(c.declared, "ENUM") || strings.HasPrefix(c.declared, "SET")
}

// table is a drawn table with the primary key id.
type table struct {
	name    string
	columns []column // the first is id
	create  string
	insert  string
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func oneIn(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }

// drawTables draws two tables, of which most columns are the same.
func drawTables(r *rand.Rand) []*table {
	var shared []column
	for _, at := range r.Perm(len(kinds))[:5+r.IntN(3)] {
		c := column{kind: kinds[at]}
		if c.class == text {
			c.collation = pick(r, collations)
		}
		shared = append(shared, c)
	}
	var out []*table
	for _, name := range []string{"a", "b"} {
		t := &table{name: name, columns: []column{{kind: kind{"id", "INT", number, []string{"1", "2", "3", "5", "12"}}, notNull: true}}}
		for _, c := range shared {
			if oneIn(r, 8) {
				continue
			}
			if c.collation != "" && oneIn(r, 8) {
				c.collation = pick(r, collations)
			}
			c.notNull = oneIn(r, 4)
			t.columns = append(t.columns, c)
		}
		t.define(r)
		out = append(out, t)
	}
	return out
}

func (t *table) define(r *rand.Rand) {
	var parts, keys []string
	for _, c := range t.columns {
		p := c.name + " " + c.declared
		if c.collation != "" {
			set, _, _ := strings.Cut(c.collation, "_")
			p += " CHARACTER SET " + set + " COLLATE " + c.collation
		}
		if c.notNull {
			p += " NOT NULL"
		}
		parts = append(parts, p)
		if c.declared != "TEXT" && c.name != "id" && oneIn(r, 4) {
			keys = append(keys, "KEY ("+c.name+")")
		}
	}
	t.create = "CREATE TABLE " + t.name + " (" + strings.Join(append(append(parts, "PRIMARY KEY (id)"), keys...), ", ") + ")"
	var rows []string
	for id := range 3 + r.IntN(8) {
		row := []string{fmt.Sprint(id + 1)}
		for _, c := range t.columns[1:] {
			if !c.notNull && oneIn(r, 5) {
				row = append(row, "NULL")
			} else {
				row = append(row, pick(r, c.values))
			}
		}
		rows = append(rows, "("+strings.Join(row, ", ")+")")
	}
	t.insert = "INSERT INTO " + t.name + " VALUES " + strings.Join(rows, ", ")
}

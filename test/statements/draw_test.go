package statements

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// question is a drawn SELECT: its parts, so that it can be asked of another table.
type question struct {
	head, from, tail string // from is the table's name; tail begins with an alias or a hint
	plainTail        string // tail without hints
	args             []any  // of a prepared one
	like             likeness
	strict           bool // it has conditions that may fail where warnings are errors
	keyed            bool // keys may change what is found: MIN and MAX of ENUM are by numbers in an index
}

func (q question) text() string { return q.head + q.from + q.tail }

// plain asks the same of the table without keys.
func (q question) plain(t *table) question {
	q.from, q.tail = t.plain(), q.plainTail
	return q
}

// drawer draws statements on a table.
type drawer struct {
	*rand.Rand
	t      *table
	name   string // how the statement calls the table
	beside string // what is joined to the table
	params bool
	args   []any
	perRow bool // a condition may say something of each row that is looked at
	like   bool // constants are values of the column that they meet
}

// strange are constants of all types, for columns whose values are not like them.
var strange = []string{
	"NULL", "0", "1", "-1", "12", "2.5", "-0.5", "1e1", "1e300", "18446744073709551615", "-9223372036854775808", "99999999999999999999",
	"0x61", "b'1'", "x'61'", "''", "'a'", "'12'", "'12abc'",
	"' 12'", "'2.5'", "'1e1'", "'-5'", "DATE'2020-02-29'", "TIME'12:30:00'", "TIMESTAMP'2020-02-29 12:30:00'",
	"TIMESTAMP'2024-10-27 02:30:00.5'", "'2020-02-29'", "'2020-2-29'", "20200229",
	"20200229123000", "'2020-02-30'", "'12:30'", "'12:30:00.5'", "123000", "TRUE", "FALSE", "'ä'", "_latin1'a'", "_latin1 x'e4'",
	"_binary'a'", "'a' COLLATE utf8mb4_bin", "'one'", "'b,a'", "'ONE'",
	"2020", "20", "'20'", "300", "-129", "70000.5", "4294967296", "1.005", "0.1", "'0000-00-00'", "0.0", "'838:59:59.5'", "'900:00:00'",
	"CAST(5 AS UNSIGNED)", "CAST('12' AS DECIMAL(5,2))",
	"CAST('a' AS CHAR(3))", "CAST('2020-02-29' AS DATE)", "1+1", "CONCAT('a','b')", "'zzz'", "'a '", "'A'", "'\\0'",
}

// constant is one to compare a column with.
func (d *drawer) constant(c *column) string {
	text := d.literal(c)
	if !d.params || strings.HasPrefix(text, "_") || strings.Contains(text, "(") || strings.Contains(text, "COLLATE") || oneIn(d.Rand, 3) {
		return text
	}
	switch value := argument(text); value.(type) {
	case nil:
		return text
	default:
		d.args = append(d.args, value)
		return "?"
	}
}

// argument is a literal as a client's value; nil if that is not to be had.
func argument(text string) any {
	if text[0] == '\'' {
		return strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\0`, "\x00").Replace(text[1 : len(text)-1])
	}
	var n int64
	if _, err := fmt.Sscanf(text, "%d", &n); err == nil && fmt.Sprint(n) == text {
		return n
	}
	var g float64
	if _, err := fmt.Sscanf(text, "%g", &g); err == nil && strings.Contains(text, "e") {
		return g
	}
	return nil
}

func (d *drawer) literal(c *column) string {
	if c.is("y") || d.like { // with a date it is compared otherwise
		v := pick(d.Rand, c.values)
		if d.like && c.is("e") && v == "''" {
			v = "'b'" // by an index MariaDB finds the member of that name, but not what is no member
		}
		return v
	}
	switch d.IntN(10) {
	case 0, 1:
		d.perRow = true
		return pick(d.Rand, strange)
	case 2:
		other := pick(d.Rand, d.t.columns)
		if c.class == "time" && (other.class == "stamp" || other.class == "datetime") {
			other = *c // a TIME is equal to a moment's time in the select list, but in WHERE only if it is today's
		}
		if other.class != c.class {
			d.perRow = true
		}
		return pick(d.Rand, other.values)
	}
	v := pick(d.Rand, c.values)
	if c.class == "number" && oneIn(d.Rand, 6) && !strings.Contains(v, "e") && len(v) < 12 {
		v += pick(d.Rand, []string{"+1", "-1", "+0.5", "*1.0", "+0e0"})
	}
	if oneIn(d.Rand, 8) {
		switch c.class {
		case "date":
			return "DATE" + v
		case "time":
			return "TIME" + v
		case "datetime", "stamp":
			return "TIMESTAMP" + v
		}
	}
	return v
}

var comparisons = []string{"=", "=", "=", "<", "<=", ">", ">=", "<>", "<=>", "!="}

// What expressions are known to do otherwise than MariaDB's, and the generator leaves out:
//   - FLOAT(M,D) and DOUBLE(M,D) are equal to a number with a fixed fraction if they differ by less than that shows: fd is not compared.
//   - COALESCE of a zero date is NULL under NO_ZERO_DATE, and has conditions where it is shown.
//   - a YEAR between numbers that are no integers, and an ENUM in a list of numbers and texts, are compared otherwise.
//   - NOT (a <> b) is a = b in messages about collations.
//   - texts are no shorter in the order of an expression whose collation is binary: see orderBy.

var patterns = []string{"'a%'", "'%'", "'_'", "'a'", "'12%'", "'2020%'", "'%b'", "''", "'ä%'", "'A_'", "'1\\%'"}

// aColumn is one to ask for, more often one that begins a key.
func (d *drawer) aColumn() *column {
	c := &d.t.columns[d.IntN(len(d.t.columns))]
	for n := 0; n < 2 && !c.indexed; n++ {
		c = &d.t.columns[d.IntN(len(d.t.columns))]
	}
	return c
}

// called is a column's name as the statement may write it.
func (d *drawer) called(c *column) string {
	switch d.IntN(6) {
	case 0:
		return d.name + "." + c.name
	case 1:
		return strings.ToUpper(c.name)
	case 2:
		return "`" + c.name + "`"
	}
	return c.name
}

func (d *drawer) condition(depth int) string {
	if depth > 0 {
		switch d.IntN(7) {
		case 0, 1, 2:
			return d.condition(depth-1) + " AND " + d.operand(depth-1)
		case 3:
			return "(" + d.condition(depth-1) + " OR " + d.operand(depth-1) + ")"
		case 4:
			return "NOT (" + d.condition(depth-1) + ")"
		}
	}
	c := d.compared()
	name := d.called(c)
	kind := d.IntN(13)
	if c.mixed() && kind >= 1 && kind <= 4 {
		kind = 0
	}
	switch kind {
	case 0:
		return d.constant(c) + pick(d.Rand, comparisons) + name
	case 1, 2:
		var list []string
		params := d.params
		if strings.HasPrefix(c.collation, "ucs2") || strings.HasPrefix(c.collation, "utf16") {
			d.params = false // MariaDB takes the digits of a number that is a parameter beside texts for wide characters
		}
		for range 1 + d.IntN(4) {
			list = append(list, d.constant(c))
		}
		d.params = params
		return name + pick(d.Rand, []string{" IN (", " IN (", " NOT IN ("}) + strings.Join(list, ", ") + ")"
	case 3, 4:
		low := d.constant(c)
		return name + pick(d.Rand, []string{" BETWEEN ", " BETWEEN ", " NOT BETWEEN "}) + low + " AND " + d.constant(c)
	case 5:
		d.perRow = true
		return name + pick(d.Rand, []string{" IS NULL", " IS NOT NULL", "<=>NULL", " IS TRUE", " IS NOT FALSE"})
	case 6:
		d.perRow = true
		pattern := pick(d.Rand, patterns)
		if d.like && c.indexed && pattern == "'a%'" {
			pattern = "'b%'" // by an index MariaDB does not find 'a\tb'
		}
		return name + pick(d.Rand, []string{" LIKE ", " NOT LIKE "}) + pattern
	case 7:
		other := d.compared()
		d.perRow = true
		return name + pick(d.Rand, comparisons) + d.called(other)
	case 8:
		d.perRow = true
		return name
	}
	return name + pick(d.Rand, comparisons) + d.constant(c)
}

func (d *drawer) operand(depth int) string { return d.condition(depth) }

// compared is a column of a condition.
func (d *drawer) compared() *column {
	c := d.aColumn()
	for c.is("fd") {
		c = d.aColumn()
	}
	return c
}

// mixed reports whether values of a column are compared with lists otherwise than MariaDB's.
func (c *column) mixed() bool { return c.is("y", "e", "s") }

// expression is something of the select list, or a key of the order.
func (d *drawer) expression() string {
	c := d.aColumn()
	kind := d.IntN(6)
	if kind == 3 && (strings.HasPrefix(c.class, "date") || c.class == "stamp") {
		kind = 2
	}
	switch kind {
	case 0:
		return d.called(c) + "+1"
	case 1:
		return "CONCAT(" + d.called(c) + ",'x')"
	case 2:
		return d.called(c) + " IS NULL"
	case 3:
		return "COALESCE(" + d.called(c) + "," + d.called(c) + ")"
	case 4:
		return "-" + d.called(c)
	}
	return "(" + d.called(c) + ")"
}

// statement draws a SELECT.
func (d *drawer) statement() question {
	q := question{from: d.t.name}
	d.name = d.t.name
	alias := ""
	if oneIn(d.Rand, 4) {
		d.name = "x"
		alias = pick(d.Rand, []string{" x", " AS x"})
	} else {
		alias = " " + d.t.name // so that a table of another name answers to the same one
		d.name = d.t.name
	}
	alias += d.beside
	distinct := oneIn(d.Rand, 8)
	var items, names []string
	total := !distinct
	if !distinct && oneIn(d.Rand, 8) {
		return d.extremes(q, alias)
	}
	if !distinct && oneIn(d.Rand, 4) {
		return d.grouped(q, alias)
	}
	if !distinct && oneIn(d.Rand, 8) {
		return d.groups(q, alias)
	}
	switch {
	case distinct:
		for range 1 + d.IntN(2) {
			c := d.aColumn()
			for c.is("bt") { // which a temporary table of MariaDB has as a BIGINT
				c = d.aColumn()
			}
			items = append(items, d.called(c))
		}
		q.like.countOnly, q.like.ofTemporary = true, true
	case oneIn(d.Rand, 3):
		items = []string{pick(d.Rand, []string{"*", d.name + ".*"})}
	default:
		for range 1 + d.IntN(4) {
			item := d.called(d.aColumn())
			if oneIn(d.Rand, 4) {
				item = d.expression()
				d.perRow = true
			}
			if oneIn(d.Rand, 4) {
				name := fmt.Sprintf("n%d", len(names))
				names = append(names, name)
				item += pick(d.Rand, []string{" ", " AS "}) + name
			}
			items = append(items, item)
		}
	}
	q.head = "SELECT "
	if distinct {
		q.head += "DISTINCT "
	}
	q.head += strings.Join(items, ", ") + " FROM "
	where := ""
	if !oneIn(d.Rand, 6) {
		where = " WHERE " + d.condition(d.IntN(3))
	}
	if starred := len(items) == 1 && strings.HasSuffix(items[0], "*"); where != "" && starred && oneIn(d.Rand, 5) {
		where = strings.Replace(where, " WHERE ", " HAVING ", 1)
	} else if len(names) > 0 && !distinct && oneIn(d.Rand, 4) {
		where += " HAVING " + pick(d.Rand, names) + pick(d.Rand, []string{" IS NOT NULL", " IS NULL", " <=> NULL"})
	}
	tail := where + d.orderBy(&q, items, names, total)
	if oneIn(d.Rand, 12) {
		tail += pick(d.Rand, []string{" FOR UPDATE", " LOCK IN SHARE MODE"})
	}
	q.plainTail = alias + tail
	q.tail = alias + d.hint() + tail
	q.args = d.args
	q.like.warnings = !d.perRow || where == "" && !strings.Contains(tail, "LIMIT") && !strings.Contains(tail, "ORDER")
	if strings.Contains(tail, "WITH TIES") { // MariaDB computes the keys of a row once more to see whether it is like the last one
		q.like.warnings = false
	}
	return q
}

// extremes draws a SELECT of the least and greatest values of columns of all rows.
func (d *drawer) extremes(q question, alias string) question {
	var items []string
	for range 1 + d.IntN(3) {
		items = append(items, pick(d.Rand, []string{"MIN(", "MAX("})+d.called(d.aColumn())+")")
	}
	if oneIn(d.Rand, 3) {
		items = append(items, "COUNT(*)")
	}
	q.head = "SELECT " + strings.Join(items, ", ") + " FROM "
	where := ""
	if oneIn(d.Rand, 2) {
		where = " WHERE " + d.condition(d.IntN(3))
	}
	q.plainTail, q.tail = alias+where, alias+d.hint()+where
	q.args, q.keyed = d.args, true
	return q
}

// groups draws a SELECT of groups, of which equal texts are not the key: which one is shown is nobody's business.
func (d *drawer) groups(q question, alias string) question {
	key := d.aColumn()
	for key.class == "text" || key.class == "binary" || key.is("bt") {
		key = d.aColumn()
	}
	name := d.called(key)
	items := []string{name}
	for range 1 + d.IntN(3) {
		c := d.aColumn()
		x := d.called(c)
		switch d.IntN(7) {
		case 0:
			x = "COUNT(DISTINCT " + x + ")"
		case 1:
			x = "COUNT(DISTINCT " + x + ", " + d.called(d.aColumn()) + ")"
		case 2:
			x = pick(d.Rand, []string{"SUM(", "AVG(", "SUM(DISTINCT ", "BIT_OR("}) + d.called(d.number()) + ")"
		case 3:
			x = "GROUP_CONCAT(DISTINCT " + d.called(d.number()) + " ORDER BY 1 SEPARATOR '/')"
		case 4:
			x = "GROUP_CONCAT(id ORDER BY " + x + ", id DESC)"
		case 5:
			x = pick(d.Rand, []string{"MIN(", "MAX("}) + d.called(d.number()) + ")"
		case 6:
			x = "COUNT(" + x + ")"
		}
		items = append(items, x)
	}
	items = append(items, "COUNT(*) AS n")
	q.head = "SELECT " + strings.Join(items, ", ") + " FROM "
	tail := ""
	if oneIn(d.Rand, 2) {
		tail = " WHERE " + d.condition(d.IntN(2))
	}
	tail += " GROUP BY " + name
	if oneIn(d.Rand, 3) {
		tail += " HAVING n" + pick(d.Rand, []string{">1", "=1", "<3", " BETWEEN 2 AND 4"})
	}
	q.plainTail, q.tail = alias+tail, alias+d.hint()+tail
	q.args = d.args
	q.like.rowsOnly = true // groups of an index and those of a temporary table are announced otherwise
	return q
}

// number is a column of a number that is exact. MIN and MAX of ZEROFILL and YEAR show zeros where MariaDB has a temporary table.
func (d *drawer) number() *column {
	for range 8 {
		if c := d.aColumn(); c.class == "number" && !c.is("f", "fd", "g", "bt", "zf", "y") {
			return c
		}
	}
	return &d.t.columns[0]
}

func (d *drawer) hint() string {
	if len(d.t.indexes) == 0 || !oneIn(d.Rand, 4) {
		return ""
	}
	return pick(d.Rand, []string{" IGNORE INDEX (", " USE INDEX (", " FORCE INDEX ("}) + pick(d.Rand, d.t.indexes) + ")"
}

// orderBy draws ORDER BY and LIMIT; the latter only where the rows have one order.
func (d *drawer) orderBy(q *question, items, names []string, total bool) string {
	direction := func() string { return pick(d.Rand, []string{"", "", " ASC", " DESC", " DESC"}) }
	limit := func() string {
		return pick(d.Rand, []string{"", "", " LIMIT 3", " LIMIT 2,4", " LIMIT 5 OFFSET 1", " LIMIT 0", " LIMIT 1", " LIMIT 100"})
	}
	if oneIn(d.Rand, 3) {
		if d.name == d.t.name && oneIn(d.Rand, 4) && !q.like.countOnly {
			q.like.countOnly = true // which rows are shown is nobody's business
			return limit()
		}
		return ""
	}
	var keys []string
	for range d.IntN(3) {
		switch {
		case !total || oneIn(d.Rand, 4):
			keys = append(keys, fmt.Sprint(1+d.IntN(len(items)))+direction())
		case len(names) > 0 && oneIn(d.Rand, 3):
			keys = append(keys, pick(d.Rand, names)+direction())
		case oneIn(d.Rand, 4):
			keys = append(keys, d.expression()+direction())
		default:
			keys = append(keys, d.called(d.aColumn())+direction())
		}
	}
	if !total {
		if len(keys) == 0 {
			return ""
		}
		return " ORDER BY " + strings.Join(keys, ", ")
	}
	keys = append(keys, "id"+direction())
	if oneIn(d.Rand, 6) { // of equal rows all come, in any order; which of them an offset leaves out is nobody's business
		offset := pick(d.Rand, []string{"", "", " OFFSET 2 ROWS", " OFFSET 1 ROW"})
		if len(keys) > 1 && oneIn(d.Rand, 2) {
			keys, offset = keys[:len(keys)-1], ""
		}
		rows := pick(d.Rand, []string{" FETCH FIRST 3 ROWS", " FETCH NEXT ROW", " FETCH FIRST 7 ROWS"})
		return " ORDER BY " + strings.Join(keys, ", ") + offset + rows + " WITH TIES"
	}
	q.like.ordered = true
	return " ORDER BY " + strings.Join(keys, ", ") + limit()
}

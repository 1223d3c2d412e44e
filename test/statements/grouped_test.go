package statements

import (
	"fmt"
	"strings"
)

// exact reports whether values that are equal are the same: else it is nobody's business which one a group shows.
func (c *column) exact() bool {
	switch {
	case c.class == "text" && (strings.HasPrefix(c.declared, "ENUM") || strings.HasPrefix(c.declared, "SET")):
		return true
	case c.class == "text":
		return c.declared == "CHAR(8)" && strings.HasSuffix(c.collation, "_bin")
	case c.class == "stamp": // two moments may have one local time
		return false
	}
	return !c.is("f", "fd", "g") // -0 is 0, and sums depend on the order
}

// exactColumn is a column whose values can be told apart, or id.
func (d *drawer) exactColumn() *column {
	for range 8 {
		if c := d.aColumn(); c.exact() && !c.is("y") {
			return c
		}
	}
	return &d.t.columns[0]
}

// grouped draws a SELECT with GROUP BY, more often with super rows than without them.
func (d *drawer) grouped(q question, alias string) question {
	rollup, distinct := !oneIn(d.Rand, 3), oneIn(d.Rand, 8)
	var keys []*column
	for range 1 + d.IntN(3) {
		c := d.exactColumn()
		for _, k := range keys {
			if k == c {
				c = nil
				break
			}
		}
		if c != nil {
			keys = append(keys, c)
		}
	}
	items, names := d.groupItems(keys, rollup, distinct)
	var groups []string
	for i, k := range keys {
		text := d.called(k)
		if at := d.IntN(len(items)); oneIn(d.Rand, 8) && items[at] == k.name {
			text = fmt.Sprint(at + 1)
		}
		if rollup && oneIn(d.Rand, 4) {
			text += pick(d.Rand, []string{" ASC", " DESC"})
		}
		if i == len(keys)-1 && rollup {
			text += " WITH ROLLUP"
		}
		groups = append(groups, text)
	}
	if q.head = "SELECT "; distinct {
		q.head += "DISTINCT "
	}
	q.head += strings.Join(items, ", ") + " FROM "
	tail := ""
	if oneIn(d.Rand, 2) {
		tail = " WHERE " + d.condition(d.IntN(2))
	}
	tail += " GROUP BY " + strings.Join(groups, ", ") + d.havingGroups(keys, names, rollup && tail != "")
	if rollup {
		q.like.ordered = true
		tail += pick(d.Rand, []string{"", "", "", " LIMIT 3", " LIMIT 2,4", " LIMIT 100"})
	}
	q.like.ofTemporary, q.like.ofGroups = true, true
	q.like.warnings = !d.perRow
	q.plainTail, q.tail, q.args = alias+tail, alias+d.hint()+tail, d.args
	return q
}

// groupItems draws what is shown of groups, and the names of aggregate functions' results.
func (d *drawer) groupItems(keys []*column, rollup, distinct bool) (items, names []string) {
	for _, k := range keys {
		if !oneIn(d.Rand, 5) {
			items = append(items, k.name)
		}
	}
	for range 1 + d.IntN(4) {
		c := d.exactColumn()
		for c.collation != "" || c.class == "binary" || c.is("zf", "bt") { // of which temporary tables have others
			c = d.exactColumn()
		}
		item := ""
		switch d.IntN(9) {
		case 0:
			item = "COUNT(*)"
		case 1:
			item = "COUNT(" + d.called(c) + ")"
		case 2:
			item = "COUNT(DISTINCT " + d.called(c) + ")"
		case 3:
			item = pick(d.Rand, []string{"MIN(", "MAX("}) + d.called(c) + ")"
		case 4:
			item = "SUM(id)"
		case 5:
			item = pick(d.Rand, []string{"BIT_OR(id)", "BIT_XOR(id)", "AVG(id)", "MAX(id)+1", "COUNT(*)*2"})
			if distinct { // rows that differ in expressions of functions MariaDB may take for the same, and the same for two
				item = "BIT_OR(id)"
			}
		default:
			if len(keys) == 0 || !rollup || distinct {
				item = "MIN(id)"
				break
			}
			item = d.ofKey(pick(d.Rand, keys))
		}
		if oneIn(d.Rand, 3) && !strings.Contains(item, "IS NULL") {
			name := fmt.Sprintf("n%d", len(names))
			names = append(names, name)
			item += " AS " + name
		}
		items = append(items, item)
	}
	return items, names
}

// ofKey is an expression of a key, which is another one in super rows.
func (d *drawer) ofKey(c *column) string {
	name := d.called(c)
	known := c.class == "stamp" || strings.HasPrefix(c.class, "date") || c.declared == "TEXT" || c.collation != "" || c.class == "binary"
	switch d.IntN(6) {
	case 0:
		if c.class == "number" && !known {
			return name + " IN (1, 5, NULL)"
		}
	case 1:
		if !known {
			return "IFNULL(" + name + ", 7)"
		}
	case 2:
		if c.class == "number" && !c.is("bu", "bi", "bt") {
			return name + "*2"
		}
	case 3:
		if c.nullable || !d.params { // else MariaDB has settled it when it first executes a prepared statement
			return "IF(" + name + " IS NULL, 'all', 'one')"
		}
	case 4:
		if d.params {
			break
		}
		return "COUNT(*) + (" + name + " IS NULL)"
	}
	return name + " IS NULL"
}

func (d *drawer) havingGroups(keys []*column, names []string, perhapsOne bool) string {
	switch k := pick(d.Rand, keys); d.IntN(8) {
	case 0:
		return " HAVING COUNT(*) > " + fmt.Sprint(d.IntN(4))
	case 1:
		if d.params { // MariaDB does not see in a prepared statement that a column cannot be NULL, but in super rows
			break
		}
		return " HAVING " + k.name + pick(d.Rand, []string{" IS NULL", " IS NOT NULL", " <=> NULL"})
	case 2:
		if !k.mixed() && !k.is("fd") && !perhapsOne { // with ROLLUP of one row MariaDB ends with signal 11
			return " HAVING " + k.name + pick(d.Rand, comparisons) + pick(d.Rand, k.values)
		}
	case 3:
		if len(names) > 0 && !d.params {
			return " HAVING " + pick(d.Rand, names) + pick(d.Rand, []string{" IS NOT NULL", " IS NULL"})
		}
	case 4:
		return " HAVING COUNT(*) > 1 AND " + k.name + " IS NOT NULL OR MAX(id) > 5"
	}
	return ""
}

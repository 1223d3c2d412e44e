package queries

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// question is a drawn SELECT, with the families of which it has something.
type question struct {
	text string
	tags []string
	// ordered: the answer's rows have one order.
	ordered bool
}

// source is a table that a statement reads, by the name it has there.
type source struct {
	*table
	as string
}

func (s source) ref() string {
	if s.as == s.name {
		return s.name
	}
	return s.name + " " + s.as
}

// drawer draws statements about tables.
type drawer struct {
	*rand.Rand
	tables []*table
	tags   map[string]bool
	names  int
}

func (d *drawer) tag(name string) { d.tags[name] = true }

func (d *drawer) source() source {
	d.names++
	return source{pick(d.Rand, d.tables), fmt.Sprintf("t%d", d.names)}
}

func (s source) col(c *column) string { return s.as + "." + c.name }

func (d *drawer) any(s source) (*column, string) {
	c := &s.columns[d.IntN(len(s.columns))]
	return c, s.col(c)
}

// like finds a column of s to compare with c: most of the same class, mostly of the same type.
func (d *drawer) like(s source, c *column) string {
	if oneIn(d.Rand, 12) {
		o, n := d.any(s)
		d.pair(c, o)
		return n
	}
	var same, near []*column
	for i := range s.columns {
		o := &s.columns[i]
		switch {
		case o.class != c.class:
		case o.declared == c.declared && o.collation == c.collation:
			same = append(same, o)
		default:
			near = append(near, o)
		}
	}
	if len(same) > 0 && !oneIn(d.Rand, 4) {
		near = same
	}
	if len(near) == 0 {
		near = same
	}
	if len(near) == 0 {
		o, n := d.any(s)
		d.pair(c, o)
		return n
	}
	o := pick(d.Rand, near)
	d.pair(c, o)
	return s.col(o)
}

// pair notes what kind of comparison two columns are.
func (d *drawer) pair(a, b *column) {
	name := map[class]string{number: "number", text: "text", binary: "binary", date: "date", moment: "moment"}
	switch {
	case a.class != b.class:
		x, y := name[a.class], name[b.class]
		d.tag("cmp " + min(x, y) + "-" + max(x, y))
	case a.class == text && a.collation != b.collation:
		d.tag("cmp text-othertext")
	case a.declared != b.declared:
		d.tag("cmp " + name[a.class] + "~")
	default:
		d.tag("cmp " + name[a.class])
	}
}

var comparisons = []string{"=", "=", "=", "=", "<", ">=", "<>", "<=>", "<=>"}

// on is a condition between two sources.
func (d *drawer) on(l, r source) string {
	c, name := d.any(l)
	cond := name + " " + pick(d.Rand, comparisons) + " " + d.like(r, c)
	switch d.IntN(6) {
	case 0:
		if strings.Contains(cond, "<=>") { // with = for the same columns MariaDB takes NULL for equal
			return cond
		}
		c, name := d.any(l)
		return cond + " AND " + name + " = " + d.like(r, c)
	case 1:
		return cond + " AND " + d.filter(r, 0)
	case 2:
		d.tag("or in on")
		return "(" + cond + " OR " + d.filter(l, 0) + ")"
	}
	return cond
}

// filter is a condition of one source, with subqueries up to a depth.
func (d *drawer) filter(s source, depth int) string {
	c, name := d.any(s)
	if depth > 0 && oneIn(d.Rand, 2) {
		return d.subqueryFilter(s, depth-1)
	}
	switch d.IntN(7) {
	case 0:
		return name + " IS NULL"
	case 1:
		return name + " IS NOT NULL"
	case 2:
		return fmt.Sprintf("%s IN (%s, %s)", name, pick(d.Rand, c.values), pick(d.Rand, c.values))
	case 3:
		return fmt.Sprintf("NOT (%s = %s)", name, pick(d.Rand, c.values))
	case 4:
		return fmt.Sprintf("%s BETWEEN %s AND %s", name, pick(d.Rand, c.values), pick(d.Rand, c.values))
	}
	return name + " " + pick(d.Rand, comparisons) + " " + pick(d.Rand, c.values)
}

// subqueryFilter is a condition with a subquery.
func (d *drawer) subqueryFilter(s source, depth int) string {
	c, name := d.any(s)
	inner := d.source()
	where := ""
	if oneIn(d.Rand, 2) {
		where = " WHERE " + d.filter(inner, depth)
	}
	if oneIn(d.Rand, 3) {
		d.tag("correlated")
		o, n := d.any(inner)
		cond := n + " " + pick(d.Rand, comparisons) + " " + d.like(s, o)
		if where == "" {
			where = " WHERE " + cond
		} else {
			where += " AND " + cond
		}
	}
	switch d.IntN(8) {
	case 0, 1:
		d.tag("in")
		return name + " IN (SELECT " + d.like(inner, c) + " FROM " + inner.ref() + where + ")"
	case 2:
		if c.member() {
			return name + " IS NULL"
		}
		for i := range inner.columns { // a value that the other type has not MariaDB takes for no match, even if there is NULL
			if o := &inner.columns[i]; o.declared == c.declared && o.collation == c.collation {
				d.tag("not in")
				return name + " NOT IN (SELECT " + inner.col(o) + " FROM " + inner.ref() + where + ")"
			}
		}
		return "NOT EXISTS (SELECT * FROM " + inner.ref() + where + ")"
	case 3:
		d.tag("exists")
		return "EXISTS (SELECT 1 FROM " + inner.ref() + where + ")"
	case 4:
		d.tag("not exists")
		return "NOT EXISTS (SELECT * FROM " + inner.ref() + where + ")"
	case 5:
		if c.member() {
			return name + " IS NOT NULL"
		}
		d.tag("scalar")
		return name + " " + pick(d.Rand, comparisons) + " (SELECT " + pick(d.Rand, []string{"MAX", "MIN"}) + "(" + d.like(inner, c) + ") FROM " + inner.ref() + where + ")"
	case 6:
		d.tag("any all")
		return name + " " + pick(d.Rand, []string{"=", "<", ">", ">=", "<>"}) + " " + pick(d.Rand, []string{"ANY", "ALL"}) +
			" (SELECT " + d.like(inner, c) + " FROM " + inner.ref() + where + ")"
	default:
		d.tag("row in")
		c2, name2 := d.any(s)
		return "(" + name + ", " + name2 + ") IN (SELECT " + d.like(inner, c) + ", " + d.like(inner, c2) + " FROM " + inner.ref() + where + ")"
	}
}

// from is a FROM clause of one to three sources.
func (d *drawer) from(n int) (string, []source) {
	s := d.source()
	out, all := s.ref(), []source{s}
	for range n - 1 {
		r := d.source()
		switch d.IntN(7) {
		case 0:
			out += " LEFT JOIN " + r.ref() + " ON " + d.on(pick(d.Rand, all), r)
			d.tag("left join")
		case 1:
			out += " RIGHT JOIN " + r.ref() + " ON " + d.on(pick(d.Rand, all), r)
			d.tag("right join")
		case 2:
			out += " CROSS JOIN " + r.ref()
		default:
			out += " JOIN " + r.ref() + " ON " + d.on(pick(d.Rand, all), r)
			d.tag("join")
		}
		all = append(all, r)
	}
	return out, all
}

func (d *drawer) where(all []source, depth int) string {
	if oneIn(d.Rand, 3) {
		return ""
	}
	cond := d.filter(pick(d.Rand, all), depth)
	switch d.IntN(4) {
	case 0:
		cond += " AND " + d.filter(pick(d.Rand, all), 0)
	case 1:
		cond += " OR " + d.filter(pick(d.Rand, all), 0)
	}
	return " WHERE " + cond
}

// list draws columns of sources.
func (d *drawer) list(all []source, n int) (cols []*column, names []string) {
	for range n {
		c, name := d.any(pick(d.Rand, all))
		if slices.Contains(names, name) {
			continue
		}
		cols, names = append(cols, c), append(names, name)
	}
	return cols, names
}

func aliased(names []string) string {
	var out []string
	for i, n := range names {
		out = append(out, fmt.Sprintf("%s AS c%d", n, i))
	}
	return strings.Join(out, ", ")
}

func (d *drawer) statement() question {
	d.tags, d.names = map[string]bool{}, 0
	var text string
	ordered := false
	switch d.IntN(16) {
	case 0, 1, 2:
		from, all := d.from(2 + d.IntN(2))
		_, names := d.list(all, 1+d.IntN(4))
		text = "SELECT " + strings.Join(names, ", ") + " FROM " + from + d.where(all, 1)
	case 3, 4:
		from, all := d.from(1)
		_, names := d.list(all, 1+d.IntN(4))
		text = "SELECT " + strings.Join(names, ", ") + " FROM " + from + " WHERE " + d.subqueryFilter(all[0], 1)
	case 5:
		d.tag("distinct")
		from, all := d.from(1 + d.IntN(2))
		_, names := d.list(all, 1+d.IntN(2))
		text = "SELECT DISTINCT " + strings.Join(names, ", ") + " FROM " + from + d.where(all, 1)
	case 6:
		text = d.grouped()
	case 7, 8:
		text = d.union()
	case 9, 10:
		text = d.window()
	case 11:
		text = d.derived()
	case 12:
		text = d.selected()
	case 13:
		text = d.natural()
	case 14:
		text = d.limited()
		ordered = true
	default:
		text = d.with()
	}
	var tags []string
	for t := range d.tags {
		tags = append(tags, t)
	}
	slices.Sort(tags)
	return question{text, tags, ordered}
}

func (d *drawer) aggregate(all []source) string {
	c, name := d.any(pick(d.Rand, all))
	f := pick(d.Rand, []string{"COUNT", "MIN", "MAX", "SUM", "AVG", "COUNT(DISTINCT", "SUM(DISTINCT", "STD", "VARIANCE", "COUNT(*)", "GROUP_CONCAT", "COUNT(DISTINCT several"})
	if c.member() && (f == "MIN" || f == "MAX") {
		f = "COUNT"
	}
	if c.class != number && slices.Contains([]string{"SUM", "AVG", "SUM(DISTINCT", "STD", "VARIANCE"}, f) {
		f = "COUNT"
	}
	d.tag("agg " + f)
	switch f {
	case "COUNT(*)":
		return f
	case "COUNT(DISTINCT several":
		_, more := d.list(all, 2+d.IntN(2))
		return "COUNT(DISTINCT " + strings.Join(more, ", ") + ")"
	case "COUNT(DISTINCT", "SUM(DISTINCT":
		return f + " " + name + ")"
	case "GROUP_CONCAT":
		return "GROUP_CONCAT(DISTINCT " + name + " ORDER BY " + name + ")"
	}
	return f + "(" + name + ")"
}

func (d *drawer) grouped() string {
	d.tag("group")
	from, all := d.from(1 + d.IntN(2))
	_, names := d.list(all, 1+d.IntN(2))
	if oneIn(d.Rand, 6) {
		d.tag("rollup")
		return "SELECT " + strings.Join(names, ", ") + ", " + d.aggregate(all) + " FROM " + from + d.where(all, 0) +
			" GROUP BY " + strings.Join(names, ", ") + " WITH ROLLUP"
	}
	agg := d.aggregate(all)
	having := ""
	if oneIn(d.Rand, 3) {
		d.tag("having")
		having = " HAVING " + pick(d.Rand, []string{"COUNT(*) > 1", "COUNT(*) = 1", "MIN(" + names[0] + ") IS NULL", "MAX(" + names[0] + ") IS NOT NULL"})
	}
	if oneIn(d.Rand, 5) {
		return "SELECT " + agg + " AS n FROM " + from + d.where(all, 1)
	}
	return "SELECT " + strings.Join(names, ", ") + ", " + agg + " AS n FROM " + from + d.where(all, 1) + " GROUP BY " + strings.Join(names, ", ") + having
}

func (d *drawer) union() string {
	op := pick(d.Rand, []string{"UNION", "UNION", "UNION ALL", "UNION ALL", "INTERSECT", "EXCEPT"})
	d.tag(strings.ToLower(op))
	l, r := d.source(), d.source()
	n := 1 + d.IntN(2)
	var a, b []string
	for range n {
		c, name := d.any(l)
		a, b = append(a, name), append(b, d.like(r, c))
	}
	text := "SELECT " + strings.Join(a, ", ") + " FROM " + l.ref() + d.where([]source{l}, 0) + " " + op + " SELECT " + strings.Join(b, ", ") +
		" FROM " + r.ref() + d.where([]source{r}, 0)
	if oneIn(d.Rand, 3) {
		d.tag("three")
		third := d.source()
		var c []string
		for range n {
			_, name := d.any(third)
			c = append(c, name)
		}
		d.tag("cmp any")
		text += " " + op + " SELECT " + strings.Join(c, ", ") + " FROM " + third.ref()
	}
	return text
}

func (d *drawer) derived() string {
	d.tag("derived")
	inner := d.source()
	cols, names := d.list([]source{inner}, 2+d.IntN(2))
	q := "SELECT " + aliased(names) + " FROM " + inner.ref() + d.where([]source{inner}, 0)
	switch d.IntN(4) {
	case 0:
		d.tag("distinct")
		q = strings.Replace(q, "SELECT", "SELECT DISTINCT", 1)
	case 1:
		d.tag("group")
		q = "SELECT " + aliased(names) + ", COUNT(*) n FROM " + inner.ref() + d.where([]source{inner}, 0) + " GROUP BY " + strings.Join(names, ", ")
	}
	out := d.source()
	var own []string
	for i := range cols {
		own = append(own, fmt.Sprintf("x.c%d", i))
	}
	switch d.IntN(3) {
	case 0:
		return "SELECT " + strings.Join(own, ", ") + " FROM (" + q + ") x"
	case 1:
		d.tag("join")
		return "SELECT " + strings.Join(own, ", ") + ", " + out.as + ".id FROM " + out.ref() + " JOIN (" + q + ") x ON x.c0 = " + d.like(out, cols[0])
	}
	d.tag("left join")
	return "SELECT " + strings.Join(own, ", ") + ", " + out.as + ".id FROM " + out.ref() + " LEFT JOIN (" + q + ") x ON x.c0 = " + d.like(out, cols[0])
}

// selected has a subquery in its list.
func (d *drawer) selected() string {
	d.tag("subquery in list")
	s := d.source()
	inner := d.source()
	c, name := d.any(inner)
	o, n := d.any(s)
	f := pick(d.Rand, []string{"COUNT", "MAX", "MIN"})
	if c.member() {
		f = "COUNT"
	}
	return "SELECT " + n + ", (SELECT " + f + "(" + name + ") FROM " + inner.ref() + " WHERE " + d.like(inner, o) + pick(d.Rand, []string{" = ", " <=> ", " < "}) +
		n + ") AS q FROM " + s.ref() + d.where([]source{s}, 0)
}

func (d *drawer) natural() string {
	d.tag("using")
	l, r := d.tables[0].name, d.tables[1].name
	if oneIn(d.Rand, 4) {
		d.tag("natural")
		return "SELECT * FROM " + l + " NATURAL " + pick(d.Rand, []string{"", "LEFT ", "RIGHT "}) + "JOIN " + r
	}
	c := &d.tables[0].columns[d.IntN(len(d.tables[0].columns))]
	var o *column
	for i := range d.tables[1].columns {
		if d.tables[1].columns[i].name == c.name {
			o = &d.tables[1].columns[i]
		}
	}
	if o == nil {
		c, o = &d.tables[0].columns[0], &d.tables[1].columns[0]
	}
	d.pair(c, o)
	list := "*"
	if oneIn(d.Rand, 3) {
		list = c.name
	}
	return "SELECT " + list + " FROM " + l + pick(d.Rand, []string{" JOIN ", " LEFT JOIN ", " RIGHT JOIN "}) + r + " USING (" + c.name + ")"
}

func (d *drawer) limited() string {
	d.tag("order limit")
	from, all := d.from(2)
	c, name := d.any(pick(d.Rand, all))
	_ = c
	var ids []string
	for _, s := range all {
		ids = append(ids, s.as+".id")
	}
	return "SELECT " + name + ", " + strings.Join(ids, ", ") + " FROM " + from + d.where(all, 1) + " ORDER BY " + name + pick(d.Rand, []string{"", " DESC"}) + ", " +
		strings.Join(ids, ", ") + pick(d.Rand, []string{"", " LIMIT 3", " LIMIT 2 OFFSET 1"})
}

func (d *drawer) with() string {
	d.tag("with")
	inner := d.source()
	cols, names := d.list([]source{inner}, 2)
	out := d.source()
	return "WITH x AS (SELECT " + aliased(names) + " FROM " + inner.ref() + d.where([]source{inner}, 0) + ") SELECT x.c0, " + out.as + ".id, y.c0 FROM x JOIN " +
		out.ref() + " ON x.c0 = " + d.like(out, cols[0]) + " LEFT JOIN x y ON y.c0 = x.c0"
}

package queries

import (
	"strings"
)

// window draws a SELECT with a window function.
func (d *drawer) window() string {
	from, all := d.from(1 + d.IntN(2))
	c, name := d.any(pick(d.Rand, all))
	_, part := d.any(pick(d.Rand, all))
	_, by := d.any(pick(d.Rand, all))
	var ids []string
	for _, s := range all {
		ids = append(ids, s.as+".id")
	}
	over := ""
	if oneIn(d.Rand, 2) {
		d.tag("partition by")
		over = "PARTITION BY " + part + " "
	}
	total := "ORDER BY " + by + ", " + strings.Join(ids, ", ")
	peers := "ORDER BY " + by
	desc := pick(d.Rand, []string{"", " DESC"})
	f := pick(d.Rand, []string{
		"ROW_NUMBER()", "RANK()", "DENSE_RANK()", "PERCENT_RANK()", "CUME_DIST()", "NTILE(3)", "LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE", "NTH_VALUE", "SUM",
		"COUNT", "MIN", "MAX", "AVG", "COUNT(*)", "STD", "VARIANCE", "BIT_OR",
	})
	d.tag("w " + f)
	frame := ""
	framed := func() {
		frame = pick(d.Rand, []string{
			"", "", " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING", " ROWS UNBOUNDED PRECEDING", " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
			" RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING", " RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", " ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
			" RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
		})
		if frame != "" {
			d.tag("frame" + frame)
		}
	}
	switch f {
	case "ROW_NUMBER()", "NTILE(3)":
		over += total + desc
	case "RANK()", "DENSE_RANK()", "PERCENT_RANK()", "CUME_DIST()":
		over += peers + desc
	case "LAG", "LEAD":
		f += "(" + name + pick(d.Rand, []string{"", ", 1", ", 2", ", 1, " + pick(d.Rand, c.values)}) + ")"
		over += total
	case "FIRST_VALUE", "LAST_VALUE", "NTH_VALUE":
		if f == "NTH_VALUE" {
			f += "(" + name + ", 2)"
		} else {
			f += "(" + name + ")"
		}
		over += total
		framed()
	default:
		if f != "COUNT(*)" {
			digits := c.name == "iu" || c.name == "bi" || c.name == "bu" // more than are right in squares
			if c.class != number && f != "COUNT" && f != "MIN" && f != "MAX" || digits && (f == "STD" || f == "VARIANCE") {
				f = "COUNT"
			}
			f += "(" + name + ")"
		}
		switch d.IntN(3) {
		case 0:
		case 1:
			over += peers + desc
			framed()
			if strings.Contains(frame, "ROWS") {
				over = strings.Replace(over, peers, total, 1)
			}
		case 2:
			over += total
			framed()
		}
	}
	return "SELECT " + strings.Join(ids, ", ") + ", " + f + " OVER (" + over + frame + ") AS w FROM " + from + d.where(all, 0)
}

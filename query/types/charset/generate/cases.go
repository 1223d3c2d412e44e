package main

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"
)

// cases writes the tables of LOWER and UPPER. Collations with the same table share it, under the name of the first.
func (g *generator) cases() error {
	f, count := new(file), 0
	names := map[string]string{} // by content
	for _, c := range g.collations {
		switch {
		case c.set == "binary":
			g.caseOf[c.name] = "-"
			continue
		case unicode(c.set) && c.set != "utf8mb4" && c.rest != "general_mysql500_ci":
			continue // as in utf8mb4
		}
		content, err := g.caseTable(&c)
		if err != nil {
			return err
		}
		if names[content] == "" {
			names[content] = c.name
			f.str(c.name)
			f.b = append(f.b, content...)
			count++
		}
		g.caseOf[c.name] = names[content]
	}
	for _, c := range g.collations {
		if g.caseOf[c.name] == "" {
			// utf16le lacks most, ucs2_general_mysql500_ci is asked for itself.
			g.caseOf[c.name] = g.caseOf["utf8mb4_"+strings.TrimPrefix(c.name, c.set+"_")]
		}
	}
	all := new(file)
	all.uint(count)
	all.b = append(all.b, f.b...)
	return g.save("case.gz", all)
}

// caseTable is the content of a table.
func (g *generator) caseTable(c *collation) (string, error) {
	f := new(file)
	if c.max == 1 {
		f.uint(1)
	} else {
		f.uint(0)
	}
	for _, function := range []string{"LOWER", "UPPER"} {
		type change struct{ code, other int }
		var changes []change
		take := func(r *sql.Rows) error {
			var v change
			var h string
			if err := r.Scan(&v.code, &h); err != nil {
				return err
			}
			other, err := strconv.ParseInt(h, 16, 32)
			if err != nil {
				return fmt.Errorf("%s(%X) is %q in %s: %w", function, v.code, h, c.name, err)
			}
			v.other = int(other)
			changes = append(changes, v)
			return nil
		}
		if unicode(c.set) {
			set, points := c.set, 0x20000
			if c.set != "utf8mb4" {
				points = 0x10000
			}
			err := g.rows(take, `SELECT n, HEX(CONVERT(%[1]s(CONVERT(c USING %[2]s) COLLATE %[3]s) USING utf32)) AS h FROM cp
				WHERE n < %[4]d HAVING h <> LPAD(HEX(n),8,'0') ORDER BY n`, function, set, c.name, points)
			if err != nil {
				return "", err
			}
		} else {
			for _, codes := range codesOf(c.set, c.max > 1) {
				err := g.rows(take, `SELECT seq, HEX(%[1]s(CONVERT(UNHEX(s.h) USING %[2]s) COLLATE %[3]s)) AS o FROM (%[4]s) s
					WHERE HEX(CONVERT(UNHEX(s.h) USING %[2]s)) = s.h HAVING o <> LPAD(HEX(seq),2,'0') ORDER BY seq`, function, c.set, c.name, codes)
				if err != nil {
					return "", err
				}
			}
		}
		f.uint(len(changes))
		last := 0
		for _, v := range changes {
			f.uint(v.code - last)
			f.int(v.other - v.code)
			last = v.code
		}
	}
	return string(f.b), nil
}

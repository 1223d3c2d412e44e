package main

import (
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// tables are the different tables of a form that collations name, each with one of those collations: PAD SPACE, utf8mb4 if possible.
func (g *generator) tables(form string) []collation {
	var found []collation
	for _, c := range g.collations {
		if !strings.HasPrefix(c.weights, form+":") || c.nopad() {
			continue
		}
		i := slices.IndexFunc(found, func(o collation) bool { return o.weights == c.weights })
		switch {
		case i < 0:
			found = append(found, c)
		case c.set == "utf8mb4" || c.set == "utf8mb3" && found[i].set != "utf8mb4":
			if c.set == "utf8mb4" && found[i].set == "utf8mb4" { // of the uca1400 collations the one with most levels
				if c.levels < found[i].levels {
					continue
				}
			}
			found[i] = c
		}
	}
	return found
}

func (c *collation) table() string {
	_, t, _ := strings.Cut(c.weights, ":")
	return t
}

// simple writes the tables with one weight per character.
func (g *generator) simple() error {
	for _, step := range []func() error{g.weights8, g.weightsMulti, g.general} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (g *generator) weights8() error {
	f := new(file)
	tables := g.tables("8")
	f.uint(len(tables))
	for _, c := range tables {
		var weights [256][]byte
		codes := codesOf(c.set, false)[0]
		err := g.rows(func(r *sql.Rows) (err error) {
			var code int
			var h string
			if err := r.Scan(&code, &h); err != nil {
				return err
			}
			weights[code], err = unhex(h)
			return err
		}, "SELECT seq, HEX(WEIGHT_STRING(CONVERT(UNHEX(h) USING %s) COLLATE %s)) FROM (%s) s", c.set, c.name, codes)
		if err != nil {
			return err
		}
		like, err := g.alike(&c, codes)
		if err != nil {
			return err
		}
		f.str(c.table())
		for _, w := range weights {
			if len(w) == 0 {
				return fmt.Errorf("%s: a character without weight", c.name)
			}
			f.uint(len(w))
			f.b = append(f.b, w...)
		}
		f.b = append(f.b, like[:]...)
	}
	return g.save("weights8.gz", f)
}

// alike asks which characters of a set of one byte LIKE takes for the same: those with the same number.
func (g *generator) alike(c *collation, codes string) (like [256]byte, err error) {
	err = g.rows(func(r *sql.Rows) error {
		var code, least int
		if err := r.Scan(&code, &least); err != nil {
			return err
		}
		like[code] = byte(least)
		return nil
	}, `SELECT a.seq, MIN(b.seq) FROM (%[1]s) a JOIN (%[1]s) b
		WHERE CONVERT(UNHEX(a.h) USING %[2]s) LIKE CONVERT(UNHEX(CONCAT('21',b.h)) USING %[2]s) COLLATE %[3]s ESCAPE '!' GROUP BY a.seq`, codes, c.set, c.name)
	return like, err
}

func (g *generator) weightsMulti() error {
	f := new(file)
	tables := g.tables("mb")
	f.uint(len(tables))
	for _, c := range tables {
		type weight struct{ code, weight int }
		var found []weight
		for _, codes := range codesOf(c.set, true) {
			err := g.rows(func(r *sql.Rows) error {
				var w weight
				var h string
				if err := r.Scan(&w.code, &h); err != nil {
					return err
				}
				v, err := strconv.ParseInt(h, 16, 32)
				if err != nil {
					return fmt.Errorf("%s %X weighs %q: %w", c.name, w.code, h, err)
				}
				w.weight = int(v)
				found = append(found, w)
				return nil
			}, `SELECT seq, HEX(WEIGHT_STRING(CONVERT(UNHEX(h) USING %[1]s) COLLATE %[2]s)) AS w FROM (%[3]s) s
				WHERE HEX(CONVERT(UNHEX(h) USING %[1]s)) = h HAVING w <> LPAD(HEX(seq),2,'0') ORDER BY seq`, c.set, c.name, codes)
			if err != nil {
				return err
			}
		}
		f.str(c.table())
		f.uint(len(found))
		last := 0
		for _, w := range found {
			f.uint(w.code - last)
			f.int(w.weight - w.code)
			last = w.code
		}
	}
	return g.save("weightsmb.gz", f)
}

func (g *generator) general() error {
	f := new(file)
	tables := g.tables("general")
	f.uint(len(tables))
	for _, c := range tables {
		var weights [1 << 16]int
		take := func(r *sql.Rows) error {
			var code int
			var h string
			if err := r.Scan(&code, &h); err != nil {
				return err
			}
			v, err := strconv.ParseInt(h, 16, 32)
			if err != nil {
				return fmt.Errorf("%s %X weighs %q: %w", c.name, code, h, err)
			}
			weights[code] = int(v)
			return nil
		}
		if err := g.rows(take, "SELECT n, HEX(WEIGHT_STRING(CONVERT(c USING %s) COLLATE %s)) FROM cp WHERE n < 0x10000", c.set, c.name); err != nil {
			return err
		}
		if err := g.rows(take, surrogates, "HEX(WEIGHT_STRING(CONVERT(UNHEX(HEX(seq)) USING ucs2) COLLATE ucs2_"+c.rest+"))"); err != nil {
			return err
		}
		f.str(c.table())
		last := 0
		for i, w := range weights {
			f.int(w - i - last)
			last = w - i
		}
	}
	return g.save("general.gz", f)
}

// surrogates selects them with an expression; in ucs2 they are characters.
const surrogates = "SELECT seq, %s FROM seq_55296_to_57343"

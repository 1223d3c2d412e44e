package main

import (
	"cmp"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

const (
	points       = 0x110000
	pageSize     = 256
	mark         = 255 // stands for the number of weights of an implicit entry
	implicitTail = 0x8000
)

// levelsOf is how many levels a table has.
func levelsOf(table string) int {
	switch {
	case strings.HasPrefix(table, "uca1400"):
		return 3
	case table == "thai520":
		return 2
	}
	return 1
}

// entry is the weights of a code point or contraction, big endian, as text.
type entry string

// put appends an entry; last is the weight before it in the file.
func (e entry) put(f *file, code int, last *int) error {
	n := len(e) / 2
	weight := func(i int) int { return int(e[2*i])<<8 | int(e[2*i+1]) }
	if len(e)%2 != 0 || n > 31 {
		return fmt.Errorf("%d bytes of weights at %X", len(e), code)
	}
	if n == 2 && code >= 0 {
		if base := weight(0) - code>>15; base >= 0xfb00 && weight(1) == implicitTail|code&0x7fff {
			f.uint(mark)
			f.uint(base)
			return nil
		}
	}
	f.uint(n)
	for i := range n {
		f.int(weight(i) - *last)
		*last = weight(i)
	}
	return nil
}

// levelColumns are columns with the weights of s, levels by level.
func levelColumns(s, collation string, levels int) string {
	var columns []string
	for n := range levels {
		columns = append(columns, fmt.Sprintf("HEX(WEIGHT_STRING(%s COLLATE %s LEVEL %d))", s, collation, n+1))
	}
	return strings.Join(columns, ", ")
}

// weights reads rows of a number and the weights of each level.
func (g *generator) weights(each func(code int, levels []entry), levels int, query string) error {
	texts := make([]string, levels)
	var code int
	into := []any{&code}
	for i := range texts {
		into = append(into, &texts[i])
	}
	return g.rows(func(r *sql.Rows) error {
		if err := r.Scan(into...); err != nil {
			return err
		}
		found := make([]entry, levels)
		for i, t := range texts {
			b, err := unhex(t)
			if err != nil {
				return err
			}
			found[i] = entry(b)
		}
		each(code, found)
		return nil
	}, "%s", query)
}

// roots writes the tables that are not tailorings.
func (g *generator) roots() error {
	for _, c := range g.tables("uca") {
		if strings.Contains(c.table(), "_") {
			continue
		}
		if err := g.root(&c); err != nil {
			return err
		}
	}
	return nil
}

func (g *generator) root(c *collation) error {
	levels := levelsOf(c.table())
	table := make([][]entry, levels)
	for i := range table {
		table[i] = make([]entry, points)
	}
	take := func(code int, found []entry) {
		for i, e := range found {
			table[i][code] = e
		}
	}
	if err := g.weights(take, levels, "SELECT n, "+levelColumns("c", c.name, levels)+" FROM cp"); err != nil {
		return err
	}
	if err := g.weights(take, levels, fmt.Sprintf(surrogates, levelColumns("CONVERT(UNHEX(HEX(seq)) USING ucs2)", "ucs2_"+c.rest, levels))); err != nil {
		return err
	}
	contractions, err := g.rootContractions(c)
	if err != nil {
		return err
	}
	f := new(file)
	f.uint(levels)
	for i := range levels {
		if err := putPages(f, table[i]); err != nil {
			return err
		}
		putContractions(f, contractions, i)
	}
	return g.save(c.table()+".gz", f)
}

// putPages appends each different page once, and then which page each one is.
func putPages(f *file, table []entry) error {
	pages := map[string]int{}
	var order []int
	body, last := new(file), 0
	for from := 0; from < len(table); from += pageSize {
		one, start := new(file), 0 // to see whether it is a new one
		for code := from; code < from+pageSize; code++ {
			if err := table[code].put(one, code, &start); err != nil {
				return err
			}
		}
		n, known := pages[string(one.b)]
		if !known {
			n = len(pages)
			pages[string(one.b)] = n
			for code := from; code < from+pageSize; code++ {
				if err := table[code].put(body, code, &last); err != nil {
					return err
				}
			}
		}
		order = append(order, n)
	}
	f.uint(len(pages))
	f.b = append(f.b, body.b...)
	for _, n := range order {
		f.uint(n)
	}
	return nil
}

// contraction is a sequence of characters with the weights of each level.
type contraction struct {
	chars  []rune
	levels []entry
}

func putContractions(f *file, list []contraction, level int) {
	f.uint(len(list))
	for _, c := range list {
		f.uint(len(c.chars))
		for _, r := range c.chars {
			f.uint(int(r))
		}
		e := c.levels[level]
		f.uint(len(e) / 2)
		for i := 0; i < len(e); i += 2 {
			f.uint(int(e[i])<<8 | int(e[i+1]))
		}
	}
}

// rootContractions looks for a root's contractions once.
func (g *generator) rootContractions(root *collation) ([]contraction, error) {
	list, ok := g.ofRoot[root.table()]
	if ok {
		return list, nil
	}
	list, err := g.contractions(root, rootPools(root.table()), nil)
	g.ofRoot[root.table()] = list
	return list, err
}

// tailorings writes what each tailoring changes of its root.
func (g *generator) tailorings() error {
	all := new(file)
	tables := g.tables("uca")
	slices.SortFunc(tables, func(a, b collation) int { return cmp.Compare(a.table(), b.table()) })
	for _, c := range tables {
		rootName, _, isTailoring := strings.Cut(c.table(), "_")
		if !isTailoring {
			continue
		}
		i := slices.IndexFunc(tables, func(o collation) bool { return o.table() == rootName })
		root := tables[i]
		known, err := g.rootContractions(&root)
		if err != nil {
			return err
		}
		body, err := g.tailoring(&c, &root, known)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		all.part(c.table(), body)
	}
	return g.save("tailorings.gz", all)
}

func (g *generator) tailoring(c, root *collation, known []contraction) (*file, error) {
	levels := levelsOf(c.table())
	var differs []string
	for n := range levels {
		differs = append(differs, fmt.Sprintf("WEIGHT_STRING(c COLLATE %s LEVEL %d) <> WEIGHT_STRING(c COLLATE %s LEVEL %d)", c.name, n+1, root.name, n+1))
	}
	type change struct {
		code   int
		levels []entry
	}
	var changes []change
	blocks := map[int]bool{}
	err := g.weights(func(code int, found []entry) {
		changes = append(changes, change{code, found})
		blocks[code>>8] = true
	}, levels, fmt.Sprintf("SELECT n, %s FROM cp WHERE n < 0x30000 AND (%s) ORDER BY n", levelColumns("c", c.name, levels), strings.Join(differs, " OR ")))
	if err != nil {
		return nil, err
	}
	contractions, err := g.contractions(c, tailoringPools(blocks), known)
	if err != nil {
		return nil, err
	}
	same := map[string][]entry{}
	for _, k := range known {
		same[string(k.chars)] = k.levels
	}
	contractions = slices.DeleteFunc(contractions, func(q contraction) bool {
		old, ok := same[string(q.chars)]
		return ok && slices.Equal(old, q.levels)
	})
	f := new(file)
	f.str(root.table())
	for i := range levels {
		f.uint(len(changes))
		code, last := 0, 0
		for _, v := range changes {
			f.uint(v.code - code)
			code = v.code
			if err := v.levels[i].put(f, code, &last); err != nil {
				return nil, err
			}
		}
		putContractions(f, contractions, i)
	}
	return f, nil
}

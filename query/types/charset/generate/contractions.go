package main

import (
	"fmt"
	"log"
	"slices"
	"strings"
)

// pool is a product of sets of characters, each a condition on cp.n, among which contractions are looked for.
type pool []string

const (
	asciiLetters = "({} BETWEEN 0x41 AND 0x5A OR {} BETWEEN 0x61 AND 0x7A)"
	latin        = "({} BETWEEN 0x20 AND 0x24F OR {} BETWEEN 0x1E00 AND 0x1EFF)"
	marks        = "{} BETWEEN 0x300 AND 0x36F"
	scripts      = "({} BETWEEN 0x20 AND 0x2FFF OR {} BETWEEN 0xA640 AND 0xA69F)"
	myanmar      = "{} BETWEEN 0x1000 AND 0x109F"
)

func block(n int) string { return fmt.Sprintf("{} BETWEEN %d AND %d", n<<8, n<<8|0xff) }

// rootPools are where a root's contractions may be.
func rootPools(table string) []pool {
	pools := []pool{{scripts, marks}, {asciiLetters, scripts}}
	add := func(from, to int) {
		for n := from; n <= to; n++ {
			pools = append(pools, pool{block(n), block(n)})
		}
	}
	add(0x00, 0x33)
	add(0xA0, 0xAB)
	add(0xF9, 0xFF)
	if table != "uca400" {
		add(0x100, 0x11F)
		add(0x16A, 0x16F)
		add(0x1E0, 0x1E9)
	}
	return pools
}

// tailoringPools are where those of a tailoring may be that changes characters of these blocks.
func tailoringPools(blocks map[int]bool) []pool {
	pools := []pool{
		{latin, "(" + latin + " OR " + marks + ")"},
		{asciiLetters, asciiLetters, "({} < 0x80 OR " + marks + ")"}, {asciiLetters, marks, marks},
	}
	for n := range blocks {
		if n > 2 && n != 0x1E && n < 0x30 {
			pools = append(pools, pool{block(n), block(n)})
		}
	}
	if blocks[0x10] {
		pools = append(pools, pool{myanmar, myanmar, myanmar})
	}
	return pools
}

// contractions finds a collation's contractions; known ones are asked for anew.
func (g *generator) contractions(c *collation, pools []pool, known []contraction) ([]contraction, error) {
	found := map[string][]entry{}
	if err := g.exec(`CREATE OR REPLACE TABLE seqs (s VARCHAR(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) ENGINE=MyISAM`); err != nil {
		return nil, err
	}
	for _, k := range known {
		if err := g.exec("INSERT INTO seqs VALUES (CONVERT(X'%x' USING utf8mb4))", string(k.chars)); err != nil {
			return nil, err
		}
	}
	levels := levelsOf(c.table())
	if err := g.sequences(found, levels, fmt.Sprintf("SELECT HEX(s), %s FROM seqs", levelColumns("s", c.name, levels))); err != nil {
		return nil, err
	}
	for _, p := range pools {
		if err := g.search(found, c, p); err != nil {
			return nil, err
		}
	}
	for size := 3; size <= 6; size++ {
		before := len(found)
		if err := g.extend(found, c, size, known); err != nil {
			return nil, err
		}
		if len(found) == before {
			break
		}
	}
	var list []contraction
	for s, levels := range found {
		list = append(list, contraction{[]rune(s), levels})
	}
	slices.SortFunc(list, func(a, b contraction) int { return slices.Compare(a.chars, b.chars) })
	log.Printf("%s: %d contractions", c.name, len(list))
	return list, nil
}

// sequences reads rows of a sequence's bytes in hexadecimal and its weights.
func (g *generator) sequences(found map[string][]entry, levels int, query string) error {
	rows, err := g.db.Query(query)
	if err != nil {
		return fmt.Errorf("%s: %w", query, err)
	}
	defer rows.Close()
	texts := make([]string, levels+1)
	into := make([]any, levels+1)
	for i := range texts {
		into[i] = &texts[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		s, err := unhex(texts[0])
		if err != nil {
			return err
		}
		list := make([]entry, levels)
		for i, t := range texts[1:] {
			b, err := unhex(t)
			if err != nil {
				return err
			}
			list[i] = entry(b)
		}
		if old, ok := found[string(s)]; ok && !slices.Equal(old, list) {
			return fmt.Errorf("%X weighs differently the second time", s)
		}
		found[string(s)] = list
	}
	return rows.Err()
}

// unlike is the condition that the parts' weights together, divided in any way, are not those of the whole.
func unlike(parts []string, collation string, level int) string {
	weight := func(parts []string) string {
		if len(parts) == 1 {
			return fmt.Sprintf("WEIGHT_STRING(%s COLLATE %s LEVEL %d)", parts[0], collation, level)
		}
		return fmt.Sprintf("WEIGHT_STRING(CONCAT(%s) COLLATE %s LEVEL %d)", strings.Join(parts, ","), collation, level)
	}
	var divided []string
	for i := 1; i < len(parts); i++ {
		divided = append(divided, fmt.Sprintf("CONCAT(%s,%s)", weight(parts[:i]), weight(parts[i:])))
	}
	return fmt.Sprintf("%s NOT IN (%s)", weight(parts), strings.Join(divided, ","))
}

// search looks for contractions in a pool.
func (g *generator) search(found map[string][]entry, c *collation, p pool) error {
	var from, where, parts []string
	for i, condition := range p {
		from = append(from, fmt.Sprintf("cp p%d", i))
		where = append(where, strings.ReplaceAll(condition, "{}", fmt.Sprintf("p%d.n", i)))
		parts = append(parts, fmt.Sprintf("p%d.c", i))
	}
	return g.ask(found, c, strings.Join(from, " JOIN "), strings.Join(where, " AND "), parts)
}

func (g *generator) ask(found map[string][]entry, c *collation, from, where string, parts []string) error {
	levels := levelsOf(c.table())
	var differs []string
	for n := range levels {
		differs = append(differs, unlike(parts, c.name, n+1))
	}
	whole := "CONCAT(" + strings.Join(parts, ",") + ")"
	return g.sequences(found, levels, fmt.Sprintf("SELECT HEX(%s), %s FROM %s WHERE %s AND (%s)",
		whole, levelColumns(whole, c.name, levels), from, where, strings.Join(differs, " OR ")))
}

// extend looks for contractions of a size that are one found before and one more character: of the same block as one of its
// characters, a Latin letter, or a mark. A root's contractions were extended with the root.
func (g *generator) extend(found map[string][]entry, c *collation, size int, known []contraction) error {
	for s := range found {
		chars := []rune(s)
		isKnown := func(k contraction) bool { return string(k.chars) == s }
		if len(chars) != size-1 || slices.ContainsFunc(known, isKnown) {
			continue
		}
		last := chars[len(chars)-1]
		where := fmt.Sprintf("(%s OR %s OR %s)", block(int(last>>8)), asciiLetters, marks)
		if chars[0] >= 0xe00 && chars[0] < 0xf00 || chars[0] > 0x1900 {
			where = block(int(last >> 8)) // the many vowels of Thai and Lao that are written before the consonant
		}
		var parts []string
		for _, r := range chars {
			parts = append(parts, fmt.Sprintf("CONVERT(X'%x' USING utf8mb4)", string(r)))
		}
		if err := g.ask(found, c, "cp", strings.ReplaceAll(where, "{}", "n"), append(parts, "c")); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// passes writes the tables of collations that compare in several passes.
func (g *generator) passes() error {
	f := new(file)
	tables := g.tables("pass")
	f.uint(len(tables))
	for _, c := range tables {
		levels := map[string]int{"latin2": 4, "cp1250": 2, "tis620": 1}[c.set]
		f.str(c.table())
		f.uint(levels)
		single, err := g.passWeights(&c, levels, "CHAR(seq)", "seq_0_to_255", "")
		if err != nil {
			return err
		}
		for i := range 256 {
			f.b = append(f.b, single[string([]byte{byte(i)})]...)
		}
		pairs := map[string][]byte{}
		if levels > 1 { // pairs that weigh what one character does
			one := map[int]int{4: 8, 2: 2}[levels]
			where := fmt.Sprintf(" WHERE a.seq NOT IN (9,32) AND b.seq NOT IN (9,32) HAVING LENGTH(w) = %d", 2*one)
			pairs, err = g.passWeights(&c, levels, "CONCAT(CHAR(a.seq),CHAR(b.seq))", "seq_0_to_255 a JOIN seq_0_to_255 b", where)
			if err != nil {
				return err
			}
		}
		names := make([]string, 0, len(pairs))
		for s := range pairs {
			names = append(names, s)
		}
		slices.Sort(names)
		f.uint(len(names))
		for _, s := range names {
			f.b = append(append(f.b, s...), pairs[s]...)
		}
		like, err := g.alike(&c, codesOf(c.set, false)[0])
		if err != nil {
			return err
		}
		f.b = append(f.b, like[:]...)
	}
	return g.save("passes.gz", f)
}

// passWeights asks for the weights of texts at each level.
func (g *generator) passWeights(c *collation, levels int, text, from, where string) (map[string][]byte, error) {
	found := map[string][]byte{}
	query := strings.NewReplacer("TEXT", text, "SET", c.set, "COLLATION", c.name).Replace(
		"SELECT HEX(TEXT), HEX(WEIGHT_STRING(CONVERT(TEXT USING SET) COLLATE COLLATION)) AS w FROM ") + from + where
	err := g.rows(func(r *sql.Rows) error {
		var text, h string
		if err := r.Scan(&text, &h); err != nil {
			return err
		}
		s, err := unhex(text)
		if err != nil {
			return err
		}
		w, err := unhex(h)
		if err != nil {
			return err
		}
		if levels == 4 {
			if w, err = apart(s, w); err != nil {
				return err
			}
		} else if len(s) == 1 && len(w) == 0 { // a space at the end, which only the other collation leaves out
			return fmt.Errorf("%q has no weight", s)
		}
		found[string(s)] = w
		return nil
	}, "%s", query)
	return found, err
}

// apart takes the weights of latin2_czech_cs apart: levels end with 1, the last with 0. What blanks weigh is not shown; it is 2.
func apart(s, w []byte) ([]byte, error) {
	if s[0] == ' ' || s[0] == '\t' {
		return []byte{2, 2, 2, 2}, nil
	}
	parts := bytes.Split(w[:len(w)-1], []byte{1})
	if len(parts) != 4 {
		return nil, fmt.Errorf("%q has weights %X", s, w)
	}
	out := make([]byte, 4)
	for i, p := range parts {
		if len(p) > 1 {
			return nil, fmt.Errorf("%q has weights %X", s, w)
		}
		copy(out[i:], p)
	}
	return out, nil
}

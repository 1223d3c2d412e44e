package main

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// collation is a row of information_schema.
type collation struct {
	id            int
	name, set     string
	standard      bool
	sortLen       int
	plain         string // the name without nopad_
	rest          string // plain without the character set
	weights       string
	levels        int
	codeSize, max int // of the set: shortest and longest character
}

func (c *collation) nopad() bool { return c.plain != c.name || c.set == "binary" }

// inPasses compare in several passes, or reorder.
var inPasses = []string{"latin2_czech_cs", "cp1250_czech_cs", "tis620_thai_ci"}

// wide are the sets whose characters have no ASCII bytes.
var wide = map[string]int{"ucs2": 2, "utf16": 2, "utf16le": 2, "utf32": 4}

func unicode(set string) bool { return wide[set] > 0 || strings.HasPrefix(set, "utf8") }

func (g *generator) readCollations() error {
	err := g.rows(func(r *sql.Rows) error {
		var c collation
		var standard string
		if err := r.Scan(&c.id, &c.name, &c.set, &standard, &c.sortLen, &c.max); err != nil {
			return err
		}
		c.standard = standard == "Yes"
		c.plain = strings.Replace(c.name, "_nopad", "", 1)
		c.rest = strings.TrimPrefix(c.plain, c.set+"_")
		c.codeSize = max(1, wide[c.set])
		c.classify()
		g.collations = append(g.collations, c)
		return nil
	}, `SELECT a.ID, a.FULL_COLLATION_NAME, a.CHARACTER_SET_NAME, a.IS_DEFAULT, c.SORTLEN, s.MAXLEN
		FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY a
		JOIN information_schema.COLLATIONS c ON c.COLLATION_NAME = a.COLLATION_NAME
		JOIN information_schema.CHARACTER_SETS s ON s.CHARACTER_SET_NAME = a.CHARACTER_SET_NAME ORDER BY a.ID`)
	g.collations = slices.CompactFunc(g.collations, func(a, b collation) bool { return a.id == b.id })
	return err
}

// classify says which table has the weights.
func (c *collation) classify() {
	c.levels = 1
	switch {
	case slices.Contains(inPasses, c.plain):
		c.weights = "pass:" + c.plain[:strings.LastIndexByte(c.plain, '_')]
	case c.set == "binary" || c.rest == "bin" && wide[c.set] == 0:
		c.weights = "bytes"
	case c.rest == "bin":
		c.weights = "code"
	case !unicode(c.set) && c.max == 1:
		c.weights = "8:" + c.plain
	case !unicode(c.set):
		c.weights = "mb:" + c.plain
	case strings.HasPrefix(c.rest, "general_"):
		c.weights = "general:" + c.rest
	default:
		c.weights, c.levels = ucaTable(c.rest)
		c.weights = "uca:" + c.weights
	}
}

// ucaTable is the table of a collation's name without set and nopad, and its levels as bits.
func ucaTable(rest string) (table string, levels int) {
	if lang, ok := strings.CutPrefix(rest, "uca1400"); ok {
		for suffix, bits := range map[string]int{"_ai_ci": 1, "_ai_cs": 5, "_as_ci": 3, "_as_cs": 7} {
			if lang, ok := strings.CutSuffix(lang, suffix); ok {
				return "uca1400" + lang, bits
			}
		}
	}
	switch rest {
	case "unicode_ci":
		return "uca400", 1
	case "unicode_520_ci":
		return "uca520", 1
	case "thai_520_w2":
		return "thai520", 3
	case "myanmar_ci":
		return "uca520_myanmar", 1
	}
	return "uca400_" + strings.TrimSuffix(rest, "_ci"), 1
}

func (g *generator) names() error {
	var b strings.Builder
	b.WriteString("id\tname\tset\tdefault\tpad\tsortlen\tweights\tlevels\tcases\n")
	for _, c := range g.collations {
		standard, pad := 0, "P"
		if c.standard {
			standard = 1
		}
		if c.nopad() {
			pad = "N"
		}
		cases := g.caseOf[c.name]
		if cases == "" {
			return fmt.Errorf("no table of cases for %s", c.name)
		}
		fmt.Fprintf(&b, "%d\t%s\t%s\t%d\t%s\t%d\t%s\t%d\t%s\n", c.id, c.name, c.set, standard, pad, c.sortLen, c.weights, c.levels, cases)
	}
	return g.write("collations.tsv", []byte(b.String()))
}

package corpus

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Expressions gives queries of one expression without parentheses each, in which operators of all kinds stand side by side, so that their
// values tell which of them binds more tightly. The same seed gives the same ones.
func Expressions(n int, seed uint64) []Statement {
	random := rand.New(rand.NewPCG(seed, 2))
	of := func(list []string) string { return list[random.IntN(len(list))] }
	seen := map[Key]bool{}
	var list []Statement
	for range n {
		var m modes
		for _, mode := range []modes{pipesAsConcat, highNotPrecedence} {
			if random.IntN(3) == 0 {
				m |= mode
			}
		}
		words := []string{"SELECT"}
		operand := func() {
			for random.IntN(4) == 0 {
				words = append(words, of(prefixes))
			}
			words = append(words, of(operands))
			if random.IntN(6) == 0 {
				words = append(words, of(suffixes))
			}
		}
		operand()
		for range 1 + random.IntN(4) {
			for word := range strings.SplitSeq(of(infixes), " ") {
				if word == "_" {
					operand()
				} else {
					words = append(words, word)
				}
			}
			operand()
		}
		s := Statement{Text: strings.Join(words, " "), Mode: m.String(), Charset: utf8Charset}
		if key := s.Key(); !seen[key] {
			seen[key] = true
			list = append(list, s)
		}
	}
	return list
}

var (
	operands = []string{"0", "1", "2", "3", "5", "7", "12", "1.5", "'3'", "'a'", "NULL", "TRUE", "DATE'2001-02-03'", "(2, 3)", "ABS(-3)", "(SELECT 2)", "x'41'", "CASE 1 WHEN 2 THEN 3 END"}
	prefixes = []string{"-", "+", "~", "!", "NOT", "BINARY"}
	suffixes = []string{"IS NULL", "IS NOT NULL", "IS TRUE", "IS NOT FALSE", "IS UNKNOWN", "COLLATE utf8mb4_bin", "+ INTERVAL 1 DAY", "- INTERVAL 2 MONTH", "IN (1, 2)", "NOT IN (3)"}
	// An underscore is an operand.
	infixes = slices.Concat(
		strings.Split("+ - * / % DIV MOD ^ | & << >> = <=> <> != < <= > >= AND OR XOR && ||", " "),
		[]string{"LIKE", "NOT LIKE", "REGEXP", "RLIKE", "NOT REGEXP", "SOUNDS LIKE", "BETWEEN _ AND", "NOT BETWEEN _ AND", "LIKE _ ESCAPE", "= ANY (SELECT 3) OR", "+ INTERVAL _ DAY +"},
	)
)

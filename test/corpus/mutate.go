package corpus

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Mutants gives texts that are nearly statements: statements of a list in which a word, literal, operator or comment is missing, doubled,
// replaced by one of another statement, or in the place of its neighbour, or after which the text ends. Whoever writes tests writes
// statements that are accepted, or wrong in a few ways only; where a parser stops, and at what, is seen in texts that are wrong in all
// ways. The same seed gives the same texts.
func Mutants(list []Judged, n int, seed uint64) []Statement {
	random := rand.New(rand.NewPCG(seed, 1))
	whole := slices.DeleteFunc(slices.Clone(list), func(j Judged) bool {
		return j.Kind != Accepted || len(j.Text) > mutantMax || strings.Contains(j.Mode, "ORACLE") || systemTables.MatchString(j.Text)
	})
	if len(whole) == 0 {
		return nil
	}
	seen := map[Key]bool{}
	var mutants []Statement
	for range n {
		s := whole[random.IntN(len(whole))].Statement
		parts := pieces(s.Text, s.Mode)
		others := pieces(whole[random.IntN(len(whole))].Text, s.Mode)
		i, other := random.IntN(len(parts)), others[random.IntN(len(others))]
		switch random.IntN(6) {
		case 0:
			parts = slices.Delete(parts, i, i+1)
		case 1:
			parts = slices.Insert(parts, i, parts[i])
		case 2:
			parts[i] = other
		case 3:
			parts = slices.Insert(parts, i, other)
		case 4:
			parts = parts[:i+1]
		case 5:
			next := (i + 1) % len(parts)
			parts[i], parts[next] = parts[next], parts[i]
		}
		s.Text = strings.TrimSpace(strings.Join(parts, ""))
		s.Charset, s.Errors = textCharset(s.Text, s.Charset), nil
		if s.Charset == utf8Charset && !utf8.ValidString(s.Text) { // pieces in two character sets
			continue
		}
		if key := s.Key(); s.Text != "" && !seen[key] {
			seen[key] = true
			mutants = append(mutants, s)
		}
	}
	return mutants
}

// systemTables are the only tables that there are. A server that looks for columns of them that do not exist may end with signal 11 (10.11.19 does).
var systemTables = regexp.MustCompile(`(?i)(information|performance)_schema|\b(mysql|sys)\b`)

// mutantMax is how long a statement may be of which mutants are made, in bytes: in longer ones most places are alike.
const mutantMax = 400

// pieces takes a text apart into words, literals, operators and comments, each with the space behind it. At least one.
func pieces(s, mode string) []string {
	set := parseModes(mode)
	var list []string
	for i := 0; i < len(s); {
		end := i + 1
		switch c := s[i]; {
		case isNameByte(c):
			for end < len(s) && isNameByte(s[end]) {
				end++
			}
		case c == '\'' || c == '"' || c == '`':
			_, end = quoted(s, i, set)
		case c == '#', strings.HasPrefix(s[i:], "-- "):
			if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
				end = i + n
			} else {
				end = len(s)
			}
		case strings.HasPrefix(s[i:], "/*") && !strings.HasPrefix(s[i:], "/*!"):
			if n := strings.Index(s[i:], "*/"); n >= 0 {
				end = i + n + 2
			}
		}
		for end < len(s) && isSpace(s[end]) {
			end++
		}
		list = append(list, s[i:end])
		i = end
	}
	if len(list) == 0 {
		return []string{""}
	}
	return list
}

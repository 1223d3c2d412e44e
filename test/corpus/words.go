package corpus

import (
	"maps"
	"slices"
	"strings"
)

// LostWord is a word that stands in statements, and not in what was printed of them.
type LostWord struct {
	Word    string
	Count   int
	Example *Judged
	Printed string
}

// LostWords are the words, numbers and names that are missing in what was printed, the most frequent ones first. Many have a right to be:
// AS and OUTER, or INTEGER that is printed as INT. The others belong to clauses that the parser has read and forgotten.
func (f *Findings) LostWords() []LostWord {
	lost := map[string]*LostWord{}
	for i, j := range f.Statements {
		left := words(f.Printed[i], printedMode(j.Mode))
		had := words(j.Text, j.Mode)
		for word, n := range had {
			if left[word] >= n {
				continue
			}
			l := lost[word]
			if l == nil {
				l = &LostWord{Word: word, Example: j, Printed: f.Printed[i]}
				lost[word] = l
			}
			if l.Count++; len(j.Text) < len(l.Example.Text) {
				l.Example, l.Printed = j, f.Printed[i]
			}
		}
	}
	list := make([]LostWord, 0, len(lost))
	for _, word := range slices.Sorted(maps.Keys(lost)) {
		list = append(list, *lost[word])
	}
	slices.SortStableFunc(list, func(a, b LostWord) int { return b.Count - a.Count })
	return list
}

// words counts the words of a text, in capitals; comments have none, and the words of a string or quoted name count as one without case.
func words(s, mode string) map[string]int {
	count := map[string]int{}
	set := parseModes(mode)
	for _, piece := range pieces(s, mode) {
		switch c := piece[:min(1, len(piece))]; {
		case c == "'" || c == `"` || c == "`":
			text, _ := quoted(piece, 0, set)
			count[strings.ToUpper(text)]++
		case c != "" && isNameByte(c[0]):
			count[strings.ToUpper(strings.TrimRight(piece, " \t\r\n\v\f"))]++
		}
	}
	return count
}

package lex

// Word is a keyword.
type Word uint16

// table finds words by their text: a hash table with open addressing, which the fixed set of words leaves sparse.
type table struct {
	longest int
	slots   [2048]Word
}

func newTable(texts []string, first Word) *table {
	t := &table{}
	for i, s := range texts {
		if s != "" {
			t.add(s, first+Word(i))
		}
	}
	return t
}

func (t *table) add(text string, w Word) {
	h := uint32(0)
	for i := range len(text) {
		h = mix(h, text[i])
	}
	for h %= uint32(len(t.slots)); t.slots[h] != NoWord; h = (h + 1) % uint32(len(t.slots)) {
	}
	t.slots[h] = w
	t.longest = max(t.longest, len(text))
}

func mix(h uint32, c byte) uint32 { return (h ^ uint32(c)) * 0x01000193 >> 1 }

var (
	wordTable     = newTable(words[:], NoWord)
	functionTable = newTable(functions[:], wordCount)
)

// find is the word that a text is, in letters of any case; NoWord if it is none.
func (t *table) find(s string) Word {
	var upper [32]byte
	if len(s) > t.longest || len(s) > len(upper) {
		return NoWord
	}
	h := uint32(0)
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		upper[i] = c
		h = mix(h, c)
	}
	for h %= uint32(len(t.slots)); t.slots[h] != NoWord; h = (h + 1) % uint32(len(t.slots)) {
		if w := t.slots[h]; w.String() == string(upper[:len(s)]) {
			return w
		}
	}
	return NoWord
}

// Keyword is the keyword that a text is, in letters of any case; NoWord if it is none.
func Keyword(s string) Word { return wordTable.find(s) }

// Plain reports whether a text is a name without quotes wherever a name can be: a letter, then letters, digits and _, and no keyword.
func Plain(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' || s[0] == '_' || Keyword(s) != NoWord || functionTable.find(s) != NoWord {
		return false
	}
	for i := range len(s) {
		if classes[s[i]]&letter == 0 || s[i] >= 0x80 || s[i] == '$' {
			return false
		}
	}
	return true
}

// String is the keyword in capitals.
func (w Word) String() string {
	if w >= wordCount {
		return functions[w-wordCount]
	}
	return words[w]
}

// Reserved reports whether the word is a name in quotes only.
func (w Word) Reserved() bool {
	switch w {
	case NoWord, FAdddate, FSubdate, FSessionUser, FSystemUser, FDateFormat, FDecode:
		return false
	}
	return w < firstFree || w >= wordCount
}

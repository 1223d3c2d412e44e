package fulltext

import (
	"math"
	"slices"

	"github.com/duramendb/duramen/query/types/charset"
)

// Mode is how a text is searched for.
type Mode uint8

// The modes.
const (
	Natural Mode = iota
	Boolean
	Expansion // natural, and then with the words of the rows that were found
)

// Search is one MATCH of a run of a statement. It is used by one goroutine.
type Search struct {
	// Charge counts so many bytes as the statement's memory; its error refuses them. nil: nobody counts.
	Charge func(n int64) error
	// Interrupted is asked by what takes long; not nil when the statement is to end.
	Interrupted func() error

	w     *words
	mode  Mode
	steps []*step
	// single is the only word of a query that is no more than one: its relevance is computed in another order.
	single  bool
	words   []*searched
	byKey   map[string]int // the places of words
	wild    []int          // those of them that are beginnings of words
	symbols map[string]int // of words that phrases have
	total   uint64         // rows
	more    map[string]*expanded
	inOrder []*expanded

	doc  document
	runs int
	work int
	err  error
}

// searched is a word of the query.
type searched struct {
	text  []byte // folded
	chars int
	// alone says that it is searched for as it is, begins that it is as the beginning of words.
	alone, begins bool
	beginsFirst   bool // the first time that it is searched for
	rows, starts  uint64
	factor        float64
	counted       uint64
	// finds says that some row was found by the word, and not only searched for it with others.
	finds bool
}

// expanded is a word that the rows have which were found.
type expanded struct {
	key    string
	rows   uint64
	factor float64
	asked  *searched // it as a word of the query, if it is one
	seen   int       // the document, by its number, that has it
	freq   int
}

// queryBytes is about what a byte of a query takes.
const queryBytes = 256

// Size is about how much memory the text of an AGAINST takes as a search.
func Size(text []byte) int64 { return queryBytes * int64(len(text)) }

// New reads the text of an AGAINST, in the character set of the index's columns, whose collation it is. Its errors are MariaDB's 1064 for what the
// boolean mode does not have, and those about what is too deep, or too long.
func New(c *charset.Collation, mode Mode, text []byte) (*Search, error) {
	w, err := newWords(c)
	if err != nil {
		return nil, err
	}
	s := &Search{w: w, mode: mode, byKey: map[string]int{}, symbols: map[string]int{}, more: map[string]*expanded{}}
	p := parser{words: w, lex: lexer{text: w.lower(text), boolean: mode == Boolean}}
	root, err := p.parse()
	if err != nil || root == nil {
		return s, err
	}
	s.single = mode != Expansion && len(root.kids) == 1 && root.kids[0].kind == aTerm
	c2, left := compiler{s: s}, false
	if err := c2.visit(none, root, &left); err != nil {
		return nil, err
	}
	s.steps = c2.steps
	return s, nil
}

// add is the place of a word of the query.
func (s *Search) add(x word, wild bool) int {
	key := string(s.w.keyOf(x.text))
	at, ok := s.byKey[key]
	if !ok {
		at = len(s.words)
		s.byKey[key] = at
		s.words = append(s.words, &searched{text: s.w.lower(x.text), chars: x.chars, beginsFirst: wild})
	}
	if n := s.words[at]; wild && !n.begins {
		n.begins = true
		s.wild = append(s.wild, at)
	} else if !wild {
		n.alone = true
	}
	return at
}

// symbol is the number of a word in phrases, from 1.
func (s *Search) symbol(text []byte) int {
	key := string(s.w.keyOf(text))
	n, ok := s.symbols[key]
	if !ok {
		n = len(s.symbols) + 1
		s.symbols[key] = n
	}
	return n
}

// Nothing reports whether no row can be found, so that nothing has to be counted.
func (s *Search) Nothing() bool { return len(s.steps) == 0 }

// Count counts a row of the table.
func (s *Search) Count(doc [][]byte) error {
	s.total++
	s.read(doc, false)
	for i, x := range s.words {
		if s.doc.freq[i] > 0 {
			x.rows++
		}
		x.starts += uint64(s.doc.starts[i])
	}
	r := s.run(s.steps, true)
	if s.err != nil || !r.found || s.mode != Expansion {
		return s.err
	}
	for _, text := range doc {
		if err := s.expand(text); err != nil {
			return err
		}
	}
	return nil
}

// moreBytes is what a word takes beside its bytes.
const moreBytes = 128

// expand adds the words of a text to those that are searched for.
func (s *Search) expand(text []byte) error {
	for at := 0; at < len(text) && !s.ends(len(s.wild)); {
		var x word
		if x, at = s.w.next(text, at); !fits(x) {
			continue
		}
		key := s.w.keyOf(x.text)
		if s.w.stop[string(key)] || s.more[string(key)] != nil || s.asked(x, key) {
			continue
		}
		m := &expanded{key: string(key)}
		if at, ok := s.byKey[m.key]; ok {
			m.asked = s.words[at]
		}
		if s.Charge != nil {
			if err := s.Charge(int64(len(key)) + moreBytes); err != nil {
				return err
			}
		}
		s.more[m.key] = m
	}
	return s.err
}

// asked reports whether a word is searched for already, and some row was found by it so far.
func (s *Search) asked(x word, key []byte) bool {
	if at, ok := s.byKey[string(key)]; ok && s.words[at].finds {
		return true
	}
	return slices.ContainsFunc(s.wild, func(at int) bool { return s.w.begins(x, s.words[at].text, s.words[at].chars) })
}

// Again ends the first count. It reports whether all rows have to be counted once more, by Expand.
func (s *Search) Again() bool {
	s.sum(s.steps)
	for _, x := range s.words {
		x.factor = s.factor(x.counted)
	}
	for key, m := range s.more {
		if m.asked == nil {
			continue
		}
		if m.rows = m.asked.counted; m.asked.finds {
			delete(s.more, key)
		}
	}
	return len(s.more) > 0
}

// sum adds up the rows of the words of steps, as often as InnoDB looks them up.
func (s *Search) sum(steps []*step) {
	several := false
	for _, st := range steps {
		skip := st.oper == ignore && !st.met || st.oper == exist && several && !st.met
		switch {
		case st.node.kind == aSub:
			s.sum(st.sub)
		case skip && st.node.kind == aTerm:
		case st.node.kind == aTerm && st.node.wild:
			s.words[st.words[0]].counted += s.words[st.words[0]].starts
		default:
			for _, at := range st.words {
				if s.words[at].counted += s.words[at].rows; s.words[at].rows == 0 {
					break
				}
			}
		}
		several = several || st.oper == exist
	}
}

// Expand counts a row of the table for the words that were added to the query.
func (s *Search) Expand(doc [][]byte) error {
	s.runs++
	s.eachMore(doc, func(x *expanded) {
		if x.seen != s.runs {
			x.seen = s.runs
			x.rows++
		}
	})
	return s.err
}

// Expanded ends the second count.
func (s *Search) Expanded() {
	for _, x := range s.more {
		x.factor = s.factor(x.rows)
		s.inOrder = append(s.inOrder, x)
	}
	slices.SortFunc(s.inOrder, func(a, b *expanded) int {
		if a.key < b.key {
			return -1
		}
		return 1
	})
}

// eachMore calls f for each word of a document that was added to the query.
func (s *Search) eachMore(doc [][]byte, f func(*expanded)) {
	for _, text := range doc {
		for at := 0; at < len(text) && !s.ends(0); {
			var x word
			if x, at = s.w.next(text, at); !fits(x) {
				continue
			}
			if m := s.more[string(s.w.keyOf(x.text))]; m != nil {
				f(m)
			}
		}
	}
}

// everywhere is the logarithm for words that all rows have: it must not be 0.
var everywhere = math.Log10(1.0001)

// factor is the logarithm of a word that so many rows have.
func (s *Search) factor(rows uint64) float64 {
	switch rows {
	case 0:
		return 0
	case s.total:
		return everywhere
	}
	return math.Log10(float64(s.total) / float64(rows))
}

// Rank is the relevance of a row, once all were counted; 0 for one that is not found.
func (s *Search) Rank(doc [][]byte) float64 {
	if len(s.steps) == 0 {
		return 0
	}
	s.read(doc, true)
	if s.single {
		return s.rankSingle()
	}
	r := s.run(s.steps, false)
	if s.mode == Expansion && len(s.inOrder) > 0 {
		return s.rankExpanded(doc, r)
	}
	if !r.found {
		return 0
	}
	return float64(s.ranked(r))
}

// rankSingle is the relevance where one word is searched for.
func (s *Search) rankSingle() float64 {
	x := s.words[0]
	return float64(float32(float64(float32(s.doc.often[0])) * x.factor * x.factor))
}

// ranked adds the words of a row to its rank.
func (s *Search) ranked(r found) float32 {
	rank := r.rank
	for i, x := range s.words {
		if i < len(r.words) && r.words[i] {
			rank += float32(float64(s.doc.often[i]) * x.factor * x.factor)
		}
	}
	return rank
}

func (s *Search) rankExpanded(doc [][]byte, r found) float64 {
	s.runs++
	any := r.found
	s.eachMore(doc, func(x *expanded) {
		if x.seen != s.runs {
			x.seen, x.freq = s.runs, 0
		}
		x.freq++
		any = true
	})
	if !any {
		return 0
	}
	rank := s.ranked(r)
	for _, x := range s.inOrder {
		if x.seen == s.runs {
			rank += float32(float64(x.freq) * x.factor * x.factor)
		}
	}
	return float64(rank)
}

package fulltext

import "slices"

// document is what a search has found in a row.
type document struct {
	freq   []int // how often it has each word of the query that stands for itself
	starts []int // how many different words begin with each
	often  []int // what of both counts for the relevance
	// words are the symbols of its words, one after the other, 0 for words that no phrase has, and between (-1) between columns. places are those of
	// the words of the query in it.
	symbols []int
	places  [][]int
	// begun is how often it has each word, by its key, that begins as a word of the query does.
	begun []map[string]int
}

const between = -1

// read looks for the words of the query in a row. ranks says that it is the relevance that is asked for.
func (s *Search) read(doc [][]byte, ranks bool) {
	d := &s.doc
	if d.freq == nil {
		n := len(s.words)
		d.freq, d.starts, d.often = make([]int, n), make([]int, n), make([]int, n)
		d.places, d.begun = make([][]int, n), make([]map[string]int, n)
		for _, at := range s.wild {
			d.begun[at] = map[string]int{}
		}
	}
	clear(d.freq)
	clear(d.starts)
	clear(d.often)
	d.symbols = d.symbols[:0]
	for i := range d.places {
		d.places[i] = d.places[i][:0]
		clear(d.begun[i])
	}
	number := 0
	for _, text := range doc {
		for at := 0; at < len(text) && !s.ends(len(s.wild)); {
			var x word
			if x, at = s.w.next(text, at); x.chars == 0 {
				continue
			}
			s.seen(x, number)
			number++
		}
		d.symbols = append(d.symbols, between)
	}
	for i := range s.words {
		d.starts[i] = len(d.begun[i])
	}
	if ranks {
		s.often()
	}
}

// seen notes a word of a row, the n-th of it.
func (s *Search) seen(x word, n int) {
	d := &s.doc
	key := s.w.keyOf(x.text)
	if len(s.symbols) > 0 {
		d.symbols = append(d.symbols, s.symbols[string(key)])
	}
	if !s.w.indexed(x, key) {
		return
	}
	if at, ok := s.byKey[string(key)]; ok {
		d.freq[at]++
		d.places[at] = append(d.places[at], n)
	}
	for _, at := range s.wild {
		if s.w.begins(x, s.words[at].text, s.words[at].chars) {
			d.begun[at][string(key)]++
		}
	}
}

// often is how often a word of the query counts for a row: as often as the word that is looked up first is in it.
func (s *Search) often() {
	d := &s.doc
	for i, x := range s.words {
		starts, least := 0, ""
		for key, freq := range d.begun[i] {
			if starts == 0 || key < least {
				starts, least = freq, key
			}
		}
		switch {
		case !x.begins, x.alone && d.freq[i] > 0 && (!x.beginsFirst || starts == 0):
			d.often[i] = d.freq[i]
		default:
			d.often[i] = starts
		}
	}
}

// found is what is known of a row at a step: whether it belongs to the rows that were found so far, its rank, and which words count for it.
type found struct {
	found bool
	rank  float32
	words []bool
	taken bool // by an intersection
}

// run does the steps for the row that was read. counts notes which steps have met a row.
func (s *Search) run(steps []*step, counts bool) found {
	var row found
	several := false // a step with + is over
	for _, st := range steps {
		if counts && row.found {
			st.met = true
		}
		row = s.step(st, row, several, counts)
		several = several || st.oper == exist
	}
	return row
}

func (s *Search) step(st *step, row found, several, counts bool) found {
	e := execution{oper: st.oper, several: several, row: row}
	switch st.node.kind {
	case aTerm:
		at := st.words[0]
		n := min(s.doc.freq[at], 1)
		if st.node.wild {
			n = s.doc.starts[at]
		}
		for range n {
			e.take(0)
			s.word(&e, at)
		}
	case aPhrase:
		if s.hasPhrase(st) {
			e.take(0)
			for _, at := range st.words {
				s.word(&e, at)
			}
		}
	case aSub:
		if sub := s.run(st.sub, counts); sub.found {
			e.take(sub.rank)
			for at, is := range sub.words {
				if is {
					s.word(&e, at)
				}
			}
		}
	}
	if e.oper == exist {
		return e.both
	}
	return e.row
}

// execution is one step of a row. both is the row as it comes out of an intersection.
type execution struct {
	oper    oper
	several bool
	row     found
	both    found
}

// take says that the row has what the step looks for; rank is what that has already.
func (e *execution) take(rank float32) {
	switch e.oper {
	case exist:
		e.intersect(rank)
	case ignore:
		e.row = found{}
	case negate:
		e.shift(-1)
	case increase:
		e.unite(rank)
		e.shift(1)
	case decrease:
		e.unite(rank)
		e.shift(-1)
	default:
		e.unite(rank)
	}
}

func (e *execution) unite(rank float32) {
	if !e.row.found {
		e.row = found{found: true, rank: rank}
	}
}

func (e *execution) shift(by float32) {
	if e.row.found {
		e.row.rank = bounded(e.row.rank + by)
	}
}

func bounded(rank float32) float32 { return min(max(rank, -1), 1) }

func (e *execution) intersect(rank float32) {
	switch {
	case e.both.found, e.row.taken, !e.row.found && e.several:
	case e.row.found:
		e.both = found{found: true, rank: bounded(rank + e.row.rank), words: e.row.words}
		e.row.taken = true
	default:
		e.both = found{found: true, rank: rank}
	}
}

// word says that a word counts for the row.
func (s *Search) word(e *execution, at int) {
	to := &e.row
	if e.both.found {
		to = &e.both
	}
	if !to.found {
		return
	}
	for len(to.words) <= at {
		to.words = append(to.words, false)
	}
	to.words[at], s.words[at].finds = true, true
}

// hasPhrase reports whether the row has the words of a phrase as they are asked for.
func (s *Search) hasPhrase(st *step) bool {
	for _, at := range st.words {
		if s.doc.freq[at] == 0 {
			return false
		}
	}
	switch {
	case len(st.words) == 0:
		return false
	case len(st.phrase) == 1:
		return true
	case st.node.distance > 0:
		return s.near(st.words, st.node.distance)
	}
	for i := 0; i+len(st.phrase) <= len(s.doc.symbols) && !s.ends(len(st.phrase)); i++ {
		if slices.Equal(s.doc.symbols[i:i+len(st.phrase)], st.phrase) {
			return true
		}
	}
	return false
}

// near reports whether all of some words are within so many words of the row.
func (s *Search) near(words []int, distance int) bool {
	var next [phraseMost]int
	for !s.ends(len(words)) {
		first, last, of := -1, 0, 0
		for i, at := range words {
			places := s.doc.places[at]
			if next[i] == len(places) {
				return false
			}
			p := places[next[i]]
			if first < 0 || p < first {
				first, of = p, i
			}
			last = max(last, p)
		}
		if last-first < distance {
			return true
		}
		next[of]++
	}
	return false
}

// ends counts work, and reports whether the statement is to end; see Search.Err.
func (s *Search) ends(work int) bool {
	const often = 1 << 16
	if s.work += work + 1; s.work > often && s.Interrupted != nil && s.err == nil {
		s.work = 0
		s.err = s.Interrupted()
	}
	return s.err != nil
}

// Err is what Interrupted has said.
func (s *Search) Err() error { return s.err }

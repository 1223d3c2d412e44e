package privilege

import "strings"

// Word is one token of a statement. A quoted one, an identifier or a string, is never a keyword.
type Word struct {
	Text   string
	Quoted bool
}

// words is a statement of which a part is read.
type words struct {
	list []Word
	i    int
}

func (w *words) peek() Word {
	if w.i < len(w.list) {
		return w.list[w.i]
	}
	return Word{}
}

func (w *words) next() Word {
	x := w.peek()
	w.i++
	return x
}

func (w *words) accept(keyword string) bool {
	if x := w.peek(); x.Quoted || !strings.EqualFold(x.Text, keyword) {
		return false
	}
	w.i++
	return true
}

// table reads [db.]table; ok is false where there is none.
func (w *words) table() (t TableName, ok bool) {
	x := w.peek()
	if x.Text == "" || !x.Quoted && strings.ContainsAny(x.Text[:1], "(),.;=") {
		return t, false
	}
	w.i++
	if w.accept(".") {
		return TableName{DB: x.Text, Name: w.next().Text}, true
	}
	return TableName{Name: x.Text}, true
}

// tables reads a list of tables; between two of them anything may stand.
func (w *words) tables() []TableName {
	var out []TableName
	for {
		t, ok := w.table()
		if !ok {
			return out
		}
		out = append(out, t)
		for w.i < len(w.list) && !w.accept(",") {
			w.i++
		}
		if w.i >= len(w.list) && (w.i == 0 || w.list[len(w.list)-1].Text != ",") {
			return out
		}
	}
}

// rule gives the needs of a statement whose first words are read.
type rule func(w *words) []Need

// OfWords gives the needs of a statement that the session runs itself, from its words. ok is false for one
// that the table does not know.
func OfWords(list []Word) (n Needs, ok bool) {
	for length := min(maxRuleWords, len(list)); length > 0; length-- {
		key, plain := joined(list[:length])
		if !plain {
			continue
		}
		if r, found := rules[key]; found {
			n.add(r(&words{list: list, i: length})...)
			return n, true
		}
	}
	return n, false
}

const maxRuleWords = 4

func joined(list []Word) (key string, plain bool) {
	parts := make([]string, len(list))
	for i, w := range list {
		if w.Quoted {
			return "", false
		}
		parts[i] = strings.ToUpper(w.Text)
	}
	return strings.Join(parts, " "), true
}

func (w Word) is(keyword string) bool { return !w.Quoted && strings.EqualFold(w.Text, keyword) }

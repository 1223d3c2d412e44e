package fulltext

import (
	"unicode"

	"github.com/duramendb/duramen/query/types/charset"
)

// shortest and longest are how many characters a word may have: innodb_ft_min_token_size and innodb_ft_max_token_size.
const (
	shortest = 3
	longest  = 84
)

// stopwords are those that MariaDB lists in information_schema.INNODB_FT_DEFAULT_STOPWORD.
var stopwords = []string{
	"a", "about", "an", "are", "as", "at", "be", "by", "com", "de", "en", "for", "from", "how", "i", "in", "is", "it", "la", "of", "on", "or", "that",
	"the", "this", "to", "was", "what", "when", "where", "who", "will", "with", "und", "the", "www",
}

// words are the words of texts in a collation.
type words struct {
	collation *charset.Collation
	set       *charset.Set
	order     *charset.Order
	stop      map[string]bool // by their keys
	scratch   []byte
	key       []byte
}

func newWords(c *charset.Collation) (*words, error) {
	order, err := c.Order()
	if err != nil {
		return nil, err
	}
	w := &words{collation: c, set: c.Set(), order: order, stop: map[string]bool{}}
	for _, s := range stopwords {
		var text []byte
		for _, r := range s {
			text, _ = w.set.Append(text, r)
		}
		w.stop[string(w.keyOf(text))] = true
	}
	return w, nil
}

// word is a word of a text: its bytes, and of how many characters it is.
type word struct {
	text  []byte
	chars int
}

// next is the first word of a text from a place on, and the place behind it; none has no characters. One character in front of an apostrophe is no
// word.
func (w *words) next(text []byte, at int) (found word, after int) {
	for {
		if found, at = w.one(text, at); found.chars != 1 || at >= len(text) {
			return found, at
		}
		if r, _, ok := w.set.Decode(text[at:]); !ok || r != '\'' {
			return found, at
		}
	}
}

func (w *words) one(text []byte, at int) (found word, after int) {
	for at < len(text) {
		r, size, ok := w.set.Decode(text[at:])
		if ok && inWord(r) {
			break
		}
		at += max(size, 1)
	}
	start := at
	for at < len(text) {
		r, size, ok := w.set.Decode(text[at:])
		if !ok || !inWord(r) {
			break
		}
		found.chars++
		at += max(size, 1)
	}
	found.text = text[start:at]
	return found, at
}

// inWord reports whether a character belongs to words. MariaDB has no classes of characters beyond the first 65536.
func inWord(r rune) bool {
	if r < 0x80 {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
	}
	return r <= 0xffff && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

// keyOf are the bytes that equal words have in common. They live until the next call.
func (w *words) keyOf(text []byte) []byte {
	w.key = w.order.AppendKey(w.key[:0], w.folded(text))
	return w.key
}

// folded is a text as it is compared: in lower case, unless the collation is binary.
func (w *words) folded(text []byte) []byte {
	if w.collation.Binary() {
		return text
	}
	w.scratch = w.collation.AppendLower(w.scratch[:0], text)
	return w.scratch
}

// lower is a copy of a text as it is compared.
func (w *words) lower(text []byte) []byte { return append([]byte{}, w.folded(text)...) }

// indexed reports whether an index has a word, by its key.
func (w *words) indexed(x word, key []byte) bool { return fits(x) && !w.stop[string(key)] }

func fits(x word) bool { return x.chars >= shortest && x.chars <= longest }

// begins reports whether a word begins with a prefix of so many characters, which is folded.
func (w *words) begins(x word, prefix []byte, chars int) bool {
	return x.chars >= chars && w.order.ComparePrefix(w.folded(x.text), prefix, chars) == 0
}

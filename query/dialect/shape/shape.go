// Package shape takes texts of statements apart into what stays the same and their literals: SELECT a FROM t WHERE id = 5 has the shape of all texts that
// have another number there. It knows tokens only; what a literal means, whoever has the tree knows.
package shape

import (
	"slices"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/lex"
)

// Kind is the kind of a literal.
type Kind byte

// The kinds.
const (
	Other Kind = iota
	Integer
	Fraction // a number with a point, without an exponent
	String
)

// Text is a text taken apart. The zero value is ready for Take.
type Text struct {
	// Key is the text with a byte that is nowhere else in its place, and another one for the kind, for each literal.
	Key  []byte
	list []literal

	lexer lex.Lexer
}

type literal struct {
	kind       Kind
	start, end int32
}

const (
	// textMost is how long a text is at most that is taken apart, in bytes, and literalsMost how many literals it may have.
	textMost     = 64 << 10
	literalsMost = 1000
)

// Take takes a text apart; false if it is not one SELECT, INSERT, UPDATE, DELETE or REPLACE without variables and placeholders, or if it is long.
func (t *Text) Take(text string, mode dialect.Mode) bool {
	t.Key, t.list = t.Key[:0], t.list[:0]
	if len(text) > textMost {
		return false
	}
	t.lexer = *lex.New(text, mode.Lex(), nil)
	next := t.lexer.Next()
	switch next.Word {
	case lex.WSelect, lex.WInsert, lex.WUpdate, lex.WDelete, lex.WReplace:
	default:
		return false
	}
	from := int32(0)
	for ; ; next = t.lexer.Next() {
		kind := Other
		switch next.Kind {
		case lex.EOF:
			t.Key = append(t.Key, text[from:]...)
			return true
		case lex.Bad, lex.AtAt, '@', lex.Assign, ';', '?':
			return false
		case lex.Integer:
			kind = Integer
		case lex.String:
			kind = String
		case lex.Decimal:
			kind = Fraction
		case lex.Float:
		default:
			continue
		}
		if len(t.list) == literalsMost {
			return false
		}
		t.list = append(t.list, literal{kind, next.Start, next.End})
		t.Key = append(t.Key, text[from:next.Start]...)
		t.Key = append(t.Key, 0, byte(next.Kind))
		from = next.End
	}
}

// Clone is a copy that stays when t is used again.
func (t *Text) Clone() *Text {
	return &Text{lexer: t.lexer, Key: slices.Clone(t.Key), list: slices.Clone(t.list)}
}

// Count is how many literals there are, in their order in the text.
func (t *Text) Count() int { return len(t.list) }

// Kind is the kind of a literal.
func (t *Text) Kind(at int) Kind { return t.list[at].kind }

// Source is how a literal is written in the text that was taken apart last.
func (t *Text) Source(text string, at int) string { return text[t.list[at].start:t.list[at].end] }

// Unquote is what a String of the text says.
func (t *Text) Unquote(at int) string {
	return t.lexer.Unquote(lex.Token{Kind: lex.String, Start: t.list[at].start, End: t.list[at].end})
}

// Find is the literal that stands just there, in bytes of the text; -1 if there is none.
func (t *Text) Find(start, end int32) int {
	i, ok := slices.BinarySearchFunc(t.list, start, func(l literal, start int32) int { return int(l.start - start) })
	if !ok || t.list[i].end != end {
		return -1
	}
	return i
}

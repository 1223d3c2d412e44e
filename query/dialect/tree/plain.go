package tree

import "slices"

// Bounds of plain literals: integers that fit into 63 bits, and strings whose type is not that of a TEXT in any character set.
const (
	PlainDigits = 18
	PlainBytes  = 16 << 10
)

// Plain reports whether an expression is a literal that most rows of long INSERTs consist of: an integer without a sign of at most PlainDigits digits,
// a string of 1 to PlainBytes bytes that names no character set, or NULL.
func Plain(x Expr) bool {
	switch x := x.(type) {
	case *NumberLit:
		return x.Kind == IntegerNumber && len(x.Text) <= PlainDigits
	case *TextLit:
		return x.Charset == "" && !x.National && len(x.Value) > 0 && len(x.Value) <= PlainBytes
	case *NullLit:
		return true
	}
	return false
}

// LeftOut are the rows of a long INSERT, which are no part of its tree.
type LeftOut struct {
	Count int
	// Width is how many values the first of them has.
	Width int
	// Plain says that all have as many, and that these are plain.
	Plain bool
}

// Add counts a row.
func (l *LeftOut) Add(n *Row) {
	if l.Count == 0 {
		l.Width, l.Plain = len(n.Items), true
	}
	l.Count++
	l.Plain = l.Plain && len(n.Items) == l.Width && !slices.ContainsFunc(n.Items, func(x Expr) bool { return !Plain(x) })
}

package dialect

import "strings"

// Editor replaces tokens of a text, in their order.
type Editor struct {
	SQL  string // the text
	b    strings.Builder
	last int
}

// Replace puts a text in place of a token; of two for one place, the first counts.
func (e *Editor) Replace(t Token, with string) {
	if t.Start < e.last {
		return
	}
	e.b.WriteString(e.SQL[e.last:t.Start])
	e.b.WriteString(with)
	e.last = t.End
}

// Remove takes a token out.
func (e *Editor) Remove(t Token) { e.Replace(t, "") }

// Done is the text after all replacements.
func (e *Editor) Done() string {
	e.b.WriteString(e.SQL[e.last:])
	return e.b.String()
}

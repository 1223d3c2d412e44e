package dialect

import (
	"strconv"
	"strings"
)

// Logged prints a statement for a log: so that it means the same when it is read under a sql_mode, and without passwords in clear text.
// One that still holds such a password (see Hashed) is no statement in print.
func Logged(st Statement, mode Mode) string {
	p, ok := st.(printed)
	if !ok {
		return st.String()
	}
	out := printer{mode: mode, hide: true}
	p.print(&out)
	return out.text.String()
}

// printed is a statement whose text depends on what it is for.
type printed interface{ print(p *printer) }

// textOf is String of a statement.
func textOf(st printed) string {
	p := printer{}
	st.print(&p)
	return p.text.String()
}

// printer writes one statement.
type printer struct {
	text strings.Builder
	mode Mode // that the text is going to be read under
	hide bool // passwords in clear text
}

// words writes words with a space before each but the first of the statement.
func (p *printer) words(words ...string) {
	for _, w := range words {
		if p.text.Len() > 0 {
			p.text.WriteByte(' ')
		}
		p.text.WriteString(w)
	}
}

// wordsIf writes words on a condition.
func (p *printer) wordsIf(cond bool, words ...string) {
	if cond {
		p.words(words...)
	}
}

// number writes a clause with a number.
func (p *printer) number(word string, n uint64) { p.words(word, strconv.FormatUint(n, 10)) }

// quoted is a string literal for the mode.
func (p *printer) quoted(s string) string {
	if p.mode.NoBackslashEscapes {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return strings.ReplaceAll(QuoteString(s), "\x00", `\0`)
}

// list writes values with commas between them.
func list[T any](p *printer, values []T, one func(T)) {
	for i, v := range values {
		if i > 0 {
			p.text.WriteByte(',')
		}
		one(v)
	}
}

// name writes an identifier.
func (p *printer) name(name string) { p.words(QuoteName(name)) }

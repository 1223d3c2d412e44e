package tree

import "strconv"

// Print appends the text of a node: what any sql_mode without NO_BACKSLASH_ESCAPES reads as the same tree. wide is lex.New's, of the
// character set in which the names and strings of the tree are.
func Print(dst []byte, n Node, wide func(string) int) []byte {
	p := printer{buf: dst, wide: wide}
	n.print(&p)
	return p.buf
}

// String is the text of a node, in a character set like UTF-8 in which no part of a character is a backslash.
func String(n Node) string { return string(Print(nil, n, nil)) }

// printer writes the text of nodes. Words and names put a space before themselves where one is needed.
type printer struct {
	buf  []byte
	wide func(string) int
}

// space puts a space before what follows, unless nothing or an opening parenthesis stands there.
func (p *printer) space() {
	if n := len(p.buf); n > 0 && p.buf[n-1] != ' ' && p.buf[n-1] != '(' && p.buf[n-1] != '.' && p.buf[n-1] != '@' {
		p.buf = append(p.buf, ' ')
	}
}

// byte writes one byte, right after what is there.
func (p *printer) byte(c byte) { p.buf = append(p.buf, c) }

// raw writes a text, right after what is there.
func (p *printer) raw(s string) { p.buf = append(p.buf, s...) }

// word writes keywords or an operator.
func (p *printer) word(s string) {
	p.space()
	p.buf = append(p.buf, s...)
}

// words writes those of the texts that are not empty.
func (p *printer) words(texts ...string) {
	for _, s := range texts {
		if s != "" {
			p.word(s)
		}
	}
}

// when writes keywords if a clause is there.
func (p *printer) when(there bool, s string) {
	if there {
		p.word(s)
	}
}

// name writes a name in backquotes.
func (p *printer) name(s string) {
	p.space()
	p.escaped(s, '`', '`')
}

// escaped writes a text between quotes, with two of them, or of another byte, for one.
func (p *printer) escaped(s string, quote, other byte) {
	p.buf = append(p.buf, quote)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x80 && p.wide != nil {
			n := min(max(p.wide(s[i:]), 1), len(s)-i)
			p.buf = append(p.buf, s[i:i+n]...)
			i += n - 1
			continue
		}
		if c == quote || c == other {
			p.buf = append(p.buf, c)
		}
		p.buf = append(p.buf, c)
	}
	p.buf = append(p.buf, quote)
}

// text writes a string literal.
func (p *printer) text(s string) {
	p.space()
	p.quoted(s)
}

func (p *printer) quoted(s string) { p.escaped(s, '\'', '\\') }

func (p *printer) number(n uint64) {
	p.space()
	p.buf = strconv.AppendUint(p.buf, n, 10)
}

// list writes nodes with commas between them.
func list[T Node](p *printer, nodes []T) {
	for i, n := range nodes {
		if i > 0 {
			p.byte(',')
		}
		n.print(p)
	}
}

// parens writes nodes in parentheses, with commas between them.
func parens[T Node](p *printer, nodes []T) {
	p.space()
	p.byte('(')
	list(p, nodes)
	p.byte(')')
}

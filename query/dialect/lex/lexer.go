package lex

import (
	"strings"
)

// TextMax is the longest text that is read, in bytes: max_allowed_packet has the same limit.
const TextMax = 1 << 30

// serverVersion is what versioned comments compare with.
const serverVersion = 101114

// Lexer reads the tokens of one text.
type Lexer struct {
	text string
	mode Mode
	// wide is how many bytes the character at the start of a text has, in a character set whose second bytes may be those of quotes and
	// backslashes (sjis, big5, gbk ...); nil: in none.
	wide func(string) int

	pos  int
	line int32
	open bool // an executable comment is: the first */ ends it, whatever was opened in it
	last Kind
}

// New stands before the first token of a text. wide may be nil; see Lexer.
func New(text string, mode Mode, wide func(string) int) *Lexer {
	return &Lexer{text: text, mode: mode, wide: wide, line: 1}
}

const (
	letter = 1 << iota // of a name
	digit
	space
	hexDigit
)

var classes = func() (c [256]uint8) {
	for b := range 256 {
		switch {
		case b >= '0' && b <= '9':
			c[b] = letter | digit | hexDigit
		case b >= 'a' && b <= 'f', b >= 'A' && b <= 'F':
			c[b] = letter | hexDigit
		case b >= 'g' && b <= 'z', b >= 'G' && b <= 'Z', b == '_', b == '$', b >= 0x80:
			c[b] = letter
		case b == ' ', b >= '\t' && b <= '\r':
			c[b] = space
		}
	}
	return c
}()

func (l *Lexer) at(i int) byte {
	if i < len(l.text) {
		return l.text[i]
	}
	return 0
}

func (l *Lexer) is(i int, class uint8) bool { return i < len(l.text) && classes[l.text[i]]&class != 0 }

// span is the end of the bytes of a class from i on.
func (l *Lexer) span(i int, class uint8) int {
	for l.is(i, class) {
		i++
	}
	return i
}

// Next reads the next token. At the end it is EOF, again and again.
func (l *Lexer) Next() Token {
	before := l.pos
	if l.last == AtAt && !l.is(l.pos, letter) && l.at(l.pos) != '`' { // no name
		l.last, l.pos = Bad, len(l.text)
		return Token{Kind: Bad, Glued: true, Line: l.line, Start: int32(before), End: int32(l.pos)}
	}
	closed := l.skipSpace()
	t := Token{Start: int32(l.pos), Line: l.line, Glued: l.pos == before}
	switch {
	case !closed:
		t.Kind, l.pos = Bad, len(l.text)
	case l.pos >= len(l.text):
		t.Kind = EOF
	default:
		t.Kind = l.token(t.Glued)
	}
	t.End = int32(l.pos)
	if t.Kind == Name && (l.last != '.' || !t.Glued) {
		if t.Word = l.word(int(t.Start)); l.text[t.Start] == '\\' { // \N
			t.Word = WNull
		}
	}
	l.last = t.Kind
	return t
}

// word is the keyword that a name from start to pos is. Right before a point and a name there are none, unless a system variable begins there.
func (l *Lexer) word(start int) Word {
	if l.last == AtAt {
		return Keyword(l.text[start:l.pos])
	}
	if l.at(l.pos) == '.' && l.is(l.pos+1, letter) {
		return NoWord
	}
	if w := Keyword(l.text[start:l.pos]); w != NoWord {
		return w
	}
	return l.functionWord(start)
}

// token reads what begins at pos.
func (l *Lexer) token(glued bool) Kind {
	c := l.text[l.pos]
	switch {
	case glued && l.last == '@' && (c == '.' || classes[c]&letter != 0):
		for l.is(l.pos, letter) || l.at(l.pos) == '.' {
			l.pos++
		}
		return HostName
	case c == '[' && l.mode&Brackets != 0 && !(glued && l.last == '@'), c == '`', c == '"' && l.mode&AnsiQuotes != 0:
		return l.quoted(QuotedName)
	case c == '\'' || c == '"':
		return l.quoted(String)
	case classes[c]&digit != 0 && !(glued && l.last == '.'):
		return l.number()
	case c == '.' && l.is(l.pos+1, digit) && !(glued && l.last == Name):
		return l.number()
	case classes[c]&letter != 0:
		return l.name()
	case c == '\\' && l.at(l.pos+1) == 'N':
		l.pos += 2
		return Name
	}
	return l.operator()
}

// name reads a name, a keyword, or a literal with a letter before its quote.
func (l *Lexer) name() Kind {
	if l.at(l.pos+1) == '\'' {
		switch l.text[l.pos] {
		case 'x', 'X':
			return l.digits(HexString, hexDigit)
		case 'b', 'B':
			return l.digits(BitString, digit)
		case 'n', 'N':
			l.pos++
			return l.quoted(NString)
		}
	}
	start := l.pos
	l.pos = l.span(l.pos, letter)
	if l.text[start] == '_' && Charset(l.text[start+1:l.pos]) != "" && l.last != '.' {
		return Introducer
	}
	return Name
}

// digits reads x'...' and b'...'.
func (l *Lexer) digits(kind Kind, class uint8) Kind {
	start := l.pos + 2
	end := l.span(start, class)
	if l.at(end) != '\'' || kind == HexString && (end-start)%2 != 0 ||
		kind == BitString && strings.Trim(l.text[start:end], "01") != "" {
		return Bad
	}
	l.pos = end + 1
	return kind
}

// number reads a number, or a name that begins with a digit.
func (l *Lexer) number() Kind {
	start := l.pos
	end := l.span(start, digit)
	if end == start+1 && l.text[start] == '0' {
		if kind := l.prefixed(start); kind != EOF {
			return kind
		}
	}
	switch {
	case end > start && l.exponent(end) > 0:
		l.pos = l.exponent(end)
		return Float
	case end > start && l.is(end, letter):
		break
	case l.at(end) != '.' || l.at(end+1) == '.':
		l.pos = end
		return Integer
	default:
		end = l.span(end+1, digit)
		if e := l.exponent(end); e > 0 {
			l.pos = e
			return Float
		}
		l.pos = end
		if c := l.at(end); c == 'e' || c == 'E' {
			return Bad
		}
		return Decimal
	}
	l.pos = l.span(start, letter)
	return Name
}

// prefixed reads 0x1F and 0b01; EOF: none stands at start.
func (l *Lexer) prefixed(start int) Kind {
	kind, class := HexNumber, uint8(hexDigit)
	switch l.at(start + 1) {
	case 'x':
	case 'b':
		kind, class = BitNumber, digit
	default:
		return EOF
	}
	end := l.span(start+2, class)
	if end == start+2 || l.is(end, letter) || kind == BitNumber && strings.Trim(l.text[start+2:end], "01") != "" {
		return EOF
	}
	l.pos = end
	return kind
}

// exponent is the end of an exponent that begins at i, 0 if none does.
func (l *Lexer) exponent(i int) int {
	if c := l.at(i); c != 'e' && c != 'E' {
		return 0
	}
	i++
	if c := l.at(i); c == '+' || c == '-' {
		i++
	}
	if !l.is(i, digit) {
		return 0
	}
	return l.span(i, digit)
}

// quoted reads to the closing quote.
func (l *Lexer) quoted(kind Kind) Kind {
	quote := l.text[l.pos]
	if quote == '[' {
		quote = ']'
	}
	escapes := kind != QuotedName && l.mode&NoBackslashEscapes == 0
	if end := l.simple(quote, escapes); end > 0 {
		l.pos = end
		return kind
	}
	for i := l.pos + 1; i < len(l.text); i++ {
		c := l.text[i]
		switch {
		case c >= 0x80 && l.wide != nil:
			i += max(l.wide(l.text[i:]), 1) - 1
		case c == '\\' && escapes:
			i++
		case c != quote:
		case l.at(i+1) == quote:
			i++
		default:
			l.pos = i + 1
			return kind
		}
	}
	l.pos = len(l.text)
	return Bad
}

// operators of more than one byte, the longer ones first.
var operators = []struct {
	text string
	kind Kind
}{
	{"<=>", NullSafe}, {"<=", LessEqual}, {"<>", NotEqual}, {"<<", ShiftLeft}, {">=", GreaterEqual}, {">>", ShiftRight},
	{"!=", NotEqual}, {"||", OrOr}, {"&&", AndAnd}, {":=", Assign}, {"..", DotDot}, {"@@", AtAt},
}

func (l *Lexer) operator() Kind {
	if c := l.text[l.pos]; c == ',' || c == '(' || c == ')' { // most of them, and longer ones do not begin with these
		l.pos++
		return Kind(c)
	}
	for _, o := range operators {
		if strings.HasPrefix(l.text[l.pos:], o.text) {
			l.pos += len(o.text)
			return o.kind
		}
	}
	c := l.text[l.pos]
	l.pos++
	if c == '?' && l.is(l.pos, letter) {
		return Bad
	}
	if strings.IndexByte("+-*/%^&|~!=<>(),.;:?@{}", c) < 0 {
		return Bad
	}
	return Kind(c)
}

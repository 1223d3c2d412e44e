package grammar

import (
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Options say how a text is read.
type Options struct {
	Mode lex.Mode
	// Wide is lex.New's, of the character set that the client sends.
	Wide func(string) int
	// Hold is asked before the tree grows by n more bytes, by an estimate that is no less than what it takes (see size). Its error ends the
	// reading, and is Parse's. Short statements do not ask. nil: the tree may be of any size.
	Hold func(n int64) error
	// Row gets the rows behind VALUES of an INSERT or REPLACE, of which a text may have millions, one by one and in order, and reports whether
	// it keeps something of the row, so that its memory is not free again. They are no parts of the tree then. nil: they are.
	Row func(*tree.Row) (kept bool)
}

// parsers are those that are not in use. A tree has nothing of the parser that made it.
var parsers = sync.Pool{New: func() any { return new(parser) }}

// Parse reads one statement. A semicolon may follow it; next is where the text after that begins, for who takes several statements. The
// error is MariaDB's (1064 for most).
func Parse(text string, o Options) (s tree.Statement, next int, err error) {
	length := len(text)
	text = strings.TrimRight(text, "; \t\n\v\f\r")
	p := parsers.Get().(*parser)
	p.text, p.o, p.lx = text, o, *lex.New(text, o.Mode, o.Wide)
	defer func() {
		*p = parser{}
		parsers.Put(p)
		switch r := recover().(type) {
		case nil:
		case bailout:
			s, err = nil, r.err
		default:
			panic(r)
		}
	}()
	switch {
	case !p.is(lex.EOF):
	case strings.TrimLeft(text, "; \t\n\v\f\r") == "":
		return nil, length, mysqlerr.New(mysqlerr.EmptyQuery)
	default:
		return &tree.Empty{Span: tree.Span{End: int32(len(text))}}, length, nil
	}
	s = p.statement()
	switch {
	case p.is(';'):
		return s, int(p.next().End), nil
	case p.is(lex.EOF):
		return s, length, nil
	}
	p.fail()
	return nil, 0, nil
}

// parser reads one statement. Its methods take what they are named after; one that does not find it ends the reading (fail), unless its
// name begins with accept or is.
type parser struct {
	text string
	o    Options
	lx   lex.Lexer

	// ahead are tokens that were read and not taken, n of them from first on.
	ahead    [lookahead]lex.Token
	first, n int
	end      int32 // of the last token that was taken
	height
	size

	routine *routine // whose body is read; nil: none
	// valuesCall says that VALUES() is the function: in ON DUPLICATE KEY UPDATE, and where partitions are made.
	valuesCall bool
	params     int32 // ? that were taken
	// lent are the nodes of a row that is given away; nil where rows are parts of the tree.
	lent *rowNodes
}

// lookahead is how far the language makes one look.
const lookahead = 8

// bailout ends the reading of a statement.
type bailout struct{ err error }

// peek is the i-th token from here, 0 the next one.
func (p *parser) peek(i int) lex.Token {
	for p.n <= i {
		p.ahead[(p.first+p.n)%lookahead] = p.lx.Next()
		p.n++
	}
	return p.ahead[(p.first+i)%lookahead]
}

// next takes a token.
func (p *parser) next() lex.Token {
	t := p.peek(0)
	p.first = (p.first + 1) % lookahead
	p.n--
	p.end = t.End
	if p.made += tokenBytes + int64(t.End-t.Start); p.made > p.held {
		p.hold()
	}
	return t
}

// failAt ends the reading with the error for what stands at a token.
func (p *parser) failAt(t lex.Token) { p.failSaying(mysqlerr.SyntaxErrorText, t) }

// failSaying ends the reading with an error about the syntax that has a text of its own.
func (p *parser) failSaying(text string, t lex.Token) {
	near := p.text[t.Start:]
	if t.Kind == ',' && t.End == t.Start+1 { // as the server does, for a reason that has to do with the names of columns
		near = p.text[t.End:]
	}
	if len(near) > nearMax {
		end := nearMax - len(nearEnd)
		for end > 0 && !utf8.RuneStart(near[end]) {
			end--
		}
		near = near[:end] + nearEnd
	}
	panic(bailout{mysqlerr.New(mysqlerr.Parse, text, near, t.Line)})
}

// nearMax is how much of the text an error shows, in bytes, and nearEnd what says that there is more.
const (
	nearMax = 80
	nearEnd = "..."
)

// fail ends the reading at the next token. Pairs that are one token to the server show their second word.
func (p *parser) fail() {
	for _, pair := range joinedWords {
		if p.isWords(pair[0], pair[1]) {
			p.failAt(p.peek(1))
		}
	}
	t := p.peek(0)
	switch t.Word {
	case lex.WWith, lex.WValues, lex.WFor: // behind these the server looks ahead itself
		t.Line = p.peek(1).Line
	}
	p.failAt(t)
}

var joinedWords = [...][2]lex.Word{
	{lex.WWith, lex.WSystem}, {lex.WWith, lex.WCube}, {lex.WWith, lex.WRollup}, {lex.WFor, lex.WSystemTime}, {lex.WValues, lex.WIn},
	{lex.WValues, lex.WLess},
}

// failWith ends the reading with an error of its own.
func (p *parser) failWith(err error) { panic(bailout{err}) }

// is reports whether a token of a kind follows.
func (p *parser) is(k lex.Kind) bool { return p.peek(0).Kind == k }

// isWord reports whether a keyword follows.
func (p *parser) isWord(w lex.Word) bool { return p.peek(0).Word == w }

// isWords reports whether keywords follow.
func (p *parser) isWords(words ...lex.Word) bool {
	for i, w := range words {
		if p.peek(i).Word != w {
			return false
		}
	}
	return true
}

// accept takes keywords, all or none.
func (p *parser) accept(words ...lex.Word) bool {
	if !p.isWords(words...) {
		return false
	}
	for range words {
		p.next()
	}
	return true
}

// acceptAny takes one of the keywords, and returns which, or NoWord.
func (p *parser) acceptAny(words ...lex.Word) lex.Word {
	for _, w := range words {
		if p.accept(w) {
			return w
		}
	}
	return lex.NoWord
}

// acceptKind takes a token of a kind.
func (p *parser) acceptKind(k lex.Kind) bool {
	if !p.is(k) {
		return false
	}
	p.next()
	return true
}

// expect takes keywords, one after the other.
func (p *parser) expect(words ...lex.Word) {
	for _, w := range words {
		if !p.isWord(w) {
			p.fail()
		}
		p.next()
	}
}

// expectKind takes a token of a kind.
func (p *parser) expectKind(k lex.Kind) lex.Token {
	if !p.is(k) {
		p.fail()
	}
	return p.next()
}

// start is where the next token begins, and from the place from there to the last one that was taken.
func (p *parser) start() int32 { return p.peek(0).Start }

func (p *parser) from(start int32) tree.Span { return tree.Span{Start: start, End: p.end} }

// isName reports whether the i-th token from here can be a name: a quoted one, or a word that is not reserved.
func (p *parser) isName(i int) bool {
	t := p.peek(i)
	return t.Kind == lex.QuotedName || t.Kind == lex.Name && !t.Word.Reserved()
}

// ident takes a name.
func (p *parser) ident() tree.Ident {
	if !p.isName(0) {
		p.fail()
	}
	return p.identOf(p.next())
}

func (p *parser) identOf(t lex.Token) tree.Ident {
	return tree.Ident{Span: tree.Span{Start: t.Start, End: t.End}, Text: p.lx.Unquote(t)}
}

// identAfterPoint takes a name that may be any word: one right behind a point is no keyword.
func (p *parser) identAfterPoint() tree.Ident { return p.ident() }

// tableName takes [db.]name.
func (p *parser) tableName() *tree.TableName {
	start := p.start()
	n := &tree.TableName{}
	if p.acceptKind('.') {
		n.Name = p.identAfterPoint()
		n.Span = p.from(start)
		return n
	}
	n.Name = p.ident()
	if p.acceptKind('.') {
		n.DB, n.Name = n.Name, p.identAfterPoint()
	}
	n.Span = p.from(start)
	return n
}

// unsigned takes an integer of at most 64 bits.
func (p *parser) unsigned() uint64 {
	t := p.peek(0)
	n, err := strconv.ParseUint(p.lx.Text(t), 10, 64)
	if t.Kind != lex.Integer || err != nil {
		p.fail()
	}
	p.next()
	return n
}

// stringLiteral takes a plain string.
func (p *parser) stringLiteral() string { return p.lx.Unquote(p.expectKind(lex.String)) }

// commas takes what f takes, once or more often, with commas between.
func commas[T any](p *parser, f func() T) []T {
	all := []T{f()}
	for p.acceptKind(',') {
		all = append(all, f())
	}
	return all
}

// list takes what f takes, once or more often, with commas between.
func list[T any](p *parser, f func(*parser) T) []T {
	all := []T{f(p)}
	for p.acceptKind(',') {
		all = append(all, f(p))
	}
	return all
}

// inParens takes what f takes in parentheses.
func inParens[T any](p *parser, f func() T) T {
	p.expectKind('(')
	x := f()
	p.expectKind(')')
	return x
}
